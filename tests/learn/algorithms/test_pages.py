"""Each page against something independent: a slow version from the paper, or a hand-worked case."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import nll_loss, one_hot, softmax

from candidly.learn.algorithms import ALGORITHMS, abs_gce, cavl, cc, ce, forward, lws
from candidly.learn.algorithms._tensors import (
    cross_entropy,
    log_complement,
    masked_softmax,
    uniform_over,
)
from candidly.learn.engine.train import update

from toys import advance, make_stack, toy

Q = 5


@pytest.fixture
def batch():
    g = np.random.default_rng(0)
    logits = g.normal(size=(8, Q)) * 2
    sets = g.random((8, Q)) < 0.4
    sets[np.arange(8), g.integers(0, Q, 8)] = True
    sets[0] = True
    sets[1] = [True, False, False, False, False]
    return torch.tensor(logits), torch.tensor(sets)


def probs(logits):
    """Softmax of one row, the slow way."""
    e = [math.exp(z) for z in logits.tolist()]
    return [v / sum(e) for v in e]


def test_masked_softmax_is_the_renormalised_softmax(batch):
    logits, sets = batch
    p = softmax(logits, -1) * sets
    torch.testing.assert_close(masked_softmax(logits, sets), p / p.sum(-1, keepdim=True))


def test_masked_softmax_survives_underflow_and_empty_rows():
    logits = torch.tensor([[500.0, 0.0, -1.0], [1.0, 2.0, 3.0]])
    mask = torch.tensor([[False, True, True], [False, False, False]])
    weights = masked_softmax(logits, mask)
    e = math.exp(-1)
    torch.testing.assert_close(weights[0], torch.tensor([0, 1 / (1 + e), e / (1 + e)]))
    assert weights[1].tolist() == [0, 0, 0]


def test_log_complement_in_double_is_the_definition_and_in_float_stays_exact():
    logits = torch.randn(50, Q, dtype=torch.float64) * 3
    torch.testing.assert_close(log_complement(logits), (1 - softmax(logits, -1)).log())
    # gap 60: p rounds to 1; the exact value is -60 + log(q - 1)
    sure = torch.tensor([[60.0, 0, 0, 0, 0]], requires_grad=True)
    out = log_complement(sure)
    assert out[0, 0].item() == pytest.approx(-60 + math.log(4), rel=1e-6)
    out.sum().backward()
    assert sure.grad.isfinite().all()


def test_uniform_over():
    rows = uniform_over(torch.tensor([[True, False, True], [False, True, False]]), torch.float32)
    assert rows.tolist() == [[0.5, 0, 0.5], [0, 1, 0]]


def test_cc_by_hand(batch):
    logits, sets = batch
    expected = [-math.log(np.dot(probs(z), s)) for z, s in zip(logits, sets.numpy())]
    torch.testing.assert_close(cc.loss(logits, sets), torch.tensor(expected, dtype=torch.float64))
    assert cc.loss(logits, sets)[0].item() == pytest.approx(0, abs=1e-12)  # a full row


def test_cc_of_a_full_row_has_no_gradient():
    logits = torch.randn(1, Q, requires_grad=True)
    cc.loss(logits, torch.ones(1, Q, dtype=torch.bool)).sum().backward()
    assert logits.grad.abs().max() < 1e-6


def test_abs_gce_by_hand(batch):
    logits, sets = batch
    a, expected = 0.7, []
    for z, s in zip(logits, sets):
        p = probs(z)
        inside = [j for j in range(Q) if s[j]]
        expected.append(sum((1 - p[j] ** a) / a for j in inside) / len(inside))
    expected = torch.tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(abs_gce.loss(logits, sets), expected)
    torch.testing.assert_close(abs_gce.loss_plench(logits, sets), expected)


def test_forward_by_hand(batch):
    logits, sets = batch
    terms = [
        math.log((1 - probs(z)[j]) / (Q - 1))
        for z, s in zip(logits, sets)
        for j in range(Q)
        if not s[j]
    ]
    assert forward.loss(logits, sets).item() == pytest.approx(-sum(terms) / len(terms))


def test_forward_averages_over_each_trials_own_pairs(batch):
    logits, sets = batch
    stacked = forward.loss(torch.stack([logits, logits]), torch.stack([sets, ~sets | sets]))
    assert stacked[0].item() == pytest.approx(forward.loss(logits, sets).item())
    assert stacked[1].item() == 0  # no complementary pair at all


def test_lws_by_hand(batch):
    logits, sets = batch
    weights = torch.rand(8, Q, dtype=torch.float64)
    sigmoid = lambda v: 1 / (1 + math.exp(-v))  # noqa: E731
    for beta in (1.0, 2.0):
        expected = [
            sum(w[j] * (sigmoid(-z[j]) if s[j] else beta * sigmoid(z[j])) for j in range(Q))
            for z, s, w in zip(logits.tolist(), sets.tolist(), weights.tolist())
        ]
        ours = lws.loss(logits, sets, weights, torch.tensor([beta], dtype=torch.float64))
        torch.testing.assert_close(ours, torch.tensor(expected, dtype=torch.float64))


def test_lws_weights_are_a_softmax_on_each_side():
    stack = advance(make_stack(toy(), "LWS"), 3)
    batch = stack.next_batches()[0]
    update(stack)
    weights = stack.rows["weights"].gather(1, batch.ids[..., None].expand(-1, -1, stack.q))
    inside = (weights * batch.candidates).sum(-1)
    outside = (weights * ~batch.candidates).sum(-1)
    torch.testing.assert_close(inside, torch.ones_like(inside))
    some = (~batch.candidates).any(-1).to(outside.dtype)  # a full row has no outside
    torch.testing.assert_close(outside, some)


def test_proden_with_one_candidate_is_the_supervised_case():
    data = toy(rate=0)
    ours, oracle = (advance(make_stack(data, n), 20) for n in ("PRODEN", "supervised-oracle"))
    torch.testing.assert_close(ours.net.flat, oracle.net.flat)
    torch.testing.assert_close(
        advance(make_stack(data, "CC"), 20).net.flat, oracle.net.flat, rtol=1e-6, atol=1e-9
    )


def test_cavl_by_hand():
    logits = torch.tensor([[0.5, 0.9, -2.0, 3.0]])
    values = cavl.activation_value(logits)
    torch.testing.assert_close(values, torch.tensor([[0.25, 0.09, -6.0, 6.0]]))


def test_ce_and_the_oracle_are_cross_entropy(batch):
    logits, _ = batch
    labels = torch.tensor([0, 1, 2, 3, 4, 0, 1, 2])
    torch.testing.assert_close(
        ce.loss(logits, labels), nll_loss(logits.log_softmax(-1), labels, reduction="none")
    )
    torch.testing.assert_close(
        cross_entropy(one_hot(labels, Q).double(), logits), ce.loss(logits, labels)
    )


def test_ce_reads_given_and_the_oracle_the_truth():
    data = toy()
    noisy = advance(make_stack(data, "ce", [0], steps=40), 40)
    oracle = advance(make_stack(data, "supervised-oracle", [0], steps=40), 40)
    assert set(noisy.examples.labels) == {"given"}
    assert set(oracle.examples.labels) == {"truth"}
    assert not torch.equal(noisy.net.flat, oracle.net.flat)


@pytest.mark.parametrize("name", sorted(set(ALGORITHMS) - {"supervised-oracle"}))
def test_only_the_oracle_can_ask_for_the_truth(name):
    with pytest.raises(AttributeError, match="truth"):
        _ = make_stack(toy(), name).next_batches()[0].truth
