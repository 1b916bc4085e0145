"""``candidly train``: a model from a file with candidate sets or one noisy label a row."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...data.ingest import Roles
from ...ground.jsons import to_json
from ...ground.problem import Refusal
from ...learn.engine.recipe import recipe as read_recipe
from ...learn.written.nets import pinned, read_net
from .. import _progress
from .._column_options import ANY, CELLS, INPUTS, LABELS, PARTS, reads
from .._hyper import Hyper, hyper_of
from .._issues import check_place
from .._narrowing import Mass, narrowed_by
from .._network_options import Net, Training
from .._print import AsJson
from .._stopping import stoppable
from .._types import random_seed, share, whole
from ..data.common import Data
from .premise import on_premise
from .words import print_training

if TYPE_CHECKING:
    from ...data.labels.labelled import Labelled

ENDING = ".safetensors"
AUTO = "auto"  # of --steps: early stopping
CHECKED = "truth"  # of --validation: the rows whose true label is known


@reads(*LABELS, "truth", *CELLS, "id", *INPUTS, *PARTS)
def train(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A table, arrays, a folder of pictures, or a known name."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The .safetensors file to write.")],
    roles: Roles = ANY,
    labels: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="Make labels imperfect first, such as flip:rate=0.3."),
    ] = None,
    narrow: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Learn from smaller candidate sets, without the candidates that this file of "
            "probabilities of the classes, or of pictures hf:FOLDER with a model of pictures and "
            "texts, holds to be unlikely. Rows held out are measured by the sets as given.",
        ),
    ] = None,
    mass: Mass = None,
    root: Data = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A name of candidly algorithms list, or logistic, forest, boosting, bayes (texts) "
            "or blend, a weighted mean of such. (default: PRODEN for candidate sets; blend for one "
            "label a row of a table or of texts, where nothing is said of a network; else ce)",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="NAME",
            help="Another of these names, to compare with; may be given again. All are trained on "
            "four fifths of the rows to learn from and compared on the others; the one that is "
            "right most often is the model. The rows held out judge it alone.",
        ),
    ] = None,
    as_published: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Train as published for cifar10n or cifar100n: network, recipe, epochs and "
            "hyper-parameters that are not given here. See candidly algorithms show NAME.",
        ),
    ] = None,
    steps: Annotated[
        Any,
        whole(
            "Updates; auto: as many as early stopping on a fifth of the rows to learn from says, "
            "by labels as they are given. (default: auto for one label a row, 10000 for candidate "
            "sets and below 100 rows, or the published epochs)",
            least=1,
            words=(AUTO,),
        ),
    ] = None,
    seed: Annotated[int, random_seed("Of what is held out, of initialisation and order.")] = 0,
    hyper: Hyper = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of pictures and texts, a network that was trained elsewhere and makes numbers of "
            "them, such as efficientnet-lite0, or a folder; the model remembers it. (default: of "
            "pictures with one label a row the one that is installed, where nothing else is said "
            "and it tells at least as many labels as descriptors do)",
        ),
    ] = None,
    net: Net = None,
    recipe: Training = None,
    scaling: Annotated[
        str, typer.Option(metavar="NAME", help="train standardises the features; none.")
    ] = "train",
    validation: Annotated[
        Any,
        share(
            "Share of the rows to hold out and measure on; 0 trains on all, and truth holds out "
            "the rows whose true label is known. An official test set is held out whatever it is.",
            words=(CHECKED,),
        ),
    ] = 0.1,
    device: Annotated[str, typer.Option(metavar="NAME", help="cpu, cuda or cuda:1.")] = "cpu",
    as_json: AsJson = False,
) -> None:
    """Train a model on candidate sets or noisy labels, and say how good it is on rows held out.

    The model that is written has learned from the other rows alone, so what is measured holds of
    it; --validation 0 takes all rows and measures nothing. Of data with an official test set it
    learns from the other rows, and is measured on that set.

    Examples:

      candidly train shop.csv --label category --out shop.safetensors

      candidly train lost --data ~/pll --algorithm PRODEN --out lost.safetensors

      candidly train shop.csv --label category --against gce --against elr --out shop.safetensors
    """
    check_place(out, "--out", (ENDING,))
    if mass is not None and narrow is None:
        raise Refusal(
            "`mass` says how far sets are narrowed, and nothing narrows them.",
            "name a file with `narrow`",
            "leave out `mass`",
        )
    if net is not None:
        pinned(net, "--net")  # said before the data is read
    if recipe is not None:
        recipe = read_recipe(recipe, "--recipe").text
    asked = hyper_of(hyper)
    done = [0, 0]
    with stoppable(lambda: _stopped(*done)):
        from ...learn.model.measured import fit_and_measure, published_settings

        published_settings(algorithm, as_published)  # refused before the data is read
        loaded = _loaded(what, root, roles, labels, as_published is not None)
        smaller = None if narrow is None else narrowed_by(loaded, narrow, mass, roles)
        with _progress.reading("training", "trained") as watch:

            def told(work: int, of: int) -> None:
                done[:] = work, of
                watch(work, of)

            trained = fit_and_measure(
                loaded,
                algorithm,
                encoder=encoder,
                sets=None if smaller is None else smaller.sets,
                against=against or (),
                validation=validation,
                as_published=as_published,
                steps=steps,
                seed=seed,
                scaling=scaling,
                net=net,
                recipe=recipe,
                device=device,
                watch=told,
                **asked,  # names of hyper-parameters alone
            )
        about = {
            "data": what,
            **trained.as_dict(),
            "default": algorithm is None and trained.compared is None,
            "as published": as_published,
            "seed": seed,
            "on the premise": on_premise(trained),
            "narrowed": None if smaller is None else {"by": narrow, **smaller.as_dict()},
        }
        model = trained.model
        model.about["trained"] = {k: about[k] for k in ("data", "held out", "measured", "narrowed")}
        model.about["trained"] |= {"label": roles.label, "id": roles.id}
        model.save(out)
    about |= {"out": str(out), "next": _next(out, net, what)}
    if as_json:
        print(to_json(about))
        return
    chosen = "" if trained.compared is None else str(trained.compared)
    print_training(about, loaded, chosen, "" if smaller is None else str(smaller))
    print(f"wrote {out}", file=sys.stderr)


def _stopped(done: int, total: int) -> str:
    at = f" at {done / total:.0%}" if total else ""
    return f"stopped{at}; nothing was written. The same command starts again."


def _loaded(what: str, root: Path | None, roles: Any, labels: str | None, tested: bool) -> Labelled:
    """The data; as it was published, with the official test part."""
    from ...data import imperfect
    from ...data.sources import load

    with _progress.reading("reading", "read") as watch:
        given = labels is None
        loaded = load(what, root, watch=watch, roles=roles, as_given=given, tested=tested)
    if labels is not None:
        loaded = imperfect.apply(loaded, labels)
    return loaded


def _next(out: Path, net: str | None, what: str) -> str:
    new = "FOLDER" if Path(what).is_dir() else f"NEW{Path(what).suffix or '.csv'}"
    words = ["candidly", "predict", str(out), new, "--out", "predictions.csv"]
    own = net is not None and read_net(net).own
    return shlex.join([*words, "--net", str(net)] if own else words)
