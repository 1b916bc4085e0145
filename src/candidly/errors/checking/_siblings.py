"""Columns that say whom or what rows are from: models know a row from its siblings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...ground.arrays import door
from ...ground.problem import passed
from ._leaks import ENOUGH, MANY

if TYPE_CHECKING:
    import polars as pl

BEYOND = 0.2  # more agreement than chance has, from which on a column is named


@dataclass(frozen=True)
class Siblings:
    """A column whose value is that of several rows, which have the same label more than by chance.

    Attributes:
        column: its name.
        agrees: how often two rows with the same value have the same label, in [0, 1].
        chance: how often any two rows have.
    """

    column: str
    agrees: float
    chance: float

    def __str__(self) -> str:
        return (
            f"two rows with the same {self.column!r} have the same label in {self.agrees:.0%} of "
            f"pairs, and any two in {self.chance:.0%}. If it says whom or what a row is from, keep "
            f"such rows in one fold with {passed('group', self.column)}, whether or not it is an "
            "input: else a model knows a row from the others."
        )


@door
def find_siblings(frame: pl.DataFrame, given: np.ndarray) -> tuple[Siblings, ...]:
    """Columns with many values, most of them of several rows, whose rows are alike in their label.

    Numbers whose neighbours are alike, too, measure something, and are left out.

    Args:
        frame: (n, columns), inputs or not.
        given: int (n,), -1 for no label; such rows take no part.
    """
    rows = np.flatnonzero(given >= 0)
    labels = given[rows]
    if len(rows) < ENOUGH:
        return ()
    shares = np.bincount(labels) / len(rows)
    chance = float((shares**2).sum())
    found = []
    for name in frame.columns:
        column = frame[name].gather(rows)
        if column.dtype.is_nested() or column.dtype.is_float():
            continue
        agrees = _agreement(column, labels)
        if agrees >= chance + BEYOND:
            found.append(Siblings(name, agrees, chance))
    return tuple(sorted(found, key=lambda one: -one.agrees))


def _agreement(column: pl.Series, labels: np.ndarray) -> float:
    """How often two rows of a value have one label; 0 where it is no name of whom rows are from."""
    there = column.is_not_null().to_numpy()
    column, labels = column.filter(there), labels[there]
    codes = (
        column.rank("dense").to_numpy().astype(np.int64) - 1 if len(column) else np.zeros(0, int)
    )
    sizes = np.bincount(codes)
    q = int(labels.max(initial=0)) + 1
    if len(sizes) <= max(MANY * q, ENOUGH) or 2 * sizes[sizes > 1].sum() < len(labels):
        return 0.0
    counts = np.bincount(codes * q + labels, minlength=len(sizes) * q).reshape(-1, q)
    pairs = float((sizes * (sizes - 1)).sum())
    agrees = float((counts * (counts - 1)).sum()) / pairs
    if column.dtype.is_numeric():
        usual = counts.argmax(1)
        shares = np.bincount(usual, minlength=q) / len(usual)
        chance, near = float((shares**2).sum()), float((usual[1:] == usual[:-1]).mean())
        if near > chance + (agrees - chance) / 2:
            return 0.0
    return agrees
