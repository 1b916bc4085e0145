"""How far people agree: on how many pairs of answers, and beyond what chance would give.

Two coefficients, as each misleads alone. Kappa takes it that chance agrees as often as the answers
that were given, so that it is near 0 where nearly all answers are the same, however well people
agree. AC1 does not collapse there, and flatters where many different answers are given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...ground.arrays import door
from ...show.words import percent
from ...stats.jackknife import jackknife
from ._verdicts import Verdicts, check_verdicts, fragile
from .tally import ANSWERS, SetTally

SLIGHT = 0.2  # a coefficient, below which people hardly agree beyond chance
SUBSTANTIAL = 0.6  # from which they agree well (Landis and Koch 1977, for both bounds)


@dataclass(frozen=True)
class Coefficient:
    """Agreement of several people beyond chance.

    Attributes:
        value: 1 when all agree, 0 as by chance; NaN where chance alone would always agree.
        low, high: 95 % interval by the jackknife over items; NaN with fewer than two, or where none
            makes a difference.
        observed: share of pairs of answers about one item that agree.
        expected: the same by chance, as the coefficient takes it.
        items: with at least two answers.
    """

    value: float
    low: float
    high: float
    observed: float
    expected: float
    items: int


@door
def fleiss(counts: np.ndarray, times: np.ndarray | None = None) -> Coefficient:
    """Fleiss' kappa of counts of answers, int (items, answers).

    With ``times``, int (items,), each row stands for so many items.

    Items may have different numbers of answers: each counts one in the observed agreement, each
    answer one in the expected. Items with fewer than two take no part. Equal numbers give the
    published formula.

    By chance two answers agree as often as two that are drawn from all answers; where only one
    answer ever occurs, kappa is NaN.

    Source: Fleiss, Psychological Bulletin 76, 1971.

    >>> fleiss(np.array([[5, 0], [0, 5]])).value
    1.0
    """
    return _coefficient(counts, times, 2, lambda counts: counts, _alike_by_chance)


@door
def gwet(counts: np.ndarray, times: np.ndarray | None = None) -> Coefficient:
    """Gwet's AC1 of counts of answers, int (items, answers).

    By chance people agree where they guess, which is taken to be as often as answers are spread:
    the sum of p (1 - p) over the answers that were given, divided by one less than there are. Every
    item counts one in how often an answer is given, one with a single answer too. Where only one
    answer ever occurs, AC1 is 1.

    Args:
        times: int (items,), each row stands for so many items.

    Source: Gwet, British Journal of Mathematical and Statistical Psychology 61, 2008; for more than
    two people, Gwet, Handbook of Inter-Rater Reliability, 2014.

    >>> round(gwet(np.array([[2, 0]] * 9 + [[1, 1]])).value, 2)
    0.89
    """
    counts = np.asarray(counts)
    times = np.ones(len(counts), np.int64) if times is None else np.asarray(times)
    counts, times = counts[times > 0], times[times > 0]
    return _coefficient(
        counts[:, counts.any(0)],
        times,
        1,
        lambda counts: counts / counts.sum(1, keepdims=True),
        _guessed_alike,
    )


def _coefficient(
    counts: np.ndarray,
    times: np.ndarray | None,
    least: int,
    parts: Callable[[np.ndarray], np.ndarray],
    chance: Callable[[np.ndarray], np.ndarray],
) -> Coefficient:
    """Agreement beyond chance.

    Args:
        least: answers about an item, below which it takes no part at all.
        parts: (k, answers) -> what each item adds to how often answers are given, (k, answers).
        chance: sums of those, (..., answers) -> agreement by chance, (...).
    """
    counts = np.asarray(counts, np.float64)
    times = np.ones(len(counts), np.int64) if times is None else np.asarray(times)
    there = counts.sum(1) >= least
    counts, times = counts[there], times[there]
    people = counts.sum(1)
    pairs = people >= 2
    k = int(times[pairs].sum())
    if not k:
        nan = float("nan")
        return Coefficient(nan, nan, nan, nan, nan, 0)
    agree = ((counts**2).sum(1) - people) / np.where(pairs, people * (people - 1), 1)
    each = parts(counts)
    alike, said = (times * agree).sum(), (times[:, None] * each).sum(0)
    observed, expected = float(alike / k), chance(said)
    value = float(_beyond(observed, expected))
    low = high = float("nan")
    if k > 1:
        left_out = _beyond((alike - agree) / (k - pairs), chance(said - each))
        low, high = jackknife(value, left_out, times)
    return Coefficient(value, low, high, observed, float(expected), k)


@dataclass(frozen=True)
class Agreement:
    """How far people agree, and how much hangs on one of them.

    Attributes:
        kappa: Fleiss'; None where people are not known one by one (sets of classes).
        ac1: Gwet's, likewise.
        unanimous: decided items about which all said the same.
        split: decided items whose verdict one more vote against it would undo.
        fragile: decided items whose category changes if one person answers otherwise.
        decided: how many there are.
    """

    kappa: Coefficient | None
    ac1: Coefficient | None
    unanimous: int
    split: int
    fragile: int
    decided: int

    @property
    def slight(self) -> bool:
        """People hardly agree beyond chance: what counts as an error is largely disagreement.

        Kappa says so, and AC1 does not say that they agree well.
        """
        if self.kappa is None or self.ac1 is None:
            return False
        return self.kappa.value < SLIGHT and not self.ac1.value >= SUBSTANTIAL

    def sentences(self) -> list[str]:
        """What follows from raw agreement and both coefficients: the numbers, then their meaning.

        None where people are not known one by one, or no item has two answers.
        """
        if self.kappa is None or self.ac1 is None or not self.kappa.items:
            return []
        kappa, told = self.kappa, []
        if not np.isnan(self.ac1.value):
            told.append(f"AC1 {self.ac1.value:.2f}{_ends(self.ac1)}")
        if not np.isnan(kappa.value):
            told.append(f"Fleiss' kappa {kappa.value:.2f}{_ends(kappa)}")
        more = f"; beyond chance: {', '.join(told)}" if told else ""
        found = [f"People agree on {percent(kappa.observed, 1)} % of pairs of answers{more}."]
        if self.slight:
            found.append(
                "They hardly agree beyond chance, which gives"
                f" {percent(kappa.expected, 1)} %: much of what counts as an error is disagreement"
                " among people."
            )
        elif kappa.value < SLIGHT:
            found.append(
                "Kappa is low because most answers are the same one, not because people differ."
            )
        return found


@door
def agreement(verdicts: Verdicts, times: np.ndarray | None = None) -> Agreement:
    """Fleiss' kappa and AC1 over the answers offered; how many verdicts hang on one person.

    Items whose two classes are one are left out of both: the question had one answer. With
    ``times``, int (k,), each verdict stands for so many items.
    """
    check_verdicts(verdicts)
    times = np.ones(len(verdicts), np.int64) if times is None else np.asarray(times)
    decided = int(times[verdicts.decided].sum())
    if isinstance(verdicts.tally, SetTally):
        return Agreement(None, None, 0, 0, 0, decided)
    columns = [ANSWERS.index(name) for name in verdicts.tally.offered]
    two = ~verdicts.tally.degenerate
    most = verdicts.tally.counts[:, :4].max(1)
    alike = verdicts.decided & (verdicts.tally.counts.max(1) == verdicts.tally.answers)
    at = verdicts.decided & (most == verdicts.threshold)
    said = verdicts.tally.counts[two][:, columns]
    return Agreement(
        kappa=fleiss(said, times[two]),
        ac1=gwet(said, times[two]),
        unanimous=int(times[alike].sum()),
        split=int(times[at].sum()),
        fragile=int(times[fragile(verdicts)].sum()),
        decided=decided,
    )


def _alike_by_chance(said: np.ndarray) -> np.ndarray:
    """Two answers drawn from these counts agree: (..., answers) -> (...)."""
    return ((said / said.sum(-1, keepdims=True)) ** 2).sum(-1)


def _guessed_alike(said: np.ndarray) -> np.ndarray:
    """People agree by chance, as AC1 takes it: (..., answers) -> (...)."""
    return (1 - _alike_by_chance(said)) / max(said.shape[-1] - 1, 1)


def _ends(found: Coefficient) -> str:
    return "" if np.isnan(found.low) else f" ({found.low:.2f} to {found.high:.2f})"


def _beyond(observed: np.ndarray | float, expected: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
