"""SEAL's rounds against a slow version of its rules, epoch by epoch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.learn.algorithms import algorithm, seal
from candidly.learn.engine.suspicion import suspicion
from candidly.learn.engine.train import update

from toys import advance, make_stack, toy


def softmax(logits):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


class Slow:
    """One trial's targets, told what a stack predicts at the end of every epoch."""

    def __init__(self, given, q):
        self.given, self.q = given, q
        self.target = np.zeros((len(given), q))
        for i, y in enumerate(given):
            self.target[i, y] = 1
        self.said = []

    def epoch_ended(self, logits):
        self.said.append(softmax(logits))

    def round_ended(self):
        mean = np.zeros_like(self.target)
        for i in range(len(mean)):
            for j in range(self.q):
                mean[i, j] = sum(p[i, j] for p in self.said) / len(self.said)
        self.target, self.said = mean, []

    def loss(self, ids, logits):
        return np.mean(
            [
                -sum(t * np.log(p) for t, p in zip(self.target[i], softmax(z)))
                for i, z in zip(ids, logits)
            ]
        )


@pytest.mark.parametrize("name", ["seal", "seal:carried"])
def test_targets_are_the_means_of_the_round_before(name):
    stack = make_stack(toy(), name, rounds=3, steps=70, lr=3e-3)  # epochs of 8 updates
    assert stack.stages.ends[:4] == [16, 40, 70, 70]
    slow = [Slow(y.numpy(), stack.q) for y in stack.labels("given")]
    for _ in range(70):
        if stack.t in (16, 40):
            for one in slow:
                one.round_ended()
        at = stack.next_batches()[0].ids if stack.t not in (16, 40) else None
        if at is not None:  # at the start of a round the network of the loss is yet to come
            logits = [stack.whole(k).logits[at[k]].numpy() for k in range(3)]
            expected = [one.loss(at[k].numpy(), logits[k]) for k, one in enumerate(slow)]
            stack.mean_loss()
        update(stack)
        if at is not None:
            np.testing.assert_allclose(stack.mean_loss(), expected, rtol=1e-9)
        if stack.t % stack.E == 0:
            for k, one in enumerate(slow):
                one.epoch_ended(stack.whole(k).logits.numpy())
    for k, one in enumerate(slow):
        np.testing.assert_allclose(stack.rows["target"][k], one.target, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(stack.rows["sum"][k], sum(one.said), rtol=1e-9)
        assert len(one.said) == 3
        mean = sum(one.said) / 3
        expected = 1 - mean[np.arange(stack.n), one.given]
        np.testing.assert_allclose(suspicion(stack, k), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(("name", "fresh"), [("seal", True), ("seal:carried", False)])
def test_a_round_starts_from_a_new_network_and_optimiser_unless_they_are_carried(name, fresh):
    stack = advance(make_stack(toy(), name, rounds=4), 8)
    before = stack.net.flat.clone()
    update(stack)
    count = int(stack.movers.optimisers["net"].count)
    far = (stack.net.flat - before).abs().amax(1) > 0.1
    assert (count == 1, bool(far.all())) == (fresh, fresh)
    assert count in (1, 9)
    first = stack.net.flat.clone()
    advance(stack, 16)  # and not from the same one again
    assert not fresh or (stack.net.flat - first).abs().amax() > 0.1


def test_more_rounds_than_epochs_leave_the_targets_as_they_are():
    data = toy()
    stack = make_stack(data, "seal", rounds=8, steps=20)  # two epochs and a half
    advance(stack, 20)
    assert stack.diverged_at == [None] * 3
    assert stack.rows["target"].isfinite().all()
    short = advance(make_stack(data, "seal", rounds=4, steps=5), 5)  # not one
    given = torch.nn.functional.one_hot(short.labels("given"), short.q)
    assert torch.equal(short.rows["target"], given.double())
    assert np.isfinite(suspicion(short, 0)).all()


def test_sums_over_their_number_and_the_old_targets_where_there_are_none():
    total = torch.tensor([[3.0, 1.0], [0.0, 0.0]])
    target = torch.tensor([[0.0, 1.0], [0.2, 0.8]])
    assert seal.averaged(total, target).tolist() == [
        [0.75, 0.25],
        [pytest.approx(0.2), pytest.approx(0.8)],
    ]


def test_one_round_is_cross_entropy():
    ours, plain = (
        advance(make_stack(toy(), n, **h), 20) for n, h in (("seal", {"rounds": 1}), ("ce", {}))
    )
    torch.testing.assert_close(ours.net.flat, plain.net.flat, rtol=1e-10, atol=1e-12)


def test_a_trial_that_turns_nan_before_a_round_ends_leaves_finite_targets():
    stack, clean = (advance(make_stack(toy(), "seal", rounds=4), 7) for _ in range(2))
    stack.net.flat[1] = torch.nan
    for one in (stack, clean):
        advance(one, 20)
    assert stack.diverged_at == [None, 7, None]
    for name, table in stack.rows.items():
        assert table.isfinite().all()
        assert torch.equal(table[[0, 2]], clean.rows[name][[0, 2]])
    assert np.isnan(suspicion(stack, 1)).all()


@pytest.mark.parametrize("rounds", [0, 11, 2.5])
def test_rounds_that_there_cannot_be_are_refused(rounds):
    with pytest.raises(ValueError, match=r"seal's rounds is .*(\[1, 10\]|a whole number)"):
        fit(toy(), "seal", steps=1, rounds=rounds)


def test_it_finds_wrong_labels():
    data = toy(n=600)
    stack = advance(make_stack(data, "seal", [0], steps=240, lr=3e-3, dtype=torch.float32), 240)
    rows = stack.index[0].numpy()
    wrong, scores = (data.given != data.truth)[rows], suspicion(stack)
    assert np.median(scores[wrong]) > np.quantile(scores[~wrong], 0.9)
    assert algorithm("seal").cost == 1
