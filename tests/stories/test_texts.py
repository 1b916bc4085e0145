"""Story: a CSV of texts and labels from check to benchmark, by the README's own commands."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from candidly.examples import write
from shell import run

ROOT = Path(__file__).parents[2]
QUICK = {
    "--steps 300": "--steps 60",
    "--net encoder": "--net encoder:width=32",
    "--steps 200": "--steps 40",
    "--net bilstm": "--net bilstm:width=16",
}


def commands() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    part = re.search(r"^## Texts$(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    block = re.search(r"```text\n(.*?)```", part[1], re.DOTALL)
    return block[1].strip().splitlines()


@pytest.fixture
def folder(tmp_path):
    write("steps", tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_readmes_commands_for_texts_go_from_check_to_benchmark(folder):
    said = []
    for command in commands():
        for usual, quick in QUICK.items():
            command = command.replace(usual, quick)
        said.append(run(command, folder))
    assert "labels look wrong" in said[0]
    assert "items" in said[1]
    assert "held out" in said[2]
    predicted = pl.read_csv(folder / "predicted.csv")
    assert predicted.columns[1:] == ["prediction", "probability", "prediction_2", "probability_2"]
    assert len(predicted) == 300
    assert all(name in said[4] for name in ("ce", "mixup", "co-teaching"))
    flagged = pl.read_csv(folder / "steps-check.csv")
    wrong = {7 + 14 * k for k in range(21)}  # as candidly/examples/steps.py says
    assert len(wrong & set(flagged.head(21)["index"])) > 10
