"""A model's probabilities: checked once, at the door."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...ground.arrays import ENTRY_SLACK, as_table, rows_are, sum_slack
from ._answers import Answers

WORTH_SAYING = 1e-5  # a sum that is off by more gets a warning


def checked_probs(probs: Any, answers: Answers) -> np.ndarray:
    """Probabilities as float64 (n, m), a row per item; columns with names go by the classes'.

    Raises:
        ValueError: another shape, NaN, an entry outside [0, 1] by more than 1e-6, or a row whose
            sum is off 1 by more than 0.001, rounding aside; the message names the first row and
            how many.

    Warns:
        UserWarning: sums that are off by more than 0.00001.
    """
    n, m = answers.n, answers.m
    rows_are(probs, answers.items, "probs")
    array = as_table(probs, "probs", answers.classes)
    if array.shape != (n, m):
        raise ValueError(
            f"`probs` has shape {array.shape}; {n} items and {m} classes need {(n, m)}."
        )
    if array.dtype.kind not in "fiu":
        raise ValueError(f"`probs` holds {array.dtype}; probabilities are floats.")
    if array.dtype.kind != "f":
        array = array.astype(np.float64)
    slack = sum_slack(array.dtype if array.dtype.itemsize > 2 else np.dtype(np.float32))
    array = array.astype(np.float64)
    sums = array.sum(1)
    off = np.abs(sums - 1)
    outside = (array.min(1) < -ENTRY_SLACK) | (array.max(1) > 1 + ENTRY_SLACK)
    _refuse(~np.isfinite(array).all(1), "NaN or infinity")
    _refuse(outside, "an entry outside [0, 1]")
    _refuse(off > slack, f"a sum that is off 1 by up to {off.max():.3g}")
    if off.max() > WORTH_SAYING:
        warnings.warn(
            f"rows of `probs` sum to 1 up to {off.max():.2g} (row {off.argmax()}).", stacklevel=3
        )
    return np.clip(array, 0, None)


def answer_shares(answers: Answers, probs: np.ndarray | None) -> np.ndarray:
    """Shares of the answers, the model's among them; uniform where there are none."""
    counts = answers.counts.astype(np.float64)
    if probs is not None:
        counts += probs
    sums = counts.sum(1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1), 1 / answers.m)


def drawn_classes(shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A class of each row by its shares (rows, m), which need not sum to 1: int64 (rows,)."""
    heights = shares.cumsum(1)
    drawn: np.ndarray = (heights < rng.random(len(shares))[:, None] * heights[:, -1:]).sum(1)
    return np.minimum(drawn, shares.shape[1] - 1)


def _refuse(wrong: np.ndarray, what: str) -> None:
    if wrong.any():
        count = int(wrong.sum())
        raise ValueError(
            f"`probs` has {what} at row {wrong.argmax()}, and in {count}"
            f" row{'s' * (count != 1)} in all. Probabilities lie in [0, 1], and rows"
            " sum to 1, give or take 0.001."
        )
