"""Accuracy through a transition matrix: by hand, by simulation, and where it is not defined."""

import numpy as np
import pytest
import torch

from candidly import criteria
from candidly.stats.criteria import anchor_transition, confusion_counts, corrected_accuracy

T = np.array([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05], [0.3, 0.0, 0.7]])


def drawn(n, seed, transition=T):
    """Truth, given labels by the matrix, and a predictor that is better in one class."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    given = (rng.random(n)[:, None] > transition[truth].cumsum(1)).sum(1)
    right = rng.random(n) < np.array([0.9, 0.6, 0.4])[truth]
    predicted = np.where(right, truth, (truth + 1) % 3)
    return truth, given, predicted


def test_two_classes_by_hand():
    # symmetric noise e: noisy accuracy a (1 - e) + (1 - a) e, so a = (noisy - e) / (1 - 2 e)
    e = 0.2
    flips = np.array([[1 - e, e], [e, 1 - e]])
    pairs = np.array([[31, 9], [17, 43]])
    found = corrected_accuracy(pairs, flips)
    assert found.accuracy == pytest.approx((0.74 - e) / (1 - 2 * e))
    weights = np.repeat([(1 - e) / 0.6, -e / 0.6], [74, 26])
    assert found.error == pytest.approx(weights.std(ddof=1) / 10)


def test_it_is_the_trace_of_the_joint_solved_for():
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(9)).reshape(3, 3)  # predicted by true
    met = joint @ T  # predicted by given
    assert corrected_accuracy(met.T * 1e6, T).accuracy == pytest.approx(np.trace(joint))


def test_with_labels_that_are_right_it_is_the_accuracy():
    truth, _, predicted = drawn(50, 1)
    found = corrected_accuracy(confusion_counts(truth, predicted, 3), np.eye(3))
    accuracy = (truth == predicted).mean()
    assert found.accuracy == pytest.approx(accuracy)
    assert found.error == pytest.approx(np.sqrt(accuracy * (1 - accuracy) / 49))


def test_unbiased_under_a_known_matrix_and_its_error_is_right():
    runs, n = 2000, 150
    estimates, errors = [], []
    for seed in range(runs):
        _, given, predicted = drawn(n, seed)
        found = corrected_accuracy(confusion_counts(given, predicted, 3), T)
        estimates.append(found.accuracy)
        errors.append(found.error)
    expected = 0.5 * 0.9 + 0.3 * 0.6 + 0.2 * 0.4
    standard_error = np.std(estimates, ddof=1) / np.sqrt(runs)
    assert abs(np.mean(estimates) - expected) < 4 * standard_error
    # the spread of 2000 values is known to 1 / sqrt(4000); four of those
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(estimates), rel=0.065)


def test_the_error_of_a_counted_matrix_is_added():
    counts = np.array([200, 100, 60])
    estimates, errors = [], []
    for seed in range(2000):
        rng = np.random.default_rng(10_000 + seed)
        counted = np.stack([rng.multinomial(n, row) / n for n, row in zip(counts, T)])
        _, given, predicted = drawn(400, seed)
        found = corrected_accuracy(confusion_counts(given, predicted, 3), counted, counts)
        estimates.append(found.accuracy)
        errors.append(found.error)
    spread = np.std(estimates)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(spread, rel=0.08)
    known = corrected_accuracy(confusion_counts(given, predicted, 3), T).error
    assert known < 0.9 * spread  # leaving the second part out would show


def test_the_second_part_of_the_error_by_numerical_derivatives():
    pairs = confusion_counts(*drawn(90, 7)[1:], 3) / 90
    counts = np.array([20, 30, 40])

    def accuracy(transition):
        return np.trace(np.linalg.solve(transition.T, pairs).T)  # C = (C T) T^-1

    slope, step = np.zeros((3, 3)), 1e-6
    for i, j in np.ndindex(3, 3):
        moved = np.zeros((3, 3))
        moved[i, j] = step
        slope[i, j] = (accuracy(T + moved) - accuracy(T - moved)) / (2 * step)
    covariances = [(np.diag(row) - np.outer(row, row)) / n for row, n in zip(T, counts)]
    second = sum(s @ c @ s for s, c in zip(slope, covariances))
    known, counted = (corrected_accuracy(90 * pairs, T, c).error for c in (None, counts))
    assert accuracy(T) == pytest.approx(corrected_accuracy(90 * pairs, T).accuracy)
    assert counted**2 - known**2 == pytest.approx(second, rel=1e-5)


def test_several_at_once_are_each_alone():
    tables = np.stack([confusion_counts(*drawn(80, seed)[1:], 3) for seed in range(4)])
    together = corrected_accuracy(tables.reshape(2, 2, 3, 3), T, np.array([9, 9, 9]))
    for i, table in enumerate(tables):
        alone = corrected_accuracy(table, T, np.array([9, 9, 9]))
        assert together.accuracy[divmod(i, 2)] == pytest.approx(alone.accuracy)
        assert together.error[divmod(i, 2)] == pytest.approx(alone.error)


@pytest.mark.parametrize(
    "singular",
    [
        np.full((3, 3), 1 / 3),
        np.array([[0.8, 0.2, 0], [0.8, 0.2, 0], [0, 0, 1]]),  # two classes labelled alike
        np.array([[0.5, 0.5, 0], [0.1, 0.9, 0], [0.3, 0.7, 0]]),  # a label that is never given
        np.array([[0.5, 0.5, 0], [0.5 + 1e-10, 0.5 - 1e-10, 0], [0, 0, 1]]),
    ],
)
def test_without_an_inverse_there_is_no_answer(singular):
    found = corrected_accuracy(np.ones((2, 3, 3)), singular)
    assert np.isnan(found.accuracy).all()
    assert found.error.shape == (2,)
    assert np.isnan(found.error).all()


def test_a_matrix_that_is_nearly_singular_has_a_large_error():
    pairs = confusion_counts(*drawn(100, 0)[1:], 3)
    near = 0.04 * np.eye(3) + 0.32 * np.ones((3, 3))
    assert corrected_accuracy(pairs, near).error > 10 * corrected_accuracy(pairs, T).error


def test_without_examples_there_is_no_answer():
    assert np.isnan(corrected_accuracy(np.zeros((3, 3)), T).accuracy)
    one = corrected_accuracy(np.diag([1, 0, 0]), T)
    assert np.isfinite(one.accuracy)
    assert np.isnan(one.error)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((3, 3)), np.eye(2)), r"`confusion` has shape \(3, 3\).*2 classes"),
        ((np.ones((2, 2)), np.ones((2, 3))), r"shape \(2, 3\); it must be \(q, q\)"),
        ((np.ones((2, 2)), 2 * np.eye(2)), r"row 0 of the transition matrix sums to 2"),
        ((np.ones((2, 2)), np.array([[1, 0], [1.5, -0.5]])), r"row 1 .* negative"),
        ((np.ones((2, 2)), np.array([[1, 0], [np.nan, np.nan]])), r"row 1 .*was not seen"),
        ((np.ones((2, 2)), np.eye(2), np.array([3, 0])), r"`counts` is \[3.0, 0.0\]"),
    ],
)
def test_what_is_no_matrix_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        corrected_accuracy(*arguments)


def test_confusion_counts_by_a_slow_count():
    _, given, predicted = drawn(60, 3)
    given[::7] = -1
    slow = np.zeros((3, 3), int)
    for j, k in zip(given, predicted):
        if j >= 0:
            slow[j, k] += 1
    assert np.array_equal(confusion_counts(given, predicted, 3), slow)
    with pytest.raises(ValueError, match="`given` is 3 at row 0"):
        confusion_counts([3], [0], 3)
    with pytest.raises(ValueError, match="`predicted` is -1 at row 1"):
        confusion_counts([0, 0], [0, -1], 3)


def slow_anchors(probs, quantile):
    rows = []
    for i in range(probs.shape[1]):
        at = max(quantile, 1 - probs[:, i].mean() / 2)
        value = sorted(probs[:, i])[int(np.ceil(at * len(probs))) - 1]
        rows.append(next(p for p in probs if p[i] == value))
    return np.array(rows)


@pytest.mark.parametrize("quantile", [0.5, 0.97, 1.0])
def test_anchors_by_a_slow_search(quantile):
    probs = np.random.default_rng(4).dirichlet(np.ones(4), 130)
    assert anchor_transition(probs, quantile) == pytest.approx(slow_anchors(probs, quantile))
    again = anchor_transition(torch.tensor(probs), quantile)
    assert again == pytest.approx(slow_anchors(probs, quantile))


def test_anchors_find_the_matrix_where_there_are_anchors():
    rng = np.random.default_rng(5)
    clean = rng.dirichlet(np.full(3, 0.1), 4000)
    assert anchor_transition(clean @ T, 0.97) == pytest.approx(T, abs=0.02)


def test_what_are_no_probabilities_is_refused():
    with pytest.raises(ValueError, match="row 1 sums to 3"):
        anchor_transition(np.array([[0.5, 0.5], [1.0, 2.0]]))
    with pytest.raises(ValueError, match="`quantile` is 0"):
        anchor_transition(np.array([[0.5, 0.5]]), 0)
    with pytest.raises(ValueError, match="n at least 1"):
        anchor_transition(np.zeros((0, 3)))


def test_agreement_of_networks():
    logits = np.random.default_rng(6).normal(size=(5, 2, 40, 3))
    guess = logits.argmax(-1)
    expected = (guess[:, 0] == guess[:, 1]).mean(-1)
    assert criteria.agreement(logits) == pytest.approx(expected)
    assert criteria.agreement(torch.tensor(logits)).numpy() == pytest.approx(expected)
    assert (criteria.agreement(logits[:, :1]) == 1).all()
    three = logits.reshape(5, 2, 40, 3)[[0, 1, 2]].swapaxes(0, 1)[0][None]
    slow = np.mean([len(set(column)) == 1 for column in three[0].argmax(-1).T])
    assert criteria.agreement(three)[0] == pytest.approx(slow)
    logits[0, 1, 3, 2] = np.nan
    assert np.isnan(criteria.agreement(logits)[0])
    with pytest.raises(ValueError, match="networks, examples"):
        criteria.agreement(np.zeros((3, 2)))
