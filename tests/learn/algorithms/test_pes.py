"""PES's stages and its choice of rows, against slow versions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.data.labels.labelled import Labelled
from candidly.ground.seeds import draw
from candidly.learn.algorithms import pes
from candidly.learn.engine.train import update
from candidly.learn.views import gaussian_noise
from learn.algorithms.slow import softmax

from toys import advance, make_stack, toy


def parameters(stack):
    return {name: leaf.detach().clone() for name, leaf in stack.net.parameters.items()}


# stages


@pytest.mark.parametrize(
    ("name", "ends", "frozen"),
    [
        ("pes", [6, 17, 60], [("w1", "b1")]),
        ("pes:deep", [6, 17, 25, 60], [("w1", "b1"), ("w1", "b1", "w_more", "b_more")]),
    ],
)
def test_later_layers_start_anew_and_are_trained_alone(name, ends, frozen):
    # 60 (1 - 0.9 (1 - 0.2)^i) is 6, 16.8 and 25.4
    stack = make_stack(toy(), name, dtype=torch.float32)
    assert stack.stages.ends == ends
    for (start, end), still in zip(pairwise(ends), frozen):
        advance(stack, start - stack.t)
        before = parameters(stack)
        update(stack)
        count = {int(o.count) for o in stack.movers.optimisers.values()}
        assert count == {1}
        for parameter, leaf in parameters(stack).items():
            kept = parameter in still
            assert torch.equal(leaf, before[parameter]) == kept, parameter
            if not kept and parameter[0] == "w":  # another draw, not an update away
                assert (leaf - before[parameter]).abs().mean() > 0.03, parameter
        advance(stack, end - stack.t)
        for parameter in still:
            assert torch.equal(parameters(stack)[parameter], before[parameter]), parameter
    before = parameters(stack)
    advance(stack, 3)
    for parameter, leaf in parameters(stack).items():  # then all of it moves
        assert not torch.equal(leaf, before[parameter]), parameter
    assert set(stack.movers.optimisers) == {"net"}


def test_until_the_first_renewal_it_is_cross_entropy():
    ours, plain = (advance(make_stack(toy(), name), 6) for name in ("pes", "ce"))
    torch.testing.assert_close(ours.net.flat, plain.net.flat, rtol=1e-10, atol=1e-12)


# confident rows


def slow_weights(counts, cap):
    there = [n for n in counts if n]
    return [min(cap, sum(there) / len(there) / n) if n else 0 for n in counts]


@pytest.mark.parametrize("counts", [[10, 5, 1], [4, 0, 4], [0, 0, 0], [100, 1, 0]])
@pytest.mark.parametrize("cap", [3.0, 1e9])
def test_classes_weigh_the_mean_count_over_their_own(counts, cap):
    ours = pes.class_weights(torch.tensor(counts, dtype=torch.float64), cap)
    np.testing.assert_allclose(ours, slow_weights(counts, cap) if any(counts) else 0)


def test_rows_are_confident_where_the_label_is_the_most_probable_class():
    probs = torch.tensor([[0.6, 0.4], [0.6, 0.4], [0.1, 0.9]])
    assert pes.confident(probs, torch.tensor([0, 1, 1])).tolist() == [True, False, True]
    assert pes.confident(probs, torch.tensor([1, 1, 0])).tolist() == [True] * 3  # else no row is


def test_the_last_stage_is_its_text():
    stack = advance(make_stack(toy(), "pes", lr=3e-3, cap=1.5), 17)
    sets = []
    for _ in range(20):
        if stack.t == 17 or stack.t % stack.E == 0:
            chosen, weights = slow_selection(stack)
            sets.append(chosen)
        entering = stack.t == 17  # the choice is yet to be made
        stack.mean_loss()
        if not entering:
            b = stack.next_batches()[0]
            expected = slow_losses(stack, b, chosen, weights)
        update(stack)
        if entering:
            torch.testing.assert_close(stack.memory["weights"], weights)
            continue
        np.testing.assert_allclose(stack.mean_loss(), expected, rtol=1e-8)
    assert any(not torch.equal(a, b) for a, b in pairwise(sets))


def slow_selection(stack):
    """Which rows are confident, and their classes' weights, row by row."""
    chosen, weights = [], []
    for k in range(stack.K):
        x = stack.examples.inputs[stack.index[k]]
        x = (x - stack.scaling[0][k]) * stack.scaling[1][k]
        total = np.zeros((stack.n, stack.q))
        for which in range(2):
            rng = draw(stack.seeds[k], f"whole weak {which}", stack.t)
            seen = gaussian_noise(x, rng, stack.hyper[k]["view_noise"])
            total += [softmax(z) for z in stack.net.of_trial(k, seen[None]).logits[0].tolist()]
        given = stack.labels("given")[k].tolist()
        mine = [int(p.argmax()) == y for p, y in zip(total / 2, given)]
        counts = [sum(c for c, y in zip(mine, given) if y == j) for j in range(stack.q)]
        chosen.append(mine)
        weights.append(slow_weights(counts, stack.hyper[k]["cap"]))
    return torch.tensor(chosen), torch.tensor(weights, dtype=torch.float64)


def slow_losses(stack, batch, chosen, weights):
    losses = []
    for k in range(stack.K):
        assert chosen[k][batch.ids[k]].all()
        logits = stack.whole(k).logits[batch.ids[k]].tolist()
        labels = batch.given[k].tolist()
        w = weights[k, batch.given[k]].numpy()
        nats = [-np.log(softmax(z)[y]) for z, y in zip(logits, labels)]
        losses.append((w * nats).sum() / w.sum())
    return losses


def test_without_noise_both_views_are_the_inputs_themselves():
    stack = advance(make_stack(toy(), "pes", view_noise=0.0), 18)
    before = advance(make_stack(toy(), "pes", view_noise=0.0), 17)
    for k in range(3):
        expected = before.whole(k).logits.argmax(1) == stack.labels("given")[k]
        assert torch.equal(stack.rows["confident"][k], expected)


def test_a_class_that_is_lost_weighs_nothing_and_an_empty_choice_is_all_rows():
    # the middle trial: a network that only ever says class 0, which nobody, or hardly anybody, has
    data = toy()
    for share, kept in ((0.0, "all"), (0.1, "few")):
        given = np.array(data.given)
        mine = make_stack(data, "pes").index[1].numpy()
        given[mine] = 1 + np.arange(len(mine)) % (data.q - 1)
        given[mine[: int(share * len(mine))]] = 0
        stack = make_stack(
            Labelled(inputs=data.inputs, classes=data.classes, given=given), "pes", lr=0.0
        )
        advance(stack, 17)
        stack.net.parameters["b2"].data[1, 0, 0] = 1e3
        advance(stack, 8)
        confident, weights = stack.rows["confident"][1], stack.memory["weights"][1]
        assert stack.diverged_at == [None] * 3
        if kept == "all":
            assert confident.all()
            assert weights[0] == 0
            assert (weights[1:] > 0).all()
        else:
            assert torch.equal(confident, stack.labels("given")[1] == 0)
            assert weights.tolist() == [1] + [0] * 6
            assert (stack.next_batches()[0].given[1] == 0).all()


@pytest.mark.parametrize(("what", "value"), [("first", 1), ("refine", -0.1), ("cap", 0)])
def test_values_that_mean_nothing_are_refused(what, value):
    with pytest.raises(ValueError, match=f"pes's {what} is {value}"):
        fit(toy(), "pes", steps=1, **{what: value})
