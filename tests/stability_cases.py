"""A small simulated benchmark with label errors, for several files of tests."""

from __future__ import annotations

import numpy as np

Q = 5


def arrays(models=4, n=400, wrong=40, pruned=10, seed=0):
    """Original labels, corrected labels and predictions of models of falling skill.

    The better a model is, the more it follows the first, wrong labels.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, Q, n)
    original, corrected = truth.copy(), truth.copy()
    touched = rng.choice(n, wrong + pruned, replace=False)
    bad, out = touched[:wrong], touched[wrong:]
    original[bad] = (truth[bad] + 1) % Q
    corrected[out] = -1
    predictions = {}
    for k in range(models):
        right = rng.random(n) < 0.95 - 0.08 * k
        mine = np.where(right, truth, rng.integers(0, Q, n))
        follows = rng.random(wrong) < 0.7 - 0.2 * k
        mine[bad] = np.where(follows, original[bad], mine[bad])
        predictions[f"model {k}"] = mine
    return original, corrected, predictions


def probabilities(predictions, seed=0):
    """Scores (n, Q) whose highest is the prediction."""
    scores = np.random.default_rng(seed).random((len(predictions), Q))
    scores[np.arange(len(predictions)), predictions] += 1
    return scores
