"""disc: sets by thresholds, mixtures within them and the whole loss, against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.ground.seeds import draw
from candidly.learn.algorithms import disc
from candidly.learn.algorithms.disc import CLEAN, HARD, PURIFIED
from candidly.learn.engine.train import update
from learn.algorithms.slow import double, softmax

from toys import advance, make_stack, toy

# sets


def slow_part(p, r, y, weak, strong, sigma):
    """The set and label of one row, by the text."""
    w, s = p[y] > weak, r[y] > strong
    if w and s:
        return CLEAN, y
    if w or s:
        return HARD, y
    both = [(a + b) / 2 for a, b in zip(p, r)]
    if max(both) > min((weak + strong) / 2 + sigma, 0.9):
        return PURIFIED, both.index(max(both))
    return 0, y


def test_sets_by_hand():
    p = torch.tensor([[0.6, 0.4, 0], [0.6, 0.4, 0], [0.6, 0.4, 0], [0.96, 0, 0.04], [0.9, 0, 0.1]])
    r = torch.tensor([[0.5, 0.5, 0], [0.3, 0.7, 0], [0.6, 0.4, 0], [0.88, 0, 0.12], [0.8, 0, 0.2]])
    given = torch.tensor([0, 0, 2, 1, 1])
    weak = torch.tensor([0.5, 0.5, 0.1, 0.7, 0.3])
    strong = torch.tensor([0.4, 0.4, 0.2, 0.5, 0.3])
    # both; the weak view alone; 0.6 < 0.15 + 0.5; 0.92 > 0.9, the cap, < 0.6 + 0.5; 0.85 > 0.8
    part, label = disc.parted(p, r, given, weak, strong, 0.5)
    assert part.tolist() == [CLEAN, HARD, 0, PURIFIED, PURIFIED]
    assert label.tolist() == [0, 0, 2, 0, 0]
    lower, _ = disc.parted(p, r, given, weak, strong, 0.4)
    assert lower.tolist() == [CLEAN, HARD, PURIFIED, PURIFIED, PURIFIED]


def test_sets_are_the_definition_row_by_row():
    g = np.random.default_rng(0)
    n, q = 400, 4
    p, r = (torch.tensor(g.dirichlet(np.full(q, 0.2), n)) for _ in range(2))
    given = torch.tensor(g.integers(0, q, n))
    weak, strong = (torch.tensor(g.random(n) * 0.6) for _ in range(2))
    part, label = disc.parted(p, r, given, weak, strong, 0.3)
    table = zip(p.tolist(), r.tolist(), given.tolist(), weak.tolist(), strong.tolist())
    expected = [slow_part(*row, 0.3) for row in table]
    assert list(zip(part.tolist(), label.tolist())) == expected
    assert set(part.tolist()) == {0, CLEAN, HARD, PURIFIED}


# pairs


def test_partners_are_a_permutation_of_the_rows_inside():
    g = np.random.default_rng(1)
    inside = torch.tensor(g.random((60, 9)) < 0.6)
    inside[0], inside[1] = False, True
    order = torch.from_numpy(np.stack([g.permutation(9) for _ in range(60)]))
    found = disc.partners(inside, order)
    for flags, partner in zip(inside, found):
        rows = flags.nonzero().flatten()
        assert sorted(partner[rows].tolist()) == rows.tolist()
        assert sorted(partner.tolist()) == list(range(9))
    assert torch.equal(found[1].argsort(), order[1])  # of all, it is that permutation's inverse


def test_every_pairing_is_as_likely_as_any_other():
    g = np.random.default_rng(2)
    inside = torch.tensor([True, False, True, True, False])
    order = torch.from_numpy(np.stack([g.permutation(5) for _ in range(6000)]))
    found = disc.partners(inside.expand(6000, 5), order)[:, [0, 2, 3]]
    counts = found.unique(dim=0, return_counts=True)[1]
    assert len(counts) == 6
    assert ((counts - 1000).abs() < 150).all()  # five standard deviations of a binomial count


# a training


def views(stack, k, batch):
    """Weak and strong views of a trial's batch, from the inputs and the seeds."""
    x = batch.x[k].numpy()
    g = draw(stack.seeds[k], f"view strong {batch.name} 0", stack.t)
    return x, x + stack.hyper[k]["view_noise"] * g.standard_normal(x.shape)


def probabilities(stack, k, x):
    logits = stack.net.of_trial(k, torch.as_tensor(x)[None]).logits[0].detach()
    return [softmax(z) for z in logits.tolist()]


def test_thresholds_and_sets_follow_each_row():
    stack = make_stack(toy(), "disc", [1], momentum=0.6, sigma=0.2, lr=6e-3, view_noise=2.0)
    rows = [[[1 / stack.n, 1 / stack.n, 0, y] for y in ys.tolist()] for ys in stack.labels("given")]
    for _ in range(3 * stack.E):
        batch = stack.next_batches()[0]
        for k in range(stack.K):
            seen = [probabilities(stack, k, x) for x in views(stack, k, batch)]
            for i, y, p, r in zip(batch.ids[k].tolist(), batch.given[k].tolist(), *seen):
                weak, strong, *_ = rows[k][i]
                part, label = slow_part(p, r, y, weak, strong, 0.2)
                rows[k][i] = [
                    0.6 * weak + 0.4 * max(p),
                    0.6 * strong + 0.4 * max(r),
                    part,
                    label,
                ]
        update(stack)
    for at, name in enumerate(("weak", "strong", "part", "corrected")):
        expected = torch.tensor([[row[at] for row in own] for own in rows], dtype=double)
        ours = stack.rows[name]
        torch.testing.assert_close(ours, expected.to(ours.dtype), rtol=1e-9, atol=1e-12)
    assert stack.rows["part"].unique().tolist() == [0, CLEAN, HARD, PURIFIED]


