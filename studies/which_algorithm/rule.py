"""The rule of docs/which-algorithm.md: which algorithms results recommend, the same everywhere.

Accuracies are shares; so are gains, which are differences of accuracies on the same splits.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from candidly.stats import Design, Summary, paired_difference
from studies.kit.oracles import is_oracle

LISTED = 2  # level algorithms that are named at most
FEW = 3  # splits from which a gain's own spread is used
NORMAL = 1.96  # half the width of a 95 % interval, in standard errors that are known
CLEAR = 2.0  # standard errors that a mean over label sets must be away from 0
CHEAP, ANY = 2.0, math.inf  # budgets: training time, times the baseline's

Accuracies = Sequence[float | None]  # by split, of the run that was selected; None: it diverged


@dataclass(frozen=True, eq=False)
class LabelSet:
    """All algorithms on one set of labels.

    Attributes:
        name: as the page calls it.
        data: the data set that it belongs to.
        accuracy: by algorithm, on the test rows, one per split in the order of the splits; an
            algorithm may have fewer splits than another, which are then the first.
        seconds: by algorithm, of a run.
        design: what the splits have in common; it has the algorithms in the order of ``accuracy``.
        spread: the standard deviation between splits of a gain over the baseline, pooled over the
            algorithms of a study; see ``pooled``.
    """

    name: str
    data: str
    accuracy: Mapping[str, Accuracies]
    seconds: Mapping[str, float]
    design: Design
    spread: float = math.nan


@dataclass(frozen=True)
class Gain:
    """How much an algorithm is above another, with the standard error that the design has.

    ``sign`` is 1 or -1 where this is clearly above or below 0, else 0; ``data`` is the data set.
    """

    mean: float
    error: float
    sign: int
    data: str = ""


@dataclass(frozen=True)
class Row:
    """An algorithm beside the baseline.

    Attributes:
        gain: the mean over the label sets.
        each: the gain on each of them, in their order.
        cost: seconds of a run times the baseline's, the median of the label sets.
    """

    name: str
    gain: Gain
    each: tuple[Gain, ...]
    cost: float

    @property
    def ahead(self) -> int:
        """On how many label sets it clearly gains."""
        return sum(gain.sign > 0 for gain in self.each)

    @property
    def behind(self) -> int:
        """On how many label sets it clearly loses."""
        return sum(gain.sign < 0 for gain in self.each)


@dataclass(frozen=True)
class Choice:
    """What the rule makes of some label sets.

    Attributes:
        rows: by name, every algorithm that was compared; the baseline and oracles are not.
        leader: the one with the largest mean gain of those that are safe and within the budget;
            None where there is none.
        level: those that the results do not tell from the leader, the cheapest first; with it.
    """

    rows: Mapping[str, Row]
    leader: str | None
    level: tuple[str, ...]

    @property
    def first(self) -> str | None:
        return self.level[0] if self.level else None


@dataclass(frozen=True)
class LeftOut:
    """What is chosen without some label sets, and what it gains on them.

    ``chosen`` is None where nothing was better than the baseline, which gains 0.
    """

    out: str
    chosen: str | None
    gain: Gain


def pooled(sets: Iterable[LabelSet], baseline: str) -> tuple[LabelSet, ...]:
    """The label sets of a study, with the spread that its algorithms have together."""
    sets = tuple(sets)
    variances = [
        found.standard_deviation**2
        for one in sets
        for name in one.accuracy
        if name != baseline and not is_oracle(name)
        for found in [_paired(one, name, baseline)]
        if found.standard_deviation is not None
    ]
    spread = math.sqrt(statistics.mean(variances)) if variances else math.nan
    return tuple(replace(one, spread=spread) for one in sets)


@cache
def gain(one: LabelSet, name: str, over: str) -> Gain:
    """How much ``name`` is above ``over`` on a label set: clearly, if a 95 % interval leaves out 0.

    From ``FEW`` splits the standard error and the interval are the design's, of these differences
    alone; below, the splits' part is of the study's ``spread``. The mean is NaN without a common
    split.
    """
    found = _paired(one, name, over)
    if name == over or found.mean is None:
        return Gain(0.0 if name == over else math.nan, 0.0, 0, one.data)
    if found.count >= FEW:
        names, splits = list(one.accuracy), len(one.accuracy[over])
        table = np.full((splits, len(names)), np.nan)
        for column in (name, over):
            values = one.accuracy[column]
            table[: len(values), names.index(column)] = np.array(values, dtype=float)
        test = one.design.compared(table, names.index(name), names.index(over), 0.95)
        error, low, high = test.standard_error or 0.0, test.low or 0.0, test.high or 0.0
    else:
        error = _of_few(one, (name, over), found.count)
        low, high = found.mean - NORMAL * error, found.mean + NORMAL * error
    return Gain(found.mean, error, int(low > 0) - int(high < 0), one.data)


def _of_few(one: LabelSet, names: Sequence[str], splits: int) -> float:
    """The standard error of a difference over few splits: the study's spread, and test rows."""
    means = [np.mean([v for v in one.accuracy[name] if v is not None]) for name in names]
    error = one.spread / math.sqrt(splits)
    parts = [one.design.variance(float(mean), of, splits) for mean, of in zip(means, (error, 0.0))]
    assert None not in parts
    return math.sqrt(sum(parts))


