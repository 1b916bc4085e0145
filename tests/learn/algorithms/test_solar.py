"""SoLar: rows divided by optimal transport, who is relied on, and where classes are unequal."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.learn.algorithms import solar
from candidly.learn.algorithms._tensors import masked_softmax

from toys import advance, make_stack, toy


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_rows_are_divided_with_the_prior_and_nothing_else_is_in_the_table(seed):
    rng = np.random.default_rng(seed)
    n, q = 40, 4
    mass = rng.random((n, q)) + 0.05  # no zeros: every prior can be met
    prior = rng.dirichlet(np.ones(q) * 5)
    found = solar.divided(torch.tensor(mass), torch.tensor(prior), steps=500).numpy()
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-9)
    np.testing.assert_allclose(found.sum(0), n * prior, atol=1e-6)
    # of all tables with these sums the nearest has the form a_i K_ij b_j: no 2 x 2 ratio differs
    ratio = found / mass**solar.POWER
    np.testing.assert_allclose(
        ratio[:-1, :-1] * ratio[1:, 1:], ratio[:-1, 1:] * ratio[1:, :-1], rtol=1e-6
    )


def test_what_is_no_candidate_gets_nothing_and_a_class_nobody_has_is_left_out():
    mass = torch.tensor([[0.9, 0.1, 0.0], [0.2, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    found = solar.divided(mass.double(), torch.tensor([0.5, 0.3, 0.2]).double())
    assert torch.equal(found > 0, mass > 0)
    np.testing.assert_allclose(found.sum(1), [1, 1, 0, 1], atol=1e-9)
    assert found.isfinite().all()


def test_rows_of_tiny_probabilities_are_divided_like_others():
    mass = torch.tensor([[0.6, 0.3], [6e-16, 3e-16], [0.2, 0.7]])
    found = solar.divided(mass, torch.tensor([0.5, 0.5]))
    torch.testing.assert_close(found[0], found[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_of_each_class_the_surest_are_relied_on(seed):
    rng = np.random.default_rng(seed)
    target = rng.dirichlet(np.ones(4), (2, 30))
    losses, prior = rng.random((2, 30)), rng.dirichlet(np.ones(4), 2)
    sure, rho = rng.random((2, 30)) < 0.1, 0.6
    tensors = (torch.tensor(values) for values in (target, losses, sure, prior))
    found = solar.relied_on(*tensors, rho).numpy()
    for k in range(2):
        expected = sure[k].copy()
        for j in range(4):
            mine = [i for i in range(30) if target[k, i].argmax() == j]
            most = max(1, math.ceil(30 * rho * prior[k, j]))
            expected[sorted(mine, key=lambda i: losses[k, i])[:most]] = True
        assert np.array_equal(found[k], expected)


def test_an_update_is_the_text(monkeypatch):
    stack = make_stack(toy(), "SoLar", [0, 1], 60)
    advance(stack, 50)
    assert stack.t > solar.estimated(stack) + stack.E
    batch = stack.next_batches()[0]
    mixtures = torch.rand(2, stack.B, dtype=stack.dtype)
    monkeypatch.setattr(solar, "mixed", lambda s, x, target, chosen: mixtures)
    objective, kept = stack.stage.step(stack, batch)
    ramp = min(1, (50 - solar.estimated(stack)) / (stack.hp.ramp * 60))
    logits = stack.net(batch.x).logits.detach()
    probs = logits.softmax(-1)
    for k in range(2):
        mass = probs[k] * batch.candidates[k]
        full = bool((stack.memory["queue"][k, -1] > 0).any())
        rows = torch.cat([stack.memory["queue"][k], mass]) if full else mass
        prior = stack.memory["prior"][k]
        target = solar.divided(rows, prior)[-stack.B :]
        with_target = -(target * logits[k].log_softmax(-1)).sum(-1)
        sure = (target * probs[k]).sum(-1) > stack.hyper[k]["tau"]
        rho = 0.2 + 0.6 * ramp
        chosen = solar.relied_on(target[None], with_target[None], sure[None], prior[None], rho)[0]
        eta = stack.hyper[k]["eta"] * ramp
        reliable = (2 * with_target + mixtures[k])[chosen].mean()  # on a table views are the row
        others = -(batch.weights[k] * logits[k].log_softmax(-1)).sum(-1)[~chosen].mean()
        expected = eta * reliable + (1 - eta) * others
        torch.testing.assert_close(objective[k].detach(), expected)
    torch.testing.assert_close(kept["weights"], masked_softmax(logits, batch.candidates))
    torch.testing.assert_close(kept["queue"].values, probs * batch.candidates)


def test_mixtures_are_of_rows_that_are_relied_on():
    stack = make_stack(toy(), "SoLar", [0, 1], 60)
    advance(stack, 20)
    batch = stack.next_batches()[0]
    chosen = torch.zeros(2, stack.B, dtype=torch.bool)
    chosen[0, 3] = chosen[1, 5] = True  # alone each is its own partner
    target = torch.rand(2, stack.B, stack.q, dtype=stack.dtype)
    found = solar.mixed(stack, batch.x, target, chosen)
    logits = stack.net(batch.x).logits
    for k, row in ((0, 3), (1, 5)):
        own = -(target[k, row] * logits[k, row].log_softmax(-1)).sum()
        torch.testing.assert_close(found[k, row], own)


def test_the_second_part_begins_anew_with_the_prior_that_was_found():
    stack = make_stack(toy(), "SoLar", [0], 60, estimate=0.5)
    first = stack.net.flat.clone()
    advance(stack, solar.estimated(stack))
    prior, trained = stack.memory["prior"].clone(), stack.net.flat.clone()
    assert not torch.allclose(prior, torch.full_like(prior, 1 / 7))
    advance(stack, 1)
    torch.testing.assert_close(stack.memory["prior"], prior)
    assert int((stack.memory["queue"] > 0).any(-1).sum()) == stack.B
    again = stack.net.flat
    assert (again - trained).abs().mean() > 0.05  # no update moves it so far
    assert (again - first).abs().mean() > 0.05  # and it begins with other numbers


def test_after_an_epoch_the_prior_moves_towards_what_is_predicted():
    stack = make_stack(toy(), "SoLar", [0], 60, estimate=0.5)
    advance(stack, stack.E - 1)
    assert torch.equal(stack.memory["prior"], torch.full((1, 7), 1 / 7, dtype=stack.dtype))
    advance(stack, 1)
    logits, sets = stack.whole(0).logits, stack.labels("candidates")[0]
    guess = [max(np.flatnonzero(row), key=lambda j: z[j]) for z, row in zip(logits, sets.numpy())]
    shares = np.bincount(guess, minlength=7) / len(guess)
    moved = 1 - 0.9 ** (20 / (30 / stack.E))  # as far in 30 updates as in 20 epochs by 0.1
    np.testing.assert_allclose(stack.memory["prior"][0], (1 - moved) / 7 + moved * shares)


def test_where_classes_are_of_unequal_size_their_shares_are_found():
    for seed in range(2):
        data = toy(n=6000, q=7, spread=0.7, rate=0.5, seed=seed)
        share = 20.0 ** -(np.arange(7) / 6)
        data = data[np.random.default_rng(seed).random(data.n) < share[data.truth]]
        stack = make_stack(data, "SoLar", [0], 800, torch.float32, batch=64, lr=3e-3, estimate=0.5)
        advance(stack, 800)
        true = np.bincount(data.truth, minlength=7) / data.n
        found = stack.memory["prior"][0].numpy()
        assert abs(found - true).sum() < 0.5 * abs(1 / 7 - true).sum(), (found, true)
