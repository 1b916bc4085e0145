"""What is given to a function of another kind is refused in candidly's words."""

from __future__ import annotations

import inspect

import numpy as np
import polars as pl
import pytest

import candidly
from candidly.data.ingest import Roles
from candidly.people import crowd, validation

MADE = {"Verdicts", "Tally", "Tally | SetTally", "Answers", "Consensus"}
TALLY = validation.from_counts([[3, 1, 1, 0], [1, 4, 0, 0], [2, 2, 1, 0]])
OTHERS = (TALLY, validation.judge(TALLY), np.zeros((3, 2)), [1, 2], None, {"a": 1}, "text")
FRAME = pl.DataFrame({"a": [k % 7 + 0.5 for k in range(280)], "label": ["x", "y"] * 140})


def functions():
    for module in (validation, crowd):
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function):
                first = next(iter(inspect.signature(function).parameters.values()))
                if first.annotation in MADE:
                    yield pytest.param(function, first.annotation, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize(("function", "kind"), functions())
def test_something_else_is_named_with_what_makes_it(function, kind):
    needed = [
        one.annotation
        for one in inspect.signature(function).parameters.values()
        if one.default is one.empty
    ][1:]
    for other in OTHERS:
        if type(other).__name__ in kind:
            continue
        with pytest.raises(ValueError, match=r"make it with (validation|crowd)"):
            function(other, *([3] * len(needed)))


def test_check_takes_lazy_frames_and_refuses_what_is_no_table():
    lazy, eager = (candidly.check(one, "label", folds=2) for one in (FRAME.lazy(), FRAME))
    assert lazy.data.fingerprint() == eager.data.fingerprint()
    assert candidly.data.read(FRAME.lazy(), Roles(label="label")).n == 280
    assert candidly.from_arrays(FRAME.lazy().select("a"), FRAME["label"]).n == 280
    for other in ({"a": [1]}, [1], None, np.zeros((3, 2)), 5):
        with pytest.raises(ValueError, match=r"a table is of the type .*; give a polars or pandas"):
            candidly.check(other)
