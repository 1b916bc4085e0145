"""Agreement against a published worked example, a slow version and identities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from candidly.people.validation import agreement, fleiss, from_counts, gwet, judge

# 14 raters, 10 subjects, 5 categories: the worked example of Fleiss' kappa on Wikipedia
WORKED = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def test_the_worked_example():
    found = fleiss(WORKED)
    assert found.observed == pytest.approx(0.378, abs=5e-4)
    assert found.expected == pytest.approx(0.213, abs=5e-4)
    assert found.value == pytest.approx(0.210, abs=5e-4)
    assert found.items == 10


def slow(counts):
    """Pairs of people, one by one."""
    agree, said = [], []
    for row in counts:
        people = [answer for answer, number in enumerate(row) for _ in range(number)]
        said += people
        pairs = list(combinations(people, 2))
        agree.append(sum(a == b for a, b in pairs) / len(pairs))
    observed = sum(agree) / len(agree)
    expected = sum((said.count(a) / len(said)) ** 2 for a in set(said))
    return (observed - expected) / (1 - expected)


def test_against_the_slow_version():
    rng = np.random.default_rng(0)
    for _ in range(10):
        counts = rng.multinomial(5, [0.5, 0.2, 0.2, 0.1], 20)
        assert fleiss(counts).value == pytest.approx(slow(counts.tolist()))


# 4 raters, 12 subjects, 5 categories, answers missing: the worked example of Gwet's handbook and
# of his package irrCAC, which gives 0.77544
SOME_MISSING = [
    *([1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4]),
    *([4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [5, 5, 5], [1, 1], [3]),
]


def test_the_worked_example_of_ac1():
    counts = np.array([[said.count(k) for k in range(1, 6)] for said in SOME_MISSING])
    found = gwet(counts)
    assert found.value == pytest.approx(0.77544, abs=5e-6)
    assert (found.items, round(found.observed, 4)) == (11, 0.8182)


def slow_ac1(counts):
    """From the definition, item by item."""
    agree, shares = [], []
    for row in counts:
        people = [answer for answer, number in enumerate(row) for _ in range(number)]
        pairs = list(combinations(people, 2))
        if pairs:
            agree.append(sum(a == b for a, b in pairs) / len(pairs))
        if people:
            shares.append([people.count(a) / len(people) for a in range(len(row))])
    often = [sum(column) / len(shares) for column in zip(*shares)]
    there = [p for p in often if p > 0]
    chance = sum(p * (1 - p) for p in there) / max(len(there) - 1, 1)
    return (sum(agree) / len(agree) - chance) / (1 - chance)


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=12).filter(
        lambda rows: any(sum(row) > 1 for row in rows)
    )
)
def test_ac1_against_the_slow_version(rows):
    found = gwet(np.array(rows))
    assert found.value == pytest.approx(slow_ac1(rows))
    assert -1 <= found.value <= 1
    wider = np.pad(rows, ((0, 0), (1, 2)))  # answers that nobody gave change nothing
    assert gwet(wider).value == pytest.approx(found.value)


def test_ac1_does_not_collapse_where_nearly_all_answers_are_one():
    """96 of 100 items alike, and nearly all answers the same one: kappa is near 0, AC1 is not."""
    counts = [[0, 3, 0, 0]] * 96 + [[1, 2, 0, 0]] * 4
    found = agreement(judge(from_counts(counts)))
    assert found.kappa.value < 0.05 < 0.9 < found.ac1.value
    assert not found.slight
    assert "most answers are the same one" in found.sentences()[-1]
    spread = agreement(judge(from_counts([[1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1]] * 20)))
    assert spread.slight
    assert "hardly agree" in spread.sentences()[-1]


def test_what_is_said_where_little_is_known():
    assert agreement(judge(from_counts([[1, 0, 0, 0]]))).sentences() == []
    [alone] = agreement(judge(from_counts([[3, 0, 0, 0], [3, 0, 0, 0]]))).sentences()
    assert alone.startswith("People agree on 100.0 % of pairs of answers; beyond chance: AC1 1.00")
    assert "nan" not in alone


@pytest.mark.parametrize(("of", "slow"), [(fleiss, slow), (gwet, slow_ac1)])
def test_the_interval_is_the_jackknife(of, slow):
    counts = np.random.default_rng(1).multinomial(5, [0.5, 0.3, 0.2], 12)
    left_out = np.array([slow(np.delete(counts, i, 0).tolist()) for i in range(12)])
    error = (11 / 12 * ((left_out - left_out.mean()) ** 2).sum()) ** 0.5
    found = of(counts)
    half = t.ppf(0.975, 11) * error
    assert found.high - found.value == pytest.approx(half)
    assert found.value - found.low == pytest.approx(half)


def test_chance_agreement_is_nought_and_one_answer_is_undefined():
    rng = np.random.default_rng(2)
    found = fleiss(rng.multinomial(5, [0.6, 0.3, 0.1], 5000))
    assert abs(found.value) < 0.02
    assert found.low < 0 < found.high
    assert np.isnan(fleiss(np.array([[5, 0], [5, 0]])).value)
    assert np.isnan(fleiss(np.zeros((0, 4), int)).value)
    assert fleiss(np.array([[5, 0], [1, 0], [0, 0], [0, 5]])).items == 2


def test_agreement_of_verdicts():
    counts = [[5, 0, 0, 0], [3, 2, 0, 0], [4, 1, 0, 0], [1, 2, 1, 1], [1, 0, 0, 0]]
    found = agreement(judge(from_counts(counts)))
    assert (found.decided, found.unanimous, found.split, found.fragile) == (4, 1, 1, 2)
    assert found.kappa.value == pytest.approx(fleiss(np.array(counts[:4])).value)
    assert found.slight


def test_questions_with_one_class_take_no_part_in_kappa():
    counts = [[5, 0, 0, 0], [3, 2, 0, 0], [0, 5, 0, 0]]
    tally = from_counts(counts, given=[1, 1, 1], guessed=[1, 2, 2])
    assert agreement(judge(tally)).kappa.items == 2
