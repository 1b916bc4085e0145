"""Ranks over data sets: a published example, scipy, and what holds of any groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipys

from candidly.stats import Friedman, friedman, nemenyi

# AUC of C4.5 and three variants on 14 data sets: Demsar, JMLR 7, 2006, Table 6; of the two last
# values of voting, printed alike, the table ranks the second lower
DEMSAR = """
.763 .768 .771 .798   .599 .591 .590 .569   .954 .971 .968 .967   .628 .661 .654 .657
.882 .888 .886 .898   .936 .931 .916 .931   .661 .668 .609 .685   .583 .583 .563 .625
.775 .838 .866 .875   1.00 1.00 1.00 1.00   .940 .962 .965 .962   .619 .666 .614 .669
.972 .981 .975 .9749   .957 .978 .946 .970
"""
NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")


def published():
    return np.array(DEMSAR.split(), float).reshape(14, 4)


def test_the_published_example():
    found = friedman(published(), NAMES)
    assert found.ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    assert (found.rows, found.left_out) == (14, 0)
    n, k, mean = 14, 4, np.array(found.ranks)
    chi2 = 12 * n / (k * (k + 1)) * ((mean**2).sum() - k * (k + 1) ** 2 / 4)
    assert chi2 == pytest.approx(9.28, abs=5e-3)  # without a correction for ties
    assert (n - 1) * chi2 / (n * (k - 1) - chi2) == pytest.approx(3.69, abs=5e-3)
    assert found.chi2 > chi2  # ties leave less variance
    assert found.p_f < 0.05
    assert nemenyi(found).distance == pytest.approx(1.25, abs=5e-3)
    assert nemenyi(found, 0.1).distance == pytest.approx(1.12, abs=5e-3)


def test_the_statistic_is_scipys_and_its_f_follows():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(9, 5))
    found = friedman(table, "abcde")
    theirs = scipys.friedmanchisquare(*table.T)
    assert (found.chi2, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert found.f == pytest.approx(8 * theirs.statistic / (9 * 4 - theirs.statistic))
    assert found.p_f == pytest.approx(scipys.f.sf(found.f, 4, 32))


def test_directions_missing_values_and_ties():
    table = [[0.9, 0.8, 0.7], [0.9, None, 0.7], [0.8, 0.8, 0.6]]
    found = friedman(table, "abc")
    assert (found.ranks, found.rows, found.left_out) == ((1.25, 1.75, 3.0), 2, 1)
    assert friedman(table, "abc", higher=False).ranks == (2.75, 2.25, 1.0)
    assert friedman([[1, 1, 1]] * 4, "abc").p == 1.0
    assert friedman([[3, 2, 1]] * 4, "abc").f == float("inf")
    assert friedman([[1, 2]], "ab").chi2 is None
    none = friedman([[None, 1]], "ab")
    assert (none.rows, none.left_out) == (0, 1)
    assert nemenyi(none).groups == ()


@given(st.lists(st.integers(0, 60), min_size=2, max_size=9), st.integers(2, 40))
def test_groups_are_those_within_the_distance_and_none_is_inside_another(tenths, rows):
    names = tuple(f"a{k}" for k in range(len(tenths)))
    ranks = tuple(1 + one / 10 for one in tenths)
    found = nemenyi(Friedman(names, ranks, rows, 0))
    where = dict(zip(names, ranks))
    together = {frozenset((a, b)) for group in found.groups for a in group for b in group}
    for a in names:
        for b in names:
            near = abs(where[a] - where[b]) <= found.distance
            assert (frozenset((a, b)) in together) == near
    for one in found.groups:
        assert not any(set(one) < set(other) for other in found.groups)


def test_among_equals_the_test_errs_as_often_as_it_says():
    rng = np.random.default_rng(1)
    p = [friedman(rng.normal(size=(12, 4)), "abcd").p_f for _ in range(400)]
    assert abs(np.mean(np.array(p) <= 0.05) - 0.05) < 0.03
