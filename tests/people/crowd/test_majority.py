"""Majority votes: every rule for ties by hand, and all of them against loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.ground.seeds import draw
from candidly.people.crowd import RULES, Answers, majority

import slow_crowd as slow

N, M, J = 5, 3, 4


def answers_of(rows, n=N, m=M):
    return Answers.from_columns(*zip(*rows), items=n, classes=m)


some_rows = st.dictionaries(
    st.tuples(st.integers(0, N - 1), st.integers(0, J - 1)), st.integers(0, M - 1), min_size=1
).map(lambda cells: [(i, j, label) for (i, j), label in cells.items()])


@given(some_rows, st.booleans(), st.integers(0, 3))
@settings(max_examples=150)
def test_labels_and_rules_equal_the_definition(rows, with_model, seed):
    probs = np.array([[0.5, 0.25, 0.25], [0.4, 0.4, 0.2]])[np.arange(N) % 2]
    found = majority(answers_of(rows), probs if with_model else None, seed)
    draws = draw(seed, "crowd ties").random(N)
    labels, rules = slow.majority(rows, N, M, probs if with_model else None, draws)
    assert found.labels.tolist() == labels
    assert [RULES[k] for k in found.rule] == rules
    assert sum(found.ties.values()) == sum(rule not in ("untied", "no answer") for rule in rules)


def test_each_rule_by_hand():
    rows = [
        (0, "a", 0), (0, "b", 0), (0, "c", 1),  # untied: 0; a and b agree, c does not
        (1, "a", 0), (1, "c", 1),  # tied
        (2, "b", 2), (2, "c", 1),  # tied
    ]  # fmt: skip
    # said 3 times 0, 3 times 1, once 2
    probs = np.array([[0.2, 0.2, 0.6], [0.2, 0.7, 0.1], [0.2, 0.4, 0.4]])
    found = majority(answers_of(rows, 4), np.vstack([probs, [[1, 0, 0]]]))
    assert found.labels.tolist() == [0, 1, 2, -1]
    assert [RULES[k] for k in found.rule] == ["untied", "model", "rarer class", "no answer"]
    found = majority(answers_of(rows, 4))
    assert found.labels.tolist() == [0, 0, 2, -1]  # 1: as often said, and a agrees better than c
    assert [RULES[k] for k in found.rule] == [
        "untied", "best annotator", "rarer class", "no answer"
    ]  # fmt: skip
    assert found.posterior[0].tolist() == [2 / 3, 1 / 3, 0]
    assert found.posterior[3].tolist() == [1 / 3] * 3
    assert found.quality[:3].tolist() == [2 / 3, 0.5, 0.5]
    assert np.isnan(found.quality[3])
    assert np.isnan(found.agreement[3])


def test_draws_are_seeded_even_and_each_items_own():
    n = 4000
    rows = [(i, j, (i + j) % 2) for i in range(n) for j in range(2)]
    found = majority(answers_of(rows, n, 2))
    assert found.ties == {"model": 0, "rarer class": 0, "best annotator": 0, "drawn": n}
    assert abs(found.labels.mean() - 0.5) < 4 * 0.5 / np.sqrt(n)
    assert np.array_equal(majority(answers_of(rows, n, 2)).labels, found.labels)
    assert not np.array_equal(majority(answers_of(rows, n, 2), seed=1).labels, found.labels)
    rows[0] = (0, 0, 1)  # item 0 is not tied any more, and 0 is rarer: nothing is drawn
    assert majority(answers_of(rows, n, 2)).ties["rarer class"] == n - 1
    # a second untied item evens the classes out; the annotators agree half the time: draws again
    rows[2] = (1, 0, 0)
    again = majority(answers_of([(0, 0, 0), (0, 1, 0), *rows[2:]], n, 2))
    kept = again.rule == RULES.index("drawn")
    assert np.array_equal(again.labels[kept], found.labels[kept])


def test_agreement_of_those_without_untied_items_is_the_average():
    rows = [(0, "a", 0), (0, "b", 0), (0, "c", 1), (1, "d", 1), (1, "c", 2), (1, "a", 0)]
    rows += [(2, "e", 1), (2, "f", 1), (2, "g", 0)]
    rows += [(3, "h", 2), (3, "i", 2), (3, "j", 2)]
    rows += [(4, "k", 0)]
    # said: 0 five times, 1 four times, 2 four times; item 1: 1 by d (the average), 2 by c (0)
    found = majority(answers_of(rows))
    assert RULES[found.rule[1]] == "best annotator"
    assert found.labels[1] == 1


@pytest.mark.parametrize("m", [2, 5])
def test_all_the_same(m):
    rows = [(i, j, i % 2) for i in range(6) for j in range(3)]
    found = majority(answers_of(rows, 6, m))
    assert found.labels.tolist() == [0, 1] * 3
    assert (found.quality == 1).all()
    assert (found.annotator_quality == 1).all()


def test_one_answer_each_is_taken_and_says_nothing_of_people():
    found = majority(answers_of([(i, i % 2, i % 3) for i in range(5)]))
    assert found.labels.tolist() == [0, 1, 2, 0, 1]
    assert np.isnan(found.annotator_quality).all()
