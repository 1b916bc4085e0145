"""How far people agree, beyond chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...ground.arrays import door
from ._estimate import Z
from ._verdicts import Verdicts, check_verdicts, fragile
from .tally import ANSWERS, SetTally

SLIGHT = 0.2  # kappa, below which errors are mostly disagreement


@dataclass(frozen=True)
class Kappa:
    """Agreement of several people beyond chance.

    Attributes:
        kappa: 1 when all agree, 0 as by chance; NaN when only one answer ever occurs.
        low, high: 95 % interval by the jackknife over items.
        observed: share of pairs of answers about one item that agree.
        expected: the same by chance, from how often each answer is given.
        items: with at least two answers; the others take no part.
    """

    kappa: float
    low: float
    high: float
    observed: float
    expected: float
    items: int


@door
def fleiss(counts: np.ndarray, times: np.ndarray | None = None) -> Kappa:
    """Fleiss' kappa of counts of answers, int (items, answers).

    With ``times``, int (items,), each row stands for so many items.

    Items may have different numbers of answers: each counts one in the observed agreement, each
    answer one in the expected. Equal numbers give the published formula.

    Source: Fleiss, Psychological Bulletin 76, 1971.

    >>> fleiss(np.array([[5, 0], [0, 5]])).kappa
    1.0
    """
    counts = np.asarray(counts, np.float64)
    times = np.ones(len(counts), np.int64) if times is None else np.asarray(times)
    answered = counts.sum(1) >= 2
    counts, times = counts[answered], times[answered]
    k = int(times.sum())
    if not k:
        nan = float("nan")
        return Kappa(nan, nan, nan, nan, nan, 0)
    people = counts.sum(1)
    agree = ((counts**2).sum(1) - people) / (people * (people - 1))
    alike, said = (times * agree).sum(), (times[:, None] * counts).sum(0)
    observed, expected = float(alike / k), _chance(said)
    kappa = float(_beyond(observed, expected))
    low = high = float("nan")
    if k > 1:
        left_out = _beyond((alike - agree) / (k - 1), _chance(said - counts))
        mean = (times * left_out).sum() / k
        error = np.sqrt((k - 1) / k * (times * (left_out - mean) ** 2).sum())
        low, high = kappa - Z * error, kappa + Z * error
    return Kappa(kappa, float(low), float(high), observed, float(expected), k)


@dataclass(frozen=True)
class Agreement:
    """How far people agree, and how much hangs on one of them.

    Attributes:
        kappa: Fleiss'; None where people are not known one by one (sets of classes).
        unanimous: decided items about which all said the same.
        split: decided items whose verdict one more vote against it would undo.
        fragile: decided items whose category changes if one person answers otherwise.
        decided: how many there are.
    """

    kappa: Kappa | None
    unanimous: int
    split: int
    fragile: int
    decided: int

    @property
    def slight(self) -> bool:
        """Agreement is so slight that the errors are mostly disagreement."""
        return self.kappa is not None and self.kappa.kappa < SLIGHT


@door
def agreement(verdicts: Verdicts, times: np.ndarray | None = None) -> Agreement:
    """Fleiss' kappa over the answers offered, and how many verdicts hang on one person.

    Items whose two classes are one are left out of kappa: the question had one answer. With
    ``times``, int (k,), each verdict stands for so many items.
    """
    check_verdicts(verdicts)
    times = np.ones(len(verdicts), np.int64) if times is None else np.asarray(times)
    decided = int(times[verdicts.decided].sum())
    if isinstance(verdicts.tally, SetTally):
        return Agreement(None, 0, 0, 0, decided)
    columns = [ANSWERS.index(name) for name in verdicts.tally.offered]
    two = ~verdicts.tally.degenerate
    most = verdicts.tally.counts[:, :4].max(1)
    alike = verdicts.decided & (verdicts.tally.counts.max(1) == verdicts.tally.answers)
    at = verdicts.decided & (most == verdicts.threshold)
    return Agreement(
        kappa=fleiss(verdicts.tally.counts[two][:, columns], times[two]),
        unanimous=int(times[alike].sum()),
        split=int(times[at].sum()),
        fragile=int(times[fragile(verdicts)].sum()),
        decided=decided,
    )


def _chance(said: np.ndarray) -> np.ndarray:
    """Two answers drawn from these counts agree: (..., answers) -> (...)."""
    return ((said / said.sum(-1, keepdims=True)) ** 2).sum(-1)


def _beyond(observed: np.ndarray | float, expected: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
