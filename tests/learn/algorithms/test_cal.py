"""cal: distilled labels and the corrected loss, against loops over the formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.learn.algorithms import algorithm, cal
from candidly.learn.engine.train import update
from learn.algorithms.slow import double, softmax

from toys import advance, make_stack, toy

Q, B = 4, 9


def bounded(p):
    return -math.log(p + 1e-5)


@pytest.fixture
def batch():
    g = np.random.default_rng(0)
    logits = torch.tensor(g.normal(size=(B, Q)) * 3)
    given = torch.tensor(g.integers(0, Q, B))
    distilled = torch.tensor([0, 0, 1, 1, 1, 3, 3, 3, 3])  # none is 2
    means = torch.tensor(g.dirichlet(np.ones(Q), Q))
    return logits, given, distilled, means, torch.tensor(g.dirichlet(np.ones(Q)))


# the loss


def test_the_regularised_loss_is_the_definition(batch):
    logits, given, *_, prior = batch
    for alpha in (0.0, 0.7, 2.0):
        expected = []
        for z, y in zip(logits.tolist(), given.tolist()):
            p = softmax(z)
            expected.append(
                -math.log(p[y]) - alpha * sum(prior[j] * bounded(p[j]) for j in range(Q))
            )
        ours = cal.regularised(logits, given, cal.bounded(logits), prior, alpha)
        torch.testing.assert_close(ours, torch.tensor(expected, dtype=double), rtol=1e-12, atol=0)


def published_correction(logits, given, distilled, means, prior, before):
    """The published form: a (q, q, B) tensor of T_i - T, and the losses less last epoch's means."""
    q, size = means.shape[0], len(given)
    costs = -(torch.softmax(logits, -1) + 1e-5).log()
    total = torch.zeros((), dtype=double)
    for c in range(q):
        rows = [i for i in range(size) if distilled[i] == c]
        for j in range(q):
            for i in rows:
                apart = float(given[i] == j) - means[c, j]
                total = total + prior[c] / len(rows) * apart * (costs[i, j] - before[c, j])
    return total


def test_the_correction_is_the_loop_over_classes_and_rows(batch):
    zero = torch.zeros(Q, Q, dtype=double)
    ours = cal.correction(cal.bounded(batch[0]), *batch[1:])
    torch.testing.assert_close(ours, published_correction(*batch, zero), rtol=1e-10, atol=1e-12)


def test_last_epochs_means_move_no_parameter(batch):
    logits, *rest = batch
    g = np.random.default_rng(1)
    ours = logits.clone().requires_grad_()
    cal.correction(cal.bounded(ours), *rest).backward()
    for before in (torch.zeros(Q, Q, dtype=double), torch.tensor(g.normal(size=(Q, Q)) * 5)):
        theirs = logits.clone().requires_grad_()
        published_correction(theirs, *rest, before).backward()
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-9, atol=1e-12)
    assert ours.grad.abs().max() > 1e-3


def test_over_all_rows_the_correction_is_the_covariance():
    """Of which label is given and what it costs, under each distilled label."""
    g = np.random.default_rng(2)
    n, q = 200, 3
    logits = torch.tensor(g.normal(size=(n, q)))
    given, distilled = torch.tensor(g.integers(0, q, n)), torch.tensor(g.integers(0, q, n))
    costs = cal.bounded(logits)
    means = cal.from_counts(distilled, given, q, double)
    prior = torch.bincount(distilled, minlength=q).to(double) / n
    expected = 0.0
    for c in range(q):
        of = (distilled == c).numpy()
        for j in range(q):
            flags = (given.numpy()[of] == j).astype(float)
            table = np.cov(flags, costs.numpy()[of, j], bias=True)
            expected += float(prior[c]) * table[0, 1]
    ours = float(cal.correction(costs, given, distilled, means, prior))
    assert ours == pytest.approx(expected, rel=1e-9)


def test_less_the_correction_a_row_has_all_given_labels_of_its_distilled_one():
    g = np.random.default_rng(3)
    n, q = 120, 3
    costs = cal.bounded(torch.tensor(g.normal(size=(n, q))))
    given, distilled = torch.tensor(g.integers(0, q, n)), torch.tensor(g.integers(0, q, n))
    means = cal.from_counts(distilled, given, q, double)
    prior = torch.bincount(distilled, minlength=q).to(double) / n
    own = np.mean([costs[i, y] for i, y in enumerate(given)])
    left = own - float(cal.correction(costs, given, distilled, means, prior))
    shared = [float(means[d] @ costs[i]) for i, d in enumerate(distilled)]
    assert left == pytest.approx(np.mean(shared), rel=1e-9)


