"""A torch module in a stack is what it is alone: in a plain loop, to the last bit on a CPU."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.data.labels.labelled import Labelled
from candidly.ground.seeds import draw
from candidly.learn.algorithms import Stage, algorithm
from candidly.learn.algorithms.ce import loss, step
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.stack import Member
from candidly.learn.engine.start import start
from candidly.learn.engine.train import update
from candidly.learn.nets import from_torch
from learn.nets.torch_modules import (
    CLASSES,
    SHAPE,
    Counting,
    Dropped,
    Frozen,
    Recurrent,
    Rooted,
    Tied,
    Tiny,
    Unwell,
)

FLAT = (SHAPE[0] * SHAPE[1] * SHAPE[2],)
BATCH, STEPS = 16, 7  # 4 updates an epoch
HYPER = {"lr": 0.02, "weight_decay": 0.03, "batch_size": BATCH}


def drawn(n=90, q=CLASSES) -> Labelled:
    g = np.random.default_rng(0)
    given = g.integers(0, q, n)
    inputs = (g.normal(size=(n, *FLAT)) + given[:, None]).astype(np.float32)
    return Labelled(inputs=inputs, classes=tuple("abc"), given=given, source="drawn")


DATA = drawn()
PAGE = algorithm("ce")


def page(optimiser="adam", **fields):
    return replace(PAGE, stages=(Stage(step, optimiser=optimiser),), **fields)


def flat_of(module):
    """A module's class that takes numbers in a row, as examples of a table give them."""
    return torch.nn.Sequential(torch.nn.Unflatten(1, SHAPE), module())


def net_of(module):
    return from_torch(lambda: flat_of(module), FLAT, CLASSES)


def member(k, data=DATA, **hyper):
    rows = np.random.default_rng(k).permutation(data.n)[:70]
    return Member(100 + k, rows, {**HYPER, "lr": 0.02 / (k + 1), **hyper})


def stack_of(module, trials=(0,), optimiser="adam", data=DATA, **fields):
    examples = make_examples(data, PAGE.reads, scaling="none")
    members = [member(k, data) for k in trials]
    return start(page(optimiser, **fields), net_of(module), examples, members, STEPS)


def advanced(stack, updates, watchers=()):
    for _ in range(updates):
        update(stack, watchers)
    return stack


def state_alone(module, k, optimiser, updates=STEPS, data=DATA):
    """Parameters and buffers by name, after a plain loop over the trial's batches."""
    seed = 100 + k
    torch.manual_seed(int(draw(seed, "init").integers(2**63)))
    net, one = flat_of(module), member(k, data)
    flat = in_a_row(net)
    how = {"lr": one.hyper["lr"], "weight_decay": one.hyper["weight_decay"]}
    mover = (
        torch.optim.SGD([flat], momentum=0.9, **how)
        if optimiser == "sgd"
        else torch.optim.Adam([flat], **how, fused=True)
    )
    head = net[1].fc
    for t, (x, given) in enumerate(batches(k, updates, data)):
        seeds = [int(draw(seed, f"init call {i} 0", t).integers(2**63)) for i in (1, 2)]
        torch.manual_seed(seeds[0])
        # the head draws from numbers of its own
        hook = head.register_forward_pre_hook(lambda m, args, s=seeds[1]: reseeded(s))
        flat.grad.zero_()
        loss(net(x), given).mean().backward()
        hook.remove()
        mover.step()
    return {
        name: tensor.detach() for name, tensor in (*net.named_parameters(), *net.named_buffers())
    }


