"""Label errors that were planted, and what is found of them."""

from __future__ import annotations

import numpy as np

from candidly import errors


def issues_of(n, m, wrong=20):
    return errors.find(*made_of(n, m, wrong))


def made_of(n, m, wrong=20):
    rng = np.random.default_rng(1)
    truth = np.arange(n) % m
    given = truth.copy()
    given[rng.choice(n, wrong, replace=False)] = 0
    logits = rng.normal(size=(n, m)) + 5 * np.eye(m)[truth]
    probs = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return given, probs
