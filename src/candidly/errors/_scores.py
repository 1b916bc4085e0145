"""How good each label looks: scores in [0, 1], low is suspicious."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

ScoreBy = Literal["margin", "self-confidence", "entropy"]
TEMPERATURES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 200.0)


def self_confidence(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """p_y: (n,), (n,) -> (n,)."""
    return own


def normalised_margin(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(p_y - max of the others + 1) / 2: (n,), (n,) -> (n,)."""
    return (own - other + 1) / 2


OF_COLUMNS: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "margin": normalised_margin,
    "self-confidence": self_confidence,
}


def weighted_entropy(probs: np.ndarray, own: np.ndarray) -> np.ndarray:
    """ln(1 + u) / u, u = H(p) / (ln m p_y): (n, m), (n,) -> (n,); 1 at u = 0, 0 at p_y = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(probs > 0, probs * np.log(probs), 0).sum(1) / np.log(probs.shape[1])
        u = np.maximum(entropy, 0) / own
        score = np.log1p(u) / u
    score[entropy <= 0] = 1
    score[(u > 0) & (u < 1e-8)] = 1
    score[own <= 0] = 0
    return score
