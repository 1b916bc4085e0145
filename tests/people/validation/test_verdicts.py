"""Verdicts against the rules written out slowly, and the patterns of five people by hand."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly import validation
from candidly.people.validation import CATEGORIES, from_answers, from_counts, judge


def slow(g, q, b, z, o, threshold=None):
    """The rules in words, one item at a time."""
    people = g + q + b + z + o
    if people < min(3, threshold or max(people, 1)):  # all that were asked
        return "pending"
    needed = threshold if threshold is not None else people // 2 + 1
    if g >= needed:
        return "non-error"
    if q >= needed:
        return "correctable"
    if b >= needed:
        return "multi-label"
    if z >= needed:
        return "neither"
    return "non-agreement"


def named(verdicts):
    return [CATEGORIES[c] for c in verdicts.category]


def patterns(people, answers):
    """Every way in which this many people can spread over this many answers."""
    counts = itertools.product(range(people + 1), repeat=answers)
    return np.array([c for c in counts if sum(c) == people])


def test_five_people_over_four_answers():
    counts = patterns(5, 4)
    verdicts = judge(from_counts(counts))
    assert len(counts) == 56
    assert np.bincount(verdicts.category, minlength=5)[:5].tolist() == [10, 10, 10, 10, 16]


@pytest.mark.parametrize("people", range(8))
def test_every_pattern_is_as_the_rules_say(people):
    counts = patterns(people, 5)
    assert named(judge(from_counts(counts))) == [slow(*c) for c in counts.tolist()]
    for threshold in range(max(people // 2 + 1, 2), people + 2):
        found = named(judge(from_counts(counts), threshold))
        assert found == [slow(*c, threshold) for c in counts.tolist()]


def test_mixed_numbers_of_people_are_judged_by_their_own_majority():
    # 2 of 4 is a tie and no majority; 3 of 4 is one; 4 of 7 is, 3 of 7 is not; two are too few
    counts = [[2, 2, 0, 0], [3, 1, 0, 0], [3, 4, 0, 0], [3, 3, 1, 0], [2, 0, 0, 0], [0, 0, 0, 0]]
    expected = ["non-agreement", "non-error", "correctable", "non-agreement", "pending", "pending"]
    verdicts = judge(from_counts(counts))
    assert named(verdicts) == expected
    assert verdicts.threshold.tolist() == [3, 3, 4, 4, 2, 1]
    assert verdicts.decided.tolist() == [True] * 4 + [False] * 2


def test_a_threshold_that_two_answers_could_reach_is_refused():
    tally = from_counts([[3, 2, 0, 0], [3, 3, 1, 0]], item=[4, 9])
    with pytest.raises(ValueError, match=r"threshold is 3, but 7 people answered about item 9.*4"):
        judge(tally, 3)
    with pytest.raises(ValueError, match="two answers could reach it"):
        judge(from_counts([[2, 2, 0, 0]]), 2)  # a tie


def test_readings_by_hand():
    #         g  q  b  z  o
    counts = [[2, 0, 1, 2, 0], [2, 3, 0, 0, 0], [1, 1, 2, 1, 0], [3, 0, 0, 2, 0], [1, 1, 0, 0, 3]]
    verdicts = judge(from_counts(counts))
    assert verdicts.error.tolist() == [True, True, True, False, True]
    assert verdicts.seen_error.tolist() == [False, True, False, False, True]
    assert verdicts.confirmed_wrong.tolist() == [False, True, False, False, True]
    # at 4 of 5 "not seen by four" and "did not see it: four" part ways
    strict = judge(from_counts([[2, 3, 0, 0, 0]]), 4)
    assert (strict.seen_error[0], strict.confirmed_wrong[0]) == (True, False)


def test_pending_items_are_no_error_in_any_reading():
    verdicts = judge(replace(from_counts([[0, 2, 0, 0], [0, 0, 0, 0]]), people=3))
    for mask in (verdicts.error, verdicts.seen_error, verdicts.confirmed_wrong):
        assert not mask.any()


@given(
    people=st.integers(1, 6),
    counts=st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=6),
)
def test_as_many_answers_are_enough_as_people_are_asked_but_no_more_than_three(people, counts):
    """The same where people are named, and where the fullest item shows how many were asked."""
    counts = [row for row in counts if sum(row) <= people]
    tally = from_counts([*counts, [people, 0, 0, 0]])
    for one in (tally, replace(tally, people=people)):
        decided = judge(one).decided
        assert decided.tolist() == (one.answers >= min(3, people)).tolist()


def test_a_question_with_one_class_twice_counts_its_votes_once():
    tally = from_counts({"given": [4, 3], "guessed": [4, 0]}, given=[7, 7], guessed=[7, 8])
    assert tally.degenerate.tolist() == [True, False]
    assert tally.answers.tolist() == [4, 3]
    assert named(judge(tally)) == ["non-error", "non-error"]
    with pytest.raises(ValueError, match=r"item 0 is the given one.*4 votes as given and 3 as"):
        from_counts({"given": [4], "guessed": [3]}, given=[7], guessed=[7])
    spoken = from_answers([0] * 3, "abc", ["given", "guessed", "guessed"], given=[7], guessed=[7])
    assert spoken.counts[0].tolist() == [3, 0, 0, 0, 0]  # each person spoke once


@pytest.mark.parametrize("threshold", [None, 3, 4, 5])
def test_fragile_is_what_one_other_answer_changes(threshold):
    counts = patterns(5, 4)
    tally = from_counts(counts)

    def changes(c):
        before = slow(*c, 0, threshold=threshold)
        for left, taken in itertools.permutations(range(4), 2):
            other = list(c)
            other[left] -= 1
            other[taken] += 1
            if other[left] >= 0 and slow(*other, 0, threshold=threshold) != before:
                return True
        return False

    expected = [changes(c) for c in counts.tolist()]
    assert validation.fragile(judge(tally, threshold)).tolist() == expected
    assert 0 < sum(expected) < 56


def test_crowds_of_any_size():
    counts = [[60_000, 50_000, 0, 0], [55_000, 55_001, 1, 0], [0, 0, 9, 90_000]]
    tally = from_counts(counts)
    assert named(judge(tally)) == ["non-error", "non-agreement", "neither"]
    assert validation.fragile(judge(tally)).tolist() == [False, True, False]


def test_only_offered_answers_make_an_item_fragile():
    # from 3 - 0 - 2 nobody can go to "both", but one can still go over to neither
    counts = {"given": [2], "guessed": [1], "neither": [2]}
    offered = from_counts(counts)
    assert validation.fragile(judge(offered)).tolist() == [True]
    two = from_counts({"given": [4], "guessed": [1]})
    assert validation.fragile(judge(two)).tolist() == [False]
    pending = replace(from_counts([[1, 1, 0, 0]]), people=3)
    assert validation.fragile(judge(pending)).tolist() == [False]
    same = from_counts([[3, 0, 0, 2]], given=[1], guessed=[1])
    assert validation.fragile(judge(same)).tolist() == [False]  # degenerate


def test_sets_of_classes():
    tally = validation.SetTally(
        item=np.arange(4),
        given=np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]], bool),
        guessed=np.zeros((4, 3), bool),
        heard=np.array([[3, 5, 2], [3, 3, 0], [3, 2, 0], [0, 0, 2]]),
        classes=("a", "b", "c"),
    )
    verdicts = judge(tally)
    assert named(verdicts) == ["non-error", "different set", "different set", "non-error"]
    assert verdicts.seen_error.tolist() == [False, False, True, False]
    with pytest.raises(ValueError, match="7 votes for 'a' on item 0"):
        validation.SetTally(
            tally.item, tally.given, tally.guessed, tally.heard + 4, tally.classes, people=5
        )


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        ([[1, 2, 3]], {}, r"shape \(1, 3\)"),
        ([[1, -1, 0, 0]], {}, "item 0 has -1 votes for guessed"),
        ([[1.5, 0, 0, 0]], {}, "float64"),
        ({"given": [1], "maybe": [2]}, {}, "votes for 'maybe'"),
        ({"given": [1, 2], "guessed": [2]}, {}, "has 1 entries, the others 2"),
        ({}, {}, "no votes"),
        ([[1, 0, 0, 0]] * 2, {"item": [3, 3]}, "item 3 stands twice"),
        ([[1, 0, 0, 0]], {"item": [-5]}, "item -5 at 0 is negative"),
        (
            [[1, 0, 0, 0]],
            {"given": [0], "guessed": [9], "classes": ["a", "b"]},
            r"guessed class of item 0 is 9, .*0 to 1",
        ),
        ([[1, 0, 0, 0]], {"given": [-3]}, "given class of item 0 is -3"),
        ([[1, 0, 0, 0]], {"given": [0, 1]}, "`given` has shape"),
    ],
)
def test_counts_that_are_none_are_refused(counts, options, message):
    with pytest.raises(ValueError, match=message):
        from_counts(counts, **options)


def test_a_million_answers_take_less_than_two_seconds():
    rng = np.random.default_rng(0)
    n = 200_000
    item = np.repeat(np.arange(n), 5)
    person = ((item * 7 + np.tile(np.arange(5), n)) % 1000).astype(str).tolist()
    answer = np.array(["given", "guessed", "both", "neither"])[rng.integers(0, 4, 5 * n)].tolist()
    labels = np.zeros(n, int)
    start = time.process_time()
    verdicts = judge(from_answers(item, person, answer, given=labels, guessed=labels + 1))
    assert time.process_time() - start < 2
    assert np.bincount(verdicts.category, minlength=5)[:5].sum() == n
