"""Sums that no order changes, and what is made of them: the same to the last bit."""

import math
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

from candidly.people.crowd import (
    Answers,
    Consensus,
    annotators,
    consensus,
    crowdlab,
    dawid_skene,
    majority,
)
from candidly.people.crowd import _rounds as rounds
from candidly.people.crowd._sums import as_floats, halves, sums_by, total

from simulated_crowd import as_rows, matrices, probs_for, simulated

UNIT = Fraction(1, 2**60)


def rounded(value):
    """A float as a multiple of 2^-60, in exact arithmetic."""
    return round(Fraction(float(value)) / UNIT) * UNIT


def hard_values(n, seed=0):
    """Numbers in [-1, 1] of very different sizes, whose float sum depends on their order."""
    rng = np.random.default_rng(seed)
    return rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-25, 0, n)


def test_sums_are_those_of_fractions():
    rng = np.random.default_rng(1)
    values, groups = hard_values(3000), rng.integers(0, 7, 3000)
    expected = [float(sum(map(rounded, values[groups == g]), Fraction(0))) for g in range(8)]
    assert sums_by(groups, values, 8).tolist() == expected
    for order in (rng.permutation(3000), np.argsort(values), np.argsort(-values)):
        assert sums_by(groups[order], values[order], 8).tolist() == expected
    assert (
        len(
            {float(np.bincount(groups[o], values[o])[0]) for o in map(rng.permutation, [3000] * 20)}
        )
        > 1
    )
    assert abs(sums_by(groups, values, 8)[0] - math.fsum(values[groups == 0])) < 3000 * 2.0**-61


def test_numbers_beyond_one_have_a_whole_part():
    values = hard_values(2000) * 10.0 ** np.random.default_rng(2).integers(0, 12, 2000)
    expected = float(sum(map(rounded, values), Fraction(0)))
    for order in (np.arange(2000), np.argsort(values), np.argsort(-np.abs(values))):
        assert total(values[order]) == expected
    assert total(np.array([-0.5, -708.25, 1e15])) == 1e15 - 708.75
    assert total(np.zeros(0)) == 0


def test_halves_hold_four_billion_terms():
    high, low = (int(half[0]) * 2**32 for half in halves(np.array([1 - 2.0**-53])))
    assert max(high, low) < 2**63
    assert as_floats(np.array([high]), np.array([low])) == 2.0**32 * (1 - 2.0**-53)
    # the lower half is carried into the higher one
    assert as_floats(np.array([0]), np.array([2**60 + 1])).tolist() == [1 + 2.0**-60]
    assert as_floats(np.array([-1]), np.array([2**30 - 1])).tolist() == [-(2.0**-60)]


def same(one, other, at=slice(None)):
    """Names of the fields that differ in any bit; ``at`` are rows of items in ``other``."""
    wrong = []
    for field in fields(one):
        mine, its = getattr(one, field.name), getattr(other, field.name)
        if field.name == "answers":
            continue
        if field.name in ("labels", "posterior", "majority", "rule"):
            its = its[at]
        if not np.array_equal(np.asarray(mine), np.asarray(its), equal_nan=mine is not None):
            wrong.append(field.name)
    return wrong


def case(m, n=301, seed=0):
    truth, answers = simulated(n, matrices(9, m, seed), 4, seed)
    rng = np.random.default_rng(seed)  # one to four answers each, so that shares are thirds, too
    rows = [row for row in as_rows(answers) if rng.random() < 0.8]
    return rows, probs_for(truth, m, seed), n, m


WAYS = {
    "matrices": dawid_skene,
    "one coin": lambda answers, probs=None, **more: dawid_skene(answers, True, probs=probs, **more),
    "crowdlab": lambda answers, probs=None: crowdlab(answers, probs, temperature=probs is not None),
}


