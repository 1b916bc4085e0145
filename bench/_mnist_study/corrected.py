"""Corrected labels of the MNIST test set, from what five people answered about each candidate."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

PRUNED = -1
MAJORITY = 3  # of five


def corrected_labels(data: Path, original: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels int64 (n,), -1 where no single label is right; and bool (n,), which were checked.

    The given label stands where most people chose it, the guess replaces it where most chose that,
    and anything else prunes the item. Where the guess is the given label the same votes are stored
    under both names, and count once.
    """
    labels, checked = original.copy(), np.zeros(len(original), bool)
    for row in json.loads((data / "label_errors" / "mturk" / "mnist_mturk.json").read_text()):
        item, votes = row["id"], row["mturk"]
        if original[item] != row["given_original_label"]:
            raise ValueError(f"item {item} was given {row['given_original_label']}.")
        checked[item] = True
        if votes["given"] < MAJORITY:
            guessed = votes["guessed"] >= MAJORITY
            labels[item] = row["our_guessed_label"] if guessed else PRUNED
    return labels, checked
