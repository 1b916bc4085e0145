"""Nothing is learned from an own test set or an own validation set."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly import fit, fit_and_measure, from_arrays
from candidly.data.labels.parts import with_parts
from candidly.data.labels.votes import votes_for
from candidly.learn.model.stopping import updates_needed


def _rows(n, seed):
    rng = np.random.default_rng(seed)
    labels = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    return rng.normal(2 * labels, 1)[:, None], labels


def _data(validation, test, sets=False):
    X, y = _rows(80, 0)
    y = [{int(one), 1} for one in y] if sets else y
    return from_arrays(X, y, classes=2, validation=validation, test=test)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(2, 1000), algorithm=st.sampled_from(["CC", "ce", "logistic"]))
def test_a_model_does_not_depend_on_them(seed, algorithm):
    sets = algorithm == "CC"
    how = {} if algorithm == "logistic" else {"steps": 20, "batch_size": 16}
    logits, learned = [], []
    for k in (1, seed):
        found = fit_and_measure(_data(_rows(30, k), _rows(20, k + 1), sets), algorithm, **how)
        logits.append(found.model.predict_logits(_rows(50, 5)[0]))
        learned.append(found.learned.n)
        assert found.held.n == found.truth_known == 20
    assert learned == [80, 80]
    np.testing.assert_array_equal(*logits)


def test_early_stopping_judges_on_the_validation_set():
    data = _data(_rows(30, 1), None)
    found = updates_needed(data, "ce", most=300, batch_size=16)
    X, y = _rows(30, 1)
    right = {}
    for steps in range(100, found.tried + 1, 100):
        model = fit(data[:80], "ce", steps=steps, batch_size=16)
        right[steps] = int((model.predict_logits(X).argmax(1) == y).sum())
    assert (found.right, found.rows) == (max(right.values()), 30)
    assert found.steps == min(one for one, count in right.items() if count == found.right)
    whole = fit_and_measure(data, "ce", steps="auto", validation=0, batch_size=16)
    assert (whole.learned.n, whole.held) == (80, None)


def test_a_truth_beside_the_labels_of_a_validation_set_judges():
    X, y = _rows(30, 1)
    wrong = from_arrays(X, 1 - y, truth=y, classes=2)
    learned = from_arrays(*_rows(80, 0), classes=2)
    right = from_arrays(X, y, classes=2)
    found, expected = (
        updates_needed(with_parts(learned, validation=one), "ce", most=200, batch_size=16)
        for one in (wrong, right)
    )
    assert found == expected
    assert found.right > 15


def test_a_truth_beside_the_answers_of_a_validation_set_judges():
    X, y = _rows(30, 1)
    both = with_parts(from_arrays(*_rows(80, 0), classes=2), validation=from_arrays(X, y))
    truth = both.given
    wrong = np.where(both.official_validation, 1 - truth, truth)
    found, expected = (
        updates_needed(
            replace(both, given=None, votes=votes_for(said), truth=truth),
            "soft-ce",
            most=200,
            batch_size=16,
        )
        for said in (wrong, truth)
    )
    assert found == expected
    assert found.right > 15


def test_contestants_are_compared_on_the_validation_set():
    found = fit_and_measure(_data(_rows(30, 1), _rows(20, 2)), "logistic", against=["forest"])
    assert found.compared.rows == 30
    model = fit(_data(_rows(30, 1), None)[:80], found.algorithm)
    right = (model.predict_logits(_rows(30, 1)[0]).argmax(1) == _rows(30, 1)[1]).sum()
    assert found.compared.contestants[0].right == right


@pytest.mark.parametrize("share", [0.25, "truth"])
def test_a_share_to_measure_on_is_of_the_other_rows(share):
    X, y = _rows(80, 0)
    truth = np.where(np.arange(80) < 20, y, -1)
    data = from_arrays(X, y, truth=truth, classes=2, validation=_rows(30, 1))
    found = fit_and_measure(data, "logistic", validation=share)
    assert (found.learned.n, found.held.n) == (60, 20)
    assert not found.held.official_validation.any()
