"""One rule for verdicts: against what it says in words, a vote at a time, on random votes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly import validation
from candidly.people.review import Rules
from candidly.people.review._cards import outcome_of
from candidly.people.review.rules import settled
from candidly.people.validation import ANSWERS, CATEGORIES, merged, needed

votes = st.lists(st.sampled_from(range(5)), max_size=9)


def in_words(said: list[int], threshold: int, least: int) -> str:
    """The first answer, in the order of ``ANSWERS``, that enough people gave."""
    if len(said) < least:
        return "pending"
    for code, category in enumerate(CATEGORIES[:4]):
        if said.count(code) >= threshold:
            return category
    return "non-agreement"


def more_than_half(number: int) -> int:
    return next(k for k in range(number + 2) if 2 * k > number)


@given(votes, st.none() | st.integers(1, 9), st.booleans())
def test_every_way_to_a_verdict_says_the_same(said, threshold, same):
    people = max(9, threshold or 0)
    rules = Rules(people=people, threshold=max(threshold or 5, 5))
    one = [0 if same and code == 1 else code for code in said]
    expected = in_words(one, max(rules.threshold, more_than_half(len(said))), 3)
    counts = {code: said.count(code) for code in set(said)}
    assert outcome_of(rules, counts, True, same) == expected

    tally = validation.from_counts(
        [[one.count(code) for code in range(5)]], given=[4], guessed=[4 if same else 2]
    )
    found = validation.judge(replace(tally, people=rules.people, threshold=rules.threshold))
    assert CATEGORIES[found.category[0]] == expected
    if 2 * (threshold or 9) > len(said):
        usual = validation.judge(tally, threshold)
        least = min(3, max(len(said), 1) if threshold is None else threshold)
        taken = more_than_half(len(said)) if threshold is None else threshold
        assert CATEGORIES[usual.category[0]] == in_words(one, taken, least)
        assert usual.threshold[0] == taken


@given(st.integers(0, 40), st.none() | st.integers(1, 40))
def test_a_verdict_needs_more_than_half(answers, threshold):
    found = needed(np.array([answers]), threshold)[0]
    assert found == max(more_than_half(answers), threshold or 0)


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize(("people", "threshold"), [(3, None), (4, 3), (5, None), (5, 4)])
def test_settled_is_that_no_answer_to_come_changes_the_outcome(people, threshold, same):
    rules = Rules(people=people, threshold=threshold, adaptive=True)
    for k in range(1, people + 1):
        for said in {tuple(sorted(some)) for some in product(range(4), repeat=k)}:
            counts = {code: said.count(code) for code in set(said)}
            ends = {
                outcome_of(rules, _with(counts, more), True, same)
                for more in product(range(4), repeat=people - k)
            }
            stops = settled(counts, k, rules, same)
            assert not stops or len(ends) == 1, (said, ends)
            assert stops or k < rules.fewest or len(ends) > 1, (said, ends)


def _with(counts: dict[int, int], more: tuple[int, ...]) -> dict[int, int]:
    return {code: counts.get(code, 0) + more.count(code) for code in range(len(ANSWERS))}


def test_two_names_of_one_class_are_one_answer():
    rules = Rules(people=5, threshold=3)
    said = {0: 1, 1: 1, 2: 1, 3: 1}  # given, guessed, both, neither: the fifth decides
    assert settled(said, 4, rules)
    assert not settled(said, 4, rules, same=True)
    assert outcome_of(rules, {**said, 0: 2}, True, True) == "non-error"
    counts = np.array([[1, 2, 0, 0, 0], [1, 2, 0, 0, 0]])
    assert merged(counts, np.array([True, False])).tolist() == [[3, 0, 0, 0, 0], [1, 2, 0, 0, 0]]
    assert counts[0, 1] == 2  # what was given stays
