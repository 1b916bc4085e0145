"""ALIM against loops written from the formulas."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import alim
from candidly.learn.engine.train import update
from candidly.learn.nets import Output
from learn.algorithms import slow_contrast

from toys import advance, make_stack, toy

double = torch.float64
RATE = 0.3
DATA = toy(n=84, seed=8)  # 68 training rows, eight and a half batches of eight


def stack_of(name="ALIM", trials=(0,), data=DATA, **hyper):
    told = {} if name == "ALIM:estimated" else {"noise_rate": RATE}
    return make_stack(data, name, trials, **{"batch": 8, "queue": 20} | told | hyper)


def priced(values, members, share) -> int:
    """The first class of the largest value times 1 in the set and ``share`` outside it."""
    prices = [1.0 if inside else share for inside in members]
    return max(range(len(prices)), key=lambda j: float(values[j]) * prices[j])


def mixed(stack, first, second, target, other):
    """The mixture's loss, from the first trial's random numbers."""
    part = stack.rng("mixup")[0].beta(4, 4)
    part = max(part, 1 - part)
    x = part * first.x + (1 - part) * second.x
    wanted = part * target + (1 - part) * other
    return torch.stack(
        [-(c * z.log_softmax(0)).sum() for c, z in zip(wanted, stack.net(x).logits[0])]
    )


def slow_step(stack, b, partner):
    """Of the first trial: the objective, and the new weights, margins and prototypes."""
    sets, mu, share = b.candidates[0], stack.memory["prototypes"][0], float(stack.trade_off)
    logits, trunk = stack.net(b.x)
    z, h = logits[0], stack.net.head(trunk, "projection")[0]
    with torch.no_grad():
        keys = stack.key.head(stack.key(b.x).features, "projection")[0]
    guess = [priced(row.exp(), s, share) for row, s in zip(z.detach(), sets)]
    weights = b.weights[0].clone()
    kept = 0.95 - 0.15 * (stack.t - 1) / stack.T
    for i, s in enumerate(sets):
        if stack.t >= stack.hp.warm_up:
            weights[i] *= kept
            weights[i, priced((mu @ h[i].detach() / 0.07).softmax(0), s, share)] += 1 - kept
    filled = min(8 * stack.t, 20)
    queue, old = (stack.memory[n][0, :filled] for n in ("queue", "queue_labels"))
    labels = [*guess, *guess, *old.tolist()]
    alike = [[a for a, c in enumerate(labels) if c == labels[i] and a != i] for i in range(len(h))]
    apart = slow_contrast.supervised(h, torch.cat([h, keys, queue]), alike, 0.07)
    fitted = torch.stack([-(c * row.log_softmax(0)).sum() for c, row in zip(weights, z)])
    each = fitted + float(stack.hp.weight[0]) * apart
    each = each + mixed(stack, b, partner, weights, partner.weights[0])
    moved = slow_contrast.prototypes_one_by_one(
        mu, h.detach(), torch.tensor(guess), float(stack.hp.prototype_momentum[0])
    )
    return each.mean(), weights, slow_margins(stack, b, h.detach()), moved


def slow_margins(stack, b, h):
    """The largest share in the set over the largest outside, row by row."""
    margins = []
    for s, row in zip(b.candidates[0], h):
        c = (stack.memory["prototypes"][0] @ row / 0.07).softmax(0).tolist()
        inside = max(c[j] for j in range(stack.q) if s[j])
        outside = max((c[j] for j in range(stack.q) if not s[j]), default=0.0)
        margins.append(inside / (1e-9 + outside))
    return torch.tensor(margins, dtype=double)


def slope_of(stack, objective):
    stack.net.begin(stack.t)
    objective.sum().backward()
    return stack.net.grad.clone()


def same(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["ALIM", "ALIM:estimated"])
@pytest.mark.parametrize("t", [0, 5, 7, 13, 16, 21])
def test_an_update_is_that_of_the_formulas(name, t):
    """In the warm-up, behind it, and from the epoch on in which the trade-off is there."""
    stack = advance(stack_of(name), t)
    stack.trade_off = stack.memory["trade_off"]
    assert (stack.trade_off > 0).all() == (t >= 16)
    assert stack.hp.warm_up == 7
    batches = stack.next_batches()
    expected, weights, margins, moved = slow_step(stack, *batches)
    wanted = slope_of(stack, expected)
    objective, updates = stack.stage.step(stack, *batches)
    same(objective[0], expected.detach())
    same(slope_of(stack, objective), wanted)
    same(updates["prototypes"][0], moved)
    same(updates["weights"][0], weights)
    same(updates["margins"][0], margins)
    assert torch.equal(weights, batches[0].weights[0]) == (t < 7)


def test_the_trade_off_is_the_quantile_of_an_epochs_margins():
    """D-ALIM-2: an epoch is eight updates, of eight and a half batches; none is left out."""
    stack, seen, changed = stack_of(noise_rate=0.17), [], []
    for _ in range(32):
        before = float(stack.memory["trade_off"])
        b = stack.next_batches()[0]
        with torch.no_grad():
            h = stack.net.head(stack.net.trunk(b.x), "projection")[0]
        seen += slow_margins(stack, b, h).tolist()
        update(stack)
        now = float(stack.memory["trade_off"])
        if stack.t % 8 == 0:
            assert (stack.rows["margins"] == alim.UNSEEN).all()
            if stack.t >= 16:
                assert now == pytest.approx(min(1, sorted(seen)[int(len(seen) * 0.17)]), rel=1e-9)
            seen = []
        if now != before:
            changed.append(stack.t)
    assert changed == [16, 24, 32]


def test_d_alim_1_targets_move_and_the_trade_off_rises_and_not_in_plench():
    fixed, plench = (advance(stack_of(name, queue=16), 24) for name in ("ALIM", "ALIM:plench"))
    uniform = fixed.labels("candidates") / fixed.labels("candidates").sum(-1, keepdim=True)
    assert (fixed.rows["weights"] - uniform).abs().amax() > 0.1
    assert (fixed.memory["trade_off"] > 0).all()
    assert not plench.rows
    assert "trade_off" not in plench.memory
    assert len(plench.stages.stages) == 1
    assert plench.memory["prototypes"].any()  # they move, and nothing looks at them


@pytest.mark.parametrize("t", [0, 20])
def test_d_alim_1_the_plench_update_is_the_warm_up_for_ever(t):
    stack = advance(stack_of("ALIM:plench"), t)
    b, partner = stack.next_batches()
    logits, trunk = stack.net(b.x)
    h = stack.net.head(trunk, "projection")[0]
    with torch.no_grad():
        keys = stack.key.head(stack.key(b.x).features, "projection")[0]
    sets = [one.candidates[0].double() for one in (b, partner)]
    targets = [one / one.sum(-1, keepdim=True) for one in sets]
    fitted = torch.stack([-(c * row.log_softmax(0)).sum() for c, row in zip(targets[0], logits[0])])
    apart = slow_contrast.info_nce(h, keys, stack.memory["queue"][0], 0.07)
    each = fitted + float(stack.hp.weight[0]) * apart + mixed(stack, b, partner, *targets)
    wanted = slope_of(stack, each.mean())
    objective, updates = stack.stage.step(stack, b, partner)
    same(objective[0], each.mean().detach())
    same(slope_of(stack, objective), wanted)
    assert "weights" not in updates


def epoch_of(name):
    """The rows of an epoch's batches, (2, E, B): of the first sampler and of the second."""
    stack, ids = stack_of(name), []
    for _ in range(stack.E):
        ids.append(torch.stack([b.ids[0] for b in stack.next_batches()]))
        stack.t += 1
    return torch.stack(ids, 1)


