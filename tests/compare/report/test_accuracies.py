"""The figure that leads a report: means, their intervals, and bars over what is not told apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from candidly.compare.report.accuracies import _point, accuracies_figure, alike_runs
from candidly.compare.report.design import by_split
from candidly.compare.sweep.select import cells
from candidly.stats import RandomSplits, compare_all
from compare.report.fake_results import make_results


def test_an_interval_is_that_of_a_paired_test_against_who_is_always_wrong():
    """A mean is the difference from 0 on every split, so its interval is that of the same test."""
    results = make_results(("Lost",), ("CC", "PRODEN", "LWS"), splits=5, configs=1)
    mine = [cell for cell in cells(results) if cell.criterion == "CR"]
    whole = by_split(mine, results, "top1")
    for k, cell in enumerate(mine):
        table = np.stack([whole.table[:, k], np.zeros(5)], 1)
        test = whole.design.compared(table, 0, 1, 0.95)
        point = _point(cell, "top1", whole.design)
        assert point.value == pytest.approx(100 * test.difference)
        assert point.low == pytest.approx(max(0, 100 * test.low))
        assert point.high == pytest.approx(min(100, 100 * test.high))
    share, values = whole.design.test_share, whole.table[:, 0]
    spread = np.sqrt(values.var(ddof=1) * (1 / 5 + share / (1 - share)))  # Nadeau and Bengio
    reach = 100 * scipy_stats.t.ppf(0.975, 4) * spread
    low = 100 * values.mean() - reach
    assert _point(mine[0], "top1", whole.design).low == pytest.approx(max(0, low))


tables = st.lists(st.lists(st.floats(0, 1), min_size=6, max_size=6), min_size=4, max_size=4).map(
    np.array
)


@given(tables, st.floats(0.05, 0.9))
def test_bars_join_exactly_the_runs_of_which_no_two_are_apart(table, alpha):
    names = sorted("abcdef", key=lambda name: -table[:, "abcdef".index(name)].mean())
    found = compare_all(table, list("abcdef"), RandomSplits(0.1), alpha)
    apart = {frozenset((p.first, p.second)) for p in found.pairs if p.verdict in ("win", "loss")}
    every = [
        (a, b)
        for a in range(6)
        for b in range(a + 1, 6)
        if not any(frozenset(two) in apart for two in itertools.combinations(names[a : b + 1], 2))
    ]
    longest = [
        (a, b)
        for a, b in every
        if not any((c, d) != (a, b) and c <= a and b <= d for c, d in every)
    ]
    assert alike_runs(names, found) == longest


def test_oracles_stand_above_and_in_no_bar():
    results = make_results(("Lost",), ("CC", "supervised-oracle", "PRODEN"), splits=5, configs=1)
    mine = [cell for cell in cells(results) if cell.criterion == "CR"]
    svg = accuracies_figure(mine, results, "top1").html()
    told = svg[svg.index("<desc") : svg.index("</desc>")]
    assert "supervised-oracle" in told
    assert "supervised-oracle" not in told.partition("Joined")[2]
    assert accuracies_figure([], results, "top1") is None
