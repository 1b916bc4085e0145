"""data-parameters, elr and sop against slow versions of their text and reference values."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import algorithm, data_parameters, elr, sop
from candidly.learn.algorithms._selection import kept
from candidly.learn.engine.suspicion import suspicion
from candidly.learn.engine.train import update
from candidly.learn.model import hyper_parameters

from toys import advance, make_stack, toy

# logits, label 1 of four classes: the set-up of the reference values, in float64
LOGITS, LABEL = torch.tensor([[2.0, 0.5, -1.0, 0.0]], dtype=torch.float64), torch.tensor([1])
double = torch.float64


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def weights(stack):
    """Logits of one trial as a function of its inputs, in NumPy, and its parameters."""
    return {name: leaf.detach().numpy().copy() for name, leaf in stack.net.parameters.items()}


# data-parameters


def test_data_parameters_reference_values():
    log_temperature = torch.tensor([math.log(2)], dtype=double, requires_grad=True)
    value = data_parameters.loss(LOGITS, LABEL, log_temperature)
    value.backward()
    assert value.item() == pytest.approx(1.474343550993, abs=1e-11)
    assert log_temperature.grad.item() == pytest.approx(-0.237805655857, abs=1e-11)


def test_temperatures_follow_the_formula_row_by_row():
    rates = {"lr_row": 5.0, "weight_decay_row": 1e-3}
    stack = make_stack(toy(), "data-parameters", **rates)
    given = stack.labels("given").numpy()
    s, momentum = np.zeros((3, stack.n)), np.zeros((3, stack.n))
    for _ in range(2 * stack.E + 2):
        batch = stack.next_batches()[0]
        logits = stack.net(batch.x).logits.detach().numpy()
        update(stack)
        for k in range(3):
            for z, i in zip(logits[k], batch.ids[k].tolist()):
                hot = math.exp(s[k, i])
                p = softmax(z / hot)
                gradient = (z[given[k, i]] - p @ z) / hot / stack.B
                momentum[k, i] = 0.9 * momentum[k, i] + gradient + 1e-3 * s[k, i]
                s[k, i] = np.clip(s[k, i] - 5.0 * momentum[k, i], -math.log(20), math.log(20))
    np.testing.assert_allclose(stack.rows["log_temperature"].numpy(), s, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(suspicion(stack, 1), np.exp(s[1]), rtol=1e-9)


def test_a_temperature_stays_within_its_bounds():
    stack = advance(make_stack(toy(), "data-parameters", lr_row=1e6), 20)
    table = stack.rows["log_temperature"]
    assert float(table.max()) == float(-table.min()) == pytest.approx(math.log(20))


# elr


def test_elr_reference_values():
    old = torch.tensor([[0.1, 0.6, 0.2, 0.1]], dtype=double)
    target = elr.refreshed(old, LOGITS, torch.tensor([[0.7]], dtype=double)[0])
    assert target[0, 0].item() == pytest.approx(0.283029976866, abs=1e-11)
    value = elr.loss(LOGITS, LABEL, target, torch.tensor(3.0, dtype=double))
    assert value.item() == pytest.approx(0.815385558693, abs=1e-11)


def test_the_running_mean_is_refreshed_before_the_loss():
    stack = make_stack(toy(), "elr")
    slow = np.zeros((3, stack.n, stack.q))
    given = stack.labels("given").numpy()
    for _ in range(2 * stack.E):
        batch = stack.next_batches()[0]
        p = softmax(stack.net(batch.x).logits.detach().numpy())
        before = stack.loss_sum.clone()
        update(stack)
        for k in range(3):
            beta, lam = (stack.hyper[k][name] for name in ("beta", "lam"))
            losses = []
            for row, i in zip(p[k], batch.ids[k].tolist()):
                clipped = np.clip(row, 1e-4, 1 - 1e-4)
                slow[k, i] = beta * slow[k, i] + (1 - beta) * clipped / clipped.sum()
                pulled = math.log(1 - slow[k, i] @ clipped)
                losses.append(-math.log(row[given[k, i]]) + lam * pulled)
            assert float((stack.loss_sum - before)[k]) == pytest.approx(np.mean(losses))
    np.testing.assert_allclose(stack.rows["target"].numpy(), slow, rtol=1e-10)


def test_the_target_is_a_constant():
    logits = LOGITS.clone().requires_grad_()
    assert not elr.refreshed(torch.zeros(1, 4), logits, torch.tensor([0.7])).requires_grad


# sop


def test_sop_reference_values():
    u = torch.tensor([[0.8]], dtype=double)
    v = torch.tensor([[0.1, 0.3, 0.5, 0.2]], dtype=double)
    nats, squares = sop.losses(LOGITS, LABEL, u, v)
    assert nats.item() == pytest.approx(0.666401877777, abs=1e-11)
    assert squares.item() == pytest.approx(1.1738, abs=1e-12)


def slow_sop(z, y, u, v):
    """The objective of one example; V in the first part is what it was at ``v0``."""
    q = len(z)
    e = np.eye(q)[y]
    plus, minus = np.clip(u**2 * e, 0, 1), np.clip(v**2 * (1 - e), 0, 1)

    def value(u_now, v_now):
        plus_now = np.clip(u_now**2 * e, 0, 1)
        minus_now = np.clip(v_now**2 * (1 - e), 0, 1)
        mixed = np.maximum(softmax(z) + plus_now - minus, 1e-4)
        best = np.eye(q)[z.argmax()]
        return -math.log(mixed[y] / mixed.sum()) + ((best + plus_now - minus_now - e) ** 2).sum()

    step = 1e-6
    grad_u = (value(u + step, v) - value(u - step, v)) / (2 * step)
    grad_v = np.array(
        [(value(u, v + step * d) - value(u, v - step * d)) / (2 * step) for d in np.eye(q)]
    )
    return value(u, v), grad_u, grad_v, (plus + minus).sum() / 2


def test_rows_move_by_the_slopes_of_the_objective_u_by_both_parts_v_by_one():
    stack = make_stack(toy(), "sop", lr_u=0.7, lr_v=1.3)
    g = np.random.default_rng(0)
    u, v = g.normal(0, 0.5, (3, stack.n, 1)), g.normal(0, 0.5, (3, stack.n, stack.q))
    stack.rows["u"].copy_(torch.tensor(u))
    stack.rows["v"].copy_(torch.tensor(v))
    given = stack.labels("given").numpy()
    batch = stack.next_batches()[0]
    logits = stack.net(batch.x).logits.detach().numpy()
    update(stack)
    for k in range(3):
        values = []
        for z, i in zip(logits[k], batch.ids[k].tolist()):
            value, grad_u, grad_v, _ = slow_sop(z, given[k, i], u[k, i, 0], v[k, i])
            values.append(value)
            u[k, i, 0] -= 0.7 * grad_u / stack.B
            v[k, i] -= 1.3 * grad_v / stack.B
        assert float(stack.loss_sum[k]) == pytest.approx(np.mean(values))
    np.testing.assert_allclose(stack.rows["u"].numpy(), u, atol=1e-9)
    np.testing.assert_allclose(stack.rows["v"].numpy(), v, atol=1e-9)
    scores = suspicion(stack, 2)
    expected = [slow_sop(np.zeros(7), given[2, i], u[2, i, 0], v[2, i])[3] for i in range(stack.n)]
    np.testing.assert_allclose(scores, expected, atol=1e-8)


def test_rows_start_next_to_nothing_and_each_trials_own():
    together, alone = make_stack(toy(), "sop"), make_stack(toy(), "sop", [2])
    for name in ("u", "v"):
        table = together.rows[name]
        assert float(table.std()) == pytest.approx(1e-8, rel=0.1)
        assert torch.equal(table[2], alone.rows[name][0])
        assert not torch.equal(table[0], table[1])


@pytest.mark.parametrize(
    ("name", "problem", "said"),
    [
        ("co-teaching", {"noise_rate": 1.0}, r"noise_rate is 1; it must lie in \[0, 1\)"),
        ("co-teaching", {"noise_rate": -0.1}, r"noise_rate is -0.1; it must lie in \[0, 1\)"),
        ("jocor", {"noise_rate": float("nan")}, "finite"),
        ("cnlcu-soft", {"sigma2": 1.0}, r"sigma2 is 1; it must lie in \[0, 1\)"),
        ("elr", {"beta": 1.0}, r"beta is 1; it must lie in \[0, 1\)"),
        ("sop", {"lr_u": -1.0}, "lr_u is -1"),
        ("co-teaching:estimated", {"noise_rate": 0.2}, "no hyper-parameter 'noise_rate'"),
    ],
)
def test_impossible_values_are_refused_at_the_door(name, problem, said):
    with pytest.raises(ValueError, match=said):
        hyper_parameters(algorithm(name), problem)


def test_what_is_kept_is_a_whole_number_where_the_product_is():
    for size in range(1, 200):
        for rate in np.arange(0, 10) / 10:
            for dtype in (torch.float32, double):
                exact = math.floor(round((1 - rate) * size, 9))
                assert int(kept(torch.tensor([rate], dtype=dtype), size)) == exact
    assert int(kept(torch.tensor([0.25]), 10, rounded=True)) == 8
