"""Ranks and their tests: Demšar's published example, SciPy, slow versions, ties and nothing."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from candidly.stats import (
    average_ranks,
    conover,
    friedman,
    nemenyi,
    rank_stability,
    signed_rank,
)

# Demšar 2006, Table 6: ranks of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets
NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
RANKS = [
    [4, 3, 2, 1],
    [1, 2, 3, 4],
    [4, 1, 2, 3],
    [4, 1, 3, 2],
    [4, 2, 3, 1],
    [1, 2.5, 4, 2.5],
    [3, 2, 4, 1],
    [2.5, 2.5, 4, 1],
    [4, 3, 2, 1],
    [2.5, 2.5, 2.5, 2.5],
    [4, 2.5, 1, 2.5],
    [3, 2, 4, 1],
    [4, 1, 2, 3],
    [3, 1, 4, 2],
]
G = np.random.default_rng(2)


def test_demsars_example():
    found = average_ranks(RANKS, NAMES, higher=False)
    assert found.ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    # he does not correct for ties: 12n / (k(k+1)) (sum R² - k(k+1)²/4) = 9.28, and F = 3.69
    usual = 12 * 14 / 20 * (sum(rank**2 for rank in found.ranks) - 25)
    assert usual == pytest.approx(9.28, abs=5e-3)
    assert 13 * usual / (14 * 3 - usual) == pytest.approx(3.69, abs=5e-3)
    # three rows tie two and one ties four: 1 - (3 (2³ - 2) + 4³ - 4) / (14 (4³ - 4))
    test = friedman(RANKS, NAMES)
    assert test.chi_square == pytest.approx(usual / (1 - (3 * 6 + 60) / (14 * 60)))
    assert test.f == pytest.approx(13 * test.chi_square / (42 - test.chi_square))
    assert test.p_f == pytest.approx(scipy.stats.f.sf(test.f, 3, 39))
    # his CD at 0.10 is 2.291 sqrt(4 * 5 / (6 * 14)) = 1.12, at which two pairs differ
    groups = nemenyi(RANKS, NAMES, alpha=0.1, higher=False)
    assert groups.critical_difference == pytest.approx(2.291 * math.sqrt(20 / 84), abs=1e-3)
    assert groups.names == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    assert groups.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (8, 3.031), (10, 3.164)]
)
def test_demsars_table_of_critical_values(k, q):
    found = nemenyi(G.random((6, k)), [str(j) for j in range(k)], higher=True)
    assert found.critical_difference == pytest.approx(q * math.sqrt(k * (k + 1) / 36), rel=6e-4)


def test_friedman_is_scipys():
    table = G.integers(0, 4, (9, 5)) / 4
    mine, scipys = friedman(table, list("abcde")), scipy.stats.friedmanchisquare(*table.T)
    assert (mine.chi_square, mine.p_chi_square) == pytest.approx(tuple(scipys))
    # two algorithms: the sign test's chi-square, (6 - 2)² / 8
    two = friedman([[1, 0]] * 6 + [[0, 1]] * 2, ["a", "b"])
    assert two.chi_square == pytest.approx(2)


def test_friedman_where_all_agree_and_where_all_tie():
    agree = friedman([[1, 2, 3]] * 3, list("abc"))
    assert (agree.chi_square, agree.f) == (pytest.approx(6), math.inf)
    assert agree.p_f == pytest.approx(1 / 36)  # the second and third row follow the first
    tied = friedman([[1, 1, 2]] * 3, list("abc"))
    assert tied.p_f == pytest.approx(1 / 9)
    same = friedman([[1, 1, 1]] * 3, list("abc"))
    assert (same.chi_square, same.p_chi_square, same.f, same.p_f) == (0, 1, 0, 1)


def test_conover_by_the_other_formula():
    table = G.normal([0, 0.5, 1, 1], 1, (10, 4))
    found = conover(table, list("abcd"), higher=True)
    ranks = scipy.stats.rankdata(-table, axis=1)
    # two-way analysis of variance of the ranks: residuals after rows and columns
    residuals = ranks - ranks.mean(0) - ranks.mean(1, keepdims=True) + ranks.mean()
    square = (residuals**2).sum() / (9 * 3)
    for pair, (i, j) in zip(found.pairs, itertools.combinations(range(4), 2)):
        gap = ranks[:, i].mean() - ranks[:, j].mean()
        assert pair.difference == pytest.approx(gap)
        t = abs(gap) / math.sqrt(square * 2 / 10)
        assert pair.p == pytest.approx(2 * scipy.stats.t.sf(t, 27))
        assert pair.p_holm >= pair.p
    agree = conover([[1, 2, 2]] * 5, list("abc"), higher=True)
    assert [pair.p for pair in agree.pairs] == [1 / 16, 1 / 16, 1]


def test_rows_that_lack_a_value_and_too_few():
    table = [[0.9, 0.8], [None, 0.8], [0.7, float("nan")]]
    names = ["a", "b"]
    assert average_ranks(table, names, higher=True).ranks == (1, 2)
    assert average_ranks(table[1:], names, higher=True).ranks is None
    test = friedman(table, names)
    assert (test.chi_square, test.p_f, test.rows, test.left_out) == (None, None, 1, 2)
    groups = nemenyi(table, ["b", "a"], higher=False)
    assert (groups.names, groups.critical_difference) == (("a", "b"), None)
    assert groups.groups == (("a", "b"),)
    assert nemenyi(table[1:], names, higher=True).ranks is None
    assert conover(table, names, higher=True).pairs[0].p is None
    steady = rank_stability(table, names, higher=True)
    assert [row.rank for row in steady.algorithms] == [1, 2]
    assert (steady.tau, steady.algorithms[0].first, steady.left_out) == (None, None, 2)


def test_one_algorithm():
    table = [[0.5], [0.6], [0.7]]
    assert average_ranks(table, ["a"], higher=True).ranks == (1,)
    assert friedman(table, ["a"]).p_f is None
    assert nemenyi(table, ["a"], higher=True).groups == ()
    assert conover(table, ["a"], higher=True).pairs == ()
    steady = rank_stability(table, ["a"], higher=True, resamples=10)
    assert (steady.algorithms[0].first, steady.tau) == (1, None)


def test_two_hundred_algorithms():
    names = [f"a{j}" for j in range(200)]
    table = G.random((4, 200))
    found = nemenyi(table, names, higher=True)
    assert math.isfinite(found.critical_difference)
    steady = rank_stability(table, names, higher=True, resamples=200, halves=5)
    assert sum(row.first for row in steady.algorithms) == pytest.approx(1)


def test_first_places_are_those_of_all_resamples():
    table = np.array([[3, 1, 2], [1, 3, 2], [1, 2, 4]], dtype=float)
    firsts, wanted = np.zeros(3), 20_000
    for rows in itertools.product(range(3), repeat=3):
        sums = table[list(rows)].sum(0)
        best = sums == sums.max()
        firsts += best / best.sum() / 27
    found = rank_stability(table, list("abc"), higher=True, by="mean", resamples=wanted, halves=50)
    assert [row.first for row in found.algorithms] == pytest.approx(firsts, abs=0.015)
    turned = rank_stability(-table, list("abc"), higher=False, by="mean", resamples=wanted)
    assert [row.first for row in turned.algorithms] == [row.first for row in found.algorithms]


def test_halves_agree_by_kendalls_tau():
    # two rows: the halves are the rows, whatever the draw
    table = np.array([[1, 2, 3, 3], [2, 1, 3, 4]], dtype=float)
    found = rank_stability(table, list("abcd"), higher=True, by="mean", resamples=5, halves=7)
    assert found.tau == pytest.approx(scipy.stats.kendalltau(*table).statistic)
    same = rank_stability([[1, 2]] * 4, ["a", "b"], higher=True, resamples=5, halves=7)
    assert (same.tau, same.halves) == (1, 7)
    ties = rank_stability([[1, 1]] * 4, ["a", "b"], higher=True, resamples=5, halves=7)
    assert (ties.tau, ties.halves, ties.algorithms[0].first) == (None, 0, 0.5)
    with pytest.raises(ValueError, match="`by` is 'median'"):
        rank_stability(table, list("abcd"), higher=True, by="median")


def test_signed_rank_is_the_slow_one():
    d = np.array([0.03, -0.02, 0.05, 0.0, 0.02, 0.04])
    rope, draws = 0.01, 4000
    z = np.append(d, 0)
    won = np.zeros(3)
    for weights in np.random.default_rng(1).dirichlet(np.ones(7), draws):
        area = np.zeros(3)
        for i, j in itertools.product(range(7), repeat=2):
            total = round(z[i] + z[j], 12)
            area[0 if total < -2 * rope else 2 if total > 2 * rope else 1] += (
                weights[i] * weights[j]
            )
        won[area.argmax()] += 1
    found = signed_rank(d, np.zeros(6), rope)
    mine = (found.worse, found.equivalent, found.better)
    assert mine == pytest.approx(won / draws, abs=0.03)
    assert sum(mine) == pytest.approx(1)
    turned = signed_rank(np.zeros(6), d, rope)
    assert turned.worse == pytest.approx(found.better, abs=0.02)
    same = signed_rank([1, 2, None], [1, 2, 3], 0.0)
    assert (same.worse, same.equivalent, same.better, same.left_out) == (0, 1, 0, 1)
    assert signed_rank([1], [2], 0.0).better is None
