"""``candidly train``: a model from a file with candidate sets or one noisy label a row."""

from __future__ import annotations

import math
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data.ingest import Roles
from ..data.labels.describe import labelled_rows, track_of
from ..ground.jsons import to_json
from ..learn.engine.recipe import recipe as read_recipe
from ..learn.written.nets import of_tokens, pinned, read_net
from . import _progress
from ._column_options import ANY, CELLS, INPUTS, LABELS, reads
from ._hyper import Hyper, hyper_of
from ._issues import check_place
from ._network_options import Net, Training
from ._stopping import stoppable
from ._train_print import print_training
from ._types import random_seed, share, whole

if TYPE_CHECKING:
    from ..data.labels.labelled import Labelled
    from ..learn.algorithms import Published

ENDING = ".safetensors"
STEPS = 10_000
LEAST_HELD = 1  # rows to measure on
CHECKED = "truth"  # of --validation: the rows whose true label is known


@reads(*LABELS, "truth", *CELLS, "id", *INPUTS)
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
    root: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder to look for files in, first."),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A name of candidly algorithms list. (default: PRODEN for candidate sets, ce for "
            "one label a row)",
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
        int | None, whole("Updates. (default: 10000, or the published epochs)", least=1)
    ] = None,
    seed: Annotated[int, random_seed("Of what is held out, of initialisation and order.")] = 0,
    hyper: Hyper = None,
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Train a model on candidate sets or noisy labels, and say how good it is on rows held out.

    The model that is written has learned from the other rows alone, so what is measured holds of
    it; --validation 0 takes all rows and measures nothing. Of data with an official test set it
    learns from the other rows, and is measured on that set.

    Examples:

      candidly train shop.csv --label category --out shop.safetensors

      candidly train lost --data ~/pll --algorithm PRODEN --out lost.safetensors
    """
    check_place(out, "--out", (ENDING,))
    if net is not None:
        pinned(net, "--net")  # said before the data is read
    if recipe is not None:
        recipe = read_recipe(recipe, "--recipe").text
    if validation != CHECKED and not 0 <= validation < 1:
        raise ValueError(f"--validation is {validation:g}; give a share from 0 to below 1.")
    asked = hyper_of(hyper)
    settings = _published(algorithm, as_published)
    own = net is not None and recipe is not None
    if settings is not None:
        net, recipe = net or settings.net, recipe or settings.recipe
        asked = {**settings.hyper_parameters(), **asked}
    done = [0, steps or 0]
    with stoppable(lambda: _stopped(*done)):
        from ..learn.model import default_algorithm, fit

        loaded = _loaded(what, root, roles, labels)
        name = algorithm or default_algorithm(loaded)
        if settings is not None and not own:
            _check_inputs(settings, loaded, what)
        usable, left_out = _usable(loaded, name)
        learned, held = _divided(usable, validation, seed)
        if steps is None:
            batch = int(asked.get("batch_size", 0))
            steps = STEPS if settings is None else settings.updates(learned.n, batch)
        done[1] = steps
        with _progress.reading("training", "trained") as watch:

            def told(updates: int, of: int) -> None:
                done[0] = updates
                watch(updates, of)

            model = fit(
                learned,
                name,
                steps=steps,
                seed=seed,
                scaling=scaling,
                net=net,
                recipe=recipe,
                device=device,
                watch=told,
                **asked,  # type: ignore[arg-type]  # names of hyper-parameters alone
            )
        measured = {} if held is None else model.measure(held)
        about = {
            "data": what,
            "rows": loaded.n,
            "without a label": left_out,
            "learned from": learned.n,
            "held out": 0 if held is None else held.n,
            "truth known": _known(held),
            "columns": _columns(loaded),
            "classes": list(model.classes),
            "labels": "candidate sets" if "candidates" in _reads(name) else "one label a row",
            "algorithm": model.about["algorithm"],
            "default": algorithm is None,
            "net": model.about["net"],
            "hyper": model.about["hyper"],
            "steps": steps,
            "as published": as_published,
            "track": track_of(loaded.source),
            "seed": seed,
            "measured": {n: v if math.isfinite(v) else None for n, v in measured.items()},
            "constant": {} if held is None else _constant(learned, held),
        }
        model.about["trained"] = {k: about[k] for k in ("data", "held out", "measured")}
        model.about["trained"]["label"] = roles.label
        model.save(out)
    about |= {"out": str(out), "next": _next(out, net, what)}
    if as_json:
        print(to_json(about))
        return
    print_training(about, loaded)
    print(f"wrote {out}", file=sys.stderr)


def _published(algorithm: str | None, dataset: str | None) -> Published | None:
    """The published settings that are asked for; None where none are.

    Raises:
        ValueError: no algorithm is named, or of this one there are none.
    """
    if dataset is None:
        return None
    if algorithm is None:
        raise ValueError(
            "--as-published needs --algorithm: settings are those of an algorithm. candidly "
            "algorithms show ce prints some."
        )
    from ..learn.algorithms import algorithm as algorithm_named
    from ..learn.algorithms import published

    return published(algorithm_named(algorithm).label, dataset)


def _check_inputs(settings: Published, data: Labelled, what: str) -> None:
    """Refuse settings that were published for inputs of another kind."""
    texts = of_tokens(settings.net)
    name = "texts" if texts else "pictures"
    if (data.kind == "texts") != texts or data.kind not in ("texts", "images", "media"):
        raise ValueError(
            f"these published settings are for {name}, and the inputs of {what} are none. Give a"
            " network and a recipe of your own beside them: --net mlp --recipe sgd."
        )


def _stopped(done: int, steps: int) -> str:
    return (
        f"stopped after {done:,} of {steps:,} updates; nothing was written. The same command "
        "starts again."
    )


def _loaded(what: str, root: Path | None, roles: Any, labels: str | None) -> Labelled:
    from ..data import imperfect
    from ..data.sources import load

    with _progress.reading("reading", "read") as watch:
        loaded = load(what, root, watch=watch, roles=roles)
    if labels is not None:
        loaded = imperfect.apply(loaded, labels)
    if loaded.q < 2:
        raise ValueError(
            f"{loaded.source}: every label is {loaded.classes[0]!r}; to tell classes apart takes "
            "two. Check the column of --label."
        )
    return loaded


def _reads(algorithm: str) -> tuple[str, ...]:
    from ..learn.algorithms import algorithm as algorithm_named

    return algorithm_named(algorithm).reads


def _usable(data: Labelled, algorithm: str) -> tuple[Labelled, int]:
    """The rows that have the label that the algorithm reads, and how many have none.

    Raises:
        ValueError: no row has one.
    """
    for name in _reads(algorithm):
        values = getattr(data, name)
        if name == "candidates" or values is None:
            continue
        there = values >= 0
        if not there.any():
            raise ValueError(f"{data.source}: no row has a label; there is nothing to learn from.")
        if not there.all():
            return data[there], int((~there).sum())
    return data, 0


def _divided(data: Labelled, share: float | str, seed: int) -> tuple[Labelled, Labelled | None]:
    """Rows to learn from, and rows to measure on: a share, those with a truth, or the official set.

    Of test rows that nobody labelled, sets of all classes say nothing, and the truth alone counts.

    Raises:
        ValueError: rows with a truth are to be held out, and there are none, or no others.
    """
    test = data.official_test
    if test is not None and test.any():
        learned, held = data[~test], data[test]
        if labelled_rows(data).all():
            return learned, held
        if held.truth is not None:
            return learned, replace(held, candidates=None)
        data = learned
    if not share:
        return data, None
    if share == CHECKED:
        known = _known(data)
        if known in (0, data.n):
            raise ValueError(
                f"--validation {CHECKED} holds out the rows whose true label is known, and learns "
                f"from the others; here it is known of {'all' if known else 'no'} rows. Name its "
                "column with --truth, or give a share, such as --validation 0.1."
            )
        assert data.truth is not None
        return data[data.truth < 0], data[data.truth >= 0]
    split = data.split(seed, test=0.0, validation=float(share))
    return data[split.train], data[split.validation]


def _known(data: Labelled | None) -> int:
    """Of how many rows the true label is known."""
    return 0 if data is None or data.truth is None else int((data.truth >= 0).sum())


def _columns(data: Labelled) -> dict[str, list[str] | int]:
    """What the columns of the inputs are used as: names by kind, or how many where unnamed."""
    from ..data.inputs import Table

    if isinstance(data.inputs, Table):
        kinds: dict[str, Any] = {}
        for name, kind in data.inputs.kinds.items():
            kinds.setdefault(kind, []).append(name)
        return kinds
    if data.kind == "table":
        return {"number": list(data.features or ()) or data.inputs.shape[1]}
    if data.kind == "images":
        return {"pixel": math.prod(data.inputs.shape[1:])}
    return {{"texts": "text", "media": "picture"}[data.kind]: list(data.features or ()) or 1}


def _constant(learned: Labelled, held: Labelled) -> dict[str, Any]:
    """The best answer without looking at inputs, and how often it is right."""
    for name in ("candidates", "given"):
        marks = getattr(learned, name)
        if marks is None or getattr(held, name) is None:
            continue
        import numpy as np

        one_hot = marks if marks.ndim == 2 else np.arange(learned.q) == marks[:, None]
        best = int(one_hot.sum(0).argmax())
        there = getattr(held, name)
        right = there[:, best] if there.ndim == 2 else there == best
        return {"class": learned.classes[best], "share": float(right.mean())}
    return {}


def _next(out: Path, net: str | None, what: str) -> str:
    new = "FOLDER" if Path(what).is_dir() else f"NEW{Path(what).suffix or '.csv'}"
    words = ["candidly", "predict", str(out), new, "--out", "predictions.csv"]
    own = net is not None and read_net(net).own
    return shlex.join([*words, "--net", str(net)] if own else words)
