"""Sums for the organiser: of one reading, and with weights instead of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from candidly import review, validation
from candidly.people.review import PRESETS, Item, _people, pace, plan_cost

from review_cases import an_id, reply, team, work_through

CHOICES = ("given", "guessed", "both", "neither", "skip")


def busy(make, n=20, people=4, **changes):
    project = make(n, **changes)
    rng = np.random.default_rng(1)
    for k, who in enumerate(team(project, people)):
        for _ in range(n - 3 * k):
            for task in review.next_tasks(project, who):
                said = CHOICES[int(rng.integers(5))]
                review.answer(project, who, [reply(task, said, ms=1000 + 100 * k)])
    return project


def test_an_overview_is_its_parts(make):
    project = busy(make)
    found = review.overview(project)
    assert repr(found.progress) == repr(review.progress(project))
    assert repr(found.people) == repr(review.standings(project))
    assert repr(found.pairs) == repr(review.pairs(project))
    table = review.votes(project).filter(~(review.votes(project)["answer"] == "skip"))
    assert sum(pair.answers for pair in found.pairs) == len(table) == found.progress.answers
    assert found.progress.left == found.progress.wanted - found.progress.answers


def test_what_is_left_and_saved(make):
    project = make(4, people=5, threshold=3, adaptive=True)
    for who in team(project, 4)[:3]:
        work_through(project, who)
    found = review.progress(project)  # three alike settle it
    assert (found.done, found.saved, found.left, found.answers) == (4, 8, 0, 12)
    open_ = make(4, people=5, threshold=3)
    for who in team(open_, 3):
        work_through(open_, who)
    found = review.progress(open_)
    assert (found.done, found.saved, found.left) == (0, 0, 8)


def test_weights_are_rows_written_so_often():
    rng = np.random.default_rng(3)
    counts = rng.multinomial(5, [0.5, 0.2, 0.2, 0.1], 30)
    counts[:4] = [[1, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0], [5, 0, 0, 0]]
    times = rng.integers(0, 5, 30)
    for name in ("value", "low", "high", "observed", "expected", "items"):
        for of in (validation.fleiss, validation.gwet):
            assert getattr(of(counts, times), name) == pytest.approx(
                getattr(of(np.repeat(counts, times, axis=0)), name)
            )
    few = validation.agreement(validation.judge(validation.from_counts(counts)), times)
    many = validation.judge(validation.from_counts(np.repeat(counts, times, axis=0)))
    plain = validation.agreement(many)
    alone = {"kappa": None, "ac1": None}
    assert replace(few, **alone) == replace(plain, **alone)
    assert few.kappa.value == pytest.approx(plain.kappa.value)
    assert few.ac1.value == pytest.approx(plain.ac1.value)
    assert few.split > 0
    assert few.unanimous > 0


def test_pairs_are_of_verdicts(make):
    project = make(2, question="several labels", threshold=None)
    with pytest.raises(ValueError, match="only verdicts have pairs of classes"):
        review.pairs(project)
    assert review.overview(project).pairs == ()


def test_label_sums_from_one_reading(make):
    items = [Item(k, f"i{k}", truth=k % 3) for k in range(6)]
    project = make(items=items, question="one label", people=2, threshold=None)
    for who in team(project, 2):
        work_through(project, who, lambda task: str(task.item % 2))
    found = review.overview(project).progress
    assert (found.items, found.done, found.answers, found.left) == (6, 6, 12, 0)
    assert found.labels.size == found.labels.per_answer == 1


@pytest.mark.slow
def test_why_somebody_was_left_out(make):
    project = busy(make)
    who = review.find_person(project, "p1")
    review.exclude(project, who, an_id(), reason="first")
    review.exclude(project, who, an_id(), back=True, reason="a mistake")
    assert [one.reason for one in review.standings(project)] == [None] * 4
    review.exclude(project, who, an_id(), reason="second")
    assert [one.reason for one in review.standings(project)] == [None, "second", None, None]


@pytest.mark.slow
def test_known_items_are_counted_a_part_at_a_time(make, monkeypatch):
    gold = {f"i{k}": "given" for k in range(6)}
    project = busy(make, gold=gold, gold_every=2)
    whole = review.standings(project)
    assert sum(one.gold for one in whole) > 12
    table = review.votes(project, everything=True).filter(pl.col("gold"))
    for one in whole:
        said = table.filter((pl.col("person") == one.code) & (pl.col("answer") != "skip"))
        assert (one.gold, one.gold_right) == (len(said), (said["answer"] == "given").sum())
    monkeypatch.setattr(_people, "AT_ONCE", 4)
    assert repr(review.standings(project)) == repr(whole)


def test_the_pace_is_the_mean_over_answers(make):
    project = busy(make)
    table = review.votes(project, everything=True)
    rules = replace(project.rules, batch=4)
    mean = table["ms"].mean() / 1000
    assert pace(review.standings(project), rules) == pytest.approx(4 * mean)
    assert pace([], rules) is None


def test_planning_what_is_left():
    rules = PRESETS["verdict"]
    whole = plan_cost(100, rules, seconds_per_batch=10, pay_per_hour=18)
    half = plan_cost(100, rules, seconds_per_batch=10, pay_per_hour=18, said=250)
    assert half.answers == round(250 / (1 - 1 / 30))  # there is no known item
    many = plan_cost(100, rules, seconds_per_batch=10, said=250, golds=100)
    assert many.answers == round(250 / (1 - 1 / 20 - 1 / 30))
    few = plan_cost(100, rules, seconds_per_batch=10, golds=1)
    assert few.answers == round((500 + 5 - 5 * 10 / 30) / (1 - 1 / 30))  # each person is asked once
    assert plan_cost(8, rules, seconds_per_batch=10).answers == 40  # too few to repeat one
    assert half.money == pytest.approx(half.answers * 10 / 3600 * 18)
    assert whole == plan_cost(100, rules, seconds_per_batch=10, pay_per_hour=18, said=0)
    for said in (-1, 501):
        with pytest.raises(ValueError, match=f"said is {said}"):
            plan_cost(100, rules, seconds_per_batch=10, said=said)
    with pytest.raises(ValueError, match="must be positive"):
        plan_cost(100, rules, seconds_per_batch=float("nan"))
    with pytest.raises(ValueError, match="not negative"):
        plan_cost(100, rules, seconds_per_batch=1, pay_per_hour=float("inf"))
