"""How many labels are wrong in all, from those that people checked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...ground.numbers import count_of, whole
from ...stats import wilson

TAIL = 0.025  # of a 95 % interval
Z = 1.959963984540054  # standard deviations to either side of it


@dataclass(frozen=True)
class Estimate:
    """Errors among the flagged examples, when ``checked`` of them were drawn at random.

    Attributes:
        found: errors among the checked.
        checked, flagged, size: examples; ``checked <= flagged <= size``.
        total: found * flagged / checked.
        wilson: 95 % interval of the total: Wilson's of the share, times ``flagged``. As published;
            where few are wrong it holds in 85 %.
        finite: the same from the hypergeometric distribution, exactly: it holds in 95 % and more
            whatever the numbers, and knows that ``flagged`` is finite.
    """

    found: int
    checked: int
    flagged: int
    size: int
    total: float
    wilson: tuple[float, float]
    finite: tuple[float, float]

    @property
    def census(self) -> bool:
        """Everything flagged was checked: chance in the choice plays no part, only people."""
        return self.checked == self.flagged

    @property
    def interval(self) -> tuple[float, float]:
        """``finite``; of a census the total itself."""
        return self.finite

    @property
    def percent(self) -> float:
        """The total in percent of ``size``."""
        return 100 * self.total / self.size


def estimate(found: int, checked: int, flagged: int | None = None, size: int = 0) -> Estimate:
    """Errors among all flagged examples, from those found among the checked.

    Args:
        found: errors; 0..checked.
        checked: examples that people decided on, at least 1.
        flagged: examples they were drawn from; all were checked by default.
        size: examples of the data set; ``flagged`` by default.

    Raises:
        ValueError: numbers in another order than found <= checked <= flagged <= size.

    Source: Northcutt et al., NeurIPS 2021, Table 1; the intervals are ours.

    >>> estimate(65, 400, 4643, 30607).total
    754.4875
    """
    found, checked = whole(found, "found"), whole(checked, "checked")
    flagged = checked if flagged is None else whole(flagged, "flagged")
    size = whole(size, "size") or flagged
    names = ("found", "checked", "flagged", "size")
    values = (found, checked, flagged, size)
    if checked < 1 or found < 0 or list(values) != sorted(values):
        told = ", ".join(f"{name} {value:,}" for name, value in zip(names, values))
        raise ValueError(f"{told}: these must not fall, and at least one example is checked.")
    low, high = wilson(np.array([found]), np.array([checked]))[0]
    return Estimate(
        found=int(found),
        checked=int(checked),
        flagged=int(flagged),
        size=int(size),
        total=flagged * found / checked,
        wilson=(float(flagged * low), float(flagged * high)),
        finite=_hypergeometric(found, checked, flagged),
    )


@dataclass(frozen=True)
class Missed:
    """Errors among examples that nothing flagged.

    Attributes:
        audited: of these, drawn at random and checked.
        found: errors among the audited.
        unflagged: how many there are.
        expected: found * unflagged / audited; None without an audit.
        low, high: 95 % interval, see ``Estimate.finite``; without an audit every unflagged example.
    """

    audited: int
    found: int
    unflagged: int
    expected: float | None
    low: float
    high: float

    def __str__(self) -> str:
        if self.expected is None:
            return (
                f"nothing is known of the {self.unflagged:,} examples that were not flagged: none"
                " of them was audited"
            )
        bound = math.ceil(self.high - 1e-9)
        if not self.found:
            return (
                f"no error among {self.audited:,} audited of {self.unflagged:,} unflagged examples:"
                f" up to {bound:,} may have been missed (95 %)"
            )
        errors = count_of(self.found, "error")
        return (
            f"{errors} among {self.audited:,} audited of {self.unflagged:,} unflagged"
            f" examples: about {self.expected:,.0f} were missed"
            f" ({math.floor(self.low):,} to {bound:,}, 95 %)"
        )


def missed(unflagged: int, audited: int = 0, found: int = 0) -> Missed:
    """Errors that were not flagged, from an audit of unflagged examples drawn at random.

    Raises:
        ValueError: numbers in another order than found <= audited <= unflagged.

    >>> print(missed(44_560, 300))
    no error among 300 audited of 44,560 unflagged examples: up to 542 may have been missed (95 %)
    """
    unflagged = whole(unflagged, "unflagged")
    audited, found = whole(audited, "audited"), whole(found, "found")
    if not 0 <= found <= audited <= unflagged:
        raise ValueError(
            f"{found:,} found, {audited:,} audited, {unflagged:,} unflagged: these must not fall."
        )
    if not audited:
        return Missed(0, 0, unflagged, None, 0, unflagged)
    known = estimate(found, audited, unflagged)
    return Missed(audited, found, unflagged, known.total, *known.interval)


def _hypergeometric(found: int, checked: int, flagged: int) -> tuple[float, float]:
    """Totals that leave neither tail of what was found below 2.5 %."""
    if checked == flagged:
        return float(found), float(found)
    from scipy.stats import hypergeom

    least, most = found, flagged - checked + found
    low = _first(least, most, lambda m: hypergeom.sf(found - 1, flagged, m, checked) > TAIL)
    high = _first(least, most + 1, lambda m: hypergeom.cdf(found, flagged, m, checked) <= TAIL) - 1
    return float(low), float(high)


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The smallest number in [low, high] from which on ``holds``; it holds at ``high``."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
