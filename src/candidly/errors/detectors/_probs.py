"""Detectors that need nothing but out-of-sample probabilities.

All take labels (n,) and probabilities (n, q), or an ``errors.Evidence`` in place of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...ground.arrays import door
from ...ground.names import lookup
from .. import confident as errors
from ..confident import Evidence, gathered
from ._detection import Detection


@door
def confident_learning(
    given: Any, probs: Any = None, by: errors.FindBy = "noise rate"
) -> Detection:
    """``errors.find`` as a detector: its mask, and the margin turned round as score.

    Args:
        by: see ``errors.find``.

    Returns:
        score in [0, 1]: (1 - p_y + the largest of the others) / 2; the estimate is the expected
        number from the calibrated joint.

    Source: Northcutt, Jiang & Chuang, JAIR 2021.
    """
    evidence = _evidence(given, probs)
    found = errors.find(evidence, by=by)
    score = 1 - errors.scores(evidence, by="margin").astype(np.float64)
    return Detection(score, found.mask, errors.counts(evidence).expected, {"by": found.by})


@door
def retag(given: Any, probs: Any = None) -> Detection:
    """Flags where the prediction differs from the label; score: how far p_y is below the largest.

    Returns:
        score in [0, 1]; 0 where they agree.
    """
    evidence = _evidence(given, probs)
    behind = evidence.other.astype(np.float64) - evidence.own
    return Detection(np.maximum(behind, 0), evidence.predicted != evidence.given)


@door
def loss(given: Any, probs: Any = None) -> Detection:
    """Score: -ln p_y, in nats, >= 0, infinite where p_y is 0. No cut.

    >>> loss(np.array([0, 1]), np.array([[1.0, 0.0], [0.5, 0.5]])).score.round(4)
    array([0.    , 0.6931])
    """
    with np.errstate(divide="ignore"):
        score = -np.log(np.clip(_evidence(given, probs).own.astype(np.float64), 0, 1))
    return Detection(score + 0.0)  # no -0


def _confidence(evidence: Evidence) -> np.ndarray:
    return np.maximum(evidence.own, evidence.other).astype(np.float64)


def _certainty(evidence: Evidence) -> np.ndarray:
    p = np.clip(evidence.source.read(0, evidence.n).astype(np.float64), 0, 1)
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    return np.exp((p * logs).sum(1))


SURENESS: Mapping[str, Callable[[Evidence], np.ndarray]] = {
    "confidence": _confidence,
    "entropy": _certainty,
}


@door
def mistakenness(given: Any, probs: Any = None, by: str = "confidence") -> Detection:
    """(s c + 1) / 2 with s = 1 where the prediction differs from the label, else -1. No cut.

    Args:
        by: c is ``confidence``, the largest probability, or ``entropy``: exp(-entropy).

    Returns:
        score in [0, 1].

    Source: FiftyOne's documentation (Voxel51).
    """
    sure = lookup(SURENESS, by, "sureness")[1]
    evidence = _evidence(given, probs)
    sign = np.where(evidence.predicted != evidence.given, 1, -1)
    return Detection((sign * np.clip(sure(evidence), 0, 1) + 1) / 2)


def _evidence(given: Any, probs: Any) -> Evidence:
    return gathered(given, probs, {}, pairs=True)
