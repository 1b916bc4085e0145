"""Long-tailed class sizes: each class is smaller than the one before by a constant factor.

Source: Cui et al., "Class-balanced loss", CVPR 2019 (exponential profile); as in Cao et al.,
"LDAM", NeurIPS 2019, except that sizes are rounded to the nearest instead of down.
"""

from __future__ import annotations

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ._checks import check_factor, checked_truth


@door
def long_tail(
    truth: np.ndarray, q: int, factor: float, shuffle: bool = False, seed: int = 0
) -> np.ndarray:
    """Which examples stay, so that class sizes fall off exponentially.

    The class in place k of 0..q-1 keeps ⌊N * factor^(-k / (q - 1))⌉ of its examples, with the
    largest N that no class lacks examples for. So the first is ``factor`` times as large as the
    last, to the nearest example.

    Args:
        truth: int (n,), in 0..q-1.
        q: number of classes, at least 2; each with an example.
        factor: the factor of imbalance, at least 1; 1 makes all classes as large as the smallest.
        shuffle: classes take their places at random; otherwise in order of their numbers.
        seed: not negative; with the same seed, and N, what stays of a class at a higher factor
            stays at a lower one.

    Returns:
        int64, row numbers in ascending order.

    Raises:
        ValueError: a factor below 1, a class without an example, or one that would lose its last;
            a truth out of range, fewer than two classes, a negative seed.
    """
    truth = checked_truth(truth, q, seed)
    check_factor(factor)
    there = np.bincount(truth, minlength=q)
    if not there.all():
        raise ValueError(
            f"class {int(there.argmin())} has no example, so its size cannot be that of a long "
            "tail. Leave the class out of `classes` first."
        )
    place = draw(seed, "imperfect.long_tail.places").permutation(q) if shuffle else np.arange(q)
    profile = np.power(float(factor), -place / (q - 1))
    sizes = ((there / profile).min() * profile + 0.5).astype(np.int64)
    if not sizes.all():
        lost = int(sizes.argmin())
        raise ValueError(
            f"a factor of {factor:g} leaves class {lost} without an example: the profile starts at"
            f" {sizes.max()}. Use a lower factor, or more data."
        )
    order = draw(seed, "imperfect.long_tail.rows").permutation(len(truth))
    kept = [order[truth[order] == label][:size] for label, size in enumerate(sizes)]
    return np.sort(np.concatenate(kept))
