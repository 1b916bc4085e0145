"""Twelve models on a test set with wrong labels: people's answers, corrected labels, a verdict."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from candidly.people.validation.label_errors import study
from shell import run

from needs import real_files

ANSWERS = ("given", "guessed", "both", "neither")


def models(folder: Path, names: list[str], ids: list[str], probs: np.ndarray) -> None:
    """A file each: the same probabilities, read through more and more fog."""
    folder.mkdir()
    random = np.random.default_rng(0)
    logits = np.log(np.clip(probs, 1e-6, None))
    for k in range(12):
        guess = (logits + random.gumbel(size=logits.shape) * (0.2 + 0.1 * k)).argmax(1)
        table = pl.DataFrame({"id": ids, "prediction": [names[g] for g in guess]})
        table.write_csv(folder / f"model-{k:02}.csv")


def told(folder: Path, votes: str, names: list[str], more: str = "") -> dict:
    """From answers to corrected labels in the file, and with these to a verdict."""
    classes = ",".join(names)
    into = "--into test.csv --label label --out test-corrected.csv --json"
    counts = json.loads(run(f"candidly validate --votes {votes} {into} {more}", folder))
    both = "--labels test.csv --label label --corrected test-corrected.csv"
    shell = f"candidly stability {both} --predictions models --classes {classes}"
    page = run(f"{shell} --html page.html --out found.json --resamples 500", folder)
    found = json.loads((folder / "found.json").read_text())
    assert found["verdict"] in " ".join(page.split())
    assert "model-00" in (folder / "page.html").read_text()
    old, new = (pl.read_csv(folder / name) for name in ("test.csv", "test-corrected.csv"))
    assert new.drop("label corrected", "label corrected by").equals(old)
    return found | {"corrected": counts["corrected"]}


@pytest.mark.slow
def test_predictions_of_twelve_models_with_corrected_labels(tmp_path):
    n, names = 600, ["cat", "dog", "owl"]
    random = np.random.default_rng(1)
    truth = random.integers(0, 3, n)
    wrong = random.choice(n, 60, replace=False)
    label = truth.copy()
    label[wrong] = (truth[wrong] + 1) % 3
    ids = [f"{k:05}" for k in range(n)]
    pl.DataFrame({"id": ids, "label": [names[k] for k in label]}).write_csv(tmp_path / "test.csv")
    rows = [
        {"item": k, "person": f"p{j}", "answer": "guessed" if j < 4 else "given"}
        | {"given": names[label[k]], "guessed": names[truth[k]]}
        for k in wrong.tolist()
        for j in range(5)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "answers.csv")
    models(tmp_path / "models", names, ids, 0.7 * np.eye(3)[truth] + 0.1)
    found = told(tmp_path, "answers.csv", names)
    assert (found["corrected"]["corrected"], found["corrected"]["unflagged"]) == (60, 540)
    assert len(found["standings"]) == 12
    best = {one["model"]: one for one in found["standings"]}["model-00"]
    gained = best["top1"]["corrected"]["share"] - best["top1"]["original"]["share"]
    assert 0.05 < gained < 0.15  # a tenth of the labels was wrong


@pytest.mark.slow
@real_files
def test_the_same_on_the_labels_of_cifar10_that_people_checked(tmp_path):
    folder = Path(os.environ["CANDIDLY_DATA"]) / "label_errors"
    known = study("cifar10", folder)
    names = list(known.votes.classes)
    ids = [f"t{k}" for k in range(len(known.given))]
    labels = [names[k] for k in known.given]
    pl.DataFrame({"id": ids, "label": labels}).write_csv(tmp_path / "test.csv")
    shutil.copy(folder / "mturk" / "cifar10_mturk.json", tmp_path / "votes.json")
    models(tmp_path / "models", names, ids, 0.9 * np.eye(10)[known.predicted] + 0.01)
    how = f"--classes {','.join(names)} --undecided prune"  # as they were released
    found = told(tmp_path, "votes.json", names, how)
    made = found["corrected"]
    assert (made["corrected"], made["corrected"] + made["pruned"]) == (18, 54)  # as published
    assert len(found["standings"]) == 12
