"""docs/studies/frozen.md is what the committed results say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import candidly
from studies.cifarn import numbers as cifarn
from studies.frozen.numbers import AHEAD, BEHIND, MARGIN, OPEN, SAME, against, read_study
from studies.frozen.page import OF_PIXELS, PAGE, make_page
from studies.frozen.runs import LABEL_SETS, MADE, drawn
from studies.kit.pages import differing, files_of
from studies.kit.rows import BASE, Row

from committed import journal_of

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "frozen" / "results"
DOCS = ROOT / "docs"

committed_results = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@pytest.fixture(scope="module")
def study():
    return read_study(RESULTS)


@committed_results
def test_the_page_of_frozen_features_is_what_the_committed_results_say(study):
    assert not differing(files_of(make_page(study), PAGE, DOCS))


@committed_results
def test_gains_are_put_beside_those_from_pixels(study):
    """One line of the table, by scipy and from the accuracies themselves."""
    pixels = cifarn.read_study(OF_PIXELS).tables["worst"]
    names = [n for n in study["worst"] if n in pixels and n != BASE]
    here, there = (
        [np.mean(table[n].selected) - np.mean(table[BASE].selected) for n in names]
        for table in (study["worst"], pixels)
    )
    tau = f"{kendalltau(here, there).statistic:.2f}".replace("-", "−")
    told = against({name: study[name] for name in LABEL_SETS if name in study})
    shown = [(h, t) for n, h, t in zip(names, here, there) if told["worst", n].verdict != OPEN]
    alike = sum(h * t > 0 for h, t in shown)
    line = re.search(
        r"^\| worst \| (\d+) \| (\S+) \| \S+ \| (\d+) \| (\d+) \|$", make_page(study)[0], re.M
    )
    assert line.groups() == (str(len(names)), tau, str(len(shown)), str(alike))


@committed_results
def test_three_epochs_are_those_of_the_journal(study):
    runs = journal_of(RESULTS / "worst-few")
    found = {
        (b, s, e)
        for row in study["worst"].values()
        for b, s, e in zip(row.best, row.selected, row.last)
    }
    assert runs
    for records in runs.values():
        steps = sorted(records)
        tests = [records[step]["test"]["top1"] for step in steps]
        noisy = [records[step]["validation"]["NVA"] for step in steps]
        assert (max(tests), tests[noisy.index(max(noisy))], tests[-1]) in found


def row(right: np.ndarray) -> Row:
    shares = tuple(right.mean(1).tolist())
    every = {"best": right, "selected": right, "last": right}
    return Row(shares, shares, shares, shares, shares, shares, every, right.shape[1], 1.0)


def test_verdicts_are_those_of_planted_differences():
    """Ten thousand test rows, five splits: what is planted is found, and nothing else is said."""
    draws = np.random.default_rng(1)
    base = draws.random((5, 10_000)) < 0.7
    flips = draws.random(base.shape)

    def changed(better: float, worse: float) -> np.ndarray:
        return np.where(base, flips >= worse, flips < better)

    rows = {
        BASE: row(base),
        "alike": row(changed(0.005, 0.002)),
        "better": row(changed(0.2, 0.0)),
        "worse": row(changed(0.0, 0.05)),
    }
    found = {name: one.verdict for (_, name), one in against({"made": rows}).items()}
    assert found["alike"] == SAME
    assert found["better"] == AHEAD
    assert found["worse"] == BEHIND
    few = {name: row(base[:2, k : k + 400]) for k, name in enumerate((BASE, "few"))}
    (one,) = against({"made": few}).values()
    assert one.verdict == OPEN  # neither a difference nor that there is none


def test_false_verdicts_are_as_rare_as_said():
    """Of algorithms that differ by chance alone, or by the margin itself: at most 5 %."""
    draws = np.random.default_rng(2)
    ahead = same = 0
    times = 120
    for _ in range(times):
        skill = draws.normal(0, 1.5, 2_000)  # of test rows: all find the same ones hard
        base, other, apart_by = (
            draws.random((5, 2_000)) < 1 / (1 + np.exp(-skill - more)) for more in (1.0, 1.0, 1.0)
        )
        rows = {BASE: row(base), "other": row(other)}
        (one,) = against({"made": rows}).values()
        ahead += one.verdict in (AHEAD, BEHIND)
        # a difference of the margin itself must seldom be called the same
        moved = apart_by.copy()
        gained = draws.random(moved.shape) < MARGIN / (1 - moved.mean())
        rows = {BASE: row(base), "moved": row(moved | gained)}
        (one,) = against({"made": rows}).values()
        same += one.verdict == SAME
    assert ahead <= 14  # 120 x 0.05 = 6, and chance
    assert same <= 14


def test_drawn_labels_are_wrong_as_often_as_peoples():
    """Evenly: as many in all; by class: as many of each class taken for each other, at random."""
    draws = np.random.default_rng(3)
    truth = draws.integers(0, 4, 4_000)
    wrong = draws.random(4_000) < 0.1 + 0.5 * (truth == 1)
    given = np.where(wrong, (truth + 1 + draws.integers(0, 2, 4_000)) % 4, truth)
    given[:50] = -1
    people = candidly.from_arrays(
        draws.normal(size=(4_000, 2)), given=given, truth=truth, classes=4
    )
    there = given >= 0
    for label_set in MADE:
        found = drawn(people, label_set)
        assert (found[~there] == -1).all()
        assert (found >= 0).sum() == there.sum()
        assert (found != truth)[there].sum() == (given != truth)[there].sum()
        # where people are wrong says nothing of where these are
        both = (found != truth) & (given != truth) & there
        for k in range(4):
            of = there & (truth == k)
            p, q = (found != truth)[of].mean(), (given != truth)[of].mean()
            assert both[of].mean() == pytest.approx(p * q, abs=0.05)
    pairs = [np.bincount(4 * truth[there] + each[there], minlength=16) for each in (given, found)]
    assert np.abs(pairs[0] - pairs[1]).max() <= 1
