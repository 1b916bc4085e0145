"""Candidate sets by probabilities: by hand, and what holds of all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.data import narrowed
from candidly.data.labels.narrowing import likeliest

seeds = st.integers(0, 2**32 - 1)


def made(seed):
    """Sets, one of them empty and one full, and probabilities with zeros and ties."""
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(2, 9)), int(rng.integers(2, 7))
    sets = rng.random((n, q)) < 0.6
    sets[0], sets[-1] = False, True
    probs = rng.integers(0, 4, (n, q)) / 4
    return sets, probs


def test_by_hand():
    sets = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 1, 1]], bool)
    probs = np.array([[0.1, 0.3, 0.1, 0.5], [0.4, 0.4, 0.2, 0.0], [0.9, 0.1, 0.0, 0.0]])
    # of the first row 0.5 is within the set: 0.3 is 60 % of it, and 0.3 + 0.1 is 80 %
    first = {0.6: [0, 1, 0, 0], 0.61: [1, 1, 0, 0], 0.8: [1, 1, 0, 0], 0.81: [1, 1, 1, 0]}
    for mass, row in first.items():
        assert narrowed(sets, probs, mass)[0].tolist() == row, mass
    assert narrowed(sets, probs, 0.4)[1].tolist() == [1, 0, 0, 0]  # the first of equal ones
    assert narrowed(sets, probs, 0.4)[2].tolist() == [0, 0, 1, 1]  # nothing is said of these


@given(seeds, st.floats(0.01, 1))
def test_what_stays_is_the_fewest_that_have_the_mass(seed, mass):
    sets, probs = made(seed)
    found = narrowed(sets, probs, mass)
    assert not (found & ~sets).any()
    assert (found.any(1) == sets.any(1)).all()
    for keep, own in zip(found, np.where(sets, probs, 0)):
        if own.sum() == 0:
            continue
        share = own[keep].sum() / own.sum()
        assert share >= mass - 1e-9
        assert (share - own[keep].min() / own.sum()) < mass  # without the least likely, too little
        assert own[keep].min() >= own[~keep].max(initial=0)


@given(seeds)
def test_more_mass_keeps_more_and_scale_does_not_matter(seed):
    sets, probs = made(seed)
    before = np.zeros_like(sets)
    for mass in (0.2, 0.5, 0.9, 1.0):
        found = narrowed(sets, probs, mass)
        assert not (before & ~found).any() or mass == 0.2
        assert (narrowed(sets, 8 * probs, mass) == found).all()
        before = found
    assert (
        before == np.where(np.where(sets, probs, 0).any(1)[:, None], sets & (probs > 0), sets)
    ).all()


def test_a_truth_that_the_probabilities_are_sure_of_stays():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 200)
    sets = rng.random((200, 5)) < 0.5
    sets[np.arange(200), truth] = True
    probs = 0.1 + 0.5 * np.eye(5)[truth]
    assert narrowed(sets, probs, 0.5)[np.arange(200), truth].all()


@pytest.mark.parametrize(
    ("sets", "probs", "mass", "told"),
    [
        ([[True, True]], [[0.5, 0.5, 0]], 0.9, "must be alike"),
        ([[True, True]], [[0.5, -0.5]], 0.9, "`probs` is -0.5 at row 0, column 1"),
        ([[True, True]], [[0.5, np.nan]], 0.9, "`probs` is nan at row 0, column 1"),
        ([[True, True]], [[0.5, 0.5]], 0, "`mass` is 0"),
        ([[True, True]], [[0.5, 0.5]], 1.1, "`mass` is 1.1"),
        ([[True, True]], [[0.5, 0.5]], "much", "`mass` is 'much'"),
    ],
)
def test_what_is_no_such_thing_is_refused(sets, probs, mass, told):
    with pytest.raises(ValueError, match=told):
        narrowed(np.array(sets), np.array(probs), mass)


def test_the_sum_of_a_row_is_reached_in_spite_of_rounding():
    shares = np.full((1, 10), 0.1)
    assert likeliest(shares, 1.0).all()
    assert likeliest(shares, 0.3).sum() == 3
