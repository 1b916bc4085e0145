"""Refusals as values: one problem, in the words of whoever tells it."""

from __future__ import annotations

import json
import os
import pickle
import re
import shlex

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.ground.names import lookup, named
from candidly.ground.problem import Problem, Refusal, passed, problem_of, refused, why, within

NAMES = st.sampled_from(["label", "drop", "classes", "overwrite", "test_share"])
PROSE = st.text("abc xyz,.'\"{}%", max_size=20)
WAYS = st.lists(
    st.tuples(PROSE, st.none() | NAMES).map(
        lambda way: f"{way[0]} `{way[1]}`" if way[1] else way[0]
    ),
    max_size=4,
)


def words(has):
    return lambda name, value: f"--{name}" if name in has else None


@settings(max_examples=300)
@given(PROSE, WAYS, st.sets(NAMES))
def test_only_ways_that_somebody_has_are_told(what, ways, has):
    problem = Problem(what, tuple(ways))
    told = problem.told(words(has), words(has))
    assert set(re.findall(r"--(\w+)", told)) <= has
    assert "`" not in told
    for way in ways:
        names = re.findall("`(.*)`", way)
        if set(names) <= has:
            assert way.partition("`")[0][1:] in told
    plain = problem.told()
    assert "--" not in plain
    assert set(re.findall("`(.*?)`", plain)) == set(re.findall("`(.*?)`", " ".join(ways)))


@settings(max_examples=200)
@given(PROSE, WAYS, st.text("abc/.", max_size=5))
def test_a_refusal_is_a_value_error_with_all_of_its_problem(what, ways, where):
    error = Refusal(what, *ways)
    assert str(error) == Problem(what, tuple(ways)).told()
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.problem) == (Refusal, str(error), error.problem)
    placed = within("there", within(where, error) if where else error)
    assert problem_of(placed).remedy == tuple(ways)
    assert str(placed) == f"there: {f'{where}: ' if where else ''}{error}"


@settings(max_examples=300)
@given(NAMES, st.text(max_size=12) | st.integers())
def test_a_value_survives_the_command_line(name, value):
    from candidly.cli import command
    from candidly.cli._words import words_of

    said = words_of(command("data").commands["convert"])
    told = Problem("", (f"say {passed(name, value)}",)).told(said, said)
    option = {"label", "drop", "classes"} & {name}
    if not option:
        assert told == ""
    elif "`" not in repr(value):
        assert shlex.split(told.removesuffix(".")) == ["Say", f"--{name}", str(value)]


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (lambda: json.loads("{"), ""),
        (lambda: 1 / 0, ""),
        (lambda: np.zeros(3)[7], ""),
        (lambda: os.stat("/none"), " (No such file or directory)"),
        (lambda: np.load("/none"), " (No such file or directory)"),
        (lambda: lookup({"a": 1}, "b", "letter"), " (no letter named 'b'. Choose from: a)"),
        (lambda: named(3, "it", "x"), " (it is a int; give its name, such as 'x')"),
    ],
)
def test_why_is_told_in_own_words_alone(work, told):
    with pytest.raises(Exception) as caught:
        work()
    assert why(caught.value) == told


@pytest.mark.parametrize("kind", [FileNotFoundError, FileExistsError, BlockingIOError, OSError])
def test_other_kinds_have_a_problem_too(kind):
    error = refused(kind, "it is so.", "take another `out`", "wait")
    assert str(error) == "it is so. Take another `out`, or wait."
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, str(error))
    assert problem_of(again) == Problem("it is so.", ("take another `out`", "wait"))
