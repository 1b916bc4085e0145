"""Corrected labels of the MNIST test set, from what five people answered about each candidate."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from candidly.validation import corrected, judge, read_released


def corrected_labels(data: Path, original: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels int64 (n,), -1 where no single label is right; and bool (n,), which were checked."""
    votes = read_released(data / "label_errors" / "mturk" / "mnist_mturk.json")
    checked = np.zeros(len(original), bool)
    checked[votes.item] = True
    return corrected(original, judge(votes)).labels, checked
