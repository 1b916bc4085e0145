"""The study of learning from noisy labels; docs/studies/noisy-labels.md is what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from candidly.learn.algorithms import ALGORITHMS, algorithm
from candidly.stats import Summary
from studies.noisy_labels import losses, study
from studies.noisy_labels.page import FIGURE, Lead, make_page, ordered

from committed import committed
from toys import toy

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DIGITS = [name for name, labels in study.LABELS.items() if labels.data == "digits"]


def test_every_algorithm_of_one_label_takes_part():
    of_one = {name for name, page in ALGORITHMS.items() if page.reads == ("given",)}
    assert of_one - set(study.LATER) < set(study.NAMES)
    assert not set(study.LATER) & set(study.NAMES)
    assert "supervised-oracle" in study.NAMES
    assert len(study.NAMES) == len(set(study.NAMES))
    for name in study.NAMES:
        assert "candidates" not in algorithm(name).reads


@pytest.mark.parametrize("name", DIGITS)
def test_as_many_labels_are_wrong_as_the_name_says(name):
    data = study.load(name)
    wrong = (data.given != data.truth).mean()
    assert wrong == pytest.approx(int(name.rpartition("-")[2]) / 100, abs=0.001)


def test_inputs_are_reduced_without_labels_to_components_that_are_uncorrelated():
    wide = toy(n=300, d=100)
    found = study.reduced(wide)
    assert found.inputs.shape == (300, study.COMPONENTS)
    covariance = np.cov(found.inputs, rowvar=False)
    np.testing.assert_allclose(covariance, np.diag(covariance.diagonal()), atol=1e-4)
    assert (np.diff(covariance.diagonal()) <= 1e-6).all()  # the largest first
    narrow = toy()
    assert study.reduced(narrow) is narrow


def test_losses_of_wrong_labels_are_told_apart_and_all_are_counted(monkeypatch):
    monkeypatch.setattr(losses, "EPOCHS", (1, 4))
    data = study.load("symmetric-20")
    lines = losses.losses_of(data, seed=0)
    assert [line["epoch"] for line in lines] == [1, 4]
    for line in lines:
        assert sum(line["right"]) == (data.given == data.truth).sum()
        assert sum(line["wrong"]) == (data.given != data.truth).sum()
        assert line["auroc"] > 0.9  # a wrong label's loss is the larger one
    middles = (losses.EDGES[1:] + losses.EDGES[:-1]) / 2
    right, wrong = (np.average(middles, weights=lines[1][side]) for side in ("right", "wrong"))
    assert wrong > right + 1


@pytest.mark.parametrize(
    ("mean", "error", "sign"),
    [(0.02, 0.009, 1), (0.02, 0.011, 0), (-0.02, 0.009, -1), (None, None, 0), (0.02, None, 0)],
)
def test_ahead_is_beyond_two_standard_errors(mean, error, sign):
    assert Lead(Summary(mean, None, error, 5)).sign == sign


def test_the_order_of_rows_is_that_of_the_table_with_oracles_last():
    names = ["supervised-oracle", "elr", "forward-t:oracle", "gce:truncated", "ce", "gce"]
    assert ordered(names) == [
        *("ce", "gce", "gce:truncated", "elr"),
        *("forward-t:oracle", "supervised-oracle"),
    ]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return make_page(committed("studies/noisy_labels/results", tmp_path_factory.mktemp("study")))


def test_the_page_is_what_the_committed_results_say_of_noisy_labels(page):
    text, figure = page
    assert text == (ROOT / "docs/studies/noisy-labels.md").read_text(encoding="utf-8"), (
        "run: python -m studies.noisy_labels"
    )
    assert figure == (ROOT / "docs/images" / FIGURE).read_text(encoding="utf-8")


def test_every_planned_run_of_the_study_is_complete(page):
    text, _ = page
    count = 25 * len(study.LABELS) * len(study.NAMES)
    assert f"{count:,} runs, all complete" in " ".join(text.split())


def test_a_small_study_for_real(tmp_path, monkeypatch):
    every, counts = list(study.LABELS), [1] * (len(losses.EDGES) - 1)
    small = {"configs": 2, "splits": 2, "steps": 60, "eval_every": 30, "net": "mlp:16"}
    monkeypatch.setattr(study, "SETTINGS", study.SETTINGS | small)
    monkeypatch.setattr(study, "LABELS", {name: study.LABELS[name] for name in DIGITS[:2]})
    names = "ce,gce,co-teaching,supervised-oracle"
    study.main(["--algorithms", names, "--workers", "1"], tmp_path / "out")
    lines = [
        {"labels": name, "seed": 0, "epoch": epoch, "auroc": 0.75, "right": counts, "wrong": counts}
        for name in every
        for epoch in losses.EPOCHS
    ]
    measured = {"labelme": {"64": 0.9}, "lines": lines}
    (tmp_path / "out" / "losses.json").write_text(json.dumps(measured))
    text, _ = make_page(tmp_path / "out")
    for name in names.split(","):
        assert re.search(rf"^\| `{name}` \| ", text, re.M), name
    accuracies = re.search(r"^\| `supervised-oracle` \| \*{0,2}([\d.]+) ±", text, re.M)
    assert float(accuracies[1]) > 60
