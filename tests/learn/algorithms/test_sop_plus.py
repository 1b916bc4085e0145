"""sop+ against a loop over examples in NumPy: views, objective, gradients, learned rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from candidly.ground.seeds import draw
from candidly.learn.algorithms import sop_plus
from candidly.learn.engine.train import update
from learn.algorithms.picture_battery import stack_of as on_pictures

from toys import advance, make_stack, toy

HYPER = {"lr_u": 0.7, "lr_v": 1.3, "consistency": 0.9, "balance": 0.4, "view_noise": 0.3}


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def slow_update(stack, k, u, v):
    """Objective, slopes of the last layer's bias and weights, and slopes of u and v by row."""
    q, size, hyper = stack.q, stack.B, stack.hyper[k]
    batch = stack.next_batches()[0]
    ids, x = batch.ids[k].tolist(), batch.x[k].numpy()
    given = stack.labels("given")[k].numpy()
    g = draw(stack.seeds[k], "view strong 0 0", stack.t)
    strong = x + hyper["view_noise"] * g.standard_normal(x.shape)
    w = {name: leaf.detach().numpy()[k] for name, leaf in stack.net.parameters.items()}

    def said(row):
        hidden = np.maximum(row @ w["w1"] + w["b1"], 0)[0]
        logits = w["w2"] @ hidden + w["b2"][0]
        return hidden, logits, softmax(logits)

    first, second = [said(row) for row in x], [said(row) for row in strong]
    mean = sum(p for _, _, p in first) / size
    total = -hyper["balance"] * sum(math.log(each) for each in mean) / q
    of_w, of_b, of_u, of_v = np.zeros_like(w["w2"]), np.zeros(q), {}, {}
    for i, (h, z, p), (h_strong, _, r) in zip(ids, first, second):
        e = np.eye(q)[given[i]]
        plus, minus = u[i] ** 2 * e, v[i] ** 2 * (1 - e)
        assert max(plus.max(), minus.max()) < 1  # nothing is clipped to 1 here
        sums = p + plus - minus
        free, sums = sums > 1e-4, np.maximum(sums, 1e-4)
        off = np.eye(q)[z.argmax()] + plus - minus - e
        total += (math.log(sums.sum()) - math.log(sums @ e) + off @ off) / size
        total += hyper["consistency"] * (p * np.log(p / r)).sum() / size
        of_p = free * (1 / sums.sum() - e / (sums @ e))  # of the cross-entropy
        of_u[i] = ((of_p + 2 * off) * e).sum() * 2 * u[i] / size
        of_v[i] = -2 * off * (1 - e) * 2 * v[i] / size
        of_p = of_p - hyper["balance"] / q / mean
        slope = p * (of_p - of_p @ p)
        pulled = hyper["consistency"] * (r - p)
        of_w += (np.outer(slope, h) + np.outer(pulled, h_strong)) / size
        of_b += (slope + pulled) / size
    return total, of_w, of_b, of_u, of_v


def test_sop_plus_is_its_text_example_by_example():
    stack = make_stack(toy(), "sop+", lr=0.02, hidden=10, **HYPER)
    rng = np.random.default_rng(0)
    u, v = rng.normal(0, 0.2, (3, stack.n)), rng.normal(0, 0.2, (3, stack.n, stack.q))
    stack.rows["u"].copy_(torch.tensor(u)[..., None])
    stack.rows["v"].copy_(torch.tensor(v))
    for _ in range(stack.E + 2):
        expected = [slow_update(stack, k, u[k], v[k]) for k in range(3)]
        before = stack.loss_sum.clone()
        update(stack)
        found = (stack.loss_sum - before).numpy()
        for k, (total, of_w, of_b, of_u, of_v) in enumerate(expected):
            assert found[k] == pytest.approx(total, rel=1e-9)
            grads = {name: leaf.grad[k].numpy() for name, leaf in stack.net.parameters.items()}
            np.testing.assert_allclose(grads["w2"], of_w, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(grads["b2"][0], of_b, rtol=1e-9, atol=1e-12)
            for i in of_u:
                u[k, i] -= HYPER["lr_u"] * of_u[i]
                v[k, i] -= HYPER["lr_v"] * of_v[i]
    np.testing.assert_allclose(stack.rows["u"][..., 0], u, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(stack.rows["v"], v, rtol=1e-9, atol=1e-12)


def test_without_its_two_parts_sop_plus_is_sop():
    plain = advance(make_stack(toy(), "sop"), 12)
    stack = advance(make_stack(toy(), "sop+", consistency=0, balance=0), 12)
    torch.testing.assert_close(stack.net.flat, plain.net.flat, rtol=1e-9, atol=1e-12)


def test_two_views_that_are_one_leave_the_balance_alone():
    stack = advance(make_stack(toy(), "sop+", view_noise=0, consistency=5), 6)
    other = advance(make_stack(toy(), "sop+", view_noise=0, consistency=0), 6)
    torch.testing.assert_close(stack.net.flat, other.net.flat, rtol=1e-7, atol=1e-9)


def test_the_parts_by_hand():
    p, r = (torch.tensor([row], dtype=torch.float64).log() for row in ([0.5, 0.5], [0.8, 0.2]))
    # (log 0.5/0.8 + log 0.5/0.2) / 2 = log(0.25 / 0.16) / 2
    found = sop_plus.divergence(p.requires_grad_(), r.requires_grad_())
    assert found.item() == pytest.approx(math.log(1.5625) / 2)
    found.sum().backward()
    assert p.grad is None
    assert r.grad.tolist() == [[-0.5, -0.5]]
    # means 0.65 and 0.35
    found = sop_plus.imbalance(torch.cat([p, r]))
    assert found.item() == pytest.approx(-math.log(0.65 * 0.35) / 2)
    even = torch.full((3, 4), 0.25).log()
    assert sop_plus.imbalance(even).item() == pytest.approx(math.log(4))


def test_on_pictures_both_views_are_changed_and_normalised_as_one_batch(monkeypatch):
    stack = on_pictures("sop+", (0,))
    seen = []
    own = type(stack.net).__call__
    monkeypatch.setattr(
        type(stack.net), "__call__", lambda net, x: seen.append(x.clone()) or own(net, x)
    )
    batch = stack.next_batches()[0]
    stack.stage.step(stack, batch)
    (x,) = seen
    assert x.shape[1] == 2 * stack.B
    assert torch.equal(x[:, : stack.B], batch.view("weak"))
    assert torch.equal(x[:, stack.B :], batch.view("strong"))
    assert not torch.equal(batch.view("weak"), batch.view("strong"))
