"""What ``algorithms show`` says of costs is what was measured."""

import json
from pathlib import Path

from candidly.algorithms import ALGORITHMS
from candidly.algorithms.costs import COSTS, SHAPES, compared_with

MEASURED = Path(__file__).parents[2] / "bench" / "results" / "costs.json"


def test_every_cost_is_the_committed_measurement():
    claims = {c["name"]: c["value"] for c in json.loads(MEASURED.read_text())["claims"]}
    assert set(COSTS) == set(ALGORITHMS)
    for name in COSTS:
        base = compared_with(name)
        measured = [
            1.0 if name == base else claims[f"{shape}: {name}, times {base}"] for shape in SHAPES
        ]
        assert COSTS[name] == tuple(round(value, 1) for value in measured), name


def test_algorithms_are_compared_with_one_that_learns_from_the_same_labels():
    assert compared_with("PRODEN") == compared_with("CC") == "CC"
    assert compared_with("gce") == compared_with("ce") == compared_with("supervised-oracle") == "ce"
