"""Sequences that hold at all times: coverage by simulation, logic at the ends, planning."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.compare.checks import _sequential as module
from candidly.compare.checks import confidence_sequence, evidence, planning_number


def population(size, more, less, seed):
    values = np.zeros(size, int)
    values[:more], values[more : more + less] = 1, -1
    return np.random.default_rng(seed).permutation(values)


@pytest.mark.parametrize(("size", "more", "less"), [(40, 20, 12), (30, 10, 10), (30, 3, 24)])
def test_the_sequence_covers_at_all_times_together(size, more, less):
    alpha, truth, times, missed = 0.3, (more - less) / size, 150, 0
    for seed in range(times):
        bounds = confidence_sequence(population(size, more, less, seed), size, alpha)
        missed += ((bounds[:, 0] > truth + 1e-12) | (bounds[:, 1] < truth - 1e-12)).any()
    assert missed / times <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / times)


def test_the_sequence_shrinks_to_the_mean():
    bounds = confidence_sequence(population(80, 50, 10, 0), 80)
    assert bounds[-1].tolist() == [0.5, 0.5]
    assert (np.diff(bounds[:, 0]) >= 0).all()
    assert (np.diff(bounds[:, 1]) <= 0).all()
    # never wider than what is logically left
    seen = np.cumsum(population(80, 50, 10, 0))
    left = 80 - np.arange(1, 81)
    assert (bounds[:, 0] >= (seen - left) / 80 - 1e-12).all()
    assert (bounds[:, 1] <= (seen + left) / 80 + 1e-12).all()


def test_it_needs_fewer_than_the_planning_number():
    size, more, less = 1000, 350, 150
    planned = planning_number((more - less) / size, size)
    stops = []
    for seed in range(10):
        found = evidence(population(size, more, less, seed), size)
        stops.append(int(np.argmax(found.not_above <= 0.05)) + 1)
    assert np.median(stops) < planned


@pytest.mark.parametrize("bound", [-5, 0, 8])
def test_a_wrong_side_is_rarely_called(bound):
    """At the bound itself neither side is true."""
    size, alpha, times = 60, 0.2, 200
    more = 20 + bound
    wrong = 0
    for seed in range(times):
        found = evidence(population(size, more, 20, seed), size, bound)
        wrong += min(found.not_above[-1], found.not_below[-1]) <= alpha
    assert wrong / times <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / times)


@pytest.mark.parametrize("values", [[1, 1, 0, -1, -1, 1], [0.3, 1, -0.7, 0.1, -1, 0.25]])
def test_capitals_are_martingales(values):
    """Their mean over every order of a small population is 1 at all times, at the true total."""
    from itertools import permutations

    orders = sorted(set(permutations(values)))
    sums = np.zeros((2, len(values)))
    for order in orders:
        for t, (up, down) in enumerate(
            module._capitals(np.array(order), len(values), np.array([sum(values)]))
        ):
            sums[:, t] += np.exp([up[0], down[0]])
    np.testing.assert_allclose(sums / len(orders), 1, rtol=1e-9)


def test_evidence_and_sequence_agree():
    values = population(50, 35, 5, 3)
    bounds = confidence_sequence(values, 50, 0.1)
    found = evidence(values, 50)
    np.testing.assert_array_equal(bounds[:, 0] > 0, found.not_above <= 0.1)


def test_planning_number_solves_its_equation():
    for mean, size in ((0.2, 10_000), (0.05, 3_000), (-0.4, 90)):
        q = planning_number(mean, size)
        wanted = 2 * math.log(2 / 0.05) / mean**2
        assert q - 1 < wanted * (1 - Fraction(q, size)) + 1
        exact = wanted * size / (wanted + size)
        assert exact == pytest.approx(wanted * (1 - exact / size))
        assert q == math.ceil(exact)
    assert planning_number(0, 10) is None
    assert planning_number(1e-9, 10) == 10


def test_what_is_refused():
    with pytest.raises(ValueError, match="must be -1, 0 or 1"):
        confidence_sequence(np.array([2]), 5)
    with pytest.raises(ValueError, match="6 values of 5 items"):
        evidence(np.zeros(6, int), 5)
    with pytest.raises(ValueError, match="between -1 and 1"):
        evidence(np.array([0.5, 1.01]), 5)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.data())
def test_a_sum_of_fractions_is_never_ruled_out(values, data):
    """Whatever the rounding: with all items seen, the true total is not beaten."""
    values = np.array(values)
    found = evidence(values, len(values), float(values.sum()))
    assert np.isfinite(np.log(found.not_above)).all()
    assert np.isfinite(np.log(found.not_below)).all()
    shifted = evidence(values, len(values), float(np.clip(values.sum() - 0.01, -len(values), None)))
    assert (shifted.not_below == 1).all() or shifted.not_above[-1] <= found.not_above[-1]
