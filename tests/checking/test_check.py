"""``candidly.check``: planted wrong labels come out, with what they were found by."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine

import candidly


@pytest.fixture(scope="module")
def wine():
    """178 wines with names for classes, and the rows whose label was changed."""
    bunch = load_wine(as_frame=True)
    names = np.array(["red", "white", "rose"])
    y = bunch.target.to_numpy().copy()
    wrong = np.random.default_rng(0).choice(len(y), 8, replace=False)
    y[wrong] = (y[wrong] + 1) % 3
    frame = pl.from_pandas(bunch.data).with_columns(
        pl.Series("kind", names[y]), pl.Series("id", [f"w{k}" for k in range(len(y))])
    )
    return frame, set(wrong.tolist())


def test_planted_errors_are_flagged_with_ids_and_own_columns(wine):
    frame, wrong = wine
    found = candidly.check(frame, label="kind")
    table = found.table()
    assert len(wrong - set(table["index"].to_list())) <= 1
    assert len(table) <= 2 * len(wrong)
    assert table["id"].to_list() == [f"w{k}" for k in table["index"]]
    assert table["alcohol"].to_list() == frame["alcohol"][table["index"].to_list()].to_list()
    assert table["given"].to_list() == table["kind"].to_list()
    assert found.accuracy > 0.85
