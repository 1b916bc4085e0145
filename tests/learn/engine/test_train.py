from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import Stage
from candidly.learn.engine.divergence import read_flags
from candidly.learn.engine.train import train, update, without_denormals

from toys import advance, make_stack, toy

DENORMAL = 1e-39


def test_an_epoch_visits_rows_once_and_drops_the_partial_batch():
    stack = make_stack(toy(), "CC")
    seen = []
    for _ in range(stack.E):
        seen.append(stack.next_batches()[0].ids)
        update(stack)
    ids = torch.cat(seen, 1)
    assert ids.shape == (3, stack.n // stack.B * stack.B)
    for row in ids:
        assert len(set(row.tolist())) == len(row)
        assert 0 <= row.min() <= row.max() < stack.n
    assert not torch.equal(ids[0], ids[1])  # each trial has its own order
    assert not torch.equal(stack.next_batches()[0].ids, seen[0])  # and a new one each epoch


def test_a_batch_holds_its_rows_inputs_and_labels():
    data = toy()
    stack = make_stack(data, "PRODEN")
    batch = stack.next_batches()[0]
    for k in range(3):
        rows = stack.index[k][batch.ids[k]]
        assert torch.equal(batch.candidates[k], torch.tensor(data.candidates)[rows])
        raw, training = data.inputs, data.inputs[stack.index[k].numpy()]
        expected = (raw[rows] - training.mean(0)) / (training.std(0) + 1e-6)
        np.testing.assert_allclose(batch.x[k].numpy(), expected, atol=1e-12)
        assert torch.equal(batch.weights[k], stack.rows["weights"][k][batch.ids[k]])


def test_losses_go_down_and_are_the_mean_since_last_asked():
    stack = make_stack(toy(), "supervised-oracle", lr=3e-3)
    advance(stack, 8)
    first = stack.mean_loss()
    advance(stack, 40)
    stack.mean_loss()
    advance(stack, 8)
    assert all(later < earlier for later, earlier in zip(stack.mean_loss(), first))
    assert stack.mean_loss() == [0.0] * 3


def test_train_pauses_at_the_record_steps_and_at_the_end():
    stack = make_stack(toy(), "CC", steps=25)
    assert list(train(stack, (10, 20))) == [10, 20, 25]
    assert stack.seconds > 0


def test_seconds_are_the_processors_and_not_the_clocks(monkeypatch):
    ticks = iter([10.0, 12.5, 20.0, 20.25])
    monkeypatch.setattr("candidly.learn.engine.train.time.process_time", lambda: next(ticks))
    stack = make_stack(toy(), "CC", steps=3)
    assert list(train(stack, (2,))) == [2, 3]
    assert stack.seconds == 2.75


def denormals_count() -> bool:
    return bool(torch.full((1,), DENORMAL, dtype=torch.float64).float() > 0)


@pytest.mark.parametrize("callers", [True, False])
def test_denormals_are_zero_in_training_and_the_callers_setting_comes_back(callers):
    assert denormals_count()
    seen = []
    steps = train(
        make_stack(toy(), "CC", steps=3), (1,), [lambda *_: seen.append(denormals_count())]
    )
    torch.set_flush_denormal(not callers)
    try:
        next(steps)
        assert seen == [False]
        assert denormals_count() is callers  # while the consumer measures and saves
        list(steps)
        assert seen == [False] * 3
        assert denormals_count() is callers
        with pytest.raises(RuntimeError, match="stop"), without_denormals():
            raise RuntimeError("stop")
        assert denormals_count() is callers
    finally:
        torch.set_flush_denormal(False)


def test_watchers_get_ids_and_the_logits_from_before_the_update():
    data = toy()
    watched, plain = make_stack(data, "PRODEN"), make_stack(data, "PRODEN")
    seen = []

    def watch(stack, batch):
        seen.append([part.clone() for part in (batch.ids, batch.logits, batch.features)])

    for _ in train(watched, (5,), [watch]):
        if watched.t >= 5:
            break
    expected = []
    for _ in range(5):
        batch = plain.next_batches()[0]
        with torch.no_grad():
            expected.append((batch.ids, *plain.net(batch.x)))
        update(plain)
    for mine, others in zip(seen, expected):
        for part, other in zip(mine, others):
            assert torch.equal(part, other)
            assert not part.requires_grad
    assert torch.equal(watched.net.flat, plain.net.flat)


def test_divergence_is_dated_and_final():
    stack = make_stack(toy(), "CC")
    advance(stack, 4)
    stack.net.flat[2, 0] = torch.inf
    advance(stack, 3)
    assert stack.diverged_at == [None, None, 4]
    assert stack.net.flat[2].eq(0).all()
    frozen = stack.movers.optimisers["net"].tensors["mean"][2].clone()
    advance(stack, 3)
    assert torch.equal(stack.movers.optimisers["net"].tensors["mean"][2], frozen)


def test_parameters_that_overflow_leave_finite_tables():
    # the objective is sound, the optimiser overflows, and the refresh behind it sees NaN
    stack = make_stack(toy(), "PRODEN", dtype=torch.float32, lr=1e38)
    advance(stack, 3)
    assert stack.diverged_at == [1, 1, 1]
    assert stack.rows["weights"].isfinite().all()


def test_a_non_finite_gradient_behind_a_finite_objective_is_seen_before_it_is_written():
    stack = make_stack(toy(), "CC")

    class Trap(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            return z.sum((1, 2)) * 0

        @staticmethod
        def backward(ctx, d):
            out = torch.zeros(3, stack.B, stack.q, dtype=stack.dtype)
            out[1] = torch.nan
            return out

    trapped = Stage(lambda s, b: Trap.apply(s.net(b.x).logits))
    stack.stages = replace(stack.stages, stages=(trapped,))
    update(stack)
    assert stack.diverged_at == [None, 0, None]
    assert stack.net.flat.isfinite().all()


def test_flags_of_an_accelerator_are_read_in_time():
    # the masked path, run on the host: writes are masked until the flags are read
    stack = make_stack(toy(), "PRODEN")
    plain = make_stack(toy(), "PRODEN")
    stack.movers.optimisers["net"].fused = False
    stack.everyone = False
    stack.alive[1] = False
    before = stack.net.flat[1].clone(), stack.rows["weights"][1].clone()
    advance(stack, 3)
    advance(plain, 3)
    assert torch.equal(stack.net.flat[1], before[0])
    assert torch.equal(stack.rows["weights"][1], before[1])
    torch.testing.assert_close(stack.net.flat[0], plain.net.flat[0])
    read_flags(stack)
    assert stack.diverged_at == [None, 3, None]


def test_fewer_rows_than_a_batch_are_refused():
    with pytest.raises(ValueError, match="32"):
        make_stack(toy(n=30), "CC")


@pytest.mark.gpu
def test_cuda_equals_cpu():
    from candidly import benchmark

    runs = [
        benchmark(
            {"toy": toy()}, "PRODEN", configs=1, splits=1, steps=50, device=d, dtype="float64"
        ).runs[0]
        for d in ("cpu", "cuda")
    ]
    assert runs[0].records[-1].test == runs[1].records[-1].test
