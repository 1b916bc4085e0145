"""An interval of what is computed from all items, by leaving each of them out in turn."""

from __future__ import annotations

import numpy as np


def jackknife(
    value: float, left_out: np.ndarray, times: np.ndarray, level: float = 0.95
) -> tuple[float, float]:
    """From and to, of a coefficient that lies in [-1, 1].

    Args:
        value: of all items. left_out: float (k,), without one of them; NaN where there is none.
        times: int (k,), of how many items that is so.
        level: in (0, 1).

    Returns:
        NaN and NaN with fewer than two items, and where none makes a difference, so that nothing
        says how far others would be off.

    Source: Tukey, Annals of Mathematical Statistics 29, 1958, with his t of n - 1 degrees of
    freedom for n items.
    """
    from scipy.special import stdtrit

    kept, n = ~np.isnan(left_out), int(times.sum())
    if n < 2 or not kept.any() or np.isnan(value):
        return float("nan"), float("nan")
    left_out, times = left_out[kept], times[kept]
    apart = left_out - np.average(left_out, weights=times)
    error = float(np.sqrt((n - 1) / n * (times * apart**2).sum()))
    if error < 1e-12:
        return float("nan"), float("nan")
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    return max(value - half, -1.0), min(value + half, 1.0)
