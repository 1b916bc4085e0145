"""elr+ against loops over examples in NumPy: targets, teachers, mixtures, objective, gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from candidly.ground.seeds import draw
from candidly.learn.algorithms import elr_plus
from candidly.learn.engine.train import update
from candidly.learn.model import fit
from learn.algorithms.picture_battery import stack_of as on_pictures

from toys import advance, make_stack, toy

HYPER = {"lam": 3.0, "beta": 0.7, "alpha": 0.6, "decay": 0.9, "ramp": 25, "lam_ramp": 20}
CLIP = 1e-4


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


def ramp(done, length):
    return math.exp(-5 * (1 - min(done, length) / length) ** 2) if length else 1.0


class Slow:
    """A trial of a stack, from its start: an example after another."""

    def __init__(self, stack, k, weighted):
        self.stack, self.k, self.weighted = stack, k, weighted
        self.hyper, self.given = stack.hyper[k], stack.labels("given")[k].numpy()
        self.teachers = [self.net(m) for m in (0, 1)]
        self.table = np.zeros((stack.n, 2, stack.q))

    def net(self, m):
        leaves = self.stack.net.parameters.items()
        return {name: leaf.detach().numpy()[2 * self.k + m].copy() for name, leaf in leaves}

    def said(self, w, x):
        hidden = np.maximum(x @ w["w1"] + w["b1"], 0)[0]
        return hidden, softmax(w["w2"] @ hidden + w["b2"][0])

    def objective(self):
        """Before an update: the objective, and slopes of both last layers; refreshes the table."""
        stack, hyper, size, q = self.stack, self.hyper, self.stack.B, self.stack.q
        batch = stack.next_batches()[0]
        ids, x = batch.ids[self.k].tolist(), batch.x[self.k].numpy()
        for i, row in zip(ids, x):
            for m in (0, 1):
                p = np.clip(self.said(self.teachers[1 - m], row)[1], CLIP, 1 - CLIP)
                old = self.table[i, m]
                self.table[i, m] = hyper["beta"] * old + (1 - hyper["beta"]) * p / p.sum()
        g = draw(stack.seeds[self.k], "mixup", stack.t)
        shares = g.beta(hyper["alpha"], hyper["alpha"], 2)
        orders = [g.permutation(size) for _ in (0, 1)]
        lam, total, slopes = hyper["lam"] * ramp(stack.t + 1, hyper["lam_ramp"]), 0.0, []
        for m in (0, 1):
            w, share = self.net(m), max(shares[m], 1 - shares[m])
            of_w, of_b = np.zeros_like(w["w2"]), np.zeros(q)
            for j, partner in enumerate(orders[m]):
                mix = lambda a, b, share=share: share * a + (1 - share) * b  # noqa: E731
                y = mix(np.eye(q)[self.given[ids[j]]], np.eye(q)[self.given[ids[partner]]])
                t = mix(self.table[ids[j], m], self.table[ids[partner], m])
                if self.weighted:
                    y = y * t / (y * t).sum()
                hidden, p = self.said(w, mix(x[j], x[partner]))
                inside = np.clip(p, CLIP, 1 - CLIP)
                left = 1 - t @ inside
                total += (-(y * np.log(p)).sum() + lam * math.log(left)) / size
                free = t * (p == inside)  # a clipped probability has no slope
                slope = p - y - lam / left * p * (free - free @ p)
                of_w, of_b = of_w + np.outer(slope, hidden) / size, of_b + slope / size
            slopes.append((of_w, of_b))
        return total, slopes

    def follow(self):
        """Behind an update: the teachers."""
        kept = self.hyper["decay"] * ramp(self.stack.t, self.hyper["ramp"])
        for m in (0, 1):
            now = self.net(m)
            for name, old in self.teachers[m].items():
                self.teachers[m][name] = kept * old + (1 - kept) * now[name]


@pytest.mark.parametrize("name", ["elr+", "elr+:many-classes"])
def test_elr_plus_is_its_text_example_by_example(name):
    stack = make_stack(toy(), name, [0, 1], lr=0.02, hidden=10, **HYPER)
    slow = [Slow(stack, k, name != "elr+") for k in range(2)]
    for t in range(2 * stack.E + 2):
        expected = [one.objective() for one in slow]
        before = stack.loss_sum.clone()
        update(stack)
        found = (stack.loss_sum - before).tolist()
        np.testing.assert_allclose(found, [total for total, _ in expected], rtol=1e-9)
        for k, (_, slopes) in enumerate(expected):
            for m, (of_w, of_b) in enumerate(slopes):
                grads = {n: leaf.grad[2 * k + m] for n, leaf in stack.net.parameters.items()}
                np.testing.assert_allclose(grads["w2"], of_w, rtol=1e-9, atol=1e-12, err_msg=str(t))
                np.testing.assert_allclose(grads["b2"][0], of_b, rtol=1e-9, atol=1e-12)
        for one in slow:
            one.follow()
    for k, one in enumerate(slow):
        np.testing.assert_allclose(stack.rows["target"][k], one.table, rtol=1e-9, atol=1e-12)
        for m in (0, 1):
            for leaf, value in one.teachers[m].items():
                there = stack.teacher.parameters[leaf][2 * k + m]
                np.testing.assert_allclose(there, value, rtol=1e-9, atol=1e-12)


def test_the_ramp_of_elr_plus():
    stack = make_stack(toy(), "elr+", [0, 1], ramp=40)
    stack.hyper[1] = dict(stack.hyper[1]) | {"ramp": 0}
    values = [elr_plus.grown(stack, "ramp", done).flatten().tolist() for done in (0, 20, 40, 99)]
    assert values[0] == pytest.approx([math.exp(-5), 1])
    assert values[1] == pytest.approx([math.exp(-1.25), 1])
    assert values[2] == values[3] == [1, 1]


def test_a_label_times_its_target_by_hand():
    label = torch.tensor([0.75, 0.25, 0.0], dtype=torch.float64)
    target = torch.tensor([0.1, 0.6, 0.3], dtype=torch.float64)
    # 0.075 and 0.15 of 0.225
    expected = torch.tensor([1 / 3, 2 / 3, 0], dtype=torch.float64)
    torch.testing.assert_close(elr_plus.weighted(label, target), expected)


def test_without_mixtures_and_pull_elr_plus_is_two_plain_networks():
    plain = advance(make_stack(toy(), "ce", [0]), 12)
    stack = advance(make_stack(toy(), "elr+", [0], alpha=0, lam=0), 12)
    size = plain.net.flat.shape[1]
    torch.testing.assert_close(stack.net.flat[:, :size], plain.net.flat, rtol=1e-9, atol=1e-12)


def test_both_networks_predict_by_their_mean_logits():
    stack = advance(make_stack(toy(), "elr+", [0]), 6)
    each = [stack.whole(0, m).logits for m in (0, 1)]
    assert not torch.allclose(*each)
    torch.testing.assert_close(stack.whole(0).logits, (each[0] + each[1]) / 2)
    model = fit(toy(), "elr+", steps=4)
    assert model.predict(toy().inputs).shape == (330,)


def test_d_elr_1_both_networks_are_given_the_same_labels():
    """The released program draws wrong labels anew for the second network.

    Each label is then wrong for both at the square of the rate alone.
    """
    data = toy(n=4000)
    wrong = data.given != data.truth
    g = np.random.default_rng(1)
    anew = np.where(g.random(data.n) < 0.3, g.integers(0, data.q, data.n), data.truth)
    assert (wrong & (anew != data.truth)).mean() < 0.3 * wrong.mean()
    stack = make_stack(toy(), "elr+", [0], alpha=0, lam=0)
    stack.net.flat.zero_()
    batch = stack.next_batches()[0]
    update(stack)
    # of equal logits, the slope of the last bias is 1/q less the share of the labels
    shares = torch.bincount(batch.given[0], minlength=stack.q) / stack.B
    for m in (0, 1):
        slope = stack.net.parameters["b2"].grad[m, 0]
        torch.testing.assert_close(slope, 1 / stack.q - shares.double())


def test_d_elr_2_the_teachers_running_statistics_reach_nothing():
    """The released program averages parameters alone; a teacher normalises by its batch."""
    ends = []
    for factor in (1, 7):
        stack = on_pictures("elr+", (0,), ramp=3)
        for _ in range(4):
            update(stack)
            stack.teacher.buffers["norm.running_var"] *= factor
        ends.append((stack.net.flat.clone(), stack.rows["target"].clone()))
    for one, other in zip(*ends):
        assert torch.equal(one, other)
