"""What such a benchmark can see: items that a difference needs, and the least difference."""

from __future__ import annotations

import math
import statistics

import numpy as np

from ...ground.arrays import door

POWER = 0.8


def _quantiles(level: float, power: float) -> tuple[float, float]:
    normal = statistics.NormalDist()
    return normal.inv_cdf((1 + level) / 2), normal.inv_cdf(power)


@door
def units_needed(
    difference: float, error: float, units: int, level: float, power: float = POWER
) -> int | None:
    """How many units, drawn as these were, would show a difference of this size.

    Args:
        difference: what is between the two models. error: its standard error on these units.
        units: items, or groups of items, that there are.
        level: of the test, such as 0.95. power: how often it is then to be found, in (0, 1).

    Returns:
        Units in all; None where there is no difference.

    The test's own deviation is that of equal models, so its square has that of the difference, too
    (Connor, Biometrics 43, 1987, where scores are right or wrong).

    >>> units_needed(0.02, 0.01, 1000, 0.95)
    1968
    """
    if difference == 0 or not error > 0:
        return None
    z, beyond = _quantiles(level, power)
    spread = units * error**2
    return math.ceil(
        ((z * math.sqrt(spread + difference**2) + beyond * math.sqrt(spread)) / difference) ** 2
    )


@door
def least_visible(error: np.ndarray, level: float, power: float = POWER) -> float:
    """The difference that half of the pairs would show as often as ``power`` says.

    Args:
        error: standard errors of differences, of all pairs, (m,). level, power: as above.
    """
    return float(np.median(error)) * sum(_quantiles(level, power))
