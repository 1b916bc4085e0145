"""Where two lines cross as one set of items takes the place of another, and how sure that is.

One model is ahead by u on a first set and behind by v on a second; where a share N of the items is
of the second, the difference is (1 - N) u - N v.
"""

from __future__ import annotations

import numpy as np

from ..ground.arrays import door

STEPS = 60  # halvings of an interval's end


@door
def tie_prevalence(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """N× = u / (u + v), at which two models tie; NaN where they never do.

    Args:
        u: float (...), accuracy of one minus that of the other on B.
        v: float (...), accuracy of the other minus that of the one on C.

    >>> tie_prevalence([0.1, 0.1], [0.3, -0.3]).round(4)
    array([0.25,  nan])
    """
    u, v = np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(u * v > 0, u / (u + v), np.nan)[()]


@door
def tie_interval(u: np.ndarray, v: np.ndarray, of_u: np.ndarray, of_v: np.ndarray) -> np.ndarray:
    """Of N×, as all prevalences at which a difference of 0 is not excluded: float64 (k, 2).

    The difference at N is (1 - N) u - N v. Its limits join those of u and of v (MOVER), so they
    hold for few items, too, and at the level of these; where every prevalence beyond N× is as good,
    the interval reaches 1, and 0 where every one below it is.

    Args:
        u, v: float (k,), both above 0.
        of_u, of_v: float (k, 2), their intervals, such as Tango's.

    Source: Zou and Donner, Statistics in Medicine 27, 2008; for ratios Donner and Zou, Statistical
    Methods in Medical Research 21, 2012.
    """
    u, v = np.asarray(u, np.float64), np.asarray(v, np.float64)
    down, up = u - of_u[:, 0], of_u[:, 1] - u
    fall, rise = v - of_v[:, 0], of_v[:, 1] - v

    def holds(n: np.ndarray, low: bool) -> np.ndarray:
        """Whether the limit towards 0 of the difference at n, which is above 0 if n is low."""
        difference = (1 - n) * u - n * v
        if low:
            return difference <= np.hypot((1 - n) * down, n * rise)
        return -difference <= np.hypot((1 - n) * up, n * fall)

    tie = u / (u + v)
    ends = []
    for low in (True, False):
        outside, inside = np.full_like(tie, 0.0 if low else 1.0), tie.copy()
        beyond = holds(outside, low)
        for _ in range(STEPS):
            middle = (outside + inside) / 2
            there = holds(middle, low)
            inside, outside = np.where(there, middle, inside), np.where(there, outside, middle)
        ends.append(np.where(beyond, 0.0 if low else 1.0, inside))
    return np.stack(ends, -1)
