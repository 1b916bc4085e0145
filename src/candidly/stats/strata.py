"""Totals of all rows from some that were drawn by strata and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ground.arrays import door, whole_numbers
from .shares import clopper_pearson


@dataclass(frozen=True)
class StratifiedTotal:
    """How many of all rows have what was looked for, with its interval."""

    total: float
    low: float
    high: float


@door
def stratified_total(sizes: Any, checked: Any, found: Any) -> StratifiedTotal:
    """How many rows of all strata have something, from a random sample of each.

    Each stratum's share has Clopper and Pearson's 95 % limits, narrowed where much of it was
    checked. The limits of the sum join the strata's distances from their shares as the root of
    their squares, and are cut to what is possible: no fewer than were found, no more than could be.

    Args:
        sizes: int (h,), rows of each stratum.
        checked: int (h,), how many of them were drawn at random and checked; 1 at least.
        found: int (h,), of these, how many have it.

    Raises:
        ValueError: lengths that differ, found > checked or checked > sizes, a stratum unchecked.

    Source: MOVER, Zou and Donner, Statistics in Medicine 27, 2008.

    >>> stratified_total([100, 900], [10, 30], [5, 3]).total
    140.0
    """
    n, m = whole_numbers("sizes", sizes), whole_numbers("checked", checked)
    x = whole_numbers("found", found)
    if not len(n) == len(m) == len(x):
        raise ValueError(
            f"{len(n)} sizes, {len(m)} checked and {len(x)} found: one a stratum each."
        )
    there = n != 0
    for h in np.flatnonzero((x < 0) | (x > m) | (m > n) | (n < 0) | (there & (m < 1)))[:1]:
        raise ValueError(
            f"stratum {h} has {n[h]} rows, {m[h]} checked and {x[h]} found; check at least 1 of "
            "each stratum, and find no more than were checked."
        )
    total, low, high = _limits(n[there], m[there].astype(np.float64), x[there].astype(np.float64))
    return StratifiedTotal(total, low, high)


@door
def more_to_halve(sizes: np.ndarray, checked: np.ndarray, found: np.ndarray) -> int | None:
    """How many more rows halve the interval of ``stratified_total``, if shares stay as they are.

    None where the interval has no width.
    """
    n, m, x = (np.asarray(v, np.float64) for v in (sizes, checked, found))
    _, low, high = _limits(n, m, x)
    if high <= low:
        return None

    def width(times: float) -> float:
        more = np.minimum(times * m, n)
        _, low, high = _limits(n, more, x / m * more)
        return high - low

    least, most = 1.0, float((n / m).max())
    for _ in range(50):
        middle = (least * most) ** 0.5
        least, most = (least, middle) if width(middle) <= (high - low) / 2 else (middle, most)
    return int(np.ceil(np.minimum(most * m, n).sum() - m.sum() - 1e-6))


def _limits(n: np.ndarray, m: np.ndarray, x: np.ndarray) -> tuple[float, float, float]:
    """The total and its limits; numbers of rows need not be whole."""
    share = x / m
    limits = clopper_pearson(x, m)
    left = np.sqrt((n - m) / np.maximum(n - 1, 1))  # nothing, where all were checked
    below, above = n * left * (share - limits[:, 0]), n * left * (limits[:, 1] - share)
    total = float(n @ share)
    low = max(total - float(np.sqrt((below**2).sum())), float(x.sum()))
    high = min(total + float(np.sqrt((above**2).sum())), float((n - m + x).sum()))
    return total, low, high
