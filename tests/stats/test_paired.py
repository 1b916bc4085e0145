"""Paired tests and leaders: hand-worked, against SciPy, and what cannot be told."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from candidly.stats import (
    RandomSplits,
    bootstrap_interval,
    compare_all,
    corrected_t,
    correlated_t,
    equivalent,
    holm,
    leader,
    wilcoxon,
)

G = np.random.default_rng(5)
NAN = float("nan")


def test_without_overlap_it_is_the_paired_t_test():
    a, b = G.normal(0.5, 1, 12), G.normal(0, 1, 12)
    mine, scipys = corrected_t(a, b, 0), scipy.stats.ttest_rel(a, b)
    assert (mine.p, mine.statistic) == pytest.approx((scipys.pvalue, scipys.statistic), rel=1e-9)
    bounds = scipys.confidence_interval(0.95)
    assert (mine.low, mine.high) == pytest.approx((bounds.low, bounds.high), rel=1e-9)


def test_the_correction_by_hand():
    # d = 1, 2, 3; mean 2, s² = 1; 80 training and 20 test rows: variance 1/3 + 1/4 = 7/12
    found = corrected_t([2, 4, 6], [1, 2, 3], test_share=0.2)
    assert found.difference == pytest.approx(2)
    assert found.standard_deviation == pytest.approx(1)
    assert found.standard_error == pytest.approx(math.sqrt(7 / 12))
    t = 2 / math.sqrt(7 / 12)
    # with 2 degrees of freedom the two-sided p is 1 - t / sqrt(2 + t²)
    assert found.p == pytest.approx(1 - t / math.sqrt(2 + t * t))
    half = 4.302652729911275 * math.sqrt(7 / 12)
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half))
    turned = corrected_t([1, 2, 3], [2, 4, 6], test_share=0.2)
    assert (turned.difference, turned.p) == (-found.difference, found.p)


def test_missing_pairs_are_left_out_and_counted():
    found = corrected_t([2, None, 4, 6, 9], [1, 5, 2, 3, NAN], 0.2)
    assert found == corrected_t([2, 4, 6], [1, 2, 3], 0.2).__class__(
        **{**vars(corrected_t([2, 4, 6], [1, 2, 3], 0.2)), "left_out": 2}
    )


@pytest.mark.parametrize(
    ("first", "second", "difference", "pairs"),
    [([], [], None, 0), ([0.5], [0.25], 0.25, 1), ([None, 0.5], [0.5, None], None, 0)],
)
def test_fewer_than_two_pairs_cannot_be_told(first, second, difference, pairs):
    found = corrected_t(first, second, 0.1)
    assert (found.difference, found.pairs, found.p, found.low) == (difference, pairs, None, None)
    assert not found.told
    beliefs = correlated_t(first, second, 0.1, 0.01)
    assert (beliefs.worse, beliefs.equivalent, beliefs.better) == (None, None, None)
    boot = bootstrap_interval(first, second)
    assert (boot.mean, boot.low) == (difference, None)
    assert wilcoxon(first, second).p is None


def test_no_differences_and_equal_differences():
    same = corrected_t([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], 0.1)
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert wilcoxon([0.1, 0.2], [0.1, 0.2]).p == 1
    # 0.3 - 0.2 and 0.8 - 0.7 differ in the last bit, which must not become evidence
    apart = corrected_t([0.3, 0.8, 0.5], [0.2, 0.7, 0.4], 0.1)
    assert apart.difference == pytest.approx(0.1)
    assert (apart.standard_deviation, apart.p, apart.told) == (0, None, False)


@given(
    st.lists(st.tuples(*[st.sampled_from([None, NAN, 0.0, 0.3, 0.7, 1.0])] * 2), max_size=8),
)
def test_nan_never_comes_out(pairs):
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    values = [
        *vars(corrected_t(a, b, 0.1)).values(),
        *vars(correlated_t(a, b, 0.1, 0.01)).values(),
        *vars(wilcoxon(a, b)).values(),
    ]
    assert not any(isinstance(value, float) and math.isnan(value) for value in values)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: corrected_t([1, 2], [1], 0.1), "2 values cannot be paired with 1"),
        (lambda: corrected_t([1, 2], [1, 2], 1.0), "`test_share` is 1.0"),
        (lambda: corrected_t([1, math.inf], [1, 2], 0.1), r"`first` is infinite at \[1\]"),
        (lambda: corrected_t([1, "x"], [1, 2], 0.1), "`first` is no array of numbers"),
        (lambda: corrected_t([1, 2], [1, 2], 0.1, level=95), "`level` is 95"),
        (lambda: compare_all([[1, 2]], ["a"], RandomSplits(0.1)), "2 columns and `names` 1"),
        (lambda: compare_all([[1, 2]], ["a", "a"], RandomSplits(0.1)), "'a' comes twice"),
        (lambda: leader([], [], RandomSplits(0.1)), "`names` is empty"),
        (lambda: correlated_t([1, 2], [1, 3], 0.1, -1), "`rope` is -1"),
        (lambda: bootstrap_interval([1, 2], method="t"), "`method` is 't'"),
    ],
)
def test_refusals(call, says):
    with pytest.raises(ValueError, match=says):
        call()


# Demšar 2006, Table 2: C4.5 and C4.5 that also tunes m, differences on 14 data sets, second minus
# first; he finds rank sums 93 and 12 with ranks of zeros halved
DEMSAR = [5, -8, 17, 33, 6, -5, 7, 0, 63, 0, 22, 47, 9, 21]


def test_wilcoxon_of_demsar():
    found = wilcoxon(DEMSAR, [0] * 14)
    assert (found.for_first, found.for_second) == (93, 12)
    assert (found.first_higher, found.second_higher, found.equal) == (10, 2, 2)
    assert found.p is not None
    assert found.p < 0.05
    # 8 zeros have rank 4.5 and 12 the highest, 20: 38 against 105 expected; ties take 10.5 away
    many = wilcoxon([*range(1, 12), -12] + [0] * 8, [0] * 20)
    z = (38 - 105) / math.sqrt(20 * 21 * 41 / 24 - (8**3 - 8) / 48)
    assert (many.for_second, many.p) == (38, pytest.approx(2 * scipy.stats.norm.cdf(z)))
    turned = wilcoxon([0] * 14, DEMSAR)
    assert (turned.for_first, turned.p) == (12, found.p)


def test_wilcoxon_is_exact_for_few_pairs():
    d = np.array([0.3, -0.1, 0.7, 0.4, 1.1, -0.2, 0.9])
    signs = np.array(np.meshgrid(*[[0, 1]] * 7)).reshape(7, -1).T
    ranks = np.argsort(np.argsort(np.abs(d))) + 1
    sums = signs @ ranks
    p = np.mean(np.abs(sums - 14) >= abs(ranks[d > 0].sum() - 14))
    assert wilcoxon(d, np.zeros(7)).p == pytest.approx(p)


def test_all_pairs_and_holm():
    table = G.normal([3, 0, 0], [0.1, 0.5, 0.5], (8, 3))
    found = compare_all(table, ["a", "b", "c"], RandomSplits(0.1))
    p = [corrected_t(table[:, i], table[:, j], 0.1).p for i, j in ((0, 1), (0, 2), (1, 2))]
    assert [pair.p_holm for pair in found.pairs] == holm(np.array(p)).tolist()
    assert [pair.verdict for pair in found.pairs] == ["win", "win", "tie"]
    assert found.counts("a") == {"win": 2, "tie": 0, "loss": 0, "unknown": 0}
    assert found.counts("b") == {"win": 0, "tie": 1, "loss": 1, "unknown": 0}
    lower = compare_all(table, ["a", "b", "c"], RandomSplits(0.1), higher=False)
    assert [pair.verdict for pair in lower.pairs] == ["loss", "loss", "tie"]
    with pytest.raises(KeyError, match="'d' is not among"):
        found.counts("d")


def test_pairs_without_a_test_do_not_count_for_holm():
    table = [[3.0, 0.1, None], [3.2, 0.2, None], [3.1, 0.4, 1.0]]
    found = compare_all(table, ["a", "b", "c"], RandomSplits(0.1))
    assert (found.tested, found.pairs[0].p_holm) == (1, found.pairs[0].test.p)
    assert [pair.verdict for pair in found.pairs] == ["win", "unknown", "unknown"]
    assert compare_all([[1.0], [2.0]], ["a"], RandomSplits(0.1)).pairs == ()


def test_a_leader_must_beat_everybody():
    table = np.array([[0.9, 0.8, 0.5], [0.8, 0.9, 0.6], [0.95, 0.7, 0.5], [0.9, 0.9, 0.4]])
    found = leader(table, list("abc"), RandomSplits(0.1))
    assert (found.name, found.beyond_chance, found.splits) == ("a", False, 4)
    assert [(lead.over, lead.beyond_chance) for lead in found.leads] == [("b", False), ("c", True)]
    assert found.why == "The lead of a over b could be chance at 5%, over 4 splits."
    two = leader(table[:, [0, 2]], ["a", "c"], RandomSplits(0.1))
    assert (two.beyond_chance, two.why) == (True, "a leads c beyond chance over 4 splits.")
    assert leader(table, list("abc"), RandomSplits(0.1), higher=False).name == "c"
    assert leader(table, list("abc"), RandomSplits(0.1), higher=False).beyond_chance


def test_leaders_where_values_are_missing():
    alone = leader([[None, 0.5], [NAN, 0.6]], ["a", "b"], RandomSplits(0.1))
    assert (alone.name, alone.beyond_chance, alone.without) == ("b", False, ("a",))
    assert "only algorithm" in alone.why
    assert leader([[None]], ["a"], RandomSplits(0.1)).name is None
    assert leader([], ["a"], RandomSplits(0.1)).why == "Nobody has a value."
    # b is seen on the easy split only: its mean is higher, and nothing can be told
    easy = leader([[0.99, 0.99], [0.5, None], [0.6, None]], ["a", "b"], RandomSplits(0.1))
    assert (easy.name, easy.beyond_chance, easy.least_splits) == ("b", False, 1)
    assert "cannot be told from 1 split" in easy.why
    # b's mean is higher by a split that a lacks; where both are, a is higher beyond chance
    table = [[0.90, 0.80], [0.92, 0.81], [0.91, 0.79], [None, 5.0]]
    behind = leader(table, ["a", "b"], RandomSplits(0.1))
    assert behind.leads[0].test.p < 0.05
    assert (behind.name, behind.beyond_chance) == ("b", False)
    level = leader([[0.3, 0.3], [0.1, 0.1]], ["a", "b"], RandomSplits(0.1))
    assert (level.name, level.beyond_chance) == ("a", False)


def test_the_posterior_of_the_mean():
    a, b = G.normal(0.02, 0.05, 10), np.zeros(10)
    found = correlated_t(a, b, 0.2, rope=0.01)
    scale = a.std(ddof=1) * math.sqrt(0.1 + 0.25)
    t = scipy.stats.t(9, a.mean(), scale)
    expected = (t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01), t.sf(0.01))
    assert (found.worse, found.equivalent, found.better) == pytest.approx(expected, rel=1e-6)
    point = correlated_t(a, b, 0.2, rope=0)
    assert 2 * min(point.worse, point.better) == pytest.approx(corrected_t(a, b, 0.2).p)
    same = correlated_t([1, 2], [1, 2], 0.2, 0.0)
    assert (same.worse, same.equivalent, same.better) == (0, 1, 0)
    assert correlated_t([2, 3], [1, 2], 0.2, 0.0).better is None


def test_bootstrap_intervals():
    a = G.exponential(1, 40)
    found = bootstrap_interval(a, method="percentile", seed=3)
    slow = np.random.default_rng(9).choice(a, (9999, 40)).mean(1)
    tail = scipy.stats.norm.cdf(-((40 / 39) ** 0.5) * scipy.stats.t.ppf(0.975, 39))
    assert (found.low, found.high) == pytest.approx(np.quantile(slow, [tail, 1 - tail]), abs=0.02)
    # of normal values it is Student's, whatever their number
    few = scipy.stats.norm.ppf((np.arange(6) + 0.5) / 6)
    low, high = scipy.stats.t.interval(0.95, 5, few.mean(), scipy.stats.sem(few))
    found = bootstrap_interval(few, method="percentile")
    assert found.high - found.low == pytest.approx(high - low, rel=0.1)
    with pytest.raises(ValueError, match="0 or 1 in all 3 values; their mean is a share"):
        bootstrap_interval([0, 1, None, 0])
    bca = bootstrap_interval(a, seed=3)
    assert bca.method == "BCa"
    assert bca.low > found.low  # skewed to the right
    pairs = bootstrap_interval(a + 0.5, [*a[:-1], None], seed=3)
    assert (pairs.low, pairs.high, pairs.count, pairs.left_out) == (
        pytest.approx(0.5),
        pytest.approx(0.5),
        39,
        1,
    )


def test_equivalence_is_the_interval_within_the_margin():
    """p of two one-sided tests is at most alpha where the 1 - 2 alpha interval is within."""
    draws = np.random.default_rng(2)
    for _ in range(200):
        n, alpha = int(draws.integers(2, 9)), float(draws.uniform(0.01, 0.2))
        first = draws.normal(draws.normal(0, 0.3), 0.2, n)
        test = corrected_t(first, np.zeros(n), 0.1, 1 - 2 * alpha)
        within = max(abs(test.low), abs(test.high)) <= 0.5
        assert (equivalent(test, 0.5) <= alpha) == within


def test_equivalence_against_scipys_one_sided_tests():
    from scipy.stats import ttest_1samp

    values = [0.2, 0.05, -0.1, 0.15]
    test = corrected_t(values, [0] * 4, 0)
    below = ttest_1samp(values, 0.3, alternative="less").pvalue
    above = ttest_1samp(values, -0.3, alternative="greater").pvalue
    assert equivalent(test, 0.3) == pytest.approx(max(below, above), rel=1e-9)


def test_equivalence_without_chance_or_pairs():
    assert equivalent(corrected_t([1], [1], 0), 0.1) is None
    assert equivalent(corrected_t([1, 1], [1, 1], 0), 0.1) == 0
    with pytest.raises(ValueError, match="margin is 0"):
        equivalent(corrected_t([1, 2], [1, 1], 0), 0)
