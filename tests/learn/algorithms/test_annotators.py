"""Methods that learn from the answers themselves, against slow versions of what they minimise."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import candidly
from candidly.data.labels.votes import padded, shares_named
from candidly.learn.algorithms import cross_entropy
from learn.algorithms.test_on_logits import chosen, on_logits

from toys import advance, make_stack, toy

SOME = chosen(np.eye(4)[[0, 1, 2, 3, 0, 1]])
LOGITS = np.random.default_rng(4).normal(size=(6, 4))


def answers(data):
    """(row, number of the annotator in the order of names, label) of every answer."""
    names = sorted(set(data.votes.annotator))
    return [(row, names.index(who), label) for row, who, (label,) in data.votes.rows()]


def softmax(scores):
    exps = np.exp(np.asarray(scores) - np.max(scores))
    return exps / exps.sum()


def test_soft_cross_entropy_is_that_of_the_shares_of_answers():
    stack = on_logits("soft-ce", LOGITS, SOME)
    shares = torch.from_numpy(shares_named(SOME.votes, SOME.n, SOME.q))
    expected = cross_entropy(shares, torch.from_numpy(LOGITS)).mean()
    torch.testing.assert_close(stack.loss_sum[0], expected)


def test_a_crowd_layer_begins_as_scores_that_are_the_probabilities():
    stack = on_logits("crowd-layer", LOGITS, SOME)
    said = [-math.log(softmax(softmax(LOGITS[row]))[label]) for row, _, label in answers(SOME)]
    assert float(stack.loss_sum[0]) == pytest.approx(np.mean(said))


def trained(name, **hyper):
    """A stack whose annotators differ by now, and its objective on a batch, without an update."""
    stack = make_stack(toy(), name, [0, 1], 40, **hyper)
    advance(stack, 30)
    batch = stack.next_batches()[0]
    with torch.no_grad():
        objective = stack.stage.step(stack, batch)
    return stack, batch, objective


def by_answer(stack, batch, of_one):
    """The mean over a batch's answers of ``of_one(trial, row, annotator, label)``, a trial each."""
    return [
        np.mean(
            [
                of_one(k, b, int(who), int(label))
                for b in range(stack.B)
                for who, label in batch.votes[k, b].tolist()
                if who >= 0
            ]
        )
        for k in range(stack.K)
    ]


def test_the_crowd_layer_is_the_text():
    stack, batch, objective = trained("crowd-layer")
    probs = stack.net(batch.x).logits.detach().softmax(-1).numpy()
    weights = stack.parameters["weights"].detach().numpy()

    def of_one(k, b, who, label):
        return -math.log(softmax(probs[k, b] @ weights[k, who])[label])

    np.testing.assert_allclose(objective, by_answer(stack, batch, of_one))


def test_matrices_of_annotators_are_the_text():
    stack, batch, objective = trained("annotator-t", spread=0.5)
    probs = stack.net(batch.x).logits.detach().softmax(-1).numpy()
    core, own = (stack.parameters[name].detach().numpy() for name in ("core", "own"))

    def of_one(k, b, who, label):
        table = np.array([softmax(row) for row in core[k] + own[k, who]])
        return -math.log((probs[k, b] @ table)[label])

    said = by_answer(stack, batch, of_one)
    for k in range(stack.K):
        learned = int((stack.labels("votes")[k, ..., 0] >= 0).sum())
        prior = (own[k] ** 2).sum() / (2 * 0.5**2) / learned
        assert float(objective[k]) == pytest.approx(said[k] + prior)


def test_common_confusions_are_the_text():
    stack, batch, objective = trained("conal", apart=0.01)
    probs = stack.net(batch.x).logits.detach().softmax(-1).numpy()
    parts = {name: stack.parameters[name].detach().numpy() for name in stack.parameters}
    net = stack.embedding
    inputs = net.head(net.trunk(batch.x), "embedding").detach().numpy()

    def of_one(k, b, who, label):
        u, v = parts["annotator"][k, who], inputs[k, b]
        share = 1 / (1 + math.exp(-(u @ v) / np.linalg.norm(u) / np.linalg.norm(v)))
        common, mine = probs[k, b] @ parts["common"][k], probs[k, b] @ parts["own"][k, who]
        return -math.log(softmax(share * common + (1 - share) * mine)[label])

    said = by_answer(stack, batch, of_one)
    for k in range(stack.K):
        between = sum(np.linalg.norm(own - parts["common"][k]) for own in parts["own"][k])
        assert float(objective[k]) == pytest.approx(said[k] - 0.01 * between)


