"""Parts of a benchmark, keys that may be wrong, conditions, and another ranking beside it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from candidly.compare.ranking import make_scores, rank, suspects
from candidly.compare.ranking._keys import keys_to_turn
from candidly.compare.ranking._slices import heterogeneity
from candidly.compare.ranking.conditions import ahead, no_worse


@given(st.integers(0, 10_000))
def test_two_models_in_two_slices_are_a_z_test(seed):
    """Then the test is that of one number: the difference of two differences."""
    g = np.random.default_rng(seed)
    part = np.repeat([0, 1], [g.integers(5, 30), g.integers(5, 30)])
    values = g.choice([0.0, 0.5, 1.0], (2, len(part)))
    scores = make_scores({"a": values[0], "b": values[1]}, slices=part)
    p, tested = heterogeneity(scores)
    apart = [values[0, part == k] - values[1, part == k] for k in (0, 1)]
    variance = sum(d.var(ddof=1) / len(d) for d in apart)
    if variance == 0:
        assert p is None
        return
    z = (apart[0].mean() - apart[1].mean()) / np.sqrt(variance)
    assert p == pytest.approx(2 * scipy.stats.norm.sf(abs(z)), abs=1e-9)
    assert tested == 2


def test_a_slice_that_turns_an_order():
    """`a` leads over all; in one slice `b` is right where `a` is wrong, thirty times."""
    part = np.repeat(["big", "odd"], [200, 30])
    a = np.r_[np.ones(200), np.zeros(30)]
    b = np.r_[np.tile([1, 0], 100), np.ones(30)]
    found = rank(make_scores({"a": a, "b": b}, slices=part))
    (turned,) = found.slices.turned
    assert (turned.slice, turned.ahead, turned.behind) == ("odd", "b", "a")
    assert turned.difference == 1.0
    assert found.slices.p < 0.001
    assert found.slices.pivotal == ("big",)
    assert [one.name for one in found.slices.slices] == ["big", "odd"]


def test_a_slice_that_decides_the_first_place():
    part = np.repeat(["x", "y", "z"], 4)
    a, b = np.r_[np.ones(4), np.zeros(8)], np.r_[np.zeros(4), [1, 1, 1, 0, 0, 0, 0, 0]]
    found = rank(make_scores({"a": a, "b": b}, slices=part))
    assert found.slices.pivotal == ("x",)
    assert found.slices.leave_one_out == ((1, 2), (1, 2))


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=1, max_size=7))
def test_keys_to_turn_are_the_fewest(apart):
    apart = np.array(apart)
    fewest = None
    for k in range(len(apart) + 1):
        sets = itertools.combinations(range(len(apart)), k)
        if any(apart.sum() - (apart[list(s)] + 1).sum() <= 1e-12 for s in sets):
            fewest = k
            break
    assert keys_to_turn(apart, np.ones(len(apart)), 1.0) == fewest


def test_suspects():
    answers = {"a": list("ABCA"), "b": list("ABCB"), "c": list("ABDC"), "d": ["A", "", "C", "D"]}
    found = suspects(answers, list("BBAA"), ids=list("wxyz"))
    assert [(one.item, one.answer, one.models, one.of, one.turns) for one in found] == [
        ("w", "A", 4, 4, 0),
        ("y", "C", 3, 4, 0),
    ]
    with pytest.raises(ValueError, match="`key` has"):
        suspects(answers, list("AB"))


def three():
    g = np.random.default_rng(0)
    return rank({"a": g.random(400) < 0.9, "b": g.random(400) < 0.6, "c": g.random(400) < 0.62})


def test_conditions():
    found = three()
    assert ahead(found, "a > b").met
    assert not ahead(found, "b > a").met
    assert not ahead(found, "c > b").met
    better, close = no_worse(found, "b", 0)
    assert better.met
    assert not close.met
    assert all(one.met for one in no_worse(found, "b", 20))
    assert not no_worse(found, "a", 5)[0].met
    for text, said in (("a b", "'A > B'"), ("a > d", "no model 'd'")):
        with pytest.raises(ValueError, match=said):
            ahead(found, text)
    with pytest.raises(ValueError, match="no model 'd'"):
        no_worse(found, "d", 1)
    with pytest.raises(ValueError, match="below 0"):
        no_worse(found, "a", -1)


def test_another_ranking():
    g = np.random.default_rng(0)
    models = {"a": g.random(400) < 0.9, "b": g.random(400) < 0.6, "c": g.random(400) < 0.62}
    other = rank(models, against={"a": 1, "b": 3, "c": 2, "z": 9}).against
    assert (other.models, other.tau, other.other_way) == (3, -1.0, 3)
    assert set(other.contradicted) == {("a", "b"), ("a", "c")}
    with pytest.raises(ValueError, match="has 1 of these models"):
        rank(models, against={"a": 1})
