"""Summaries: hand-worked, against SciPy, and unbiased where they say so."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from candidly.stats import (
    Summary,
    clopper_pearson,
    interval,
    paired_difference,
    share_interval,
    summarise,
    wilson,
)


def test_worked_case():
    sample = summarise([2.0, 4.0, 9.0])
    assert sample == Summary(5.0, math.sqrt(13), math.sqrt(13 / 3), 3)
    population = summarise([2.0, 4.0, 9.0], ddof=0)
    assert population.standard_deviation == pytest.approx(math.sqrt(26 / 3))
    assert population.standard_error == pytest.approx(math.sqrt(26) / 3)


def test_what_is_undefined_is_none():
    assert summarise([]) == Summary(None, None, None, 0)
    assert summarise([None, float("nan")]) == Summary(None, None, None, 0)
    assert summarise([0.5, None]) == Summary(0.5, None, None, 1)
    assert summarise([0.5], ddof=0) == Summary(0.5, None, None, 1)
    with pytest.raises(ValueError, match="`ddof` is 2"):
        summarise([1.0], ddof=2)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=9), st.sampled_from([0, 1]))
def test_agrees_with_scipy(values, ddof):
    summary = summarise(values, ddof)
    assert summary.mean == pytest.approx(np.mean(values), abs=1e-9)
    assert summary.standard_error == pytest.approx(scipy.stats.sem(values, ddof=ddof), abs=1e-9)


def bias_of_squared_error(ddof):
    """Mean squared standard error over the variance it estimates; normal draws, 5 a mean."""
    draws = np.random.default_rng(0).normal(size=(4000, 5))
    squared = np.array([summarise(row, ddof).standard_error for row in draws]) ** 2
    ratio = squared / (1 / 5)
    return ratio.mean() - 1, ratio.std() / math.sqrt(len(ratio))


def test_d_agg_1_fixed_standard_error_is_unbiased():
    bias, error = bias_of_squared_error(ddof=1)
    assert abs(bias) < 4 * error


def test_d_agg_1_plench_standard_error_is_too_small():
    bias, error = bias_of_squared_error(ddof=0)
    assert bias < -4 * error
    assert bias == pytest.approx(-1 / 5, abs=4 * error)


def test_pairs():
    shared = np.array([0.2, 0.5, 0.9, 0.4])
    lead = paired_difference(list(shared + 0.05), list(shared))
    assert lead.mean == pytest.approx(0.05)
    assert lead.standard_error == pytest.approx(0, abs=1e-12)
    assert paired_difference([0.5, None, 1.0], [0.25, 0.5, float("nan")]).count == 1
    with pytest.raises(ValueError, match="2 values cannot be paired with 1"):
        paired_difference([0.1, 0.2], [0.1])


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=9), st.sampled_from([0.9, 0.95]))
def test_interval_is_scipys(values, level):
    if np.std(values) < 1e-6:
        return
    expected = scipy.stats.ttest_1samp(values, 0).confidence_interval(level)
    assert interval(summarise(values), level) == pytest.approx(tuple(expected), rel=1e-6, abs=1e-9)


def test_interval_covers_the_mean_as_often_as_it_says():
    g, hits, times = np.random.default_rng(0), 0, 4000
    for values in g.normal(0.3, 1, size=(times, 3)):
        low, high = interval(summarise(values.tolist()))
        hits += low <= 0.3 <= high
    assert abs(hits / times - 0.95) < 4 * math.sqrt(0.95 * 0.05 / times)


def test_one_value_has_no_interval():
    assert interval(summarise([0.5])) is None
    assert interval(summarise([])) is None


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("right", "of"), [(0, 5), (5, 5), (3, 10), (12, 18), (99, 1000)])
def test_intervals_of_shares_against_scipy(right, of, level):
    test = scipy.stats.binomtest(right, of)
    for mine, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = test.proportion_ci(level, method=method)
        np.testing.assert_allclose(mine(np.array([right]), of, level)[0], theirs, atol=1e-9)


def test_a_share_of_few_has_the_exact_interval():
    right, of = np.array([4, 4, 0]), np.array([39, 40, 0])
    mine = share_interval(right, of)
    np.testing.assert_array_equal(mine[0], clopper_pearson(right, of)[0])
    np.testing.assert_array_equal(mine[1], wilson(right, of)[1])
    assert not np.array_equal(mine[1], clopper_pearson(right, of)[1])
    assert np.isnan(mine[2]).all()
