"""docs/studies/texts.md is what the committed results say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

from studies.kit.pages import differing, files_of
from studies.kit.rows import BASE, Row
from studies.texts.carried import Carried, carried, carried_gain
from studies.texts.crossed import Crossed
from studies.texts.numbers import read_study
from studies.texts.page import IMAGE, PAGE, make_page

from committed import journal_of

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "texts" / "results"
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@pytest.fixture(scope="module")
def study():
    return read_study(RESULTS)


def test_the_page_of_texts_is_what_the_committed_results_say(study):
    there = (DOCS / "images").glob(f"{IMAGE}*.svg")
    assert not differing(files_of(make_page(study), PAGE, DOCS), there)


def test_three_epochs_are_those_of_the_journal(study):
    runs = journal_of(RESULTS / "clean-0-few")
    rows = study.main["clean", 0].values()
    found = {(b, s, e) for row in rows for b, s, e in zip(row.best, row.selected, row.last)}
    assert runs
    for records in runs.values():
        steps = sorted(records)
        tests = [records[step]["test"]["top1"] for step in steps]
        noisy = [records[step]["validation"]["NVA"] for step in steps]
        assert (max(tests), tests[noisy.index(max(noisy))], tests[-1]) in found


def made(draws: int, splits: int, rows: int) -> Crossed:
    """Two methods whose difference varies by draw, by split and by row, in known parts."""
    g = np.random.default_rng(0)
    chance = 0.5 + 0.1 * g.normal(size=(draws, 1, 1)) + 0.05 * g.normal(size=(1, splits, 1))
    right = np.zeros((draws, splits, 2, rows), bool)
    right[:, :, 0] = g.random((draws, splits, rows)) < np.clip(chance, 0, 1)
    right[:, :, 1] = g.random((1, splits, rows)) < 0.5  # cross-entropy, alike in every draw
    return Crossed(("x", BASE), right)


def test_one_draw_varies_as_the_parts_of_many_say():
    crossed = made(60, 5, 400)
    known = carried(crossed)
    gains = crossed.over("x", BASE).mean((1, 2))
    # splits and rows are the same in all draws, so that what draws vary by is all but their parts
    parts = {axes: max(part, 0) for axes, part in crossed.parts("x", BASE).items()}
    shared = parts[1,] / 5 + parts[2,] / 400 + parts[1, 2] / 2000
    assert known.variance["x"] - shared == pytest.approx(gains.var(ddof=1), rel=0.1)
    assert known.variance["x"] - known.without["x"] == pytest.approx(0.1**2, rel=0.3)


def test_of_several_kinds_the_widest_interval_is_taken_and_none_where_nothing_is_known():
    one, other = (
        Carried({"x": 4e-4}, {"x": 1e-4}, {}, {"x": 9.0}),
        Carried({"x": 1e-4}, {"x": 9e-4}, {}, {"x": 9.0}),
    )
    values = (0.52, 0.50, 0.51, 0.54, 0.53)
    row = Row(values, values, values, values, values, values, {}, 100, 1.0)
    base = replace(row, selected=(0.5,) * 5)
    rows = {"x": row, BASE: base, "y": row}
    for noisy, error in ((True, 0.02), (False, 0.03)):
        test = carried_gain([one, other], rows, "x", noisy)
        assert test.difference == pytest.approx(0.02)
        assert test.high - test.difference == pytest.approx(t.ppf(0.975, 9) * error)
    assert carried_gain([one, other], rows, "y", True) is None
    assert carried_gain([], rows, "x", True) is None
