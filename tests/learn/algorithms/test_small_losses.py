"""co-teaching, co-teaching+, jocor and cnlcu against slow versions of their text."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import cnlcu, jocor
from candidly.learn.algorithms._selection import masked_mean, smallest
from candidly.learn.algorithms.co_teaching import CO_TEACHING
from candidly.learn.engine.train import update
from candidly.learn.model import fit, load_model
from candidly.learn.nets import Output

from toys import advance, make_stack, toy

double = torch.float64


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def seen_before(stack):
    """What the networks say of the next batch: ids (K, B), probabilities (K, 2, B, q)."""
    batch = stack.next_batches()[0]
    return batch.ids.numpy(), softmax(stack.net(batch.x).logits.detach().numpy())


def rate_of(hyper, epoch, table=False):
    if table:
        return hyper["noise_rate"] * min(epoch / max(hyper["ramp"] - 1, 1), 1)
    return hyper["noise_rate"] * min((epoch + 1) / hyper["ramp"], 1)


# choosing


def test_a_choice_has_exactly_so_many_whatever_the_ties():
    g = np.random.default_rng(0)
    values = torch.tensor(g.integers(0, 4, (5, 2, 9)).astype(float))
    count = torch.tensor([0.0, 1, 4, 8, 9])[:, None, None]
    mask = smallest(values, count)
    assert torch.equal(mask.sum(-1, keepdim=True), count.expand(5, 2, 1))
    for row, chosen in zip(values.flatten(0, 1), mask.flatten(0, 1)):
        if 0 < chosen.sum() < 9:
            assert row[chosen].max() <= row[~chosen].min()
    torch.testing.assert_close(masked_mean(values, mask)[4], values[4].mean(-1))
    assert masked_mean(values, mask)[0].tolist() == [0, 0]


def test_an_empty_choice_has_no_gradient_and_no_nan():
    values = torch.tensor([1.0, torch.inf], requires_grad=True)
    masked_mean(values, torch.tensor([False, False])).backward()
    assert values.grad.tolist() == [0, 0]


# co-teaching


@pytest.mark.parametrize("variant", ["fixed", "released", "noisywikihow", "epochs"])
def test_co_teaching_exchanges_the_smallest(variant):
    hyper = {"noise_rate": 0.37, "ramp": 3}
    stack = make_stack(toy(), f"co-teaching:{variant}", **hyper)
    given = stack.labels("given").numpy()
    for t in range(4 * stack.E):
        ids, p = seen_before(stack)
        before = stack.loss_sum.clone()
        update(stack)
        share = 1 - rate_of(hyper, t // stack.E, table=variant != "fixed")
        number = share * stack.B
        number = math.floor(number + 0.5) if variant == "noisywikihow" else math.floor(number)
        for k in range(3):
            losses = [
                [-math.log(p[k, m, j, given[k, i]]) for j, i in enumerate(ids[k])] for m in (0, 1)
            ]
            total = 0.0
            for learner in (0, 1):
                teacher = losses[1 - learner]
                chosen = sorted(range(stack.B), key=lambda j, own=teacher: own[j])[:number]
                total += np.mean([losses[learner][j] for j in chosen])
            assert float((stack.loss_sum - before)[k]) == pytest.approx(total)


def test_each_network_learns_from_the_others_choice_alone():
    stack = make_stack(toy(), "co-teaching", [0], noise_rate=0.5, ramp=1)
    batch = stack.next_batches()[0]
    logits = stack.net(batch.x).logits.detach().requires_grad_()
    nats = logits.logsumexp(-1) - logits.gather(
        -1, batch.given[:, None, :, None].expand(-1, 2, -1, 1)
    ).squeeze(-1)
    asked = SimpleNamespace(net=lambda x: Output(logits, None), hp=stack.hp, epoch=0, B=stack.B)
    CO_TEACHING.stages[0].step(asked, batch).sum().backward()
    moved = logits.grad.abs().sum(-1)[0] > 0
    half = nats[0].argsort(-1)[:, : stack.B // 2]
    for learner in (0, 1):
        assert sorted(half[1 - learner].tolist()) == moved[learner].nonzero().flatten().tolist()


def test_nothing_forgotten_is_two_plain_networks():
    plain = advance(make_stack(toy(), "ce", [0]), 12)
    stack = advance(make_stack(toy(), "co-teaching", [0], noise_rate=0.0), 12)
    size = plain.net.flat.shape[1]
    torch.testing.assert_close(stack.net.flat[:, :size], plain.net.flat, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["co-teaching", "jocor", "co-teaching+", "cnlcu-hard"])
def test_an_estimated_rate_is_near_the_true_one(name):
    data = toy(n=1200, spread=1.5)
    own = {"warm_up": 3} if name == "co-teaching+" else {}
    stack = make_stack(
        data,
        f"{name}:estimated",
        [0, 1],
        steps=500,
        dtype=torch.float32,
        lr=3e-3,
        **own | {"ramp": 5},
    )
    advance(stack, 5 * stack.E - 1)
    assert stack.memory["rate"].eq(0).all()
    update(stack)
    wrong = [(data.given != data.truth)[rows.numpy()].mean() for rows in stack.index]
    np.testing.assert_allclose(stack.memory["rate"].flatten().numpy(), wrong, atol=0.07)
    rate = stack.memory["rate"].clone()
    advance(stack, 2 * stack.E)
    assert torch.equal(stack.memory["rate"], rate)


def test_the_learning_rate_of_co_teaching_falls_to_0_by_epochs():
    stack = make_stack(toy(), "co-teaching:epochs", [0], steps=80, decay_from=4)
    assert stack.E == 8  # ten epochs
    rates = []
    while stack.t < stack.T:
        rates.append(stack.stage.rate(stack))
        stack.t += 1
    expected = [1, 1, 1, 1, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]
    assert rates == pytest.approx(np.repeat(expected, 8))


def test_co_teaching_by_epochs_moves_by_adam_at_its_rate():
    stack = make_stack(toy(), "co-teaching:epochs", [0], steps=40, decay_from=1, lr=0.01)
    shadow = make_stack(toy(), "co-teaching:released", [0], steps=40, lr=0.01)
    advance(stack, 2 * stack.E)  # five epochs: the third has 3/4 of the rate
    for name, tensor in stack.changing().items():
        shadow.changing()[name].copy_(tensor)
    shadow.movers.optimisers["net"].count.copy_(stack.movers.optimisers["net"].count)
    shadow.t = stack.t
    start = stack.net.flat.clone()
    update(stack)
    update(shadow)
    torch.testing.assert_close(stack.net.flat - start, 0.75 * (shadow.net.flat - start))


def test_an_estimate_from_equal_losses_is_that_nothing_is_wrong():
    stack = make_stack(toy(), "co-teaching:estimated", lr=0.0, ramp=1)
    stack.net.flat.zero_()
    advance(stack, stack.E)
    assert stack.memory["rate"].eq(0).all()


def test_averaged_predictions_are_of_both_networks(tmp_path):
    data = toy()
    one, both = (fit(data, f"co-teaching:{v}", steps=15) for v in ("fixed", "averaged"))
    assert one.parameters["w1"].shape == both.parameters["w1"].shape[1:]
    np.testing.assert_array_equal(both.parameters["w1"][0], one.parameters["w1"])
    assert not np.allclose(one.predict_logits(data.inputs), both.predict_logits(data.inputs))
    both.save(tmp_path / "both.safetensors")
    np.testing.assert_array_equal(
        load_model(tmp_path / "both.safetensors").predict_logits(data.inputs),
        both.predict_logits(data.inputs),
    )
    stack = advance(make_stack(data, "co-teaching:averaged"), 3)
    halves = torch.stack([stack.whole(1, m).logits for m in (0, 1)])
    torch.testing.assert_close(stack.whole(1).logits, halves.mean(0))


# co-teaching+


@pytest.mark.parametrize("noise_rate", [0.37, 0.97])  # of these 0.03 is less than one
def test_co_teaching_plus_exchanges_among_the_disputed(noise_rate):
    hyper = {"noise_rate": noise_rate, "ramp": 2, "warm_up": 1}
    stack = make_stack(toy(spread=1.0), "co-teaching+", **hyper)
    given = stack.labels("given").numpy()
    disputes = []
    for t in range(3 * stack.E):
        ids, p = seen_before(stack)
        before = stack.loss_sum.clone()
        update(stack)
        share = 1 - rate_of(hyper, t // stack.E)
        for k in range(3):
            among = list(range(stack.B))
            if t >= stack.E:
                among = [j for j in among if p[k, 0, j].argmax() != p[k, 1, j].argmax()]
                disputes.append(len(among))
            losses = [
                {j: -math.log(p[k, m, j, given[k, ids[k][j]]]) for j in among} for m in (0, 1)
            ]
            number = max(1, math.floor(share * len(among) + 1e-9))
            total = 0.0
            for learner in (0, 1):
                chosen = sorted(among, key=lambda j, own=losses[1 - learner]: own[j])[:number]
                total += np.mean([losses[learner][j] for j in chosen]) if chosen else 0
            assert float((stack.loss_sum - before)[k]) == pytest.approx(total)
    assert 0 < min(disputes) < stack.B / 2 + 5 < max(disputes)


def test_where_nobody_disagrees_nothing_is_learned_and_row_0_is_as_good_as_any():
    stack = make_stack(toy(), "co-teaching+", warm_up=0)
    first, second = stack.net.flat.unflatten(1, (2, -1)).unbind(1)
    second.copy_(first)
    update(stack)
    assert stack.loss_sum.eq(0).all()
    assert stack.net.grad.eq(0).all()


# jocor


def test_jocor_reference_value():
    logits = torch.tensor([[[2.0, 0.5, -1.0, 0.0]], [[0.3, -0.2, 1.0, 0.1]]], dtype=double)
    value = jocor.joint_loss(logits, torch.tensor([1]), torch.tensor([0.9], dtype=double))
    assert value.item() == pytest.approx(1.899680371383, abs=1e-11)


def test_jocor_keeps_the_smallest_joint_losses():
    hyper = {"noise_rate": 0.4, "ramp": 2}
    stack = make_stack(toy(), "jocor", **hyper)
    given = stack.labels("given").numpy()
    for t in range(2 * stack.E):
        ids, p = seen_before(stack)
        before = stack.loss_sum.clone()
        update(stack)
        number = math.floor((1 - rate_of(hyper, t // stack.E)) * stack.B)
        for k in range(3):
            lam = stack.hyper[k]["lam"]
            joint = []
            for j, i in enumerate(ids[k]):
                a, b = p[k, :, j]
                apart = (a * np.log(a / b)).sum() + (b * np.log(b / a)).sum()
                nats = -math.log(a[given[k, i]]) - math.log(b[given[k, i]])
                joint.append((1 - lam) * nats + lam * apart)
            expected = np.mean(sorted(joint)[:number])
            assert float((stack.loss_sum - before)[k]) == pytest.approx(expected)


# cnlcu


def test_cnlcu_reference_values():
    def bound(f, losses, chosen, doubt):
        past = torch.tensor([losses], dtype=double)
        t = torch.tensor([float(len(losses))], dtype=double)
        return f(past, past > 0, t, *torch.tensor([[chosen], [doubt]], dtype=double)).item()

    soft = bound(cnlcu.soft_bound, [2.0, 1.5, 1.0], 2.0, 0.1)
    hard = bound(cnlcu.hard_bound, [2.0, 1.5, 1.0, 9.0, 1.2], 3.0, 0.3)
    assert soft == pytest.approx(1.112251761474, abs=1e-11)
    assert hard == pytest.approx(-0.795367748738, abs=1e-11)


def slow_outlier(losses):
    """Which loss lies apart, by the quantile of the distances; None if none does."""
    if len(losses) < 5:
        return None
    second = []
    for i, loss in enumerate(losses):
        others = losses[:i] + losses[i + 1 :]
        second.append(sorted(abs(loss - other) for other in others)[1])
    apart = [i for i, d in enumerate(second) if d > np.quantile(second, 0.9)]
    assert len(apart) < 2
    return apart[0] if apart else None


@pytest.mark.parametrize("size", [3, 4, 5, 7, 10])
def test_outliers_are_beyond_the_quantile_of_their_distances(size):
    g = np.random.default_rng(size)
    past = g.exponential(size=(50, 10))
    past[:5] = past[:5, :1]  # all equal
    past[5:10] = past[5:10].round(1)
    known = np.arange(10) < size
    found = cnlcu.outliers(torch.tensor(past), torch.tensor(known).expand(50, 10))
    for row, out in zip(past, found):
        expected = slow_outlier(row[:size].tolist())
        assert out.nonzero().flatten().tolist() == ([] if expected is None else [expected])


class SlowBounds:
    """One trial's losses and counts as lists, and the bound by the text."""

    def __init__(self, n, name, hp, steps):
        self.n, self.name, self.hp, self.steps = n, name, hp, steps
        self.forget()

    def forget(self):
        self.past = [[[] for _ in range(self.n)] for _ in (0, 1)]
        self.chosen = np.ones((2, self.n))

    def bound(self, m, i, t, epoch, per_epoch):
        losses, c = self.past[m][i], self.chosen[m, i]
        fall = max(0, 1 - epoch * per_epoch / (0.4 * self.steps))
        if self.name == "cnlcu-soft":
            s = self.hp["sigma2"] * fall
            mean = np.mean([math.log(1 + u + u * u / 2) for u in losses])
            return mean - s * (t + s * math.log(2 * t) / t**2) / (c - s)
        out = slow_outlier(losses)
        left = [u for j, u in enumerate(losses) if j != out]
        gone, tau = len(losses) - len(left), self.hp["tau_min"] * fall
        return np.mean(left) - 2 * math.sqrt(2 * tau) * 2 * (t + math.sqrt(2) * gone) / (
            (t - gone) * math.sqrt(t)
        ) * math.sqrt(math.log(4 * t) / c)


