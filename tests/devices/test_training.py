"""What a device must do as the processor does: the same bits at every run, alone, in a stack and
resumed, and the processor's numbers within rounding. ``bench/gpu.py`` runs these on a GPU.

Trials that are computed one by one are the same bits alone and in a stack everywhere; those that
are computed together are on a CPU, and within rounding on a GPU, whose library takes other kernels
for products of a hundred trials than of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
import torch
from torch import nn

from candidly import benchmark
from candidly.data.labels.labelled import Labelled
from candidly.learn.algorithms import algorithm
from candidly.learn.engine.batches import StackBatch
from candidly.learn.engine.checkpoint import restore, state_of
from candidly.learn.engine.divergence import FLAGS_EVERY, read_flags
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.start import start
from candidly.learn.nets import from_torch, mlp, network

from needs import DEVICES
from toys import advance, member, toy

SIDE, CLASSES, STEPS = 8, 4, 10


def pictures() -> Labelled:
    g = np.random.default_rng(3)
    truth = g.integers(0, CLASSES, 90)
    shade = 50 * truth[:, None, None, None]
    candidates = g.random((90, CLASSES)) < 0.4
    candidates[np.arange(90), truth] = True
    return Labelled(
        inputs=(shade + g.integers(0, 100, (90, SIDE, SIDE, 3))).astype(np.uint8),
        classes=tuple("abcd"),
        candidates=candidates,
        given=truth,
        truth=truth,
    )


def dropping() -> nn.Module:
    """StackBatch norm, whose buffers move, and dropout, which draws."""
    return nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1),
        nn.BatchNorm2d(6),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(6 * 16, CLASSES),
    )


@cache
def with_dropout():
    return from_torch(dropping, (3, SIDE, SIDE), CLASSES)


@dataclass(frozen=True)
class Kind:
    """A sort of stack: page, recipe and network."""

    page: str
    recipe: str
    net: str  # mlp: of a table; else of pictures

    def stack(self, device, trials=(0, 1, 2), steps=STEPS, dtype=torch.float32):
        page, data = algorithm(self.page), toy() if self.net == "mlp" else pictures()
        examples = make_examples(data, page.reads, dtype=dtype, device=device)
        members = [member(data, k, page, examples, batch=32) for k in trials]
        makes = {
            "mlp": lambda: mlp(12, data.q, 40),
            "dropout": with_dropout,
        }
        made = makes.get(self.net, lambda: network(self.net, examples.shape, CLASSES))()
        return start(page, made, examples, members, steps, recipe(self.recipe))


KINDS = {
    "tables": Kind("PRODEN", "adam", "mlp"),
    "sgd": Kind("CC", "sgd:nesterov=true", "mlp"),
    "learned rows": Kind("sop", "adamw", "mlp"),
    "drawn rows": Kind("peer", "adam", "mlp"),
    "pictures": Kind("PRODEN", "sgd:views=weak", "cnn:width=4"),
    "dropout": Kind("ce", "adam", "dropout"),
}
on_devices = pytest.mark.parametrize("device", DEVICES)
of_kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def copied(stack):
    return {name: tensor.cpu().clone() for name, tensor in stack.changing().items()}


@on_devices
@of_kinds
def test_two_trainings_are_the_same_bits(device, kind):
    one, other = (copied(advance(kind.stack(device), STEPS)) for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


@on_devices
@of_kinds
def test_a_trial_alone_is_the_trial_in_a_stack(device, kind):
    together = kind.stack(device)
    bits = device == "cpu" or together.movers.apart
    advance(together, STEPS)
    for k in range(3):
        alone = advance(kind.stack(device, [k]), STEPS)
        for name, tensor in together.changing().items():
            own = alone.changing()[name][0]
            if bits or not tensor.is_floating_point():
                assert torch.equal(own, tensor[k]), name
            else:  # Adam makes whole steps of gradients that are nothing but rounding: in the mean
                apart = (own - tensor[k]).abs().mean()
                assert apart <= 1e-3 * tensor[k].abs().mean() + 1e-6, name


@on_devices
@of_kinds
def test_a_resumed_training_is_the_same_bits(device, kind):
    whole = advance(kind.stack(device), STEPS // 2)
    saved = {name: np.array(value) for name, value in state_of(whole).items()}
    resumed = restore(kind.stack(device), saved)
    for stack in (whole, resumed):
        advance(stack, STEPS - STEPS // 2)
    one, other = copied(whole), copied(resumed)
    assert all(torch.equal(one[name], other[name]) for name in one)


@on_devices
@of_kinds
def test_a_trial_that_diverges_leaves_the_others_their_bits(device, kind):
    steps = 3 + (5 if device == "cpu" else FLAGS_EVERY)  # a CPU looks at once
    undisturbed, stack = (advance(kind.stack(device, steps=steps), 3) for _ in range(2))
    stack.net.flat[1] = torch.nan
    for one in (undisturbed, stack):
        advance(one, steps - 3)
        read_flags(one)
    assert undisturbed.diverged_at == [None] * 3
    assert stack.diverged_at[0] is stack.diverged_at[2] is None
    assert 3 <= stack.diverged_at[1] <= steps
    for name, tensor in stack.changing().items():
        assert torch.equal(tensor[[0, 2]], undisturbed.changing()[name][[0, 2]]), name
        if tensor.is_floating_point() and name != "loss_sum":
            assert tensor.isfinite().all(), name
    assert not stack.net.flat[1].any()


@on_devices
@of_kinds
def test_predictions_are_the_processors(device, kind):
    trained = advance(kind.stack("cpu"), STEPS)
    there = restore(kind.stack(device), state_of(trained))
    rows = torch.arange(trained.examples.n)
    for k in range(3):
        expected, found = trained.logits(k, rows), there.logits(k, rows)
        assert found.device.type == torch.device(device).type
        assert (found.cpu() - expected).abs().max() <= 1e-5 * expected.abs().max()


@on_devices
@of_kinds
def test_training_in_float64_is_the_processors(device, kind):
    if kind.net == "dropout" and device != "cpu":
        pytest.skip("a device's generator is its own")
    there, here = (advance(kind.stack(d, dtype=torch.float64), STEPS) for d in (device, "cpu"))
    for name, expected in here.changing().items():
        torch.testing.assert_close(
            there.changing()[name].cpu(), expected, rtol=1e-7, atol=1e-9, msg=name
        )


@pytest.mark.gpu
@pytest.mark.parametrize("net", ["mlp", "cnn:width=4"])
@pytest.mark.parametrize("how", ["adam", "sgd", "adam:views=weak", "adam:views=strong"])
def test_an_update_never_waits_for_the_gpu(net, how):
    if net == "mlp" and "views" in how:
        pytest.skip("a table has no views")
    stack = advance(Kind("PRODEN", how, net).stack("cuda"), 1)  # not at the beginning of an epoch
    torch.cuda.set_sync_debug_mode("error")
    try:
        advance(stack, 1)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@on_devices
def test_sums_of_repeated_rows_are_in_order(device):
    g = torch.Generator().manual_seed(0)
    rows = torch.randint(0, 5, (2, 400), generator=g)
    values = torch.randn(2, 400, 3, generator=g)

    def summed(where):
        batch = object.__new__(StackBatch)
        batch.table_rows, batch.repeats = rows.flatten().to(where), True
        return batch.summed(values.to(where)).cpu()

    found = [summed(device) for _ in range(3)]
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])
    torch.testing.assert_close(found[0], summed("cpu"), rtol=1e-6, atol=1e-5)


@on_devices
@pytest.mark.parametrize("how", ["adam:precision=bfloat16", "sgd:precision=tf32"])
def test_shorter_numbers_end_near_float32(device, how):
    if device == "cpu" and "tf32" in how:
        pytest.skip("a GPU's rounding")
    base = how.partition(":")[0]
    for net in ("mlp", "cnn:width=4"):
        short, full = (advance(Kind("CC", text, net).stack(device), STEPS) for text in (how, base))
        assert short.net.flat.dtype == torch.float32
        assert short.mean_loss() == pytest.approx(full.mean_loss(), rel=0.02)


@pytest.mark.gpu
def test_a_sweep_has_the_processors_keys_and_numbers():
    how = {"configs": 1, "splits": 2, "steps": 50, "eval_every": 25, "dtype": "float64"}
    here, there = (
        benchmark({"toy": toy()}, ["PRODEN", "CC"], device=d, workers=1, **how)
        for d in ("cpu", "cuda")
    )
    assert [run.key for run in here.runs] == [run.key for run in there.runs]
    for one, other in zip(here.runs, there.runs):
        for record, same in zip(one.records, other.records, strict=True):
            assert record.test == same.test
            assert record.loss == pytest.approx(same.loss, rel=1e-9)


@pytest.mark.gpu
def test_a_sweep_on_every_gpu_has_the_numbers_of_one():
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    how = {"configs": 2, "splits": 2, "steps": 50, "eval_every": 25, "stack": 1}
    every = ",".join(f"cuda:{number}" for number in range(torch.cuda.device_count()))
    one, several = (
        benchmark({"toy": toy()}, ["PRODEN", "CC"], device=d, **how) for d in ("cuda:0", every)
    )
    assert [(r.key, r.records[-1].test) for r in one.runs] == [
        (r.key, r.records[-1].test) for r in several.runs
    ]
