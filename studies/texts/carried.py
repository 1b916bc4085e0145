"""Intervals of one draw of a noise, by what ten draws of the same kind made vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from candidly.stats import PairedT
from candidly.stats.paired import t_of
from studies.kit.rows import BASE, Rows

from .crossed import Crossed


@dataclass(frozen=True)
class Carried:
    """What one draw of a noise would make vary, by what ten draws of the same kind made vary.

    Attributes:
        variance: of an algorithm's gain over cross-entropy, the mean of five splits of one draw, by
            name; ``without``: the same less what draws alone make vary, for where there is none.
        of_splits: by name, how much of a split's gain varies over splits, as one draw shows it.
        freedom: degrees of freedom, by name.
    """

    variance: Mapping[str, float]
    without: Mapping[str, float]
    of_splits: Mapping[str, float]
    freedom: Mapping[str, float]

    def ratio(self, rows: Rows) -> float:
        """The spread over splits that is seen, times what is expected: the algorithms' median."""
        seen = [
            float(np.subtract(rows[name].selected, rows[BASE].selected).std(ddof=1))
            / self.of_splits[name] ** 0.5
            for name in self.of_splits
            if name in rows and self.of_splits[name] > 0
        ]
        return float(np.median(seen))


def carried_gain(
    known: Sequence[Carried], rows: Rows, name: str, noisy: bool, level: float = 0.95
) -> PairedT | None:
    """Of one draw, with the interval that these variances make; of several the widest.

    None where the algorithm was not trained on several draws.
    """
    there = [
        ((one.variance if noisy else one.without)[name], one.freedom[name])
        for one in known
        if name in one.variance
    ]
    if not there:
        return None
    variance, freedom = max(there)
    each = np.subtract(rows[name].selected, rows[BASE].selected)
    return t_of(float(each.mean()), np.nan, variance, freedom, len(each), 0, level)


@cache
def carried(crossed: Crossed) -> Carried:
    """The variance components of a kind of noise, for other levels of it."""
    _, splits, _, rows = crossed.right.shape
    sizes = (1, splits, rows)
    names = [name for name in crossed.names if name != BASE]
    variance, without, of_splits, freedom = {}, {}, {}, {}
    for name in names:
        parts = {axes: max(part, 0.0) for axes, part in crossed.parts(name, BASE).items()}
        of_mean = {
            axes: part / float(np.prod([sizes[axis] for axis in axes]))
            for axes, part in parts.items()
        }
        variance[name] = sum(of_mean.values())
        without[name] = variance[name] - of_mean[0,]
        of_splits[name] = splits * sum(part for axes, part in of_mean.items() if 1 in axes)
        freedom[name] = float(crossed.gain(name, BASE).freedom or 1.0)
    return Carried(variance, without, of_splits, freedom)
