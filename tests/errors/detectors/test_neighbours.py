"""Nearest neighbours against brute force, and the detectors that ask them against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly import detectors
from candidly.errors.detectors._knn import label_shares
from candidly.errors.detectors._neighbours import SPARE


def distances(table, metric):
    table = table.astype(np.float64)
    if metric == "l2":
        return np.linalg.norm(table[:, None] - table, axis=2)
    norms = np.linalg.norm(table, axis=1)
    products = np.outer(norms, norms)
    cosine = np.divide(table @ table.T, products, out=np.zeros_like(products), where=products > 0)
    return 1 - cosine


def brute(table, k, metric):
    every = distances(table, metric)
    np.fill_diagonal(every, np.inf)
    index = np.argsort(every, axis=1, kind="stable")[:, : min(k, len(table) - 1)]
    return index, np.take_along_axis(every, index, 1)


@pytest.mark.parametrize("metric", ["cosine", "l2"])
@pytest.mark.parametrize("block", [1, 7, 64, 500])
def test_neighbours_are_those_of_brute_force(metric, block):
    table = np.random.default_rng(block).normal(size=(150, 6)) + 3
    found = detectors.nearest(table, 5, metric=metric, block=block)
    index, distance = brute(table, 5, metric)
    np.testing.assert_array_equal(found.index, index)
    np.testing.assert_allclose(found.distance, distance, atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_distances_are_right_among_ties(data):
    n, d = data.draw(st.integers(2, 30)), data.draw(st.integers(1, 3))
    cells = st.lists(st.integers(-2, 2), min_size=n * d, max_size=n * d)
    table = np.array(data.draw(cells), np.float64).reshape(n, d)
    k, metric = data.draw(st.integers(1, 40)), data.draw(st.sampled_from(["cosine", "l2"]))
    found = detectors.nearest(table, k, metric=metric, block=data.draw(st.integers(1, 40)))
    _, distance = brute(table, k, metric)
    np.testing.assert_allclose(found.distance, distance, atol=1e-7)
    for i, row in enumerate(found.index):
        assert i not in row
        assert len(set(row.tolist())) == len(row) == min(k, n - 1)


@pytest.mark.parametrize("metric", ["cosine", "l2"])
@pytest.mark.parametrize("value", [0.0, 0.1, 7.3])
def test_equal_examples_are_taken_by_index(metric, value):
    found = detectors.nearest(np.full((40, 3), value), 3, metric=metric, block=16)
    assert found.index[0].tolist() == [1, 2, 3]
    assert found.index[1].tolist() == [0, 2, 3]
    assert found.index[39].tolist() == [0, 1, 2]


def test_duplicates_are_each_others_nearest():
    table = np.random.default_rng(0).normal(size=(60, 5))
    table[[7, 20, 41]] = table[3]
    for metric in ("cosine", "l2"):
        found = detectors.nearest(table, 3, metric=metric, block=16)
        assert found.index[3].tolist() == [7, 20, 41]
        assert found.index[20].tolist() == [3, 7, 41]
        assert found.distance[3] == pytest.approx(0, abs=1e-12)


def test_far_from_zero_the_nearest_is_still_found():
    table = 1e4 + np.random.default_rng(1).normal(size=(120, 8))
    np.testing.assert_array_equal(
        detectors.nearest(table, 4, metric="l2").index, brute(table, 4, "l2")[0]
    )


def test_more_neighbours_than_examples_are_all_of_them():
    table = np.array([[0.0], [1.0], [5.0]])
    assert detectors.nearest(table, 10 + SPARE, metric="l2").index.tolist() == [
        [1, 2],
        [0, 2],
        [1, 0],
    ]


@pytest.mark.parametrize(
    ("features", "options", "message"),
    [
        (np.zeros((1, 2)), {}, "no neighbours"),
        (np.zeros(4), {}, r"shape \(4,\)"),
        (np.array([["a"], ["b"]]), {}, "features"),
        (np.array([[0.0], [np.nan]]), {}, "row 1"),
        (np.zeros((3, 2)), {"k": 0}, "k is 0"),
        (np.zeros((3, 2)), {"block": 0}, "block is 0"),
    ],
)
def test_what_is_refused(features, options, message):
    with pytest.raises(ValueError, match=message):
        detectors.nearest(features, **options)


def test_an_unknown_metric_is_named():
    with pytest.raises(KeyError, match="did you mean 'cosine'"):
        detectors.nearest(np.zeros((3, 2)), metric="cosin")


# votes


def some(n=120, q=4, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, q, n)
    labels = np.where(rng.random(n) < 0.2, rng.integers(0, q, n), truth)
    return labels, rng.normal(size=(n, 5)) + 3 * rng.normal(size=(q, 5))[truth]


def test_votes_are_counted_one_by_one():
    labels, features = some()
    index, _ = brute(features, 10, "cosine")
    found = detectors.knn_vote(labels, 4, features)
    for i in range(len(labels)):
        votes = [0] * 4
        for j in index[i]:
            votes[labels[j]] += 1
        assert found.flagged[i] == (votes.index(max(votes)) != labels[i])
        others = [v for label, v in enumerate(votes) if label != labels[i]]
        assert found.score[i] == pytest.approx((max(others) - votes[labels[i]]) / 10)
    assert 0 < found.flagged.sum() < len(labels)


def test_a_tie_goes_to_the_lowest_label():
    labels = np.array([1, 0, 1, 0])
    found = detectors.knn_vote(labels, 2, np.array([[0.0], [1.0], [1.1], [9.0]]), k=2, metric="l2")
    assert found.flagged.tolist() == [True, True, True, False]
    assert found.score.tolist() == [0.0, 1.0, 0.0, 0.0]


def test_repeats_take_the_majority_of_random_features():
    labels, features = some()
    found = detectors.knn_vote(labels, 4, features, repeats=3, share=0.6, seed=5)
    flags, scores = [], []
    from candidly.ground.seeds import draw

    for repeat in range(3):
        taken = draw(5, "detectors.features", repeat).permutation(5)[:3]
        one = detectors.knn_vote(labels, 4, features[:, taken])
        flags.append(one.flagged)
        scores.append(one.score)
    np.testing.assert_array_equal(found.flagged, np.sum(flags, 0) >= 2)
    np.testing.assert_allclose(found.score, np.mean(scores, 0), atol=1e-12)
    assert (np.sum(flags, 0) == 1).any()  # a minority, which does not flag


def test_what_votes_refuse():
    labels, features = some(20)
    found = detectors.nearest(features, 3)
    with pytest.raises(ValueError, match="not neighbours"):
        detectors.knn_vote(labels, 4, neighbours=found, repeats=2)
    with pytest.raises(ValueError, match="share 0"):
        detectors.knn_vote(labels, 4, features, repeats=2, share=0)
    with pytest.raises(ValueError, match="pass `features`"):
        detectors.knn_vote(labels, 4)
    with pytest.raises(ValueError, match="at least 3"):
        detectors.knn_rank(np.array([0, 1]), 2, np.zeros((2, 1)))


def test_one_class_and_constant_features():
    one = np.zeros(30, np.int64)
    vote = detectors.knn_vote(one, 3, np.random.default_rng(0).normal(size=(30, 2)))
    assert not vote.flagged.any()
    rank = detectors.knn_rank(one, 3, np.zeros((30, 2)))
    assert not rank.flagged.any()
    assert (rank.score == 0).all()
    mixed = np.arange(30) % 3
    assert np.isfinite(detectors.knn_vote(mixed, 3, np.ones((30, 2))).score).all()


def test_shares_sum_to_one():
    labels, features = some()
    shares = label_shares(labels, 4, detectors.nearest(features, 7).index)
    np.testing.assert_allclose(shares.sum(1), 1)


def test_ranks_flag_of_each_class_as_many_as_are_estimated():
    labels, features = some(400, 3)
    found = detectors.knn_rank(labels, 3, features)
    index, _ = brute(features, 10, "cosine")
    transition = detectors.estimate_transition(labels, labels[index[:, 0]], labels[index[:, 1]], 3)
    expected = 0.0
    for k in range(3):
        rows = np.flatnonzero(labels == k)
        right = transition.transition[k, k] * transition.prior[k] / (len(rows) / 400)
        expected += len(rows) * (1 - min(1, right))
        worst = sorted(rows, key=lambda i: (np.sum(labels[index[i]] == k), i))
        count = round(len(rows) * (1 - min(1, right)))
        assert set(np.flatnonzero(found.flagged & (labels == k))) == set(worst[:count])
    assert found.estimated == pytest.approx(expected)
    for i in range(400):
        own = np.mean(labels[index[i]] == labels[i])
        assert found.score[i] == pytest.approx(-math.log(own) if own else math.inf)
    np.testing.assert_allclose(found.about["transition"], transition.transition)
