"""Ranks with ties, possible ranks, and correlations of published tables."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from candidly.compare.stability import (
    competition_ranks,
    correlation,
    kendall,
    rank_intervals,
    tie_groups,
)
from candidly.ground.names import UnknownName

SCORES = hnp.arrays(np.int64, st.integers(2, 9), elements=st.integers(0, 4))

# right on original and on corrected labels, of the 18 changed ones of CIFAR-10: Table S2
S2 = np.array(
    [10, 7, 9, 7, 8, 9, 8, 8, 8, 6, 8, 10, 7, 9, 7, 9, 7, 8, 7, 5, 5, 12, 5, 10, 5, 9]
).reshape(-1, 2)
# the same of the 1,405 of ImageNet, 21 models of one platform: Table S1
S1_TORCH = np.fromstring(
    """91 1156 190 1036 184 1028 155 1026 199 1019 187 1019 202 1017 184 1014 206 1010 174 1004
    207 1000 192 999 214 994 183 987 216 987 179 982 184 975 210 921 137 891 133 876 158 825""",
    dtype=int,
    sep=" ",
).reshape(-1, 2)


@given(SCORES)
def test_ranks_are_scipys(scores):
    np.testing.assert_array_equal(competition_ranks(scores), scipy.stats.rankdata(-scores, "min"))
    groups = tie_groups(scores)
    assert sorted(np.concatenate(groups)) == list(range(len(scores)))
    assert [len(set(scores[g])) for g in groups] == [1] * len(groups)
    assert np.all(np.diff([scores[g[0]] for g in groups]) < 0)


def test_ranks_of_many_rankings_at_once():
    scores = np.array([[3, 2, 2, 1], [1, 2, 3, 3]])
    assert competition_ranks(scores).tolist() == [[1, 2, 2, 4], [4, 3, 1, 1]]


def test_possible_ranks_by_hand():
    better = np.zeros((4, 4), bool)
    better[0, 2:], better[1, 3] = True, True
    assert rank_intervals(better).tolist() == [[1, 2], [1, 3], [2, 4], [3, 4]]


@given(SCORES, st.randoms())
def test_correlations_are_scipys(x, random):
    y = random.sample(x.tolist(), len(x))
    for by, theirs in (("spearman", scipy.stats.spearmanr), ("kendall", scipy.stats.kendalltau)):
        if len(set(x)) > 1:
            expected = theirs(x, y).statistic
            assert correlation(x, y, by, permutations=1).value == pytest.approx(expected)


def test_permutation_p_against_all_permutations():
    from itertools import permutations

    x, y = np.arange(6), np.array([2, 1, 3, 6, 4, 5])
    for by in ("spearman", "kendall"):
        value = correlation(x, y, by).value
        every = [
            correlation(x, y[list(o)], by, permutations=1).value for o in permutations(range(6))
        ]
        exact = np.mean(np.abs(every) >= abs(value) - 1e-9)
        assert correlation(x, y, by).p == pytest.approx(exact, abs=4 * np.sqrt(exact / 10_000))


def test_constant_scores_have_no_correlation():
    found = correlation([1, 1, 1], [1, 2, 3])
    assert np.isnan([found.value, found.p]).all()
    assert np.isnan(kendall(np.ones(3), np.arange(3)))


def test_published_tables():
    found = correlation(*S2.T, "spearman")
    assert found.value == pytest.approx(-0.54, abs=0.005)
    assert found.p == pytest.approx(0.06, abs=0.008)
    torch = correlation(*S1_TORCH.T, "spearman")
    assert torch.value == pytest.approx(0.05, abs=0.005)
    assert torch.p > 0.8


def test_what_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'kendall'"):
        correlation([1, 2], [1, 2], "kendal")
    with pytest.raises(ValueError, match=r"shape \(2,\) and `y` \(3,\)"):
        correlation([1, 2], [1, 2, 3])
