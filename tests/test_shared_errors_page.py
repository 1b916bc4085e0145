"""``docs/shared-errors.md`` says what the committed measurements say, and these hold its claims."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from committed import needs_results

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def bench():
    """``studies/shared_errors``, by its file, and ``bench/crowd.py``, which it uses."""
    for name in ("crowd", "shared_errors"):
        path = ROOT / "bench" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"bench_{name}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    return sys.modules["bench_shared_errors"], sys.modules["bench_crowd"]


def script(name):
    """A script of bench, as a module of another name than what it may shadow."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", ROOT / "bench" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@needs_results
def test_the_page_has_the_committed_numbers(bench):
    made, crowd = bench
    found, page = made.results(), made.PAGE.read_text(encoding="utf-8")
    assert crowd.filled(page, made.tables(found)) == page, "run studies/shared_errors page"
    assert made.FIGURE.read_text() == made.figure(found), "run studies/shared_errors page"


@needs_results
def test_how_fast_the_aggregators_are_is_what_was_measured():
    module = script("aggregators")
    found = module.results()
    page = (ROOT / "docs" / "crowd.md").read_text(encoding="utf-8")
    assert module.told(found) in page, "run python -m studies.crowd"
    assert all(value >= module.BAR for name, value in found.items() if "times as fast" in name)


@needs_results
def test_the_candidate_sets_of_the_other_page_are_the_committed_ones():
    module = script("answer_sets")
    page = (ROOT / "docs" / "crowd.md").read_text(encoding="utf-8")
    found = module.results()
    assert module.table(found) in page, "run python -m studies.crowd"
    for k in (3, 4, 6):
        about = f"CIFAR-10S, {k} answers: "
        for mass in ("95 %", "99 %"):
            assert found[f"{about}{mass} labels"] < 0.5 * found[f"{about}vaguest labels"]


@needs_results
def test_claims_without_known_items_are_near_what_is_right(bench):
    found = bench[0].results()
    first = found["sets"][0]["opinion-pool"]
    assert first["right"] > found["sets"][0]["majority"]["right"] - 0.3
    assert abs(first["gap"]) <= 2
    assert first["ece"] <= 0.04
    gaps = np.array([row["opinion-pool"]["gap"] for row in found["models"]])
    errors = [row["opinion-pool"]["ece"] for row in found["models"]]
    assert len(gaps) == 100
    assert abs(gaps.mean()) <= 3
    assert np.abs(gaps).max() <= 5
    assert np.mean(errors) <= 0.035
    holds = [row["holds"] for part in ("sets", "models") for row in found[part]]
    assert np.mean(holds) >= 0.85
    for row in found["sets"]:
        assert row["opinion-pool"]["loss"] < row["dawid-skene"]["loss"], row["set"]


@needs_results
def test_known_items_make_the_mean_claim_right(bench):
    for row in bench[0].results()["known"]:
        assert abs(row["mean"]) <= (2 if row["known"] == 50 else 1.6), row["set"]


@needs_results
def test_false_alarms_are_few(bench):
    """Within what 200 crowds can tell of 5 %, and of 8 % where items are difficult."""
    rows = bench[0].results()["alarms"]
    assert len(rows) == 36
    for row in rows:
        if not row["difficulty"]:
            assert max(row["pairs"], row["together"], row["repeats"]) <= 0.08, row
        assert row["repeats"] <= 0.08, row
    alone = [row["together"] for row in rows if not row["difficulty"]]
    assert np.mean(alone) <= 0.05


@needs_results
def test_independent_crowds_lose_little(bench):
    rows = [row for row in bench[0].results()["independent"] if not row["difficulty"]]
    several = [row for row in rows if row["each"] >= 4]
    assert np.mean([row["right"] - row["dawid-skene right"] for row in several]) > -0.1
    for row in several:
        assert abs(row["gap"]) < 3, row["shape"]


@needs_results
def test_the_results_name_their_machine():
    stored = json.loads((ROOT / "bench" / "results" / "shared_errors.json").read_text())
    assert stored["machine"]
