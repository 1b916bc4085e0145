"""Joints and rates: worked by hand, and against the slow version."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import errors
from candidly.errors.confident import _cells, _matrices

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


def calibrated(counts, given_counts):
    cells = _cells.calibrated(_cells.cells_of(np.asarray(counts)), np.asarray(given_counts))
    return cells.dense()


def test_rounding_by_hand():
    # 2.5 and 2.5 of 5 go to even, 2 and 2, and the lower column gets what is missing; 5.4 and 3.6
    # of 9 need nothing. Both ties are exact, and 5 / 2 is so in floats, but 3 / 5 * 9 is not
    assert calibrated([[0, 1], [3, 2]], [5, 9]).tolist() == [[3, 2], [5, 4]]
    # 0.75 four times: all of them go up, and the lowest of equals gives back
    assert calibrated(np.ones((4, 4), int), [3] * 4).tolist() == [[0, 1, 1, 1]] * 4
    # 1.5 and 0.5 go to even, 2 and 0, and a class never given has nothing
    assert calibrated([[3, 1], [0, 0]], [2, 0]).tolist() == [[2, 0], [0, 0]]


@pytest.mark.parametrize("count", [1500, pytest.param(4000, marks=pytest.mark.slow)])
def test_calibration_and_rounding_equal_fractions(count):
    ties = 0
    for seed in range(count):
        counts, given_counts = random_counts(seed)
        exact = slow.calibrate(counts, given_counts)
        ours = calibrated(counts, given_counts)
        assert np.array_equal(ours, slow.round_rows(exact)), seed
        assert np.array_equal(ours.sum(1), given_counts), seed
        ties += any(value.denominator == 2 for row in exact for value in row)
        cells = _cells.cells_of(counts)
        wrong = sum(sum(row) - row[k] for k, row in enumerate(exact))
        assert _cells.expected_wrong(cells, given_counts) == pytest.approx(float(wrong), rel=1e-12)
    assert ties > count / 8


def test_counts_of_wrong_labels_follow_from_whole_numbers():
    # as many confident labels as [[0, 1], [3, 2]] of 5 and 9: 7 wrong ones
    sure, unsure = [0.0, 1.0], [0.5, 0.5]
    given = np.array([0] * 5 + [1] * 9)
    probs = np.array(
        [sure] + [unsure] * 4 + [[1.0, 0.0]] * 3 + [sure] * 2 + [unsure] * 4, dtype=float
    )
    evidence = errors.examine(given, probs, thresholds=np.array([0.9, 0.9]))
    assert evidence.counts.tolist() == [[0, 1], [3, 2]]
    assert errors.confident_joint(evidence).tolist() == [[3, 2], [5, 4]]
    assert errors.counts(evidence).calibrated == 7
    assert errors.counts(evidence).expected == pytest.approx(2.5 + 5.4)


def test_counts_of_a_class_that_cannot_be_squared_are_refused():
    with pytest.raises(ValueError, match=r"class 1 was given 4,000,000,000 times"):
        calibrated(np.eye(2, dtype=int), [1, 4 * 10**9])
    most = _cells.MOST
    found = calibrated([[most - 1, most - 1], [0, 1]], [most, 1])
    assert found.tolist() == [[most // 2, most // 2], [0, 1]]


@pytest.mark.parametrize("block", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_counts_to_take_equal_fractions(block):
    for seed in range(1000 * block, 1000 * (block + 1)):
        rng = np.random.default_rng([seed, 3])
        counts, given_counts = random_counts(seed)
        joint = slow.round_rows(slow.calibrate(counts, given_counts))
        cells = _cells.cells_of(joint)
        keep = int(rng.integers(0, 5))
        fraction = float(rng.choice([0, 0.1, 0.25, 0.29, 0.5, 0.7, 1]))
        ours = _cells.prune_counts(cells, given_counts, keep, fraction).dense()
        assert np.array_equal(ours, slow.take_counts(joint, given_counts, keep, fraction)), seed
        quotas = rng.integers(0, given_counts + 1)
        ours = _cells.prune_counts(cells, given_counts, keep, 1.0, quotas).dense()
        its = slow.take_counts(joint, given_counts, keep, quotas=quotas)
        assert np.array_equal(ours, its), seed


def test_a_fraction_is_what_is_written():
    joint = _cells.cells_of(np.array([[100, 100], [0, 200]]))
    take = _cells.prune_counts(joint, np.array([200, 200]), fraction=0.29)
    assert take.dense().tolist() == [[171, 29], [0, 200]]  # 0.29 * 100 is 28.999... in floats


@pytest.mark.parametrize("m", [2, 3, 7, 40])
def test_cells_are_counted_alike_both_ways(m):
    rng = np.random.default_rng(m)
    given, guess = rng.integers(-1, m, (2, 500)).astype(np.int16)
    dense = np.zeros((m, m), int)
    both = (given >= 0) & (guess >= 0)
    np.add.at(dense, (given[both], guess[both]), 1)
    assert np.array_equal(_cells.counted(given, guess, m).dense(), dense)
    assert np.array_equal(_cells.counted(given[:3], guess[:3], m).dense().sum(), both[:3].sum())


def test_diagonals_of_rates_are_those_of_the_matrices():
    for seed in range(100):
        joint, _ = random_counts(seed)
        forward, inverse = _matrices.diagonals(_cells.cells_of(joint))
        both = _matrices.noise_matrices(joint)
        np.testing.assert_allclose(forward, both.forward.diagonal(), rtol=1e-13)
        np.testing.assert_allclose(inverse, both.inverse.diagonal(), rtol=1e-13)


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
    take = _cells.prune_counts(evidence.calibrated, evidence.given_counts, 1, 1.0, quotas)
    assert (take.row_sums - take.diagonal).tolist() == quotas.tolist()
    mask = errors.find(evidence, by="class", quotas=quotas).mask
    assert (np.bincount(given[mask], minlength=4) <= quotas).all()
    assert mask[given == 3].sum() == 20
