"""From checked rows to a count: which rows to draw, and what their answers say of all labels.

Rows are drawn at random within strata of their chance of being wrong, so that the count needs no
premise: the chances decide how many are drawn where, and with that how wide the interval is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from ...ground.arrays import door
from ...ground.names import made_by
from ...ground.numbers import whole
from ...stats import clopper_pearson
from ._result import WrongLabels

EDGES = (0.1, 0.5)  # chances between which a stratum ends
LEAST = 5  # rows of a stratum
RARE = 0.01  # the chance that is reckoned with where the premise has none: it may not hold


@dataclass(frozen=True, eq=False)
class RowsToCheck:
    """Rows that were drawn, to be checked by people.

    Attributes:
        rows: int64 (m,), in random order.
        stratum: int64 (m,), which stratum each is from, 0 for the rows that are likeliest right.
        sizes: int64 (strata,), how many labels there are in each.
        expected: how many labels are wrong on the premise of ``errors.estimate``; None without it.
    """

    rows: np.ndarray = field(repr=False)
    stratum: np.ndarray = field(repr=False)
    sizes: np.ndarray
    expected: int | None = None

    @property
    def weights(self) -> np.ndarray:
        """How many labels each row stands for: float64 (m,)."""
        drawn = np.bincount(self.stratum, minlength=len(self.sizes))
        return (self.sizes / np.maximum(drawn, 1))[self.stratum]


@dataclass(frozen=True)
class CheckedCount:
    """How many labels are wrong, counted from checked rows; no premise is needed.

    Attributes:
        number: the best guess, in labels.
        low, high: from and to, with 95 % confidence.
        checked, found: rows that were checked, and wrong ones among them.
        labelled: how many labels there are.
        expected: what ``errors.estimate`` had said; None where it said nothing.
    """

    number: float
    low: float
    high: float
    checked: int
    found: int
    labelled: int
    expected: int | None = None

    def __str__(self) -> str:
        told = (
            f"{self.low:,.0f} to {self.high:,.0f} of {self.labelled:,} labels are wrong (95 %), "
            f"about {self.number:,.0f}: {self.found:,} of {self.checked:,} checked rows were."
        )
        if self.expected is None:
            return told
        return f"{told} If errors struck clear and unclear rows alike: {self.expected:,}."


def rows_to_check(found: WrongLabels, count: int, seed: int = 0) -> RowsToCheck:
    """Rows for people to check, so that their answers make a count.

    Strata are chances above a half, above a tenth, and the rest. Of a stratum of N labels with mean
    chance p, N sqrt(p (1 - p)) tells how many are drawn (Neyman's allocation), five at least.

    Args:
        found: what ``errors.estimate`` returns.
        count: how many, 15 at least; of fewer labels, all.

    Raises:
        ValueError: fewer, or something else.
    """
    made_by(found, WrongLabels, "found", "errors.estimate")
    count = whole(count, "count", low=LEAST * (1 + len(EDGES)))
    rng = np.random.default_rng(whole(seed, "seed", 0))
    labelled = np.flatnonzero(found.has_label)
    stratum = np.searchsorted(EDGES, np.nan_to_num(found.chance[labelled]), side="right")
    used = np.unique(stratum)
    sizes = np.array([np.count_nonzero(stratum == k) for k in used])
    mean = np.array([np.nan_to_num(found.chance[labelled[stratum == k]]).mean() for k in used])
    mean = np.clip(mean, RARE, 1 - RARE)
    numbers = _allotted(sizes * np.sqrt(mean * (1 - mean)), sizes, min(count, len(labelled)))
    rows = [rng.choice(labelled[stratum == k], m, replace=False) for k, m in zip(used, numbers)]
    every = np.concatenate(rows)
    order = rng.permutation(len(every))
    which = np.repeat(np.arange(len(used)), numbers)
    return RowsToCheck(every[order], which[order], sizes, found.number)


def _allotted(wanted: np.ndarray, sizes: np.ndarray, count: int) -> np.ndarray:
    """Rows of each stratum: in proportion, ``LEAST`` at least, and no more than there are."""
    least = np.minimum(LEAST, sizes)
    numbers = least.copy()
    for _ in range(count - int(least.sum())):  # the next row where it is lacking most
        numbers[int(np.argmax(np.where(numbers < sizes, wanted / (numbers + 1), -1.0)))] += 1
    return numbers


@door
def count_checked(drawn: RowsToCheck, wrong: Any) -> CheckedCount:
    """How many labels are wrong, from rows that people have checked.

    Each stratum's share has Clopper and Pearson's limits, narrowed where much of it was drawn; the
    limits of the sum join the strata's distances from their shares as the root of their squares
    (MOVER: Zou & Donner, Statistics in Medicine 2008).

    Args:
        drawn: what ``errors.rows_to_check`` returned.
        wrong: bool (m,), whether the label of each of its rows is wrong, in that order.

    Raises:
        ValueError, TypeError: another number of answers, or something else than true and false.
    """
    made_by(drawn, RowsToCheck, "drawn", "errors.rows_to_check")
    answers = np.asarray(wrong)
    if answers.shape != drawn.rows.shape:
        raise ValueError(f"`wrong` has shape {answers.shape}; {len(drawn.rows)} rows were drawn.")
    if answers.dtype != bool:
        raise TypeError(f"`wrong` is of {answers.dtype}; give true where the label is wrong.")
    sizes = drawn.sizes.astype(np.float64)
    checked = np.bincount(drawn.stratum, minlength=len(sizes))
    found = np.bincount(drawn.stratum, answers, len(sizes)).astype(np.int64)
    share = found / checked
    limits = clopper_pearson(found, checked)
    left = np.sqrt((sizes - checked) / np.maximum(sizes - 1, 1))  # nothing, where all were checked
    below, above = ((share - limits[:, 0]) * left, (limits[:, 1] - share) * left)
    total = float(sizes @ share)
    low = max(total - sqrt(float(((sizes * below) ** 2).sum())), float(found.sum()))
    most = float(sizes.sum() - (checked - found).sum())
    high = min(total + sqrt(float(((sizes * above) ** 2).sum())), most)
    return CheckedCount(
        total, low, high, len(answers), int(found.sum()), int(sizes.sum()), drawn.expected
    )
