"""Answers of people, and what label sets are made of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.data.labels.votes import (
    Votes,
    at_least,
    first_answers,
    majority,
    times_named,
    union,
    vaguest,
    votes_to_given,
    way_of_sets,
)

N, Q = 4, 3
answers = st.lists(
    st.tuples(
        st.integers(0, N - 1), st.sampled_from("abc"), st.lists(st.integers(0, Q - 1), max_size=4)
    )
)


@given(answers)
def test_rows_come_back(rows):
    votes = Votes.from_rows(rows)
    assert votes.rows() == [(item, who, tuple(labels)) for item, who, labels in rows]
    assert votes == Votes.from_rows(votes.rows())
    assert len(votes) == len(rows)


@given(answers)
def test_sets_equal_a_slow_reading_of_the_definitions(rows):
    votes = Votes.from_rows(rows)
    every, longest, most = np.zeros((N, Q), bool), np.zeros((N, Q), bool), []
    for item in range(N):
        mine = [labels for i, _, labels in rows if i == item]
        best: list[int] = []
        for labels in mine:
            every[item, labels] = True
            if len(labels) > len(best):  # strictly: the first of the longest stays
                best = labels
        longest[item, best] = True
        counts = [sum(labels.count(c) for labels in mine) for c in range(Q)]
        most.append(counts.index(max(counts)) if any(counts) else -1)
    assert np.array_equal(union(votes, N, Q, empty="none"), every)
    assert np.array_equal(vaguest(votes, N, Q, empty="none"), longest)
    assert votes_to_given(votes, N, Q).tolist() == most


def test_length_is_that_of_the_list_and_ties_go_to_the_first():
    votes = Votes.from_rows([(0, "a", [1]), (0, "b", [2, 2]), (0, "c", [0, 1])])
    assert vaguest(votes, 1, 3).tolist() == [[False, False, True]]


@pytest.mark.parametrize("make", [union, vaguest])
def test_items_without_labels(make):
    votes = Votes.from_rows([(0, "a", [1]), (1, "a", [])])
    with pytest.raises(ValueError, match=r"no label for item 1 \(2 such items of 3\).*empty='all'"):
        make(votes, 3, 2)
    assert make(votes, 3, 2, empty="all").tolist() == [[False, True], [True, True], [True, True]]
    assert make(votes, 3, 2, empty="none").tolist() == [[False, True], [False] * 2, [False] * 2]
    with pytest.raises(ValueError, match="empty='drop'; choose"):
        make(votes, 3, 2, empty="drop")


def test_no_votes_at_all():
    votes = Votes.from_rows([])
    assert votes_to_given(votes, 2, 3).tolist() == [-1, -1]
    assert union(votes, 0, 3).shape == (0, 3)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, "a", 1)], r"the labels of answer 0 are 1\. Write a list, \[1\]"),
        ([(0, "a", "cat")], r"the labels of answer 0 are 'cat'"),
        ([(0, "a", [0]), (-1, "a", [0])], r"`item` has -1 at 1"),
        ([(0, "a", [0, -1])], r"`labels` has -1 at 1"),
        ([(0.0, "a", [0])], r"item 0.0 of answer 0 is not an integer"),
        ([(0, "a", [1.5])], r"label 1.5 of answer 0 is not an integer"),
        ([(0, "a", [True])], r"label True of answer 0"),
    ],
)
def test_rows_that_are_not_answers(rows, message):
    with pytest.raises(ValueError, match=message):
        Votes.from_rows(rows)


def test_arrays_that_disagree():
    good = {
        "item": np.array([0]),
        "annotator": np.array(["a"], object),
        "offsets": np.array([0, 1]),
        "labels": np.array([2]),
    }
    Votes(**good)
    for field, value, message in [
        ("offsets", np.array([0, 2]), "must rise from 0"),
        ("offsets", np.array([0, 1, 1]), "3 offsets; one"),
        ("annotator", np.array(["a", "b"], object), "2 annotators"),
        ("annotator", np.array([7], object), "annotator 7 of answer 0"),
        ("item", np.array([0.0]), "`item` must be a numpy array of int64"),
    ]:
        with pytest.raises(ValueError, match=message):
            Votes(**(good | {field: value}))


@pytest.mark.parametrize("make", [union, vaguest, votes_to_given])
def test_votes_out_of_range(make):
    with pytest.raises(ValueError, match="item 2 in answer 0, but there are 2 examples"):
        make(Votes.from_rows([(2, "a", [0])]), 2, 3)
    with pytest.raises(
        ValueError, match=r"label 3 in answer 1 \(item 1\), but there are 3 classes"
    ):
        make(Votes.from_rows([(0, "a", []), (1, "a", [0, 3])]), 2, 3)


@given(answers)
def test_ways_by_name_equal_their_words(rows):
    votes, n, q = Votes.from_rows(rows), N, Q
    said = [[set(labels) for item, _, labels in rows if item == i] for i in range(n)]
    counts = [[sum(k in answer for answer in mine) for k in range(q)] for mine in said]
    assert times_named(votes, n, q).tolist() == counts
    expected = {
        "union": [[c >= 1 for c in row] for row in counts],
        "majority": [[c > len(mine) / 2 for c in row] for row, mine in zip(counts, said)],
        "at-least-2": [[c >= 2 for c in row] for row in counts],
    }
    for name, sets in expected.items():
        assert way_of_sets(name)(votes, n, q, "none").tolist() == sets
    assert np.array_equal(at_least(votes, n, q, 1, "none"), union(votes, n, q, "none"))
    assert np.array_equal(way_of_sets("vaguest")(votes, n, q, "none"), vaguest(votes, n, q, "none"))


def test_answers_without_a_label_count_in_a_majority():
    votes = Votes.from_rows(
        [(0, "a", [1]), (0, "b", []), (1, "a", [0]), (1, "b", [0]), (1, "c", [])]
    )
    assert majority(votes, 2, 2, "none").tolist() == [[False, False], [True, False]]


@pytest.mark.parametrize(
    "name", ["longest", "at-least-0", "at-least-", "at-least-02", "at-least-x"]
)
def test_other_ways_are_refused(name):
    with pytest.raises(ValueError, match=r"Choose from: union, vaguest, majority, or a number"):
        way_of_sets(name)


def test_the_first_answers_are_those_stored_first():
    votes = Votes.from_rows([(1, "a", [0]), (0, "b", [1]), (1, "c", [2]), (1, "d", [])])
    assert [who for _, who, _ in first_answers(votes, 1).rows()] == ["a", "b"]
    assert [who for _, who, _ in first_answers(votes, 2).rows()] == ["a", "b", "c"]
    assert first_answers(votes, 3) == votes
    with pytest.raises(ValueError, match="k is 0"):
        first_answers(votes, 0)
