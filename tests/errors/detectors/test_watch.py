"""Statistics of training, against its whole history."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from candidly import detectors, fit
from candidly.errors.detectors import _watch
from candidly.errors.detectors._train import batch_size, examples_of, seeds_of, trained

from histories import History, margin, small, softmax

EPOCHS, RUNS, LR = 6, 2, 1e-3


@pytest.fixture(scope="module", params=[_watch.HELD, 500], ids=["whole epochs", "in pieces"])
def watched(request):
    data = small(n=151)
    watch, history = detectors.Watch(probs=True), History()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_watch, "HELD", request.param)
        rows = [np.arange(data.n)] * RUNS
        stack = trained(examples_of(data), rows, [3, 8], EPOCHS, [watch, history])
    assert stack.n % stack.B  # rows that an epoch leaves out
    return watch.record(), history, stack


def test_every_number_is_that_of_the_history(watched):
    record, history, stack = watched
    missed = 0
    for k in range(RUNS):
        for row in range(0, stack.n, 3):
            visits = history.visits(k, row)
            p = [softmax(z) for _, z, _, _ in visits]
            own = np.array([q[y] for q, (_, _, _, y) in zip(p, visits)])
            right = [int(z.argmax()) == y for _, z, _, y in visits]
            late = [
                -math.log(o) for o, (t, *_) in zip(own, visits) if t // stack.E >= EPOCHS * 2 // 3
            ]
            influence = sum(
                LR * np.sum((q - np.eye(stack.q)[y]) ** 2) * (1 + f @ f)
                for q, (_, _, f, y) in zip(p, visits)
            )
            at = k, row
            missed += EPOCHS - len(visits)
            assert record.visits[at] == len(visits)
            assert record.own[at] == pytest.approx(own.mean(), rel=1e-5)
            assert record.own_deviation[at] == pytest.approx(own.std(), abs=1e-5)
            assert record.margin[at] == pytest.approx(
                np.mean([margin(z, y) for _, z, _, y in visits]), abs=1e-5
            )
            assert record.late_loss[at] == pytest.approx(np.mean(late), rel=1e-4)
            assert record.forgotten[at] == sum(a and not b for a, b in pairwise(right))
            assert record.learned[at] == any(right)
            assert record.influence[at] == pytest.approx(influence, rel=1e-4)
            means = np.log(np.mean(p, axis=0))
            gap = margin(means, visits[0][3])
            assert record.probs_margin[at] == pytest.approx(gap, rel=1e-4, abs=1e-4)
    assert missed > 0
    assert 0 < record.learned.mean() < 1
    assert record.forgotten.max() > 0


def test_influence_is_the_squared_gradient_of_the_last_layer():
    g = torch.Generator().manual_seed(0)
    weights = torch.randn(4, 5, generator=g, dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    f = torch.randn(5, generator=g, dtype=torch.float64)
    logits = weights @ f + bias
    torch.nn.functional.cross_entropy(logits[None], torch.tensor([2])).backward()
    squared = float(weights.grad.square().sum() + bias.grad.square().sum())
    p = softmax(logits.detach().numpy())
    assert squared == pytest.approx(np.sum((p - np.eye(4)[2]) ** 2) * (1 + float(f @ f)))


def test_runs_in_a_stack_are_those_alone():
    data = small()
    alone = [detectors.record(data, epochs=3, runs=2, seed=1).margin]
    seeds = seeds_of("record", 1, 2)
    for seed in seeds:
        watch = detectors.Watch()
        trained(examples_of(data), [np.arange(data.n)], [seed], 3, [watch])
        watch.visit_the_rest()
        alone.append(watch.record().margin)
    np.testing.assert_array_equal(alone[0], np.concatenate(alone[1:]))
    assert not np.array_equal(alone[1], alone[2])


def test_watching_changes_nothing():
    data = small()
    one, two = (
        trained(examples_of(data), [np.arange(data.n)], [0], 2, watchers).net.flat
        for watchers in ((), [detectors.Watch()])
    )
    assert torch.equal(one, two)


def test_what_the_last_epochs_left_out_is_visited_once_more():
    data = small(n=149)
    watch, history = detectors.Watch(), History()
    rows = [np.arange(data.n)]
    stack = trained(examples_of(data), rows, [0], 1, [watch, history])
    before = watch.record()
    out = np.flatnonzero(before.visits[0] == 0)
    assert len(out) == data.n % stack.B > 0
    assert np.isnan(before.margin[0, out]).all()
    with pytest.raises(ValueError, match="NaN"):
        detectors.data_maps(before)
    watch.visit_the_rest()
    after = watch.record()
    logits = stack.whole(0).logits.numpy().astype(np.float64)
    for row in out:
        assert after.margin[0, row] == pytest.approx(margin(logits[row], data.given[row]))
    assert (after.visits == 1).sum() >= len(out)
    rest = np.flatnonzero(before.visits[0] == 1)
    np.testing.assert_array_equal(after.visits[0, out], 1)
    assert np.isfinite(detectors.small_loss(after).score).all()
    with pytest.raises(ValueError, match="Watch\\(probs=True\\)"):
        detectors.mean_probs(after)
    assert len(rest) + len(out) == data.n


def test_a_watch_is_a_watcher_of_fit():
    data = small()
    watch = detectors.Watch()
    fit(data, "ce", steps=7, seed=2, watchers=[watch], batch_size=50)
    record = watch.record()
    assert record.visits.sum() == 7 * 50
    fit(data, "ce", steps=2, seed=2, watchers=[watch], batch_size=50)  # and starts afresh
    assert watch.record().visits.sum() == 100


def test_a_watch_that_saw_nothing_says_so():
    with pytest.raises(ValueError, match="watchers"):
        detectors.Watch().record()


@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 1797, 50_000])
def test_batches_leave_out_fewer_rows_than_there_are_batches(n):
    size = batch_size(n)
    assert 1 <= size <= 128
    assert n - n // size * size < -(-n // 128)
