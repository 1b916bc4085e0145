"""Where batches come from: samplers, views, repeated rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import Stage, View, algorithm
from candidly.learn.engine.batches import in_proportion, in_turn
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.train import update

from toys import advance, few, stack_of, tensors


def sampled(*samplers, step=None, **fields):
    """Cross-entropy on the first batch, with these samplers."""

    def plain(s, b, *others):
        return s.net(b.x).logits.square().mean((-2, -1))

    stage = Stage(step or plain, samplers=samplers)
    return replace(algorithm("ce"), stages=(stage,), **fields)


def test_a_set_is_taken_in_turn_and_shuffled_every_time():
    chosen = np.arange(20) % 4 == 0  # five rows
    order = in_turn(chosen, 23, np.random.default_rng(0))
    rounds = [order[i : i + 5].tolist() for i in range(0, 20, 5)]
    assert all(sorted(one) == [0, 4, 8, 12, 16] for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1
    assert len(order) == 23


def test_weights_are_met_in_proportion_and_zeros_never():
    weights = np.array([0.0, 1.0, 3.0, 0.0, 4.0, np.nan, -2.0])
    order = in_proportion(weights, 80_000, np.random.default_rng(0))
    share = np.bincount(order, minlength=7) / 80_000
    # a standard error is at most sqrt(1/4 / 80,000) = 0.0018
    np.testing.assert_allclose(share, np.array([0, 1, 3, 0, 4, 0, 0]) / 8, atol=0.008)
    assert share[[0, 3, 5, 6]].max() == 0


@pytest.mark.parametrize("nothing", [np.zeros(9, bool), np.zeros(9), np.full(9, np.nan)])
def test_where_nothing_is_chosen_all_rows_are(nothing):
    take = in_turn if nothing.dtype == bool else in_proportion
    assert set(take(nothing, 500, np.random.default_rng(0))) == set(range(9))


def by_class(s):
    """Rows of the trial's first classes: as many classes as its number says, one at least."""
    return s.labels("given") <= torch.arange(s.K)[:, None]


def balanced(s):
    counts = torch.nn.functional.one_hot(s.labels("given"), s.q).sum(1)
    return (1 / counts.to(s.dtype)).gather(1, s.labels("given"))


def test_each_sampler_gives_the_step_a_batch():
    seen = []

    def step(s, every, some, even):
        seen.append((every.ids, some.ids, some.given, even.ids))
        return s.net(every.x).logits.square().mean((1, 2))

    stack = stack_of(sampled("uniform", by_class, balanced, step=step))
    advance(stack, stack.E)
    for k in range(3):
        assert sorted(torch.cat([ids[k] for ids, *_ in seen]).tolist())[0] >= 0
        assert len(set(torch.cat([ids[k] for ids, *_ in seen]).tolist())) == stack.E * stack.B
        wanted = set(by_class(stack)[k].nonzero().flatten().tolist())
        assert set(torch.cat([ids[k] for _, ids, *_ in seen]).tolist()) == wanted
        assert all((given[k] <= k).all() for _, _, given, _ in seen)


def test_further_uniform_batches_have_orders_of_their_own():
    page = sampled("uniform", "uniform", "uniform")
    first, second, third = stack_of(page).next_batches()
    alone = stack_of(replace(page, stages=(replace(page.stages[0], samplers=("uniform",)),)))
    assert torch.equal(first.ids, alone.next_batches()[0].ids)
    assert not torch.equal(first.ids, second.ids)
    assert not torch.equal(second.ids, third.ids)


def per_network(s):
    low = s.labels("given") < 3
    return torch.stack([low, ~low], 1)


