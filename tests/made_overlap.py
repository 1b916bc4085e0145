"""Rows of classes that overlap, with labels of which some are wrong."""

import numpy as np


def made(n=300, q=4, rate=0.1, seed=0, scale=2.0):
    """Logits of rows, their true classes drawn from these, and labels of which some are moved."""
    rng = np.random.default_rng(seed)
    logs = scale * rng.normal(size=(n, q))
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    true = (np.exp(logs).cumsum(1) > rng.random(n)[:, None]).argmax(1)
    hit = rng.random(n) < rate
    return logs, true, np.where(hit, (true + rng.integers(1, q, n)) % q, true).astype(np.int64)
