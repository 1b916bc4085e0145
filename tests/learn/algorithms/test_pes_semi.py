"""pes-semi: its batches, and its last stage against a slow version from the text."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.data.labels.labelled import Labelled
from candidly.ground.seeds import draw
from candidly.learn.algorithms import pes_semi
from candidly.learn.engine.train import update
from learn.algorithms.slow_mix import check_gradient, leaves, logits, seen, softmax

from toys import advance, make_stack, toy

LAST = 17  # updates done when the last stage of 60 begins: 6 and 11 before


def late(into=1, trials=(0, 1, 2), **hyper):
    return advance(make_stack(toy(), "pes-semi", trials, **hyper), LAST + into)


# the stages before


def test_up_to_the_renewal_it_is_pes_and_the_head_has_a_rate_of_its_own():
    ours, theirs = (advance(make_stack(toy(), name), 6) for name in ("pes-semi", "pes"))
    assert torch.equal(ours.net.flat, theirs.net.flat)
    slow, fast = (advance(make_stack(toy(), "pes-semi", refine_lr=r), 6) for r in (0.0, 0.5))
    for stack in (slow, fast):
        begun = stack.net.anew("net anew 6", "head")
        advance(stack, LAST - 6)
        moved = {
            name: not torch.equal(leaf, begun_leaf(stack, begun, name))
            for name, leaf in stack.net.parameters.items()
        }
        assert moved == dict.fromkeys(moved, False) | dict.fromkeys(("w2", "b2"), stack is fast)


def begun_leaf(stack, flat, name):
    rows = flat[:, stack.net.place(name)]
    return rows.view_as(stack.net.parameters[name])


def test_d_pes_1_the_frozen_variant_leaves_the_renewed_head():
    for name, still in (("pes-semi", False), ("pes-semi:frozen", True)):
        stack = advance(make_stack(toy(), name), LAST)
        before = stack.net.parameters["w2"].detach().clone()
        first = stack.net.parameters["w1"].detach().clone()
        advance(stack, 3)
        assert torch.equal(stack.net.parameters["w2"], before) == still
        assert not torch.equal(stack.net.parameters["w1"], first)


# batches


@pytest.mark.parametrize(
    ("sure", "n", "size", "expected"), [(10, 40, 32, 16), (20, 40, 32, 16), (30, 40, 32, 8)]
)
def test_at_most_half_of_a_batch_is_not_confident(sure, n, size, expected):
    rows = {"confident": torch.arange(n)[None] < sure}
    asked = SimpleNamespace(rows=rows, B=size, n=n)
    assert pes_semi.others(asked).tolist() == [expected]


def test_a_batch_has_rows_of_both_kinds_in_turn():
    stack = late(3)
    count = pes_semi.others(stack).tolist()
    there = [set() for _ in range(3)]
    while stack.t % stack.E:
        batch = stack.next_batches()[0]
        for k in range(3):
            sure = stack.rows["confident"][k][batch.ids[k]]
            assert sure.tolist() == [True] * (32 - count[k]) + [False] * count[k]
            there[k] |= set(batch.ids[k].tolist())
        update(stack)
    assert all(0 < c <= 16 for c in count)
    assert all(len(own) > 60 for own in there)


# the last stage


def noisy(stack, k, batch, _, which):
    return seen(stack, k, batch, "weak", which, stack.hyper[k]["view_noise"])


def slow_objective(stack, k, w, view=noisy, starts=LAST):
    """The objective of trial ``k`` at the next update, row by row, as a torch number."""
    batch = stack.next_batches()[0]
    hyper, q, size = stack.hyper[k], stack.q, stack.B
    ids = batch.ids[k].tolist()
    given = stack.labels("given")[k].tolist()
    sure = stack.rows["confident"][k].tolist()
    xs = [view(stack, k, batch, None, which) for which in (0, 1)]
    probs = [[softmax(z) for z in logits(w, x).tolist()] for x in xs]
    targets = []
    for place, row in enumerate(ids):
        if sure[row]:
            targets.append([float(j == given[row]) for j in range(q)])
            continue
        mean = [(a + b) / 2 for a, b in zip(probs[0][place], probs[1][place])]
        total = sum(p**2 for p in mean)
        targets.append([p**2 / total for p in mean])
    g = draw(stack.seeds[k], "mix", stack.t)
    share = g.beta(*[4 if stack.t < stack.T / 2 else 0.75] * 2, 1)[0]
    share = max(share, 1 - share)
    order = g.permutation(2 * size)
    x, targets = torch.cat(xs), targets * 2
    counts = [sum(s for s, y in zip(sure, given) if y == j) for j in range(q)]
    mean = sum(counts) / sum(c > 0 for c in counts)
    weights = [min(hyper["cap"], mean / c) if c else 0 for c in counts]
    known, unknown = [], []
    for place, partner in enumerate(order):
        mix = share * x[place] + (1 - share) * x[partner]
        target = [share * a + (1 - share) * b for a, b in zip(targets[place], targets[partner])]
        log_p = logits(w, mix[None])[0].log_softmax(-1)
        if sure[ids[place % size]]:
            known.append(-sum(v * t * p for v, t, p in zip(weights, target, log_p)))
        else:
            unknown.append(sum((p.exp() - t) ** 2 for t, p in zip(target, log_p)) / q)
    ramp = min(1.0, (stack.t - starts) / stack.E / 16)
    return sum(known) / len(known) + hyper["lambda_u"] * ramp * sum(unknown) / len(unknown)


@pytest.mark.parametrize("into", [2, 12, 30])
def test_the_objective_and_its_gradient_are_the_text(into):
    k = 1
    stack = late(into, cap=1.3, view_noise=0.2, lambda_u=75.0)
    w = leaves(stack, k)
    expected = slow_objective(stack, k, w)
    stack.mean_loss()
    update(stack)
    np.testing.assert_allclose(stack.mean_loss()[k], float(expected.detach()), rtol=1e-9)
    check_gradient(stack, k, expected, w)


def test_where_all_rows_are_confident_nothing_is_added():
    data = toy()
    given = np.zeros(data.n, dtype=int)
    data = Labelled(inputs=data.inputs, classes=data.classes, given=given)
    stack = make_stack(data, "pes-semi", lambda_u=1e9, lr=0.0)
    advance(stack, LAST)
    stack.net.parameters["b2"].data[:, 0, 0] = 50.0
    advance(stack, 8)
    assert stack.rows["confident"].all()
    assert pes_semi.others(stack).tolist() == [0, 0, 0]
    assert stack.memory["weights"][0].tolist() == [1] + [0] * 6
    assert max(stack.mean_loss()) < 1.0
    assert stack.diverged_at == [None] * 3


@pytest.mark.parametrize(("what", "value"), [("refine_lr", -1), ("lambda_u", -1), ("cap", 0)])
def test_values_that_mean_nothing_are_refused(what, value):
    with pytest.raises(ValueError, match=f"pes-semi's {what} is {value}"):
        fit(toy(), "pes-semi", steps=1, **{what: value})
