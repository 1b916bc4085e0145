"""Paired tests over splits: against scipy, by hand, and their error rates by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats as scipys

from candidly.stats import compare_all, corrected_t, holm, wilcoxon


def test_without_shared_rows_it_is_the_usual_paired_test():
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 10):
        a, b = rng.normal(size=(2, n))
        found, theirs = corrected_t(a, b, 0), scipys.ttest_rel(a, b)
        assert found.statistic == pytest.approx(theirs.statistic)
        assert found.p == pytest.approx(theirs.pvalue)
        low, high = theirs.confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((low, high))
        assert found.difference == pytest.approx((a - b).mean())  # the first minus the second


def test_shared_rows_widen_the_interval_as_the_formula_says():
    """Differences 1, 2, 3: mean 2, variance 1; of 10 rows 1 is tested on: 1/3 + 1/9 = 4/9."""
    found = corrected_t([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], test_share=0.1)
    assert found.standard_error == pytest.approx(2 / 3)
    assert found.statistic == pytest.approx(3.0)
    assert found.p == pytest.approx(2 * scipys.t.sf(3, 2))
    assert found.high - found.low == pytest.approx(2 * scipys.t.ppf(0.975, 2) * 2 / 3)


def test_what_is_missing_is_left_out_and_counted():
    whole = corrected_t([0.9, 0.8, 0.7], [0.8, 0.6, 0.4], 0.1)
    found = corrected_t([0.9, None, 0.8, 0.7, 0.5], [0.8, 0.1, 0.6, 0.4, float("nan")], 0.1)
    assert (found.pairs, found.left_out) == (3, 2)
    assert found.p == whole.p
    alone = corrected_t([0.9, None], [0.8, 0.7], 0.1)
    assert (alone.difference, alone.p, alone.told) == (pytest.approx(0.1), None, False)
    assert corrected_t([], [], 0.1).difference is None


def test_equal_differences_are_no_certainty():
    same = corrected_t([0.5, 0.6, 0.7], [0.5, 0.6, 0.7], 0.1)
    assert (same.p, same.low, same.high) == (1.0, 0.0, 0.0)
    coarse = corrected_t([0.6, 0.7, 0.8], [0.5, 0.6, 0.7], 0.1)
    assert (coarse.difference, coarse.p) == (pytest.approx(0.1), None)


@pytest.mark.parametrize(
    ("first", "second", "share", "message"),
    [
        ([0.1], [0.1, 0.2], 0.1, "1 values cannot be paired with 2"),
        ([0.1, float("inf")], [0.1, 0.2], 0.1, r"`first` is infinite at \[1\]"),
        ([0.1, 0.2], [0.1, 0.3], 1.0, "`test_share` is 1.0"),
        ([[0.1]], [0.1], 0.1, "`first` has 2 dimensions"),
    ],
)
def test_what_cannot_be_compared_is_refused(first, second, share, message):
    with pytest.raises(ValueError, match=message):
        corrected_t(first, second, share)


def test_signed_ranks_are_scipys():
    rng = np.random.default_rng(1)
    for n in (5, 9, 20):
        a, b = rng.normal(size=(2, n))
        found = wilcoxon(a, b)
        assert found.p == pytest.approx(scipys.wilcoxon(a, b).pvalue)
        assert found.for_first + found.for_second == n * (n + 1) / 2
        assert min(found.for_first, found.for_second) == scipys.wilcoxon(a, b).statistic
    assert wilcoxon([1, 2], [1, 2]).p == 1.0
    assert wilcoxon([1], [2]).p is None


def test_holm_is_what_stepping_down_says():
    rng = np.random.default_rng(2)
    for _ in range(50):
        p = rng.random(rng.integers(1, 8)) ** 3
        for alpha in (0.01, 0.05, 0.2):
            rejected = set()
            for step, k in enumerate(np.argsort(p)):
                if p[k] > alpha / (len(p) - step):
                    break
                rejected.add(int(k))
            assert set(np.flatnonzero(holm(p) <= alpha)) == rejected


def test_all_pairs_have_their_test_and_their_verdict():
    rng = np.random.default_rng(3)
    names = ("a", "b", "c", "d")
    table = rng.normal([0.9, 0.5, 0.5, 0.4], 0.02, size=(8, 4))
    table[0, 3] = np.nan
    found = compare_all(table, names, test_share=0.1)
    assert [(one.first, one.second) for one in found.pairs] == list(
        itertools.combinations(names, 2)
    )
    raw = [
        corrected_t(table[:, i], table[:, j], 0.1) for i, j in itertools.combinations(range(4), 2)
    ]
    assert [one.test for one in found.pairs] == raw
    adjusted = holm(np.array([one.p for one in raw]))
    assert [one.p_holm for one in found.pairs] == adjusted.tolist()
    assert found.counts("a") == {"win": 3, "tie": 0, "loss": 0, "unknown": 0}
    assert found.counts("d")["loss"] == 3
    lower = compare_all(table, names, test_share=0.1, higher=False)
    assert lower.counts("a") == {"win": 0, "tie": 0, "loss": 3, "unknown": 0}
    few = compare_all(table[:1], names, test_share=0.1)
    assert (few.tested, few.counts("a")["unknown"]) == (0, 3)
    with pytest.raises(KeyError, match="'x' is not among a, b"):
        found.counts("x")


def accuracies(rng, k, splits, n=120, block=6):
    """Accuracies of k classifiers that are equally good, on random splits of one fresh data set.

    Each looks at a block of features of its own; blocks are drawn alike. Classes are told apart by
    their nearest means.
    """
    labels = np.arange(n) % 2
    features = rng.normal(size=(k, n, block)) + 0.35 * labels[:, None]
    table = np.empty((splits, k))
    for split in range(splits):
        order = rng.permutation(n)
        tested, learned = order[: n // 10], order[n // 10 :]
        for j, x in enumerate(features):
            means = [x[learned[labels[learned] == c]].mean(0) for c in (0, 1)]
            away = [((x[tested] - mean) ** 2).sum(1) for mean in means]
            table[split, j] = ((away[1] < away[0]) == labels[tested]).mean()
    return table


def found_apart(rng, k, splits, share):
    found = compare_all(accuracies(rng, k, splits), [f"a{j}" for j in range(k)], share)
    return any(pair.verdict in ("win", "loss") for pair in found.pairs)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 8])
@pytest.mark.parametrize("splits", [3, 5, 10])
def test_among_equals_there_is_rarely_a_winner(k, splits):
    rng = np.random.default_rng([k, splits])
    times = 400
    wrong = sum(found_apart(rng, k, splits, 0.1) for _ in range(times))
    assert wrong <= scipys.binom.ppf(0.999, times, 0.05)


@pytest.mark.slow
def test_the_usual_test_finds_winners_among_equals():
    """Why the correction is there: without it ten splits that share rows find far too many."""
    rng = np.random.default_rng(4)
    wrong = sum(found_apart(rng, 2, 10, 0.0) for _ in range(300))
    assert wrong > 0.08 * 300


def test_a_lead_of_three_points_is_mostly_found():
    """Differences with a standard deviation of 2 points over 10 splits."""
    rng = np.random.default_rng(5)
    found = [
        compare_all(np.c_[rng.normal(3, 2, 10), np.zeros(10)], ["a", "b"], 0.1) for _ in range(300)
    ]
    assert np.mean([one.counts("a")["win"] for one in found]) > 0.5
