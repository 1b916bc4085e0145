"""Story: partial labels in a CSV, a model, predictions for new rows. Not a word of Python.

What Python says of the same files is compared at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import candidly
from candidly import cli

from toys import toy


def shell(folder: Path, *words: object) -> str:
    """What a command line prints, in a process of its own."""
    command = [sys.executable, "-m", "candidly", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def inside(tmp_path, monkeypatch, capsys):
    """The same in this process, which is quicker."""

    def run(*words: object) -> str:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["candidly", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code in (0, None)
        return capsys.readouterr().out

    return run


def written(data, folder: Path, known: int) -> pl.Series:
    """The first rows with their candidates, the others without; the truth of these comes back."""
    names = np.array([f"person {k}" for k in range(data.q)])
    order = np.random.default_rng(0).permutation(data.n)
    table = pl.DataFrame(
        {"id": [f"face-{k:04}" for k in order]}
        | {f"f{k:03}": column for k, column in enumerate(data.inputs[order].T)}
        | {"who": ["|".join(names[row]) for row in data.candidates[order]]}
    )
    table.head(known).write_csv(folder / "captions.csv")
    table.slice(known).drop("who").write_csv(folder / "new.csv")
    return pl.Series("truth", names[data.truth[order][known:]])


def partial_labels():
    """Faces of 16 people in a television series, where the files are; else Gaussian classes."""
    if folder := os.environ.get("CANDIDLY_DATA"):
        return candidly.load("lost", folder, download=False), 600, 0.6
    return toy(n=600, d=8, q=5), 300, 0.8


@pytest.mark.slow
def test_partial_labels_to_predictions_of_new_rows(tmp_path):
    data, steps, least = partial_labels()
    known = int(0.8 * data.n)
    truth = written(data, tmp_path, known)

    told = shell(
        *(tmp_path, "train", "captions.csv", "--label", "who", "--steps", steps),
        *("--out", "who.safetensors", "--json"),
    )
    about = json.loads(told)
    assert (about["algorithm"], about["rows"]) == ("PRODEN", known)
    assert about["next"] == "candidly predict who.safetensors NEW.csv --out predictions.csv"

    words = about["next"].replace("NEW.csv", "new.csv").split()[1:]
    shell(tmp_path, *words)
    found = pl.read_csv(tmp_path / "predictions.csv")
    assert found["id"].to_list() == pl.read_csv(tmp_path / "new.csv")["id"].to_list()
    right = (found["prediction"] == truth).mean()
    most_frequent = truth.value_counts()["count"].max() / len(truth)
    assert right > least > 2 * most_frequent

    rows = candidly.read(tmp_path / "captions.csv", label="who")
    split = rows.split(0, test=0, validation=0.1)
    model = candidly.fit(rows[split.train], steps=steps)
    assert model.measure(rows[split.validation]) == about["measured"]
    new = pl.read_csv(tmp_path / "new.csv").drop("id")
    assert [model.classes[k] for k in model.predict(new)] == found["prediction"].to_list()
    np.testing.assert_allclose(model.predict_proba(new).max(1), found["probability"], rtol=1e-6)


def test_mixed_columns_to_predictions_of_new_rows(tmp_path, inside):
    g = np.random.default_rng(0)
    n, known = 700, 560
    truth = g.integers(0, 3, n)
    kinds = np.array(["apple", "banana", "cherry"])
    sets = g.random((n, 3)) < 0.35
    sets[np.arange(n), truth] = True
    colours = np.array([["red", "yellow", "dark"], ["green"] * 3])
    table = pl.DataFrame(
        {
            "id": [f"F{row:03}" for row in range(n)],
            "weight": [
                None if g.random() < 0.1 else float(w) for w in g.normal(40 * truth + 60, 30)
            ],
            "colour": colours[(g.random(n) < 0.25).astype(int), truth],
            "picked": np.datetime64("2025-03-01") + 60 * truth + g.integers(0, 90, n),
            "organic": g.random(n) < 0.5,
            "note": [f"box {g.integers(0, 500)} from {'abc'[k]}-farm" for k in truth],
            "kind": ["|".join(kinds[row]) for row in sets],
        }
    )
    table.head(known).write_csv(tmp_path / "fruit.csv", separator=";")
    new = table.slice(known).drop("kind")
    new = new.with_columns(
        colour=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("blue")).otherwise("colour"),
        picked=pl.when(pl.int_range(pl.len()) == 1).then(None).otherwise("picked"),
    )
    new.select(reversed(new.columns)).write_csv(tmp_path / "new.csv")

    told = inside(
        *("train", "fruit.csv", "--label", "kind", "--steps", 300, "--json"),
        *("--out", "fruit.safetensors"),
    )
    about = json.loads(told)
    kinds_of = {name: kind for kind, names in about["columns"].items() for name in names}
    assert kinds_of == {
        "weight": "number",
        "colour": "category",
        "picked": "date",
        "organic": "number",
        "note": "text",
    }
    inside("predict", "fruit.safetensors", "new.csv", "--keep-columns", "--out", "done.csv")
    done = pl.read_csv(tmp_path / "done.csv")
    assert done.columns == [*reversed(new.columns), "prediction", "probability"]
    assert done["id"].to_list() == new["id"].to_list()
    assert (done["prediction"] == kinds[truth[known:]]).mean() > 0.85
    model = candidly.load_model(tmp_path / "fruit.safetensors")
    typed = pl.read_csv(tmp_path / "new.csv", try_parse_dates=True).drop("id")
    assert [model.classes[k] for k in model.predict(typed)] == done["prediction"].to_list()