@pytest.mark.parametrize(
    "way",
    [lambda answers, probs=None: dawid_skene(answers, probs=probs), *list(WAYS.values())[1:]],
    ids=WAYS,
)
@pytest.mark.parametrize("with_model", [False, True])
def test_the_order_of_items_and_answers_changes_no_bit(way, with_model):
    for m in (2, 3, 5):
        table, probs, n, m = case(m)
        rng = np.random.default_rng(m)
        columns = [np.array(column, object) for column in zip(*table)]
        answers = Answers.from_columns(*zip(*table), items=n, classes=m)
        first = way(answers, probs if with_model else None)
        order = rng.permutation(n)
        mixed = rng.permutation(len(table))
        moved = Answers.from_columns(
            *(column[mixed].tolist() for column in columns), items=order.tolist(), classes=m
        )
        found = way(moved, probs[order] if with_model else None)
        assert same(first, found, np.argsort(order)) == []
        assert annotators(first).equals(annotators(found))


@pytest.mark.parametrize("one_coin", [False, True])
@pytest.mark.parametrize("with_model", [False, True])
def test_ranges_and_blocks_change_no_bit(one_coin, with_model, monkeypatch):
    table, probs, n, m = case(3)
    answers = Answers.from_columns(*zip(*table), items=n + 3, classes=m)
    probs = np.append(probs, probs[:3], 0) if with_model else None
    first = dawid_skene(answers, one_coin, probs=probs)
    for block, workers in ((2**15, 2), (2**15, 3), (m, 1), (7 * m, 2), (64, 7), (m, 400)):
        monkeypatch.setattr(rounds, "BLOCK", block)
        found = dawid_skene(answers, one_coin, probs=probs, workers=workers)
        assert same(first, found) == [], (block, workers)


def test_a_round_is_that_of_exact_sums():
    table, probs, n, m = case(3, 120)
    answers = Answers.from_columns(*zip(*table), items=n, classes=m)
    found = dawid_skene(answers, alpha=0.25, probs=probs, rounds=1)
    shares = majority(answers).posterior * answers.per_item[:, None]
    shares = (shares + probs) / (answers.per_item + 1)[:, None]
    prior = [math.fsum(shares[:, k]) / n for k in range(m)]
    np.testing.assert_allclose(found.prior, prior, rtol=4e-16)
    for j in range(len(answers.annotators)):
        mine = answers.annotator == j
        cells = np.zeros((m, m))
        for k, said in np.ndindex(m, m):
            items = answers.item[mine & (answers.label == said)]
            cells[k, said] = math.fsum(shares[items, k])
        cells += 0.25
        np.testing.assert_allclose(
            found.confusion[j], cells / cells.sum(1, keepdims=True), rtol=1e-15
        )
    model = np.array([[math.fsum(shares[:, k] * probs[:, j]) for j in range(m)] for k in range(m)])
    model += 0.25
    np.testing.assert_allclose(
        found.model_confusion, model / model.sum(1, keepdims=True), rtol=1e-14
    )


def test_equal_means_of_qualities_are_equal_in_any_order():
    """The worst of two classes with equal agreement and equal mean quality is the first."""
    answers = Answers.from_columns(range(6), ["a"] * 6, [0, 0, 0, 1, 1, 1])
    quality = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1])  # whose float sums differ
    assert quality[:3].sum() != quality[3:].sum()
    posterior = np.stack([quality, quality], 1)
    found = Consensus(
        answers=answers, labels=answers.label.astype(np.int64), posterior=posterior,
        annotator_quality=np.ones(1), weights=np.ones(1), model_weight=0.0,
    )  # fmt: skip
    assert annotators(found)["worst class"].to_list() == ["0"]


def test_workers_are_a_number():
    answers = Answers.from_columns([0, 1], ["a", "a"], [0, 1])
    with pytest.raises(ValueError, match="workers is 0, but must be a whole number of at least 1"):
        dawid_skene(answers, workers=0)
    for by in ("dawid-skene", "one-coin"):
        with pytest.raises(ValueError, match="workers is 0"):
            consensus(answers, by, workers=0)
    assert consensus(answers, "majority", workers=2).labels.tolist() == [0, 1]
