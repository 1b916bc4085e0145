"""The health of a data set, against hand-worked numbers and the established tool."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest
from cleanlab import dataset as peer

from candidly import errors


def confused(counts, seed=0):
    """Labels and sure predictions with these counts by (given, predicted)."""
    counts = np.asarray(counts)
    given, truth = (
        np.repeat(places, counts.ravel()) for places in np.indices(counts.shape).reshape(2, -1)
    )
    order = np.random.default_rng(seed).permutation(len(given))
    probs = np.eye(len(counts))[truth] * 0.97 + 0.03 / len(counts)
    return given[order], probs[order]


COUNTS = [[30, 6, 0], [2, 40, 0], [0, 1, 9]]


def test_by_hand():
    given, probs = confused(COUNTS)
    np.testing.assert_array_equal(errors.confident_joint(given, probs), COUNTS)
    found = errors.health(given, probs)
    assert found.classes.tolist() == [0, 2, 1]  # qualities 30/36, 9/10, 40/42
    assert found.given.tolist() == [36, 10, 42]
    assert found.label_issues.tolist() == [6, 1, 2]
    assert found.inverse_issues.tolist() == [2, 0, 7]
    np.testing.assert_allclose(found.label_noise, [6 / 36, 1 / 10, 2 / 42])
    np.testing.assert_allclose(found.inverse_noise, [2 / 32, 0, 7 / 47])
    np.testing.assert_allclose(found.quality, [30 / 36, 9 / 10, 40 / 42])
    assert found.off_diagonal == pytest.approx(1 - 9 / 88)
    assert found.calibrated == pytest.approx(79 / 88)
    assert found.warnings == ("class 2 was given 10 times only; its rates say little.",)
    pairs = found.overlaps
    assert pairs.a.tolist() == [0, 1]
    assert pairs.b.tolist() == [1, 2]
    assert pairs.count.tolist() == [8, 1]
    assert pairs.a_to_b.tolist() == [6, 0]
    assert pairs.b_to_a.tolist() == [2, 1]
    assert pairs.gains.tolist() == [1, 1]
    np.testing.assert_allclose(pairs.share, [8 / 88, 1 / 88])


def test_a_pair_that_gains_and_loses_alike():
    given, probs = confused([[30, 3], [3, 30]])
    assert errors.health(given, probs).overlaps.gains.tolist() == [-1]
    assert errors.health(given, probs).overlap_table()["gains"].to_list() == [None]


def test_the_peer_agrees():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.full(5, 0.3), 600)
    given = np.where(rng.random(600) < 0.2, rng.integers(0, 5, 600), probs.argmax(1))
    found = errors.health(given, probs)
    # the joint is ours: where rounding ties, the peer's depends on an unstable sort
    known = {
        "joint": errors.joint(given, probs),
        "confident_joint": errors.confident_joint(given, probs),
    }
    theirs = peer.rank_classes_by_label_quality(given, probs, **known)
    by_class = theirs.set_index("Class Index").loc[found.classes]
    np.testing.assert_array_equal(found.label_issues, by_class["Label Issues"])
    np.testing.assert_array_equal(found.inverse_issues, by_class["Inverse Label Issues"])
    np.testing.assert_allclose(found.label_noise, by_class["Label Noise"])
    np.testing.assert_allclose(found.inverse_noise, by_class["Inverse Label Noise"])
    np.testing.assert_allclose(found.quality, by_class["Label Quality Score"])
    np.testing.assert_allclose(found.quality, theirs["Label Quality Score"])
    pairs = peer.find_overlapping_classes(given, probs, **known)
    np.testing.assert_array_equal(
        found.overlaps.count, pairs["Num Overlapping Examples"][: len(found.overlaps.count)]
    )
    of_examples = peer.overall_label_health_score(given, probs, **known, verbose=False)
    assert found.off_diagonal == pytest.approx(of_examples)
    of_joint = peer.overall_label_health_score(given, None, **known, verbose=False)
    assert found.calibrated == pytest.approx(of_joint)


def test_a_class_never_given_comes_last_without_rates():
    given, probs = confused([[20, 1], [2, 22]])
    probs = np.hstack([probs * 0.99, np.full((len(probs), 1), 0.01)])
    with pytest.warns(UserWarning, match="never be proposed: 2"):
        found = errors.health(given, probs)
    assert found.classes[-1] == 2
    assert np.isnan([found.quality[-1], found.label_noise[-1], *found.interval[-1]]).all()
    assert any("class 2 was given 0 times" in w for w in found.warnings)


def test_unlabelled_rows_take_no_part():
    given, probs = confused(COUNTS)
    more = np.concatenate([given, [-1, -1]])
    found = errors.health(more, np.concatenate([probs, probs[:2]]), unlabelled=True)
    without = errors.health(given, probs)
    assert found.off_diagonal == without.off_diagonal
    np.testing.assert_array_equal(found.interval, without.interval)


def test_near_ties_are_no_issues_of_examples():
    given, probs = confused([[20, 0], [0, 20]])
    probs = np.concatenate([probs, [[0.5 - 1e-7, 0.5 + 1e-7]]])
    low = np.full(2, 0.4)
    found = errors.health(np.append(given, 0), probs, thresholds=low)
    assert found.off_diagonal == 1
    assert found.calibrated == pytest.approx(40 / 41)


def test_tables_with_numbers_or_names():
    given, probs = confused(COUNTS)
    found = errors.health(given, probs)
    table = found.table()
    assert table["class"].to_list() == [0, 2, 1]
    assert table["label issues"].to_list() == [6, 1, 2]
    assert table["quality from"].to_list() == found.interval[:, 0].tolist()
    assert found.table(["cat", "dog", "fox"])["class"].to_list() == ["cat", "fox", "dog"]
    pairs = found.overlap_table(["cat", "dog", "fox"])
    assert pairs.row(0, named=True) == {
        "a": "cat", "b": "dog", "share": 8 / 88, "count": 8, "a to b": 6, "b to a": 2,
        "gains": "dog",
    }  # fmt: skip
    assert pairs.schema["gains"] == pl.String


def weak_case(accuracy, n=300, m=5, seed=0):
    """Labels, and the predictions of a classifier that is right so often, else any class."""
    rng = np.random.default_rng(seed)
    given = rng.integers(0, m, n)
    others = (given + rng.integers(1, m, n)) % m
    predicted = np.where(rng.random(n) < accuracy, given, others)
    return given, 0.7 * np.eye(m)[predicted] + 0.3 / m


@pytest.mark.parametrize("accuracy", [0.0, 0.15, 0.21])
def test_a_classifier_no_better_than_guesses_is_warned_of(accuracy):
    given, probs = weak_case(accuracy)
    with pytest.warns(UserWarning, match=r"of the predictions are the given label, and guesses"):
        evidence = errors.examine(given, probs)
    with pytest.warns(UserWarning, match=r"\d+ of 300 labels are flagged. Where more than half"):
        found = errors.find(evidence)
    assert len(found.warnings) == 2
    assert set(evidence.doubts) <= set(errors.health(evidence).warnings)
    assert set(evidence.doubts) <= set(found.warnings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked = errors.find(evidence, by="margin", count=200)  # as many as somebody wants
    assert asked.warnings == evidence.doubts


def test_a_classifier_that_tells_something_is_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(20):
            given, probs = weak_case(0.7, seed=seed)
            assert errors.find(given, probs).warnings == ()
        rare = np.arange(1000) < 50  # 97 % are right where 95 % are one class: better than guesses
        sure = rare & (np.arange(1000) % 2 == 0)
        given, probs = rare.astype(int), 0.9 * np.eye(2)[sure.astype(int)] + 0.05
        assert errors.examine(given, probs).doubts == ()
        given, probs = weak_case(0.0, n=10)
        assert errors.examine(given, probs).doubts == ()  # too few to tell
