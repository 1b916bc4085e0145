"""From counts of (given, true class) to rates: matrices in NumPy, (m, m) as people read them.

Source: Northcutt, Jiang & Chuang, Confident learning: estimating uncertainty in dataset labels,
JAIR 2021; names of matrices as there.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from ._cells import Cells

TINY = 1e-100
MOST_NOISE = 0.9999  # an off-diagonal rate
LEAST_PRIOR = 1e-6

PriorBy = Literal["count", "equation", "marginal", "marginal-ps"]


class NoiseMatrices(NamedTuple):
    """P(given k | true j) at [k, j], and P(true j | given k) at [j, k]; columns sum to 1."""

    forward: np.ndarray
    inverse: np.ndarray


def diagonals(joint: Cells) -> tuple[np.ndarray, np.ndarray]:
    """The diagonals of both noise matrices, float64 (m,) each, without making the matrices."""
    turned = Cells(joint.m, joint.other, joint.given, joint.count)  # sums need no order
    return _diagonal(joint), _diagonal(turned)


def _diagonal(joint: Cells) -> np.ndarray:
    """The diagonal of ``_columns``."""
    rates = joint.count / np.maximum(joint.column_sums, TINY)[joint.other]
    off = joint.given != joint.other
    diagonal = joint.diagonal / np.maximum(joint.column_sums, TINY)
    others = np.bincount(joint.other[off], np.minimum(rates[off], MOST_NOISE), minlength=joint.m)
    return diagonal / np.maximum(diagonal + others, TINY)


def noise_matrices(joint: np.ndarray) -> NoiseMatrices:
    """Both noise matrices of a joint (given, true), counts or probabilities."""
    return NoiseMatrices(_columns(joint), _columns(joint.T))


def _columns(matrix: np.ndarray) -> np.ndarray:
    """Columns divided by their sums; off-diagonal rates at most ``MOST_NOISE``."""
    rates = matrix / np.maximum(matrix.sum(0), TINY)
    return clipped(rates)


def clipped(rates: np.ndarray) -> np.ndarray:
    """Off-diagonal rates within [0, MOST_NOISE], columns summing to 1 again."""
    limited = np.clip(rates, 0, MOST_NOISE)
    np.fill_diagonal(limited, rates.diagonal())
    return limited / np.maximum(limited.sum(0), TINY)


def prior(
    joint: np.ndarray,
    given_shares: np.ndarray,
    matrices: NoiseMatrices | None = None,
    by: PriorBy = "count",
) -> np.ndarray:
    """The share of each true class: float64 (m,), sums to 1.

    Args:
        joint: (m, m), given by true.
        given_shares: (m,), how often each label was given.
        by: ``count``: V_jj / N_jj times the share; ``equation``: N^-1 shares; ``marginal``:
            column sums of the joint; ``marginal-ps``: V shares.

    Raises:
        ValueError: ``by`` is none of these, or ``equation`` meets a singular matrix.
    """
    forward, inverse = matrices or noise_matrices(joint)
    if by == "count":
        estimate = inverse.diagonal() / np.maximum(forward.diagonal(), TINY) * given_shares
    elif by == "equation":
        try:
            estimate = np.linalg.solve(forward, given_shares)
        except np.linalg.LinAlgError:
            raise ValueError("the noise matrix has no inverse; use by='count'.") from None
    elif by == "marginal":
        estimate = joint.sum(0) / joint.sum()
    elif by == "marginal-ps":
        estimate = inverse @ given_shares
    else:
        raise ValueError(f"by={by!r}: choose count, equation, marginal or marginal-ps.")
    limited = np.clip(estimate, LEAST_PRIOR, 1)
    return limited / limited.sum()


def consistent(joint: np.ndarray, given_shares: np.ndarray) -> tuple[np.ndarray, NoiseMatrices]:
    """The prior and both matrices after a pass that makes them agree with each other."""
    forward, inverse = noise_matrices(joint)
    latent = prior(joint, given_shares)
    for _ in range(3):
        for _ in range(5):
            inverse = clipped((forward * latent).T / np.maximum(given_shares, TINY))
            latent = prior(joint, given_shares, NoiseMatrices(forward, inverse))
        forward = clipped((inverse * given_shares).T / np.maximum(latent, TINY))
    latent = np.clip(latent, 1e-5, 1)
    return latent / latent.sum(), NoiseMatrices(forward, inverse)
