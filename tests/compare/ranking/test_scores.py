"""Scores at the door: what is taken, and what is refused and how."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from candidly.compare.ranking import make_scores, make_wins, rank

GOOD = {"a": [1, 0, 1], "b": [0, 1, 1]}


@pytest.mark.parametrize(
    ("models", "options", "said"),
    [
        ({"a": [1, 0]}, {}, "needs at least two"),
        ({"a": [], "b": []}, {}, "no items"),
        ({"a": [1, 0], "b": [1]}, {}, "'a' has scores of 2 items and 'b' of 1"),
        ({"a": [3, 1, 0], "b": [2, 2, 0]}, {}, "score 3 on item 0.*to stability"),
        ({"a": ["cat"], "b": ["dog"]}, {}, "scores are numbers"),
        ({"a": [1, np.inf, 0], "b": [1, 1, 1]}, {}, "score inf"),
        ({"a": [1, np.nan, 0], "b": [1, 1, 1]}, {}, "'a' lacks 1 of 3 items: 1"),
        ({"a": [np.nan], "b": [1]}, {"missing": "drop"}, "nothing is left"),
        (GOOD, {"ids": ["x", "x", "y"]}, "'x' is there 2 times"),
        (GOOD, {"ids": ["x"]}, "`ids` has shape"),
        (GOOD, {"weights": [1, 0, 1]}, "weight of item 1 is 0"),
        (GOOD, {"weights": [1, np.nan, 1]}, "weight of item 1 is nan"),
        (GOOD, {"between": (1, 0)}, "`between`"),
        (GOOD, {"between": "0 to 1"}, "`between`"),
        (GOOD, {"missing": "zero"}, "choose refuse, lowest, drop"),
        (GOOD, {"average": "slices"}, "needs slices"),
        (GOOD, {"average": "mean"}, "choose items or slices"),
        (GOOD, {"groups": [1]}, "`groups` has shape"),
    ],
)
def test_what_does_not_fit(models, options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make_scores({k: np.array(v) for k, v in models.items()}, **options)


def test_options_out_of_range():
    for option in ("alpha", "power"):
        for value in (0, 1, -0.1):
            with pytest.raises(ValueError, match=f"`{option}`"):
                rank(GOOD, **{option: value})


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 8), st.integers(1, 4)),
        elements=st.sampled_from([0.0, 0.5, 1.0, np.nan]),
    )
)
def test_runs_are_averaged(table):
    """One model's runs; the other has one and lacks nothing."""
    full = np.ones(len(table))
    scores = make_scores({"a": table, "b": full}, missing="lowest")
    for values, got in zip(table, scores.values[0]):
        there = values[~np.isnan(values)]
        assert got == pytest.approx(there.mean() if len(there) else 0.0)
    assert scores.filled == np.isnan(table).all(1).sum()
    if table.shape[1] > 1:
        for values, got in zip(table, scores.run_variance[0]):
            there = values[~np.isnan(values)]
            if len(there) > 1:
                assert got == pytest.approx(there.var(ddof=1) / len(there))


def test_missing_items_are_left_out_for_all():
    scores = make_scores(
        {"a": [1, np.nan, 0, 1], "b": [1, 1, np.nan, 0]}, missing="drop", ids=list("wxyz")
    )
    assert scores.ids.tolist() == ["w", "z"]
    assert scores.dropped == 2


def test_slices_count_the_same():
    """Three items of one slice and one of another: each slice is half."""
    models = {"a": [1, 1, 1, 0], "b": [0, 0, 1, 1]}
    found = rank(make_scores(models, slices=list("xxxy"), average="slices"))
    assert [found.model(name).score for name in "ab"] == pytest.approx([0.5, 2 / 3])
    assert found.slices.average == pytest.approx((2 / 3, 0.5))


def test_levels_of_a_range():
    """Grades from 1 to 5 rank as the same grades between 0 and 1."""
    g = np.random.default_rng(0)
    grades = {name: g.integers(1, 6, 200) for name in "abc"}
    found = rank(make_scores(grades, between=(1, 5)))
    unit = rank(make_scores({k: (v - 1) / 4 for k, v in grades.items()}))
    for one, other in zip(found.pairs, unit.pairs):
        assert one.p == pytest.approx(other.p)
        assert one.low == pytest.approx(4 * other.low)
    for one, other in zip(found.models, unit.models):
        assert (one.low - 1) / 4 == pytest.approx(other.low)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_name_is_no_name(missing):
    for what in ("groups", "slices"):
        with pytest.raises(ValueError, match=f"`{what}` is missing at place 1"):
            make_scores(GOOD, **{what: ["x", missing, "y"]})
    with pytest.raises(ValueError, match="`second` is missing at place 0"):
        make_wins(["a", "b"], [missing, "a"], [1, 1])
