"""Chances of being wrong, after people have checked some rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...ground.names import made_by
from ...stats.checked import CheckedRows
from ._result import WrongLabels

END = 1e-3  # chances nearer to 0 or 1 are reckoned with as this
PRIOR = 1.0  # how strongly chances are held as they are, in checked rows


def calibrated(found: WrongLabels, checked: CheckedRows) -> WrongLabels:
    """The same with chances as checked rows have them.

    A logistic regression of the answers on the chances' log odds, rows weighed by how many they
    stand for, held towards what it would change nothing; rows that were checked have 0 or 1. Where
    nothing could be said of chances nothing is.

    Args:
        found: what ``errors.estimate`` returned.
        checked: what people said of rows that ``errors.rows_to_check`` drew.

    Source: Platt, Probabilistic outputs for support vector machines, 1999.
    """
    made_by(found, WrongLabels, "found", "errors.estimate")
    if found.why:
        return found
    rows, weights = checked.drawn.rows, checked.drawn.weights
    a, b = _line(_odds(found.chance[rows]), checked.wrong, weights / weights.mean())
    chance = 1 / (1 + np.exp(-(a + b * _odds(found.chance))))
    chance[rows] = checked.wrong
    return replace(found, chance=chance)


def _odds(chance: np.ndarray) -> np.ndarray:
    cut = np.clip(chance, END, 1 - END)
    return np.log(cut / (1 - cut))


def _line(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Intercept and slope, held towards 0 and 1; the slope at least 0."""
    from scipy.optimize import minimize

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        z = at[0] + at[1] * x
        off = weights * (1 / (1 + np.exp(-z)) - y)
        away = at - (0, 1)
        value = weights @ (np.logaddexp(0, z) - y * z) + PRIOR * away @ away / 2
        return value, np.array([off.sum(), off @ x]) + PRIOR * away

    best = minimize(loss, (0.0, 1.0), jac=True, method="L-BFGS-B", bounds=((None, None), (0, None)))
    return float(best.x[0]), float(best.x[1])
