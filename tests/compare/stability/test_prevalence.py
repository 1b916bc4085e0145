"""Accuracies as wrong labels become more frequent: enumeration, published sizes, identities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.compare.stability import (
    accuracy_at,
    accuracy_moments,
    kept_at,
    prevalence_at,
    x_mixture,
    x_removed,
)

SHARES = st.floats(0.01, 0.99)


@pytest.mark.parametrize("right_benign", range(6))
@pytest.mark.parametrize("kept", range(6))
def test_moments_are_those_of_every_subset(right_benign, kept):
    benign = [1] * right_benign + [0] * (5 - right_benign)
    accuracies = [(sum(some) + 2) / (kept + 3) for some in combinations(benign, kept)]
    mean, variance = accuracy_moments(kept, 5, right_benign, 3, 2)
    assert mean == pytest.approx(np.mean(accuracies))
    assert variance == pytest.approx(np.var(accuracies), abs=1e-15)


@pytest.mark.parametrize("benign", [0, 1])
def test_moments_without_a_choice(benign):
    assert accuracy_moments(benign, benign, benign, 4, 1) == ((benign + 1) / (benign + 4), 0)


@given(SHARES, SHARES)
def test_the_two_knobs_lead_to_the_prevalence(c, share):
    prevalence = c + share * (1 - c)
    assert prevalence_at(x_removed(prevalence, c), c) == pytest.approx(prevalence)
    mixed = x_mixture(prevalence, c)
    assert 1 - (1 - mixed) * (1 - c) == pytest.approx(prevalence)
    assert x_mixture(c, c) == pytest.approx(0, abs=1e-12)
    assert x_removed(c, c) == pytest.approx(0, abs=1e-12)


def test_prevalence_counts_what_is_left():
    benign, changed, kept = 80, 20, 60
    assert prevalence_at(1 - kept / benign, 0.2) == pytest.approx(changed / (kept + changed))
    assert kept_at(20 / 80, benign, changed) == pytest.approx(60)
    assert kept_at(0.0, benign, changed) == benign


def test_published_sizes_need_far_more_removed_than_mixed():
    imagenet, cifar = 1428 / 48_512, 18 / 9_964
    assert x_mixture(0.114, imagenet) == pytest.approx(0.087, abs=5e-4)
    assert x_removed(0.114, imagenet) == pytest.approx(0.764, abs=5e-4)
    assert x_mixture(0.05, cifar) == pytest.approx(0.048, abs=5e-4)
    assert x_removed(0.05, cifar) == pytest.approx(0.966, abs=5e-4)


def test_expected_accuracy_is_the_mean_of_what_is_drawn():
    for kept in (10, 40, 80):
        mean, _ = accuracy_moments(kept, 80, 60, 20, 5)
        assert accuracy_at(20 / (20 + kept), 60 / 80, 5 / 20) == pytest.approx(mean)
