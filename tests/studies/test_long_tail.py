"""docs/studies/long-tail.md is what the committed results say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studies.kit.by_rows import by_way, kept, right_of
from studies.long_tail.page import BASE, PAGE, SCORED, gains_of, make_page
from studies.long_tail.runs import PARTS, trainings

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "long_tail" / "results" / "runs.jsonl"

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@pytest.fixture(scope="module")
def lines():
    return kept(RESULTS)


def test_the_page_of_long_tails_is_what_the_committed_results_say(lines):
    text, figures = make_page(lines)
    assert figures == {}
    assert (ROOT / "docs" / PAGE).read_text() == text


def test_every_training_is_there_once(lines):
    assert sorted((one["case"], one["way"], one["seed"]) for one in lines) == sorted(trainings())


def test_accuracies_are_those_of_the_rows_and_of_the_classes(lines):
    for runs in by_way(lines).values():
        shares = right_of(runs, SCORED).mean(1)
        np.testing.assert_allclose(shares, [one["right"] for one in runs], atol=1e-12)
        sizes = {"head": 3, "middle": 4, "tail": 3}  # every class has as many test pictures
        assert sizes.keys() == PARTS.keys()
        means = [sum(sizes[name] * one[name] for name in sizes) / 10 for one in runs]
        np.testing.assert_allclose(means, shares, atol=1e-9)


def test_gains_are_differences(lines):
    runs = by_way(lines)
    for (case, way), test in gains_of(runs).items():
        mine, base = (np.mean([one["right"] for one in runs[case, name]]) for name in (way, BASE))
        assert test.difference == pytest.approx(mine - base)
