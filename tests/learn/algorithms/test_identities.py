"""Identities and unbiasedness: what the formulas imply, whatever the numbers."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch.nn.functional import one_hot

from candidly.learn.algorithms import abs_gce, abs_mae, cc, exp, log, mcl, nn, pc
from learn.algorithms.slow import A, Q, double, every_complementary_label, label_losses, make_batch


@pytest.fixture
def singletons():
    logits = torch.randn(40, Q, dtype=double, generator=torch.Generator().manual_seed(0)) * 3
    labels = torch.arange(40) % Q
    return logits, one_hot(labels, Q).bool(), logits.softmax(-1).gather(1, labels[:, None])[:, 0]


def test_with_one_candidate_each_loss_is_its_supervised_one(singletons):
    logits, sets, p = singletons
    gce = (1 - p**A) / A
    squared = (logits.softmax(-1) - sets.to(double)).square().sum(-1)
    for loss, expected in (
        (abs_mae.loss, 2 * (1 - p)),
        (abs_gce.loss, gce),
        (mcl.loss_gce, gce),
        (mcl.loss_gce_plench, gce),
        (mcl.loss_mse, squared),
        (mcl.loss_mse_plench, squared),
        (exp.loss, (-p).exp()),
        (cc.loss, -p.log()),
        (log.loss, -p.log()),
    ):
        torch.testing.assert_close(loss(logits, sets), expected)


def test_a_full_set_weighs_nothing_where_its_weight_would_be_infinite():
    logits = torch.randn(4, Q, dtype=double, requires_grad=True)
    full = torch.ones(4, Q, dtype=torch.bool)
    for loss in (log.loss, exp.loss):
        value = loss(logits, full)
        assert value.tolist() == [0] * 4
        (gradient,) = torch.autograd.grad(value.sum(), logits)
        assert not gradient.any()


def test_a_full_set_under_mcl_is_the_sum_over_all_labels():
    logits = torch.randn(4, Q, dtype=double)
    full = torch.ones(4, Q, dtype=torch.bool)
    p = logits.softmax(-1)
    torch.testing.assert_close(mcl.loss_gce(logits, full), ((1 - p**A) / A).sum(-1))
    torch.testing.assert_close(mcl.loss_mse(logits, full), Q - 2 + Q * p.square().sum(-1))


def test_abs_mae_is_a_function_of_the_sets_probability():
    logits, sets = make_batch()
    inside = (logits.softmax(-1) * sets).sum(-1)
    torch.testing.assert_close(abs_mae.loss(logits, sets), 2 - 2 * inside / sets.sum(-1))


def test_log_is_cc_with_weights():
    logits, sets = (each[1:] for each in make_batch())  # the first set is full
    weight = (Q - 1) / (Q - sets.sum(-1))
    torch.testing.assert_close(log.loss(logits, sets), weight * cc.loss(logits, sets))


def test_pc_of_two_classes_is_one_comparison():
    for gap in (-30.0, -1.0, 0.0, 0.5, 30.0):
        logits = torch.tensor([[gap, 0]], dtype=double)
        value = pc.loss(logits, torch.tensor([[False, True]])).item()
        assert value == pytest.approx(1 / 2 + 1 / (1 + math.exp(-gap)), abs=1e-15)


@pytest.mark.parametrize("q", [2, 5, 219])
def test_pc_of_equal_logits_is_one_less_than_the_classes(q):
    _, sets = make_batch(q=q)
    assert pc.loss(torch.full(sets.shape, 3.0), sets).item() == q - 1


# unbiasedness


@pytest.mark.parametrize("kind", ["gce", "mse", "any"])
@pytest.mark.parametrize("s", range(1, 6))
def test_mcl_averages_to_the_supervised_loss_over_all_sets_of_a_size(kind, s):
    q, y = 6, 2
    logits = torch.randn(q, dtype=double, generator=torch.Generator().manual_seed(s))
    others = [j for j in range(q) if j != y]
    sets = torch.zeros(math.comb(q - 1, s - 1), q, dtype=torch.bool)
    for row, chosen in zip(sets, itertools.combinations(others, s - 1)):
        row[[y, *chosen]] = True
    losses = label_losses(kind, logits).expand(len(sets), q)
    estimate = mcl.estimate(losses, sets).mean().item()
    assert estimate == pytest.approx(losses[0, y].item(), abs=1e-12)


def test_class_risks_average_to_the_supervised_risk_over_all_complementary_labels():
    y, sets, logits = every_complementary_label()
    losses = -logits.log_softmax(-1)
    parts = torch.stack([(losses[:, k] * (y == k)).mean() for k in range(Q)])
    torch.testing.assert_close(nn.class_risks(logits, sets, (~sets).to(double).mean(0)), parts)
