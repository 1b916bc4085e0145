"""Wrong answers that annotators share: against plain loops, and simulated crowds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from candidly.people.crowd import Answers, shared_errors
from candidly.people.crowd.dependence._fit import fit
from candidly.people.crowd.dependence._pairs import _common, _tail, pairs_of

from simulated_crowd import crowd, matrices, simulated


def by_loops(fitted):
    """Shared wrong answers and their expected number by pair, as ``_of_two`` describes them."""
    answers, m = fitted.answers, fitted.answers.m
    found: dict[tuple[int, int], list[float]] = {}
    for i in range(answers.n):
        said = np.flatnonzero(answers.item == i)
        if len(said) < 3:
            continue
        for a, b in itertools.combinations(said.tolist(), 2):
            p = fitted.prior.copy()
            for c in said.tolist():
                if c not in (a, b):
                    p *= fitted.rates[answers.annotator[c], answers.label[c]]
            p /= p.sum()
            one, other = int(answers.annotator[a]), int(answers.annotator[b])
            expected = sum(
                (1 - p[label])
                * sum(
                    p[k] * fitted.rates[one, label, k] * fitted.rates[other, label, k]
                    for k in range(m)
                )
                for label in range(m)
            )
            same = answers.label[a] == answers.label[b]
            sums = found.setdefault((one, other), [0, 0.0, 0.0])
            sums[0] += 1
            sums[1] += 1 - p[answers.label[a]] if same else 0.0
            sums[2] += expected
    return {pair: sums for pair, sums in found.items() if sums[0] >= 5}


@pytest.mark.parametrize(("m", "each"), [(2, 5), (3, 3), (5, 4)])
def test_shared_wrong_answers_are_those_of_loops(m, each):
    _, answers = simulated(60, matrices(6, m, 1), each, 1)
    fitted = fit(answers)
    pairs = pairs_of(fitted)
    expected = by_loops(fitted)
    assert list(zip(pairs.first.tolist(), pairs.second.tolist())) == sorted(expected)
    for k, pair in enumerate(sorted(expected)):
        items, found, chance = expected[pair]
        assert pairs.items[k] == items
        assert pairs.found[k] == pytest.approx(found, rel=1e-9)
        assert pairs.expected[k] == pytest.approx(chance, rel=1e-9)


def test_the_tail_is_that_of_poisson_at_whole_numbers():
    from scipy.stats import poisson

    expected = np.array([0.3, 2.0, 7.5])
    for found in (1.0, 4.0, 11.0):
        np.testing.assert_allclose(
            _tail(np.full(3, found), expected), poisson.sf(found - 1, expected), rtol=1e-10
        )
    assert _tail(np.zeros(1), np.ones(1)) == 1


def test_the_common_excess_is_found_where_it_is_one():
    """Numbers that are products of factors of their annotators are foretold by them."""
    rng = np.random.default_rng(0)
    first, second = np.triu_indices(8, 1)
    factors = rng.uniform(0.7, 1.6, 8)
    expected = rng.uniform(200, 400, len(first))
    found = 2 * expected * factors[first] * factors[second]
    usual = np.ones(len(first), bool)
    common, spread = _common(first, second, found, expected, np.ones(len(first)), 8, usual)
    np.testing.assert_allclose(common, np.maximum(found, expected), rtol=0.02)
    assert spread == 1


def test_who_repeats_another_is_found_and_nobody_else():
    _, answers = crowd(0, copies=0.4)
    shared = shared_errors(answers)
    assert shared.dependent
    assert shared.voices == (("0", "1"),)
    first = shared.table().row(0, named=True)
    assert {first["annotator"], first["other"]} == {"0", "1"}
    assert first["repeats"]
    assert shared.table()["repeats"].sum() == 1
    assert first["shared wrong"] > 2 * first["expected"]


def test_items_that_are_difficult_for_all_are_no_copies():
    crowds = [crowd(seed, n=2000, number=12, difficulty=2.0)[1] for seed in range(4)]
    seen = [shared_errors(answers) for answers in crowds]
    assert all(shared.dependent for shared in seen)
    assert all(shared.voices == () for shared in seen)
    assert all(shared.effective < 10 for shared in seen)


def test_independent_annotators_are_mostly_left_alone():
    """At most 5 % of independent crowds are said to depend, by either test; of 12, most are not."""
    seen = [shared_errors(crowd(seed, n=500)[1], seed=seed) for seed in range(12)]
    assert sum(bool(shared.dependent) for shared in seen) <= 3
    assert all(shared.voices == () for shared in seen)
    assert np.mean([shared.effective for shared in seen]) > 7.5


def test_the_order_of_annotators_changes_nothing_but_names():
    _, answers = crowd(3, n=300, number=6, copies=0.5)
    matrix = np.full((answers.n, 6), -1)
    matrix[answers.item, answers.annotator] = answers.label
    order = np.array([4, 1, 3, 0, 5, 2])
    mixed = shared_errors(Answers.from_matrix(matrix[:, order], 4, [f"a{j}" for j in order]))
    plain = shared_errors(Answers.from_matrix(matrix, 4, [f"a{j}" for j in range(6)]))
    assert {frozenset(v) for v in mixed.voices} == {frozenset(v) for v in plain.voices}
    pick = {frozenset(row[:2]): row[2:5] for row in plain.table().rows()}
    for row in mixed.table().rows():
        np.testing.assert_allclose(row[2:5], pick[frozenset(row[:2])], rtol=1e-6)


def test_nothing_to_test_is_said_and_no_crash():
    lonely = Answers.from_matrix(np.array([[0], [1], [0], [1]] * 3))
    apart = Answers.from_columns(range(30), [str(i % 3) for i in range(30)], [0, 1] * 15)
    two = Answers.from_matrix(np.array([[0, 1], [1, 1], [0, 0]] * 10))
    for answers in (lonely, apart, two):
        shared = shared_errors(answers)
        assert shared.dependent is None
        assert shared.chance is None
    agree = shared_errors(Answers.from_matrix(np.repeat([[0], [1], [2]], 5, 1).repeat(40, 0)))
    assert agree.voices == ()


def test_annotators_of_few_answers_are_in_no_pair():
    _, answers = crowd(1, n=400, number=5)
    rows = list(zip(answers.item.tolist(), answers.annotator.tolist(), answers.label.tolist()))
    rows += [(i, f"once {i}", int(i % 4)) for i in range(50)]
    more = Answers.from_columns(*zip(*[(i, str(j), label) for i, j, label in rows]), classes=4)
    shared = shared_errors(more)
    assert len(shared.pairs.first) == 10
    assert set(shared.table()["annotator"]) <= {str(j) for j in range(5)}
