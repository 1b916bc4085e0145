"""Totals from samples: published figures, enumeration, simulation."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import hypergeom

from candidly.people.validation import (
    estimate,
    estimates,
    from_counts,
    judge,
    missed,
    totals,
)


@pytest.mark.parametrize(
    ("numbers", "percent", "ends"),
    [
        ((65, 400, 4643, 30607), 2.465, (1.97, 3.06)),
        ((458, 2360, 4643, 30607), 2.944, (2.71, 3.19)),
        ((1870, 2500, 6825383, 50426266), 10.124, (9.89, 10.35)),
        ((732, 1000, 533249, 9996437), 3.905, (3.75, 4.05)),
    ],
)
def test_published_samples(numbers, percent, ends):
    found = estimate(*numbers)
    assert found.percent == pytest.approx(percent, abs=5e-4)
    assert [round(100 * end / numbers[3], 2) for end in found.wilson] == list(ends)


def test_a_census_has_no_sampling_error():
    found = estimate(54, 275, 275, 10_000)
    assert found.census
    assert found.interval == found.finite == (54, 54)
    assert found.percent == pytest.approx(0.54)


@pytest.mark.parametrize(("flagged", "checked"), [(20, 8), (25, 24), (12, 1)])
def test_the_finite_interval_against_enumeration(flagged, checked):
    def chance(x, m):
        return comb(m, x) * comb(flagged - m, checked - x) / comb(flagged, checked)

    for found in range(checked + 1):
        possible = [
            m
            for m in range(flagged + 1)
            if sum(chance(x, m) for x in range(found, checked + 1)) > 0.025
            and sum(chance(x, m) for x in range(found + 1)) > 0.025
        ]
        low, high = estimate(found, checked, flagged).finite
        assert (low, high) == (possible[0], possible[-1])


def test_the_finite_interval_holds_its_level():
    rng = np.random.default_rng(0)
    flagged, checked, wrong = 300, 120, 90
    drawn = rng.hypergeometric(wrong, flagged - wrong, checked, 2000)
    inside = 0
    for found, times in zip(*np.unique(drawn, return_counts=True)):
        low, high = estimate(int(found), checked, flagged).finite
        inside += times * (low <= wrong <= high)
    assert inside / 2000 >= 0.94  # exact intervals hold at least 95 %; 2.7 standard errors below


@pytest.mark.parametrize(("flagged", "checked"), [(1000, 50), (44_560, 300), (200, 150)])
def test_intervals_hold_also_where_few_are_wrong(flagged, checked):
    for wrong in np.unique(np.geomspace(1, flagged, 25).astype(int)).tolist():
        drawn = hypergeom(flagged, wrong, checked)
        held = {"interval": 0.0, "missed": 0.0, "wilson": 0.0}
        for found in range(min(wrong, checked) + 1):
            if (p := float(drawn.pmf(found))) < 1e-9:
                continue
            known = estimate(found, checked, flagged)
            audit = missed(flagged, checked, found)
            ends = {
                "interval": known.interval,
                "missed": (audit.low, audit.high),
                "wilson": known.wilson,
            }
            for name, (low, high) in ends.items():
                held[name] += p * (low <= wrong <= high)
        assert min(held["interval"], held["missed"]) >= 0.9499
        if wrong == 3 and flagged == 1000:
            assert held["wilson"] < 0.9  # why it is not the one


@pytest.mark.parametrize("numbers", [(5, 4), (1, 4, 3), (1, 4, 5, 4), (-1, 4), (0, 0)])
def test_numbers_that_fall_are_refused(numbers):
    with pytest.raises(ValueError, match="must not fall"):
        estimate(*numbers)


def test_missed_errors():
    none = missed(44_560)
    assert (none.expected, none.high) == (None, 44_560)
    assert "nothing is known of the 44,560" in str(none)
    clean = missed(44_560, 300)
    assert clean.high == 542
    assert "up to 542" in str(clean)
    some = missed(1_000, 40, 2)
    assert some.expected == 50
    assert some.low < 50 < some.high
    assert "about 50 were missed" in str(some)
    assert missed(10, 2).high == 7  # of 8 wrong ones two right ones are drawn in 1 of 45
    assert missed(10, 10).high == 0  # all were audited
    assert (missed(10, 10, 3).low, missed(10, 10, 3).high) == (3, 3)
    with pytest.raises(ValueError, match="must not fall"):
        missed(10, 11)
    with pytest.raises(ValueError, match="must not fall"):
        missed(10, 5, 6)


def test_without_an_error_the_bound_is_that_of_a_share():
    for audited in (100, 300, 3000):
        exact = 1 - 0.025 ** (1 / audited)
        assert missed(10**6, audited).high / 10**6 == pytest.approx(exact, rel=0.005)


def test_totals_and_estimates_of_verdicts():
    counts = [[5, 0, 0, 0], [0, 5, 0, 0], [2, 0, 3, 0], [1, 1, 0, 0], [0, 0, 0, 0], [2, 2, 0, 0]]
    verdicts = judge(from_counts(counts))
    found = totals(verdicts)
    assert (found.checked, found.decided, found.unanswered, found.short) == (6, 4, 1, 0)
    assert {name: e.count for name, e in found.errors.items()} == {
        "exact": 3,
        "seen": 2,
        "confirmed wrong": 1,
    }
    assert found.errors["exact"].share == 0.75
    assert sum(found.categories.values()) == 6
    whole = estimates(verdicts, 40, 100)
    assert whole["exact"].total == 30
    assert totals(judge(from_counts([[4, 0, 0, 0]]), 5)).short == 1
    with pytest.raises(ValueError, match="none of the 1 items"):
        estimates(judge(from_counts([[0, 0, 0, 0]])), 1, 10)
    assert np.isnan(totals(judge(from_counts([[0, 0, 0, 0]]))).errors["exact"].share)
