"""cores*: its first phase against cores2, its second against loops over the formulas."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.ground.seeds import draw
from candidly.learn.engine.train import update
from learn.algorithms.slow import double, softmax

from toys import advance, make_stack, tensors, toy


def test_the_first_phase_is_the_start_of_cores2():
    # the first 24 of 60 updates: the schedule's end at 0.4 is where cores2 is then
    ours, plain = (advance(make_stack(toy(), name), 24) for name in ("cores*", "cores2:released"))
    torch.testing.assert_close(ours.net.flat, plain.net.flat, rtol=1e-10, atol=1e-12)
    for name in ("sieve", "kept"):
        torch.testing.assert_close(ours.rows[name], plain.rows[name], rtol=1e-10, atol=1e-12)
    assert not ours.rows["kept"].all()
    assert ours.rows["kept"].any()


def late(name="cores*", **how):
    """Behind the first update of the second phase."""
    stack = make_stack(toy(), name, lr=3e-3, **how)
    return advance(stack, stack.stages.ends[0] + 1)


def test_the_second_phase_starts_afresh_and_leaves_the_sieve_alone():
    stack = make_stack(toy(), "cores*", lr=3e-3)
    advance(stack, 24)
    before, kept = stack.net.flat.clone(), stack.rows["kept"].clone()
    update(stack)
    for name in ("w1", "w2"):
        at = stack.net.place(name)
        assert (stack.net.flat[:, at] - before[:, at]).abs().mean() > 0.03, name
    assert {int(each.count) for each in stack.movers.optimisers.values()} == {1}
    for _ in range(10):
        sure, rest = stack.next_batches()
        assert kept.gather(1, sure.ids).all()
        assert not kept.gather(1, rest.ids).any()
        update(stack)
    assert torch.equal(stack.rows["kept"], kept)


def probabilities(stack, k, x):
    logits = stack.net.of_trial(k, torch.as_tensor(x)[None]).logits[0].detach()
    return [softmax(z) for z in logits.tolist()]


def slow_objective(stack, k, said=None):
    """The objective of trial ``k`` at the next update; ``said``: of the weak views."""
    sure, rest = stack.next_batches()
    hyper, x = stack.hyper[k], rest.x[k].numpy()
    g = draw(stack.seeds[k], "view strong 1 0", stack.t)
    strong = x + hyper["view_noise"] * g.standard_normal(x.shape)
    said = said or probabilities(stack, k, x)
    total = 0.0
    for p, y in zip(probabilities(stack, k, sure.x[k]), sure.given[k].tolist()):
        total -= math.log(p[y]) / stack.B
    for p, r in zip(said, probabilities(stack, k, strong)):
        apart = sum(a * math.log(a / b) for a, b in zip(p, r))
        total += hyper["consistency"] * apart / stack.B
    return total


@pytest.mark.parametrize("into", [0, 12])
def test_the_objective_is_the_formulas(into):
    stack = advance(late(consistency=0.9, view_noise=0.5), into)
    expected = [slow_objective(stack, k) for k in range(3)]
    before = stack.loss_sum.clone()
    update(stack)
    np.testing.assert_allclose((stack.loss_sum - before).numpy(), expected, rtol=1e-9)


def test_the_gradient_takes_the_weak_view_as_it_is():
    """By central differences, with what the weak view says held where it is."""
    stack = advance(late(consistency=0.9, view_noise=0.5, trials=(1,)), 6)
    flat, g = stack.net.flat, torch.Generator().manual_seed(0)
    here, said = flat.clone(), probabilities(stack, 0, stack.next_batches()[1].x[0])
    directions, slopes = torch.randn((3, *flat.shape), generator=g, dtype=double), []
    for direction in directions:
        ends = []
        for sign in (1, -1):
            flat.copy_(here + sign * 1e-6 * direction)
            ends.append(slow_objective(stack, 0, said))
        slopes.append((ends[0] - ends[1]) / 2e-6)
    flat.copy_(here)
    update(stack)
    ours = [(stack.net.grad * direction).sum().item() for direction in directions]
    np.testing.assert_allclose(ours, slopes, rtol=1e-6)


def test_the_labels_of_what_is_held_back_do_not_matter():
    first, second = late(trials=(0,)), late(trials=(0,))
    given = second.examples.labels["given"].clone()
    rows = second.index[0][~second.rows["kept"][0]]
    given[rows] = (given[rows] + 1) % second.q
    second.feed.examples = replace(second.examples, labels={"given": given})
    mine, theirs = (stack.next_batches()[1].given for stack in (first, second))
    assert (mine != theirs).all()
    for stack in (first, second):
        advance(stack, 12)
    for what, tensor in tensors(first).items():
        assert torch.equal(tensors(second)[what], tensor), what


@pytest.mark.parametrize("kept", [True, False])
def test_an_empty_set_is_all_rows(kept):
    stack = advance(make_stack(toy(), "cores*", lr=3e-3), 24)
    stack.rows["kept"].fill_(kept)
    advance(stack, 12)
    assert stack.diverged_at == [None] * 3
    assert all(tensor.isfinite().all() for tensor in tensors(stack).values())
    sure, rest = (batch.ids for batch in stack.next_batches())
    assert sure.shape == rest.shape == (3, stack.B)


def test_in_epochs_it_sieves_by_cores2s_recipe_and_then_warms_up():
    stack = make_stack(toy(), "cores*:epochs", steps=80, sieving=3, plain=0, growth=2, sieve=1)
    rates = []
    while stack.t < 80:
        rate = stack.movers.rate(stack.stage)(stack)
        rates.append(torch.as_tensor(rate, dtype=double).flatten().expand(3).tolist())
        stack.t += 1
    ends = 3 * stack.E
    assert stack.stages.ends[0] == ends
    for k, hyper in enumerate(stack.hyper):
        for t, epoch in ((0, 0), (8, 1), (23, 2)):
            dropped = 0.1 if epoch >= 1 else 1  # shortened: `drop` is 1
            expected = dropped / (1 + hyper["beta"] * min(1, epoch / 2))
            assert rates[t][k] == pytest.approx(expected)
    length = 80 - ends
    for t in (0, 2, 4, 5, 30, length - 1):
        share = t / length
        expected = min(1, share / 0.075) * (1 + math.cos(math.pi * share)) / 2
        assert rates[ends + t][0] == pytest.approx(expected)


def test_in_epochs_the_first_phase_is_cores2_in_epochs():
    ours = make_stack(toy(), "cores*:epochs", sieving=9)
    theirs = make_stack(toy(), "cores2:epochs", plain=0, growth=1, sieve=1, drop=1)
    for stack in (ours, theirs):
        advance(stack, 40)
    # which has no guard: no p is near 1e-8 yet
    torch.testing.assert_close(ours.net.flat, theirs.net.flat, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("what", "value"), [("first", 1), ("consistency", -0.5)])
def test_values_that_mean_nothing_are_refused(what, value):
    with pytest.raises(ValueError, match=rf"cores\*'s {what} is {value}"):
        fit(toy(), "cores*", steps=1, **{what: value})