def in_a_row(net):
    """A module's trained parameters as one, whose views they become, and their gradients.

    Each starts on a multiple of 16 numbers, as in a stack: torch's optimisers round the last few
    numbers of a tensor otherwise than those before them.
    """
    trained = [p for p in net.parameters() if p.requires_grad]
    places = np.cumsum([0] + [-(-p.numel() // 16) * 16 for p in trained]).tolist()
    flat, grad = torch.zeros(places[-1]), torch.zeros(places[-1])
    for p, place in zip(trained, places):
        here = slice(place, place + p.numel())
        flat[here] = p.detach().flatten()
        p.data, p.grad = flat[here].view_as(p), grad[here].view_as(p)
    flat.grad = grad
    return flat


def reseeded(seed):
    torch.manual_seed(seed)


def batches(k, updates, data=DATA):
    """Inputs and labels of a trial's batches, in order, from a stack of another network."""
    taken = []
    linear = from_torch(lambda: torch.nn.Linear(*FLAT, CLASSES), FLAT, CLASSES)
    examples = make_examples(data, PAGE.reads, scaling="none")
    other = start(page(), linear, examples, [member(k, data)], STEPS)
    advanced(other, updates, [lambda s, b: taken.append((b.x[0].clone(), b.given[0].clone()))])
    return taken


def state_in(stack, k):
    net = stack.modules["net"]
    return {name: tensor.detach()[k] for name, tensor in {**net.parameters, **net.buffers}.items()}


def assert_same(ours, theirs, but=()):
    assert set(theirs) - set(but) <= set(ours)
    for name in ours:
        assert ours[name].dtype == theirs[name].dtype
        assert torch.equal(ours[name], theirs[name]), name


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
@pytest.mark.parametrize("module", [Tiny, Dropped, Tied, Counting, Frozen, Recurrent])
def test_a_module_trains_as_in_a_plain_loop_to_the_last_bit(module, optimiser):
    stack = advanced(stack_of(module, (0, 1, 2), optimiser), STEPS)
    for k in range(3):
        assert_same(state_in(stack, k), state_alone(module, k, optimiser))
    alone = advanced(stack_of(module, [1], optimiser), STEPS)
    assert_same(state_in(alone, 0), state_in(stack, 1))
    rows = torch.arange(DATA.n)
    assert torch.equal(alone.logits(0, rows), stack.logits(1, rows))


def poisoned(k, above=1000.0):
    """The data with one of trial ``k``'s rows out of all bounds, which no other trial has."""
    others = np.concatenate([member(j).rows for j in range(3) if j != k])
    row = np.setdiff1d(member(k).rows, others)[0]
    inputs = DATA.inputs.copy()
    inputs[row] = above
    return replace(DATA, inputs=inputs)


@pytest.mark.parametrize("module", [Unwell, Rooted])
def test_a_module_that_turns_nan_is_buried_with_its_buffers_and_the_others_go_on(module):
    bad = poisoned(1)
    stack = advanced(stack_of(module, (0, 1, 2), data=bad), STEPS)
    assert [at is not None for at in stack.diverged_at] == [False, True, False]
    assert all(tensor.eq(0).all() for tensor in state_in(stack, 1).values())
    assert state_in(stack, 1).keys() >= {"1.norm.running_mean", "1.norm.num_batches_tracked"}
    for k in (0, 2):
        assert_same(state_in(stack, k), state_alone(module, k, "adam", data=bad))
    assert torch.equal(stack.logits(1, torch.arange(5)), torch.zeros(5, CLASSES))


@pytest.mark.parametrize("module", [Dropped, Counting])
@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_a_resumed_module_is_as_if_it_had_never_stopped(module, optimiser):
    whole = advanced(stack_of(module, (0, 1), optimiser), STEPS)
    first = advanced(stack_of(module, (0, 1), optimiser), 3)
    saved = {name: np.array(value) for name, value in state_of(first).items()}
    second = advanced(restore(stack_of(module, (0, 1), optimiser), saved), STEPS - 3)
    for k in range(2):
        assert_same(state_in(second, k), state_in(whole, k))


def test_a_buried_trial_stays_buried_in_a_resumed_stack():
    bad = poisoned(1)
    first = advanced(stack_of(Unwell, (0, 1, 2), data=bad), STEPS - 1)
    assert first.diverged_at[1] is not None
    saved = {name: np.array(value) for name, value in state_of(first).items()}
    second = advanced(restore(stack_of(Unwell, (0, 1, 2), data=bad), saved), 1)
    assert all(tensor.eq(0).all() for tensor in state_in(second, 1).values())
    assert_same(state_in(second, 2), state_alone(Unwell, 2, "adam", data=bad))


@pytest.mark.parametrize("module", [Tiny, Counting])
@pytest.mark.parametrize(("statistics", "moves"), [("gradient", False), ("always", True)])
def test_statistics_move_without_gradient_where_the_page_says_so_alone(module, statistics, moves):
    stack = stack_of(module, statistics=statistics)
    x = stack.next_batches()[0].x
    before = {name: tensor.clone() for name, tensor in stack.net.buffers.items()}
    with torch.no_grad():
        stack.net(x)
    stack.whole(0)
    same = [torch.equal(tensor, before[name]) for name, tensor in stack.net.buffers.items()]
    assert all(same) is not moves
    stack.net.forget()
    stack.net(x)
    assert not torch.equal(stack.net.buffers["1.norm.running_mean"], before["1.norm.running_mean"])


def test_what_is_evaluated_is_neither_normalised_by_its_batch_nor_dropped():
    stack = advanced(stack_of(Dropped), 3)
    some, more = (stack.logits(0, torch.arange(n)) for n in (3, 40))
    torch.testing.assert_close(some, more[:3])


def test_torchs_generator_is_left_as_it_was_in_training():
    stack = stack_of(Dropped, (0, 1))
    before = torch.get_rng_state()
    advanced(stack, 2)
    assert torch.equal(before, torch.get_rng_state())
