"""Tests over splits by what the splits have in common, against analyses of variance."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from _bench import RESULTS
from candidly.stats import (
    OneTestSet,
    RandomSplits,
    compare_all,
    corrected_t,
    crossed_parts,
    crossed_t,
    leader,
    rank_stability,
)

from committed import needs_results

DESIGNS = (
    RandomSplits(0.1),
    OneTestSet(100),
    OneTestSet(100, np.zeros((2, 2, 100), bool)),
    OneTestSet(None),
)


def two_ways(d: np.ndarray) -> tuple[float, float, float]:
    """Mean squares of splits, of rows and of what is left, as a textbook has them."""
    n, m = d.shape
    splits, rows, mean = d.mean(1), d.mean(0), d.mean()
    left = d - splits[:, None] - rows + mean
    return (
        m * ((splits - mean) ** 2).sum() / (n - 1),
        n * ((rows - mean) ** 2).sum() / (m - 1),
        (left**2).sum() / ((n - 1) * (m - 1)),
    )


def test_the_variance_is_that_of_a_crossed_analysis_of_variance():
    g = np.random.default_rng(0)
    d = g.normal(size=(6, 1)) + 2 * g.normal(size=(1, 40)) + g.normal(size=(6, 40))
    splits, rows, left = two_ways(d)
    test = crossed_t(d)
    square = (splits + rows - left) / d.size
    assert test.standard_error == pytest.approx(square**0.5)
    freedom = square**2 / ((splits / d.size) ** 2 / 5 + (rows / d.size) ** 2 / 39)
    assert test.freedom == pytest.approx(freedom)
    assert test.p == pytest.approx(2 * stats.t.sf(abs(d.mean()) / square**0.5, freedom))
    half = stats.t.ppf(0.975, freedom) * square**0.5
    assert (test.low, test.high) == pytest.approx((d.mean() - half, d.mean() + half))
    assert (test.difference, test.pairs) == (pytest.approx(d.mean()), 6)
    parts = crossed_parts(d)
    assert parts[0, 1] == pytest.approx(left)
    assert parts[0,] == pytest.approx((splits - left) / 40)
    assert parts[1,] == pytest.approx((rows - left) / 6)
    with pytest.raises(ValueError, match=r"shape \(1, 4\)"):
        crossed_parts(np.ones((1, 4)))


def test_one_axis_is_the_usual_t_test():
    d = np.array([0.1, 0.3, -0.2, 0.4, 0.3])
    known = stats.ttest_1samp(d, 0)
    assert crossed_t(d).p == pytest.approx(known.pvalue)
    assert corrected_t(d, np.zeros(5), 0).p == pytest.approx(known.pvalue)


@given(
    st.tuples(st.integers(2, 4), st.integers(2, 5), st.integers(2, 4)),
    st.integers(0, 2**32 - 1),
    st.permutations((0, 1, 2)),
)
def test_the_order_of_axes_means_nothing_and_no_axis_says_more_than_the_variance(
    shape, seed, order
):
    d = np.random.default_rng(seed).integers(-1, 2, shape).astype(float)
    one, other = crossed_t(d), crossed_t(d.transpose(order))
    assert one.standard_error == pytest.approx(other.standard_error)
    assert one.p == pytest.approx(other.p)
    for axis in range(3):
        margin = d.mean(tuple(a for a in range(3) if a != axis))
        assert one.standard_error >= margin.std(ddof=1) / len(margin) ** 0.5 - 1e-9


def test_the_variance_of_three_crossed_draws_is_estimated_without_bias():
    """Parts of the variance are known, so the variance of the mean is."""
    g = np.random.default_rng(1)
    shape, parts = (4, 3, 6), {}
    for size in (1, 2, 3):
        for axes in itertools.combinations(range(3), size):
            parts[axes] = g.uniform(0.5, 1.5)
    known = sum(v / np.prod([shape[a] for a in axes]) for axes, v in parts.items())
    found, means = [], []
    for _ in range(2000):
        d = sum(
            v**0.5 * g.normal(size=[shape[a] if a in axes else 1 for a in range(3)])
            for axes, v in parts.items()
        )
        test = crossed_t(d)
        found.append(test.standard_error**2)
        means.append(test.difference)
    assert np.var(means) == pytest.approx(known, rel=0.1)
    # taken no lower than an axis alone says, so a little above
    assert known * 0.97 < np.mean(found) < known * 1.15


def test_an_axis_with_one_draw_says_nothing_of_its_chance():
    assert crossed_t(np.ones((1, 50))).p is None
    assert crossed_t(np.zeros((5, 20))).p == 1
    assert crossed_t(np.ones((5, 20))).p is None  # the same everywhere: values are coarse


def of_shares(right: np.ndarray) -> np.ndarray:
    return right.mean(-1)


def test_one_test_set_reads_the_rows_where_it_knows_them():
    g = np.random.default_rng(2)
    right = g.random((5, 3, 80)) < np.array([0.6, 0.7, 0.9])[:, None]
    table = of_shares(right)
    whole, bounded = OneTestSet(80, right), OneTestSet(80)
    d = right[:, 2].astype(float) - right[:, 0]
    assert whole.compared(table, 2, 0, 0.95) == crossed_t(d)
    # a split that one of the two lacks is left out, and what was not recorded is bounded
    table[1, 0] = np.nan
    test = whole.compared(table, 2, 0, 0.95)
    assert (test.pairs, test.left_out) == (4, 1)
    assert test.difference == pytest.approx(np.delete(d, 1, 0).mean())
    known = np.ones((5, 3), bool)
    known[2, 2] = False
    half = OneTestSet(80, right, known)
    assert half.compared(table, 2, 0, 0.95) == bounded.compared(table, 2, 0, 0.95)
    assert half.compared(table, 1, 0, 0.95) == whole.compared(table, 1, 0, 0.95)


def test_unknown_rows_are_bounded_by_hand():
    table = np.array([[0.80, 0.70], [0.82, 0.70], [0.78, 0.70]])
    test = OneTestSet(500).compared(table, 0, 1, 0.95)
    square = 0.02**2 / 3 + (0.8 * 0.2 + 0.7 * 0.3) / 500
    assert test.standard_error == pytest.approx(square**0.5)
    assert test.freedom == pytest.approx(2 * (square / (0.02**2 / 3)) ** 2)
    nothing = OneTestSet(None).compared(table, 0, 1, 0.95)
    assert (nothing.difference, nothing.p, nothing.low) == (pytest.approx(0.1), None, None)


def test_what_chance_made_of_the_test_rows_leads_nobody():
    """Two algorithms differ on the same few rows in each split: splits alone call it certain."""
    right = np.ones((5, 2, 100), bool)
    right[:, 1, :3] = False
    right[0, 1, 3] = False
    table, names = of_shares(right), ["a", "b"]
    assert leader(table, names, RandomSplits(0.1)).beyond_chance
    assert not leader(table, names, OneTestSet(100, right)).beyond_chance
    assert not leader(table, names, OneTestSet(100)).beyond_chance
    assert compare_all(table, names, OneTestSet(None)).pairs[0].verdict == "unknown"
    why = leader(table, names, OneTestSet(None)).why
    assert "all splits have the same test rows" in why


def test_ranks_are_as_steady_as_splits_and_shared_rows_make_them():
    """Two that differ in three of 100 rows in each split: other rows may turn them."""
    right = np.ones((5, 2, 100), bool)
    right[:, 1, :3] = False
    table, names = of_shares(right), ["a", "b"]
    about = {"higher": True, "by": "mean"}
    alone = rank_stability(table, names, **about).algorithms[1]
    whole = rank_stability(table, names, **about, right=right).algorithms[1]
    assert (alone.low, alone.high, alone.first) == (2, 2, 0)
    assert whole.low == 1.5  # drawn again, 100 rows leave out these three in 1 of 20
    assert whole.first == pytest.approx(0.97**100 / 2, abs=0.01)
    lower = rank_stability(table, names, higher=False, by="mean", right=right).algorithms[0]
    assert (lower.rank, lower.low) == (2, 1.5)
    with pytest.raises(ValueError, match="give `by='mean'`"):
        rank_stability(table, names, higher=True, right=right)


@needs_results
def test_a_level_is_claimed_where_a_simulation_saw_it_hold():
    claims = json.loads((RESULTS / "designs.json").read_text())["claims"]
    for design in DESIGNS:
        mine = [
            one
            for one in claims
            if one["name"].split(", ")[0] == design.name.split(", ")[0]
            and (", rows unknown" in one["name"]) == (", rows unknown" in design.name)
            and one["holds"] is not None
        ]
        if design.level_holds:
            assert len(mine) >= 6
            assert all(one["holds"] for one in mine)
    assert any(not design.level_holds for design in DESIGNS)


def told(part: str, measure: str) -> str:
    """From the least to the most that was measured of a design, in percent."""
    claims = json.loads((RESULTS / "designs.json").read_text())["claims"]
    head = part.split(";")
    values = [
        100 * one["value"]
        for one in claims
        if one["name"].endswith(f": {measure}")
        and re.match(head[0], one["name"])
        and all(more in one["name"] for more in head[1:])
    ]
    assert len(values) >= 6
    return f"{min(values):.1f} to {max(values):.1f}"


PLAIN = r"one test set, \d+ algorithms, [^:]*(overlap little|are shared):"


@needs_results
@pytest.mark.parametrize(
    ("part", "measure"),
    [
        (head, measure)
        for head in (
            r"random splits, \d+ algorithms, \d+ splits:",
            PLAIN,
            "one test set, rows unknown",
            r"one test set, \d;splits alone",
        )
        for measure in ("interval holds", "any false difference")
    ],
)
def test_the_docs_say_what_was_measured(part, measure):
    page = Path(__file__).parents[2] / "docs" / "benchmark.md"
    assert told(part, measure) in page.read_text()
