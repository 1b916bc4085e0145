"""Story: a CSV of texts and labels from check to benchmark."""

from __future__ import annotations

import polars as pl
import pytest

from candidly.data.examples import write
from shell import run

COMMANDS = (
    "candidly check steps.csv --out steps-check.csv",
    "candidly review new review steps.csv --label label --text text --issues steps-check.csv",
    "candidly train steps.csv --net encoder:width=32 --steps 60 --out steps.safetensors",
    "candidly predict steps.safetensors steps.csv --top 2 --out predicted.csv",
    "candidly bench run --dataset steps.csv --algorithms ce,mixup,co-teaching "
    "--net bilstm:width=16 --configs 1 --splits 2 --steps 40 --out steps-runs",
)


@pytest.fixture
def folder(tmp_path):
    write("steps", tmp_path)
    return tmp_path


@pytest.mark.slow
def test_commands_for_texts_go_from_check_to_benchmark(folder):
    said = [run(command, folder) for command in COMMANDS]
    assert "errors strike clear and unclear rows alike" in " ".join(said[0].split())
    assert "items" in said[1]
    assert "held out" in said[2]
    predicted = pl.read_csv(folder / "predicted.csv")
    assert predicted.columns[1:] == ["prediction", "probability", "prediction_2", "probability_2"]
    assert len(predicted) == 300
    assert all(name in said[4] for name in ("ce", "mixup", "co-teaching"))
    flagged = pl.read_csv(folder / "steps-check.csv")
    wrong = {7 + 14 * k for k in range(21)}  # as candidly/examples/steps.py says
    assert len(wrong & set(flagged.head(21)["index"])) > 10
