"""Pairs of models: tests, intervals and strengths against independent computations."""

from __future__ import annotations

import itertools
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from candidly.compare.ranking import make_scores, make_wins, rank, units_needed
from candidly.compare.ranking._compared import compare
from candidly.compare.ranking._wins import compare_wins

GRADES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 4), st.integers(2, 25)),
    elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
)


def named(values):
    return {f"m{k}": one for k, one in enumerate(values)}


@given(hnp.arrays(bool, st.tuples(st.just(2), st.integers(1, 40))))
def test_right_or_wrong_is_the_binomial_test(right):
    compared = compare(make_scores(named(right)))
    b, c = (right[0] & ~right[1]).sum(), (right[1] & ~right[0]).sum()
    expected = scipy.stats.binomtest(int(b), int(b + c), 0.5).pvalue if b + c else 1.0
    assert compared.p[0, 1] == pytest.approx(expected)
    assert compared.differing[0, 1] == b + c


def all_signs(sums):
    """The share of all signs whose sum is as far from 0: the randomisation test itself."""
    signs = np.array(list(itertools.product((-1, 1), repeat=len(sums))))
    return (np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9).mean()


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.floats(0, 0.3))
def test_signs_are_near_all_signs(seed, ahead):
    """Fifteen groups are enough for the normal limit of all 32,768 signs, where p is small."""
    g = np.random.default_rng(seed)
    group = np.repeat(np.arange(15), 4)
    values = g.random((2, 60)) * [[1 - ahead], [1 - ahead]] + [[ahead], [0]]
    compared = compare(make_scores(named(values), groups=group))
    exact = all_signs(np.bincount(group, values[0] - values[1]))
    assert min(compared.p[0, 1], 0.2) == pytest.approx(min(exact, 0.2), abs=0.03)


@given(GRADES)
def test_p_is_never_below_that_of_the_best_signs(values):
    compared = compare(make_scores(named(values)))
    differing = (values[:, None] != values).sum(-1)
    np.testing.assert_array_equal(compared.differing, differing)
    assert (compared.p >= np.minimum(1, 2.0 ** (1 - differing)) - 1e-12).all()
    assert (compared.p[differing == 0] == 1).all()


@given(GRADES, st.data())
def test_nothing_depends_on_orders_or_on_items_without_a_difference(values, data):
    scores = make_scores(named(values), weights=np.arange(1, values.shape[1] + 1))
    items = data.draw(st.permutations(range(values.shape[1])))
    shuffled = make_scores(named(values[:, items]), weights=np.array(items) + 1)
    first, second = compare(scores), compare(shuffled)
    np.testing.assert_allclose(first.p, second.p, atol=1e-9)
    np.testing.assert_allclose(first.intervals(0.9), second.intervals(0.9), atol=1e-9)
    same = np.full((len(values), 3), 0.25)
    more = compare(make_scores(named(np.hstack([values, same])), between=(-1, 1)))
    np.testing.assert_allclose(more.p, compare(make_scores(named(values), between=(-1, 1))).p)


@given(GRADES)
def test_a_group_of_copies_is_one_item_of_more_weight(values):
    """An item that is there three times says no more than once, but counts three times as much."""
    times = 1 + np.arange(values.shape[1]) % 3
    copies = np.repeat(np.arange(values.shape[1]), times)
    grouped = compare(make_scores(named(values[:, copies]), groups=copies))
    weighted = compare(make_scores(named(values), weights=times))
    np.testing.assert_allclose(grouped.p, weighted.p, atol=1e-9)
    np.testing.assert_allclose(grouped.mean, weighted.mean)
    np.testing.assert_allclose(grouped.error, weighted.error, atol=1e-7)


def by_hand(sums, weights, level):
    """Differences on a fine grid that the test of signs does not reject, with two more items."""
    sums, weights = np.append(sums, [1.0, -1.0]), np.append(weights, [1.0, 1.0])
    grid = np.linspace(-1, 1, 8001)
    away = sums - grid[:, None] * weights
    z = np.abs(away.sum(1)) / np.sqrt((away**2).sum(1))
    inside = grid[z <= NormalDist().inv_cdf((1 + level) / 2)]
    return inside.min(), inside.max()


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.sampled_from([0.8, 0.95, 0.999]))
def test_intervals_are_what_the_test_does_not_reject(seed, level):
    g = np.random.default_rng(seed)
    group, weight = np.sort(g.integers(0, 30, 60)), g.choice([0.5, 2.0], 60)
    values = g.choice([0.0, 0.5, 1.0], (2, 60))
    scores = make_scores(named(values), groups=group, weights=weight)
    bounds = compare(scores).intervals(level)
    w = scores.weight
    sums = np.bincount(scores.group, (values[0] - values[1]) * w)
    np.testing.assert_allclose(
        bounds[0, 1], by_hand(sums, np.bincount(scores.group, w), level), atol=3e-4
    )
    np.testing.assert_allclose(bounds[1, 0], -bounds[0, 1][::-1])


