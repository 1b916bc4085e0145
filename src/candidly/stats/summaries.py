"""Means over splits, and what their ± is."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ..ground.arrays import door


@dataclass(frozen=True)
class Summary:
    """A mean and its spread. Both spreads are named, because a bare ± has misled readers.

    ``standard_deviation`` is how far one value lies from the mean, ``standard_error`` how far the
    mean lies from what more values would give. Each is None where undefined: the mean without
    values, the spreads with a single one.
    """

    mean: float | None
    standard_deviation: float | None
    standard_error: float | None
    count: int


@door
def summarise(values: Sequence[float | None], ddof: int = 1) -> Summary:
    """Mean, standard deviation and standard error of the values that are there.

    Args:
        values: numbers; None and NaN are left out.
        ddof: 1 divides the squared deviations by count - 1, so that the squared standard error
            is right on average (``fixed``); 0 divides by count, as the published PLENCH tables
            do (``plench``), which is too small: by a tenth for 5 values, by a fifth for 3.

    >>> summarise([0.5, 0.75, 0.5, 0.75], ddof=0)
    Summary(mean=0.625, standard_deviation=0.125, standard_error=0.0625, count=4)
    >>> summarise([0.75])
    Summary(mean=0.75, standard_deviation=None, standard_error=None, count=1)
    """
    if ddof not in (0, 1):
        raise ValueError(f"`ddof` is {ddof}; choose 1 (sample) or 0 (population).")
    there = [float(value) for value in values if value is not None and not math.isnan(value)]
    count = len(there)
    if count == 0:
        return Summary(None, None, None, 0)
    mean = statistics.fmean(there)
    if count == 1:
        return Summary(mean, None, None, 1)
    deviation = statistics.stdev(there) if ddof else statistics.pstdev(there)
    return Summary(mean, deviation, deviation / math.sqrt(count), count)


@door
def paired_difference(
    first: Sequence[float | None], second: Sequence[float | None], ddof: int = 1
) -> Summary:
    """Summary of ``first - second``, taken pair by pair; a pair lacking a value is left out.

    Two algorithms seen on the same splits share what makes a split easy; the differences do not
    carry it, so their standard error is the one to judge a lead by.

    >>> paired_difference([0.75, 1.0], [0.5, 0.75])
    Summary(mean=0.25, standard_deviation=0.0, standard_error=0.0, count=2)
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values cannot be paired with {len(second)}.")
    pairs = ((None if a is None or b is None else a - b) for a, b in zip(first, second))
    return summarise(list(pairs), ddof)


def interval(summary: Summary, level: float = 0.95) -> tuple[float, float] | None:
    """Student's t interval for the mean, or None from fewer than two values.

    It holds its level for independent normal values. Splits of one data set share rows, so over
    splits it is somewhat too narrow (Nadeau & Bengio, Machine Learning 52, 2003): see
    ``corrected_t``.

    Args:
        summary: with the sample standard error (``ddof`` 1).
        level: in (0, 1).

    >>> low, high = interval(summarise([0.1, 0.2, 0.3]))
    >>> round(low, 3), round(high, 3)
    (-0.048, 0.448)
    """
    if summary.mean is None or summary.standard_error is None:
        return None
    from scipy.special import stdtrit

    half = float(stdtrit(summary.count - 1, (1 + level) / 2)) * summary.standard_error
    return summary.mean - half, summary.mean + half
