"""docs/studies/votes.md is what the committed results say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studies.kit.by_rows import by_way, kept, right_of
from studies.votes.cases import CASES, TRUTH
from studies.votes.page import BASE, PAGE, gains, make_page, scored, verdicts

ROOT = Path(__file__).parents[2]
SOFT, SOFT_OF = "opinion-pool-soft", "opinion-pool"  # learned from a posterior, from its labels
RESULTS = ROOT / "studies" / "votes" / "results" / "runs.jsonl"

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@pytest.fixture(scope="module")
def lines():
    return kept(RESULTS)


def test_the_page_of_answers_is_what_the_committed_results_say(lines):
    text, figures = make_page(lines)
    assert figures == {}
    assert (ROOT / "docs" / PAGE).read_text() == text


def test_every_training_is_there_once(lines):
    said = [(one["case"], one["way"], one["seed"]) for one in lines]
    planned = [key for name, case in CASES.items() for key in case.trainings(name)]
    assert sorted(said) == sorted(planned)


def test_which_rows_are_right_is_the_accuracy(lines):
    for (case, _), runs in by_way(lines).items():
        shares = right_of(runs, scored(case)).mean(1)
        np.testing.assert_allclose(shares, [one["right"] for one in runs], atol=1e-12)


def test_gains_are_differences_and_few_are_shown(lines):
    runs = by_way(lines)
    found = gains(runs)
    for (case, way), test in found.items():
        means = [np.mean([one["right"] for one in runs[case, name]]) for name in (way, BASE)]
        assert test.difference == pytest.approx(means[0] - means[1])
    said = verdicts(found)
    assert {way for _, way in said}.isdisjoint({TRUTH, BASE})
    for key, verdict in said.items():
        if verdict != "open":
            assert found[key].p < 0.05 / 2
            assert (found[key].difference > 0) == (verdict == "ahead")


def test_what_crowd_md_says_of_posteriors(lines):
    runs = by_way(lines)
    losses = [
        [np.mean([one["loss"] for one in runs[case, way]]) for way in (SOFT, SOFT_OF)]
        for case in CASES
        if (case, SOFT) in runs
    ]
    assert sorted(soft < hard for soft, hard in losses) == [False, True, True]
    said = verdicts(gains(runs))
    assert {verdict for (_, way), verdict in said.items() if way == SOFT} == {"open"}
