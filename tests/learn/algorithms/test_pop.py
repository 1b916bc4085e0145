"""POP against a slow version of its rules, update by update."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot

from candidly.learn.algorithms import pop
from candidly.learn.engine.train import update

from toys import advance, make_stack, toy

HYPER = {"theta": 0.2, "inc": 0.3, "window": 3, "warm_up": 2}


def softmax(logits):
    p = np.exp(logits - logits.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


class Slow:
    """One trial of POP, rule by rule, told the logits that a stack comes to."""

    def __init__(self, sets, variant, hp):
        n, q = sets.shape
        self.sets, self.left, self.variant, self.hp = sets, sets.copy(), variant, hp
        self.weights = sets / sets.sum(1, keepdims=True)
        self.ring = np.zeros((hp["window"], n, q))
        self.theta = hp["theta"]

    def refresh(self, ids, logits):
        over = self.sets if self.variant == "plench" else self.left
        for i, p in zip(ids, softmax(logits)):
            self.weights[i] = p * over[i] / (p * over[i]).sum()

    def store_and_purify(self, epoch):
        hp = self.hp
        self.ring[epoch % hp["window"]] = self.weights
        if epoch < hp["warm_up"] or (self.variant == "window" and epoch % hp["window"]):
            return
        before = self.sets if self.variant == "plench" else self.left
        mean = self.ring.mean(0) * before
        mean /= mean.sum(1, keepdims=True)
        after = before & (mean / mean.max(1, keepdims=True) >= self.theta)
        self.left = after
        self.weights = mean * after / (mean * after).sum(1, keepdims=True)
        if self.theta < 0.4 and (before != after).sum() < 1e-4 * before.size:
            self.theta *= 1 + hp["inc"]


@pytest.mark.parametrize("variant", ["fixed", "plench", "window"])
def test_every_table_follows_the_rules(variant):
    data = toy(rate=0.5)
    stack = make_stack(data, f"POP:{variant}", lr=3e-3, **HYPER)
    slow = [
        Slow(s.numpy(), variant, stack.hyper[k]) for k, s in enumerate(stack.labels("candidates"))
    ]
    for t in range(7 * stack.E):
        ids = stack.next_batches()[0].ids
        update(stack)
        for k, one in enumerate(slow):
            one.refresh(ids[k].numpy(), stack.whole(k).logits[ids[k]].numpy())
            if variant == "plench" and t % stack.E == 0:
                one.store_and_purify(t // stack.E)
            if variant != "plench" and (t + 1) % stack.E == 0:
                one.store_and_purify((t + 1) // stack.E)
    for k, one in enumerate(slow):
        np.testing.assert_allclose(stack.rows["weights"][k], one.weights, atol=1e-12)
        np.testing.assert_array_equal(stack.rows["left"][k], one.left)
        assert float(stack.memory["theta"][k]) == pytest.approx(one.theta)
        assert one.left.sum() < one.sets.sum()


def test_a_label_leaves_by_hand():
    past = torch.tensor([[0.7, 0.3, 0.0]]) + torch.tensor([[0.9, 0.1, 0.0]])
    sets = torch.tensor([[True, True, False]])
    for theta, stays in ((0.24, True), (0.26, False)):  # the mean is (0.8, 0.2), the ratio 0.25
        left, weights, next_theta = pop.purify(
            past, sets, torch.tensor([theta]), torch.tensor([0.5])
        )
        assert left.tolist() == [[True, stays, False]]
        torch.testing.assert_close(weights, torch.tensor([[0.8, 0.2, 0] if stays else [1.0, 0, 0]]))
        # theta grows when nothing left
        torch.testing.assert_close(next_theta, torch.tensor([theta * 1.5 if stays else theta]))


def test_theta_stops_growing_above_its_bound():
    past = torch.tensor([[0.5, 0.5]])
    for theta, grown in ((0.39, 0.39 * 2), (0.4, 0.4)):
        theta = torch.tensor([theta], dtype=torch.float64)
        after = pop.purify(past, torch.ones(1, 2, dtype=torch.bool), theta, torch.tensor([1.0]))[2]
        assert float(after) == pytest.approx(grown)


def test_before_the_warm_up_it_is_proden():
    data = toy()
    ours = advance(make_stack(data, "POP", warm_up=9), 30)
    proden = advance(make_stack(data, "PRODEN"), 30)
    assert torch.equal(ours.net.flat, proden.net.flat)


def test_d_pop_1_removed_labels_stay_removed_and_come_back_in_plench():
    came_back = {}
    for name in ("POP", "POP:plench"):
        stack = make_stack(toy(rate=0.5), name, lr=3e-3, **HYPER)
        advance(stack, 4 * stack.E + 1)  # behind a purification of either
        gone = stack.labels("candidates") & ~stack.rows["left"]
        assert gone.any()
        advance(stack, stack.E - 1)  # nearly an epoch of refreshes, before the next purification
        came_back[name] = bool((stack.rows["weights"][gone] > 0).any())
    assert came_back == {"POP": False, "POP:plench": True}


def test_d_pop_2_the_working_set_persists_and_is_made_anew_in_plench():
    for name, persists in (("POP", True), ("POP:plench", False)):
        stack = advance(make_stack(toy(rate=0.5), name, **HYPER), 2 * HYPER["warm_up"])
        stack.rows["left"] = one_hot(stack.rows["weights"].argmax(-1), stack.q).bool()
        advance(stack, 4 * stack.E)  # several purifications
        assert bool((stack.rows["left"].sum(-1) == 1).all()) == persists


def test_d_pop_3_the_window_variant_purifies_once_per_window():
    purified = {}
    for name in ("POP", "POP:window"):
        stack, times = make_stack(toy(rate=0.5), name, lr=3e-3, **HYPER), []
        for epoch in range(1, 10):
            before = stack.memory["theta"].clone(), stack.rows["left"].clone()
            advance(stack, stack.E)
            after = stack.memory["theta"], stack.rows["left"]
            if not all(map(torch.equal, before, after)):
                times.append(epoch)
        purified[name] = times
    assert purified["POP"][:3] == [2, 3, 4]
    assert purified["POP:window"] == [3, 6, 9]


def test_d_pop_4_the_weights_are_stored_when_the_epoch_ends_and_in_plench_after_its_first_update():
    for name, when in (("POP", "end"), ("POP:plench", "first")):
        stack = make_stack(toy(), name, **HYPER)
        update(stack)
        assert any(bool(stack.rows[slot].any()) for slot in pop.RING) == (when == "first")
        advance(stack, stack.E - 1)
        stored = sum(stack.rows[slot] for slot in pop.RING)
        assert torch.equal(stored, stack.rows["weights"]) == (when == "end")
