"""Resampled numbers of right answers, of all models on the same drawn items."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ground.arrays import door
from ...ground.progress import OnProgress
from ...ground.seeds import draw

TOGETHER = 64  # resamples that share a matrix product; part of what a seed means


@door
def resample(
    right: np.ndarray,
    resamples: int,
    seed: int,
    name: str,
    watch: OnProgress = lambda done, total: None,
) -> np.ndarray:
    """Right answers in bootstrap samples of the items: n items drawn with replacement.

    Items on which all models are right, or all wrong, are drawn by number only; of the others,
    each sample's weights are multiplied with who is right. So differences stay paired.

    Args:
        right: bool (R, n).
        resamples: how many.
        seed, name: of the draws.
        watch: called now and then with resamples done and in all.

    Returns:
        int64 (resamples, R), in 0..n.

    Source: Efron, Annals of Statistics 7, 1979.
    """
    models, n = right.shape
    found = np.zeros((resamples, models), np.int64)
    if n == 0:
        return found
    everyone, nobody = right.all(0), ~right.any(0)
    between = np.flatnonzero(~(everyone | nobody))
    kind: Any = np.float32 if n < 2**24 else np.float64  # counts stay exact
    table = np.ascontiguousarray(right[:, between].T, dtype=kind)
    chances = np.array([everyone.sum(), nobody.sum(), len(between)]) / n
    for start in range(0, resamples, TOGETHER):
        size = min(TOGETHER, resamples - start)
        rng = draw(seed, f"stability: resample {name}", start)
        drawn = rng.multinomial(n, chances, TOGETHER)[:size]
        found[start : start + size] = drawn[:, :1]
        if len(between):
            # one row of counters per resample
            rows = np.repeat(np.arange(size) * len(between), drawn[:, 2])
            picks = rows + rng.integers(0, len(between), len(rows))
            weights = np.bincount(picks, minlength=size * len(between)).reshape(size, -1)
            found[start : start + size] += (weights.astype(kind) @ table).astype(np.int64)
        watch(start + size, resamples)
    return found


@door
def percentile_interval(values: np.ndarray, level: float = 0.95) -> np.ndarray:
    """The middle ``level`` of resampled values (resamples, ...): float64 (..., 2)."""
    tail = (1 - level) / 2
    return np.moveaxis(np.quantile(values, [tail, 1 - tail], axis=0), 0, -1)
