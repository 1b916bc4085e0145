"""A sweep of algorithms that learn from several annotators' answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import candidly
from candidly.compare.sweep.select import cells, usual_criteria
from candidly.data.labels.votes import shares_named
from candidly.stats.criteria import answer_accuracy

from toys import toy

HOW = {"configs": 2, "splits": 2, "steps": 40, "eval_every": 20, "net": "linear"}
HOW |= {"hyper": {"batch_size": 32}}


@pytest.fixture(scope="module")
def results():
    data = replace(toy(), candidates=None, given=None)
    return candidly.benchmark(data, ["soft-ce", "annotator-t"], **HOW)


def test_configurations_are_chosen_by_peoples_answers(results):
    assert usual_criteria(results) == ("answers", "OA", "OA & ES")
    values = [record.validation["answers"] for run in results.runs for record in run.records]
    assert len(set(values)) > 1
    assert all(0 < value < 1 for value in values)
    by_answers = [cell for cell in cells(results) if cell.criterion == "answers"]
    assert {cell.algorithm for cell in by_answers} == {"soft-ce", "annotator-t"}
    for cell in by_answers:
        for split, choice in enumerate(cell.choices):
            mine = [
                record.validation["answers"]
                for run in results.runs
                if (run.algorithm, run.split) == (cell.algorithm, split)
                for record in run.records
            ]
            assert choice.value == max(mine)


def test_what_is_measured_is_the_mean_share_of_answers():
    data = toy()
    logits = np.random.default_rng(0).normal(size=(data.n, data.q))
    by_row = [[] for _ in range(data.n)]
    for row, _, (label,) in data.votes.rows():
        by_row[row].append(label == logits[row].argmax())
    expected = np.mean([np.mean(one) for one in by_row])
    shares = shares_named(data.votes, data.n, data.q)
    assert answer_accuracy(logits, shares) == pytest.approx(expected)
    some = np.where(np.arange(data.n)[:, None] % 2, shares, np.nan)
    assert answer_accuracy(logits, some) == pytest.approx(
        np.mean([np.mean(one) for one in by_row[1::2]])
    )
    assert np.isnan(answer_accuracy(logits, np.full_like(shares, np.nan)))


def test_shares_that_are_none_are_refused():
    with pytest.raises(ValueError, match="outside \\[0, 1\\]"):
        answer_accuracy(np.eye(2), 2 * np.eye(2))
    with pytest.raises(ValueError, match="`shares` has shape"):
        answer_accuracy(np.eye(2), np.eye(3))


def test_a_search_by_answers_needs_some():
    with pytest.raises(ValueError, match="answers compares people's answers with predictions"):
        candidly.benchmark(
            replace(toy(), votes=None), ["PRODEN"], search="tpe:start=1,round=1,by=answers", **HOW
        )


def test_the_truth_of_validation_rows_is_no_answer():
    with pytest.raises(ValueError, match="soft-ce learns from people's answers"):
        candidly.benchmark(toy(), ["soft-ce"], validation="train-oracle", **(HOW | {"configs": 1}))


def test_matrices_that_no_memory_holds_are_refused_before_they_are_made():
    labels = {"votes": torch.tensor([[[0, 0]], [[0, 1]], [[10**7, 0]]])}
    with pytest.raises(ValueError, match="crowd-layer's matrices of annotators"):
        candidly.ALGORITHMS["crowd-layer"].parameters_on(labels, 10_000)


def test_answers_without_names_are_not_learned_of_anybody():
    votes = candidly.data.Votes.from_rows([(row, f"r{row}", [row % 2]) for row in range(8)])
    data = candidly.from_arrays(
        np.random.default_rng(0).normal(size=(8, 2)), votes=votes, classes=2
    )
    with pytest.raises(ValueError, match="each of the 8 annotators gave one answer"):
        candidly.fit(data, "crowd-layer", steps=2, batch_size=4)
    candidly.fit(data, "soft-ce", steps=2, batch_size=4)
