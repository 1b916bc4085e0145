"""Forest plots: what is drawn where, and that groups do not lie on one another."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.show.intervals import ForestPoint, ForestRow, _lanes, forest_plot

ROWS = [
    ForestRow("ann", [ForestPoint(50, 40, 60), ForestPoint(52, 45, 58)]),
    ForestRow("bob <b>", [ForestPoint(30, None, None), None]),
    ForestRow("eve", [ForestPoint(20, 10, 25), None], aside=True),
]


def test_everything_is_told_to_those_who_cannot_see_it():
    svg = forest_plot(ROWS, "Shares", "share (%)", series=("new", "old"), groups=[(0, 1)])
    told = re.search(r"<desc[^>]*>(.*?)</desc>", svg, re.DOTALL).group(1)
    assert told == (
        "share (%): ann 50.0 (40.0 to 60.0), 52.0 (45.0 to 58.0); bob &lt;b&gt; 30.0; "
        "eve 20.0 (10.0 to 25.0). Joined by a bar: ann, bob &lt;b&gt;."
    )
    assert svg == forest_plot(ROWS, "Shares", "share (%)", series=("new", "old"), groups=[(0, 1)])
    for word in ("new", "old", "ann", "bob &lt;b&gt;", "share (%)"):
        assert word in svg


def test_intervals_lie_where_their_numbers_are():
    """In the SVG the ends of every bar are in the proportions of the numbers."""
    rows = [ForestRow("a", [ForestPoint(1, 0, 4)]), ForestRow("b", [ForestPoint(5, 3, 10)])]
    svg = forest_plot(rows, "t", "x")
    lines = re.findall(r'd="M ([\d.]+) ([\d.]+) \s*L ([\d.]+) ([\d.]+) \s*" clip-path', svg)
    flat = [(float(a), float(c)) for a, y, c, z in lines if y == z]
    (low, high), (start, end) = flat[-2:]
    scale = (end - low) / 10
    assert high == pytest.approx(low + 4 * scale, abs=0.01)
    assert start == pytest.approx(low + 3 * scale, abs=0.01)


def test_nothing_to_draw_is_nothing():
    assert forest_plot([], "t", "x") == ""
    assert forest_plot([ForestRow("a", [None])], "t", "x") == ""


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 8)).map(lambda p: (p[0], p[0] + p[1])))
)
def test_bars_of_one_lane_never_meet(groups):
    groups = sorted(groups)
    lanes = _lanes(groups)
    for k, (lane, (first, last)) in enumerate(zip(lanes, groups)):
        for other, (start, end) in list(zip(lanes, groups))[:k]:
            assert lane != other or last < start or end < first