def mean_gain(each: Sequence[Gain]) -> Gain:
    """Of gains on label sets, each data set once: clearly, if more than ``CLEAR`` standard errors.

    A data set has the mean of its label sets. These share splits and test rows, so that their
    errors are taken as one and the same; those of different data sets as independent. The standard
    error does not say how much the gain would be on another data set.
    """
    by: dict[str, list[Gain]] = {}
    for one in each:
        by.setdefault(one.data, []).append(one)
    mean = statistics.fmean(statistics.fmean(one.mean for one in own) for own in by.values())
    errors = [statistics.fmean(one.error for one in own) for own in by.values()]
    error = math.hypot(*errors) / len(by)
    return Gain(mean, error, int(mean > CLEAR * error) - int(mean < -CLEAR * error))


def compared(sets: Sequence[LabelSet], baseline: str) -> list[str]:
    """Algorithms that have an accuracy on every label set, oracles and the baseline left out."""
    return [
        name
        for name in sets[0].accuracy
        if name != baseline
        and not is_oracle(name)
        and all(name in one.accuracy and _paired(one, name, baseline).count for one in sets)
    ]


def choose(
    sets: Sequence[LabelSet],
    baseline: str,
    budget: float = ANY,
    names: Iterable[str] | None = None,
) -> Choice:
    """Apply the rule to one or more label sets.

    1. Of the algorithms compared, keep those that train within the budget, and of these those that
       clearly lose to the baseline on no label set.
    2. The leader is the one with the largest mean gain.
    3. Level with it are those with a mean gain above 0, at most one standard error (of the
       difference, split by split) below the leader's; the cheapest first. Costs that are alike to
       one decimal are equal, and then the larger gain is first.

    Args:
        names: to compare; None: all that have an accuracy on every label set.
    """
    names = compared(sets, baseline) if names is None else names
    rows = {name: _row(sets, name, baseline) for name in names}
    safe = [row for row in rows.values() if row.cost <= budget and row.behind == 0]
    leader = max(safe, key=lambda row: row.gain.mean, default=None)
    if leader is None:
        return Choice(rows, None, ())
    level = [row for row in safe if row.gain.mean > 0 and _close(sets, leader.name, row.name)]
    level.sort(key=lambda row: (round(row.cost, 1), -row.gain.mean))
    return Choice(rows, leader.name, tuple(row.name for row in level))


def leave_out(
    groups: Mapping[str, Sequence[LabelSet]], baseline: str, budget: float = ANY
) -> list[LeftOut]:
    """For each group of label sets: the first choice by all the others, and its gain on the group.

    Only algorithms with an accuracy on all label sets are chosen from.
    """
    names, found = compared([one for sets in groups.values() for one in sets], baseline), []
    for out, there in groups.items():
        others = [one for name, sets in groups.items() if name != out for one in sets]
        first = choose(others, baseline, budget, names).first
        each = [gain(one, first or baseline, baseline) for one in there]
        found.append(LeftOut(out, first, mean_gain(each)))
    return found


def _row(sets: Sequence[LabelSet], name: str, baseline: str) -> Row:
    each = tuple(gain(one, name, baseline) for one in sets)
    cost = statistics.median(one.seconds[name] / one.seconds[baseline] for one in sets)
    return Row(name, mean_gain(each), each, cost)


def _close(sets: Sequence[LabelSet], leader: str, name: str) -> bool:
    """Whether ``leader`` is at most one standard error above ``name``."""
    apart = mean_gain([gain(one, leader, name) for one in sets])
    return apart.mean <= apart.error


def _paired(one: LabelSet, name: str, over: str) -> Summary:
    """``name`` less ``over`` on the splits that both have."""
    pairs = list(zip(one.accuracy[name], one.accuracy[over]))
    return paired_difference([first for first, _ in pairs], [second for _, second in pairs])