@pytest.mark.parametrize("variant", ["fixed", "epoch"])
@pytest.mark.parametrize(
    ("name", "doubt"), [("cnlcu-soft", {"sigma2": 0.5}), ("cnlcu-hard", {"tau_min": 0.3})]
)
def test_cnlcu_chooses_by_the_bound_of_the_interval(name, doubt, variant):
    hyper = {"noise_rate": 0.4, "ramp": 2, "interval": 5, **doubt}
    stack = make_stack(toy(n=160), f"{name}:{variant}", steps=60, **hyper)
    given = stack.labels("given").numpy()
    slow = [SlowBounds(stack.n, name, hyper, stack.T) for _ in range(3)]
    for step in range(8 * stack.E):
        ids, p = seen_before(stack)
        before = stack.loss_sum.clone()
        update(stack)
        epoch = step // stack.E
        number = math.floor((1 - rate_of(hyper, epoch)) * stack.B)
        for k, one in enumerate(slow):
            chosen, losses = [], []
            for m in (0, 1):
                own = [-math.log(p[k, m, j, given[k, i]]) for j, i in enumerate(ids[k])]
                bounds = []
                for j, i in enumerate(ids[k]):
                    one.past[m][i].append(own[j])
                    t = epoch + 1 if variant == "epoch" else len(one.past[m][i])
                    bounds.append(one.bound(m, i, t, epoch, stack.E))
                mine = sorted(range(stack.B), key=lambda j, b=bounds: b[j])[:number]
                one.chosen[m, ids[k][mine]] += 1
                chosen.append(mine)
                losses.append(own)
            total = sum(np.mean([losses[m][j] for j in chosen[1 - m]]) for m in (0, 1))
            assert float((stack.loss_sum - before)[k]) == pytest.approx(total)
            if (step + 1) % (5 * stack.E) == 0:
                one.forget()
            np.testing.assert_array_equal(stack.rows["chosen"][k].T, one.chosen)


@pytest.mark.parametrize("bound", [cnlcu.soft_bound, cnlcu.hard_bound])
def test_t_of_the_whole_run_is_another_bound_from_the_second_interval_on(bound):
    past, known = torch.rand(4, 5, dtype=double), torch.ones(4, 5, dtype=torch.bool)
    chosen, doubt = torch.tensor([1.0, 2, 3, 4]), torch.tensor(0.3)
    inside, whole = (bound(past, known, torch.full((4,), t), chosen, doubt) for t in (5.0, 12.0))
    assert not torch.allclose(inside, whole)
