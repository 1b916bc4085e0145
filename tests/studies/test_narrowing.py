"""The part of docs/encoders.md about narrowed sets is what the committed draws say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from studies.kit.by_rows import kept
from studies.kit.pages import differing
from studies.narrowing.__main__ import RESULTS, files
from studies.narrowing.page import gain
from studies.narrowing.runs import DRAWS, KNOWN, MASSES, PROCESSES

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


def test_the_page_is_what_the_committed_draws_say():
    assert not differing(files()), "run python -m studies.narrowing"


def test_every_draw_is_there_once():
    found = [(one["process"], one["seed"]) for one in kept(RESULTS)]
    assert sorted(found) == sorted((p, s) for p in PROCESSES for s in range(DRAWS))


def test_gains_are_paired_by_draw():
    lines = [one for one in kept(RESULTS) if one["process"] == "flip:rate=0.7"]
    way = f"{KNOWN[0]} known, {MASSES[0]:g}"
    found = gain(lines, way)
    expected = stats.ttest_rel([one[way] for one in lines], [one["the sets"] for one in lines])
    differences = np.array([one[way] - one["the sets"] for one in lines])
    assert found.mean == pytest.approx(differences.mean())
    assert found.mean / found.standard_error == pytest.approx(expected.statistic)


def test_narrowed_sets_are_smaller_and_lose_truths_as_they_shrink():
    for line in kept(RESULTS):
        for known in KNOWN:
            sizes = [line[f"{known} known, {mass:g}: labels"] for mass in MASSES]
            truths = [line[f"{known} known, {mass:g}: truth"] for mass in MASSES]
            assert sizes == sorted(sizes)
            assert sizes[-1] <= line["the sets: labels"]
            assert truths == sorted(truths)
