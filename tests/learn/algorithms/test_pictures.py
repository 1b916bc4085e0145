"""What every algorithm must do on pictures, as on tables: with norms, a counter and two heads."""

from __future__ import annotations

import pytest
import torch

from candidly.learn.algorithms import algorithm
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.suspicion import suspicion
from learn.algorithms.battery import NAMES
from learn.algorithms.picture_battery import STEPS, pictures, stack_of, tiny

from toys import advance, tensors

# one of each way to be built: stateless, row tables, memory, two networks, an average, another
# head, more layers, further networks, parameters beside networks, stages, views, mixtures
SOME = (
    "CC",
    "PRODEN:plench",
    "co-teaching",
    "dividemix",
    "sgd-ema",
    "ldam",
    "pes:deep",
    "VALEN",
    "volminnet",
    "decoupling-ncm",
    "bbn",
    "mixup",
    "supervised-oracle",
)
EVERY = [
    name if name in SOME else pytest.param(name, marks=pytest.mark.slow)
    for name in dict.fromkeys((*SOME, *NAMES))
]


@pytest.mark.parametrize("name", EVERY)
def test_on_pictures_a_trial_depends_on_itself_alone(name):
    """Alone, saved and taken up again, beside a trial that turns NaN: the same bits."""
    whole = advance(stack_of(name), STEPS)
    assert whole.diverged_at == [None] * 3
    ends = {what: tensor.clone() for what, tensor in tensors(whole).items()}
    assert any(what.startswith("buffers/net/") for what in ends)

    alone = advance(stack_of(name, trials=(1,)), STEPS // 2)
    state = {what: value.copy() for what, value in state_of(alone).items()}
    alone = advance(restore(stack_of(name, trials=(1,)), state), STEPS - STEPS // 2)
    for what, tensor in tensors(alone).items():
        assert torch.equal(tensor[0], ends[what][1]), what

    beside = stack_of(name)
    beside.net.flat[2] = torch.nan
    advance(beside, STEPS)
    assert beside.diverged_at == [None, None, 0]
    for what, tensor in tensors(beside).items():
        assert torch.equal(tensor[:2], ends[what][:2]), what
        if what != "loss_sum":
            assert tensor[2].isfinite().all(), what
    assert not beside.net.flat[2].any()
    assert not any(tensor[2].any() for w, tensor in tensors(beside).items() if "buffers/" in w)
    scores = suspicion(whole, 1)
    assert scores.shape == (whole.n,)


def test_a_resumed_trial_that_was_buried_stays_so():
    stack = stack_of("PRODEN")
    stack.net.flat[0] = torch.nan
    advance(stack, 3)
    again = restore(stack_of("PRODEN"), state_of(stack))
    calls = again.net.buffers["calls"].clone()
    advance(again, 2)
    assert again.net.buffers["calls"][0] == calls[0] == 0
    assert (again.net.buffers["calls"][1:] > calls[1:]).all()


def test_looking_at_pictures_moves_no_statistics():
    stack = advance(stack_of("PRODEN"), 5)
    before = {what: tensor.clone() for what, tensor in tensors(stack).items()}
    stack.logits(1, torch.arange(50))
    suspicion(stack, 0)
    for what, tensor in tensors(stack).items():
        assert torch.equal(tensor, before[what]), what


@pytest.mark.parametrize(("name", "passes"), [("PRODEN", 1), ("PRODEN:plench", 2)])
def test_d_prot_3_refreshing_moves_running_statistics_in_plench_alone(name, passes):
    stack = stack_of(name)
    page = stack.algorithm
    refreshed = page.stages[0].after is not None
    advance(stack, 4)
    expected = 4 * (passes if refreshed else 1)
    assert (stack.net.buffers["norm.num_batches_tracked"] == expected).all()


def test_an_average_has_the_statistics_of_the_network_that_it_averages():
    stack = advance(stack_of("sgd-ema"), 6)
    for name, buffer in stack.net.buffers.items():
        assert torch.equal(stack.average.buffers[name], buffer), name
    assert stack.average.grad is None  # it is never moved by gradient


def test_pictures_are_learned():
    data, stack = pictures(), advance(stack_of("supervised-oracle", lr=0.02), STEPS)
    rows = torch.arange(data.n)
    right = stack.logits(0, rows).argmax(1).numpy() == data.truth
    assert right.mean() > 2 / data.q


def test_a_batch_is_cropped_and_mirrored_and_evaluation_is_plain():
    plain, weak = stack_of("CC", views="plain"), stack_of("CC", views="weak")
    assert not torch.equal(plain.next_batches()[0].x, weak.next_batches()[0].x)
    assert torch.equal(plain.logits(0, torch.arange(9)), weak.logits(0, torch.arange(9)))


def test_a_second_head_takes_the_same_features():
    stack = stack_of("CC")
    batch = stack.next_batches()[0]
    features = stack.net.trunk(batch.x)
    projected = stack.net.head(features, "projection")
    assert projected.shape == (3, stack.B, 3)
    torch.testing.assert_close(projected.norm(dim=-1), torch.ones(3, stack.B))
    assert tiny(stack.q).width == 16


@pytest.mark.parametrize("name", ["PiCO", "ABLE", "DIRK", "ALIM", "PiCO+"])
def test_contrastive_pages_take_the_benchmarks_batches(name):
    """64, 128 and 256 rows, with the projection and the queue that are the default."""
    space = algorithm(name).space
    defaults = {key: space[key].default for key in ("size", "queue") if key in space}
    for batch in (64, 128, 256):
        stack = advance(stack_of(name, (0,), n=320, batch_size=batch, **defaults), 2)
        assert stack.diverged_at == [None]
        assert stack.next_batches()[0].ids.shape == (1, batch)