def test_what_runs_have_of_the_variance():
    """All luck between runs: all of the variance is theirs. None: nothing. Groups count, too."""
    g = np.random.default_rng(0)
    luck = (g.random((2, 3000, 4)) < 0.5).astype(float)
    fixed = np.repeat((g.random((2, 3000, 1)) < 0.5).astype(float), 4, axis=2)
    assert [one.run_share for one in rank(named(luck)).models] == pytest.approx([1, 1], abs=0.06)
    assert [one.run_share for one in rank(named(fixed)).models] == [0, 0]
    group = np.repeat(np.arange(300), 10)
    alike = 0.5 * luck + 0.5 * (g.random((2, 300)) < 0.5)[:, group, None]
    by_item = rank(named(alike)).models[0].run_share
    by_group = rank(make_scores(named(alike), groups=group)).models[0].run_share
    # variances of a mean of ten: 0.25 * 0.25 / 4 / 10 of runs, and 0.25 * 0.25 of the group
    assert by_group == pytest.approx((1 / 40) / (1 + 1 / 40), rel=0.2)
    assert by_item == pytest.approx((1 / 4) / (1 + 1 / 4), rel=0.2)


def test_standard_error_of_groups_by_hand():
    """Two groups of two items: differences 1, 0 and 1, 1; their mean is 0.75."""
    values = np.array([[1.0, 0.5, 1.0, 1.0], [0.0, 0.5, 0.0, 0.0]])
    compared = compare(make_scores(named(values), groups=[0, 0, 1, 1]))
    away = np.array([(0.25 - 0.75), (0.25 + 0.25)])  # sums of differences less the mean
    assert compared.difference[0, 1] == 0.75
    assert compared.error[0, 1] == pytest.approx(np.sqrt(2 * (away**2).sum()) / 4)
    assert compared.units == 2


@given(st.integers(0, 10_000))
def test_strengths_are_those_of_logistic_regression(seed):
    from sklearn.linear_model import LogisticRegression

    g = np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(4), 2)))
    i, j = np.tile(pairs, (20, 1)).T
    won = g.random(len(i)) < 0.5
    won[: len(pairs)], won[len(pairs) : 2 * len(pairs)] = True, False  # nobody only wins
    design = np.zeros((len(i), 4))
    design[np.arange(len(i)), i], design[np.arange(len(i)), j] = 1, -1
    fitted = LogisticRegression(C=1e9, fit_intercept=False, tol=1e-10, max_iter=1000)
    strengths = fitted.fit(design, won).coef_[0]
    wins = make_wins(i.astype(str), j.astype(str), won)
    found = compare_wins(wins)
    np.testing.assert_allclose(found.mean, strengths - strengths.mean(), atol=1e-4)
    # the sandwich, from the design itself
    p = 1 / (1 + np.exp(-design @ strengths))
    bread = np.linalg.pinv((design.T * (p * (1 - p))) @ design)
    meat = (design.T * (won - p) ** 2) @ design * len(i) / (len(i) - 1)
    variance = bread @ meat @ bread
    c = np.array([1.0, -1, 0, 0])
    assert found.error[0, 1] == pytest.approx(np.sqrt(c @ variance @ c), rel=1e-3)


def test_comparisons_of_a_question_count_once():
    """The same comparisons three times, as groups, are no more evidence than once."""
    g = np.random.default_rng(0)
    first, second = np.tile(["a", "b", "a"], 30), np.tile(["b", "c", "c"], 30)
    won = g.random(90) < 0.6
    once = compare_wins(make_wins(first, second, won))
    rows = np.repeat(np.arange(90), 3)
    thrice = compare_wins(make_wins(first[rows], second[rows], won[rows], rows))
    np.testing.assert_allclose(once.error, thrice.error, rtol=1e-6)
    np.testing.assert_allclose(once.mean, thrice.mean, atol=1e-8)


@pytest.mark.parametrize(
    ("first", "second", "won", "said"),
    [
        (["a"], ["a"], [1], "with itself"),
        (["a", "b"], ["b", "a"], [1, 0], "only won, only lost"),
        (["a"], ["b"], [2], "is 2 in comparison 0"),
        (["a", "b"], ["b"], [1, 0], "shape"),
        ([], [], [], "no comparisons"),
    ],
)
def test_wins_that_do_not_fit(first, second, won, said):
    with pytest.raises(ValueError, match=said):
        make_wins(first, second, won)


@given(st.floats(0.01, 0.2), st.floats(0.001, 0.05), st.integers(50, 5000))
def test_units_needed_give_that_power(difference, error, units):
    """With so many units the chance that the test rejects is what was asked."""
    n = units_needed(difference, error, units, 0.95, 0.8)
    spread = units * error**2
    critical = NormalDist().inv_cdf(0.975) * np.sqrt((spread + difference**2) / n)
    chance = 1 - NormalDist(difference, np.sqrt(spread / n)).cdf(critical)
    assert chance >= 0.8 - 1e-6
    assert n < 30 or chance < 0.83
    assert units_needed(0.0, error, units, 0.95) is None


@given(GRADES)
def test_ranks_and_places(values):
    found = rank(named(values))
    means = values.mean(1)
    for one in found.models:
        mean = means[int(one.model[1:])]
        assert one.score == pytest.approx(mean)
        assert one.possible[0] <= one.rank <= one.possible[1]
        assert one.low - 1e-12 <= mean <= one.high + 1e-12
    ahead = {(one.first, one.second) for one in found.pairs if one.adjusted <= 0.05}
    for one in found.models:
        beaten = sum(second == one.model for _, second in ahead)
        beats = sum(first == one.model for first, _ in ahead)
        assert one.possible == (1 + beaten, len(values) - beats)
    assert found.apart == len(ahead)
    assert all(found.surely_ahead(*pair) for pair in ahead)
