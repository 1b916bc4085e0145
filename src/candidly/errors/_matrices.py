"""From counts of (given, confident guess) to rates: small matrices, in NumPy.

Source: Northcutt, Jiang & Chuang, Confident learning: estimating uncertainty in dataset labels,
JAIR 2021; names of matrices as there.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from . import _kernels

TINY = 1e-100
MOST_NOISE = 0.9999  # an off-diagonal rate
LEAST_PRIOR = 1e-6

PriorBy = Literal["count", "equation", "marginal", "marginal-ps"]


class NoiseMatrices(NamedTuple):
    """P(given k | true j) at [k, j], and P(true j | given k) at [j, k]; columns sum to 1."""

    forward: np.ndarray
    inverse: np.ndarray


def floored(counts: np.ndarray) -> np.ndarray:
    """Counts with at least 1 on the diagonal, so that every class can be divided by."""
    counts = counts.copy()
    np.fill_diagonal(counts, np.maximum(counts.diagonal(), 1))
    return counts


def calibrated(counts: np.ndarray, given_counts: np.ndarray) -> np.ndarray:
    """Floored rows scaled to how often each label was given: int (m, m), (m,) -> float64 (m, m)."""
    diagonal = np.maximum(counts.diagonal(), 1)  # as ``floored``, without another matrix
    sums = counts.sum(1) + diagonal - counts.diagonal()
    rows = counts / sums[:, None]
    np.fill_diagonal(rows, diagonal / sums)
    rows *= given_counts[:, None]
    rows /= max(rows.sum(), TINY)
    rows *= given_counts.sum()
    return rows


def rounded(matrix: np.ndarray) -> np.ndarray:
    """Integers whose rows have the rounded totals of ``matrix``'s rows; ties to lower columns."""
    return _kernels.round_rows(matrix)


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


def prune_counts(
    joint: np.ndarray,
    given_counts: np.ndarray,
    keep: int = 1,
    fraction: float = 1.0,
    quotas: np.ndarray | None = None,
) -> np.ndarray:
    """How many examples to take for every (given, true) pair; how many stay, on the diagonal.

    Args:
        joint: int (m, m), calibrated counts.
        keep: examples of a class that stay at least.
        fraction: of the estimated errors to take.
        quotas: int (m,), examples to take per class instead of the estimate.

    Returns:
        int64 (m, m), truncated towards 0.

    Raises:
        ValueError: an option makes no sense, by name.
    """
    if keep < 0:
        raise ValueError(f"keep is {keep}; it is the number of examples that stay, 0 or more.")
    if not 0 <= fraction <= 1:
        raise ValueError(f"fraction is {fraction}; it lies between 0 and 1.")
    matrix = joint.astype(np.float64)
    if quotas is not None:
        if fraction != 1:
            raise ValueError("quotas say how many to take; a fraction of them is another quota.")
        wanted = _quotas(quotas, given_counts)
        np.fill_diagonal(matrix, 0)
        matrix *= wanted[:, None]  # whole numbers still: ties in rounding are exact
        matrix /= np.maximum(joint.sum(1) - joint.diagonal(), 1)[:, None]
        np.fill_diagonal(matrix, given_counts - wanted)
        matrix = rounded(matrix).astype(np.float64)
    diagonal = matrix.diagonal().copy()
    stays = np.maximum(diagonal, keep)
    lacks = np.flatnonzero(stays > diagonal)
    others = np.maximum(np.count_nonzero(matrix[lacks], axis=1) - 1, 1)
    less = matrix[lacks] - ((stays - diagonal)[lacks] / others)[:, None]
    matrix[lacks] = np.maximum(less, 0)
    if fraction != 1:
        np.fill_diagonal(matrix, 0)
        stays += (matrix - matrix * fraction).sum(1)
        matrix *= fraction
    np.fill_diagonal(matrix, stays)
    return matrix.astype(np.int64)


def _quotas(quotas: np.ndarray, given_counts: np.ndarray) -> np.ndarray:
    """Quotas as int64 (m,), checked."""
    asked = np.asarray(quotas)
    if asked.shape != given_counts.shape:
        raise ValueError(f"`quotas` has shape {asked.shape}, not ({len(given_counts)},).")
    if asked.dtype.kind not in "iu":
        raise TypeError(f"`quotas` holds {asked.dtype}; it counts examples.")
    if len(bad := np.flatnonzero((asked < 0) | (asked > given_counts))):
        k = int(bad[0])
        raise ValueError(
            f"`quotas` is {asked[k]} for class {k}, which was given {given_counts[k]} times."
        )
    return asked.astype(np.int64)
