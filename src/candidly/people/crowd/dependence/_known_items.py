"""A claim that items whose label is known set right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

OFFSET, SLOPE = 1.0, 0.5  # standard deviations of the priors, about 0 and 1
FAR = 8.0  # logits are cut here


class Calibration(NamedTuple):
    """How a claim became one that fits known items: its logit times ``slope``, plus ``offset``.

    Attributes:
        items: how many were known. right: of how many the consensus was right.
    """

    offset: float
    slope: float
    items: int
    right: int


def calibrated(
    posterior: np.ndarray, labels: np.ndarray, known: np.ndarray
) -> tuple[np.ndarray, Calibration]:
    """Platt's scaling of how probable each label is, by known items, with priors on both numbers.

    What the other classes have is shared out as before.

    Args:
        posterior: float64 (n, m). labels: int64 (n,), -1 where there is none.
        known: int64 (n,), -1 where it is not known.

    Source: Platt, "Probabilistic outputs for support vector machines", 1999.
    """
    from scipy.optimize import minimize

    there = np.flatnonzero((known >= 0) & (labels >= 0))
    claim = posterior[np.arange(len(labels)), labels]
    logit = np.clip(np.log(claim) - np.log(np.maximum(1 - claim, 1e-300)), -FAR, FAR)
    right = labels[there] == known[there]
    x, sign = logit[there], np.where(right, 1.0, -1.0)

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        offset, slope = at
        margin = sign * (offset + slope * x)
        value = np.logaddexp(0, -margin).sum()
        pull = -sign / (1 + np.exp(margin))
        value += (offset / OFFSET) ** 2 / 2 + ((slope - 1) / SLOPE) ** 2 / 2
        slopes = np.array([pull.sum(), (pull * x).sum()])
        return float(value), slopes + np.array([offset / OFFSET**2, (slope - 1) / SLOPE**2])

    offset, slope = minimize(loss, np.array([0.0, 1.0]), jac=True).x.tolist()
    better = 1 / (1 + np.exp(-(offset + slope * logit)))
    rows = np.flatnonzero(labels >= 0)
    made = posterior.copy()
    rest = np.maximum(1 - claim[rows], 1e-300)
    made[rows] *= ((1 - better[rows]) / rest)[:, None]
    made[rows, labels[rows]] = better[rows]
    return made / made.sum(1, keepdims=True), Calibration(
        offset, slope, len(there), int(right.sum())
    )
