"""Folds: even, whole groups, and a function of seed, labels and groups alone."""

from __future__ import annotations

import numpy as np
import pytest

from candidly.data.labels.building import from_arrays
from candidly.data.labels.folds import checked_folds, checked_groups
from candidly.errors.crossval import cross_validate, make_folds


@pytest.mark.parametrize(("n", "folds"), [(103, 5), (40, 7), (9, 9)])
def test_every_fold_has_its_share_of_every_class(n, folds):
    labels = np.random.default_rng(n).integers(-1, 4, n)
    fold = make_folds(labels, folds, seed=3)
    sizes = np.bincount(fold, minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    for k in np.unique(labels):
        counts = np.bincount(fold[labels == k], minlength=folds)
        assert counts.max() - counts.min() <= 1


def test_the_seed_deals_anew():
    labels = np.zeros(50, int)
    one, same, other = (make_folds(labels, 5, seed=s) for s in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_groups_stay_whole_and_classes_even():
    g = np.random.default_rng(0)
    groups = g.integers(0, 60, 900)
    labels = (groups % 3 + (g.random(900) < 0.2)) % 3
    fold = make_folds(labels, 5, groups, seed=1)
    for group in range(60):
        assert len(np.unique(fold[groups == group])) == 1
    for k in range(3):
        shares = np.bincount(fold[labels == k], minlength=5) / (labels == k).sum()
        assert abs(shares - 0.2).max() < 0.05


def test_each_group_goes_where_it_adds_least_to_the_squared_shares():
    g = np.random.default_rng(5)
    groups = np.repeat(np.arange(12), np.arange(3, 15))  # no two of a size: largest first
    labels = g.choice(3, len(groups), p=(0.75, 0.2, 0.05))
    fold = make_folds(labels, 3, groups, seed=2)
    totals = np.bincount(labels)

    def unevenness(part):  # of an assignment of some rows, -1 for none
        shares = [(part[labels == k] == f).sum() / totals[k] for k in range(3) for f in range(3)]
        whole = [(part == f).mean() for f in range(3)]
        return np.square(shares).sum() + np.square(whole).sum()

    part = np.full(len(groups), -1)
    for group in range(11, -1, -1):
        mine = groups == group
        tried = []
        for f in range(3):
            part[mine] = f
            tried.append(unevenness(part))
        part[mine] = fold[mine][0]
        assert tried[fold[mine][0]] == pytest.approx(min(tried)), group


def test_groups_that_share_no_class_are_spread_all_the_same():
    groups = np.repeat(np.arange(6), 10)
    fold = make_folds(groups, 3, groups)
    assert np.bincount(fold).tolist() == [20, 20, 20]


def test_one_huge_group_leaves_no_fold_empty():
    groups = np.r_[np.zeros(90, int), 1, 2]
    assert sorted(np.unique(make_folds(np.zeros(92, int), 3, groups))) == [0, 1, 2]


class Prior:
    """Says the shares of classes in training."""

    def fit(self, x, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares = counts / counts.sum()
        return self

    def predict_proba(self, x):
        return np.tile(self.shares, (len(x), 1))


def test_folds_know_nothing_of_inputs_classifiers_and_ids():
    g = np.random.default_rng(0)
    x, y, groups = g.normal(size=(60, 3)), g.integers(0, 3, 60), g.integers(0, 20, 60)
    for given in (None, groups):
        first = cross_validate(Prior(), (x, y), 4, given, seed=7).folds
        named = None if given is None else [f"person {k:02}" for k in given]
        data = from_arrays(x[::-1] * 2, y, ids=np.arange(60) + 5, classes=5)
        again = cross_validate("knn", data, 4, named, seed=7).folds
        assert np.array_equal(first, again)
        assert np.array_equal(first, make_folds(y, 4, given, 7))


@pytest.mark.parametrize(
    ("labels", "folds", "groups", "message"),
    [
        (np.zeros(9, int), 1, None, "at least 2"),
        (np.zeros(3, int), 4, None, "there are 3 examples"),
        (np.zeros(9, int), 4, np.repeat([0, 1, 2], 3), "there are 3 groups"),
    ],
)
def test_too_few_and_too_many_folds_are_refused(labels, folds, groups, message):
    with pytest.raises(ValueError, match=message):
        make_folds(labels, folds, groups)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (np.zeros(4, int), "at least 2"),
        (np.array([0, 1, 3, 0]), "numbered from 0"),
        (np.array([1, 2, 1, 2]), "numbered from 0"),
        (np.array([0, 1]), r"shape \(2,\)"),
        (np.array([0.0, 1.0, 0.0, 1.0]), "float64"),
        (np.array([-1, 0, 1, 0]), "numbered from 0"),
    ],
)
def test_folds_of_ones_own_are_checked(folds, message):
    with pytest.raises(ValueError, match=message):
        checked_folds(folds, 4)


def test_groups_are_checked_and_numbered():
    assert checked_groups(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert checked_groups(np.array([7, 3, 7]), 3).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match=r"`groups` has shape \(2,\), but there are 3"):
        checked_groups([1, 2], 3)
    for gap in (None, float("nan")):
        with pytest.raises(ValueError, match="no group at row 1"):
            checked_groups([1, gap, 2], 3)
