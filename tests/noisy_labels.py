"""Labels that are wrong here and there, for tests."""

from __future__ import annotations

import numpy as np


def noisy(n=400, m=5, seed=0, dtype=np.float64, sharpness=0.3):
    """Labels, of which some are wrong, and probabilities."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.full(m, sharpness), n)
    given = probs.argmax(1)
    wrong = rng.random(n) < 0.2
    given[wrong] = rng.integers(0, m, wrong.sum())
    probs = probs.astype(dtype)
    return given, probs / probs.sum(1, keepdims=True)
