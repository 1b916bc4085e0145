"""The released program's guards of logarithms and divisions, in ``plench``, label by label.

Each against a slow version in plain Python that has the guard, on logits of usual size and on ones
where the guard decides; there ``fixed`` gives the limit that the method's formula has.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import algorithm, crdpll, idgp, lws, op_w, valen
from candidly.learn.algorithms._tensors import masked_softmax
from candidly.learn.nets import Output

B, Q = 6, 5


def softmax(z):
    e = [math.exp(v - max(z)) for v in z]
    return [v / sum(e) for v in e]


def sigmoid(v):
    return 1 / (1 + math.exp(-v))


@pytest.fixture(params=[2.0, 40.0], ids=["usual", "wide"])
def batch(request):
    """Logits of both networks, sets, and weights over the sets; row 0 is full."""
    g = np.random.default_rng(3)
    f, r = request.param * g.normal(size=(2, B, Q))
    sets = g.random((B, Q)) < 0.5
    sets[np.arange(B), g.integers(0, Q, B)] = True
    sets[0] = True
    weights = g.random((B, Q)) * sets
    return [torch.tensor(v) for v in (f, r, sets, weights / weights.sum(1, keepdims=True))]


def stepped(page, outputs, t=50, **columns):
    """The objective and what is written at update ``t`` of 100, of networks with these outputs."""
    stack = SimpleNamespace(
        net=lambda x: Output(outputs, None),
        hp=SimpleNamespace(warm_up=torch.zeros(1, 1, 1), lam=3.0, alpha=2.0),
        t=t,
        T=100,
        n=15,
        B=B,
        seen=t * B,
    )
    b = SimpleNamespace(x=None, view=lambda name: None, **{n: v[None] for n, v in columns.items()})
    stage = page.stages[0]
    out = stage.step(stack, b)
    objective, updates = out if isinstance(out, tuple) else (out, {})
    return objective, updates | (stage.after(stack, b) if stage.after else {})


# LWS


def slow_lws(z, inside):
    p = softmax(z)
    sides = [[v if bool(s) is side else 0.0 for v, s in zip(p, inside)] for side in (True, False)]
    sums = [sum(v + 1e-8 for v in side) for side in sides]
    return [a / sums[0] + b / sums[1] for a, b in zip(*sides)]


def test_d_lws_1_the_weights_are_guarded_in_plench(batch):
    z, _, sets, weights = batch
    outputs, columns = z[None], {"candidates": sets, "weights": weights}
    beta = {"hp": SimpleNamespace(beta=torch.ones(1, 1))}
    b = SimpleNamespace(x=None, **{name: v[None] for name, v in columns.items()})
    stack = SimpleNamespace(net=lambda x: Output(outputs, None), **beta)
    written = {v: algorithm("LWS", v).stages[0].after(stack, b) for v in ("fixed", "plench")}
    slow = [slow_lws(row, s) for row, s in zip(z.tolist(), sets.tolist())]
    np.testing.assert_allclose(written["plench"]["weights"][0], slow, rtol=1e-9)
    inside = (written["fixed"]["weights"][0] * sets).sum(-1)
    torch.testing.assert_close(inside, torch.ones_like(inside))


def test_d_lws_1_a_side_of_no_mass_loses_its_weight_in_plench():
    z, sets = torch.tensor([[0.0, 30.0, 0.0]]), torch.tensor([[True, False, True]])
    assert (lws.guarded(z, sets) * sets).sum() < 1e-5
    assert masked_softmax(z, sets).sum() == 1


# IDGP


def slow_idgp(f, g, inside, label, inclusion):
    """The four parts of one example, as the released program forms them; and its shares."""
    eps, one = 1e-12, 1.0000001
    p, r = softmax(f), [sigmoid(v) for v in g]
    q = range(len(f))
    believed = max(q, key=lambda j: label[j] * inside[j])
    w = [(1 - v if j == believed else v) * inside[j] for j, v in enumerate(r)]
    w = [1.0 if v == 0 else v for v in w]
    w = [(1 - v) / (v + eps) * math.prod(w) * inside[j] for j, v in enumerate(w)]
    w = [v / (sum(w) + eps) for v in w]
    shares = [p[j] * inside[j] / (sum(p[k] * inside[k] for k in q) + eps) for j in q]

    def entropy(targets):
        return -sum(t * math.log(v + eps) + (1 - t) * math.log(one - v) for t, v in zip(targets, r))

    parts = (
        -sum(d * math.log(v + eps) for d, v in zip(label, p)),
        entropy(inclusion),
        -sum(a * math.log(v + eps) for a, v in zip(w, p)),
        -sum(a * math.log(one - v) for a, v in zip(shares, r)) + entropy(inside),
    )
    return parts, shares


def test_d_idgp_1_logarithms_divisions_and_the_product_are_guarded_in_plench(batch):
    f, g, sets, label = batch
    inclusion = label * 0.9
    found = idgp.losses_plench(f, g, sets, label, inclusion)
    rows = zip(*(v.tolist() for v in (f, g, sets, label, inclusion)))
    parts, shares = zip(*(slow_idgp(*row) for row in rows))
    # 1.0000001 - r keeps seven digits of r where r is near 1
    np.testing.assert_allclose(torch.stack(found, 1), parts, rtol=1e-7)
    np.testing.assert_allclose(idgp.shares_plench(f, sets), shares, rtol=1e-9)


def test_d_idgp_1_reaches_the_objective_and_the_tables(batch):
    f, g, sets, label = batch
    outputs = torch.stack([f, g])[None]
    columns = {"candidates": sets, "label": label, "inclusion": label * 0.9}
    found = {
        v: stepped(algorithm("IDGP", v), outputs, 0, **columns) for v in ("fixed", "plench")
    }  # the warm-up: the objective is that of the first two parts
    parts = idgp.losses_plench(f, g, sets, label, label * 0.9)
    own = torch.stack([parts[0].mean(), parts[1].mean()])
    torch.testing.assert_close(found["plench"][0][0], own)
    torch.testing.assert_close(found["plench"][1]["label"][0], idgp.shares_plench(f, sets))
    assert not torch.equal(found["fixed"][0], found["plench"][0])


def test_d_idgp_1_the_weights_of_an_improbable_set_vanish_in_plench():
    g = torch.full((1, 8), -5.0)  # seven labels of r = 0.0067 and one of 0.9933: 6e-16
    sets, label = torch.ones(1, 8, dtype=torch.bool), torch.full((1, 8), 1 / 8)
    assert idgp.weights_plench(g.sigmoid(), sets, label).sum() < 0.5
    assert float(idgp.generation_weights(g, sets, label).sum()) == pytest.approx(1)


# CRDPLL and FREDIS


def slow_avoided(z, inside):
    return -sum(math.log(1.0000001 - p) for p, s in zip(softmax(z), inside) if not s)


def slow_divergence(weights, z):
    # log p as a log-softmax: the pull has no guard
    log_p = [v - max(z) - math.log(sum(math.exp(u - max(z)) for u in z)) for v in z]
    return sum(w * (math.log(w) - lp) for w, lp in zip(weights, log_p) if w > 0)


def test_d_cr_1_a_certain_wrong_label_is_let_go_in_plench(batch):
    z, _, sets, weights = batch
    rows = list(zip(z.tolist(), sets.tolist(), weights.tolist()))
    expected = np.mean([slow_avoided(v, s) + 2 * slow_divergence(w, v) for v, s, w in rows])
    found = {
        v: stepped(algorithm("CRDPLL", v), z[None], candidates=sets, weights=weights)[0]
        for v in ("fixed", "plench")
    }
    assert float(found["plench"]) == pytest.approx(expected, rel=1e-9)
    sure, inside = torch.tensor([[0.0, 60.0]], requires_grad=True), torch.tensor([[True, False]])
    losses = crdpll.supervised_plench(sure, inside), crdpll.supervised(sure, inside)
    assert float(losses[0].detach()) == pytest.approx(-math.log(1.1920929e-7))  # float32's step
    assert float(losses[1].detach()) == pytest.approx(60)
    slopes = [torch.autograd.grad(loss.sum(), sure)[0].abs().max() for loss in losses]
    assert slopes[0] < 1e-6
    assert float(slopes[1]) == pytest.approx(1)


def test_d_fredis_6_the_same_guard_in_its_loss(batch):
    z, _, sets, weights = batch
    rows = list(zip(z.tolist(), sets.tolist(), weights.tolist()))
    expected = np.mean([3 * slow_divergence(w, v) + 2 * slow_avoided(v, s) for v, s, w in rows])
    columns = {"candidates": sets, "sets": sets, "weights": weights}
    found = {
        v: float(stepped(algorithm("FREDIS", v), z[None], **columns)[0])
        for v in ("fixed", "plench")
    }
    assert found["plench"] == pytest.approx(expected, rel=1e-9)
    assert found["plench"] != found["fixed"]


# VALEN


def test_d_valen_5_probabilities_are_guarded_in_plench(batch):
    z, _, sets, weights = batch
    rows = list(zip(z.tolist(), sets.tolist(), weights.tolist()))
    fits = [-sum(w * math.log(p + 1e-12) for w, p in zip(ws, softmax(v))) for v, _, ws in rows]
    kept = [[(p + 1e-12) * s for p, s in zip(softmax(v), ss)] for v, ss, _ in rows]
    refreshed = [[v / sum(row) for v in row] for row in kept]
    torch.testing.assert_close(
        valen.cross_entropy_plench(weights, z), torch.tensor(fits, dtype=z.dtype)
    )
    np.testing.assert_allclose(valen.refreshed_plench(z, sets), refreshed, rtol=1e-9)
    objective, updates = stepped(
        algorithm("VALEN:plench"), z[None], belief=weights, candidates=sets
    )
    assert float(objective) == pytest.approx(np.mean(fits))
    np.testing.assert_allclose(updates["belief"][0], refreshed, rtol=1e-9)


def test_d_valen_5_a_wrong_and_certain_model_is_let_go_in_plench():
    z, weights = torch.tensor([[0.0, 60.0]]), torch.tensor([[1.0, 0.0]])
    sets = weights > 0
    assert float(valen.cross_entropy_plench(weights, z)) == pytest.approx(-math.log(1e-12))
    parts = algorithm("VALEN").stages[0], algorithm("VALEN:plench").stages[0]
    losses = []
    for stage in parts:
        logits = z.clone().requires_grad_()
        stack = SimpleNamespace(net=lambda x, logits=logits: Output(logits[None], None))
        b = SimpleNamespace(x=None, belief=weights[None], candidates=sets[None])
        objective, _ = stage.step(stack, b)
        objective.backward()
        losses.append((float(objective.detach()), float(logits.grad.abs().max())))
    assert losses[0] == pytest.approx((60, 1))
    assert losses[1] == pytest.approx((27.63, 0), abs=0.01)


# OP-W


def slow_op_w(logits, sets):
    """The released program's, over the batch's pairs."""
    found = []
    for z, s in zip(logits.tolist(), sets.tolist()):
        a = [v + 1e-18 for v in softmax(z)]
        b = [v + 1e-18 for v in softmax([-v for v in z])]
        w = softmax([1 / v + 1 for v in b])
        found += [-(a[j] * w[j] + 1e-6) * math.log(b[j]) for j in range(len(z)) if not s[j]]
    return np.mean(found)


def test_d_op_1_the_guard_is_added_in_plench_and_a_bound_in_fixed(batch):
    z, _, sets, _ = batch
    assert float(op_w.loss_plench(z, sets)) == pytest.approx(slow_op_w(z, sets), rel=1e-7)
    at = torch.tensor([[0.0, math.log(1e18)]]).double()  # b = 1e-18 for the second label
    outside = torch.tensor([[True, False]])
    gap = float(op_w.loss(at, outside) - op_w.loss_plench(at, outside))
    assert gap == pytest.approx(math.log(2), rel=1e-4)  # b + 1e-18 is twice b there
