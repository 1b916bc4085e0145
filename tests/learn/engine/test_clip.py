"""Gradients brought down to a norm, and the recipe that language models are fine-tuned by."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from candidly.learn.algorithms import Own, Stage, algorithm, schedule
from candidly.learn.engine.optim import OPTIMISERS
from candidly.learn.engine.recipe import RECIPES, recipe

from toys import advance, stack_of

T = 20
CLIPPED = "adamw:schedule=linear,at=0.1,warm_up=0.1,clip=0.02"


def step(s, b):
    return s.net(b.x).logits.square().mean((-2, -1))


def page_of(*stages, **fields):
    return replace(algorithm("ce"), stages=stages, **fields)


def made(text, page=None, trials=(0, 1, 2), dtype=torch.float32, **hyper):
    page = page or page_of(Stage(step))
    return stack_of(page, trials, steps=T, recipe=recipe(text), dtype=dtype, **hyper)


@pytest.mark.parametrize("networks", [1, 2])
def test_training_is_torchs_with_its_clipping(networks):
    """Of several networks of a trial, one norm."""
    page = page_of(Stage(step), networks=networks)
    stack = made(CLIPPED, page, dtype=torch.float64, lr=0.03, weight_decay=0.1)
    start = {name: leaf.detach().clone() for name, leaf in stack.net.parameters.items()}
    trials, fell = [], 0
    for k in range(3):
        rows = range(k * networks, (k + 1) * networks)
        copies = [{n: torch.nn.Parameter(v[i].clone()) for n, v in start.items()} for i in rows]
        groups = [
            {"params": [p for c in copies for n, p in c.items() if (n[0] == "b") == spared]}
            | ({"weight_decay": 0.0} if spared else {})
            for spared in (False, True)
        ]
        adamw = torch.optim.AdamW(groups, lr=0.03, weight_decay=0.1)
        trials.append((copies, adamw, torch.optim.lr_scheduler.LambdaLR(adamw, rate_at)))
    for _ in range(T):
        x = stack.feed.batches(stack)[0].x
        advance(stack, 1)
        for k, (copies, adamw, rate) in enumerate(trials):
            adamw.zero_grad()
            for c in copies:
                hidden = torch.relu(x[k] @ c["w1"] + c["b1"])
                (hidden @ c["w2"].T + c["b2"]).square().mean().backward()
            own = [p for c in copies for p in c.values()]
            fell += bool(torch.nn.utils.clip_grad_norm_(own, 0.02) > 0.02)
            adamw.step()
            rate.step()
    assert fell > 3 * T / 2
    for name, leaf in stack.net.parameters.items():
        theirs = torch.stack([c[name].detach() for copies, *_ in trials for c in copies])
        torch.testing.assert_close(leaf.detach(), theirs, rtol=1e-9, atol=1e-11)


def rate_at(t):
    return min(t / (0.1 * T), (T - t) / (0.9 * T))


def test_the_schedule_is_transformers():
    theirs = pytest.importorskip("transformers").get_linear_schedule_with_warmup
    fine = recipe("fine-tune")
    ours = schedule(fine.schedule, fine.at, fine.warm_up)
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    rate = theirs(optimiser, num_warmup_steps=4, num_training_steps=40)
    for t in range(40):
        assert ours(SimpleNamespace(t=t, T=40)) == pytest.approx(rate.get_last_lr()[0], abs=1e-12)
        optimiser.step()
        rate.step()


@pytest.mark.parametrize("optimiser", sorted(OPTIMISERS))
def test_a_trial_is_clipped_as_it_would_be_alone(optimiser):
    together = advance(made(f"{optimiser}:clip=0.05"), T)
    for k in range(3):
        alone = advance(made(f"{optimiser}:clip=0.05", trials=(k,)), T)
        assert torch.equal(together.net.flat[k], alone.net.flat[0])


def test_only_trials_above_the_norm_are_touched():
    """The second trial's loss is a thousand times the others'."""

    def scaled(s, b):
        return step(s, b) * torch.tensor([1.0, 1000.0, 1.0], dtype=s.dtype)[: s.K]

    page = page_of(Stage(scaled))
    free, clipped = (advance(made(f"sgd:clip={c}", page, lr=1e-4), 1) for c in (0, 10))
    assert torch.equal(free.net.flat[[0, 2]], clipped.net.flat[[0, 2]])
    assert torch.equal(free.net.grad[[0, 2]], clipped.net.grad[[0, 2]])
    assert float(free.net.grad[1].norm()) > 20
    assert float(clipped.net.grad[1].norm()) == pytest.approx(10, rel=1e-5)


def test_a_dead_trial_is_left_alone():
    hurt, sound = (advance(made("adamw:clip=0.01"), 5) for _ in range(2))
    hurt.net.flat[1] = torch.nan
    for stack in (hurt, sound):
        advance(stack, 5)
    assert hurt.diverged_at == [None, 5, None]
    assert not hurt.net.flat[1].any()
    assert torch.equal(hurt.net.flat[[0, 2]], sound.net.flat[[0, 2]])


def test_one_norm_over_all_parts_and_none_for_a_pages_own_optimiser():
    parts = ("net.head", "net.trunk")
    whole = advance(made(CLIPPED), T).net.flat
    both = advance(made(CLIPPED, page_of(Stage(step, trains=parts))), T).net.flat
    torch.testing.assert_close(both, whole)
    own = page_of(Stage(step, optimiser="sgd"))
    assert torch.equal(
        advance(made("sgd:clip=1e-9", own), T).net.flat, advance(made("sgd", own), T).net.flat
    )
    head = page_of(Stage(step, trains=parts, own={"net.head": Own("sgd")}))
    free, clipped = (
        advance(made(text, head, weight_decay=0.0), T) for text in ("sgd", "sgd:clip=1e-9")
    )
    moved = {p: clipped.net.slices(p)[0] for p in ("head", "trunk")}
    start = made("sgd", head).net.flat
    assert (clipped.net.flat - start)[:, moved["trunk"]].abs().max() < 1e-6
    assert (clipped.net.flat - start)[:, moved["head"]].abs().max() > 1e-3
    assert (free.net.flat - start)[:, moved["trunk"]].abs().max() > 1e-3


def test_recipes_from_before_do_not_clip():
    assert all(made.clip == 0 for made in RECIPES.values())
