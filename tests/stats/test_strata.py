"""Totals of strata: by hand, against a share's interval, unbiased, and intervals that hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.stats import clopper_pearson, stratified_total
from candidly.stats.strata import more_to_halve


def test_two_strata_by_hand():
    # limits of 5 in 10 are .1871 and .8129, of 3 in 30 .0211 and .2653
    found = stratified_total([100, 900], [10, 30], [5, 3])
    near, far = 100 * np.sqrt(90 / 99), 900 * np.sqrt(870 / 899)
    assert found.total == pytest.approx(140)
    assert found.low == pytest.approx(140 - np.hypot(near * 0.3129, far * 0.0789), abs=0.1)
    assert found.high == pytest.approx(140 + np.hypot(near * 0.3129, far * 0.1653), abs=0.1)


@settings(max_examples=60)
@given(st.integers(1, 60), st.data())
def test_one_stratum_of_very_many_is_a_share(checked, data):
    found = data.draw(st.integers(0, checked))
    total = stratified_total([10**9], [checked], [found])
    low, high = clopper_pearson(np.array(found), checked) * 10**9
    assert total.low == pytest.approx(max(low, found), rel=1e-3)
    assert total.high == pytest.approx(high, rel=1e-3)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30), st.integers(0, 30)), min_size=1))
def test_what_was_found_is_the_least_and_what_may_be_is_the_most(strata):
    found, right, rest = (np.array(column) for column in zip(*strata))
    checked = np.maximum(found + right, 1)
    total = stratified_total(checked + rest, checked, found)
    assert found.sum() - 1e-9 <= total.low <= total.total + 1e-9
    assert total.total - 1e-9 <= total.high <= found.sum() + rest.sum() + 1e-9
    if not rest.any():
        assert total.low == total.high == pytest.approx(found.sum())
        assert more_to_halve(checked, checked, found) is None


def test_it_is_unbiased_and_its_interval_holds():
    rng = np.random.default_rng(3)
    sizes, wrong, checked = np.array([40, 200]), np.array([10, 6]), np.array([10, 50])
    draws = rng.hypergeometric(wrong, sizes - wrong, checked, (2000, 2))
    found = [stratified_total(sizes, checked, e) for e in draws]
    totals = np.array([f.total for f in found])
    assert totals.mean() == pytest.approx(16, abs=4 * totals.std() / 2000**0.5)
    assert np.mean([f.low <= 16 <= f.high for f in found]) >= 0.95


def test_empty_strata_are_no_matter():
    assert stratified_total([4, 0], [4, 0], [1, 0]) == stratified_total([4], [4], [1])


@pytest.mark.parametrize(
    ("checked", "found"), [([3, 3], [0, 4]), ([3, 30], [0, 0]), ([0, 3], [0, 0]), ([3, 3], [-1, 0])]
)
def test_strata_that_cannot_be_are_refused(checked, found):
    with pytest.raises(ValueError, match="stratum"):
        stratified_total([10, 20], checked, found)


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="2 sizes, 1 checked and 2 found"):
        stratified_total([10, 20], [3], [0, 0])
