"""What a recipe changes in training: optimiser, schedule, weight decay, precision."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import Own, Stage, algorithm
from candidly.learn.algorithms._rates import steps
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.recipe import ADAM, recipe

from toys import advance, stack_of, tensors

T = 20
TORCHS = {
    "adam": (torch.optim.Adam, {}),
    "adam:decay=weights,schedule=steps,at=0.3/0.6": (torch.optim.Adam, {}),
    "adamw:schedule=constant": (torch.optim.AdamW, {}),
    "adamw": (torch.optim.AdamW, {}),
    "sgd": (torch.optim.SGD, {"momentum": 0.9}),
    "sgd:cycles=4,lowest=0.05": (torch.optim.SGD, {"momentum": 0.9}),
    "adam:schedule=steps,at=0.4/0.8,factor=0.3,cycles=2": (torch.optim.Adam, {}),
    "adam:schedule=linear,at=0.4": (torch.optim.Adam, {}),
    "sgd:momentum=0.5,nesterov=true,decay=all": (
        torch.optim.SGD,
        {"momentum": 0.5, "nesterov": True},
    ),
}


def step(s, b):
    return s.net(b.x).logits.square().mean((-2, -1))


def page_of(*stages, **fields):
    return replace(algorithm("ce"), stages=stages, **fields)


def scheduler(made, optimiser):
    """torch's own scheduler for a recipe's schedule over T updates."""
    rates = torch.optim.lr_scheduler
    each = T // made.cycles
    marks = [round(share * each) for share in made.at]
    falls = [made.factor ** sum(t % each >= mark for mark in marks) for t in range(T + 1)]
    return {
        "constant": lambda: rates.ConstantLR(optimiser, 1.0),
        "cosine": lambda: rates.CosineAnnealingWarmRestarts(
            optimiser, each, eta_min=0.03 * made.lowest
        ),
        "steps": lambda: (
            rates.MultiStepLR(optimiser, marks, made.factor)
            if made.cycles == 1
            else rates.LambdaLR(optimiser, falls.__getitem__)
        ),
        "linear": lambda: rates.SequentialLR(
            optimiser,
            [
                rates.ConstantLR(optimiser, 1.0),
                rates.LinearLR(optimiser, 1.0, 0.0, T - marks[0]),
            ],
            [marks[0]],
        ),
    }[made.schedule]()


@pytest.mark.parametrize("networks", [1, 2])
@pytest.mark.parametrize("text", TORCHS)
def test_training_is_torchs_with_two_groups_and_its_scheduler(text, networks):
    made, (torchs, options) = recipe(text), TORCHS[text]
    page = page_of(Stage(step), networks=networks)
    stack = stack_of(page, steps=T, recipe=made, lr=0.03, weight_decay=0.1)
    shadows = [
        {name: torch.nn.Parameter(leaf[i].detach().clone()) for name, leaf in p.items()}
        for p in [stack.net.parameters]
        for i in range(3 * networks)
    ]
    spared = ("b1", "b2") if made.decay == "weights" else ()
    optimisers, schedulers = [], []
    for shadow in shadows:
        groups = (
            {"params": [p for name, p in shadow.items() if name not in spared]},
            {"params": [p for name, p in shadow.items() if name in spared], "weight_decay": 0.0},
        )
        groups = [group for group in groups if group["params"]]
        optimisers.append(torchs(groups, lr=0.03, weight_decay=0.1, **options))
        schedulers.append(scheduler(made, optimisers[-1]))
    for _ in range(T):
        x = stack.feed.batches(stack)[0].x
        advance(stack, 1)
        for i, (shadow, optimiser, rate) in enumerate(zip(shadows, optimisers, schedulers)):
            hidden = torch.relu(x[i // networks] @ shadow["w1"] + shadow["b1"])
            logits = hidden @ shadow["w2"].T + shadow["b2"]
            optimiser.zero_grad()
            logits.square().mean().backward()
            optimiser.step()
            rate.step()
    for name, leaf in stack.net.parameters.items():
        for i, shadow in enumerate(shadows):
            torch.testing.assert_close(leaf[i], shadow[name], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("text", ["sgd:warm_up=0.3", "adamw:schedule=steps,at=0.5,nesterov=false"])
def test_a_recipe_resumes_in_the_middle_of_its_schedule(text):
    made = replace(recipe(text.removesuffix(",nesterov=false")), decay="weights")
    page = page_of(Stage(step, until=lambda s: 7), Stage(step, trains=("net.head",)))
    for dtype in (torch.float32, torch.float64):

        def fresh(dtype=dtype):
            return stack_of(page, steps=T, recipe=made, dtype=dtype, lr=0.03)

        through = advance(fresh(), T)
        for cut in (3, 7, 12):
            saved = {n: np.array(value) for n, value in state_of(advance(fresh(), cut)).items()}
            resumed = advance(restore(fresh(), saved), T - cut)
            for name, tensor in tensors(through).items():
                assert torch.equal(tensor, tensors(resumed)[name]), name


@pytest.mark.parametrize("text", ["sgd", "adamw:precision=bfloat16", "adam:decay=weights"])
def test_a_trial_is_the_same_alone(text):
    made, page = recipe(text), page_of(Stage(step))
    together = advance(stack_of(page, steps=T, recipe=made, dtype=torch.float32), T)
    alone = advance(stack_of(page, (1,), steps=T, recipe=made, dtype=torch.float32), T)
    assert torch.equal(together.net.flat[1], alone.net.flat[0])


def test_a_dead_trial_stays_and_the_others_go_on_as_before():
    made, page = recipe("sgd"), page_of(Stage(step))
    hurt, sound = (advance(stack_of(page, steps=T, recipe=made), 5) for _ in range(2))
    hurt.net.flat[1] = torch.nan
    for stack in (hurt, sound):
        advance(stack, 5)
    assert hurt.diverged_at == [None, 5, None]
    assert not hurt.net.flat[1].any()
    assert torch.equal(hurt.net.flat[[0, 2]], sound.net.flat[[0, 2]])


# pages that have their own


def moved(page, made, **hyper):
    """How far training goes from where it starts, (3, P)."""
    stack = stack_of(page, steps=T, recipe=made, weight_decay=0.0, **hyper)
    before = stack.net.flat.clone()
    return advance(stack, T).net.flat - before


def test_a_stage_with_its_own_optimiser_keeps_it_and_a_constant_rate():
    own, open_ = page_of(Stage(step, optimiser="sgd")), page_of(Stage(step))
    plain = moved(own, ADAM)
    assert torch.equal(moved(own, recipe("adamw:schedule=cosine")), plain)
    assert torch.equal(moved(own, recipe("sgd:momentum=0.5,schedule=cosine")), plain)
    assert torch.equal(moved(open_, recipe("sgd:schedule=constant")), plain)
    assert not torch.equal(moved(open_, recipe("sgd")), plain)


def test_a_stage_with_its_own_rate_keeps_it():
    page = page_of(Stage(step, rate=steps((0.5,))))
    assert torch.equal(moved(page, recipe("sgd")), moved(page, recipe("sgd:schedule=constant")))
    by_recipe = recipe("sgd:schedule=steps,at=0.5")
    assert torch.equal(moved(page_of(Stage(step)), by_recipe), moved(page, recipe("sgd")))


@pytest.mark.parametrize(
    ("own", "momentum"), [(Own("adam"), None), (Own("sgd"), 0.9), (Own(), 0.5)]
)
def test_what_is_moved_otherwise_has_its_own_optimiser_or_the_stages(own, momentum):
    page = page_of(Stage(step, trains=("net.head", "net.trunk"), own={"net.head": own}))
    made = stack_of(page, recipe=recipe("sgd:momentum=0.5")).movers.optimisers
    assert made["net.trunk"].momentum == 0.5
    assert getattr(made["net.head"], "momentum", None) == momentum


def test_stages_go_on_with_the_recipes_optimiser_and_its_schedule_spans_them():
    first = Stage(step, until=lambda s: 7)
    split = advance(stack_of(page_of(first, Stage(step)), steps=T, recipe=recipe("sgd")), T)
    whole = advance(stack_of(page_of(Stage(step)), steps=T, recipe=recipe("sgd")), T)
    assert torch.equal(split.net.flat, whole.net.flat)
    other = Stage(step, optimiser="sgd", until=lambda s: 7)
    for text, afresh in {"sgd:momentum=0.5": True, "adam": True}.items():
        stack = stack_of(page_of(other, Stage(step)), steps=T, recipe=recipe(text))
        (optimiser,) = advance(stack, T).movers.optimisers.values()
        assert (int(optimiser.count) == T - 7) == afresh


# precision


def test_networks_compute_in_bfloat16_and_everything_else_in_float32():
    page, texts = page_of(Stage(step)), ("sgd:precision=bfloat16", "sgd")
    half, full = (
        stack_of(page, steps=T, recipe=recipe(text), dtype=torch.float32, lr=0.01) for text in texts
    )
    x = half.feed.batches(half)[0].x
    one, other = half.net(x).logits, full.net(x).logits
    assert one.dtype == torch.float32
    assert 1e-5 < (one - other).abs().max() < 0.05
    assert torch.equal(one.bfloat16().float(), one)  # rounded
    advance(half, T)
    advance(full, T)
    assert half.diverged_at == [None] * 3
    for tensor in (*tensors(half).values(), half.net.grad, half.logits(0, torch.arange(9))):
        assert tensor.dtype in (torch.float32, torch.float64, torch.int64), tensor.dtype
    momentum = half.movers.optimisers["net"].tensors["momentum"]
    assert half.net.flat.dtype == momentum.dtype == torch.float32
    assert not torch.equal(half.net.flat, full.net.flat)
    torch.testing.assert_close(half.net.flat, full.net.flat, rtol=0, atol=2e-3)