def nats(p, y):
    return -math.log(p[y])


def gce(p, y):
    return (1 - p[y] ** 0.7) / 0.7


def slow_objective(stack, k, batch, warm):
    hyper, size = stack.hyper[k], stack.B
    given = batch.given[k].tolist()
    inputs = views(stack, k, batch)
    weak, strong = (probabilities(stack, k, x) for x in inputs)
    total = 0.0
    parts = [CLEAN if warm else stack.rows["part"][k][i].item() for i in batch.ids[k]]
    for p, r, y, part in zip(weak, strong, given, parts):
        if part == CLEAN:
            total += (nats(p, y) + nats(r, y)) / size
        if part == HARD:
            total += hyper["hard_weight"] * (gce(p, y) + gce(r, y)) / size
    if warm:
        return total
    labels = [stack.rows["corrected"][k][i].item() for i in batch.ids[k]]
    rows = [i for i in range(size) if parts[i]]
    g = draw(stack.seeds[k], "mix", stack.t)
    for x in inputs:
        share = g.beta(hyper["alpha"], hyper["alpha"]) if hyper["alpha"] else 1.0
        share = max(share, 1 - share)
        order = g.permutation(size).tolist()
        partner = dict(zip(rows, sorted(rows, key=lambda i: order[i])))
        mixed = np.stack([share * x[i] + (1 - share) * x[partner[i]] for i in rows])
        for i, p in zip(rows, probabilities(stack, k, mixed)):
            both = share * nats(p, labels[i]) + (1 - share) * nats(p, labels[partner[i]])
            total += both / len(rows)
    return total


def at(t, trials=(0, 1, 2)):
    """Behind ``t`` updates, of which 16 warm up, with rows of every set; a trial of no mixture."""
    stack = advance(make_stack(toy(), "disc", trials, hard_weight=0.3, lr=6e-3), t)
    stack.hyper[0]["alpha"] = 0.0
    g = np.random.default_rng(t)
    for name, count in (("part", 4), ("corrected", stack.q)):
        table = stack.rows[name]
        table.copy_(torch.from_numpy(g.integers(0, count, table.shape)))
    return stack


@pytest.mark.parametrize("t", [0, 9, 17, 30])
def test_the_objective_is_the_formulas(t):
    stack = at(t)
    batch = stack.next_batches()[0]
    expected = [slow_objective(stack, k, batch, t < 16) for k in range(3)]
    before = stack.loss_sum.clone()
    update(stack)
    np.testing.assert_allclose((stack.loss_sum - before).numpy(), expected, rtol=1e-9)


def test_the_gradient_is_that_of_the_formulas():
    """By central differences of the slow objective, along directions."""
    stack = at(20, [1])
    batch, flat = stack.next_batches()[0], stack.net.flat
    here, g = flat.clone(), torch.Generator().manual_seed(0)
    slopes = []
    directions = torch.randn((3, *flat.shape), generator=g, dtype=double)
    for direction in directions:
        ends = []
        for sign in (1, -1):
            flat.copy_(here + sign * 1e-6 * direction)
            ends.append(slow_objective(stack, 0, batch, False))
        slopes.append((ends[0] - ends[1]) / 2e-6)
    flat.copy_(here)
    update(stack)
    ours = [(stack.net.grad * direction).sum().item() for direction in directions]
    np.testing.assert_allclose(ours, slopes, rtol=1e-6)


def test_without_sets_nothing_is_learned_and_nothing_breaks():
    stack = make_stack(toy(), "disc", warm_up=0, lr=1e-3, weight_decay=0.0)
    before = stack.net.flat.clone()
    update(stack)
    assert stack.mean_loss() == [0, 0, 0]
    assert torch.equal(stack.net.flat, before)
    advance(stack, 20)
    assert stack.diverged_at == [None] * 3
    assert not torch.equal(stack.net.flat, before)


def test_wrong_labels_are_left_out_or_corrected():
    data = toy(n=600, spread=2.0)
    stack = make_stack(data, "disc", [0], steps=150, warm_up=4, sigma=0.3, lr=6e-3)
    advance(stack, 150)
    mine = stack.index[0].numpy()
    wrong = torch.from_numpy(data.given[mine] != data.truth[mine])
    part, label = stack.rows["part"][0], stack.rows["corrected"][0]
    clean, purified = part == CLEAN, part == PURIFIED
    assert wrong.double().mean() > 0.2
    assert wrong[clean].double().mean() < 0.1
    assert purified.sum() > 30
    assert (label[purified] == torch.from_numpy(data.truth[mine])[purified]).double().mean() > 0.9


@pytest.mark.parametrize(("what", "value"), [("momentum", 1), ("sigma", -0.1), ("hard_weight", -1)])
def test_values_that_mean_nothing_are_refused(what, value):
    with pytest.raises(ValueError, match=f"disc's {what} is {value}"):
        fit(toy(), "disc", steps=1, **{what: value})
