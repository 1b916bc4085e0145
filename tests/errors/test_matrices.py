"""Joints and rates: worked by hand, and against the slow version."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import errors
from candidly.errors import _matrices

import slow_errors as slow

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def random_counts(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 8))
    counts = rng.integers(0, rng.choice([2, 5, 200]), (m, m))
    given_counts = counts.sum(1) + rng.integers(0, 5, m)
    if rng.random() < 0.3:
        given_counts[-1] = counts[-1] = 0
    given_counts[0] += given_counts.sum() == 0
    return counts, given_counts


def test_rounding_by_hand():
    # 0.5 and 1.5 go to even, 0 and 2; the third goes down, and the largest loss is repaid
    rounded = _matrices.rounded(np.array([[0.5, 1.5, 1.0], [0.4, 0.4, 2.2], [0.5, 0.5, 0.0]]))
    assert rounded.tolist() == [[0, 2, 1], [1, 0, 2], [1, 0, 0]]
    # all of them rounded up: the lowest columns of equals give back
    assert _matrices.rounded(np.array([[0.75, 0.75, 0.75, 0.75]])).tolist() == [[0, 1, 1, 1]]


def test_calibration_and_rounding_equal_the_slow_version():
    for seed in range(400):
        counts, given_counts = random_counts(seed)
        exact = _matrices.calibrated(_matrices.floored(counts), given_counts)
        np.testing.assert_allclose(exact, slow.calibrate(counts, given_counts), rtol=1e-12)
        assert np.array_equal(_matrices.rounded(exact), slow.round_rows(exact)), seed
        assert np.array_equal(_matrices.rounded(exact).sum(1), given_counts), seed


def test_counts_to_take_equal_the_slow_version():
    for seed in range(400):
        rng = np.random.default_rng([seed, 3])
        counts, given_counts = random_counts(seed)
        joint = slow.round_rows(slow.calibrate(counts, given_counts))
        keep, fraction = int(rng.integers(0, 5)), float(rng.choice([0, 0.25, 0.5, 1]))
        ours = _matrices.prune_counts(joint, given_counts, keep, fraction)
        assert np.array_equal(ours, slow.take_counts(joint, given_counts, keep, fraction)), seed
        quotas = rng.integers(0, given_counts + 1)
        ours = _matrices.prune_counts(joint, given_counts, keep, 1.0, quotas)
        its = slow.take_counts(joint, given_counts, keep, quotas=quotas)
        assert np.array_equal(ours, its), seed


def test_the_floor_is_not_in_the_counts_that_are_shown():
    given = np.array([0, 0, 0, 1, 1])
    probs = np.array([[0.9, 0.1, 0], [0.8, 0.2, 0], [0.9, 0.1, 0], [1, 0, 0], [0, 1, 0]])
    evidence = errors.examine(given, probs)
    assert evidence.counts[2, 2] == 0
    assert errors.confident_joint(evidence, calibrate=False)[2, 2] == 1
    assert evidence.thresholds[2] == 2


def test_a_threshold_is_never_zero():
    # nobody given class 0 has any probability of it: without a floor everything would be it
    given = np.array([0, 0, 1, 1])
    probs = np.array([[0, 1.0], [0, 1], [0, 1], [0, 1]])
    assert errors.thresholds(given, probs)[0] == 2e-6
    assert errors.confident_joint(given, probs, calibrate=False).tolist() == [[1, 2], [0, 2]]


def test_collisions_differ_where_the_prediction_is_not_confident():
    # the last row: 0 is the largest but below its threshold; 1 and 2 are both confident
    given = np.array([0, 0, 1, 1, 2, 2, 0])
    probs = np.array(
        [
            [0.9, 0.05, 0.05],
            [0.9, 0.05, 0.05],
            [0.6, 0.3, 0.1],
            [0.6, 0.3, 0.1],
            [0.6, 0.1, 0.3],
            [0.6, 0.1, 0.3],
            [0.38, 0.3, 0.32],
        ]
    )
    options = {"thresholds": np.array([0.7, 0.3, 0.3])}
    whole = errors.examine(given, probs, **options)
    masked = errors.examine(given, probs, collisions="masked", **options)
    assert whole.guess.tolist() == [0, 0, 1, 1, 2, 2, 0]
    assert masked.guess.tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert whole.disagreements == masked.disagreements == 1
    # a row without a label takes no part
    given[-1] = -1
    assert errors.examine(given, probs, unlabelled=True, **options).disagreements == 0


def test_priors_and_noise_by_hand():
    joint = np.array([[40, 10], [0, 50]])
    forward, inverse = _matrices.noise_matrices(joint)
    np.testing.assert_allclose(forward, [[1, 1 / 6], [0, 5 / 6]])
    np.testing.assert_allclose(inverse, [[0.8, 0], [0.2, 1]])
    shares = np.array([0.5, 0.5])
    by = {name: _matrices.prior(joint, shares, by=name) for name in ("marginal", "marginal-ps")}
    np.testing.assert_allclose(by["marginal"], [0.4, 0.6])
    np.testing.assert_allclose(by["marginal-ps"], [0.4, 0.6])
    np.testing.assert_allclose(_matrices.prior(joint, shares), [0.4, 0.6])
    np.testing.assert_allclose(_matrices.prior(joint, shares, by="equation"), [0.4, 0.6])
    with pytest.raises(ValueError, match="no inverse"):
        _matrices.prior(np.array([[1, 1], [1, 1]]), shares, by="equation")
    with pytest.raises(ValueError, match="choose count"):
        _matrices.prior(joint, shares, by="mean")


def test_off_diagonal_rates_are_limited():
    forward, _ = _matrices.noise_matrices(np.array([[0, 100], [0, 0]]))
    assert forward[0, 1] == 1  # limited to 0.9999, then the column sums to 1 again
    forward, _ = _matrices.noise_matrices(np.array([[0, 10**6], [10**6, 1]]))
    assert forward[0, 1] == pytest.approx(0.9999 / (0.9999 + 1 / (10**6 + 1)))
    # a diagonal is not
    forward, _ = _matrices.noise_matrices(np.array([[10**5, 0], [1, 1]]))
    assert forward[0, 0] == pytest.approx(10**5 / (10**5 + 1), rel=1e-12)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"keep": -1}, "keep is -1"),
        ({"fraction": 1.5}, "fraction is 1.5"),
        ({"fraction": float("nan")}, "fraction is nan"),
        ({"quotas": np.array([1, 1]), "fraction": 0.5}, "another quota"),
        ({"quotas": np.array([1, 9])}, "`quotas` is 9 for class 1, which was given 2 times"),
        ({"quotas": np.array([-1, 0])}, "`quotas` is -1"),
        ({"quotas": np.array([1, 1, 1])}, "shape"),
    ],
)
def test_options_that_make_no_sense(options, what):
    given, probs = (
        np.array([0, 0, 1, 1]),
        np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.7, 0.3]]),
    )
    with pytest.raises(ValueError, match=what):
        errors.find(given, probs, **options)


def test_quotas_are_taken_by_class_exactly():
    given, probs = slow.make(5, 400, 4, sharp=1.0, wrong=0.4)
    evidence = errors.examine(given, probs)
    quotas = np.array([3, 0, 7, 20])
    take = _matrices.prune_counts(evidence.calibrated, evidence.given_counts, 1, 1.0, quotas)
    assert (take.sum(1) - take.diagonal()).tolist() == quotas.tolist()
    mask = errors.find(evidence, by="class", quotas=quotas).mask
    assert (np.bincount(given[mask], minlength=4) <= quotas).all()
    assert mask[given == 3].sum() == 20
