"""Crossings and rankings: published numbers, slow versions, simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.compare.stability import (
    accuracy_at,
    competition_ranks,
    find_crossings,
    mcnemar,
    rankings,
    resample,
    tango,
    tau_steps,
    tie_prevalence,
)
from candidly.stats.crossing import tie_interval


def test_published_crossing_on_cifar_10():
    """VGG-11 and VGG-19: 92.39 % and 93.95 % of 10,000; on the 18 changed labels 5 and 9, then
    12 and 7 (Table S2). 36 items are pruned, and whatever they say the crossing is near 5 %."""
    for eleven, nineteen in ((0, 36), (18, 18), (36, 0)):
        u = ((9395 - 9 - nineteen) - (9239 - 5 - eleven)) / 9946
        assert 0.03 < tie_prevalence(u, (12 - 7) / 18) < 0.07
    u = ((9395 - 9) - (9239 - 5)) / 9946
    assert tie_prevalence(u, 5 / 18) == pytest.approx(0.052, abs=5e-4)


def test_published_crossing_on_imagenet_is_not_the_one_in_the_figure():
    """ResNet-18 and ResNet-50, 69.76 % and 76.13 %; 1156 and 1036 right of 1405 (Table S1)."""
    u, v = 0.7613 - 0.6976, (1156 - 1036) / 1405
    assert tie_prevalence(u, v) == pytest.approx(0.427, abs=0.015)
    assert tie_prevalence(0.011, v) == pytest.approx(0.114, abs=1e-3)


def test_no_tie_where_one_is_better_everywhere():
    assert np.isnan(tie_prevalence([0.1, 0, 0.1, -0.1], [-0.1, 0.1, 0, 0.2])).all()
    assert tie_prevalence(-0.1, -0.3) == pytest.approx(0.25)


def test_lines_meet_at_the_tie():
    at = tie_prevalence(0.9 - 0.85, 0.6 - 0.2)
    assert accuracy_at(at, 0.9, 0.2) == pytest.approx(accuracy_at(at, 0.85, 0.6))


@pytest.mark.parametrize("size", [18, 40, 200])
@pytest.mark.parametrize(
    ("on_b", "on_c"),
    [((0.03, 0.01), (0.3, 0.05)), ((0.05, 0.01), (0.2, 0.1)), ((0.06, 0.02), (0.6, 0.05))],
)
def test_the_interval_holds_for_few_items_too(size, on_b, on_c):
    rng = np.random.default_rng(size)
    truth = tie_prevalence(on_b[0] - on_b[1], on_c[0] - on_c[1])
    b, c, _ = rng.multinomial(2000, [*on_b, 1 - sum(on_b)], 1500).T
    d, e, _ = rng.multinomial(size, [*on_c, 1 - sum(on_c)], 1500).T
    meets = (b > c) & (d > e)
    b, c, d, e = (x[meets] for x in (b, c, d, e))
    found = tie_interval((b - c) / 2000, (d - e) / size, tango(b, c, 2000), tango(d, e, size))
    held = (found[:, 0] <= truth) & (truth <= found[:, 1])
    assert held.mean() >= 0.95 - 2 * (0.05 * 0.95 / len(held)) ** 0.5


@settings(max_examples=60)
@given(st.floats(0.001, 0.9), st.floats(0.001, 0.9), st.tuples(*[st.floats(0, 1)] * 4))
def test_it_holds_what_is_not_excluded(u, v, away):
    down, up, fall, rise = away
    grid = np.linspace(0, 1, 20_001)
    difference = (1 - grid) * u - grid * v
    low = difference - np.hypot((1 - grid) * down, grid * rise)
    high = difference + np.hypot((1 - grid) * up, grid * fall)
    kept = np.sort([*grid[(low <= 0) & (high >= 0)], u / (u + v)])
    found = tie_interval(
        np.array([u]),
        np.array([v]),
        np.array([[u - down, u + up]]),
        np.array([[v - fall, v + rise]]),
    )
    np.testing.assert_allclose(found[0], [kept[0], kept[-1]], atol=1e-4)


RNG = np.random.default_rng(1)
BENIGN = RNG.random((6, 400)) < np.array([[0.9], [0.88], [0.8], [0.8], [0.7], [0.6]])
CHANGED = RNG.random((6, 60)) < np.array([[0.1], [0.3], [0.5], [0.4], [0.6], [0.9]])
BENIGN[3], CHANGED[3] = BENIGN[2], CHANGED[2]  # the same answers
LINES = BENIGN.mean(1), CHANGED.mean(1)


def test_crossings_are_those_of_a_loop():
    found = find_crossings(BENIGN, CHANGED)
    slow = []
    for a in range(6):
        for b in range(6):
            u, v = LINES[0][a] - LINES[0][b], LINES[1][b] - LINES[1][a]
            if u > 0 and v > 0:
                slow.append((u / (u + v), a, b))
    slow.sort()
    np.testing.assert_allclose(found.prevalence, [row[0] for row in slow])
    mine = sorted(zip(found.ahead.tolist(), found.behind.tolist()))
    assert mine == sorted(row[1:] for row in slow)
    inside = (found.interval[:, 0] < found.prevalence) & (found.prevalence < found.interval[:, 1])
    assert inside.all()
    assert found.established.any()
    assert (found.p[~found.established] > 0.05).all()


def test_equal_crossings_are_equal_numbers():
    found = find_crossings(BENIGN, CHANGED)
    twins = found.prevalence[(found.ahead == 0) & np.isin(found.behind, (2, 3))]
    assert len(twins) == 2
    assert twins[0] == twins[1]


def test_five_of_eighteen_establish_nothing():
    benign, changed = np.ones((2, 500), bool), np.zeros((2, 18), bool)
    benign[1, :100] = False
    changed[1, :12], changed[0, :7] = True, True
    found = find_crossings(benign, changed)
    assert len(found) == 1
    assert found.p[0] == 0.0625
    changed[1, :18], changed[0] = True, False
    assert find_crossings(benign, changed).established.all()


def test_a_crossing_that_holm_takes_back_is_not_established():
    """Of 45 pairs one would cross, 7 against 0 on C: p 1/64, and 45/64 after Holm."""
    benign, changed = np.ones((10, 500), bool), np.zeros((10, 18), bool)
    benign[1:, :100] = False
    changed[1, :7] = True
    found = find_crossings(benign, changed)
    assert (found.ahead.tolist(), found.behind.tolist()) == ([0], [1])
    assert tango(7, 0, 18)[0] > 0  # by itself it would be
    assert mcnemar(7, 0) < 0.05
    assert found.p[0] == pytest.approx(45 / 64)
    assert not found.established[0]
    assert found.interval[0, 1] < 1  # the interval is of this pair by itself
    benign, changed = np.ones((20, 500), bool), np.zeros((20, 18), bool)
    benign[1:, :100] = False
    changed[1, :7] = True
    found = find_crossings(benign, changed)
    assert found.p[0] == 1
    assert not found.established[0]


def test_the_level_of_an_established_crossing_is_the_one_asked_for():
    benign, changed = np.ones((2, 500), bool), np.zeros((2, 18), bool)
    benign[1, :100] = False
    changed[1, :7] = True
    assert find_crossings(benign, changed, 0.95).established.all()
    assert not find_crossings(benign, changed, 0.99).established.any()  # p is 1/64


def test_bootstrap_of_a_crossing_agrees_with_the_interval():
    rng = np.random.default_rng(5)
    benign = rng.random((2, 4000)) < [[0.9], [0.8]]
    changed = rng.random((2, 800)) < [[0.2], [0.6]]
    drawn = tuple(resample(part, 4000, 0, name) for part, name in ((benign, "b"), (changed, "c")))
    found = find_crossings(benign, changed, 0.9, drawn)
    np.testing.assert_allclose(found.bootstrap, found.interval, atol=0.01)


def test_every_ranking_on_the_way():
    start = 0.1
    found = find_crossings(BENIGN, CHANGED)
    edges, ranks = rankings(*LINES, start, found.prevalence)
    assert edges[0] == start
    assert edges[-1] == 1
    for low, high, row in zip(edges, edges[1:], ranks):
        for share in (0.01, 0.5, 0.99):
            scores = accuracy_at(low + share * (high - low), *LINES)
            assert competition_ranks(scores).tolist() == row.tolist()
    assert (np.abs(np.diff(ranks, axis=0)).sum(1) > 0).all()
    assert (ranks[:, 2] == ranks[:, 3]).all()
    assert len(edges) - 2 == len(np.unique(found.prevalence[found.prevalence > start]))


def test_tau_against_scipy():
    start, old = 0.05, 1 - LINES[1]
    ties = np.concatenate(
        [find_crossings(BENIGN, CHANGED).prevalence, find_crossings(BENIGN, ~CHANGED).prevalence]
    )
    edges, tau = tau_steps(LINES[0], old, LINES[1], start, ties)
    assert len(tau) > 2
    assert (np.diff(tau) != 0).all()
    for at in np.linspace(start + 1e-4, 0.999, 60):
        before, after = accuracy_at(at, LINES[0], old), accuracy_at(at, *LINES)
        expected = scipy.stats.kendalltau(before.round(12), after.round(12)).statistic
        assert tau[np.searchsorted(edges, at) - 1] == pytest.approx(expected), at


def test_models_that_always_tie_have_no_tau():
    edges, tau = tau_steps(np.ones(3), np.ones(3), np.ones(3), 0.5, np.empty(0))
    assert edges.tolist() == [0.5, 1]
    assert math.isnan(tau[0])


def test_without_changed_items_nothing_crosses():
    assert len(find_crossings(BENIGN, CHANGED[:, :0])) == 0
