"""A blend's weights, and the rows that they are found on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from candidly.learn.classifiers import blend as blends
from candidly.learn.classifiers import classifier
from candidly.learn.classifiers.blend import Blend, pooled

FAST = ("logistic", "forest:leaf=10,trees=10")


def made(n=200, q=3, seed=0, wrong=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    y = x[:, :q].argmax(1)
    return x, np.where(rng.random(n) < wrong, rng.integers(0, q, n), y)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_weights_make_the_labels_most_likely(seed, members):
    own = np.random.default_rng(seed).uniform(0.05, 1, (60, members))

    def loss(free):
        weights = np.exp(free) / np.exp(free).sum()
        return -np.log(own @ weights).sum()

    best = minimize(loss, np.zeros(members), method="Nelder-Mead", options={"xatol": 1e-9}).fun
    weights = pooled(own)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    assert -np.log(own @ weights).sum() == pytest.approx(best, abs=0.02)


def test_what_is_said_of_members_is_that_of_rows_held_out():
    x, y = made(wrong=0.2)
    found = Blend("table", FAST, random_state=3).fit(x, y)
    folds, held = blends._folds(x, y, 3), np.zeros((200, 3))
    for k in range(blends.FOLDS):
        out = folds == k
        held[out] = classifier("logistic", "table").fit(x[~out], y[~out]).predict_proba(x[out])
    told = next(each for each in found.judged_ if each.name == "logistic")
    assert told.agreement == pytest.approx((held.argmax(1) == y).mean())

    def loss(t):
        powers = held ** (1 / t) / (held ** (1 / t)).sum(1, keepdims=True)
        return -np.log(powers[np.arange(200), y]).mean()

    assert told.loss == pytest.approx(min(map(loss, np.geomspace(0.1, 10, 400))), abs=1e-4)
    assert [each.loss for each in found.judged_] == sorted(each.loss for each in found.judged_)


def test_it_is_the_weighted_mean_of_its_members():
    x, y = made()
    found = Blend("table", FAST).fit(x, y)
    by_hand = np.zeros((200, 3))
    for weight, t, member in zip(found.weights_, found.temperatures_, found.members_):
        powers = np.maximum(member.predict_proba(x), 1e-6) ** (1 / t)
        by_hand += weight * powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(found.predict_proba(x), by_hand)
    assert (found.predict(x) == by_hand.argmax(1)).all()


def test_the_same_seed_gives_the_same_and_names_of_classes_stay():
    x, y = made()
    names = np.array(["c", "a", "b"])[y]
    one, two = (Blend("table", FAST, random_state=5).fit(x, names) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(x), two.predict_proba(x))
    assert one.classes_.tolist() == ["a", "b", "c"]
    assert (one.predict(x) == names).mean() > 0.8


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_equal_rows_are_held_out_together_and_classes_are_spread(seed, as_sparse):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (90, 2)).astype(float)  # nine kinds of rows
    y = rng.integers(0, 2, 90)
    folds = blends._folds(sparse.csr_matrix(x) if as_sparse else x, y, 0)
    for row in np.unique(x, axis=0):
        assert len(set(folds[(x == row).all(1)])) == 1
    apart = blends._folds(rng.normal(size=(90, 2)), y, 0)
    for label in (0, 1):
        counts = np.bincount(apart[y == label], minlength=blends.FOLDS)
        assert counts.max() - counts.min() <= 1


def test_memorising_copies_earns_no_weight():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=(60, 4)), 5, axis=0)  # each row five times, labels at random
    y = np.repeat(rng.integers(0, 2, 60), 5)
    found = Blend("table", ("forest:leaf=1,trees=20", "logistic:C=0.001")).fit(x, y)
    weights = {each.name: each.weight for each in found.judged_}
    assert weights["logistic:C=0.001"] > 0.8


def test_a_class_of_one_row_and_few_rows_are_learned_all_the_same():
    x, y = made(60)
    y[0] = 9
    found = Blend("table", FAST).fit(x, y)
    assert found.predict_proba(x).shape == (60, 4)
    few = Blend("table", FAST).fit(x[1:6], np.array([0, 1, 0, 1, 1]))
    assert few.judged_ == []
    np.testing.assert_allclose(few.weights_, 0.5)


def test_of_many_rows_a_part_judges(monkeypatch):
    monkeypatch.setattr(blends, "JUDGED_ROWS", 20)
    x, y = made()
    folds = blends._folds(x, y, 0)
    assert ((folds == 0).sum(), (folds == -1).sum()) == (20, 180)
    seen = []
    found = Blend("table", FAST, watch=lambda *done: seen.append(done)).fit(x, y)
    assert len(found.judged_) == 2
    assert seen[-1] == (4, 4)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