def test_a_sampler_with_a_network_axis_gives_each_network_a_batch():
    stack = stack_of(sampled(per_network, networks=2))
    batch = stack.next_batches()[0]
    assert batch.ids.shape == (3, 2, stack.B)
    assert batch.x.shape == (3, 2, stack.B, 12)
    assert (batch.given[:, 0] < 3).all()
    assert (batch.given[:, 1] >= 3).all()
    logits = stack.net(batch.x).logits
    assert logits.shape == (3, 2, stack.B, stack.q)
    for m in range(2):
        rows = stack.index[1][batch.ids[1, m]]
        expected = stack.whole(1, m).logits[batch.ids[1, m]]
        torch.testing.assert_close(logits[1, m].detach(), expected)
        shift, factor = (part[1] for part in stack.scaling)
        torch.testing.assert_close(batch.x[1, m], (stack.examples.inputs[rows] - shift) * factor)
    # either asked of the other's rows
    crossed = stack.net(batch.x.flip(1)).logits.flip(1)
    torch.testing.assert_close(crossed[2, 0].detach(), stack.whole(2, 1).logits[batch.ids[2, 0]])


def test_watchers_of_batches_per_network_see_the_first():
    stack, seen = stack_of(sampled(per_network, networks=2)), []
    update(stack, [lambda s, b: seen.append((b.ids.shape, b.logits.shape, b.given))])
    ((ids, logits, given),) = seen
    assert ids == (3, stack.B)
    assert logits == (3, stack.B, stack.q)
    assert (given < 3).all()


def changing_set(s):
    """A set that depends on a table which changes at every update."""
    return s.rows["visits"] <= s.rows["visits"].median(1, keepdim=True).values


def visited(sampler):
    def step(s, b, *others):
        return s.net(b.x).logits.square().mean((1, 2)), {"visits": b.visits + 1}

    page = sampled("uniform", sampler, step=step)
    rows = lambda s: {"visits": torch.zeros(1, s.n, dtype=s.dtype)}  # noqa: E731
    return replace(page, rows=rows)


@pytest.mark.parametrize("sampler", [changing_set, balanced, per_network])
@pytest.mark.parametrize("cut", [3, 8, 13])
def test_orders_survive_a_checkpoint(sampler, cut):
    page = visited(sampler)
    if sampler is per_network:
        page = replace(page, networks=2, rows=None, stages=sampled(per_network).stages)
    ids = [[], []]
    through = stack_of(page)
    for _ in range(20):
        ids[0].append(through.next_batches()[-1].ids)
        update(through)
    first = advance(stack_of(page), cut)
    saved = {what: np.array(value) for what, value in state_of(first).items()}
    resumed = restore(stack_of(page), saved)
    for _ in range(20 - cut):
        ids[1].append(resumed.next_batches()[-1].ids)
        update(resumed)
    assert all(torch.equal(a, b) for a, b in zip(ids[0][cut:], ids[1]))
    for what, tensor in tensors(through).items():
        assert torch.equal(tensor, tensors(resumed)[what]), what


def test_draws_do_not_depend_on_stack_mates():
    page = sampled(balanced, by_class)
    together = stack_of(page, trials=(0, 1, 2))
    mine = [b.ids[0] for b in together.next_batches()]
    alone = [b.ids[0] for b in stack_of(page, trials=(0,)).next_batches()]
    assert all(torch.equal(a, b) for a, b in zip(mine, alone))


def test_a_sampler_is_asked_anew_every_epoch_and_on_entering_a_stage():
    asked = []

    def sampler(s):
        asked.append(s.t)
        return balanced(s)

    page = sampled(sampler)
    stages = (replace(page.stages[0], until=lambda s: 11), page.stages[0])
    advance(stack_of(replace(page, stages=stages)), 20)  # epochs of 8 updates
    assert asked == [0, 8, 11, 16]


def test_a_sampler_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"sampler returned \(3, 5\)"):
        stack_of(sampled(lambda s: torch.ones(3, 5))).next_batches()[0]


def ordered(s):
    """Rows 3, 4, 5, ... in turn, other ones for every trial and epoch."""
    start = 3 + s.t + torch.arange(s.K)[:, None]
    return (start + torch.arange(s.E * s.B)) % s.n


