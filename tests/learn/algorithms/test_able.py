"""ABLE against loops over all pairs, with views that differ, and on sets that are odd."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from candidly.learn.algorithms import able, algorithm
from candidly.learn.algorithms._tensors import uniform_over
from candidly.learn.algorithms._views import View
from candidly.learn.engine.train import update
from learn.algorithms import slow_contrast
from learn.algorithms.picture_battery import stack_of as of_pictures

from toys import advance, make_stack, stack_of, toy

double = torch.float64
NOISE = {"weak": View(noise=0.3), "strong": View(noise=0.9)}  # so that a table has two views


def apart(name: str, batch=8, **how):
    return stack_of(replace(algorithm(name), views=NOISE), data=toy(n=84), batch=batch, **how)


def slow_step(s, b, k):
    """Of trial k: the objective, and the batch's new weights, pair by pair."""
    sets, temperature, count = b.candidates[k].tolist(), float(s.hp.temperature[k]), s.B
    logits, trunk = s.net(torch.cat((b.view("weak"), b.view("strong")), 1))
    z, f = logits[k, :count], s.net.head(trunk, "projection")[k]
    p = z.softmax(-1)
    plench = s.algorithm.variant == "plench"
    confidence = s.rows["weights"][k, :count] if plench else b.weights[k]
    guess = [
        max((j for j in range(s.q) if sets[i][j]), key=lambda j, i=i: z[i, j].item())
        for i in range(count)
    ]
    contrast = 0.0
    for a in range(2 * count):
        for c in range(2 * count):
            label = guess[c % count]
            if a != c and sets[a % count][label]:
                pull = float(confidence[a % count, label]) / guess.count(label)
                contrast -= pull * slow_contrast.log_share(f, f, a, c, temperature)
    contrast = temperature / 0.07 * contrast / (2 * count)
    fitted = -(b.weights[k] * p.log()).sum() / count
    new = p.detach() * b.candidates[k]
    return fitted + float(s.hp.weight[k]) * contrast, new / new.sum(-1, keepdim=True)


def slope_of(stack, objective):
    stack.net.begin(stack.t)
    objective.sum().backward()
    return stack.net.grad.clone()


@pytest.mark.parametrize("name", ["ABLE", "ABLE:plench"])
def test_updates_are_those_of_the_loop_over_all_pairs(name):
    """Four of them, of two trials with other hyper-parameters."""
    stack = apart(name, trials=(0, 1), size=5, batch=5)
    assert len(set(stack.hp.temperature[:, 0].tolist())) == 2
    for _ in range(4):
        (b,) = stack.next_batches()
        each = [slow_step(stack, b, k) for k in range(2)]
        expected = torch.stack([objective for objective, _ in each])
        wanted = slope_of(stack, expected)
        objective, updates = stack.stage.step(stack, b)
        torch.testing.assert_close(objective, expected, rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(slope_of(stack, objective), wanted, rtol=1e-9, atol=1e-9)
        weights = torch.stack([new for _, new in each])
        torch.testing.assert_close(updates["weights"], weights, rtol=1e-9, atol=1e-9)
        update(stack)
        for k in range(2):  # the table has them, and a view is drawn once
            torch.testing.assert_close(stack.rows["weights"][k, b.ids[k]], weights[k])


def test_d_able_2_the_matrix_is_the_loop_over_pairs_and_their_candidates():
    """As the released program goes: row by row, candidate by candidate, both halves."""
    sets = torch.tensor([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 1], [0, 0, 1, 0]]).bool()[None]
    weights = normalize(torch.rand(1, 4, 4, dtype=double) * sets, p=1, dim=-1)
    guess = torch.tensor([[2, 1, 2, 2]])  # class 3 is nobody's, and 0 is nobody's
    slow = torch.zeros(8, 8, dtype=double)
    for i in range(4):
        for j in range(4):
            if not sets[0, i, j]:
                continue
            said = [k for k in range(4) if guess[0, k] == j]
            for k in said:
                for row, column in ((i, k), (i + 4, k), (i, k + 4), (i + 4, k + 4)):
                    if row != column:
                        slow[row, column] += weights[0, i, j] / len(said)
    torch.testing.assert_close(able.pulls(weights, sets, guess)[0], slow)
    assert (able.pulls(weights, sets, guess).sum(-1) < 2).all()  # nobody makes up for itself


def test_d_able_1_an_anchor_pulls_by_its_own_weights_and_in_plench_by_those_of_another_row():
    for name, own in (("ABLE", True), ("ABLE:plench", False)):
        stack = apart(name, trials=(0,))
        (b,) = stack.next_batches()
        assert b.ids[0].tolist() != list(range(stack.B))
        before, _ = stack.stage.step(stack, b)
        others = torch.ones(stack.n, dtype=torch.bool).index_fill_(0, b.ids[0], False)
        others[stack.B :] = False  # of the table's first rows, those that are not in the batch
        assert others.any()
        stack.rows["weights"][0, others] /= 2
        after, _ = stack.stage.step(stack, b)
        assert torch.equal(before, after) == own


def test_the_two_views_are_one_batch():
    """So that statistics of batch norm are of both, and move once."""
    stack = advance(of_pictures("ABLE", size=3), 3)
    assert (stack.net.buffers["norm.num_batches_tracked"] == 3).all()
    views = []
    trunk = stack.net.trunk
    stack.net.trunk = lambda x: views.append(x) or trunk(x)
    (b,) = stack.next_batches()
    stack.stage.step(stack, b)
    weak, strong = views[0].split(stack.B, 1)
    assert torch.equal(weak, b.view("weak"))
    assert torch.equal(strong, b.view("strong"))
    assert not torch.equal(weak, strong)


def test_d_num_1_able_has_weights_where_the_candidates_mass_underflows():
    stack = make_stack(toy(), "ABLE", [0], dtype=torch.float32, batch=8)
    (b,) = stack.next_batches()
    with torch.no_grad():
        stack.net.parameters["w2"].mul_(4000)
    p = stack.net(b.view("weak")).logits.softmax(-1)
    quotient = p * b.candidates / (p * b.candidates).sum(-1, keepdim=True)
    assert quotient.isnan().any()  # what the released program computes
    objective, updates = stack.stage.step(stack, b)
    assert objective.isfinite().all()
    assert slope_of(stack, objective).isfinite().all()
    torch.testing.assert_close(updates["weights"].sum(-1), torch.ones(1, 8))


@pytest.mark.parametrize("name", ["ABLE", "ABLE:plench"])
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
    """Four rows are fewer than the classes; one alone has its other view to pull."""
    data = toy(n=84)
    stack = make_stack(replace(data, candidates=sets(data)), name, [0, 1], batch=batch, steps=6)
    advance(stack, 6)
    assert stack.diverged_at == [None, None]
    for tensor in stack.changing().values():
        assert tensor.isfinite().all()


def test_of_pseudo_labels_that_all_differ_each_row_pulls_its_other_view_and_rivals():
    sets = torch.ones(1, 4, 4, dtype=torch.bool)
    weights = uniform_over(sets, double)
    pull = able.pulls(weights, sets, torch.tensor([[3, 0, 2, 1]]))
    expected = (torch.ones(8, 8, dtype=double) - torch.eye(8)) / 4
    torch.testing.assert_close(pull[0], expected)
    # a row whose candidates nobody is taken for pulls nothing
    alone = torch.tensor([[[False, False, False, True]]]).expand(1, 4, 4)
    assert not able.pulls(uniform_over(alone, double), alone, torch.zeros(1, 4, dtype=int)).any()
