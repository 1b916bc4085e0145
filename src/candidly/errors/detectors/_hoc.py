"""The transition matrix from how often an example and its two nearest agree.

If an example and its two nearest share their true class and labels go wrong on their own, the
shares of labels, of pairs and of triples of them are

    c1_j = Σ_i p_i T_ij      c2_jl = Σ_i p_i T_ij T_il      c3_jls = Σ_i p_i T_ij T_il T_is,

which fixes T and p up to the names of the classes; these are settled by starting near the
identity. What is minimised is the sum of squared differences to the counted shares. No (q, q, q)
array is needed: with G = T Tᵀ the squared norm of c_v is Σ_ab p_a p_b G_ab^v, and its product with
the counted shares is a mean over the triples.

Source: Zhu, Song & Liu, Clusterability as an alternative to anchor points when learning with noisy
labels, ICML 2021 (HOC).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...ground.arrays import door

START = 0.8  # of the diagonal


class Transition(NamedTuple):
    """Attributes:
    transition: float64 (q, q), P(given = column | true = row); rows sum to 1.
    prior: float64 (q,), the share of each true class.
    misfit: the sum of squared differences that is left.
    """

    transition: np.ndarray
    prior: np.ndarray
    misfit: float


class Triples(NamedTuple):
    """Different triples of labels (u, 3), and the share of each."""

    labels: np.ndarray
    share: np.ndarray


@door
def estimate_transition(
    given: np.ndarray, first: np.ndarray, second: np.ndarray, q: int
) -> Transition:
    """T and p from labels and those of the two nearest examples: int (n,) each, in 0..q-1."""
    from scipy.optimize import minimize

    labels, counts = np.unique(np.stack([given, first, second], 1), axis=0, return_counts=True)
    triples = Triples(labels, counts / len(given))
    prior = np.bincount(given, minlength=q) / len(given)
    away = (1 - START) / max(q - 1, 1)
    start = np.where(np.eye(q, dtype=bool), np.log(START / away), 0.0)
    logits = np.concatenate([start.ravel(), np.log(prior + 1e-6)])
    found = minimize(
        _misfit_of_logits, logits, (triples, q), "L-BFGS-B", jac=True, options={"maxiter": 500}
    )
    transition, prior = _unpacked(found.x, q)
    return Transition(transition, prior, max(0.0, float(found.fun)))


def _misfit_of_logits(logits: np.ndarray, triples: Triples, q: int) -> tuple[float, np.ndarray]:
    transition, prior = _unpacked(logits, q)
    value, by_transition, by_prior = misfit(transition, prior, triples)
    return value, np.concatenate(
        [_through_softmax(transition, by_transition).ravel(), _through_softmax(prior, by_prior)]
    )


def misfit(
    transition: np.ndarray, prior: np.ndarray, triples: Triples
) -> tuple[float, np.ndarray, np.ndarray]:
    """|c1 - ĉ1|² + |c2 - ĉ2|² + |c3 - ĉ3|² and its derivatives by T (q, q) and p (q,)."""
    gram = transition @ transition.T
    powers = gram + gram**2 + gram**3
    slopes = 1 + 2 * gram + 3 * gram**2
    x, y, z = (transition[:, column] for column in triples.labels.T)  # (q, u) each
    match = (x + x * y + x * y * z) @ triples.share
    value = prior @ powers @ prior - 2 * prior @ match + _counted(triples)
    by_match = np.zeros_like(transition)
    for column, slope in zip(triples.labels.T, (1 + y + y * z, x + x * z, x * y)):
        np.add.at(by_match.T, column, (slope * triples.share).T)
    by_transition = 2 * prior[:, None] * ((slopes * prior) @ transition - by_match)
    return float(value), by_transition, 2 * (powers @ prior - match)


def _counted(triples: Triples) -> float:
    """|ĉ1|² + |ĉ2|² + |ĉ3|²."""
    total = float((triples.share**2).sum())
    for width in (1, 2):
        _, where = np.unique(triples.labels[:, :width], axis=0, return_inverse=True)
        total += float((np.bincount(where.ravel(), triples.share) ** 2).sum())
    return total


def _unpacked(logits: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray]:
    return _softmax(logits[: q * q].reshape(q, q)), _softmax(logits[q * q :])


def _softmax(logits: np.ndarray) -> np.ndarray:
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def _through_softmax(shares: np.ndarray, slope: np.ndarray) -> np.ndarray:
    return shares * (slope - (shares * slope).sum(-1, keepdims=True))
