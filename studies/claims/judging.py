"""How verdicts are reached: effects with intervals, and the few rules that judge them.

Effects are shares, or numbers without a unit; an interval is of 95 %. Where a claim is about
several cases, their intervals hold together (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from candidly.ground import seeds
from candidly.stats import OneTestSet, Summary, corrected_t, interval
from studies.kit.words import minus

from .table import DATA_SETS, NOTHING, ONE_CASE

HOLDS, NOT, UNTOLD = "holds", "does not hold", "cannot be told"
FIXED = "cannot fail"
LEAST = 3  # data sets, for a general claim
# what a verdict depends on beside intervals, each named once
LEVEL = 0.95  # of all intervals, as on the other pages
MARGIN = 0.01  # "level", "clear": less, or more, than a point, to which accuracies are read
LARGE = 0.05  # "large", "considerable", "little": more, or less, than five such margins
HALF = 0.5  # "most", "mainly": more than half
MANY = 0.25  # "many": more than a quarter; "few": less
SAME = 0.9  # "the same order": a rank correlation of so much, which leaves room for ties
TIMES = 10.0  # of the contest's rule: the time of cross-entropy
DRAWS = 2_000  # of a bootstrap over algorithms: the ends of intervals to about a hundredth


@dataclass(frozen=True)
class Effect:
    """A number and its interval.

    Attributes:
        what: in words. mean: the number. low, high: None where there is no interval.
        points: whether they are shares, to be shown as points.
        digits: behind the point, as they are shown.
        share: whether they are parts of a whole, to be shown in percent and without a sign.
        signed: whether a plus is shown.
    """

    what: str
    mean: float
    low: float | None = None
    high: float | None = None
    points: bool = True
    digits: int = 1
    share: bool = False
    signed: bool = True

    def __str__(self) -> str:
        values = [self.mean] if self.low is None else [self.mean, self.low, self.high or 0.0]
        if self.share:
            parts = [f"{100 * value:.{self.digits}f}" for value in values]
            span = "" if len(parts) == 1 else f" ({parts[1]} to {parts[2]})"
            return f"{self.what}: {parts[0]}{span} %"
        scale = 100 if self.points else 1
        shown = [minus(scale * value, self.digits) for value in values]
        shown = shown if self.signed else [each.lstrip("+") for each in shown]
        text = shown[0] if len(shown) == 1 else f"{shown[0]} ({shown[1]} to {shown[2]})"
        return f"{self.what}: {text}{' points' if self.points else ''}"


@dataclass(frozen=True)
class Finding:
    """What the results say of a claim.

    Attributes:
        verdict: one of the three. effects: what it rests on.
        said: more of it, in a sentence or two.
        sets: how many data sets the verdict is over, each of them counted once.
        data: what was measured. differs: from the paper's set-up.
        command: shows the trials.
    """

    verdict: str
    effects: tuple[Effect, ...]
    said: str
    data: str
    differs: str
    command: str
    sets: int = 1


Judge = Callable[[Effect], str]


def verdict(effect: Effect, lowest: float = -np.inf, highest: float = np.inf) -> str:
    """The rule: whether the whole interval lies where the claim says, or wholly elsewhere.

    Args:
        lowest, highest: between which the claim has the effect.

    Returns:
        ``HOLDS`` where the interval is between them, ``NOT`` where none of it is, else ``UNTOLD``,
        as where there is no interval.
    """
    if effect.low is None or effect.high is None or np.isnan([effect.low, effect.high]).any():
        return UNTOLD
    if lowest < effect.low and effect.high < highest:
        return HOLDS
    return NOT if effect.high < lowest or effect.low > highest else UNTOLD


def above(effect: Effect, bound: float = 0.0) -> str:
    """Whether it is above a bound."""
    return verdict(effect, lowest=bound)


def below(effect: Effect, bound: float = 0.0) -> str:
    """Whether it is below a bound."""
    return verdict(effect, highest=bound)


def level(effect: Effect, margin: float = MARGIN) -> str:
    """Whether it is nearer to 0 than a margin."""
    return verdict(effect, -margin, margin)


def apart(effect: Effect, margin: float = MARGIN) -> str:
    """Whether it is not 0; it is where all of the interval is nearer to 0 than a margin."""
    if HOLDS in (above(effect), below(effect)):
        return HOLDS
    return NOT if level(effect, margin) == HOLDS else UNTOLD


def counted(so: bool) -> str:
    """Of what is counted and left to no chance."""
    return HOLDS if so else NOT


def shown(so: bool) -> str:
    """Of what tests can show, and their silence cannot refute."""
    return HOLDS if so else UNTOLD


def every(verdicts: Iterable[str]) -> str:
    """Of a claim that says "always": one case against it is enough."""
    found = list(verdicts)
    if NOT in found:
        return NOT
    return HOLDS if found and all(one == HOLDS for one in found) else UNTOLD


def some(verdicts: Iterable[str]) -> str:
    """Of a claim that says "sometimes": one case for it is enough."""
    found = list(verdicts)
    if HOLDS in found:
        return HOLDS
    return NOT if found and all(one == NOT for one in found) else UNTOLD


def over_splits(
    what: str,
    first: Sequence[float | None],
    second: Sequence[float | None],
    test_share: float,
    cases: int = 1,
) -> Effect:
    """The first minus the second over splits that share rows (``stats.corrected_t``).

    Args:
        cases: of the claim, for intervals that hold together.
    """
    test = corrected_t(first, second, test_share, 1 - (1 - LEVEL) / cases)
    if test.difference is None:
        raise ValueError(f"{what}: no split has both values.")
    return Effect(what, test.difference, test.low, test.high)


def on_one_test_set(
    what: str,
    first: Sequence[float | None],
    second: Sequence[float | None],
    rows: int,
    cases: int = 1,
) -> Effect:
    """The first minus the second, accuracies over splits that are tested on the same rows.

    The rows' part is as large as of two that err independently (``stats.OneTestSet``).
    """
    table = np.array([first, second], dtype=float).T
    test = OneTestSet(rows).compared(table, 0, 1, 1 - (1 - LEVEL) / cases)
    if test.difference is None:
        raise ValueError(f"{what}: no split has both values.")
    return Effect(what, test.difference, test.low, test.high)


def of_independent(what: str, found: Summary, cases: int = 1) -> Effect:
    """The mean of independent values, such as one of each data set, by Student's t."""
    assert found.mean is not None
    ends = interval(found, 1 - (1 - LEVEL) / cases)
    return Effect(what, found.mean, *(ends or (None, None)))