@pytest.mark.parametrize("networks", [1, 2])
def test_a_sampler_may_give_the_rows_themselves(networks):
    def sampler(s):
        rows = ordered(s)
        return rows if networks == 1 else torch.stack([rows, rows.flip(1)], 1)

    page = sampled(sampler, networks=networks)
    stack = stack_of(page)
    for t in range(2 * stack.E):
        epoch, j = divmod(t, stack.E)
        first = 3 + epoch * stack.E + torch.arange(3)[:, None] + j * stack.B
        ids = stack.next_batches()[0].ids
        expected = (first + torch.arange(stack.B)) % stack.n
        assert torch.equal(ids if networks == 1 else ids[:, 0], expected)
        update(stack)
    first = advance(stack_of(page), 11)
    saved = {what: np.array(value) for what, value in state_of(first).items()}
    resumed = restore(stack_of(page), saved)
    assert torch.equal(resumed.next_batches()[0].ids, first.next_batches()[0].ids)


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (lambda s: torch.zeros(3, s.n, dtype=torch.int64), r"returned \(3, \d+\) rows; an epoch"),
        (lambda s: torch.zeros(s.E * s.B, dtype=torch.int64), "an epoch takes"),
        (lambda s: ordered(s) - 1000, r"returned rows -\d+ to -\d+; a trial has 0 to 266"),
        (lambda s: ordered(s) * 0 + s.n, "returned rows 267 to 267"),
    ],
)
def test_rows_that_cannot_be_an_epochs_are_refused(rows, match):
    with pytest.raises(ValueError, match=match):
        stack_of(sampled(rows)).next_batches()[0]


def test_the_last_of_a_row_that_comes_twice_is_written_and_networks_must_share_a_batch():
    def step(s, b):
        return s.net(b.x).logits.square().mean((-2, -1)), {"seen": b.ids * 0 + torch.arange(s.B)}

    rows = lambda s: {"seen": torch.full((1, s.n), -1)}  # noqa: E731
    stack = stack_of(sampled(few, step=step, rows=rows))
    ids = stack.next_batches()[0].ids
    assert len(set(ids[0].tolist())) < stack.B
    update(stack)
    for k in range(3):
        expected = torch.full((stack.n,), -1)
        for place, i in enumerate(ids[k].tolist()):
            expected[i] = place
        assert torch.equal(stack.rows["seen"][k], expected)
    apart = stack_of(sampled(per_network, step=step, rows=rows, networks=2))
    with pytest.raises(ValueError, match="common to them"):
        update(apart)


# views


def test_views_are_each_trials_own_and_the_same_in_any_company():
    views = {"weak": View(noise="noise"), "strong": View(), "distill": View(noise=0.5)}
    page = sampled("uniform", views=views, space=algorithm("LWS").space | {})
    page = replace(page, space={"noise": replace(next(iter(page.space.values())), default=0.1)})
    together = stack_of(page, noise=0.1)
    batch = together.next_batches()[0]
    weak = batch.view("weak")
    assert weak is batch.view("weak")
    assert not torch.equal(weak, batch.view("weak", 1))
    assert 0.08 < float((weak - batch.x).std()) < 0.12
    assert not torch.equal((weak - batch.x)[0], (weak - batch.x)[1])
    alone = stack_of(page, trials=(2,), noise=0.1).next_batches()[0].view("weak")
    assert torch.equal(weak[2], alone[0])
    assert batch.view("strong") is batch.view("plain") is batch.x
    assert 0.4 < float((batch.view("distill") - batch.x).std()) < 0.6
    update(together)
    later = together.next_batches()[0]
    assert not torch.equal((later.view("weak") - later.x), (weak - batch.x))


def test_a_view_that_is_not_declared_is_refused():
    batch = stack_of(sampled("uniform", views={"weak": View(noise=0.1)})).next_batches()[0]
    with pytest.raises(KeyError, match="'strong'; it declares: weak"):
        batch.view("strong")


def test_drawn_batches_are_uniform_and_hold_their_rows():
    stack = stack_of(sampled("uniform"))
    batch = stack.drawn("peer")
    assert batch.ids.shape == (3, stack.B)
    assert not torch.equal(batch.ids, stack.drawn("other").ids)
    for k in range(3):
        rows = stack.index[k][batch.ids[k]]
        assert torch.equal(batch.given[k], stack.examples.labels["given"][rows])
