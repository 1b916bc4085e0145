"""Criteria: worked cases, bounds, and the defect that ``fixed`` does not have."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from candidly.ground import logits as _logits
from candidly.stats.criteria import (
    accuracy,
    approximated_accuracy,
    approximated_accuracy_plench,
    balanced_accuracy,
    best_configuration,
    best_record,
    count_best,
    covering_rate,
    prior_adjusted,
    top_k_accuracy,
)

WITH_SETS = [covering_rate, approximated_accuracy, approximated_accuracy_plench]
WITH_LABELS = [accuracy, top_k_accuracy, balanced_accuracy]


def one_hot(labels, q):
    return np.eye(q, dtype=bool)[labels]


@pytest.fixture(params=["numpy", "torch"])
def kind(request):
    """Turns a NumPy array into the kind under test."""
    return np.asarray if request.param == "numpy" else torch.as_tensor


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(3, 50, 7)).astype(np.float32)
    candidates = rng.random((50, 7)) < 0.4
    labels = rng.integers(0, 7, 50)
    candidates[np.arange(50), labels] = True
    labels[:5] = -1
    return logits, candidates, labels


# worked by hand


def test_worked_case(kind):
    probs = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
    candidates = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]], bool)
    logits, candidates = kind(np.log(probs)), kind(candidates)
    labels = kind(np.array([0, 2, 2]))
    assert float(covering_rate(logits, candidates)) == pytest.approx(2 / 3)
    expected = (0.5 / 0.8 + 0 + 1) / 3
    assert float(approximated_accuracy(logits, candidates)) == pytest.approx(expected)
    assert float(approximated_accuracy_plench(logits, candidates)) == pytest.approx(
        ((1 - 0.3 / 0.8) + (1 - 1) + 1) / 3
    )
    assert float(accuracy(logits, labels)) == pytest.approx(2 / 3)
    assert float(top_k_accuracy(logits, labels, k=2)) == 1
    assert float(balanced_accuracy(logits, labels)) == pytest.approx((1 + 0.5) / 2)


def test_equal_logits_predict_the_lowest_index(kind):
    logits = kind(np.zeros((4, 6)))
    labels = kind(np.array([0, 1, 4, 5]))
    only_first = kind(one_hot([0, 0, 0, 1], 6))
    assert float(covering_rate(logits, only_first)) == 0.75
    assert float(accuracy(logits, labels)) == 0.25
    # five classes come first among equals: 0..4
    assert float(top_k_accuracy(logits, labels, k=5)) == 0.75
    assert float(top_k_accuracy(logits, labels, k=1)) == 0.25


def test_top_k_of_few_classes_is_one(kind):
    logits = kind(np.random.default_rng(0).normal(size=(20, 4)))
    labels = kind(np.arange(20) % 4)
    assert float(top_k_accuracy(logits, labels, k=5)) == 1
    with pytest.raises(ValueError, match="`k` is 0"):
        top_k_accuracy(logits, labels, k=0)


@settings(max_examples=60)
@given(
    logits=hnp.arrays(np.float64, (9, 5), elements=st.integers(-2, 2).map(float)),
    labels=hnp.arrays(np.int64, 9, elements=st.integers(-1, 4)),
    k=st.integers(1, 6),
)
def test_accuracies_equal_the_obvious_loop(logits, labels, k):
    known = [i for i in range(9) if labels[i] >= 0]
    order = [sorted(range(5), key=lambda j, i=i: (-logits[i, j], j)) for i in range(9)]
    hits = [labels[i] in order[i][:k] for i in known]
    recalls = [
        np.mean([order[i][0] == c for i in known if labels[i] == c])
        for c in sorted({int(labels[i]) for i in known})
    ]
    for as_kind in (np.asarray, torch.as_tensor):
        got_k = float(top_k_accuracy(as_kind(logits), as_kind(labels), k))
        got_balanced = float(balanced_accuracy(as_kind(logits), as_kind(labels)))
        if known:
            assert got_k == pytest.approx(np.mean(hits))
            assert got_balanced == pytest.approx(np.mean(recalls))
        else:
            assert np.isnan(got_k)
            assert np.isnan(got_balanced)


def test_balanced_accuracy_agrees_with_scikit_learn(case):
    from sklearn.metrics import balanced_accuracy_score

    logits, _, labels = case
    known = labels >= 0
    expected = balanced_accuracy_score(labels[known], logits[0].argmax(-1)[known])
    assert balanced_accuracy(logits[0], labels) == pytest.approx(expected)


# what holds of any logits and sets (the theory is in test_theory.py)


@settings(max_examples=100)
@given(
    logits=hnp.arrays(np.float32, (1, 6), elements=st.floats(-200, 200, width=32)),
    row=hnp.arrays(bool, 6).filter(lambda row: row.any()),
)
def test_each_example_lies_between_its_bounds(logits, row):
    candidates = row[None]
    for as_kind in (np.asarray, torch.as_tensor):
        cr = float(covering_rate(as_kind(logits), as_kind(candidates)))
        aa = float(approximated_accuracy(as_kind(logits), as_kind(candidates)))
        assert cr / row.sum() <= aa <= cr


@pytest.mark.parametrize("measure", [covering_rate, approximated_accuracy])
def test_single_candidates_give_the_accuracy(measure, case):
    logits, _, labels = case
    labels = np.abs(labels)
    assert np.allclose(measure(logits, one_hot(labels, 7)), accuracy(logits, labels))


def test_full_candidates_give_one_and_the_confidence(case, kind):
    logits, candidates, _ = case
    full = kind(np.ones_like(candidates))
    probs = torch.as_tensor(logits).softmax(-1)
    assert np.allclose(covering_rate(kind(logits), full), 1)
    assert np.allclose(approximated_accuracy(kind(logits), full), probs.amax(-1).mean(-1))


# D-SEL-1: a confidently wrong network must not look right


def collapsed(as_kind, gap):
    rng = np.random.default_rng(3)
    candidates = rng.random((200, 10)) < 0.3
    candidates[np.arange(200), rng.integers(0, 10, 200)] = True
    logits = np.zeros((200, 10), np.float32)
    logits[:, 0] = gap
    return as_kind(logits), as_kind(candidates)


@pytest.mark.parametrize("gap", [40, 200])
def test_d_sel_1_a_collapsed_network_has_aa_equal_to_cr(kind, gap):
    logits, candidates = collapsed(kind, gap)
    cr = float(covering_rate(logits, candidates))
    assert 0.2 < cr < 0.5
    assert float(approximated_accuracy(logits, candidates)) == pytest.approx(cr, abs=1e-6)


def test_d_sel_1_in_plench_it_has_aa_one(kind):
    logits, candidates = collapsed(kind, 40)
    assert float(approximated_accuracy_plench(logits, candidates)) > 0.999
    sane, candidates = collapsed(kind, 5)
    assert float(approximated_accuracy_plench(sane, candidates)) == pytest.approx(
        float(approximated_accuracy(sane, candidates)), abs=1e-6
    )


def test_d_sel_1_plench_chooses_the_collapsed_network_and_fixed_does_not(kind):
    logits, candidates = collapsed(kind, 40)
    sane = np.where(np.asarray(candidates), np.float32(1), np.float32(0))
    sane[np.arange(200), np.asarray(candidates).argmax(1)] = 3
    for measure, choice in ((approximated_accuracy, 0), (approximated_accuracy_plench, 1)):
        values = [float(measure(each, candidates)) for each in (kind(sane), logits)]
        assert best_configuration(values) == choice


def test_d_sel_1_plench_is_the_released_formula_term_by_term(kind, case):
    logits, candidates, _ = case
    candidates[0] = False  # empty rows count as right
    probs = torch.as_tensor(logits).softmax(-1).double().numpy()
    expected = np.zeros(3)
    for k in range(3):
        for i in range(50):
            inside = probs[k, i] * candidates[i]
            others = np.delete(inside, logits[k, i].argmax())
            expected[k] += (1 - (others / (inside.sum() + 1e-12)).sum()) / 50
    got = approximated_accuracy_plench(kind(logits), kind(candidates))
    assert np.allclose(np.asarray(got), expected, atol=1e-6)


# shapes, kinds, extremes


@pytest.mark.parametrize("measure", WITH_SETS + WITH_LABELS)
def test_torch_equals_numpy_and_stacks_equal_singles(measure, case):
    logits, candidates, labels = case
    other = candidates if measure in WITH_SETS else labels
    stacked = measure(logits, other)
    assert stacked.shape == (3,)
    assert stacked.dtype == np.float64
    in_torch = measure(torch.as_tensor(logits), torch.as_tensor(other))
    assert isinstance(in_torch, torch.Tensor)
    assert in_torch.dtype == torch.float64
    assert np.allclose(in_torch.numpy(), stacked, atol=1e-7)
    repeated = measure(logits, np.stack([other] * 3))
    assert np.array_equal(repeated, stacked)
    for k in range(3):
        assert measure(logits[k], other) == pytest.approx(stacked[k])


@pytest.mark.parametrize("measure", WITH_SETS + WITH_LABELS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_blown_up_trial_has_no_value_and_leaves_the_others_alone(measure, bad, case, kind):
    logits, candidates, labels = case
    other = kind(candidates if measure in WITH_SETS else labels)
    before = np.asarray(measure(kind(logits.copy()), other))
    logits[1, 9, 2] = bad
    after = np.asarray(measure(kind(logits), other))
    assert np.isnan(after[1])
    assert np.array_equal(after[[0, 2]], before[[0, 2]])


@pytest.mark.parametrize("measure", WITH_SETS + WITH_LABELS)
def test_extreme_logits_in_float32_are_fine(measure, case, kind):
    logits, candidates, labels = case
    extreme = kind(np.where(logits > 0, np.float32(200), np.float32(-200)))
    value = np.asarray(measure(extreme, kind(candidates if measure in WITH_SETS else labels)))
    assert ((value >= 0) & (value <= 1)).all()


@pytest.mark.parametrize("measure", WITH_LABELS)
def test_nothing_known_gives_nan(measure, kind):
    assert np.isnan(float(measure(kind(np.zeros((2, 3))), kind(np.array([-1, -1])))))
    assert np.isnan(float(measure(kind(np.zeros((0, 3))), kind(np.zeros(0, np.int64)))))


@pytest.mark.parametrize("measure", WITH_SETS)
def test_no_examples_give_nan(measure, kind):
    assert np.isnan(float(measure(kind(np.zeros((0, 3))), kind(np.zeros((0, 3), bool)))))


@pytest.mark.parametrize("measure", [covering_rate, approximated_accuracy])
def test_d_sel_1_an_empty_row_is_named_and_not_counted_as_right(measure, kind):
    candidates = np.ones((4, 3), bool)
    candidates[2] = False
    with pytest.raises(ValueError, match="row 2 is empty"):
        measure(kind(np.zeros((4, 3))), kind(candidates))
    both = np.stack([np.ones((4, 3), bool), candidates])
    with pytest.raises(ValueError, match=r"row \(1, 2\) is empty"):
        measure(kind(np.zeros((2, 4, 3))), kind(both))


def test_wrong_shapes_and_labels_are_named(kind):
    logits = kind(np.zeros((4, 3)))
    with pytest.raises(ValueError, match=r"shape \(4, 2\)"):
        covering_rate(logits, kind(np.ones((4, 2), bool)))
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        accuracy(logits, kind(np.zeros(3, np.int64)))
    with pytest.raises(ValueError, match=r"spans 0..3, but there are 3 classes"):
        accuracy(logits, kind(np.array([0, 1, 2, 3])))


def test_numpy_users_do_not_load_torch():
    code = (
        "import sys, numpy as np; from candidly.stats.criteria import covering_rate;"
        "covering_rate(np.eye(2), np.eye(2)); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# choosing


@pytest.mark.parametrize(
    ("values", "record", "configuration", "ties"),
    [
        ([], None, None, 0),
        ([None, float("nan")], None, None, 0),
        ([0.5], 0, 0, 1),
        ([float("nan"), 0.1, 0.3, 0.3, None], 2, 3, 2),
        ([0.9, 0.1, 0.9, float("nan")], 0, 2, 2),
        ([0.0, 0.0, 0.0], 0, 2, 3),
        ([-1.0, None], 0, 0, 1),
    ],
)
def test_choosing(values, record, configuration, ties):
    assert best_record(values) == record
    assert best_configuration(values) == configuration
    assert count_best(values) == ties


def test_unchecked_forms_give_the_same(case):
    logits, candidates, labels = case
    for measure in WITH_SETS + WITH_LABELS:
        other = candidates if measure in WITH_SETS else labels
        unchecked = getattr(_logits, measure.__name__)
        assert np.array_equal(unchecked(logits, other), measure(logits, other))


# prior-adjusted logits


def test_adjusting_for_frequencies_gives_bayes_rule_for_equally_frequent_classes(kind):
    """log p(y | x) - log p(y) differs from log p(x | y) by what no class has a part in."""
    g = np.random.default_rng(0)
    means, counts = np.array([-1.0, 0.0, 2.0]), np.array([700, 250, 50])
    x = g.normal(size=(50, 1))
    density = -((x - means) ** 2) / 2
    joint = density + np.log(counts / counts.sum())
    posterior = joint - np.log(np.exp(joint).sum(1, keepdims=True))
    found = np.asarray(prior_adjusted(kind(posterior), kind(counts)))
    even = np.exp(density) / np.exp(density).sum(1, keepdims=True)
    np.testing.assert_allclose(np.exp(found) / np.exp(found).sum(1, keepdims=True), even)
    assert (found.argmax(1) != posterior.argmax(1)).any()


def test_adjusting_takes_counts_for_each_stack_and_a_class_that_is_nowhere(kind):
    logits = kind(np.zeros((2, 1, 3), np.float32))
    found = prior_adjusted(logits, kind(np.array([[4, 0, 1], [1, 2, 8]])))
    assert np.asarray(found).argmax(-1).tolist() == [[1], [0]]
    assert found.dtype == logits.dtype
    assert np.isfinite(np.asarray(found)).all()


@pytest.mark.parametrize(("counts", "message"), [([1, 2], "number of classes"), ([1, -1, 2], "0")])
def test_adjusting_refuses_counts_that_are_none(counts, message):
    with pytest.raises(ValueError, match=message):
        prior_adjusted(np.zeros((4, 3)), np.array(counts))
