"""FREDIS against its rules done the slow way."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import fredis
from candidly.learn.engine.train import update

from toys import advance, make_stack, tensors, toy

HP = {"times": 2, "change_size": 1000, "inc": 0.05, "dec": 0.125}


@pytest.fixture
def beliefs():
    g = np.random.default_rng(0)
    posterior = g.dirichlet(np.full(6, 0.7), size=40)
    sets = g.random((40, 6)) < 0.5
    sets[np.arange(40), g.integers(0, 6, 40)] = True
    return torch.tensor(posterior), torch.tensor(sets)


def slow(posterior, sets, theta, delta, hp):
    """A correction entry by entry, with the loop over delta; nothing is drawn."""
    n, q = sets.shape
    gap = [[max(row) - p for p in row] for row in posterior]
    new = sets.copy()
    entered = [(i, j) for i in range(n) for j in range(q) if not sets[i, j] and gap[i][j] < theta]
    for i, j in entered:
        new[i, j] = True
    of_sets = [gap[i][j] for i in range(n) for j in range(q) if sets[i, j]]
    wanted = min(hp["times"] * len(entered), sum(g > 0 for g in of_sets))
    while sum(g > delta for g in of_sets) < wanted:
        delta -= hp["dec"]
    delta = max(delta, 0.0)
    for i in range(n):
        for j in range(q):
            if sets[i, j] and gap[i][j] > delta:
                new[i, j] = False
        if not new[i].any():
            new[i] = sets[i]
    changed = (new != sets).sum()
    if theta < 0.9 and delta > 0.1 and changed < hp["change_size"]:
        theta, delta = theta + hp["inc"], delta - hp["dec"]
    return new, theta, delta


@pytest.mark.parametrize("theta", [1e-6, 0.05, 0.3])
@pytest.mark.parametrize("dec", [0.5, 0.125, 1 / 64])
def test_corrections_follow_the_rules(beliefs, theta, dec):
    posterior, sets = beliefs
    hp = HP | {"dec": dec}
    expected = slow(posterior.numpy(), sets.numpy(), theta, 1.0, hp)
    new, *bounds = fredis.correct(posterior, sets, theta, 1.0, hp, np.random.default_rng(0))
    np.testing.assert_array_equal(new, expected[0])
    assert bounds == pytest.approx(expected[1:])


@pytest.mark.parametrize("dec", [0.5, 0.125, 1 / 64, 1 / 1024])
@pytest.mark.parametrize("wanted", [0, 1, 3, 7, 10, 50])
def test_d_fredis_2_delta_is_found_in_closed_form(dec, wanted):
    gaps = torch.tensor([0.0, 0.0, 0.01, 0.2, 0.2, 0.45, 0.6, 0.61, 0.95], dtype=torch.float64)
    for start in (1.0, 0.75, 0.125, 0.0):
        delta = start
        while (gaps > delta).sum() < min(wanted, 7):  # without the bound of 7 it would not end
            delta -= dec
        got = fredis.lowered(start, gaps, wanted, dec)
        assert got == pytest.approx(max(delta, 0.0), abs=1e-12)
        assert (gaps > got).sum() >= min(wanted, 7)


def test_no_more_than_the_asked_number_enter_and_leave(beliefs):
    posterior, sets = beliefs
    hp = HP | {"change_size": 5, "times": 3}
    new, *_ = fredis.correct(posterior, sets, 0.5, 0.05, hp, np.random.default_rng(1))
    assert (new & ~sets).sum() == 5
    assert (sets & ~new).sum() == 15
    other, *_ = fredis.correct(posterior, sets, 0.5, 0.05, hp, np.random.default_rng(2))
    assert not torch.equal(new, other)
    # the released program draws among all entries below theta, so fewer than asked really enter
    released, *_ = fredis.correct(
        posterior, sets, 0.5, 0.05, hp, np.random.default_rng(1), released=True
    )
    assert (released & ~sets).sum() < 5


def test_a_likely_label_enters_and_an_unlikely_one_leaves_by_hand():
    posterior = torch.tensor([[0.5, 0.49, 0.01], [0.2, 0.2, 0.6]], dtype=torch.float64)
    sets = torch.tensor([[True, False, True], [False, True, True]])
    hp = HP | {"times": 1, "dec": 0.25, "change_size": 2}
    new, theta, delta = fredis.correct(posterior, sets, 0.02, 1.0, hp, np.random.default_rng(0))
    # label 1 of row 0 enters; one has to leave: delta falls to 0.25, where both 0.49 and 0.4 are
    # above it; as two may enter and one leave for each, both do
    assert new.tolist() == [[True, True, False], [False, False, True]]
    assert (theta, delta) == (0.02, 0.25)  # three entries changed, not fewer than two


def test_loss_and_refresh_are_the_definition():
    data = toy()
    stack = make_stack(data, "FREDIS", interval=10)
    batch = stack.next_batches()[0]
    logits = stack.net(batch.x).logits.detach()
    weights, sets = batch.weights, batch.sets
    p = logits.softmax(-1)
    kl = torch.where(weights > 0, weights * (weights / p).log(), 0).sum(-1)
    avoided = -(~sets * (1 - p).log()).sum(-1)
    expected = (stack.hp.lam * kl + stack.hp.alpha * avoided).mean(-1)
    update(stack)
    torch.testing.assert_close(stack.loss_sum, expected)
    after = stack.whole(1).logits[batch.ids[1]].softmax(-1)
    torch.testing.assert_close(stack.rows["posterior"][1][batch.ids[1]], after)
    inside = after * sets[1]
    torch.testing.assert_close(
        stack.rows["weights"][1][batch.ids[1]], inside / inside.sum(-1, keepdim=True)
    )


def test_each_trial_is_corrected_at_its_own_interval(monkeypatch):
    stack = make_stack(toy(), "FREDIS")
    stack.hyper = [{**h, "interval": i} for h, i in zip(stack.hyper, (1, 2, 3))]
    calls = []
    correct = fredis.correct
    monkeypatch.setattr(fredis, "correct", lambda *a: calls.append(a[4]["interval"]) or correct(*a))
    corrected = []
    for _ in range(6):
        advance(stack, stack.E)
        corrected.append(calls.copy())
        calls.clear()
    assert corrected == [[1], [1, 2], [1, 3], [1, 2], [1], [1, 2, 3]]


def test_d_fredis_1_no_correction_before_the_warm_up_is_over():
    stack = make_stack(toy(), "FREDIS", interval=3)
    sets = stack.rows["sets"].clone()
    advance(stack, 3 * stack.E - 1)
    assert torch.equal(stack.rows["sets"], sets)
    assert stack.memory["delta"].eq(1).all()  # not walked down by a posterior that says nothing


def corrected(name):
    """Two stacks that differ in the sets that corrections have left."""
    stacks = []
    for smaller in (False, True):
        stack = advance(make_stack(toy(rate=0.5), name, interval=100), 3)
        if smaller:
            stack.rows["sets"] &= stack.rows["posterior"] > 0.1
        stacks.append(advance(stack, 3 * stack.E))
    return stacks


def test_d_fredis_3_corrected_candidates_are_trained_on_and_not_in_plench():
    for name, trained_on in (("FREDIS", True), ("FREDIS:plench", False)):
        plain, smaller = corrected(name)
        assert torch.equal(plain.net.flat, smaller.net.flat) == (not trained_on)
        same = torch.equal(tensors(plain)["rows/weights"], tensors(smaller)["rows/weights"])
        assert same == (not trained_on)


def test_d_fredis_4_an_emptied_row_is_restored():
    # the likeliest labels of both rows are outside, one may enter: a row is left with nothing
    posterior = torch.tensor([[0.9, 0.1, 0.0], [0.9, 0.05, 0.05]], dtype=torch.float64)
    sets = torch.tensor([[False, True, False], [False, False, True]])
    hp = HP | {"change_size": 1, "times": 2, "dec": 0.1}
    for released in (False, True):
        new, *_ = fredis.correct(
            posterior, sets, 1e-6, 0.5, hp, np.random.default_rng(0), released=released
        )
        assert bool((new.sum(-1) == 0).any()) == released
