"""docs/studies/scale.md is what the results say, and its rows are what they are said to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from _scale import planted, study
from candidly import errors
from studies.kit.pages import differing
from studies.scale.page import PAGE, make_page

ROOT = Path(__file__).parents[2]
NEEDED = ("scale", "cluster", "review_scale")
committed = pytest.mark.skipif(
    not all((ROOT / "bench" / "results" / f"{name}.json").exists() for name in NEEDED),
    reason="comes without its results",
)


@committed
def test_the_page_of_scale_is_what_the_committed_results_say():
    assert not differing({ROOT / "docs" / PAGE: make_page().encode()})


def test_rows_follow_from_the_seed_and_their_numbers_alone():
    world = planted.world(3, 9)
    together = planted.rows_of(world, np.arange(2000))
    some = np.array([0, 7, 513, 1999])
    assert planted.rows_of(world, some).tobytes() == together[some].tobytes()
    part = planted.parts(3, 2000, 9, 600)[3].opened()
    assert part.read(0, 200).tobytes() == together[1800:].tobytes()
    assert part.some(np.array([1, 150])).tobytes() == together[[1801, 1950]].tobytes()
    given, truth = planted.labels(world, 1800, 2000)
    whole = planted.labels(world, 0, 2000)
    assert (given.tolist(), truth.tolist()) == tuple(each[1800:].tolist() for each in whole)
    assert np.abs(together.sum(1) - 1).max() < 1e-5
    assert planted.rows_of(planted.world(4, 9), some).tobytes() != together[some].tobytes()


def test_as_many_errors_are_planted_as_the_world_says():
    world, n = planted.world(0, 12), 200_000
    given, truth = planted.labels(world, 0, n)
    for k in range(12):
        mine = truth == k
        rate, wrong = world.wrong[k], (given[mine] != k).mean()
        assert abs(wrong - rate) < 5 * np.sqrt(rate * (1 - rate) / mine.sum())
        assert set(np.unique(given[mine])) <= {k, *world.partners[k].tolist()}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_confident_learning_estimates_what_was_planted():
    world, n = planted.world(1, 30), 60_000
    given, truth = planted.labels(world, 0, n)
    evidence = errors.examine(given, planted.parts(1, n, 30, 25_000))
    found = study.compared(evidence, errors.find(evidence), truth)
    assert found["planted"] == (given != truth).sum()
    assert found["estimated from"] <= found["planted"] <= found["estimated to"]
    assert found["classes in their interval"] >= 25
    assert found["precision"] > 0.98
    assert found["rows read twice"] > 0
