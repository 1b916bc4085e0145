"""Candidate sets from answers in a table, lines and grids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....data.labels.votes import Votes
from ....ground.numbers import count_of
from ....show.grid import Column, Grid
from .._compared import ALONE
from ._consensus import SetConsensus

if TYPE_CHECKING:
    import polars as pl


def sets_table(
    found: SetConsensus, ids: Sequence[Any] | np.ndarray, classes: Sequence[str], mass: float
) -> pl.DataFrame:
    """A row per item, the vaguest first.

    Columns: item; candidates, joined by ``|``, the likeliest first; weights, their posterior,
    joined likewise; quality, the posterior of the first; row (place of the item).
    """
    import polars as pl

    within = found.candidates(mass)
    order = np.argsort(-found.posterior, axis=1, kind="stable")
    quality = found.posterior.max(1)
    rows = np.lexsort((quality, -within.sum(1)))
    names, weights = [], []
    for row in rows.tolist():
        mine = [k for k in order[row].tolist() if within[row, k]]
        names.append("|".join(classes[k] for k in mine))
        weights.append("|".join(f"{found.posterior[row, k]:.4f}" for k in mine))
    return pl.DataFrame(
        {
            "item": [str(ids[row]) for row in rows.tolist()],
            "candidates": names,
            "weights": weights,
            "quality": quality[rows],
            "row": rows,
        }
    )


def set_lines(found: SetConsensus, votes: Votes, mass: float) -> Iterator[str]:
    """What was read and what came out."""
    said, n = np.diff(votes.offsets), len(found.labels)
    yield (
        f"{count_of(len(votes), 'answer')} about {count_of(n, 'item')} by"
        f" {count_of(len(found.annotators), 'annotator')}, of {said.mean():.2f} labels each in the"
        " mean"
    )
    sizes = found.candidates(mass).sum(1)
    yield (
        f"candidate sets that hold {100 * mass:g} % of the posterior have {sizes.mean():.2f} of"
        f" {found.posterior.shape[1]} classes; {int((sizes == 1).sum()):,} have one"
    )
    if not found.compared:
        yield f"how often an answer holds the true class cannot be told: {ALONE}"
        return
    right = found.accuracy.mean()
    yield (
        f"an answer holds the true class with probability {right:.3f} in the mean; what answers say"
        f" together is divided by {found.temperature:.2f}, as they repeat each other"
    )


def set_grids(
    found: SetConsensus, table: pl.DataFrame, top: int, more: str
) -> Iterator[Grid | str]:
    """The vaguest items, and the annotators of the lowest accuracy."""
    items = (
        Column("item", "name"),
        Column("candidates", "text"),
        Column("first", form=".3f"),
        Column("", "bar"),
    )
    yield Grid(
        "Items, the vaguest first",
        items,
        [
            (row["item"], row["candidates"], row["quality"], row["quality"])
            for row in table.head(top).iter_rows(named=True)
        ],
    )
    if top < len(table):
        yield f"the first {top:,} of {len(table):,} items; {more}"
    people = (Column("annotator", "name"), Column("holds the truth", form=".3f"), Column("", "bar"))
    worst = np.argsort(found.accuracy, kind="stable")[:top].tolist()
    rows = [(found.annotators[j], found.accuracy[j], found.accuracy[j]) for j in worst]
    yield Grid("Annotators, worst first", people, rows)
    if top < len(found.annotators):
        yield f"the first {top:,} of {len(found.annotators):,} annotators; {more}"