def by_unit(found: Finding, unit: str) -> Finding:
    """With the verdict that the claim's unit allows.

    A general claim is judged from ``LEAST`` data sets on. That something happens is refuted by no
    number of cases. What cannot fail has no verdict.
    """
    if unit == NOTHING:
        return replace(found, verdict=FIXED)
    few = unit == DATA_SETS and found.sets < LEAST
    never = unit == ONE_CASE and found.verdict == NOT
    return replace(found, verdict=UNTOLD) if few or never else found


def over_algorithms(
    what: str,
    count: int,
    of: Callable[[np.ndarray], float],
    groups: Sequence[Sequence[int]] | None = None,
    points: bool = True,
    digits: int = 1,
    share: bool = False,
    signed: bool = True,
    cases: int = 1,
) -> Effect:
    """A number of some algorithms, with the percentiles of drawing as many of them again.

    Args:
        of: of the indices of algorithms.
        groups: indices that are drawn among themselves; all of them if None.
        cases: of the claim, for intervals that hold together.
    """
    rng = seeds.draw(0, f"claims: {what}")
    parts = [np.array(one) for one in (groups or [range(count)])]
    drawn = np.array(
        [
            of(np.concatenate([part[rng.integers(0, len(part), len(part))] for part in parts]))
            for _ in range(DRAWS)
        ]
    )
    tail = (1 - LEVEL) / cases / 2
    low, high = np.nanquantile(drawn, [tail, 1 - tail])
    mean = of(np.concatenate(parts))
    return Effect(what, float(mean), float(low), float(high), points, digits, share, signed)


def widened(effect: Effect, error: float, cases: int = 1) -> Effect:
    """With a standard error of independent chance that its interval does not hold yet."""
    from scipy.stats import norm

    assert effect.low is not None
    assert effect.high is not None
    more = float(norm.ppf(1 - (1 - LEVEL) / cases / 2)) * error
    low = effect.mean - np.hypot(effect.mean - effect.low, more)
    high = effect.mean + np.hypot(effect.high - effect.mean, more)
    return replace(effect, low=float(low), high=float(high))


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Correlation of ranks, equal values sharing one; NaN where all of one are equal."""
    a, b = (_ranks(values) for values in (x, y))
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else float("nan")


def _ranks(values: np.ndarray) -> np.ndarray:
    """Their mean is 0."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    return ranks - ranks.mean()


def rounding(digits: int) -> float:
    """How far a number may be from one that was rounded to so many digits."""
    return 0.5 * 10.0**-digits


def averaged(several: Iterable[Sequence[float | None]]) -> list[float | None]:
    """The mean of several, split by split; None where one of them has no value."""
    columns = zip(*several)
    return [
        None if any(v is None or np.isnan(v) for v in column) else float(np.mean(column))
        for column in columns
    ]


def named(effects: Mapping[str, Effect], judge: Judge, verdict: str = HOLDS) -> list[str]:
    """Of which cases a verdict is reached."""
    return [name for name, effect in effects.items() if judge(effect) == verdict]
