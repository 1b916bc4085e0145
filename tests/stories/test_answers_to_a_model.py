"""Answers in long format with strings, a consensus, a model: by the command line alone."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from safetensors import safe_open

from candidly import cli, load

BIRDS = "bluebirds"
KINDS = ("Blue Grosbeak", "Indigo Bunting")


def real():
    """Who said what of each picture of the bluebirds, 108 of them; None without the file."""
    folder = os.environ.get("CANDIDLY_DATA")
    if not folder or not (Path(folder) / "crowd" / BIRDS).is_dir():
        return None
    data = load(BIRDS, folder)
    names = [f"bird-{row:03}" for row in range(data.n)]
    votes = data.votes
    said = [KINDS[k] for k in votes.labels]
    return names, data.truth, list(zip([names[k] for k in votes.item], votes.annotator, said))


def made():
    """The same of forty people, who are right in four of five answers."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 108)
    names = [f"bird-{row:03}" for row in range(108)]
    rows = []
    for row, who in np.ndindex(108, 9):
        right = rng.random() < 0.8
        rows.append((names[row], f"person {who}", KINDS[truth[row] if right else 1 - truth[row]]))
    return names, truth, rows


@pytest.fixture
def candidly(monkeypatch, capsys, tmp_path):
    """Runs a command line in a folder of its own: (exit status, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["candidly", *words])
        try:
            cli.main()
            status = 0
        except SystemExit as ended:
            status = ended.code or 0
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def files(tmp_path):
    """answers.csv with columns of other names, and birds.csv with features and the same ids."""
    names, truth, rows = real() or made()
    frame = pl.DataFrame(rows, schema=["picture", "who", "kind"], orient="row")
    frame.sample(len(frame), shuffle=True, seed=0).write_csv(
        tmp_path / "answers.csv", separator=";"
    )
    rng = np.random.default_rng(1)
    hue = (truth * 2.5 + rng.normal(size=len(truth))).round(3)
    colour = [("brown", "blue")[int(k)] for k in (truth + (rng.random(len(truth)) < 0.1)) % 2]
    table = pl.DataFrame({"id": names, "hue": hue, "colour": colour})
    table.sample(len(table), shuffle=True, seed=2).write_csv(tmp_path / "birds.csv")
    return dict(zip(names, truth.tolist()))


def run(candidly, line):
    status, out, err = candidly(*line.split())
    assert status == 0, err
    return out


def test_answers_become_labels_and_labels_a_model(candidly, files, tmp_path):
    columns = "--item picture --annotator who --label kind"
    told = json.loads(
        run(candidly, f"crowd consensus answers.csv {columns} --out labels.csv --json --top 0")
    )
    assert sorted(told["classes"]) == list(KINDS)
    labels = pl.read_csv(tmp_path / "labels.csv")
    assert set(labels["item"]) == set(files)
    right = [KINDS[files[i]] == k for i, k in labels.select("item", "consensus").iter_rows()]
    assert np.mean(right) > 0.8

    run(candidly, f"crowd consensus answers.csv {columns} --into birds.csv --out labelled.csv")
    before, after = (pl.read_csv(tmp_path / name) for name in ("birds.csv", "labelled.csv"))
    assert after.drop("consensus").equals(before)
    found = dict(labels.select("item", "consensus").iter_rows())
    assert after["consensus"].to_list() == [found[name] for name in after["id"]]

    run(candidly, "train labelled.csv --label consensus --steps 300 --out birds.safetensors")
    with safe_open(tmp_path / "birds.safetensors", "np") as model:
        assert model.metadata()
    run(candidly, "predict birds.safetensors birds.csv --out predictions.csv")
    predicted = pl.read_csv(tmp_path / "predictions.csv")
    assert predicted["id"].to_list() == before["id"].to_list()
    right = [KINDS[files[i]] == k for i, k in predicted.select("id", "prediction").iter_rows()]
    assert np.mean(right) > 0.8


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--into birds.csv", "say where with --out"),
        ("--into birds.csv --id hue --out x.csv", "lacks the item 'bird-000' of the answers"),
        ("--into birds.csv --id name --out x.csv", "has no column 'name'"),
        ("--into birds.csv --out x.parquet", "x.parquet must end in .csv"),
    ],
)
def test_what_cannot_be_put_in(candidly, files, line, message):
    columns = "--item picture --annotator who --label kind"
    status, out, err = candidly(*f"crowd consensus answers.csv {columns} {line}".split())
    assert (status, out) == (2, "")
    assert message in err
