"""Verdicts in numbers: categories, both readings of "error", and what a data set is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...stats import wilson
from ._estimate import Estimate, estimate
from ._verdicts import Verdicts, check_tally, check_verdicts, fragile, judge
from .rule import CATEGORIES, CORRECTABLE, NEITHER
from .tally import UNKNOWN, SetTally, Tally

Reading = Literal["exact", "seen"]
READINGS = {
    "exact": "fewer than the threshold chose exactly the given label",
    "seen": "fewer than the threshold saw the given label at all",
    "confirmed wrong": "at least the threshold did not see the given label",
}


@dataclass(frozen=True)
class Share:
    """So many of so many, with Wilson's 95 % interval; NaN of none."""

    count: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """In [0, 1]."""
        return self.count / self.of if self.of else float("nan")


@dataclass(frozen=True)
class Totals:
    """Verdicts in numbers.

    Attributes:
        checked: items that people were asked about.
        decided: of these, with enough answers; the rest is pending.
        unanswered: with no answer at all, or skips alone.
        short: decided with fewer answers than the threshold, so that nothing could confirm them.
        degenerate: both classes offered were one.
        categories: items per category, the same order always.
        errors: share of the decided that are errors, for every reading.
    """

    checked: int
    decided: int
    unanswered: int
    short: int
    degenerate: int
    categories: dict[str, int]
    errors: dict[str, Share]


def totals(verdicts: Verdicts) -> Totals:
    """Counts of categories and, for each reading, the share of labels that are wrong.

    >>> from candidly.people.validation import from_counts, judge
    >>> found = totals(judge(from_counts([[5, 0, 0, 0], [2, 0, 3, 0], [1, 4, 0, 0]])))
    >>> {name: errors.count for name, errors in found.errors.items()}
    {'exact': 2, 'seen': 1, 'confirmed wrong': 1}
    """
    check_verdicts(verdicts)
    tally = verdicts.tally
    decided = int(verdicts.decided.sum())
    numbers = np.bincount(verdicts.category, minlength=len(CATEGORIES)).tolist()
    return Totals(
        checked=len(verdicts),
        decided=decided,
        unanswered=int((tally.answers == 0).sum()),
        short=int((verdicts.decided & (tally.answers < verdicts.threshold)).sum()),
        degenerate=int(tally.degenerate.sum()) if isinstance(tally, Tally) else 0,
        categories=dict(zip(CATEGORIES, numbers)),
        errors={name: _share(mask, decided) for name, mask in by_reading(verdicts).items()},
    )


def estimates(verdicts: Verdicts, flagged: int | None, size: int) -> dict[str, Estimate]:
    """For every reading the errors among all flagged examples, of which ``verdicts`` is a random
    sample; undecided items count as not drawn.

    Args:
        flagged: examples that were flagged; those checked by default.
        size: examples of the data set.

    Raises:
        ValueError: nothing is decided, or numbers that do not fit; see ``estimate``.
    """
    check_verdicts(verdicts)
    decided = int(verdicts.decided.sum())
    if not decided:
        raise ValueError(f"none of the {len(verdicts)} items has the answers that a verdict needs.")
    whole = flagged if flagged is not None else len(verdicts)
    return {
        name: estimate(int(mask.sum()), decided, whole, size)
        for name, mask in by_reading(verdicts).items()
    }


@dataclass(frozen=True)
class Sets:
    """What a data set of ``size`` examples is made of, by verdicts.

    ``benign`` (B) holds what was not flagged and what people confirmed; ``corrected`` (C) what
    gets another label; ``unsettled`` (U) the errors without one. The three divide the data set;
    B and C together are the ``pruned`` set P. Where only a sample of the flagged was checked, the
    numbers are estimates, scaled to all of them.

    Attributes:
        size, benign, corrected, unsettled: numbers of examples.
        pending: flagged without a verdict; reckoned with like those that have one.
        prevalence: share of C in P, the noise that correcting removes.
        low, high: 95 % interval of the prevalence.
        estimated: whether only a part of the flagged has a verdict.
    """

    size: int
    benign: float
    corrected: float
    unsettled: float
    pending: int
    prevalence: float
    low: float
    high: float
    estimated: bool

    @property
    def pruned(self) -> float:
        """B and C together."""
        return self.benign + self.corrected

    @property
    def percent_error(self) -> float:
        """C and U in percent of the data set."""
        return 100 * (self.corrected + self.unsettled) / self.size