def test_a_correction_by_hand():
    # class 0: given 0, 0, 1; the third costs 1 more for 1 than for 0. class 1: given is distilled
    costs = torch.tensor([[0.0, 2.0], [0.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=double)
    given, distilled = torch.tensor([0, 0, 1, 1]), torch.tensor([0, 0, 0, 1])
    means = torch.tensor([[2 / 3, 1 / 3], [0, 1]], dtype=double)
    prior = torch.tensor([0.75, 0.25], dtype=double)
    # rows: 0 - 2/3, 0 - 2/3, 4 - (2 + 4/3), 6 - 6; mean of the first three, times 3/4
    expected = 0.75 * (-2 / 3 - 2 / 3 + 2 / 3) / 3
    assert float(cal.correction(costs, given, distilled, means, prior)) == pytest.approx(expected)
    # where each distilled label comes with one given label, there is nothing to correct
    same = cal.correction(costs, distilled, distilled, torch.eye(2, dtype=double), prior)
    assert float(same) == 0


def test_what_is_subtracted_is_bounded_and_pushes_no_further():
    logits = torch.tensor([[60.0, 0, 0, 0]], dtype=double, requires_grad=True)
    prior = torch.full((4,), 0.25, dtype=double)
    loss = cal.regularised(logits, torch.tensor([0]), cal.bounded(logits), prior, 2.0)
    assert float(loss.detach()) == pytest.approx(-2 * 0.75 * math.log(1e5), rel=1e-4)
    loss.sum().backward()
    assert logits.grad.abs().max() < 1e-12


# distilled labels


def test_a_label_is_kept_below_the_threshold_and_else_the_prediction():
    logits = torch.tensor([[12.0, 0, 0], [11.9, 0, 0], [12.0, 0, 0], [0.0, 1, 0]], dtype=double)
    given = torch.tensor([0, 0, 1, 2])
    # -log p_y less the mean is -(2/3) 12 = -8 for the label of the first row, 4 for another one
    assert cal.distil(logits, given, -7.99).tolist() == [0, 0, 0, 1]
    logits = torch.tensor([[1.0, 1.5, 0.0], [1.0, 1.5, 0.0], [0.0, 0.2, 0.0]], dtype=double)
    given = torch.tensor([0, 2, 0])
    # mean logits are 5/6, 5/6, 1/15: margins -1/6, 5/6, 1/15
    assert cal.distil(logits, given, 0.0).tolist() == [0, 1, 1]
    assert cal.distil(logits, given, 1.0).tolist() == [0, 2, 0]
    assert cal.distil(logits, given, -8.0).tolist() == [1, 1, 1]


def test_distilled_labels_and_their_tables_are_counted_at_the_end_of_the_first_phase():
    thresholds = (-8.0, 0.0, -0.5)  # configurations draw; here each trial has its own
    stack = make_stack(toy(), "cal")
    stack.hp.threshold[:, 0] = torch.tensor(thresholds, dtype=double)
    advance(stack, 24)
    first = [stack.whole(k).logits.tolist() for k in range(3)]
    before = stack.net.flat.clone()
    update(stack)
    for k in range(3):
        given, distilled = stack.labels("given")[k].tolist(), []
        for z, y in zip(first[k], given):
            nats = [-math.log(p) for p in softmax(z)]
            kept = nats[y] - sum(nats) / stack.q < thresholds[k]
            distilled.append(y if kept else int(np.argmin(nats)))
        assert stack.rows["distilled"][k].tolist() == distilled
        pairs = list(zip(distilled, given))
        for c in range(stack.q):
            own = distilled.count(c)
            assert stack.memory["distilled_prior"][k, c] == pytest.approx(own / stack.n)
            for j in range(stack.q):
                expected = pairs.count((c, j)) / own if own else float(c == j)
                assert stack.memory["means"][k, c, j] == pytest.approx(expected)
    assert stack.rows["distilled"][1].ne(stack.labels("given")[1]).any()
    # a network of its own, not an update away, and moments of its own
    assert {int(each.count) for each in stack.movers.optimisers.values()} == {1}
    for name in ("w1", "w2"):
        at = stack.net.place(name)
        assert (stack.net.flat[:, at] - before[:, at]).abs().mean() > 0.03, name


# the phases


def test_priors_are_shares_of_the_given_labels_and_their_roots():
    stack = make_stack(toy(), "cal")
    for k in range(3):
        counts = np.bincount(stack.labels("given")[k], minlength=stack.q)
        roots = np.sqrt(counts / counts.sum())
        np.testing.assert_allclose(stack.constants["prior"][k], counts / counts.sum())
        np.testing.assert_allclose(stack.constants["root_prior"][k], roots / roots.sum())


def slow_objective(stack, k, batch, alpha, prior, corrected):
    logits = stack.net.of_trial(k, batch.x[k][None]).logits[0].detach()
    total = 0.0
    for z, y in zip(logits.tolist(), batch.given[k].tolist()):
        p = softmax(z)
        taken = sum(float(prior[k, j]) * bounded(p[j]) for j in range(stack.q))
        total += (-math.log(p[y]) - alpha * taken) / stack.B
    if corrected:
        total -= float(
            published_correction(
                logits,
                batch.given[k],
                stack.rows["distilled"][k][batch.ids[k]],
                stack.memory["means"][k],
                stack.memory["distilled_prior"][k],
                torch.zeros(stack.q, stack.q, dtype=double),
            )
        )
    return total


PARTS = {
    # updates done, of 60 of which the first 24 are the first phase, and alpha's share there
    "cal": [
        (0, 0),
        (3, 0),
        (12, (65 / 2 - 10) / 30),
        (20, 1),
        (25, 0),
        (34, (1000 / 36 - 10) / 30),
        (50, 1),
    ],
    # eight updates an epoch: phases of 2 and 5.5 epochs, alpha from epoch 0 to 2
    "cal:epochs": [(0, 0), (7, 0), (8, 1 / 2), (15, 1 / 2), (17, 0), (27, 1 / 2), (35, 1)],
}


@pytest.mark.parametrize("name", PARTS)
def test_the_objective_of_an_update_is_the_formulas(name):
    stack = make_stack(toy(), name)
    end, checked = stack.stages.ends[0], 0
    for t, share in PARTS[name]:
        advance(stack, t - stack.t)
        batch = stack.next_batches()[0]
        late = t >= end
        prior = stack.constants["prior" if late else "root_prior"]
        expected = [
            slow_objective(
                stack,
                k,
                batch,
                share * stack.hyper[k]["alpha" if late else "alpha_sieve"],
                prior,
                late,
            )
            for k in range(3)
        ]
        before = stack.loss_sum.clone()
        update(stack)
        np.testing.assert_allclose((stack.loss_sum - before).numpy(), expected, rtol=1e-9)
        checked += late
    assert checked == 3


def test_without_alphas_and_corrections_both_phases_are_cross_entropy():
    ours = make_stack(toy(), "cal", alpha=0.0, alpha_sieve=0.0, first=0.5)
    plain = make_stack(toy(), "ce")
    torch.testing.assert_close(advance(ours, 29).net.flat, advance(plain, 29).net.flat)


def test_the_published_rate_falls_in_each_phase_and_is_divided_by_one_and_alpha():
    stack = make_stack(toy(), "cal:epochs", drop=1)
    factors = {}
    for t in range(40):
        rate = stack.movers.rate(stack.stage)(stack)
        factors[t] = rate.tolist()
        stack.t += 1
    for k, hyper in enumerate(stack.hyper):
        for t, epoch, cap in (
            (0, 0, "alpha_sieve"),
            (7, 0, "alpha_sieve"),
            (8, 1, "alpha_sieve"),
            (16, 0, "alpha"),
            (25, 1, "alpha"),
            (39, 2, "alpha"),
        ):
            alpha = hyper[cap] * epoch / 2
            expected = (0.1 if epoch >= 1 else 1) / (1 + alpha)
            assert factors[t][k] == pytest.approx(expected)


def test_alpha_grows_over_the_published_epochs():
    """0 up to epoch 10, by a thirtieth after each epoch, all from epoch 40 on."""
    space = algorithm("cal:epochs").settings()
    assert {name: space[name].default for name in ("sieving", "plain", "growth", "drop")} == {
        "sieving": 65,
        "plain": 10,
        "growth": 30,
        "drop": 60,
    }
    scheduled, alpha = [], 0.0
    for epoch in range(65):
        scheduled.append(alpha)
        alpha += 2 / 30 if 10 <= epoch < 40 else 0
    ours = [2 * cal.grown(epoch, 10, 30) for epoch in range(65)]
    np.testing.assert_allclose(ours, scheduled, atol=1e-12)


@pytest.mark.parametrize(("what", "value"), [("first", 0), ("first", 1), ("alpha", -0.5)])
def test_values_that_mean_nothing_are_refused(what, value):
    with pytest.raises(ValueError, match=f"cal's {what} is {value}"):
        fit(toy(), "cal", steps=1, **{what: value})
