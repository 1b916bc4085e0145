"""What moves by gradient: parts of networks, learned rows, schedules."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly import nets
from candidly.learn.algorithms import Own, Row, Stage, algorithm, epochs, one_of
from candidly.learn.algorithms._algorithm import each_epoch
from candidly.learn.algorithms._rates import constant, cosine, steps, warmed_up
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.moving import Movers
from candidly.learn.engine.train import update
from candidly.learn.engine.writing import write

from toys import advance, few, stack_of, tensors


def step(s, b):
    return s.net(b.x).logits.square().mean((-2, -1))


def page_of(*stages, **fields):
    return replace(algorithm("ce"), stages=stages, **fields)


# parts and stages


def test_trials_that_are_computed_one_by_one_step_one_by_one():
    assert not stack_of(page_of(Stage(step))).movers.apart
    alone = nets.from_torch(lambda: torch.nn.Linear(4, 3), (4,), 3)
    for together, apart in ((nets.mlp(4, 3, 5), False), (alone, True)):
        flats = {
            "net": nets.Module(nets.mlp(4, 3, 5), [0, 1]),
            "other": nets.Module(together, [0, 1]),
            "matrix": nets.Flat({"t": (3,)}, {}, lambda rng: {"t": np.zeros(3)}, [0, 1]),
        }
        hyper = [{"lr": 0.1, "weight_decay": 0.0}] * 2
        assert Movers(flats, hyper).apart is apart


def parameters(stack):
    return {name: leaf.detach().clone() for name, leaf in stack.net.parameters.items()}


@pytest.mark.parametrize("networks", [1, 2])
@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
def test_a_stage_may_train_a_part_and_leaves_the_rest_alone(optimiser, networks):
    head = Stage(step, trains=("net.head",), optimiser=optimiser)
    stack = stack_of(page_of(head, networks=networks))
    before = parameters(stack)
    advance(stack, 3)
    for name, leaf in parameters(stack).items():
        assert torch.equal(leaf, before[name]) == (name in ("w1", "b1")), name
    (moved,) = stack.movers.optimisers
    assert moved == "net.head"
    size = networks * sum(leaf[0].numel() for n, leaf in before.items() if n in ("w2", "b2"))
    for moment in stack.movers.optimisers["net.head"].tensors.values():
        assert size <= moment.shape[1] < size + 16 * networks  # with the padding between the two


@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
def test_training_both_parts_apart_is_training_the_whole(optimiser):
    apart = Stage(step, trains=("net.head", "net.trunk"), optimiser=optimiser)
    whole = Stage(step, optimiser=optimiser)
    one, other = (advance(stack_of(page_of(stage)), 6) for stage in (apart, whole))
    torch.testing.assert_close(one.net.flat, other.net.flat, rtol=1e-12, atol=1e-14)


def test_a_part_that_is_not_there_is_refused():
    with pytest.raises(KeyError, match="no part 'block3'; its parts: trunk, head"):
        stack_of(page_of(Stage(step, trains=("net.block3",))))


def test_moments_start_afresh_where_another_part_is_trained_or_it_is_asked_for():
    first = Stage(step, until=lambda s: 3)
    for second in (Stage(step, trains=("net.head",)), Stage(step, afresh=True)):
        stack = advance(stack_of(page_of(first, second)), 5)
        (optimiser,) = stack.movers.optimisers.values()
        assert int(optimiser.count) == 2


def test_a_network_or_its_head_may_start_again():
    for name, kept in (("net.head", {"w1", "b1"}), ("net", set())):
        again = Stage(step, begin=lambda s, name=name: {"net": s.anew(name)}, afresh=True)
        page = page_of(Stage(step, until=lambda s: 3), again, networks=2)
        stack = advance(stack_of(page), 3)
        before = parameters(stack)
        fresh = stack.anew(name)
        assert torch.equal(fresh, stack.anew(name))
        write(stack, {"net": fresh})
        for parameter, leaf in parameters(stack).items():
            assert torch.equal(leaf, before[parameter]) == (parameter in kept)
        first, second = stack.net.flat.unflatten(1, (2, -1)).unbind(1)
        assert not torch.equal(first, second)
        alone = advance(stack_of(page, trials=(2,)), 3)
        assert torch.equal(alone.anew(name)[0], fresh[2])


def test_a_part_may_have_an_optimiser_and_a_rate_of_its_own():
    own = {"net.head": Own("sgd", lr="lr_head")}
    stage = Stage(step, trains=("net.head", "net.trunk"), own=own)
    space = {"lr_head": one_of(0.1, (0.1,))}
    stack = advance(stack_of(page_of(stage, space=space), lr_head=0.0), 4)
    still = stack_of(page_of(stage, space=space), lr_head=0.0)
    assert torch.equal(stack.net.parameters["w2"], still.net.parameters["w2"])
    assert not torch.equal(stack.net.parameters["w1"], still.net.parameters["w1"])
    assert set(stack.movers.optimisers["net.head"].tensors) == {"momentum"}


def test_stages_are_resumed_with_their_parts():
    own = {"net.head": Own("sgd", lr="lr")}
    stages = (
        Stage(step, until=lambda s: 4),
        Stage(step, until=lambda s: 4, optimiser="sgd"),  # over before it begins
        Stage(step, trains=("net.head", "net.trunk"), until=lambda s: 9, own=own),
        Stage(step, begin=lambda s: {"net": s.anew("net.head")}, optimiser="adamw"),
    )
    through = advance(stack_of(page_of(*stages)), 14)
    for cut in (2, 4, 6, 9, 11):
        first = advance(stack_of(page_of(*stages)), cut)
        saved = {what: np.array(value) for what, value in state_of(first).items()}
        resumed = advance(restore(stack_of(page_of(*stages)), saved), 14 - cut)
        for what, tensor in tensors(through).items():
            assert torch.equal(tensor, tensors(resumed)[what]), what


def test_an_epoch_helper_acts_when_an_epoch_is_over():
    seen = []
    whole = each_epoch(lambda s: (seen.append(s.t), {})[1])
    stack = stack_of(page_of(Stage(step, whole=whole, until=epochs(2)), Stage(step)))
    assert stack.stages.ends == [2 * stack.E, 60]
    advance(stack, 3 * stack.E)
    assert seen == [stack.E, 2 * stack.E]


# rates


def test_schedules_by_hand():
    s = type("S", (), {})()
    table = {
        0.0: (1, 1, 1, 0),
        0.05: (1, 0.5 + 0.5 * math.cos(math.pi * 0.05), 1, 0.5),
        0.5: (1, 0.5, 0.1, 0.1),
        0.75: (1, 0.5 + 0.5 * math.cos(math.pi * 0.75), 0.01, 0.01),
    }
    rates = (constant, cosine(), steps((0.5, 0.75)), warmed_up(0.1, steps((0.5, 0.75))))
    for share, expected in table.items():
        s.stage_share = share
        assert [rate(s) for rate in rates] == pytest.approx(expected)
    s.stage_share = 1.0
    assert cosine(0.2)(s) == pytest.approx(0.2)


@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
def test_a_rate_is_a_factor_on_each_trials_learning_rate(optimiser):
    per_trial = Stage(step, rate=lambda s: torch.arange(s.K)[:, None] / 2.0, optimiser=optimiser)
    stack = stack_of(page_of(per_trial), lr=1e-2, weight_decay=0.0)
    before = stack.net.flat.clone()
    advance(stack, 1)
    plain = stack_of(page_of(Stage(step, optimiser=optimiser)), lr=1e-2, weight_decay=0.0)
    advance(plain, 1)
    moved, full = stack.net.flat - before, plain.net.flat - before
    torch.testing.assert_close(moved, full * torch.tensor([[0.0], [0.5], [1.0]]))


def test_a_stage_knows_how_much_of_it_is_done():
    seen = []

    def noted(s, b):
        seen.append(s.stage_share)
        return step(s, b)

    advance(stack_of(page_of(Stage(step, until=lambda s: 4), Stage(noted)), steps=9), 9)
    assert seen == pytest.approx([0, 0.2, 0.4, 0.6, 0.8])


# learned rows

ROWS = {
    "u": Row(lambda s: torch.full((1, s.n, 3), 0.5, dtype=s.dtype), "lr_u", momentum=0.9),
    "v": Row(lambda s: torch.ones((1, s.n), dtype=s.dtype), "lr_v", low=0.9, high=1.01),
}
RATES = {"lr_u": one_of(1, (1,)), "lr_v": one_of(1, (1,))}


def row_step(s, b):
    """Gradients by hand: 2 u i / B for u, and -cos(v) / B for v, at row i."""
    weights = b.ids[..., None].to(s.dtype) / s.n
    learned = (weights * b.u.square()).sum(-1) - b.v.sin()
    return step(s, b) + learned.mean(-1)


LEARNED = page_of(Stage(row_step), learned=ROWS, space=RATES)


def test_learned_rows_move_as_by_hand_and_others_stay():
    rates = {"lr_u": 3.0, "lr_v": 0.5}
    stack = stack_of(LEARNED, **rates)
    u, v = (table.numpy().copy() for table in (stack.rows["u"], stack.rows["v"]))
    momentum = np.zeros_like(u)
    for _ in range(2 * stack.E + 3):
        ids = stack.next_batches()[0].ids
        update(stack)
        for k in range(stack.K):
            for i in ids[k].tolist():
                gradient = 2 * u[k, i] * i / stack.n / stack.B
                momentum[k, i] = 0.9 * momentum[k, i] + gradient
                u[k, i] -= rates["lr_u"] * momentum[k, i]
                v[k, i] = np.clip(v[k, i] + rates["lr_v"] * np.cos(v[k, i]) / stack.B, 0.9, 1.01)
        np.testing.assert_allclose(stack.rows["u"].numpy(), u, rtol=1e-10)
        np.testing.assert_allclose(stack.rows["v"].numpy(), v, rtol=1e-10)
        np.testing.assert_allclose(stack.learned.momenta["u"].numpy(), momentum, rtol=1e-10)
    assert v.max() == 1.01


def test_rows_outside_the_batch_keep_their_momentum():
    stack = advance(stack_of(LEARNED), stack_of(LEARNED).E)
    before = stack.learned.momenta["u"].clone()
    outside = torch.ones(3, stack.n, dtype=torch.bool).scatter(
        1, stack.next_batches()[0].ids, False
    )
    update(stack)
    after = stack.learned.momenta["u"]
    assert torch.equal(after[outside], before[outside])
    assert not torch.equal(after[~outside], before[~outside])


def test_a_row_that_comes_twice_moves_once_by_the_sum():
    page = replace(LEARNED, stages=(Stage(row_step, samplers=(few,)),))
    stack = stack_of(page, lr_u=3.0)
    ids = stack.next_batches()[0].ids
    update(stack)
    for k in range(3):
        found, times = np.unique(ids[k].numpy(), return_counts=True)
        assert times.max() > 1
        gradient = times * 2 * 0.5 * found / stack.n / stack.B
        np.testing.assert_allclose(stack.rows["u"][k, found, 0], 0.5 - 3.0 * gradient, rtol=1e-12)


def test_learned_rows_are_saved_with_their_momentum_and_a_dead_trials_stay():
    through = advance(stack_of(LEARNED), 20)
    first = advance(stack_of(LEARNED), 11)
    saved = {what: np.array(value) for what, value in state_of(first).items()}
    resumed = advance(restore(stack_of(LEARNED), saved), 9)
    assert torch.equal(through.rows["u"], resumed.rows["u"])
    assert torch.equal(through.learned.momenta["u"], resumed.learned.momenta["u"])
    hurt = advance(stack_of(LEARNED), 11)
    hurt.net.flat[1] = torch.nan
    table = hurt.rows["u"][1].clone()
    advance(hurt, 9)
    assert torch.equal(hurt.rows["u"][1], table)
    assert not hurt.learned.momenta["u"][1].any()
    assert torch.equal(hurt.rows["u"][[0, 2]], through.rows["u"][[0, 2]])


def test_a_non_finite_gradient_of_a_row_buries_its_trial_before_it_is_written():
    def trapped(s, b):
        return step(s, b) + Trapped.apply(b.u)

    class Trapped(torch.autograd.Function):
        @staticmethod
        def forward(ctx, u):
            ctx.shape = u.shape
            return u.sum((1, 2)) * 0

        @staticmethod
        def backward(ctx, d):
            grad = d.new_zeros(ctx.shape)
            grad[1] = torch.nan
            return grad

    stack = advance(stack_of(replace(LEARNED, stages=(Stage(trapped),))), 1)
    assert stack.diverged_at == [None, 0, None]
    assert stack.rows["u"].isfinite().all()
