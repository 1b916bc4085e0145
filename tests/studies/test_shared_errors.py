"""``docs/shared-errors.md`` says what the committed measurements say, and these hold its claims."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from studies.kit.pages import differing
from studies.shared_errors import __main__ as made

from committed import needs_results

ROOT = Path(__file__).parents[2]


@needs_results
def test_the_page_has_the_committed_numbers():
    assert not differing(made.files()), "run python -m studies.shared_errors"


@needs_results
def test_claims_without_known_items_are_near_what_is_right():
    found = made.results()
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
def test_known_items_make_the_mean_claim_right():
    for row in made.results()["known"]:
        assert abs(row["mean"]) <= (2 if row["known"] == 50 else 1.6), row["set"]


@needs_results
def test_false_alarms_are_few():
    """Within what 200 crowds can tell of 5 %, and of 8 % where items are difficult."""
    rows = made.results()["alarms"]
    assert len(rows) == 36
    for row in rows:
        if not row["difficulty"]:
            assert max(row["pairs"], row["together"], row["repeats"]) <= 0.08, row
        assert row["repeats"] <= 0.08, row
    alone = [row["together"] for row in rows if not row["difficulty"]]
    assert np.mean(alone) <= 0.05


@needs_results
def test_independent_crowds_lose_little():
    rows = [row for row in made.results()["independent"] if not row["difficulty"]]
    several = [row for row in rows if row["each"] >= 4]
    assert np.mean([row["right"] - row["dawid-skene right"] for row in several]) > -0.1
    for row in several:
        assert abs(row["gap"]) < 3, row["shape"]


@needs_results
def test_the_results_name_their_machine():
    stored = json.loads((ROOT / "studies" / "shared_errors" / "results" / "parts.json").read_text())
    assert stored["machine"]
