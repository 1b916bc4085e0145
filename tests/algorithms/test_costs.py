"""What ``algorithms show`` says of costs is what was measured."""

import json
from pathlib import Path

from candidly.algorithms import ALGORITHMS
from candidly.algorithms._costs import COSTS, SHAPES

MEASURED = Path(__file__).parents[2] / "bench" / "results" / "costs.json"


def test_every_cost_is_the_committed_measurement():
    claims = {c["name"]: c["value"] for c in json.loads(MEASURED.read_text())["claims"]}
    for name in COSTS:
        measured = [
            1.0 if name == "CC" else claims[f"{shape}: {name}, times CC"] for shape in SHAPES
        ]
        assert COSTS[name] == tuple(round(value, 1) for value in measured), name
    assert set(COSTS) <= set(ALGORITHMS)
