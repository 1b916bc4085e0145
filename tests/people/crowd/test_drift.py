"""Annotators who change over time: against loops, in shapes where nobody can tell, and refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import kolmogorov

import drift as bench  # bench/drift.py
from candidly.people.crowd import Answers, drift
from candidly.people.crowd.drift_document import drift_grid, drift_line


def made(said, m=3):
    """From a matrix of items and annotators; the times are the items' places."""
    answers = Answers.from_matrix(said, m)
    return answers, answers.item


def shares(said, i, j):
    """Of annotator j on item i: how many others say the same, and how many of their pairs agree."""
    others = [k for person, k in enumerate(said[i]) if k >= 0 and person != j]
    pairs = [(a, b) for x, a in enumerate(others) for y, b in enumerate(others) if x != y]
    same = np.mean([k == said[i, j] for k in others])
    return same, np.mean([a == b for a, b in pairs]), len(others)


@given(st.integers(0, 10_000))
def test_it_is_that_of_loops(seed):
    g = np.random.default_rng(seed)
    said = np.where(g.random((60, 5)) < 0.8, g.integers(0, 3, (60, 5)), -1)
    answers, when = made(said)
    frame = drift(answers, when, alpha=0.5)
    for row in frame.iter_rows(named=True):
        j = int(row["annotator"])
        mine = [shares(said, i, j) for i in range(60) if said[i, j] >= 0]
        mine = [(same, theirs) for same, theirs, of in mine if of >= 2]
        apart = np.array([same - theirs for same, theirs in mine])
        assert row["answers"] == len(mine)
        if row["p"] is None:
            continue
        third = len(mine) // 3
        assert row["early"] == pytest.approx(np.mean([same for same, _ in mine[:third]]))
        assert row["change"] == pytest.approx(apart[-third:].mean() - apart[:third].mean())
        path = np.abs(np.cumsum(apart - apart.mean()))[:-1]
        assert row["p"] == pytest.approx(kolmogorov(path.max() / apart.std() / len(apart) ** 0.5))
        assert row["changed"] == (row["adjusted"] <= 0.5)
        assert (row["since"] is not None) == row["changed"]


@given(st.integers(0, 10_000))
def test_only_the_order_of_time_matters(seed):
    g = np.random.default_rng(seed)
    answers = bench.crowd(g, 80, "alike", 0.4)
    first = drift(answers, answers.item)
    later = drift(answers, np.exp(answers.item / 10.0))
    assert first.drop("since").equals(later.drop("since"))
    days = np.datetime64("2026-01-01") + answers.item
    assert first.drop("since").equals(drift(answers, days).drop("since"))
    # of one time nothing is known
    assert drift(answers, np.zeros(len(answers)))["changed"].sum() == 0


def test_who_changes_is_found_and_others_are_not():
    g = np.random.default_rng(0)
    frame = drift(*(lambda answers: (answers, answers.item))(bench.crowd(g, 1500, "alike", 0.5)))
    changed = frame.filter("changed")
    assert changed["annotator"].to_list() == ["0"]
    assert 600 < int(changed["since"][0]) < 900
    assert changed["change to"][0] < 0
    line = drift_line(frame)
    assert "annotators changes beyond chance: 0 since" in line
    assert len(drift_grid(frame, 3).rows) == 3


def test_where_items_become_harder_nobody_is_called_changed():
    g = np.random.default_rng(1)
    answers = bench.crowd(g, 1500, "harder at once", 0.0)
    frame = drift(answers, answers.item)
    assert frame["p"].is_null().all()
    assert frame["others"].max() < 0.3
    assert "items may have become harder" in drift_line(frame)


def test_few_answers_have_no_test():
    answers, when = made(np.zeros((19, 3), int))
    frame = drift(answers, when)
    assert frame["p"].is_null().all()
    assert "too few answers" in drift_line(frame)


@pytest.mark.parametrize(
    ("when", "said"),
    [([1, 2], "`when` has shape"), ([1.0, np.nan] * 45, "`when` is missing at answer 1")],
)
def test_what_is_refused(when, said):
    answers, _ = made(np.zeros((30, 3), int))
    with pytest.raises(ValueError, match=said):
        drift(answers, when)
