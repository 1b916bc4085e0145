"""PiCO+ against loops written from the formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from candidly.learn.algorithms import algorithm, pico_plus
from candidly.learn.engine.train import update
from learn.algorithms import slow_contrast

from toys import advance, make_stack, toy

double = torch.float64
DATA = toy(n=84, seed=8)  # 68 training rows, eight batches of eight in an epoch


def stack_of(name="PiCO+", trials=(0,), data=DATA, **hyper):
    return make_stack(data, name, trials, **{"batch": 8, "queue": 20} | hyper)


def best_of(values, members) -> int:
    """The member of the largest value, the first of equals."""
    return max(np.flatnonzero(members).tolist(), key=lambda j: float(values[j]))


def slow_positives(i, labels, trusted, pool, h, count):
    """The entries that the first contrast draws the i-th row to, of 2 B + N.

    Args:
        trusted: of every entry.
        count: of neighbours, the row itself among them; None: no neighbours yet.
    """
    key = len(h) + i
    if trusted[i]:
        chosen = {a for a, c in enumerate(labels) if c == labels[i] and trusted[a]}
    elif count is None:
        chosen = set()
    else:
        like = (pool @ h[i]).tolist()
        chosen = set(sorted(range(len(pool)), key=lambda a: -like[a])[:count])
        assert i in chosen  # nothing is nearer than itself
    return sorted((chosen | {key}) - {i})


def slow_step(stack, b):
    """Of the first trial: the objective, and the new weights, distances and prototypes."""
    hp, sets, mu = stack.hp, b.candidates[0], stack.memory["prototypes"][0]
    reliable, ur = b.reliable[0].tolist(), float(hp.unreliable_weight[0])
    logits, trunk = stack.net(b.x)
    z, h = logits[0], stack.net.head(trunk, "projection")[0]
    with torch.no_grad():
        keys = stack.key.head(stack.key(b.x).features, "projection")[0]
    fixed = h.detach()
    within = [best_of(row, s) for row, s in zip(z.detach(), sets)]
    guess = [
        w if there else best_of(row, torch.ones(stack.q))
        for w, there, row in zip(within, reliable, z.detach())
    ]
    distance = torch.stack([-mu[w] @ row for w, row in zip(within, fixed)])
    kept = [i for i, there in enumerate(reliable) if there]
    moved = slow_contrast.prototypes_one_by_one(
        mu, fixed[kept], torch.tensor(guess)[kept], float(hp.prototype_momentum[0])
    )
    filled = min(8 * stack.t, 20)
    queue, old, known = (
        stack.memory[n][0, :filled] for n in ("queue", "queue_labels", "queue_reliable")
    )
    weights = b.weights[0].clone()
    if stack.t < hp.warm_up:
        apart = slow_contrast.info_nce(h, keys, queue, 0.07)
        each = fitted(weights, z) + float(hp.weight[0]) * apart
        return each.mean(), weights, distance, moved
    phi = 0.95 - 0.15 * (stack.t - 1) / stack.T
    target = weights.clone()
    for i, s in enumerate(sets):
        weights[i] *= phi
        weights[i, best_of(mu @ fixed[i], s)] += 1 - phi
        c = (mu @ fixed[i]).softmax(0) ** (1 / float(hp.guess_temperature[0]))
        target[i] = weights[i] if reliable[i] else c / c.sum()
    pool, size = torch.cat([h, keys, queue]), len(h)
    labels, trusted = [*guess, *guess, *old.tolist()], [*reliable, *reliable, *known.tolist()]
    nearest = stack.t >= hp.neighbours_from
    count = int(stack.hyper[0]["neighbours"]) if nearest else None
    among = [slow_positives(i, labels, trusted, pool.detach(), fixed, count) for i in range(size)]
    alike = [[a for a, c in enumerate(labels) if c == labels[i] and a != i] for i in range(size)]
    share = [(float(hp.weight[0]) if r else ur) if nearest else 1.0 for r in reliable]
    apart = torch.tensor(share, dtype=double) * slow_contrast.supervised(h, pool, among, 0.07)
    apart = apart + ur * slow_contrast.supervised(h, pool, alike, 0.07)
    g = stack.rng("mixup")[0]
    part = g.beta(4, 4)
    part, order = max(part, 1 - part), g.permutation(size)
    x = part * b.x + (1 - part) * b.x[:, order]
    mixture = fitted(part * target + (1 - part) * target[order], stack.net(x).logits[0])
    objective, single = (mixture + apart).mean(), fitted(target, z)
    others = [i for i in range(size) if i not in kept]
    if kept:
        objective = objective + float(hp.reliable_weight[0]) * single[kept].mean()
    if others:
        objective = objective + ur * single[others].mean()
    return objective, weights, distance, moved


def fitted(target, z):
    return torch.stack([-(c * row.log_softmax(0)).sum() for c, row in zip(target, z)])


def slope_of(stack, objective):
    stack.net.begin(stack.t)
    objective.sum().backward()
    return stack.net.grad.clone()


def same(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["PiCO+", "PiCO+:estimated"])
@pytest.mark.parametrize("t", [0, 5, 7, 11, 15, 18])
def test_an_update_is_that_of_the_formulas(name, t):
    """In the warm-up, behind it, after rows were selected, and with neighbours."""
    stack = advance(stack_of(name), t)
    if name == "PiCO+:estimated" and t >= 8:
        stack.rows["reliable"][0, ::3] = False
    assert (stack.hp.warm_up, stack.hp.neighbours_from) == (7, 15)
    (b,) = stack.next_batches()
    assert bool(b.reliable.all()) == (t < 8)
    expected, weights, distance, moved = slow_step(stack, b)
    wanted = slope_of(stack, expected)
    objective, updates = stack.stage.step(stack, b)
    same(objective[0], expected.detach())
    same(slope_of(stack, objective), wanted)
    same(updates["prototypes"][0], moved)
    same(updates["distance"][0], distance)
    assert torch.equal(updates["queue_reliable"].values[0], b.reliable[0])
    if t >= 7:
        same(updates["weights"][0], weights)
        assert not torch.equal(weights, b.weights[0])
    else:
        assert "weights" not in updates


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.77, 1.0])
def test_after_each_epoch_the_nearest_rows_are_reliable(ratio):
    stack, changed = stack_of(pure_ratio=ratio), []
    for _ in range(24):
        before = stack.rows["reliable"].clone()
        update(stack)
        if stack.t in (8, 16, 24):
            distance = stack.rows["distance"][0].tolist()
            order = sorted(range(stack.n), key=lambda i: (distance[i], i))
            expected = np.isin(np.arange(stack.n), order[: int(stack.n * ratio)])
            np.testing.assert_array_equal(stack.rows["reliable"][0], expected)
        if not torch.equal(before, stack.rows["reliable"]):
            changed.append(stack.t)
    assert set(changed) <= {8, 16, 24}
    assert (not changed) == (ratio == 1)


def test_no_row_is_selected_before_the_warm_up_is_over():
    stack = advance(stack_of(warm_up=20, pure_ratio=0.5), 16)
    assert stack.rows["reliable"].all()
    assert not advance(stack, 8).rows["reliable"].all()


def test_d_pico_plus_1_reliable_rows_are_selected_and_not_in_plench():
    """D-PICO+-1."""
    fixed, plench = (advance(stack_of(name), 20) for name in ("PiCO+", "PiCO+:plench"))
    assert int(fixed.rows["reliable"].sum()) == int(0.7 * fixed.n)
    uniform = fixed.labels("candidates") / fixed.labels("candidates").sum(-1, keepdim=True)
    assert (fixed.rows["weights"] - uniform).abs().amax() > 0.1
    assert not plench.rows
    assert len(plench.stages.stages) == 1
    assert plench.memory["prototypes"].any()  # they move, and nothing looks at them


@pytest.mark.parametrize("t", [0, 20])
def test_the_plench_update_is_the_warm_up_for_ever(t):
    stack = advance(stack_of("PiCO+:plench"), t)
    (b,) = stack.next_batches()
    logits, trunk = stack.net(b.x)
    h = stack.net.head(trunk, "projection")[0]
    with torch.no_grad():
        keys = stack.key.head(stack.key(b.x).features, "projection")[0]
    sets = b.candidates[0].double()
    apart = slow_contrast.info_nce(h, keys, stack.memory["queue"][0], 0.07)
    each = fitted(sets / sets.sum(-1, keepdim=True), logits[0]) + stack.hp.weight[0] * apart
    wanted = slope_of(stack, each.mean())
    objective, updates = stack.stage.step(stack, b)
    same(objective[0], each.mean().detach())
    same(slope_of(stack, objective), wanted)
    assert "weights" not in updates


def test_the_seeds_of_plench_are_of_the_benchmarks_spelling():
    page = algorithm("PiCO+:plench")
    assert page.seed_name(page.version) == "PiCO_plus"
    assert algorithm("PiCO+").seed_name(1) == "PiCO+"


@pytest.mark.parametrize("count", [1, 2, 4, 100])
def test_neighbours_by_hand(count):
    """Itself counts and is left out, the key is in, and there are no more than the pool has."""
    angles = torch.tensor([0.0, 0.3, 2.0, 0.1, 3.0, 1.0, 0.2, 1.5], dtype=double)
    points = torch.stack([angles.cos(), angles.sin()], -1)
    h, rest = points[:3], points[3:]  # keys are at 0.1, 3.0 and 1.0
    own, toward = pico_plus.neighbours_of(h, rest, torch.tensor([0, 2]), count)
    nearest = {1: [3], 2: [3], 4: [3, 6, 1], 100: [1, 2, 3, 4, 5, 6, 7]}[count]
    weights = np.isin(np.arange(8), nearest) / len(nearest)
    np.testing.assert_allclose(own[0], weights[:3])
    np.testing.assert_allclose(toward[0], weights[3:] @ rest.numpy(), atol=1e-12)
    nearest = {1: [5], 2: [5, 7], 4: [5, 7, 4], 100: [0, 1, 3, 4, 5, 6, 7]}[count]
    weights = np.isin(np.arange(8), nearest) / len(nearest)
    np.testing.assert_allclose(own[1], weights[:3])
    np.testing.assert_allclose(toward[1], weights[3:] @ rest.numpy(), atol=1e-12)


def test_in_float32_a_guess_at_a_low_temperature_stays_finite():
    """D-NUM-1: c^(1 / temperature) underflows where the softmax does not."""
    stack = stack_of(guess_temperature=0.001, warm_up=0, pure_ratio=0.0, dtype=torch.float32)
    advance(stack, 20)
    assert not stack.rows["reliable"].any()
    assert stack.diverged_at == [None]
    for tensor in stack.changing().values():
        assert tensor.isfinite().all()


@pytest.mark.parametrize("name", ["PiCO+", "PiCO+:plench", "PiCO+:estimated"])
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
    odd = replace(DATA, candidates=sets(DATA))
    hyper = {"neighbours_from": 8, "warm_up": 2} | (
        {} if name == "PiCO+:estimated" else {"pure_ratio": 0.4}
    )
    stack = advance(stack_of(name, (0, 1), odd, batch=batch, steps=16, **hyper), 16)
    assert stack.diverged_at == [None, None]
    for tensor in stack.changing().values():
        assert tensor.isfinite().all()


def test_a_batch_whose_rows_all_differ_is_drawn_to_keys_alone():
    """No two rows share a pseudo-label, and the queue is empty."""
    labels, h = torch.arange(4)[None], torch.eye(4, dtype=double)[None]
    none = torch.zeros(1, 0, 4, dtype=double), torch.zeros(1, 0).long()
    for counted in (None, torch.tensor([[True, False, True, False]])):
        own, toward = pico_plus.same_label(labels, h, *none, 4, counted)
        assert not own.any()
        assert torch.equal(toward, h)
