"""How far the number of wrong labels may be from the best guess, by the profile likelihood.

What is looked for: the least and the largest expected share of wrong labels among all parameters
whose log-likelihood is at most 1.92 below the maximum. Raising the likelihood by a tilt for each
row that is expected to be wrong, and maximising that, walks along the profile.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ._likelihood import Fit, Likelihood

DROP = 1.92  # of the log-likelihood: half the 95 % quantile of chi-squared, one degree of freedom
NEAR = 0.05  # of the drop
TRIES = 10
STEPS = 80


def interval(likelihood: Likelihood, fit: Fit, spread: float = 1.0) -> tuple[float, float]:
    """The share of wrong labels, from and to, with 95 % confidence if the model holds.

    Args:
        spread: how many times as far labels are spread as chance has it; see ``search``.
    """
    most = DROP * spread
    _, shares = likelihood.of_rows(fit)
    of_classes = likelihood.fit(fit.moves, fit, shares=shares)  # counts what moves by true classes
    ends = (_end(likelihood, of_classes, shares, side) for side in (-most, most))
    low, high = (min(max(end, 0.0), 1.0) for end in ends)  # where it goes beyond the last one tried
    return low, high


def _end(likelihood: Likelihood, fit: Fit, shares: np.ndarray, side: float) -> float:
    n, most = likelihood.rows.total, abs(side)
    if side < 0:
        without = likelihood.fit((), fit)
        if fit.loglik - without.loglik <= most:
            return 0.0
    spread = max(fit.wrong * (1 - fit.wrong), 1 / n) / n  # of a share of n, a first guess
    tilt = np.sign(side) * sqrt(2 * most / spread) / n
    inner, inner_drop, outer = fit, 0.0, None  # within the drop, and beyond it
    small, large = 0.0, None
    for _ in range(TRIES):
        now = likelihood.fit(fit.moves, inner, tilt=tilt, shares=shares, steps=STEPS)
        drop = max(fit.loglik - now.loglik, 0.0)
        if abs(drop - most) <= NEAR * most:
            inner, inner_drop, outer = now, drop, now
            break
        if drop < most:
            inner, inner_drop, small = now, drop, tilt
        else:
            outer, large = now, tilt
        tilt *= min(max(sqrt(most / max(drop, 1e-9)), 0.25), 4.0)  # a drop grows as a tilt's square
        if large is not None and not abs(small) < abs(tilt) < abs(large):
            tilt = (small + large) / 2
    if outer is None or outer is inner:
        way = inner.wrong - fit.wrong
        return fit.wrong + way * (sqrt(most / inner_drop) if inner_drop > 0 else 1.0)
    a, b = sqrt(inner_drop), sqrt(max(fit.loglik - outer.loglik, most))
    return inner.wrong + (outer.wrong - inner.wrong) * (sqrt(most) - a) / max(b - a, 1e-9)
