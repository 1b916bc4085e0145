"""Tests and intervals for pairs, against published cases, SciPy, likelihoods and simulation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

from candidly.compare.stability import (
    difference_variance,
    discordant,
    holm,
    mcnemar,
    resample,
    tango,
)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (5, 0), (3, 3), (1, 7), (100, 140), (2000, 1800)])
def test_mcnemar_is_the_sign_test(b, c):
    expected = scipy.stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar(b, c) == pytest.approx(expected, rel=1e-9)
    halved = scipy.stats.binom.pmf(min(b, c), b + c, 0.5)
    tail = 2 * scipy.stats.binom.cdf(min(b, c), b + c, 0.5)
    assert mcnemar(b, c, mid=True) == pytest.approx(min(1, tail - halved), rel=1e-6)


def test_mcnemar_published():
    # airway reactivity before and after a transplantation: Fagerland et al. 2013, Table 1
    assert mcnemar(1, 7) == pytest.approx(0.0703, abs=5e-5)
    assert mcnemar(1, 7, mid=True) == pytest.approx(0.0391, abs=5e-5)
    # 12 against 7 right of 18 items: nothing smaller than 5 against 0 can be there
    attainable = [mcnemar(b, b - 5) for b in range(5, 12)]
    assert min(attainable) == mcnemar(5, 0) == 0.0625


def test_holm_by_hand():
    np.testing.assert_allclose(holm(np.array([0.04, 0.01, 0.03, 0.6])), [0.09, 0.04, 0.09, 0.6])
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]
    assert len(holm(np.empty(0))) == 0


def test_holm_keeps_its_level_for_all_together():
    p = np.random.default_rng(0).random((4000, 5))
    wrong = np.mean([holm(row).min() <= 0.1 for row in p])
    assert wrong == pytest.approx(1 - (1 - 0.02) ** 5, abs=4 * np.sqrt(0.1 * 0.9 / 4000))


def test_discordant_counts_item_by_item():
    right = np.random.default_rng(1).random((4, 50)) < 0.6
    slow = [[int((a & ~b).sum()) for b in right] for a in right]
    assert discordant(right).tolist() == slow


def slow_tango(b, c, n, level):
    """By maximising the likelihood under every difference, and inverting the score test."""
    z = scipy.stats.norm.ppf((1 + level) / 2)

    def score(d):
        def minus_log_likelihood(only_second):
            cells = np.array([only_second + d, only_second, 1 - 2 * only_second - d])
            return -(scipy.special.xlogy([b, c, n - b - c], np.maximum(cells, 1e-300))).sum()

        best = scipy.optimize.minimize_scalar(
            minus_log_likelihood,
            bounds=(max(0, -d), (1 - d) / 2),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        return (b - c - n * d) / np.sqrt(n * (2 * best + d - d**2))

    middle = (b - c) / n
    edge = 1 - 1e-6
    return [
        scipy.optimize.brentq(lambda d: score(d) - z, -edge, middle - 1e-9),
        scipy.optimize.brentq(lambda d: score(d) + z, middle + 1e-9, edge),
    ]


@pytest.mark.parametrize(("b", "c", "n"), [(1, 7, 21), (40, 20, 160), (5, 10, 100), (9, 3, 18)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_tango_inverts_the_score_test(b, c, n, level):
    np.testing.assert_allclose(tango(b, c, n, level), slow_tango(b, c, n, level), atol=2e-5)


def test_tango_published():
    # Fagerland, Lydersen & Laake, Statistics in Medicine 33, 2014: -0.517 to -0.026
    assert tango(1, 7, 21).round(3).tolist() == [-0.517, -0.026]


def test_tango_at_the_edges():
    z2 = scipy.stats.norm.ppf(0.975) ** 2
    np.testing.assert_allclose(tango(0, 0, 30), [-z2 / (30 + z2), z2 / (30 + z2)], atol=1e-9)
    low, high = tango(12, 0, 12)
    assert high == pytest.approx(1)
    assert 0.5 < low < 1
    np.testing.assert_allclose(tango(7, 2, 20), -tango(2, 7, 20)[::-1], atol=1e-12)
    assert np.isnan(tango(0, 0, 0)).all()
    assert tango(np.array([[1, 2], [3, 4]]), 2, 20).shape == (2, 2, 2)


def test_tango_covers_the_difference():
    rng = np.random.default_rng(2)
    b, c, _ = rng.multinomial(60, [0.2, 0.1, 0.7], 4000).T
    low, high = tango(b, c, 60, 0.9).T
    assert np.mean((low <= 0.1) & (high >= 0.1)) == pytest.approx(0.9, abs=0.02)


def test_variance_of_a_paired_difference():
    rng = np.random.default_rng(3)
    b, c, _ = rng.multinomial(200, [0.2, 0.1, 0.7], 20_000).T
    assert np.var((b - c) / 200) == pytest.approx(difference_variance(40, 20, 200), rel=0.05)
    assert difference_variance(5, 0, 5) == 0


RIGHT = np.random.default_rng(4).random((3, 40)) < [[0.9], [0.7], [0.7]]
RIGHT[:, :15] = True  # everyone
RIGHT[:, 15:18] = False  # nobody


def slow_resample(right, resamples, rng):
    picks = rng.integers(0, right.shape[1], (resamples, right.shape[1]))
    return right[:, picks].sum(-1).T


def test_resampled_answers_are_those_of_resampled_items():
    mine, theirs = (
        resample(RIGHT, 20_000, 0, "x"),
        slow_resample(RIGHT, 20_000, np.random.default_rng()),
    )
    error = 5 * theirs.std(0) / np.sqrt(10_000)
    assert (np.abs(mine.mean(0) - RIGHT.sum(1)) < error).all()
    np.testing.assert_allclose(np.cov(mine.T), np.cov(theirs.T), rtol=0.1, atol=0.15)
    variance = difference_variance(*[discordant(RIGHT)[a, 1 - a] for a in (0, 1)], 40)
    assert np.var((mine[:, 0] - mine[:, 1]) / 40) == pytest.approx(variance, rel=0.05)


def test_resamples_do_not_depend_on_how_many_are_drawn():
    many, few = resample(RIGHT, 150, 5, "x"), resample(RIGHT, 100, 5, "x")
    np.testing.assert_array_equal(many[:64], few[:64])
    assert not np.array_equal(many[:64], many[64:128])
    assert not np.array_equal(many, resample(RIGHT, 150, 6, "x"))


def test_nothing_to_resample():
    assert (resample(np.ones((2, 6), bool), 9, 0, "x") == 6).all()
    assert resample(np.ones((2, 0), bool), 9, 0, "x").tolist() == [[0, 0]] * 9
