from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.data.labels.labelled import Labelled
from candidly.learn.engine import evaluate
from candidly.learn.engine.divergence import bury
from candidly.learn.engine.evaluate import oracle_measure, oracle_view

from toys import advance, make_stack, toy


def measured(stack, data, k=0):
    held = torch.arange(270, 300).expand(stack.K, -1), torch.arange(300, 330).expand(stack.K, -1)
    return oracle_measure(stack, oracle_view(data), *held)[k]


def test_every_criterion_by_a_slow_pass():
    data = toy()
    stack = advance(make_stack(data, "PRODEN"), 20)
    validation, test, shares, *_ = measured(stack, data, 1)
    rows = np.arange(270, 300)
    logits = stack.logits(1, torch.from_numpy(rows)).numpy()
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    guess, sets = p.argmax(1), data.candidates[rows]
    inside = sets[np.arange(30), guess]
    share = p[np.arange(30), guess] / (p * sets).sum(1)
    assert validation["CR"] == pytest.approx(inside.mean())
    assert validation["AA"] == pytest.approx((inside * share).mean())
    np.testing.assert_allclose(shares, inside * share)
    assert validation["OA"] == pytest.approx((guess == data.truth[rows]).mean())
    rows = np.arange(300, 330)
    logits, truth = stack.logits(1, torch.from_numpy(rows)).numpy(), data.truth[rows]
    assert test["top1"] == pytest.approx((logits.argmax(1) == truth).mean())
    np.testing.assert_array_equal(measured(stack, data, 1).right, logits.argmax(1) == truth)
    best = np.argsort(-logits, 1)[:, :5]
    assert test["top5"] == pytest.approx((best == truth[:, None]).any(1).mean())
    recalls = [(logits.argmax(1) == c)[truth == c].mean() for c in np.unique(truth)]
    assert test["balanced"] == pytest.approx(np.mean(recalls))


def test_a_diverged_trial_has_no_numbers():
    data = toy()
    stack = advance(make_stack(data, "CC"), 3)
    bury(stack, torch.tensor([False, True, False]))
    validation, test, shares, *_ = measured(stack, data, 1)
    assert set(validation.values()) | set(test.values()) == {None}
    assert shares is None
    assert measured(stack, data, 1).right is None
    assert measured(stack, data, 0)[0]["CR"] is not None


def test_non_finite_logits_are_noticed_while_measuring():
    data = toy()
    stack = advance(make_stack(data, "CC"), 3)
    stack.net.flat[2] = torch.nan
    assert set(measured(stack, data, 2)[0].values()) == {None}
    assert stack.diverged_at == [None, None, 3]
    assert stack.net.flat.isfinite().all()


def test_a_large_stack_is_measured_in_pieces(monkeypatch):
    data = toy()
    stack = advance(make_stack(data, "CC"), 20)
    whole = [measured(stack, data, k) for k in range(3)]
    monkeypatch.setattr(evaluate, "LOGITS_AT_ONCE", 60 * 7 * 2)
    for k in range(3):
        validation, test, shares, *_ = measured(stack, data, k)
        assert (validation, test) == whole[k][:2]
        np.testing.assert_array_equal(shares, whole[k].shares)


def test_given_labels_alone_make_cr_the_noisy_accuracy():
    data = toy()
    data = Labelled(inputs=data.inputs, classes=data.classes, given=data.given)
    stack = advance(make_stack(data, "ce"), 20)
    validation, test, *_ = measured(stack, data)
    guess = stack.logits(0, torch.arange(270, 300)).argmax(1).numpy()
    assert validation["CR"] == pytest.approx((guess == data.given[270:300]).mean())
    assert validation["CR"] == validation["AA"]
    assert validation["OA"] is None  # nobody knows the truth
    assert set(test.values()) == {None}


def test_given_labels_beside_candidates_are_measured_too():
    data = toy()
    stack = advance(make_stack(data, "PRODEN"), 20)
    found = measured(stack, data, 1)
    guess = stack.logits(1, torch.arange(270, 300)).argmax(1).numpy()
    given = data.given[270:300]
    assert found.validation["NVA"] == pytest.approx((guess == given).mean())
    assert found.validation["NVA"] != found.validation["CR"]
    slow = np.zeros((7, 7), int)
    for j, k in zip(given, guess):
        slow[j, k] += 1
    assert np.array_equal(found.confusion, slow)
    assert "agreement" not in found.validation


def test_rows_without_a_given_label_are_left_out():
    data = toy()
    given = data.given.copy()
    given[270:280] = -1
    stack = advance(make_stack(data, "PRODEN"), 20)
    found = measured(stack, replace(data, given=given))
    guess = stack.logits(0, torch.arange(280, 300)).argmax(1).numpy()
    assert found.validation["NVA"] == pytest.approx((guess == given[280:300]).mean())
    assert found.confusion.sum() == 20


def test_without_given_labels_there_is_no_noisy_accuracy():
    data = replace(toy(), given=None)
    found = measured(advance(make_stack(data, "CC"), 3), data)
    assert "NVA" not in found.validation
    assert found.confusion is None


def test_two_networks_agree_where_they_predict_the_same():
    data = toy()
    stack = advance(make_stack(data, "IDGP"), 20)
    rows = torch.arange(270, 300)
    first, second = (stack.logits(1, rows, copy).argmax(1) for copy in (0, 1))
    agreement = measured(stack, data, 1).validation["agreement"]
    assert agreement == pytest.approx(float((first == second).double().mean()))
    assert agreement < 1


def test_predictions_for_equally_frequent_classes_by_a_slow_pass():
    data = toy()
    rare = data.given.copy()
    rare[:250][rare[:250] == 0] = 1  # in training, class 0 is rare
    data = replace(data, given=rare)
    stack = advance(make_stack(data, "ce"), 20)
    for k in range(stack.K):
        rows, there = torch.arange(300, 330), stack.index[k].numpy()
        shares = np.maximum(np.bincount(rare[there], minlength=data.q), 1)
        logits = stack.logits(k, rows).numpy() - np.log(shares / len(there))
        _, test, *_ = measured(stack, data, k)
        assert test["adjusted"] == pytest.approx((logits.argmax(1) == data.truth[300:330]).mean())
    assert test["adjusted"] != test["top1"]
    assert "adjusted" not in measured(advance(make_stack(toy(), "CC"), 2), toy())[1]
