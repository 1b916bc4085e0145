"""Means that are rounded once: the same for every order of the rows."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given as with_cases
from hypothesis import settings
from hypothesis import strategies as st

from candidly import errors
from candidly.errors.confident._exact import exact_means

import slow_errors as slow


def means_in_fractions(given, values, m):
    """The rule, in rational numbers."""
    found = []
    for k in range(m):
        mine = [Fraction(float(v)) for v in values[given == k]]
        found.append(float(sum(mine) / len(mine)) if mine else math.nan)
    return np.array(found)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None)  # the first case compiles
@with_cases(data=st.data())
def test_means_are_those_of_fractions(dtype, data):
    width = 32 if dtype == np.float32 else 64
    number = st.floats(-1.875, 1.875, width=width, allow_subnormal=True)
    values = np.array(data.draw(st.lists(number, min_size=1, max_size=40)), dtype)
    given = np.array(
        data.draw(st.lists(st.integers(-1, 2), min_size=len(values), max_size=len(values)))
    )
    counts, means = exact_means(given, values, 3)
    assert counts.tolist() == [(given == k).sum() for k in range(3)]
    assert means.tobytes() == means_in_fractions(given, values, 3).tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_that_floats_would_lose(dtype):
    tiny, one = np.finfo(dtype).smallest_subnormal, dtype(1)
    values = np.array([one, tiny, -one, tiny, 0], dtype)
    _, means = exact_means(np.zeros(5, np.int8), values, 1)
    assert means[0] == float(Fraction(float(tiny)) * 2 / 5)


def test_many_numbers_carry():
    values = np.full(3_000_000, np.float32(0.1))
    counts, means = exact_means(np.zeros(len(values), np.int16), values, 1)
    assert (counts[0], means[0]) == (3_000_000, float(np.float32(0.1)))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_thresholds_do_not_depend_on_the_order_of_rows():
    given, probs = slow.make(3, 20_000, 5, sharp=1.5, wrong=0.3)
    probs = probs.astype(np.float32)
    order = np.random.default_rng(0).permutation(len(given))
    first, then = errors.thresholds(given, probs), errors.thresholds(given[order], probs[order])
    assert first.tobytes() == then.tobytes()
