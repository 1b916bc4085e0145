"""The fast selection against the slow one, where ties are everywhere."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from errors import slow

from candidly import errors
from candidly.errors import _evidence, _select

BYS = ("noise rate", "class", "both", "confident", "predicted", "margin", "self-confidence")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def random_case(seed):
    rng = np.random.default_rng([seed, 7])
    n, m = int(rng.integers(1, 41)), int(rng.integers(2, 6))
    steps = int(rng.choice([2, 3, 4, 8, 10, 100, 1000]))
    given, probs = slow.make_grid(seed, n, m, steps, rng.choice([np.float32, np.float64]))
    options = {"keep": int(rng.choice([0, 1, 1, 1, 3])), "fraction": float(rng.choice([1, 1, 0.5]))}
    if rng.random() < 0.3:
        counts = np.bincount(given, minlength=m)
        options = {"quotas": rng.integers(0, counts + 1), "keep": options["keep"]}
    if rng.random() < 0.3:
        options["collisions"] = "masked"
    return given, probs, options


@pytest.mark.parametrize("block", range(10))
def test_every_method_equals_the_slow_version_on_coarse_grids(block):
    for seed in range(300 * block, 300 * (block + 1)):
        given, probs, options = random_case(seed)
        for by in BYS if seed % 5 == 0 else BYS[:3]:
            found = errors.find(given, probs, by, **options).mask
            assert np.array_equal(found, slow.find(given, probs, by, **options)), (seed, by)