def test_d_alim_3_both_batches_come_from_one_pass_in_plench_alone():
    for name, passes in (("ALIM", lambda x: x), ("ALIM:plench", lambda x: x.transpose(0, 1))):
        for one in passes(epoch_of(name)).reshape(2, -1):
            assert len(one.unique()) == 64, name  # a pass has no row twice
    first, second = epoch_of("ALIM").flatten(1)
    assert not torch.equal(first, second)


def test_d_alim_4_the_temperature_and_the_cap():
    """At a temperature of 1 no margin would leave [e^-2, e^2], and no trade-off fall below that."""
    stack = advance(stack_of(noise_rate=0.0), 30)
    margins = stack.rows["margins"][stack.rows["margins"] != alim.UNSEEN]
    assert margins.max() > np.exp(2)
    stack.rows["margins"][:] = 5.0
    assert float(alim.adjusted(stack, [0.5])) == 1
    assert float(alim.adjusted(stack, [0.0])) == 0  # nothing is wrong, so nothing is let in


def test_d_alim_4_the_trade_off_decides_pseudo_labels_too():
    logits = torch.tensor([[[2.0, 1.0, 0.0]]], dtype=double)
    sets = torch.tensor([[[False, True, True]]])
    price = float(np.exp(-1))
    for share, chosen in ((0.0, 1), (0.9 * price, 1), (1.1 * price, 0), (1.0, 0)):
        assert int(alim.preferred(logits, sets, torch.tensor([[share]]))) == chosen
        full = alim.preferred(logits, torch.ones_like(sets), torch.tensor([[share]]))
        assert int(full) == 0  # whatever the trade-off


