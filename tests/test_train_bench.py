"""What docs/train.md says of the blend is what the committed results say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import train

from committed import needs_results

PAGE = Path(__file__).parents[1] / "docs" / "train.md"


@needs_results
def test_the_table_is_that_of_the_results():
    lines = train.read_lines()
    assert train.markdown(lines) in PAGE.read_text(), "python bench/train.py prints it"


@needs_results
def test_every_draw_of_every_data_set_is_there_once():
    lines = [(line["data"], line["noise"], line["draw"]) for line in train.read_lines()]
    names = (*train.TABLES, *train.TEXTS)
    wanted = {(n, s, d) for n in names for s in train.NOISES for d in range(train.DRAWS)}
    assert len(lines) == len(set(lines))
    assert set(lines) == wanted


@needs_results
def test_the_bar_holds():
    targets = [claim for claim in train.claims(train.read_lines()) if claim.target]
    assert len(targets) == 6
    assert all(claim.holds for claim in targets)


def test_points_behind_are_of_means_over_draws():
    def line(draw, **right):
        return {"data": "bands", "noise": 0.1, "draw": draw, "right": right}

    some = [
        line(0, logistic=0.9, boosting=0.5, forest=0.5, default=0.8, ce=0.7),
        line(1, logistic=0.5, boosting=0.8, forest=0.5, default=0.6),
    ]
    assert train.behind(some, 0.1, "default") == pytest.approx({"bands": 100 * (0.7 - 0.7)})
    assert train.behind(some, 0.1, "ce") == pytest.approx({"bands": 100 * (0.9 - 0.7)})
    assert train.behind(some, 0.3, "ce") == {}


def test_a_class_of_few_rows_is_left_out_and_test_labels_stay_right():
    labels = ["a"] * 50 + ["b"] * 50 + ["c"] * 3
    parts = train.drawn(pl.DataFrame({"x": range(103)}), labels, 0.5, 0)
    truth = np.array([int(x >= 50) for x in parts["test"]["x"]])
    assert (parts["truth"] == truth).all()
    assert len(parts["y"]) + len(truth) == 100
    wrong = parts["y"] != (parts["x"]["x"].to_numpy() >= 50)
    assert 0.3 < wrong.mean() < 0.7


def test_the_names_of_the_docs_are_those_of_the_bench():
    assert re.search(r"ten tables and four sets of texts", PAGE.read_text())
    assert (len(train.TABLES), len(train.TEXTS)) == (10, 4)
