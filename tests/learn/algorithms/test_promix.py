"""promix: its selection by hand, its objective and gradient against a slow version of the text."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
import torch

from candidly.ground.seeds import draw
from candidly.learn.algorithms import promix
from candidly.learn.algorithms._fmix import drawn_mask, drawn_masks, low_frequencies
from candidly.learn.engine.train import update
from candidly.learn.nets import mlp, with_classifier
from learn.algorithms.slow_mix import (
    check_gradient,
    double,
    features,
    leaves,
    logits,
    seen,
    softmax,
)

from toys import advance, make_stack, toy

# selection


def slow_smallest(nats, given, q, share):
    chosen = [False] * len(given)
    for j in range(q):
        own = sorted((i for i, y in enumerate(given) if y == j), key=lambda i: nats[i])
        for i in own[: max(1, math.ceil(share * len(given) / q))]:
            chosen[i] = True
    return chosen


@pytest.mark.parametrize("share", [0.0, 0.24, 0.5, 1.0])
def test_of_every_class_the_same_number_of_small_losses_is_taken(share):
    g = np.random.default_rng(0)
    given = g.choice(6, 100, p=[0.5, 0.2, 0.15, 0.1, 0.05, 0])  # nobody has the last class
    nats = np.round(g.exponential(size=100), 1)  # many are equal
    found = promix.smallest_of_classes(torch.tensor(nats), torch.tensor(given), 6, share)
    assert found.tolist() == slow_smallest(nats, given, 6, share)


def test_a_share_that_should_be_whole_is_not_rounded_up():
    given = torch.arange(60) % 10
    for share in (0.5, 0.7, 1 / 3, 0.1 + 0.2 + 0.2):  # of 6 rows: 3, 4.2, 2, 3
        count = promix.smallest_of_classes(torch.rand(60), given, 10, share).sum()
        assert count == 10 * {0.5: 3, 0.7: 5, 1 / 3: 2}.get(share, 3)


def test_base_sets_are_of_each_networks_own_losses_and_grow_over_the_ramp():
    stack = make_stack(toy(), "promix", warm_up=1, ramp=3, rho_first=0.2, rho=0.8)
    advance(stack, stack.E)
    shares = []
    for epoch in (1, 2, 3, 4):
        expected = []
        given = stack.labels("given")
        share = 0.2 + 0.6 * min(1, epoch / 3)
        for k in range(3):
            nats = [-stack.whole(k, m).logits.log_softmax(-1) for m in (0, 1)]
            rows = torch.arange(stack.n)
            own = [
                slow_smallest(each[rows, given[k]], given[k].tolist(), 7, share) for each in nats
            ]
            expected.append(torch.tensor(own).T)
        shares.append(torch.stack(expected).double().mean())
        if epoch == 1:
            update(stack)
            assert torch.equal(stack.rows["base"], torch.stack(expected))
            advance(stack, stack.E - 2)
        else:
            assert torch.equal(stack.rows["base"], torch.stack(expected))
            advance(stack, stack.E - 1)
        before = stack.rows["base"].clone()
        update(stack)
        assert not torch.equal(stack.rows["base"], before)
    assert shares[0] < shares[1] < shares[2] == shares[3]


def test_what_both_networks_are_sure_of_fills_a_batch_up_to_nine_tenths():
    # ten rows of two classes; the first network's and the second's probability of the first class
    first = [0.99, 0.98, 0.97, 0.96, 0.01, 0.99, 0.6, 0.99, 0.95, 0.5]
    second = [0.99, 0.94, 0.99, 0.99, 0.02, 0.01, 0.99, 0.985, 0.95, 0.5]
    p = torch.tensor([[[[a, 1 - a] for a in first], [[a, 1 - a] for a in second]]])
    tau = torch.tensor([[[0.9]]])
    # agreed on and sure: 0, 1, 2, 3, 4, 7, 8; by mean 0, 7, 4, 2, 3, 1, 8 (5 disagree)
    for chosen, more in (
        ([], [0, 1, 2, 3, 4, 7, 8]),  # up to nine, there are seven
        ([5, 6], [0, 1, 2, 3, 4, 7, 8]),  # just nine
        ([5, 6, 9], [0, 2, 3, 4, 7, 1]),  # six more
        ([0, 1, 5, 6, 9, 3], [7, 4, 2]),
        ([0, 1, 2, 3, 5, 6, 8, 9], [7]),
        ([0, 1, 2, 3, 4, 5, 6, 8, 9], []),  # nine there already
    ):
        mask = torch.zeros(1, 2, 10, dtype=torch.bool)
        mask[0, 0, chosen] = True
        found = promix.agreed(p, mask, tau)
        assert found[0, 0].nonzero().flatten().tolist() == sorted({*chosen, *more})
        assert found[0, 1].nonzero().flatten().tolist() == [0, 1, 2, 3, 4, 7, 8]


def test_chosen_rows_change_places_with_chosen_ones_in_every_way():
    g = torch.Generator().manual_seed(0)
    chosen = torch.rand(3, 2, 9, generator=g) < 0.5
    chosen[0, 0], chosen[0, 1] = True, False
    for _ in range(20):
        order = promix.within(chosen, torch.rand(3, 2, 9, generator=g, dtype=torch.float64))
        assert torch.equal(order.sort(-1).values, torch.arange(9).expand(3, 2, 9))
        assert torch.equal(chosen.gather(-1, order), chosen)
    three = torch.tensor([True, False, True, True])
    keys = torch.rand(6000, 4, generator=g, dtype=torch.float64)
    kinds, counts = promix.within(three.expand(6000, 4), keys).unique(dim=0, return_counts=True)
    assert len(kinds) == 6
    assert (counts - 1000).abs().max() < 150


# masks


def slow_grey(rng, high, wide):
    """A sum of waves, pixel by pixel."""
    half = wide // 2 + 1
    real, imaginary = rng.standard_normal((2, high, half))
    picture = np.zeros((high, wide))
    for u in range(high):
        for v in range(half):
            frequency = math.hypot(min(u, high - u) / high, v / wide)
            amplitude = max(frequency, 1 / max(high, wide)) ** -3 / (high * wide)
            twice = 1 if v == 0 or 2 * v == wide else 2
            for a in range(high):
                for b in range(wide):
                    angle = 2 * math.pi * (u * a / high + v * b / wide)
                    wave = real[u, v] * math.cos(angle) - imaginary[u, v] * math.sin(angle)
                    picture[a, b] += twice * amplitude * wave
    return picture


def slow_mask(rng, high, wide):
    share, up = rng.random(), rng.random() < 0.5
    grey = slow_grey(rng, high, wide)
    ones = (math.ceil if up else math.floor)(share * high * wide)
    brightest = sorted((-grey[a, b], a, b) for a in range(high) for b in range(wide))[:ones]
    mask = np.zeros((high, wide))
    for _, a, b in brightest:
        mask[a, b] = 1
    return share, mask


@pytest.mark.parametrize("sides", [(8, 8), (6, 9), (9, 6)])
def test_a_mask_is_where_a_slow_grey_picture_is_brightest(sides):
    for seed in range(3):
        grey = low_frequencies(np.random.default_rng(seed), sides)
        np.testing.assert_allclose(grey, slow_grey(np.random.default_rng(seed), *sides), atol=1e-9)
        share, mask = drawn_mask(np.random.default_rng(seed), sides)
        expected = slow_mask(np.random.default_rng(seed), *sides)
        assert share == expected[0]
        assert np.array_equal(mask, expected[1])


def test_masks_are_of_their_share_and_all_of_a_piece():
    shares, masks = drawn_masks([np.random.default_rng(seed) for seed in range(40)], 2, (16, 16))
    assert (masks.mean((-2, -1)) - shares).abs().max() < 1 / 256
    assert abs(float(shares.mean()) - 0.5) < 0.15
    edges = (masks.diff(dim=-1).abs().mean((-2, -1)))[(shares - 0.5).abs() < 0.3].mean()
    assert edges < 0.2  # 0.4 where each pixel has a coin of its own


# the second head


def test_a_second_classifier_leaves_the_first_as_it_was():
    own = mlp(5, 3, 4)
    net = with_classifier(own, "second", 3)
    before, after = (each.init(np.random.default_rng(0)) for each in (own, net))
    assert all(np.array_equal(before[name], after[name]) for name in before)
    stack = make_stack(toy(), "promix", hidden=20)
    hidden = stack.net(stack.next_batches()[0].x).features
    found = stack.net.head(hidden, "second").detach()
    for k in range(3):
        for m in range(2):
            w = {name: leaf.detach()[2 * k + m] for name, leaf in stack.net.parameters.items()}
            expected = hidden[k, m].detach() @ w["w_second"].T + w["b_second"]
            torch.testing.assert_close(found[k, m], expected)
    assert not torch.equal(stack.net.parameters["w_second"], stack.net.parameters["w2"])


# the objective


def both_heads(w, x):
    hidden = features(w, x)
    return hidden @ w["w2"].T + w["b2"], hidden @ w["w_second"].T + w["b_second"]


def slow_nats(target, z):
    return -(target * z.log_softmax(-1)).sum()


def slow_mean(values):
    return sum(values) / len(values) if values else double(0.0)


def slow_chosen(p, base, given, tau, guesses):
    """By network: the chosen rows, and those of them that have their label as target."""
    sure = [[b or row[y] > tau for b, row, y in zip(base[m], p[m], given)] for m in (0, 1)]
    chosen = [list(own) for own in sure]
    for m in (0, 1) if guesses else ():
        free = int(0.9 * len(given)) - sum(sure[m])
        both = [
            i
            for i in range(len(given))
            if not sure[m][i]
            and min(max(p[0][i]), max(p[1][i])) > tau
            and np.argmax(p[0][i]) == np.argmax(p[1][i])
        ]
        for i in sorted(both, key=lambda i: -(max(p[0][i]) + max(p[1][i])))[: max(0, free)]:
            chosen[m][i] = True
    return chosen, sure


def noisy(stack, k, batch, view):
    name = {"weak": "view_noise", "strong": "strong_noise"}[view]
    return seen(stack, k, batch, view, 0, stack.hyper[k][name])


def slow_objective(stack, k, ws, view=noisy, sides=None, dropped=False):
    """By network the objective at the next update, the means after it, and how many are guessed."""
    batch, hyper, old = stack.next_batches()[0], stack.hyper[k], stack.memory["means"][k]
    ids = batch.ids[k].tolist()
    given = stack.labels("given")[k][batch.ids[k]].tolist()
    seen = [view(stack, k, batch, name) for name in ("weak", "strong")]
    z = [logits(w, seen[0]).tolist() for w in ws]
    p = [[softmax(row) for row in each] for each in z]
    base = [[bool(stack.rows["base"][k, row, m]) for row in ids] for m in (0, 1)]
    guesses = stack.t >= hyper["guess"] * stack.T
    chosen, sure = slow_chosen(p, base, given, hyper["tau"], guesses)
    at, r = (stack.seeds[k], stack.t), hyper["mean_momentum"]
    keys, shares, patches = (draw(at[0], name, at[1]) for name in ("mix", "share", "fmix"))
    keys, patches = keys.random((2, stack.B)), patches.random((2, stack.B))
    shares, masks = shares.beta(4, 4, 2), draw(at[0], "mask", at[1])
    epoch = stack.t // stack.E
    v, u = (min(1, epoch / (times * hyper["ramp"])) for times in (1, 2))
    u = 0 if dropped and u == 1 else u
    objectives, means = [], old.clone()
    for m in (0, 1):
        bias = hyper["debias"] * old[m].log()
        target, soft = slow_targets(z[m], bias, given, sure[m])
        whole = list(range(stack.B))
        taken, left = ([i for i in whole if chosen[m][i] == kind] for kind in (True, False))
        mixes = []
        share = max(shares[m], 1 - shares[m])
        mixes.append(slow_mixed(seen[0], target, taken, keys[m], share, share))
        if sides:
            share, mask = slow_mask(masks, *sides[1:])
            mask = double(np.tile(mask.ravel(), sides[0]))
            mixes.append(slow_mixed(seen[0], target, taken, patches[m], share, mask))
        of_both = partial(slow_both, ws[m], taken, bias[0])
        of_second = partial(slow_second, ws[m], left, bias[1], soft)
        more = of_both(seen[1], target) + sum(of_both(*mix) for mix in mixes)
        apart = of_second(seen[0]) + v * of_second(seen[1])
        objectives.append(of_both(seen[0], target) + v * more + hyper["lambda_u"] * u * apart)
        for kind, some in enumerate((taken, left)):
            if some:
                mean = double(np.mean([p[m][i] for i in some], 0))
                means[m, kind] = r * old[m, kind] + (1 - r) * mean
    return objectives, means, sum(map(sum, chosen)) - sum(map(sum, sure))


def slow_targets(z, bias, given, sure):
    """By row, what the chosen ones are taught, and the others."""
    target, soft = [], []
    for row, y, own in zip(z, given, sure):
        label = y if own else int((double(row) - bias[0]).argmax())
        target.append(double([float(j == label) for j in range(len(row))]))
        squares = double([e**2 for e in softmax((double(row) - bias[1]).tolist())])
        soft.append(squares / squares.sum())
    return target, soft


def slow_mixed(x, target, taken, keys, share, mask):
    """Chosen rows and whoever stands at their place when they are sorted by their keys."""
    mixed, wanted = x.clone(), list(target)
    for i, j in zip(taken, sorted(taken, key=lambda i: keys[i])):
        mixed[i] = mask * x[i] + (1 - mask) * x[j]
        wanted[i] = share * target[i] + (1 - share) * target[j]
    return mixed, wanted


def slow_both(w, taken, bias, x, wanted):
    """The mean cross-entropy of the chosen rows under each of the two heads, added up."""
    return sum(
        slow_mean([slow_nats(wanted[i], head[i] + bias) for i in taken])
        for head in both_heads(w, x)
    )


def slow_second(w, left, bias, soft, x):
    return slow_mean([slow_nats(soft[i], both_heads(w, x)[1][i] + bias) for i in left])


def check_update(stack, k, **how):
    ws = [leaves(stack, k, m) for m in (0, 1)]
    objectives, means, guessed = slow_objective(stack, k, ws, **how)
    stack.mean_loss()
    update(stack)
    total = float(sum(objectives).detach())
    assert stack.mean_loss()[k] == pytest.approx(total, rel=1e-9)
    for m in (0, 1):
        check_gradient(stack, k, objectives[m], ws[m], m)
    torch.testing.assert_close(stack.memory["means"][k], means, rtol=1e-9, atol=0)
    return guessed


HYPER = {"tau": 0.5, "lambda_u": 3.0, "mean_momentum": 0.9, "lr": 0.01, "rho": 0.4}


@pytest.mark.parametrize(
    ("name", "into"), [("promix", 10), ("promix", 45), ("promix:released", 45)]
)
def test_the_objective_and_its_gradient_are_the_text(name, into):
    stack = make_stack(toy(), name, warm_up=1, ramp=4, **HYPER)
    advance(stack, into)
    assert stack.E == 8
    skewed = torch.randn(2, 2, 7, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    stack.memory["means"][0] = (9 * skewed).softmax(-1)  # as behind many more updates
    guessed = check_update(stack, 0)  # of 60 updates guesses begin with the 35th
    assert (guessed > 0) == (into == 45)


def test_d_promix_1_released_drops_the_others_once_their_weight_has_grown():
    for into, same in ((16, True), (33, False)):  # two ramps are four epochs of eight updates
        fixed, released = (
            advance(make_stack(toy(), name, [1], warm_up=1, ramp=2, **HYPER), into)
            for name in ("promix", "promix:released")
        )
        advance(fixed, 1), advance(released, 1)
        assert torch.equal(fixed.net.flat, released.net.flat) == same
    stack = advance(make_stack(toy(), "promix:released", [0], warm_up=1, ramp=2, **HYPER), 34)
    check_update(stack, 0, dropped=True)


@pytest.mark.parametrize("kind", ["none", "all"])
def test_empty_sets_have_no_loss_and_move_no_mean(kind):
    stack = make_stack(toy(), "promix", warm_up=0, ramp=1, tau=1.0, mean_momentum=0.5)
    update(stack)
    stack.rows["base"][:] = kind == "all"
    before = stack.memory["means"].clone()
    update(stack)
    moved = (stack.memory["means"] != before).any(-1)
    assert moved.all((0, 1)).tolist() == [kind == "all", kind == "none"]
    assert moved.any(1).any(0).tolist() == [kind == "all", kind == "none"]
    assert stack.diverged_at == [None] * 3
