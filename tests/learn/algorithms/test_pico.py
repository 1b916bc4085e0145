"""PiCO and what contrastive pages share, against loops written from the formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from candidly.learn.algorithms import _contrast, pico
from candidly.learn.engine.train import update
from learn.algorithms import slow_contrast

from toys import advance, make_stack, toy

double = torch.float64


def directions(*shape, seed=0):
    g = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(*shape, generator=g, dtype=double), dim=-1)


def temperature(value):
    return torch.full((1, 1, 1), value, dtype=double)


@pytest.mark.parametrize("momentum", [0.99, 0.3, 0.0, 1.0])
def test_prototypes_in_closed_form_are_those_of_the_loop(momentum):
    old, h = directions(2, 5, 4), directions(2, 9, 4, seed=1)
    old[:, 3] = 0  # a class that was never predicted, and is not now
    labels = torch.tensor([[0, 1, 1, 0, 2, 1, 0, 0, 4]]).repeat(2, 1)
    moved = _contrast.moved_prototypes(old, h, labels, torch.full((2, 1), momentum, dtype=double))
    for k in range(2):
        slow = slow_contrast.prototypes_one_by_one(old[k], h[k], labels[k], momentum)
        torch.testing.assert_close(moved[k], slow, rtol=1e-12, atol=1e-12)
    assert not moved[:, 3].any()


def with_gradient(loss, f):
    f = f.clone().requires_grad_()
    each = loss(f)
    weights = torch.arange(1.0, each.numel() + 1, dtype=double).view(each.shape)
    (slope,) = torch.autograd.grad((each * weights).sum(), f)
    return each.detach(), slope


@pytest.mark.parametrize("value", [0.03, 0.07, 1.0])
@pytest.mark.parametrize("entries", [0, 6])
def test_the_supervised_contrast_and_its_gradient_are_those_of_the_loop(value, entries):
    f, keys, queue = (
        directions(1, 5, 4),
        directions(1, 5, 4, seed=1),
        directions(1, entries, 4, seed=2),
    )
    labels = torch.tensor([[2, 0, 2, 2, 1]])  # 0 and 1 have their own key alone in the batch
    queue_labels = torch.tensor([[0, 2, 2, 1, _contrast.UNSET, 0]])[:, :entries]
    pool_labels = torch.cat([labels, labels, queue_labels], 1)[0].tolist()
    positives = [
        [a for a, c in enumerate(pool_labels) if c == pool_labels[i] and a != i] for i in range(5)
    ]

    def fast(f):
        own, toward = _contrast.same_label(labels, keys, queue, queue_labels, 3)
        return _contrast.contrast(f, (keys, queue), own, toward, temperature(value))[0]

    def slow(f):
        pool = torch.cat([f, keys, queue], 1)[0]
        return slow_contrast.supervised(f[0], pool, positives, value)

    for ours, theirs in zip(with_gradient(fast, f), with_gradient(slow, f)):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("entries", [0, 7])
def test_info_nce_and_its_gradient_are_those_of_the_loop(entries):
    f, keys, queue = (
        directions(1, 4, 3),
        directions(1, 4, 3, seed=1),
        directions(1, entries, 3, seed=2),
    )
    ours = with_gradient(lambda f: _contrast.info_nce(f, keys, queue, temperature(0.07))[0], f)
    slow = with_gradient(lambda f: slow_contrast.info_nce(f[0], keys[0], queue[0], 0.07), f)
    for one, other in zip(ours, slow):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_in_float32_alike_and_opposite_features_at_the_lowest_temperature_stay_finite():
    f = normalize(torch.ones(1, 3, 4), dim=-1)
    rows = torch.cat([f, -f], 1)
    for queue in (rows, -f):
        value, slope = with_gradient(
            lambda f, queue=queue: _contrast.log_sum(f, queue, torch.full((1, 1, 1), 0.025)), f
        )
        assert value.isfinite().all()
        assert slope.isfinite().all()


def test_in_float32_losses_round_alike_wherever_in_a_stack_a_trial_lies():
    """Loops over vectors round what is left over behind the last whole one otherwise."""
    labels, last = torch.arange(16).expand(3, -1) % 3, torch.full((3, 16), 2)
    momentum, t = torch.tensor([[0.97], [0.9], [0.99]]), torch.full((3, 1, 1), 0.07)
    for seed in range(0, 80, 4):
        f, keys, queue, old = (
            directions(3, rows, 4, seed=seed + i).float() for i, rows in enumerate((16, 16, 21, 3))
        )
        own, toward = _contrast.same_label(labels, keys, queue, torch.zeros(3, 21).long(), 3)
        for function, arguments in (
            (lambda x: _contrast.exp2_(x.clone()), (old,)),
            (_contrast.info_nce, (f, keys, queue, t)),
            (lambda f, k, *rest: _contrast.contrast(f, (k,), *rest), (f, keys, own, toward, t)),
            (_contrast.moved_prototypes, (old, f, last, momentum - seed / 100)),
        ):
            together = function(*arguments)
            for k in range(3):
                alone = function(*(each[k : k + 1] for each in arguments))
                assert torch.equal(together[k], alone[0])


# the queue


def queue_stack(size, batch, trials=(0, 1)):
    return make_stack(toy(), "PiCO", trials, batch=batch, queue=size)


@pytest.mark.parametrize(("size", "batch"), [(40, 16), (32, 16), (10, 16), (16, 16)])
def test_a_queue_holds_the_last_keys(size, batch, monkeypatch):
    """Also where it is no multiple of the batch, or smaller."""
    stack, keys = queue_stack(size, batch), []
    asked = pico.features_of

    def listened(module, x):
        keys.append(asked(module, x))
        return keys[-1]

    monkeypatch.setattr(pico, "features_of", listened)
    for _ in range(6):
        update(stack)
        last = torch.cat(keys, 1)[:, -size:]
        held = _contrast.held(stack, "queue")
        assert held.shape == last.shape
        for k in range(2):
            ours, theirs = (x[k].numpy() for x in (held, last))
            assert np.array_equal(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)])


# whole updates, against the formulas


def best_of(values, members) -> int:
    """The member of the largest value, the first of equals."""
    return max(np.flatnonzero(members).tolist(), key=lambda j: float(values[j]))


def slow_step(stack, b, queue, queue_labels):
    """Of the first trial: the objective, and the new weights and prototypes."""
    sets, weights, mu = b.candidates[0], b.weights[0], stack.memory["prototypes"][0]
    logits, trunk = stack.net(b.x)
    z, h = logits[0], stack.net.head(trunk, "projection")[0]
    with torch.no_grad():
        keys = stack.key.head(stack.key(b.x).features, "projection")[0]
    guess = [best_of(row, s) for row, s in zip(z.detach(), sets)]
    new = weights.clone()
    if stack.t < stack.hp.warm_up:
        apart = slow_contrast.info_nce(h, keys, queue, 0.07)
    else:
        kept = 0.95 - 0.15 * (stack.t - 1) / stack.T
        for i, s in enumerate(sets):
            new[i] = kept * weights[i]
            new[i, best_of(mu @ h[i].detach(), s)] += 1 - kept
        labels = [*guess, *guess, *queue_labels.tolist()]
        alike = [
            [a for a, c in enumerate(labels) if c == labels[i] and a != i] for i in range(len(h))
        ]
        apart = slow_contrast.supervised(h, torch.cat([h, keys, queue]), alike, 0.07)
    fitted = torch.stack([-(c * row.log_softmax(0)).sum() for c, row in zip(new, z)])
    moved = slow_contrast.prototypes_one_by_one(
        mu, h.detach(), torch.tensor(guess), float(stack.hp.prototype_momentum[0])
    )
    return (fitted + float(stack.hp.weight[0]) * apart).mean(), new, moved


def slope_of(stack, objective):
    stack.net.begin(stack.t)
    objective.sum().backward()
    return stack.net.grad.clone()


@pytest.mark.parametrize("name", ["PiCO", "PiCO:plench"])
@pytest.mark.parametrize("t", [0, 5, 7, 13])
def test_an_update_is_that_of_the_formulas(name, t):
    """In the warm-up with an empty and a partly filled queue, and behind it with a full one."""
    stack = advance(make_stack(toy(), name, [0], batch=8, queue=50), t)
    assert stack.hp.warm_up == 7
    filled = min(8 * t, 50) if name == "PiCO" else 50
    queue, labels = (stack.memory[n][0, :filled] for n in ("queue", "queue_labels"))
    (b,) = stack.next_batches()
    expected, weights, moved = slow_step(stack, b, queue, labels)
    wanted = slope_of(stack, expected)
    objective, updates = stack.stage.step(stack, b)
    torch.testing.assert_close(objective[0], expected.detach(), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(slope_of(stack, objective), wanted, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(updates["prototypes"][0], moved, rtol=1e-9, atol=1e-9)
    if t >= 7:
        torch.testing.assert_close(updates["weights"][0], weights, rtol=1e-9, atol=1e-9)
        assert not torch.equal(weights, b.weights[0])
    else:
        assert "weights" not in updates


def test_the_key_starts_as_the_query_and_follows_it():
    stack = make_stack(toy(), "PiCO", [0, 1])
    start = stack.net.flat.clone()
    update(stack)
    m = stack.hp.key_momentum
    torch.testing.assert_close(stack.key.flat, m * start + (1 - m) * stack.net.flat)
    before = stack.key.flat.clone()
    update(stack)
    torch.testing.assert_close(stack.key.flat, m * before + (1 - m) * stack.net.flat)


def test_d_pico_1_random_rows_are_negatives_in_plench_alone():
    fixed, plench = (make_stack(toy(), name, [0]) for name in ("PiCO", "PiCO:plench"))
    assert _contrast.held(fixed, "queue").shape[1] == 0
    queue = plench.memory["queue"][0]
    torch.testing.assert_close(queue.norm(dim=0), torch.ones(8, dtype=double))  # columns
    objectives = [s.stage.step(s, *s.next_batches())[0] for s in (fixed, plench)]
    assert objectives[1] > objectives[0]  # with nothing to tell the key from, the loss is 0


@pytest.mark.parametrize("name", ["PiCO", "PiCO:plench"])
@pytest.mark.parametrize(
    "sets",
    [
        lambda data: np.ones((data.n, data.q), bool),  # all full
        lambda data: np.arange(data.q) == (data.truth[:, None] + 1) % data.q,  # without the truth
        lambda data: np.tile(np.arange(data.q) < 2, (data.n, 1)),  # five classes never predicted
    ],
)
@pytest.mark.parametrize("batch", [1, 4, 16])
def test_odd_sets_and_small_batches_are_learned_from(name, sets, batch):
    """Four rows are fewer than the classes; one alone has its key as the only positive."""
    data = toy(n=84)
    odd = replace(data, candidates=sets(data))
    stack = advance(make_stack(odd, name, [0, 1], batch=batch, steps=12), 12)
    assert stack.diverged_at == [None, None]
    for tensor in stack.changing().values():
        assert tensor.isfinite().all()
