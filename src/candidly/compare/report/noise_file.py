"""What is known of the noise in a data set's given labels, from a file."""

from __future__ import annotations

from pathlib import Path

from ...data.imperfect.matrix import read_shares
from ..sweep.correct import Noise


def read_noise(path: Path | str) -> Noise:
    """A matrix as it stands in a file, or what ``errors.estimate`` says of probabilities.

    Args:
        path: a ``.csv`` or ``.npy`` of shares, or the ``.npz`` of ``CrossValidated.save``.

    Raises:
        FileNotFoundError, ValueError: no such file, another thing, no given labels in it, or labels
            of which nothing can be said.
    """
    path = Path(path)
    if path.suffix.lower() != ".npz":
        return Noise(read_shares(path))
    from ...errors.amount import estimate
    from ...errors.crossval import CrossValidated

    found = CrossValidated.load(path)
    if found.given is None:
        raise ValueError(f"{path} has no given labels; make it of data that has some.")
    amount = estimate(found.given, found.probs / found.probs.sum(1, keepdims=True), unlabelled=True)
    if amount.why:
        raise ValueError(f"{path}: {amount.headline()}")
    return Noise(amount.transition, amount.at_ends())
