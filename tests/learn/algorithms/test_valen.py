"""VALEN against its parts done the slow way, and what the released program does otherwise."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.distributions import Dirichlet, kl_divergence

from candidly.learn.algorithms import valen
from candidly.learn.engine.train import update
from learn.algorithms.picture_battery import CHANNELS, SIDE
from learn.algorithms.picture_battery import stack_of as of_pictures

from toys import advance, make_stack, toy


def neighbours_by_hand(features, count):
    distances = ((features[:, None] - features[None]) ** 2).sum(-1)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, 1)[:, :count]


@pytest.mark.parametrize(("at_once", "most"), [(7, 2**24), (1000, 2**24), (1000, 130), (1000, 1)])
def test_the_nearest_rows_are_the_nearest(at_once, most, monkeypatch):
    monkeypatch.setattr(valen, "AT_ONCE", at_once)
    monkeypatch.setattr(valen, "MOST_DISTANCES", most)
    features = np.random.default_rng(0).normal(size=(60, 5)) + 3
    found = valen.nearest(torch.tensor(features), 4)
    np.testing.assert_array_equal(found, neighbours_by_hand(features, 4))


def test_no_more_distances_are_held_than_allowed(monkeypatch):
    monkeypatch.setattr(valen, "MOST_DISTANCES", 130)
    held, addmm = [], torch.addmm
    monkeypatch.setattr(torch, "addmm", lambda *a, **how: held.append(addmm(*a, **how)) or held[-1])
    valen.nearest(torch.randn(60, 5), 3)
    assert max(distances.numel() for distances in held) <= 130


def test_on_pictures_the_graph_is_of_plain_ones_and_pixels_are_rebuilt_as_trained(monkeypatch):
    stack = advance(of_pictures("VALEN", trials=(0,), warm_up=4), 4)
    expected = valen.nearest(stack.whole(0).features, 3)
    x = stack.next_batches()[0].x
    told, reconstruction = [], valen.reconstruction
    monkeypatch.setattr(valen, "reconstruction", lambda *a: told.append(a) or reconstruction(*a))
    update(stack)
    assert torch.equal(stack.rows["near"][0, :, :3], expected)
    _, decoded, rebuilt, *_ = told[0]
    assert decoded.shape == rebuilt.shape == (1, stack.B, CHANNELS * SIDE * SIDE)
    assert torch.equal(rebuilt, x.flatten(2))


def test_the_batchs_block_is_that_of_the_dense_graph():
    features = np.random.default_rng(1).normal(size=(30, 4))
    for count in (3, 4):
        dense = np.eye(30)
        near = neighbours_by_hand(features, count)
        dense[np.arange(30)[:, None], near] = 1
        dense /= dense.sum(1, keepdims=True)
        padded = torch.full((30, valen.MOST_NEIGHBOURS), -1)
        padded[:, :count] = torch.tensor(near)
        ids = torch.tensor([4, 17, 3, 9, 28, 0, 11])
        block = valen.graph_block(
            padded[ids], ids, torch.tensor([float(count)], dtype=torch.float64)
        )
        np.testing.assert_allclose(block, dense[np.ix_(ids, ids)])


def test_the_prior_is_the_divergence_of_dirichlets():
    alpha = torch.randn(9, 6, dtype=torch.float64) * 5
    alpha[0], alpha[1] = 400.0, -400.0
    kappa = (alpha / 4).exp().clamp(1e-2, 30)
    expected = kl_divergence(Dirichlet(kappa), Dirichlet(torch.ones_like(kappa)))
    torch.testing.assert_close(valen.prior_divergence(alpha), expected)
    wild = torch.full((1, 6), 500.0, requires_grad=True)
    valen.prior_divergence(wild).sum().backward()
    assert wild.grad.isfinite().all()


def test_the_concentration_is_the_renormalised_softmax_and_its_mass_a_constant():
    alpha = torch.randn(8, 5, dtype=torch.float64, requires_grad=True)
    sets = torch.rand(8, 5) < 0.6
    sets[:, 0] = True
    inside = alpha.softmax(-1) * sets
    expected = inside / inside.sum(-1, keepdim=True).detach() + 1e-2
    got = valen.concentration(alpha, sets)
    torch.testing.assert_close(got, expected)
    weights = torch.randn(8, 5, dtype=torch.float64)
    ours, theirs = (torch.autograd.grad((weights * v).sum(), alpha)[0] for v in (got, expected))
    torch.testing.assert_close(ours, theirs)


def test_the_draws_are_dirichlet_and_so_is_their_gradient():
    sets = torch.tensor([[True, True, False, True]]).expand(20_000, -1)
    alpha = torch.tensor([0.5, -0.3, 0.9, 0.1], dtype=torch.float64, requires_grad=True)
    strength = valen.concentration(alpha.expand(20_000, -1), sets)
    torch.manual_seed(0)
    ours, theirs = valen.draw(strength, sets), Dirichlet(strength.detach()).sample()
    for moment in (1, 2):
        difference = ours.detach() ** moment - theirs**moment
        assert (difference.mean(0).abs() < 4 * difference.std(0) / 20_000**0.5).all()
    # pathwise: d E[delta_0^2] / d alpha against that of the closed form of the second moment
    c, total = strength[0], strength[0].sum()
    exact = torch.autograd.grad(c[0] * (c[0] + 1) / (total * (total + 1)), alpha, retain_graph=True)
    (got,) = torch.autograd.grad((ours[:, 0] ** 2).mean(), alpha)
    torch.testing.assert_close(got, exact[0], atol=0.01, rtol=0)


def test_the_reconstruction_is_the_definition():
    g = np.random.default_rng(2)
    delta, x, decoded = g.dirichlet(np.ones(4), 5), g.normal(size=(5, 3)), g.normal(size=(5, 3))
    sets, graph = g.random((5, 4)) < 0.5, g.random((5, 5))
    told = shown = similar = 0.0
    for i in range(5):
        similarity = [1 / (1 + math.exp(-delta[i] @ delta[j])) for j in range(5)]
        total = sum(math.exp(v) for v in similarity)
        for j in range(5):
            similar += (math.exp(similarity[j]) / total - graph[i, j]) ** 2 / 25
        for j in range(4):
            r = 1 / (1 + math.exp(-delta[i, j]))
            told -= math.log(r if sets[i, j] else 1 - r) / 20
        for j in range(3):
            shown += (decoded[i, j] - x[i, j]) ** 2 / 15
    got = valen.reconstruction(*(torch.tensor(v) for v in (delta, decoded, x, sets, graph)))
    assert float(got) == pytest.approx(0.01 * shown + 0.01 * told + similar)


def test_the_warm_up_is_proden_with_torchs_sgd():
    data = toy()
    stack = make_stack(data, "VALEN", [1], warm_up=20)
    hp = stack.hyper[0]
    w = [p.detach()[0].clone().requires_grad_() for p in stack.net.parameters.values()]
    sgd = torch.optim.SGD(w, lr=hp["lr"], momentum=0.9, weight_decay=hp["weight_decay"])
    sets = stack.labels("candidates")[0]
    belief = sets / sets.sum(-1, keepdim=True).double()
    for _ in range(20):
        batch = stack.next_batches()[0]
        ids, x = batch.ids[0], batch.x[0]
        logits = torch.relu(x @ w[0] + w[1]) @ w[2].T + w[3]
        sgd.zero_grad()
        (-(belief[ids] * logits.log_softmax(-1)).sum(-1).mean()).backward()
        sgd.step()
        p = logits.detach().softmax(-1) * sets[ids]
        belief[ids] = p / p.sum(-1, keepdim=True)
        update(stack)
    for ours, theirs in zip(stack.net.parameters.values(), w):
        torch.testing.assert_close(ours[0], theirs)
    torch.testing.assert_close(stack.rows["belief"][0], belief)
    assert not stack.rows["near"].ge(0).any()


def test_after_the_warm_up_the_encoder_is_a_copy_and_the_targets_are_the_beliefs():
    stack = advance(make_stack(toy(), "VALEN", warm_up=9), 9)
    before, beliefs = stack.net.flat.clone(), stack.rows["belief"].clone()
    begun = valen.begin(stack)
    assert torch.equal(begun["encoder"], before)
    assert torch.equal(begun["target"], beliefs)
    ids = stack.next_batches()[0].ids
    update(stack)
    outside = torch.ones(3, stack.n, dtype=torch.bool).scatter(1, ids, False)
    assert torch.equal(stack.rows["target"][outside], beliefs[outside])
    inside = stack.rows["target"][~outside]
    torch.testing.assert_close(inside.sum(-1), torch.ones(len(inside), dtype=torch.float64))
    assert not inside[~stack.labels("candidates")[~outside]].any()


def test_the_objective_of_an_update_is_the_sum_of_its_parts(monkeypatch):
    stack = advance(make_stack(toy(), "VALEN", warm_up=9), 10)
    batch = stack.next_batches()[0]
    drawn = []
    sample = stack.sample
    monkeypatch.setattr(stack, "sample", lambda *a: drawn.append(sample(*a)) or drawn[-1])
    logits, alpha = stack.net(batch.x).logits.detach(), stack.encoder(batch.x).logits.detach()
    x, belief, target, near = batch.x, batch.belief, batch.target, batch.near
    stack.mean_loss()
    update(stack)
    delta = drawn[0].detach()
    assert delta.shape == (3, stack.B, stack.q)
    torch.testing.assert_close(delta.sum(-1), torch.ones(3, stack.B, dtype=torch.float64))
    w = [p.detach() for p in stack.decoder.parameters.values()]
    assert [tuple(p.shape[1:]) for p in w] == [(7, 12), (1, 12), (12, 12), (1, 12)]
    kappa = (alpha / 4).exp().clamp(1e-2, 30)
    prior = kl_divergence(Dirichlet(kappa), Dirichlet(torch.ones_like(kappa))).mean(-1)
    fits = -(belief * alpha.log_softmax(-1)).sum(-1).mean(-1)
    fits = fits - (target * logits.log_softmax(-1)).sum(-1).mean(-1)
    rest = torch.tensor(stack.mean_loss(), dtype=torch.float64) - prior - fits
    graph = valen.graph_block(near, batch.ids, stack.hp.neighbours)
    similar = (delta @ delta.transpose(1, 2)).sigmoid().softmax(-1)
    least = ((similar - graph) ** 2).mean((1, 2))
    assert (rest > least).all()
    assert (rest < least + 0.01 * (x.square().mean((1, 2)) * 2 + 2)).all()


def test_a_trials_draws_do_not_depend_on_torchs_state_and_leave_it_alone():
    stack = advance(make_stack(toy(), "VALEN", warm_up=3), 3)
    torch.manual_seed(0)
    before = torch.get_rng_state()
    update(stack)
    assert torch.equal(torch.get_rng_state(), before)


def test_d_valen_1_the_encoder_learns_and_stays_frozen_in_plench():
    for name, learns in (("VALEN", True), ("VALEN:plench", False)):
        stack = make_stack(toy(), name, warm_up=5)
        advance(stack, 5 + stack.E + 2)
        before = stack.encoder.flat.clone(), stack.decoder.flat.clone()
        advance(stack, 5)
        assert torch.equal(stack.encoder.flat, before[0]) == (not learns)
        assert not torch.equal(stack.decoder.flat, before[1])


@pytest.mark.parametrize("name", ["VALEN", "VALEN:plench"])
def test_d_valen_2_the_graph_is_built_when_the_batch_divides_the_rows(name):
    stack = make_stack(toy(n=317), name, warm_up=5)  # 256 rows
    assert stack.n % stack.B == 0
    advance(stack, 5 + stack.E + 3)
    assert stack.rows["near"][:, :, :3].ge(0).all()


def test_d_valen_3_the_graph_sees_every_row():
    for name, every in (("VALEN", True), ("VALEN:plench", False)):
        stack = make_stack(toy(), name, warm_up=5, neighbours=3)
        advance(stack, 5 + (0 if every else stack.E + 1) + 1)
        # the graph is of the network as the warm-up left it
        fresh = advance(make_stack(toy(), name, warm_up=5, neighbours=3), 5)
        expected = valen.nearest(fresh.whole(0).features, 3)
        assert torch.equal(stack.rows["near"][0, :, :3], expected) == every


def test_plench_rests_while_it_gathers():
    stack = advance(make_stack(toy(), "VALEN:plench", warm_up=5), 5)
    before = stack.net.flat.clone()
    advance(stack, stack.E + 1)
    assert torch.equal(stack.net.flat, before)
    assert stack.rows["visited"].any()
    assert not stack.rows["visited"].all()
    update(stack)
    assert not torch.equal(stack.net.flat, before)


def test_d_valen_4_the_graph_is_sparse():
    stack = advance(make_stack(toy(), "VALEN", warm_up=2), 4)
    largest = max(t[0].numel() for name, t in stack.changing().items() if "/" in name)
    assert largest < stack.n**2 / 10
    assert stack.rows["near"].shape == (3, stack.n, valen.MOST_NEIGHBOURS)
