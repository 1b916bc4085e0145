"""What docs/benchmark.md says of searches is what the committed result says."""

from __future__ import annotations

import json
from pathlib import Path

from candidly.stats import corrected_t

from committed import needs_results

ROOT = Path(__file__).parents[2]


@needs_results
def test_the_page_says_what_was_measured():
    rows = json.loads((ROOT / "studies" / "search" / "results" / "search.json").read_text())["rows"]
    assert len(rows) == 9
    found = []
    for row in rows:
        ways = row["ways"]
        assert all(len(way["test"]) == 10 for way in ways.values())
        for name in ("tpe", "tpe, median"):
            told = row["compared"][f"{name}: test"]
            test = corrected_t(ways[name]["test"], ways["random"]["test"], 0.1)
            assert round(100 * test.difference, 6) == round(told["points"], 6)
            assert test.p > 0.05
        found.append(row["compared"]["tpe: test"]["points"])
    assert (round(min(found), 1), round(max(found), 1)) == (-0.6, 0.6)
    saved = [
        1 - row["ways"]["tpe, median"]["updates"] / row["ways"]["random"]["updates"] for row in rows
    ]
    assert (round(100 * min(saved)), round(100 * max(saved))) == (25, 37)
    text = (ROOT / "docs" / "benchmark.md").read_text()
    assert "between −0.6 and +0.6 points" in text
    assert "25 to 37 % of the updates" in text
