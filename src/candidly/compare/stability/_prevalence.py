"""Accuracies as the share of wrong labels grows, exactly, without drawing anything.

Write c for the prevalence as it is: the share of kept items whose label was changed. There are two
ways to speak of a larger prevalence N, and they differ enormously where c is small. *Removing* a
random share x of the benign items leaves N = c / (c + (1 - x)(1 - c)). *Mixing*, with weight x on
the changed items and 1 - x on all kept ones, gives N = 1 - (1 - x)(1 - c); it is what the formula
printed in the paper says, and not what is left when items are removed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Numbers = Any  # float or float64 array


def prevalence_at(x: Numbers, c: float) -> Numbers:
    """N(x): the prevalence after a share ``x`` of the benign items is removed.

    >>> prevalence_at(0.5, 0.2)
    0.3333333333333333
    """
    return c / (c + (1 - x) * (1 - c))


def x_removed(prevalence: Numbers, c: float) -> Numbers:
    """The share of benign items to remove for a prevalence in c..1.

    >>> round(x_removed(0.114, 0.0294), 3)
    0.765
    """
    return 1 - c * (1 - prevalence) / (prevalence * (1 - c))


def x_mixture(prevalence: Numbers, c: float) -> Numbers:
    """The weight to put on the changed items for a prevalence in c..1.

    >>> round(x_mixture(0.114, 0.0294), 3)
    0.087
    """
    return 1 - (1 - prevalence) / (1 - c)


def accuracy_at(prevalence: Numbers, benign: Numbers, changed: Numbers) -> Numbers:
    """Expected accuracy at a prevalence N: (1 - N) A_B + N A_C, exactly linear.

    Args:
        prevalence: N, in [0, 1].
        benign, changed: accuracies on B and on C, the latter under the labels in question.
    """
    return (1 - prevalence) * benign + prevalence * changed


def accuracy_moments(
    kept: Numbers, benign: int, right_benign: Numbers, changed: int, right_changed: Numbers
) -> tuple[Numbers, Numbers]:
    """Mean and variance of the accuracy when ``kept`` benign items, drawn at random, are left.

    Args:
        kept: in 0..benign; kept + changed > 0. How many are right among them is hypergeometric.
        benign, changed: sizes of B and C.
        right_benign, right_changed: right answers on them.

    >>> accuracy_moments(2, 4, 2, 1, 1)
    (0.6666666666666666, 0.037037037037037035)
    """
    share = right_benign / benign if benign else 0.0 * right_benign
    size = kept + changed
    mean = (kept * share + right_changed) / size
    spread = kept * share * (1 - share) * (benign - kept) / max(benign - 1, 1)
    return mean, spread / size**2


def kept_at(prevalence: Numbers, benign: int, changed: int) -> Numbers:
    """How many benign items make this prevalence, as a real number: C (1 - N) / N, at most B."""
    with np.errstate(divide="ignore"):
        return np.minimum(changed * (1 - np.asarray(prevalence)) / prevalence, benign)
