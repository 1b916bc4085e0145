"""Transition matrices: estimates against loops, corrections against what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from candidly import fit
from candidly.data.imperfect import transition
from candidly.data.labels.labelled import Labelled
from candidly.learn.algorithms import algorithm, backward_t, ce, t_revision, volminnet
from candidly.learn.algorithms._transition import (
    forward_loss,
    from_anchors,
    from_counts,
    inverse,
    of_symmetric_noise,
    rows_of,
)
from candidly.learn.engine.train import update
from candidly.stats.criteria import anchor_transition
from learn.algorithms.slow import double, softmax

from toys import advance, make_stack, toy

Q = 5


@pytest.fixture
def table():
    """A matrix of no symmetry that is far from singular."""
    g = np.random.default_rng(0)
    return torch.tensor(0.6 * np.eye(Q) + 0.4 * g.dirichlet(np.ones(Q), Q))


@pytest.fixture
def logits():
    return torch.tensor(np.random.default_rng(1).normal(size=(9, Q)) * 2)


# matrices


def test_counts_are_shares_of_given_labels():
    data = toy()
    labels, given = torch.tensor(data.truth), torch.tensor(data.given)
    ours = from_counts(labels, given, data.q, double)
    np.testing.assert_allclose(ours, transition(data.given, data.truth, data.q))


def test_a_label_that_no_row_has_is_given_as_itself():
    ours = from_counts(torch.tensor([0, 0, 2]), torch.tensor([0, 2, 2]), 3, double)
    assert ours.tolist() == [[0.5, 0, 0.5], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("quantile", [1.0, 0.97, 0.5])
def test_anchors_are_the_rows_at_a_quantile_of_each_class(quantile):
    probs = torch.tensor(np.random.default_rng(2).dirichlet(np.ones(Q), 101))
    ours = from_anchors(probs, quantile)
    for i in range(Q):
        ranked = sorted(range(101), key=lambda row: probs[row, i].item())
        at = max(quantile, 1 - probs[:, i].mean().item() / 2)
        torch.testing.assert_close(ours[i], probs[ranked[round(100 * at)]])


@pytest.mark.parametrize("q", [2, 10, 40, 108])
@pytest.mark.parametrize("unequal", [False, True])
def test_clean_labels_have_the_identity_however_many_classes_there_are(q, unequal):
    """A class of less than 3 % of the rows has an anchor of its own."""
    rng = np.random.default_rng(q)
    share = 1 / np.arange(1, q + 1) ** (0.7 if unequal else 0)
    truth = rng.choice(q, 6000, p=share / share.sum())
    clean = 0.98 * np.eye(q)[truth] + 0.02 * rng.dirichlet(np.ones(q), 6000)
    for found in (from_anchors(torch.tensor(clean), 0.97), anchor_transition(clean)):
        assert np.asarray(found) == pytest.approx(np.eye(q), abs=0.021)


def test_where_some_rows_are_surely_of_a_class_anchors_find_the_matrix(table):
    clean = np.concatenate([np.eye(Q), np.random.default_rng(3).dirichlet(np.ones(Q), 50)])
    torch.testing.assert_close(from_anchors(torch.tensor(clean) @ table, 1.0), table)


def test_predictions_that_are_not_finite_estimate_nothing():
    probs = torch.full((10, 3), torch.nan)
    assert torch.equal(from_anchors(probs, 0.97), torch.eye(3))


def test_symmetric_noise():
    expected = [[0.7, 0.15, 0.15], [0.15, 0.7, 0.15], [0.15, 0.15, 0.7]]
    torch.testing.assert_close(of_symmetric_noise(3, 0.3, double), torch.tensor(expected).double())


@pytest.mark.parametrize("rate", [-0.1, 1.0, 1.5, math.nan])
def test_a_noise_rate_outside_0_to_1_is_refused(rate):
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\)"):
        of_symmetric_noise(3, rate, double)


def test_the_noise_rate_at_which_labels_say_nothing_is_refused():
    with pytest.raises(ValueError, match=r"noise_rate is 0.75: with 4 classes .* below 0.75"):
        of_symmetric_noise(4, 0.75, double)
    assert of_symmetric_noise(4, 0.7, double).det() > 0


def test_the_inverse_gives_up_what_cannot_be_told_apart(table):
    torch.testing.assert_close(inverse(table), table.inverse())
    blurred = torch.tensor([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], dtype=double)
    torch.testing.assert_close(inverse(blurred), blurred)  # a projection is its own
    nearly = blurred.clone()
    nearly[0, :2] += torch.tensor([1e-6, -1e-6], dtype=double)
    assert inverse(nearly).abs().max() < 2


def test_rows_of_each_trials_own_table(table):
    labels = torch.tensor([[0, 3], [4, 4]])
    ours = rows_of(torch.stack([table, 2 * table]), labels)
    torch.testing.assert_close(ours[0], table[[0, 3]])
    torch.testing.assert_close(ours[1], 2 * table[[4, 4]])


# corrections


def test_forward_and_backward_are_their_sums(table, logits):
    given = torch.arange(9) % Q
    inverted = np.linalg.inv(table.numpy())
    forward, backward = [], []
    for z, y in zip(logits.tolist(), given.tolist()):
        p = softmax(z)
        forward.append(-math.log(sum(p[i] * table[i, y].item() for i in range(Q))))
        backward.append(sum(-inverted[y, j] * math.log(p[j]) for j in range(Q)))
    torch.testing.assert_close(forward_loss(logits, given, table), torch.tensor(forward).double())
    ours = backward_t.loss(logits, given, inverse(table))
    torch.testing.assert_close(ours, torch.tensor(backward).double())


def test_without_noise_both_are_cross_entropy(logits):
    given, itself = torch.arange(9) % Q, torch.eye(Q, dtype=double)
    expected = ce.loss(logits, given)
    torch.testing.assert_close(forward_loss(logits, given, itself), expected)
    torch.testing.assert_close(backward_t.loss(logits, given, inverse(itself)), expected)
    torch.testing.assert_close(
        t_revision.importance(logits, given, itself), torch.ones(9, dtype=double)
    )


def test_backward_averages_over_the_noise_to_the_clean_loss(table, logits):
    inverted = inverse(table)
    for label in range(Q):
        expected = ce.loss(logits, torch.full((9,), label))
        mean = sum(
            table[label, j] * backward_t.loss(logits, torch.full((9,), j), inverted)
            for j in range(Q)
        )
        torch.testing.assert_close(mean, expected)


def test_forward_has_the_clean_posterior_as_its_minimiser(table):
    clean = torch.tensor(np.random.default_rng(4).dirichlet(np.ones(Q), 6))
    noisy = clean @ table

    def slope(logits):
        logits = logits.requires_grad_()
        each = [forward_loss(logits, torch.full((6,), j), table) for j in range(Q)]
        return torch.autograd.grad((torch.stack(each, -1) * noisy).sum(), logits)[0]

    assert slope(clean.log()).abs().max() < 1e-12
    assert slope(noisy.log()).abs().max() > 1e-2


def test_importance_weights_turn_noisy_into_clean_shares():
    # with one posterior everywhere: sum_y (pT)_y w_y L_y = sum_y p_y L_y
    g = np.random.default_rng(5)
    logits = torch.tensor(g.normal(size=(1, Q)))
    table = torch.tensor(g.dirichlet(np.ones(Q), Q))
    p = logits.softmax(-1)[0]
    weights = [t_revision.importance(logits, torch.tensor([j]), table).item() for j in range(Q)]
    torch.testing.assert_close((p @ table) * torch.tensor(weights).double(), p)


def test_backward_has_a_floor():
    logits = torch.tensor([[500.0, 0, 0]], dtype=double)
    inverted = inverse(of_symmetric_noise(3, 0.3, double))
    value = backward_t.loss(logits, torch.tensor([0]), inverted)
    assert value.item() == pytest.approx(-2 * inverted[0, 1].abs() * 11 * math.log(10))


# pages


@pytest.mark.parametrize("name", ["forward-t", "backward-t", "forward-t:counts"])
def test_after_the_warm_up_the_table_is_estimated_and_a_network_starts_anew(name):
    stack = make_stack(toy(), name, steps=60)
    start = stack.net.flat.clone()
    assert stack.stages.ends[0] == 12
    advance(stack, 12)
    expected = []
    for k in range(stack.K):
        logits, given = stack.whole(k).logits, stack.labels("given")[k]
        if name.endswith("counts"):
            expected.append(from_counts(logits.argmax(1), given, stack.q, double))
        else:
            expected.append(from_anchors(logits.softmax(1), stack.hyper[k]["quantile"]))
    update(stack)
    expected = torch.stack(expected)
    if name == "backward-t":
        expected = torch.stack([inverse(each) for each in expected])
    torch.testing.assert_close(stack.memory["table"], expected)
    assert stack.movers.optimisers["net"].count == 1
    moved = (stack.net.flat - start).abs().amax(1)
    assert (moved > 0.05).all()  # other numbers than at first, not a few steps away from them
    table = stack.memory["table"].clone()
    advance(stack, 10)
    assert torch.equal(stack.memory["table"], table)


def test_an_oracle_reads_the_truth_and_says_so():
    data = toy()
    for name in ("forward-t:oracle", "backward-t:oracle"):
        page = algorithm(name)
        assert page.oracle
        assert not algorithm(name.partition(":")[0]).oracle
        stack = make_stack(data, name)
        for k in range(stack.K):
            rows = stack.index[k].numpy()
            shares = torch.tensor(transition(data.given[rows], data.truth[rows], data.q))
            expected = inverse(shares) if name.startswith("backward") else shares
            torch.testing.assert_close(stack.memory["table"][k], expected)


def test_a_declared_rate_is_the_tables():
    assert algorithm("forward-t:symmetric").told == ("noise_rate",)
    stack = make_stack(toy(), "forward-t:symmetric", noise_rate=0.3)
    torch.testing.assert_close(stack.memory["table"][0], of_symmetric_noise(7, 0.3, double))
    for rate, message in ((1.2, r"must lie in \[0, 1\)"), (6 / 7, "given labels say nothing")):
        for name in ("forward-t:symmetric", "backward-t:symmetric"):
            with pytest.raises(ValueError, match=message):
                fit(toy(), name, steps=1, noise_rate=rate)


def test_one_trial_whose_matrix_is_singular_leaves_its_neighbours_alone():
    # the middle trial's labels say nothing: every row of its matrix is the same
    data = toy()
    stack = make_stack(data, "backward-t:oracle")
    rows = stack.index[1].numpy()
    given = np.array(data.given)
    given[rows] = 0
    stack = make_stack(
        Labelled(
            inputs=data.inputs,
            classes=data.classes,
            candidates=data.candidates,
            given=given,
            truth=data.truth,
        ),
        "backward-t:oracle",
    )
    assert torch.linalg.matrix_rank(stack.memory["table"][1]) == 1
    advance(stack, 10)
    assert stack.diverged_at == [None] * 3


def test_volminnet_starts_near_the_identity_and_learns_what_the_noise_is():
    start = volminnet.matrix(torch.full((3, 3), volminnet.INITIAL, dtype=double))
    off = 1 / (1 + math.exp(2)) / (1 + 2 / (1 + math.exp(2)))
    torch.testing.assert_close(start[0], torch.tensor([1 - 2 * off, off, off], dtype=double))
    g = np.random.default_rng(0)
    truth = np.arange(1500) % 4
    data = Labelled(
        inputs=g.normal(size=(1500, 4)) + 5 * np.eye(4)[truth],
        classes=tuple("abcd"),
        given=np.where(g.random(1500) < 0.35, (truth + 1) % 4, truth),
        truth=truth,
    )
    stack = make_stack(data, "volminnet", [0], steps=300, hidden=10, lr=1e-2, lam=0.1)
    shares = transition(data.given, data.truth, 4)

    def distance():
        with torch.no_grad():
            learnt = volminnet.matrix(stack.parameters["transition"][0])
        return np.abs(learnt.numpy() - shares).sum(1).mean()

    before = distance()
    advance(stack, 300)
    assert before > 0.4
    assert distance() < 0.2


def test_an_update_of_volminnet_is_its_text():
    stack = advance(make_stack(toy(), "volminnet", lam=0.5), 5)
    batch = stack.next_batches()[0]
    objective = stack.stage.step(stack, batch)
    for k in range(stack.K):
        weights = stack.parameters["transition"][k].detach().numpy()
        parts = np.where(np.eye(7, dtype=bool), 1, 1 / (1 + np.exp(-weights)))
        table = parts / parts.sum(1, keepdims=True)
        nats = [
            -math.log(np.array(softmax(z)) @ table[:, y])
            for z, y in zip(stack.net(batch.x).logits[k].tolist(), batch.given[k].tolist())
        ]
        volume = math.log(abs(np.linalg.det(table)))
        assert objective[k].item() == pytest.approx(np.mean(nats) + 0.5 * volume, rel=1e-9)


def test_t_revision_weighs_first_and_revises_later():
    stack = make_stack(toy(), "t-revision", steps=40)
    assert stack.stages.ends == [8, 24, 40]
    advance(stack, 9)
    assert not stack.flats["revision"].flat.any()
    batch, table = stack.next_batches()[0], stack.memory["table"]
    logits = stack.net(batch.x).logits
    weights = t_revision.importance(logits, batch.given, table).detach()
    assert weights.std() > 0.01
    objective = stack.stage.step(stack, batch)
    (slope,) = torch.autograd.grad(objective.sum(), logits, retain_graph=True)
    (constant,) = torch.autograd.grad(
        (weights * ce.loss(logits, batch.given)).mean(-1).sum(), logits, retain_graph=True
    )
    torch.testing.assert_close(slope, constant)
    advance(stack, 15)
    assert not stack.flats["revision"].flat.any()
    assert set(stack.movers.optimisers) == {"net"}
    update(stack)
    # Adam's first step is the rate itself
    assert stack.flats["revision"].flat.abs().max().item() == pytest.approx(5e-7, rel=0.05)
    advance(stack, 15)
    assert torch.equal(stack.memory["table"], table)
    assert 0 < stack.flats["revision"].flat.abs().max() <= 16.5 * 5e-7
