"""How probable it is that one algorithm is better, worse, or practically equal to another.

Differences are the first minus the second; a region of practical equivalence, ``rope``, reaches
as far to either side of 0. All of it is in the unit of the values. A higher value is better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ground.arrays import door
from ._cells import Values, differences
from .paired import PairedT, corrected_t

BLOCK = 1 << 22  # numbers at a time


@dataclass(frozen=True)
class Beliefs:
    """Probabilities that the first one is worse, equivalent and better; they add up to 1.

    All three are None where it cannot be told: from fewer than two pairs, and for
    ``correlated_t`` from differences that are all the same and not 0.
    """

    worse: float | None
    equivalent: float | None
    better: float | None
    rope: float
    pairs: int
    left_out: int


def _check_rope(rope: float) -> None:
    if not 0 <= rope < np.inf:
        raise ValueError(f"`rope` is {rope}; give a difference that matters to nobody, 0 or more.")


@door
def correlated_t(first: Values, second: Values, test_share: float, rope: float) -> Beliefs:
    """The mean difference's posterior over random splits of one data set.

    It is Student's t with n - 1 degrees of freedom about the mean difference, with squared scale
    s² (1/n + rho / (1 - rho)), where rho, the correlation of two splits, is the test share. So
    for ``rope`` 0 the smaller probability is half of the p of ``corrected_t``.

    Args:
        first, second: a value per split, in the same order; None and NaN are missing.
        test_share: n_test / (n_test + n_train), in [0, 1).
        rope: at least 0.

    Returns:
        All differences 0: equivalent for certain.

    Source: Corani and Benavoli, Machine Learning 100, 2015.

    >>> found = correlated_t([0.9, 0.8, 0.9], [0.8, 0.8, 0.7], test_share=0.1, rope=0.01)
    >>> round(found.worse, 3), round(found.equivalent, 3), round(found.better, 3)
    (0.12, 0.034, 0.845)
    """
    return beliefs_of(corrected_t(first, second, test_share), rope)


def beliefs_of(test: PairedT, rope: float) -> Beliefs:
    """The posterior of the difference that a paired t test is of, with its degrees of freedom.

    Args:
        test: of any design.
        rope: at least 0.

    Returns:
        No p: None. No difference and no variance: equivalent for certain.
    """
    from scipy.special import stdtr

    _check_rope(rope)
    told = test.difference, test.standard_error, test.freedom
    if test.p is None or any(value is None for value in told):
        return Beliefs(None, None, None, rope, test.pairs, test.left_out)
    mean, scale, freedom = (float(value or 0.0) for value in told)
    if scale == 0:
        return Beliefs(0.0, 1.0, 0.0, rope, test.pairs, test.left_out)
    worse = float(stdtr(freedom, (-rope - mean) / scale))
    better = float(stdtr(freedom, (mean - rope) / scale))
    rest = max(0.0, 1 - worse - better)
    return Beliefs(worse, rest, better, rope, test.pairs, test.left_out)


@door
def signed_rank(
    first: Values,
    second: Values,
    rope: float,
    draws: int = 20_000,
    seed: int | np.random.Generator = 0,
) -> Beliefs:
    """The Bayesian signed-rank test over independent data sets, by simulation.

    A Dirichlet process whose prior is one pseudo-observation at 0 gives each difference a random
    weight. Each draw adds up the weights of pairs of differences whose mean is below, within
    and above the region; the probabilities are how often each of the three is largest, and those
    that tie share a draw.

    Args:
        first, second: a value per data set, in the same order; None and NaN are missing.
        rope: at least 0.
        draws: at least 1; 20,000 know a probability within 0.007.
        seed: a whole number, or a generator, which is moved on.

    Source: Benavoli, Corani, Demšar and Zaffalon, JMLR 18, 2017, section 4.2.

    >>> found = signed_rank([0.9, 0.8, 0.9, 0.7], [0.8, 0.7, 0.7, 0.4], rope=0.01)
    >>> found.better > 0.9, found.worse
    (True, 0.0)
    """
    _check_rope(rope)
    if draws < 1:
        raise ValueError(f"`draws` is {draws}; it must be at least 1.")
    d, left_out = differences(first, second)
    n = len(d)
    if n < 2:
        return Beliefs(None, None, None, rope, n, left_out)
    z = np.sort(np.append(d, 0.0))
    twice = 2 * rope * (1 + 1e-12)  # a difference of exactly the region's bound is within it
    # sorted, what is above (below) with z[i] is the end (the start) of z
    above = np.searchsorted(z, twice - z, side="right")
    below = np.searchsorted(z, -twice - z, side="left")
    g = np.random.default_rng(seed)
    won = np.zeros(3)
    step = max(1, BLOCK // len(z))
    for start in range(0, draws, step):
        weights = g.dirichlet(np.ones(len(z)), size=min(step, draws - start))
        sums = np.pad(np.cumsum(weights, 1), ((0, 0), (1, 0)))
        better = (weights * (1 - sums[:, above])).sum(1)
        worse = (weights * sums[:, below]).sum(1)
        areas = np.round(np.stack([worse, 1 - worse - better, better], 1), 12)
        best = areas == areas.max(1, keepdims=True)
        won += (best / best.sum(1, keepdims=True)).sum(0)
    worse_, equivalent, better_ = (won / draws).tolist()
    return Beliefs(worse_, equivalent, better_, rope, n, left_out)
