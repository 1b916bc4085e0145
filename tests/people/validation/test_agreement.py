"""Agreement against a published worked example, a slow version and identities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from candidly.people.validation import agreement, fleiss, from_counts, judge

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
    assert found.kappa == pytest.approx(0.210, abs=5e-4)
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
        assert fleiss(counts).kappa == pytest.approx(slow(counts.tolist()))


def test_the_interval_is_the_jackknife():
    counts = np.random.default_rng(1).multinomial(5, [0.5, 0.3, 0.2], 12)
    left_out = np.array([slow(np.delete(counts, i, 0).tolist()) for i in range(12)])
    error = (11 / 12 * ((left_out - left_out.mean()) ** 2).sum()) ** 0.5
    found = fleiss(counts)
    assert found.high - found.kappa == pytest.approx(1.959964 * error)
    assert found.kappa - found.low == pytest.approx(1.959964 * error)


def test_chance_agreement_is_nought_and_one_answer_is_undefined():
    rng = np.random.default_rng(2)
    found = fleiss(rng.multinomial(5, [0.6, 0.3, 0.1], 5000))
    assert abs(found.kappa) < 0.02
    assert found.low < 0 < found.high
    assert np.isnan(fleiss(np.array([[5, 0], [5, 0]])).kappa)
    assert np.isnan(fleiss(np.zeros((0, 4), int)).kappa)
    assert fleiss(np.array([[5, 0], [1, 0], [0, 0], [0, 5]])).items == 2


def test_agreement_of_verdicts():
    counts = [[5, 0, 0, 0], [3, 2, 0, 0], [4, 1, 0, 0], [1, 2, 1, 1], [1, 0, 0, 0]]
    found = agreement(judge(from_counts(counts)))
    assert (found.decided, found.unanimous, found.split, found.fragile) == (4, 1, 1, 2)
    assert found.kappa.kappa == pytest.approx(fleiss(np.array(counts[:4])).kappa)
    assert found.slight


def test_questions_with_one_class_take_no_part_in_kappa():
    counts = [[5, 0, 0, 0], [3, 2, 0, 0], [0, 5, 0, 0]]
    tally = from_counts(counts, given=[1, 1, 1], guessed=[1, 2, 2])
    assert agreement(judge(tally)).kappa.items == 2
