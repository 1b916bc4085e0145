"""docs/studies/mnist.md is what the committed report says, and that what the predictions say."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from studies.kit.pages import differing, files_of
from studies.kit.rankings import corrected_labels, read_predictions, read_results, report_of
from studies.mnist import __main__ as mnist_study
from studies.mnist.models import make_models, read_labels
from studies.mnist.page import PAGE, make_page

from needs import real_files
from small_sweeps import words_in

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "mnist" / "results"
DOCS = ROOT / "docs"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results"),
]


@pytest.fixture(scope="module")
def report():
    return read_results(RESULTS)


def test_the_mnist_page_is_what_the_committed_report_says(report):
    text, images = make_page(report)
    again = "run `python -m studies.mnist` and commit what it writes"
    assert text == (DOCS / PAGE).read_text(encoding="utf-8"), again
    assert {path.name for path in (DOCS / "images").glob("mnist-study-*.svg")} == set(images)
    tested = re.search(r"matplotlib==(\S+)", (ROOT / "constraints.txt").read_text())[1]
    for name, svg in images.items():
        drawn = (DOCS / "images" / name).read_text(encoding="utf-8")
        assert words_in(svg) == words_in(drawn), (name, again)
        if version("matplotlib") == tested:  # another one may place things otherwise
            assert svg == drawn, (name, again)


def test_the_predictions_are_small_and_of_every_model(report):
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) < 200_000
    predictions = read_predictions(RESULTS)
    assert set(predictions) == set(make_models()) == {s.model for s in report.standings}
    assert all(p.shape == (10_000,) and p.dtype == np.uint8 for p in predictions.values())


@real_files
def test_the_committed_report_is_what_the_predictions_say(report):
    data = Path(os.environ["CANDIDLY_DATA"])
    found = report_of(read_predictions(RESULTS), read_labels(data), data, "mnist")
    assert found == report


@real_files
def test_people_s_answers_give_the_published_numbers():
    data = Path(os.environ["CANDIDLY_DATA"])
    original = read_labels(data)
    corrected, checked = corrected_labels(data, "mnist", original)
    assert checked.sum() == 100
    assert (corrected[checked] == original[checked]).sum() == 85
    assert ((corrected != original) & (corrected >= 0)).sum() == 10
    assert (corrected == -1).sum() == 2 + 3  # no agreement, neither


def test_an_old_page_is_noticed(report, monkeypatch, tmp_path, capsys):
    for folder in ("images", "studies"):
        (tmp_path / folder).mkdir()
    wanted = files_of(make_page(report), PAGE, tmp_path)
    for path, content in wanted.items():
        path.write_bytes(content)
    there = (tmp_path / "images").glob("mnist-study*.svg")
    assert differing(wanted, there) == []
    (tmp_path / PAGE).write_text("old")
    (tmp_path / "images" / "mnist-study-gone.svg").write_text("old")
    there = (tmp_path / "images").glob("mnist-study*.svg")
    assert len(differing(wanted, there)) == 2
    monkeypatch.setattr(sys, "argv", ["mnist_study.py", "--quick"])
    mnist_study.main()
    assert capsys.readouterr().out == ""
