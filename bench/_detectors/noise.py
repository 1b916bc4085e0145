"""Wrong labels for the study: exactly round(rate n) of them, whatever the kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from candidly.seeds import draw

SPREAD = 0.1  # of an example's own rate, for instance-dependent noise
Noise = Callable[[np.ndarray, np.ndarray, int, float, int], np.ndarray]


def uniform(inputs: np.ndarray, truth: np.ndarray, q: int, rate: float, seed: int) -> np.ndarray:
    """Any other class, with equal chances."""
    weights = (np.arange(q) != np.arange(q)[:, None]).astype(float)
    return _made(truth, weights[truth], np.ones(len(truth)), rate, seed, "uniform")


def pair(inputs: np.ndarray, truth: np.ndarray, q: int, rate: float, seed: int) -> np.ndarray:
    """The next class."""
    weights = np.roll(np.eye(q), 1, axis=1)
    return _made(truth, weights[truth], np.ones(len(truth)), rate, seed, "pair")


def class_dependent(
    inputs: np.ndarray, truth: np.ndarray, q: int, rate: float, seed: int
) -> np.ndarray:
    """Every class has a random share of wrong labels, and few classes that they go to."""
    rng = draw(seed, "study.class-dependent")
    weights = rng.gamma(0.3, size=(q, q)) + 1e-6
    np.fill_diagonal(weights, 0)
    share = rng.uniform(0.5, 1.5, q)
    return _made(truth, weights[truth], share[truth], rate, seed, "class-dependent rows")


def instance_dependent(
    inputs: np.ndarray, truth: np.ndarray, q: int, rate: float, seed: int
) -> np.ndarray:
    """Where an example lies decides: a random projection of its inputs per true class.

    Source: Xia et al., Part-dependent label noise, NeurIPS 2020, with the number made exact.
    """
    rng = draw(seed, "study.instance-dependent")
    table = inputs.reshape(len(inputs), -1).astype(np.float64)
    table = (table - table.mean(0)) / np.where(table.std(0) > 0, table.std(0), 1)
    own = np.clip(rng.normal(rate, SPREAD, len(truth)), 1e-3, 1)
    scores = np.full((len(truth), q), -np.inf)
    for k in range(q):
        mine = truth == k
        scores[mine] = table[mine] @ rng.normal(size=(table.shape[1], q))
    scores[np.arange(len(truth)), truth] = -np.inf
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return _made(truth, weights, own, rate, seed, "instance-dependent rows")


NOISES: Mapping[str, Noise] = {
    "uniform": uniform,
    "pair": pair,
    "class-dependent": class_dependent,
    "instance-dependent": instance_dependent,
}


def _made(
    truth: np.ndarray, weights: np.ndarray, share: np.ndarray, rate: float, seed: int, name: str
) -> np.ndarray:
    """Rows drawn without replacement in proportion to ``share``, labels to ``weights`` (n, q)."""
    rng = draw(seed, f"study.{name}")
    n = len(truth)
    # the largest of u^(1/w) are such a draw (Efraimidis & Spirakis, 2006)
    rows = np.argsort(-np.log(rng.random(n)) / share, kind="stable")[: round(rate * n)]
    reach = weights[rows].cumsum(1)
    labels = truth.copy()
    labels[rows] = (rng.random((len(rows), 1)) * reach[:, -1:] >= reach).sum(1)
    return labels