def sets(
    verdicts: Verdicts, size: int, flagged: int | None = None, reading: Reading = "exact"
) -> Sets:
    """Sizes of the benign, corrected and unsettled part of a data set.

    Args:
        size: examples of the data set.
        flagged: examples that were flagged, of which those checked are a random sample; all were
            checked by default.
        reading: ``"exact"``, or ``"seen"``: a label that the threshold saw at all is no error.

    Raises:
        ValueError: numbers that do not fit.

    Source: Northcutt et al., NeurIPS 2021, Section 5. They define B as what was not flagged; as
    B, C and U are to divide the data set, B also holds what was flagged and confirmed.
    Where nothing is decided, nothing is known, and numbers are NaN.
    """
    check_verdicts(verdicts)
    checked = len(verdicts)
    flagged = checked if flagged is None else flagged
    if not checked <= flagged <= size:
        raise ValueError(
            f"{checked:,} checked, {flagged:,} flagged, {size:,} examples: these must not fall."
        )
    corrected, unsettled = parts(verdicts, reading)
    pending = int((~verdicts.decided).sum())
    decided = checked - pending
    scale = flagged / decided if decided else float("nan" if flagged else 1)
    c, u = corrected.sum() * scale, unsettled.sum() * scale
    pruned = size - u
    if not decided and flagged:
        low, high = float("nan"), float("nan")
    elif flagged > decided:
        low, high = np.array(estimate(int(corrected.sum()), decided, flagged).finite) / pruned
    else:
        low, high = wilson(np.array([c]), np.array([pruned]))[0]
    return Sets(
        size=size,
        benign=float(pruned - c),
        corrected=float(c),
        unsettled=float(u),
        pending=pending,
        prevalence=float(c / pruned) if pruned else float("nan"),
        low=float(low),
        high=float(high),
        estimated=flagged > decided,
    )


def parts(verdicts: Verdicts, reading: Reading = "exact") -> tuple[np.ndarray, np.ndarray]:
    """Which checked items get another label, and which are errors without one: bool (k,) each."""
    if reading not in ("exact", "seen"):
        raise ValueError(f"reading is {reading!r}; choose 'exact' or 'seen'.")
    wrong = verdicts.error if reading == "exact" else verdicts.seen_error
    corrected = wrong & ((verdicts.category == CORRECTABLE) | _by_name(verdicts))
    return corrected, wrong & ~corrected


def proposed(verdicts: Verdicts) -> np.ndarray:
    """The class that people propose instead of the given one, int64 (k,); -1 where there is none.

    It is the guessed class, or where neither fits and enough people name the same other class,
    that one.
    """
    tally = verdicts.tally
    if isinstance(tally, SetTally):
        return np.full(len(verdicts), UNKNOWN)
    return np.where(_by_name(verdicts), tally.named, tally.guessed)


def _by_name(verdicts: Verdicts) -> np.ndarray:
    """Neither class fits, and as many people as make a verdict name the same other class."""
    tally = verdicts.tally
    if isinstance(tally, SetTally):
        return np.zeros(len(verdicts), bool)
    return (verdicts.category == NEITHER) & (tally.naming >= verdicts.threshold)


@dataclass(frozen=True)
class ThresholdSetting:
    """One way to decide, and what the data set then is."""

    name: str
    threshold: int | None
    reading: Reading
    sets: Sets
    fragile: int | None  # items that hang on one answer; None of sets of classes


def thresholds(
    tally: Tally | SetTally,
    size: int,
    flagged: int | None = None,
    levels: Sequence[int] = (3, 4, 5),
) -> list[ThresholdSetting]:
    """How much depends on the threshold: a setting per level, and "seen at all" at the first.

    Raises:
        ValueError: a level that two answers about one item could reach.
    """
    check_tally(tally)
    found = []
    for level in levels:
        verdicts = judge(tally, level)
        made = sets(verdicts, size, flagged)
        found.append(ThresholdSetting(f"{level} answers", level, "exact", made, _fragile(verdicts)))
    verdicts = judge(tally, levels[0])
    made, name = sets(verdicts, size, flagged, "seen"), f"seen at all by {levels[0]}"
    return [*found, ThresholdSetting(name, levels[0], "seen", made, _fragile(verdicts))]


def _fragile(verdicts: Verdicts) -> int | None:
    return None if isinstance(verdicts.tally, SetTally) else int(fragile(verdicts).sum())


def by_reading(verdicts: Verdicts) -> dict[str, np.ndarray]:
    """Which items are errors by each of ``READINGS``: bool (k,) by name."""
    masks = (verdicts.error, verdicts.seen_error, verdicts.confirmed_wrong)
    return dict(zip(READINGS, masks))


def _share(mask: np.ndarray, of: int) -> Share:
    low, high = wilson(np.array([mask.sum()]), np.array([of]))[0]
    return Share(int(mask.sum()), of, float(low), float(high))
