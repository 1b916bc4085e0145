"""What the candidate sets alone say: the rate of wrong labels, and with it the accuracy.

Both rest on constant flips: every wrong label is a candidate with the same probability c, however
the example looks, whatever its class and the prediction. The public names are in ``criteria``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import door

Array = Any  # numpy.ndarray, torch.Tensor or a float
LEVEL = 0.01  # of both tests together: how often constant flips are doubted


@dataclass(frozen=True)
class FlipRate:
    """Probability that a wrong label is a candidate, its standard error, and why to doubt it.

    ``doubt`` is one sentence where the candidate sets contradict constant flips, else ``''``.
    """

    rate: float
    error: float
    doubt: str = ""


@dataclass(frozen=True)
class AccuracyEstimate:
    """An accuracy without a truth and its standard error: floats, or arrays of the same shape."""

    accuracy: Array
    error: Array


@door
def constant_flip_rate(candidates: Array) -> FlipRate:
    """The rate c of wrong labels among candidate sets that hold the truth: (mean s - 1) / (q - 1).

    No truth is needed, but constant flips are assumed, and looked at in two ways. A doubt is
    raised in at most about one of a hundred cases in which they hold, when

    * a label is in fewer sets than c of them, although a label that is never true would be in as
      many (binomial test, Bonferroni over labels); or
    * set sizes vary more or less than 1 + Binomial(q - 1, c). When no set is full they are
      compared with that law given that none is, which fits uniform sampling (USS) as well.

    No doubt is no proof: flips may be far from constant and pass. Sizes that do not vary as they
    should (one wrong label is always added, all sets are equally large) raise a doubt even where
    wrong labels are all alike and the rate is right.

    Args:
        candidates: bool (n, q), n and q at least 2.

    Returns:
        The rate, in [0, 1]; its standard error; the doubt.

    Raises:
        ValueError: another shape, or an example without a candidate.

    >>> constant_flip_rate(np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1]]))
    FlipRate(rate=0.25, error=0.14433756729740643, doubt='')
    """
    candidates = _checked(candidates)
    n, q = candidates.shape
    wrong = candidates.sum(1) - 1  # how many wrong labels each set holds
    rate = float(wrong.mean()) / (q - 1)
    error = float(wrong.std(ddof=1)) / n**0.5 / (q - 1)
    return FlipRate(rate, error, _rare_label(candidates, rate) or _sizes_doubt(wrong, q, rate))


@door
def accuracy_from_covering_rate(
    covering_rate: Array, flip_rate: float | FlipRate, n: int
) -> AccuracyEstimate:
    """Accuracy that a covering rate means under constant flips: (CR - c) / (1 - c).

    The standard error is that of a share of n examples and that of c (delta method), taken as
    independent. Where c is estimated from the same n sets it is somewhat too large. It is too
    small close to a covering rate of 1, where it vanishes.

    Args:
        covering_rate: one number or an array (...), in [0, 1]; NaN stays NaN. Of predictions that
            did not learn from these n candidate sets.
        flip_rate: c in [0, 1), known or from :func:`constant_flip_rate`.
        n: number of examples behind each covering rate.

    Returns:
        Accuracy and standard error, each like ``covering_rate``. By chance an accuracy may lie a
        little outside [0, 1].

    Raises:
        ValueError: a covering rate or flip rate out of range, n below 1.

    Warns:
        UserWarning: the ``flip_rate`` has a doubt, so the accuracy may be far off.

    Source: Wang et al., ICLR 2025, Theorem 1 and Equation 8.

    >>> found = accuracy_from_covering_rate(0.8, 0.5, n=400)
    >>> print(f"{found.accuracy:.2f} ± {found.error:.2f}")
    0.60 ± 0.04
    """
    known = flip_rate if isinstance(flip_rate, FlipRate) else FlipRate(float(flip_rate), 0.0)
    c = known.rate
    if not 0 <= c < 1:
        raise ValueError(
            f"`flip_rate` is {c}; it must be in [0, 1). Full candidate sets say nothing."
        )
    if n < 1:
        raise ValueError(f"`n` is {n}; give the number of examples behind the covering rate.")
    rates = covering_rate if hasattr(covering_rate, "shape") else np.float64(covering_rate)
    if bool(((rates < 0) | (rates > 1)).any()):
        low, high = float(rates.min()), float(rates.max())
        raise ValueError(f"`covering_rate` spans {low}..{high}; a share lies in [0, 1].")
    if known.doubt:
        warnings.warn(f"the accuracy may be far off: {known.doubt}", stacklevel=3)
    variance = rates * (1 - rates) / n + ((1 - rates) / (1 - c) * known.error) ** 2
    return AccuracyEstimate((rates - c) / (1 - c), variance**0.5 / (1 - c))


def _rare_label(candidates: np.ndarray, rate: float) -> str:
    """A sentence when a label is in significantly fewer sets than a wrong one, else ''."""
    from scipy.stats import binom

    n, q = candidates.shape
    counts = candidates.sum(0)
    label = int(counts.argmin())
    # a label that is never true is in row i with probability (s_i - 1) / (q - 1), given the sizes;
    # no such sum has a heavier lower tail than the binomial of the same mean (Hoeffding, 1956)
    chance = binom.cdf(counts[label], n, rate)
    if chance * q > LEVEL / 2:
        return ""
    return (
        f"flips are not constant: label {label} is in {counts[label] / n:.3g} of the candidate"
        f" sets, but even a label that is never true should be in {rate:.3g} of them."
    )


def _sizes_doubt(wrong: np.ndarray, q: int, rate: float) -> str:
    """A sentence when set sizes vary significantly more or less than they should, else ''."""
    from scipy.stats import pearson3

    most = q - 1 if (wrong == q - 1).any() else q - 2
    mean = wrong.mean()
    if most < 2 or not 0 < mean < most:
        return ""  # then the mean decides the sizes
    sizes = np.arange(most + 1)
    law = _size_law(q - 1, most, mean)
    second, third = (((sizes - mean) ** k) @ law for k in (2, 3))
    # each set's share in the excess variance, less what the fitted mean takes from it
    share = (sizes - mean) ** 2 - second - third / second * (sizes - mean)
    spread = (share**2 @ law) ** 0.5
    excess = (wrong.var() - second) / spread * len(wrong) ** 0.5
    skew = (share**3 @ law) / spread**3 / len(wrong) ** 0.5
    law_of_excess = pearson3(skew)
    if 2 * min(law_of_excess.cdf(excess), law_of_excess.sf(excess)) > LEVEL / 2:
        return ""
    return (
        f"flips are not constant: set sizes have variance {wrong.var():.3g}, and constant flips at"
        f" rate {rate:.3g} would give {second:.3g}."
    )


def _size_law(trials: int, most: int, mean: float) -> np.ndarray:
    """Probabilities (most + 1,) of a binomial given that it is at most ``most``, by its mean."""
    from scipy.optimize import brentq
    from scipy.special import gammaln, softmax

    sizes = np.arange(most + 1)
    ways = -gammaln(sizes + 1) - gammaln(trials - sizes + 1)
    log_odds = brentq(lambda odds: softmax(ways + odds * sizes) @ sizes - mean, -60, 60)
    return softmax(ways + log_odds * sizes)


def _checked(candidates: Array) -> np.ndarray:
    """``candidates`` as bool (n, q), with n and q at least 2 and a True in every row."""
    sets = np.asarray(candidates.cpu() if hasattr(candidates, "cpu") else candidates) != 0
    if sets.ndim != 2 or min(sets.shape) < 2:
        raise ValueError(
            f"`candidates` has shape {sets.shape}; a flip rate needs (examples, classes), at least"
            " two of each."
        )
    if not sets.any(1).all():
        raise ValueError(
            f"`candidates` row {int(sets.any(1).argmin())} is empty: every example needs at least"
            " one candidate. Leave the example out, or give it every class."
        )
    return sets