def crowd(n, wrong, seed=0):
    """A table of two classes, and one answer a row and annotator; ``wrong`` by annotator."""
    g = np.random.default_rng(seed)
    truth = g.integers(0, 2, n)
    inputs = g.normal(size=(n, 6)) + 2.5 * np.eye(2, 6)[truth]
    rows = [
        (row, f"a{who}", [int(truth[row] ^ (g.random() < rate))])
        for row in range(n)
        for who, rate in enumerate(wrong)
    ]
    return candidly.from_arrays(inputs, votes=candidly.data.Votes.from_rows(rows), truth=truth)


@pytest.mark.parametrize("name", ["crowd-layer", "conal", "annotator-t"])
def test_who_is_often_wrong_is_found_out(name):
    # two who are right, and three who nearly always say the other class: most answers are wrong
    data = crowd(400, [0.05, 0.05, 0.3, 0.45, 0.45])
    stack = make_stack(data, name, [0], 400, lr=0.02, batch=64)
    advance(stack, 400)
    if name == "annotator-t":
        scores = stack.parameters["core"][:, None] + stack.parameters["own"]
        right = scores.softmax(-1).diagonal(dim1=-2, dim2=-1).mean(-1)[0].tolist()
    else:
        kept = stack.parameters["weights" if name == "crowd-layer" else "own"]
        right = (kept.diagonal(dim1=-2, dim2=-1).sum(-1) * 2 - kept.sum((-2, -1)))[0].tolist()
    assert min(right[:2]) > right[2] > max(right[3:]), right


def test_an_annotator_of_few_answers_is_as_all_are():
    data = crowd(300, [0.1, 0.1, 0.1])
    rows = [*data.votes.rows()[:-3], (299, "new", [1 - int(data.truth[299])])]
    lonely = candidly.from_arrays(
        data.inputs, votes=candidly.data.Votes.from_rows(rows), truth=data.truth
    )
    stack = make_stack(lonely, "annotator-t", [0], 400, lr=0.02, batch=64)
    advance(stack, 400)
    own = stack.parameters["own"][0].abs().amax((-2, -1)).tolist()
    assert own[3] < 0.2, own  # one wrong answer does not make a liar


ANSWER = st.tuples(st.integers(0, 4), st.sampled_from("abc"), st.tuples(st.integers(0, 2)))


@given(st.lists(ANSWER, min_size=1, max_size=12))
def test_answers_side_by_side_are_the_answers(rows):
    votes = candidly.data.Votes.from_rows(rows)
    table = padded(votes, 5, 3)
    names = sorted({who for _, who, _ in rows})
    for row in range(5):
        said = [(names.index(who), label) for at, who, (label,) in rows if at == row]
        there = table[row, : len(said)]
        assert [tuple(one) for one in there.tolist()] == said
        assert (table[row, len(said) :] == -1).all()


def test_answers_of_several_labels_are_refused():
    votes = candidly.data.Votes.from_rows([(0, "ann", [0]), (1, "bob", [0, 1])])
    with pytest.raises(ValueError, match="the answer of 'bob' about row 1 has 2 labels"):
        padded(votes, 2, 2)


def test_what_lacks_answers_says_so():
    data = candidly.from_arrays(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="has no votes"):
        candidly.fit(data, "soft-ce", steps=10, batch_size=2)
    few = candidly.data.Votes.from_rows([(0, "ann", [0]), (2, "ann", [1])])
    data = candidly.from_arrays(np.eye(4), votes=few, truth=[0, 1, 0, 1])
    with pytest.raises(ValueError, match="no votes label at row 1"):
        candidly.fit(data, "soft-ce", steps=10, batch_size=2)
