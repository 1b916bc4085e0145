"""Steps of a scale, against loops and simulated annotators who are lenient or strict."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from candidly.people.crowd import (
    Answers,
    consensus,
    dawid_skene,
    majority,
    opinion_pool,
    ordinal,
    pool_beside,
)
from candidly.people.crowd.aggregators import _ordinal as module
from candidly.people.crowd.consensus_summary import consensus_lines


def crowd(seed, n=400, number=30, m=5, each=4, leaning=0.5):
    """Items on a scale of m steps; annotators lean and are more or less exact."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(m, n, p=np.array([1, 2, 3, 2, 1][:m]) / sum([1, 2, 3, 2, 1][:m]))
    lean, spread = rng.normal(0, leaning, number), rng.uniform(0.3, 1.2, number)
    who = np.stack([rng.choice(number, each, replace=False) for _ in range(n)])
    said = truth[:, None] + lean[who] + spread[who] * rng.normal(size=who.shape)
    said = np.clip(np.rint(said), 0, m - 1).astype(int)
    item = np.repeat(np.arange(n), each)
    return truth, Answers.from_columns(item, who.ravel(), said.ravel(), classes=m), lean


def off(found, truth):
    return np.abs(found.labels - truth).mean()


def test_on_a_scale_it_is_nearer_the_truth_than_what_knows_no_order():
    apart = []
    for seed in range(5):
        truth, answers, _ = crowd(seed)
        ours = ordinal(answers)
        apart.append([off(way, truth) for way in (ours, majority(answers), dawid_skene(answers))])
    mean = np.mean(apart, 0)
    assert mean[0] < 0.85 * mean[1]
    assert mean[0] < 0.9 * mean[2]


def test_it_claims_what_is_right_where_those_that_know_no_order_claim_too_much():
    told = []
    for seed in range(6):
        truth, answers, _ = crowd(seed, n=200, number=7)
        ways = (ordinal(answers), opinion_pool(answers), dawid_skene(answers))
        told.append([((way.labels == truth).mean(), np.nanmean(way.quality)) for way in ways])
    (right, claimed), pool, independent = np.round(100 * np.mean(told, 0), 1)
    assert right > pool[0] + 8
    assert abs(claimed - right) < 4
    page = (Path(__file__).parents[4] / "docs" / "crowd.md").read_text()
    for number in (right, claimed, *pool, *independent):
        assert f"{number:.1f}" in page.partition("steps of a scale for names")[2][:400], number


def test_no_claim_of_the_pool_stands_beside_steps_of_a_scale():
    _, answers, _ = crowd(0)
    found = ordinal(answers)
    assert pool_beside(found) is None
    lines = " ".join(consensus_lines(found, "ordinal", None))
    claimed = 100 * found.quality.mean()
    assert f"{claimed:.1f} % of its labels are said to be right, if annotators err indep" in lines


def test_who_is_lenient_is_found():
    _, answers, lean = crowd(2, n=1500, number=10, each=6)
    found = ordinal(answers)
    assert np.corrcoef(found.leaning, lean)[0, 1] > 0.9
    assert ((found.spread >= 0.2) & (found.spread <= 6.4)).all()


def test_a_round_is_that_of_loops(monkeypatch):
    monkeypatch.setattr(module, "LEANINGS", np.array([-0.5, 0.0, 0.5]))
    monkeypatch.setattr(module, "SPREADS", np.array([0.4, 1.0]))
    _, answers, _ = crowd(3, n=30, number=4, m=3, each=3)
    posterior = answers.counts / answers.counts.sum(1, keepdims=True)
    for rounds in (1, 2, 3):
        tables = []
        for j in range(4):
            best = -np.inf
            for lean in module.LEANINGS:
                for spread in module.SPREADS:
                    table = np.array(
                        [
                            [
                                np.exp(-((step - k - lean) ** 2) / (2 * spread**2))
                                for step in range(3)
                            ]
                            for k in range(3)
                        ]
                    )
                    table /= table.sum(1, keepdims=True)
                    value = -(lean**2) / (2 * 0.5**2) - np.log(spread / 0.8) ** 2 / (2 * 0.75**2)
                    for i, who, label in zip(answers.item, answers.annotator, answers.label):
                        if who == j:
                            value += (posterior[i] * np.log(table[:, label])).sum()
                    if value > best:
                        best, mine = value, table
            tables.append(mine)
        shares = (posterior.sum(0) + 1) / (30 + 3)
        posterior = np.tile(shares, (30, 1))
        for i, who, label in zip(answers.item, answers.annotator, answers.label):
            posterior[i] *= tables[who][:, label]
        posterior /= posterior.sum(1, keepdims=True)
        np.testing.assert_allclose(ordinal(answers, rounds=rounds).posterior, posterior, atol=1e-9)