def test_the_trade_off_by_hand():
    """Of ten margins, four lie below the quantile at 0.4; a row without one counts for nothing."""
    table = torch.tensor([[alim.UNSEEN, *np.linspace(0.1, 1.9, 10)]])
    stack = SimpleNamespace(E=2, B=5, n=11, rows={"margins": table}, device="cpu")
    for rate, value in ((0.4, 0.9), (0.45, 0.9), (0.05, 0.1), (0.99, 1.0), (1.0, 1.0)):
        assert float(alim.adjusted(stack, [rate])) == pytest.approx(value)


def test_margins_by_hand():
    near = torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0], [1.0, 1.0, 1.0]], dtype=double)
    sets = torch.tensor([[True, False, False], [True, True, False], [True, True, True]])
    margins = alim.margins_of(near, sets)
    np.testing.assert_allclose(margins[:2], np.exp([1, -3]), rtol=1e-7)
    np.testing.assert_allclose(margins[2], 1e9 / 3)  # a full set has nothing outside


@pytest.mark.parametrize("gap", [50.0, 200.0])
def test_d_alim_5_a_mixture_of_a_certain_network_is_finite(gap):
    """D-NUM-1: the logarithm of a softmax that underflows is -inf."""
    logits = torch.tensor([[[gap, 0.0]]], requires_grad=True)
    asked = SimpleNamespace(net=SimpleNamespace(mixed=lambda x, mix: Output(logits, mix(x))))
    x, target = torch.zeros(1, 1, 3), torch.tensor([[[0.25, 0.75]]])
    value = alim.mixed_loss(asked, torch.ones(1, 1), x, x, target, target)
    value.sum().backward()
    assert value.item() == pytest.approx(0.75 * gap)
    np.testing.assert_allclose(logits.grad[0, 0], [0.75, -0.75], rtol=1e-5)
    assert bool((logits.detach().softmax(-1).log() * target).isfinite().all()) == (gap < 100)


def test_trials_have_trade_offs_of_their_own():
    rates = [0.1, 0.6]
    stack = stack_of(trials=(0, 1))
    for hyper, rate in zip(stack.hyper, rates):
        hyper["noise_rate"] = rate
    advance(stack, 16)
    low, high = stack.memory["trade_off"].flatten().tolist()
    assert 0 < low < high <= 1


@pytest.mark.parametrize("name", ["ALIM", "ALIM:plench", "ALIM:estimated"])
@pytest.mark.parametrize(
    "sets",
    [
        lambda data: np.ones((data.n, data.q), bool),  # all full
        lambda data: np.arange(data.q) == (data.truth[:, None] + 1) % data.q,  # without the truth
        lambda data: np.tile(np.arange(data.q) < 2, (data.n, 1)),  # five classes never predicted
    ],
)
@pytest.mark.parametrize("batch", [1, 4, 30])
def test_odd_sets_and_small_batches_are_learned_from(name, sets, batch):
    """Four rows are fewer than the classes; one alone has its key as the only positive."""
    stack = stack_of(name, (0, 1), replace(DATA, candidates=sets(DATA)), batch=batch, steps=12)
    advance(stack, 12)
    assert stack.diverged_at == [None, None]
    for tensor in stack.changing().values():
        assert tensor.isfinite().all()
