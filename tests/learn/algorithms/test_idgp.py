"""IDGP against the paper's formulas, written out label by label."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import idgp
from candidly.learn.nets import Output

from toys import make_stack, toy

B, Q = 6, 5


@pytest.fixture
def batch():
    g = np.random.default_rng(3)
    f, r = 2 * g.normal(size=(2, B, Q))
    sets = g.random((B, Q)) < 0.5
    sets[np.arange(B), g.integers(0, Q, B)] = True
    sets[0] = True
    label = g.random((B, Q)) * sets
    label /= label.sum(1, keepdims=True)
    inclusion = g.random((B, Q)) * sets
    return [torch.tensor(v) for v in (f, r, sets, label, inclusion)]


def slow(f, g, sets, label, inclusion, ramp):
    """f's and g's late losses of one example, as the specification has them."""
    p = np.exp(f) / np.exp(f).sum()
    r = 1 / (1 + np.exp(-g))
    inside = [j for j in range(len(f)) if sets[j]]
    believed = max(inside, key=lambda j: label[j])
    flipped = r.copy()
    flipped[believed] = 1 - r[believed]
    joint = np.prod([flipped[k] for k in inside])
    w = np.array([(1 - flipped[j]) / flipped[j] * joint if sets[j] else 0 for j in range(len(f))])
    w /= w.sum()
    v = p * sets / (p * sets).sum()
    own_f = -(label * np.log(p)).sum()
    own_g = -(inclusion * np.log(r) + (1 - inclusion) * np.log(1 - r)).sum()
    to_f = -(w * np.log(p)).sum()
    to_g = -(v * np.log(1 - r)).sum() - (sets * np.log(r) + (1 - sets) * np.log(1 - r)).sum()
    pull_f = sum(d * math.log(d / p[j]) for j, d in enumerate(label) if d > 0)
    pull_g = sum(i * math.log(i / r[j]) for j, i in enumerate(inclusion) if i > 0)
    return (own_f, own_g), (own_f + to_f + ramp * pull_f, own_g + to_g + ramp * pull_g)


def stepped(batch, t, warm_up=2.0, n=15, steps=100):
    f, g, sets, label, inclusion = (v[None] for v in batch)
    stack = SimpleNamespace(
        net=lambda x: Output(torch.stack([f, g], 1), None),
        hp=SimpleNamespace(warm_up=torch.full((1, 1, 1), warm_up, dtype=f.dtype)),
        t=t,
        T=steps,
        n=n,
        B=B,
        seen=t * B,
    )
    rows = SimpleNamespace(x=None, candidates=sets, label=label, inclusion=inclusion)
    return idgp.step(stack, rows)


@pytest.mark.parametrize(
    ("t", "late", "ramp"),
    # the warm-up of two epochs of 15 / 6 updates lasts up to and including update 5
    [(0, False, 0), (5, False, 0.25), (6, True, 0.3), (20, True, 1), (90, True, 1)],
)
def test_the_objective_is_the_formulas(batch, t, late, ramp):
    (objective,), _ = stepped(batch, t)
    examples = [slow(*(v[i].numpy() for v in batch), ramp)[late] for i in range(B)]
    np.testing.assert_allclose(objective.numpy(), np.mean(examples, 0), rtol=1e-10)


def test_the_tables_take_the_values_of_this_pass(batch):
    f, g, sets, *_ = batch
    updates = stepped(batch, 0)[1]
    p = f.softmax(-1) * sets
    torch.testing.assert_close(updates["label"][0], p / p.sum(-1, keepdim=True))
    torch.testing.assert_close(updates["inclusion"][0], g.sigmoid() * sets)


def test_weights_stay_right_where_the_literal_product_underflows():
    sets = torch.ones(1, 400, dtype=torch.bool)
    g = torch.full((1, 400), -3.0)  # 0.047 ** 400 is 0 in any floating point
    g[0, 7] = -4.0
    label = torch.full((1, 400), 1 / 400)
    weights = idgp.generation_weights(g, sets, label)
    # (1 - r) / r is exp(-g); label 0 is believed, so its r is flipped
    total = 398 * math.exp(3) + math.exp(4) + math.exp(-3)
    assert float(weights[0, 7]) == pytest.approx(math.exp(4) / total, rel=1e-4)


def test_what_is_said_to_the_other_is_a_constant(batch):
    f, g, *rest = batch
    f, g = f.requires_grad_(), g.requires_grad_()
    _, _, to_f, to_g = idgp.losses(f, g, *rest)
    assert torch.autograd.grad(to_f.sum(), g, allow_unused=True) == (None,)
    assert torch.autograd.grad(to_g.sum(), f, allow_unused=True) == (None,)


def test_with_singletons_f_minimises_cross_entropy(batch):
    f, g, *_ = batch
    one = torch.eye(Q, dtype=torch.bool)[torch.arange(B) % Q]
    own, *_ = idgp.losses(f, g, one, one.double(), one.double())
    torch.testing.assert_close(own, -f.log_softmax(-1)[one])


def test_both_networks_start_and_learn_apart():
    stack = make_stack(toy(), "IDGP")
    first, second = stack.net.flat.unflatten(1, (2, -1)).unbind(1)
    assert not torch.equal(first, second)
    batch = stack.next_batches()[0]
    logits = stack.net(batch.x).logits
    assert logits.shape == (3, 2, stack.B, stack.q)
    rows = stack.index[1][batch.ids[1]]
    torch.testing.assert_close(stack.logits(1, rows), logits[1, 0].detach())  # f predicts
