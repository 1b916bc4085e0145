"""How far probabilities are from frequencies, and one number per fold that brings them closer."""

from __future__ import annotations

import numpy as np

BINS = 15
FLOOR = 1e-9  # a probability below it counts as it: forests and neighbours say 0
COLDEST, HOTTEST = 0.05, 20.0


def calibration_error(probs: np.ndarray, marks: np.ndarray, bins: int = BINS) -> float:
    """Expected calibration error: mean gap between confidence and accuracy over bins of confidence.

    Bins have equal widths, and count by their numbers of examples. The accuracy is against the
    marks, not the truth: where labels are wrong, a model that knows the truth is over-confident by
    this measure.

    Args:
        probs: float (n, q).
        marks: bool (n, q): the given label, or the candidates; rows without one take no part.

    Returns:
        in [0, 1], lower is better; NaN without a labelled example.

    Source: Guo, Pleiss, Sun & Weinberger, ICML 2017, equation 3.

    >>> calibration_error(np.array([[0.75, 0.25], [0.75, 0.25]]), np.eye(2, dtype=bool))
    0.25
    """
    labelled = marks.any(1)
    probs, marks = probs[labelled], marks[labelled]
    if not len(probs):
        return float("nan")
    predicted, confidence = probs.argmax(1), probs.max(1)
    gap = marks[np.arange(len(probs)), predicted] - confidence
    place = np.clip(np.ceil(confidence * bins).astype(np.int64) - 1, 0, bins - 1)
    return float(np.abs(np.bincount(place, gap, bins)).sum() / len(probs))


def temperature(probs: np.ndarray, marks: np.ndarray) -> float:
    """The T in [0.05, 20] at which ``tempered(probs, T)`` has the highest likelihood of the marks.

    Args:
        probs: float64 (n, q), of examples that the model was not fitted to.
        marks: bool (n, q), a True in every row.

    Source: Guo, Pleiss, Sun & Weinberger, ICML 2017, section 4.2.
    """
    from scipy.optimize import minimize_scalar

    logs = np.log(np.maximum(probs, FLOOR))

    def loss(log_t: float) -> float:
        scaled = logs / np.exp(log_t)
        scaled -= scaled.max(1, keepdims=True)
        powers = np.exp(scaled)
        # log Σ over marked classes, shifted on its own: the marked ones may all have underflowed
        inside = np.where(marks, scaled, -np.inf)
        top = inside.max(1, keepdims=True)
        own = top[:, 0] + np.log(np.exp(inside - top).sum(1))
        return float(np.mean(np.log(powers.sum(1)) - own))

    limits = (np.log(COLDEST), np.log(HOTTEST))
    return float(np.exp(minimize_scalar(loss, bounds=limits, method="bounded").x))


def tempered(probs: np.ndarray, t: float, known: np.ndarray) -> np.ndarray:
    """``probs ** (1 / t)``, divided by row sums; classes that are not ``known`` stay 0.

    Args:
        probs: float64 (n, q).
        known: bool (q,).
    """
    powers = np.maximum(probs[:, known], FLOOR)
    powers = (powers / powers.max(1, keepdims=True)) ** (1 / t)
    result = np.zeros_like(probs)
    result[:, known] = powers / powers.sum(1, keepdims=True)
    return result
