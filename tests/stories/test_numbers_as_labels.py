"""Marks from 1 to 5: from the first look to the corrected file they are the classes 1 to 5."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

N = 200
WRONG = [10, 60, 110, 160]


@pytest.fixture
def marks(tmp_path):
    draw = np.random.default_rng(0)
    true = np.arange(N) % 5 + 1
    given = true.copy()
    given[WRONG] = (true[WRONG] + 2) % 5 + 1
    columns = {"id": [f"r{k}" for k in range(N)], "x": true + draw.normal(0, 0.1, N), "mark": given}
    pl.DataFrame(columns).write_csv(tmp_path / "marks.csv")
    return tmp_path


def test_marks_keep_their_names(marks, typed):
    def answer(line):
        status, out, err = typed(f"candidly {line}")
        assert status == 0, err
        return out

    checked = json.loads(answer("check marks.csv --label mark --json"))
    assert checked["classes"] == ["1", "2", "3", "4", "5"]
    assert len({row["index"] for row in checked["issues"]} & set(WRONG)) > 2
    for ending in ("npz", "npy", "parquet"):
        made = json.loads(answer(f"errors probs marks.csv --label mark --out p.{ending} --json"))
        found = json.loads(answer(made["next"].removeprefix("candidly ") + " --json"))
        named = {row["index"]: row["given"] for row in found["issues"]}
        mark = pl.read_csv(marks / "marks.csv")["mark"]
        assert len(set(named) & set(WRONG)) > 2
        assert all(str(name) == str(mark[row]) for row, name in named.items())
    new, _, export = checked["next"]
    answer(new.removeprefix("candidly "))
    answer(export.removeprefix("candidly "))
    back = pl.read_csv(marks / "marks-corrected.csv")
    assert back["mark corrected"].to_list() == back["mark"].to_list()  # nobody has said otherwise
