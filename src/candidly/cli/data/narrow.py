"""``candidly labels narrow``: candidate sets without what probabilities hold to be unlikely."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...data.ingest import Roles
from ...data.labels.narrowing import narrowed
from ...ground.problem import Refusal
from .._column_options import ANY, CELLS, INPUTS, LABELS, reads
from .._issues import check_place
from .._print import AsJson
from .._progress import reading
from .._types import share
from .._words import held
from .common import Data, What, loaded_from, print_json, save, tell

if TYPE_CHECKING:
    import numpy as np

    from ...data.labels.labelled import Labelled


@reads(*LABELS, "truth", *CELLS, "id", *INPUTS)
def narrow(
    what: What,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz file to write.")],
    probs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Probabilities of the classes for each row: .npy, .npz, a table."
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of pictures: hf:FOLDER with a model of pictures and texts, such as CLIP, which "
            "scores each class by its name.",
        ),
    ] = None,
    mass: Annotated[
        Any,
        share(
            "Of a set those candidates stay, the likeliest first, that have this share of what the "
            "probabilities give to it."
        ),
    ] = 0.95,
    root: Data = None,
    roles: Roles = ANY,
    as_json: AsJson = False,
) -> None:
    """Take the candidates out of candidate sets that probabilities hold to be unlikely.

    The probabilities must know what the sets do not say: those of a model that saw true labels, or
    the names of the classes (--encoder, zero-shot). Where the truth is known it says how many sets
    still have it; a method for candidate sets cannot find a truth that is gone.

    Examples:

      candidly labels narrow sets.csv narrow.npz --probs probs.npz

      candidly labels narrow photos/ narrow.npz --encoder hf:clip-vit-base-patch32 --mass 0.9
    """
    check_place(out, "OUT", (".npz",))
    if (probs is None) == (encoder is None):
        raise Refusal(
            "What narrows the sets is either a file of probabilities or an encoder.",
            "name one with `probs`",
            "name one with `encoder`",
        )
    data = loaded_from(what, root, roles)
    if data.candidates is None:
        raise Refusal(
            f"{data.source or what} has no candidate sets to narrow.",
            "where several labels of a row are given and one is right, say `label_kind='one-of'`",
        )
    found = _of_names(data, encoder) if encoder else _of_file(data, str(probs), roles)
    sets = narrowed(data.candidates, found, mass)
    by = f"{encoder or probs}"
    source = f"{data.source or what} + narrowed({by}, mass={mass:g})"
    made = dataclasses.replace(data, candidates=sets, source=source)
    about = _about(data, sets)
    if as_json:
        made.save(out)
        print_json({"path": str(out), **about, "fingerprint": made.fingerprint()})
        return
    tell(_said(about))
    save(made, out, as_json)


def _of_file(data: Labelled, probs: str, roles: Roles) -> np.ndarray:
    """The rows of a file as the rows of the data, columns as its classes."""
    import numpy as np

    from ...data.ingest.probabilities import open_source

    source = open_source(probs, classes=data.classes, roles=Roles(separator=roles.separator))
    ids = np.asarray(data.ids)
    numbered = source.ids is None and np.array_equal(ids, np.arange(data.n))  # by nobody
    with held():
        rows = source.by_id(None if numbered else ids.astype(str))
    if (rows.n, rows.m) != (data.n, data.q):
        raise ValueError(
            f"{probs} has {rows.n} rows of {rows.m} classes, and {data.source or 'the data'} has"
            f" {data.n} rows of {data.q}."
        )
    return rows.read(0, rows.n)


def _of_names(data: Labelled, encoder: str) -> np.ndarray:
    """The probabilities of a model of pictures and texts that reads the names of the classes."""
    from scipy.special import softmax

    from ...learn.encoders import zero_shot

    with reading("encoding", "encoded") as watch:
        return softmax(zero_shot(data, encoder, watch=watch), axis=1)


def _about(data: Labelled, sets: np.ndarray) -> dict[str, Any]:
    """What was narrowed, in numbers."""
    assert data.candidates is not None
    before, after = data.candidates.sum(1), sets.sum(1)
    about: dict[str, Any] = {
        "rows": data.n,
        "narrowed": int((after < before).sum()),
        "labels a row": {"before": float(before.mean()), "after": float(after.mean())},
    }
    if data.truth is not None and (known := data.truth >= 0).any():
        truth, rows = data.truth[known], known.nonzero()[0]
        about["rows with the truth"] = {
            "of": len(rows),
            "before": int(data.candidates[rows, truth].sum()),
            "after": int(sets[rows, truth].sum()),
        }
    return about


def _said(about: dict[str, Any]) -> str:
    size, rows = about["labels a row"], about["rows"]
    told = (
        f"{about['narrowed']:,} of {rows:,} sets are smaller: {size['before']:.2f} labels a row"
        f" before, {size['after']:.2f} now"
    )
    if truth := about.get("rows with the truth"):
        told += (
            f"; the truth is in {truth['after']:,} of {truth['of']:,},"
            f" before in {truth['before']:,}"
        )
    return f"{told}."
