"""A number that float32 does not hold is refused at every door, by its row."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import candidly
from candidly.data.labels.labelled import Labelled
from candidly.learn import NoisyLabelClassifier

N = 40
KINDS = np.arange(N) % 2


def table(value: float, row: int) -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(N, 2)) + KINDS[:, None]
    x[row, 1] = value
    return x


def columns(x: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "label": np.array(["cat", "dog"])[KINDS]})


def from_csv(x: np.ndarray, path) -> Labelled:
    columns(x).write_csv(path / "t.csv")
    return candidly.read(path / "t.csv")


DOORS = {
    "from_arrays": lambda x, path: candidly.from_arrays(x, KINDS),
    "frame": lambda x, path: candidly.from_arrays(columns(x).drop("label"), KINDS),
    "fit": lambda x, path: candidly.fit((x, KINDS), "ce", steps=1),
    "estimator": lambda x, path: NoisyLabelClassifier(steps=1).fit(x, KINDS),
    "file": from_csv,
    "check": lambda x, path: candidly.check(columns(x), "label"),
}


@pytest.mark.parametrize("door", DOORS)
@settings(max_examples=8, deadline=None)
@given(
    value=st.sampled_from([3.5e38, -1e39, 1e160, 1e300, np.inf, -np.inf]),
    row=st.integers(0, N - 1),
)
def test_it_is_refused_by_its_row(door, value, row, tmp_path_factory):
    assume(np.isfinite(value) or door != "estimator")  # where scikit-learn says it
    path = tmp_path_factory.mktemp("huge")
    with pytest.raises(ValueError, match=rf"{re.escape(f'{value:g}')}.* at row {row}\b"):
        DOORS[door](table(value, row), path)


@pytest.mark.parametrize("door", ["fit", "estimator"])
def test_what_float32_holds_is_learned_from(door, tmp_path):
    model = DOORS[door](table(3.4e38, 3), tmp_path)
    assert np.isfinite(model.predict_proba(table(0.0, 3))).all()
