"""Folds of a cross-validation in one stack, beside the same folds one after the other.

Both sides train cross-entropy on five folds through ``cross_validate``, in this process on one
thread; they take turns, and figures are medians over the rounds. The checks for copies and the
predictions are part of both sides.

    python bench/probabilities.py            about a minute; writes bench/results/probabilities.json
    python bench/probabilities.py --quick    a few seconds
"""

from __future__ import annotations

from functools import partial

import numpy as np

from _bench import Claim, at_least, at_most, interleaved, main, median_ratio, timed
from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled
from candidly.errors.crossval import Network, _networks, cross_validate

SHAPES = ((1122, 108, 16), (4998, 38, 13))
BATCHES = (32, 128)


def made(n: int, d: int, q: int) -> Labelled:
    g = np.random.default_rng(0)
    return from_arrays(g.normal(size=(n, d)).astype(np.float32), g.integers(0, q, n), classes=q)


def run(data: Labelled, network: Network, together: bool) -> np.ndarray:
    whole = _networks.together
    if not together:
        _networks.together = lambda members: [[k] for k in range(len(members))]
    try:
        return cross_validate(network, data).probs
    finally:
        _networks.together = whole


def measure(quick: bool) -> list[Claim]:
    claims = []
    for shape in SHAPES[: 1 if quick else None]:
        data, label = made(*shape), " x ".join(map(str, shape))
        for batch in BATCHES:
            network = Network("ce", 60 if quick else 300, {"batch_size": batch})
            sides = [timed(partial(run, data, network, side), 1) for side in (False, True)]
            alone, stacked = interleaved(2 if quick else 5, *sides)
            claims.append(
                at_least(
                    f"{label}: five folds, batch {batch}: speed-up",
                    median_ratio(alone, stacked),
                    1.2,
                )
            )
    equal = made(1000, 20, 5)  # 200 rows a fold: none is filled up
    network = Network("ce", 30)
    difference = np.abs(run(equal, network, True) - run(equal, network, False)).max()
    return [*claims, at_most("largest difference of a probability", difference, 0)]


if __name__ == "__main__":
    main("probabilities", __doc__ or "", measure)
