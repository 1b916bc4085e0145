"""One row per example: what its label is, what it may be, and who doubts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import check_distinct
from . import _select
from ._evidence import Evidence
from ._health import named
from ._scores import entropy_of, of_evidence
from ._sets import SetEvidence

if TYPE_CHECKING:
    import polars as pl


def proposed(evidence: Evidence | SetEvidence) -> np.ndarray:
    """The label to put instead: the guess where it is another class, else the prediction."""
    if isinstance(evidence, SetEvidence):
        other = evidence.guessed_outside
    else:
        other = (evidence.guess >= 0) & (evidence.guess != evidence.given)
    return np.where(other, evidence.guess, evidence.predicted)


def masks(evidence: Evidence | SetEvidence) -> dict[str, np.ndarray]:
    """What each method flags that needs no number of examples: bool (n,) by name."""
    if isinstance(evidence, SetEvidence):
        return {"predicted": evidence.predicted_outside, "confident": evidence.guessed_outside}
    return {
        name: _select.flagged(evidence, method)
        for name, method in _select.METHODS.items()
        if evidence.pairs is not None or name not in ("noise rate", "both")
    }


def doubt(
    evidence: Evidence | SetEvidence, rank: str, chance: np.ndarray | None, rows: np.ndarray
) -> np.ndarray:
    """What these rows are sorted by, the lowest first: (rows,)."""
    if rank == "chance":
        assert chance is not None
        return -chance[rows]
    values = evidence.own[rows]
    return values - evidence.other[rows] if rank == "margin" else values


def table(
    evidence: Evidence | SetEvidence,
    mask: np.ndarray,
    rank: str,
    chance: np.ndarray | None,
    everything: bool,
    entropy: bool,
    classes: Sequence[str] | None,
) -> pl.DataFrame:
    """See ``Issues.table``."""
    import polars as pl

    check_distinct(classes)
    if classes is not None and len(classes) != evidence.m:
        raise ValueError(f"`classes` has {len(classes)} names; there are {evidence.m} classes.")
    rows = np.arange(evidence.n) if everything else np.flatnonzero(mask)
    labelled = evidence.labelled[rows]
    # stable: ties by index, unlabelled rows last
    place = np.lexsort((doubt(evidence, rank, chance, rows), ~labelled))
    columns: dict[str, Any] = {"index": rows[place]}
    if evidence.ids is not None:
        columns["id"] = evidence.ids[rows[place]]
    elif len(evidence.source.parts) > 1:
        columns["part"], columns["row"] = evidence.source.places(rows[place])
    if everything:
        columns["flagged"] = mask[rows[place]]
    at = rows[place]
    columns["given"] = _given(evidence, at, classes)
    columns["predicted"] = named(evidence.predicted[at], classes)
    columns["guess"] = _or_null(evidence.guess[at], classes)
    columns["proposed"] = named(proposed(evidence)[at], classes)
    if chance is not None:
        columns["chance"] = chance[at]
    for by in ("self-confidence", "margin"):
        columns[by] = of_evidence(evidence, by)[at]
    if entropy:
        columns["entropy"] = entropy_of(evidence, rows)[place]
    for name, flagged in masks(evidence).items():
        columns[f"by {name}"] = flagged[at]
    return pl.DataFrame(columns).with_columns(
        pl.col(pl.Float32, pl.Float64).fill_nan(None)  # of rows without a label
    )


def _given(evidence: Evidence | SetEvidence, rows: np.ndarray, classes: Sequence[str] | None):
    if not isinstance(evidence, SetEvidence):
        return _or_null(evidence.given[rows], classes)
    return [list(named(np.flatnonzero(evidence.given[row]), classes)) for row in rows]


def _or_null(numbers: np.ndarray, classes: Sequence[str] | None):
    """A column of classes, null where there is none."""
    import polars as pl

    if classes is None:
        column = pl.Series(numbers)
        return pl.select(pl.when(column >= 0).then(column)).to_series()
    return pl.Series([classes[k] if k >= 0 else None for k in numbers.tolist()], dtype=pl.String)
