"""What every process asks of its arguments."""

from __future__ import annotations

import numpy as np


def checked_truth(truth: np.ndarray, q: int, seed: int) -> np.ndarray:
    """``truth`` as int64 (n,), all in 0..q-1, for q of at least 2 and a seed of at least 0."""
    truth = np.asarray(truth)
    if q < 2:
        raise ValueError(f"there are {q} classes; imperfect labels need at least 2.")
    check_seed(seed)
    if truth.ndim != 1 or truth.dtype.kind not in "iu":
        raise ValueError(f"`truth` is {truth.dtype} of shape {truth.shape}, not integers (n,).")
    wrong = (truth < 0) | (truth >= q)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"`truth` is {int(truth[row])} at row {row}; every example needs its true label in"
            f" 0..{q - 1} here. Leave out the examples without: data[data.truth >= 0]."
        )
    return truth.astype(np.int64)


def check_seed(seed: int) -> None:
    """Raises ValueError when ``seed`` is not one for the generators."""
    if not 0 <= seed < 2**64:
        raise ValueError(f"`seed` is {seed}; it must be in 0..2**64-1.")


def check_rate(rate: float) -> None:
    """Raises ValueError when ``rate`` is not a probability."""
    if not 0 <= rate <= 1:
        raise ValueError(f"`rate` is {rate}; it must be in [0, 1].")


def check_factor(factor: float) -> None:
    """Raises ValueError when ``factor`` is not one of imbalance."""
    if not 1 <= factor < float("inf"):
        raise ValueError(f"`factor` is {factor}; an imbalance factor is at least 1, and finite.")
