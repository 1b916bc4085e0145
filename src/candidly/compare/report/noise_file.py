"""What is known of the noise in a data set's given labels, from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...data.imperfect.matrix import read_shares
from ..sweep.correct import Noise


def read_noise(path: Path | str) -> Noise:
    """A matrix as it stands in a file, or one counted in out-of-sample probabilities.

    Args:
        path: a ``.csv`` or ``.npy`` of shares, or the ``.npz`` of ``CrossValidated.save``.

    Raises:
        FileNotFoundError, ValueError: no such file, another thing, or no given labels in it.
    """
    path = Path(path)
    if path.suffix.lower() != ".npz":
        return Noise(read_shares(path))
    from ...errors.confident import confident_joint, noise_matrices
    from ...errors.crossval import CrossValidated

    found = CrossValidated.load(path)
    if found.given is None:
        raise ValueError(f"{path} has no given labels; make it of data that has some.")
    probs = found.probs / found.probs.sum(1, keepdims=True)
    counts = confident_joint(found.given, probs).sum(0)
    forward = noise_matrices(found.given, probs).forward
    return Noise(np.ascontiguousarray(forward.T), counts)
