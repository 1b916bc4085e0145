"""Probabilities of true labels from those of a model that learned wrong ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data.ingest.probabilities import Probs
from ...ground.arrays import door
from . import _matrices
from ._gather import gathered
from ._scores import blocks


@door
def corrected(
    given: Any, probs: Probs = None, *, consistent: bool = False, **options: Any
) -> np.ndarray:
    """Probabilities of true classes, by a model that was trained on given labels.

    Entry j is multiplied by P(true j | given j) / P(given j | true j), and rows are divided by
    their sums. A class without a count on the diagonal, such as one never given, is left as it is.

    Args:
        given, probs, options: see ``examine``.
        consistent: make both noise matrices and the prior agree with each other first.

    Returns:
        float (n, m), like the probabilities; rows sum to 1.

    >>> given = np.array([0, 0, 0, 1])
    >>> probs = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.25, 0.75]])
    >>> corrected(given, probs)[3].round(3)
    array([0.1, 0.9])
    """
    evidence = gathered(given, probs, options)
    if consistent:
        shares = evidence.given_counts / evidence.given_counts.sum()
        both = _matrices.consistent(evidence.calibrated.dense(more=6), shares)[1]
        forward, inverse = both.forward.diagonal(), both.inverse.diagonal()
    else:
        forward, inverse = _matrices.diagonals(evidence.calibrated)
    there = (forward > 0) & (inverse > 0)
    factors = np.divide(inverse, forward, out=np.ones(evidence.m), where=there)
    result = np.empty((evidence.n, evidence.m), evidence.source.dtype)
    for start, stop, rows in blocks(evidence.source):
        scaled = rows * factors
        result[start:stop] = scaled / scaled.sum(1, keepdims=True)
    return result