def test_a_scale_that_is_turned_round_gives_the_same():
    _, answers, _ = crowd(1)
    turned = Answers.from_columns(
        answers.item, answers.annotator.astype(str), 4 - answers.label, classes=5
    )
    np.testing.assert_allclose(
        ordinal(answers).posterior, ordinal(turned).posterior[:, ::-1], atol=1e-6
    )


def test_labels_are_medians():
    _, answers, _ = crowd(2, n=100)
    found = ordinal(answers)
    for label, row in zip(found.labels, found.posterior):
        losses = [(row * np.abs(np.arange(5) - k)).sum() for k in range(5)]
        assert losses[label] <= min(losses) + 1e-9


def test_the_order_is_that_of_numbers_or_the_one_that_is_said():
    said = [("2", "10", "2"), ("10", "10", "2"), ("100", "10", "100")]
    rows = [(i, who, label) for i, row in enumerate(said) for who, label in zip("abc", row)]
    numbers = Answers.from_columns(*zip(*rows))
    names = {"2": "bad", "10": "fair", "100": "good"}
    named = Answers.from_columns(*zip(*[(i, who, names[label]) for i, who, label in rows]))
    found = ordinal(named, ["bad", "fair", "good"])
    expected = [names[numbers.classes[k]] for k in ordinal(numbers).labels]
    assert [named.classes[k] for k in found.labels] == expected
    with pytest.raises(
        ValueError, match="ordinal labels need an order of their classes: the class 'bad'"
    ):
        consensus(named, "ordinal")
    with pytest.raises(ValueError, match="name each of bad, fair, good once"):
        ordinal(named, ["bad", "good"])


def test_items_that_nobody_answered_have_no_label():
    answers = Answers.from_columns([0, 0, 2], list("aba"), [1, 2, 1], items=3, classes=4)
    found = ordinal(answers)
    assert found.labels.tolist()[1] == -1
    np.testing.assert_allclose(found.posterior[1], 0.25)


@pytest.mark.parametrize("m", [4, 5, 9])
def test_steps_that_are_taken_for_names_are_seen(m):
    """Of forty crowds each; names are numbers as well, whose confusions have no order."""
    told = {"steps": 0, "names": 0}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, m, 200)
        steps = np.clip(np.rint(truth[:, None] + rng.normal(0, 0.8, (200, 4))), 0, m - 1)
        confused = rng.dirichlet(np.full(m, 0.5), m) * 0.4 + np.eye(m) * 0.6
        names = [[rng.choice(m, p=confused[k]) for _ in range(4)] for k in truth]
        for kind, said in (("steps", steps.astype(int)), ("names", np.array(names))):
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                consensus(Answers.from_matrix(said, m), "majority")
            told[kind] += any("steps of a scale" in str(one.message) for one in heard)
    assert told["steps"] >= 38
    assert told["names"] <= 8


def test_nothing_is_said_of_words_and_of_ordinal():
    said = np.clip(np.arange(300)[:, None] % 5 + [[0, 1, -1, 0]], 0, 4)
    words = Answers.from_matrix(said, ["bad", "poor", "fair", "good", "best"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        consensus(words, "majority")
        consensus(Answers.from_matrix(said, 5), "ordinal")
    with pytest.warns(UserWarning, match="take `by='ordinal'`"):
        consensus(Answers.from_matrix(said, 5), "majority")
