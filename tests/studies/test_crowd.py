"""``docs/crowd.md`` says what the committed measurements say, and the page is made as it should."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from studies.crowd import page
from studies.kit.pages import differing, filled

from committed import needs_results

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bench():
    """``bench/crowd.py``, by its file: there is a folder of tests of its name."""
    spec = importlib.util.spec_from_file_location("bench_crowd", ROOT / "bench" / "crowd.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@needs_results
def test_the_page_has_the_committed_numbers():
    assert not differing(page.files()), "run python -m studies.crowd"


@needs_results
def test_the_sentences_of_the_page_hold():
    """What the page says in words, from the same numbers."""
    found = page.results("crowd")

    def points(data, way):
        base = f"{data}: {way} minus majority, "
        return tuple(found[base + part] for part in ("points", "from", "to"))

    text = " ".join(page.PAGE.read_text().split())
    for data, way, end in (
        ("bluebirds", "dawid-skene", " points, and on sentiment"),
        ("sentiment", "dawid-skene", ". On LabelMe"),
        ("labelme", "crowdlab with the model", " points on LabelMe"),
        ("sentiment", "crowdlab with the model", " on sentiment."),
    ):
        _, low, high = points(data, way)
        assert low > 0
        assert f"by {low:.1f} to {high:.1f}{end}" in text, (data, way)
    assert round(found["labelme: answers"] / found["labelme: annotators"]) == 43
    lead, low, high = points("labelme", "dawid-skene")
    assert round(lead, 1) == 1.4
    assert low < 0 < high
    for data in ("labelme", "bluebirds"):
        assert points(data, "crowdlab")[1] <= 0 <= points(data, "crowdlab")[2]
    assert 0 < points("sentiment", "crowdlab")[0] < points("sentiment", "dawid-skene")[0]
    leads = []
    for data in ("labelme", "sentiment"):
        ranked = sorted(v for name, v in found.items() if f"{data}: " in name and "%" in name)
        mine = found[f"{data}: dawid-skene with the model, accuracy %"]
        assert mine >= ranked[-2]
        leads.append(mine - found[f"{data}: crowdlab with the model, accuracy %"])
    assert f"CROWDLAB by {leads[0]:.1f} and {leads[1]:.1f} points" in text
    assert points("bluebirds", "one-coin")[2] < 0 < points("sentiment", "one-coin")[1]
    assert points("labelme", "one-coin")[1] < 0 < points("labelme", "one-coin")[2]
    rows = page.curve_rows(found)
    assert list(rows) == [1, 2, 3, 4, 5, 6]
    assert rows[1]["union_noise"] / rows[2]["union_noise"] > 6
    assert round(rows[2]["union_size"] - rows[1]["union_size"]) == 1
    assert rows[2]["vaguest_noise"] > 4 * rows[2]["union_noise"]


@needs_results
def test_targets_are_met():
    stored = json.loads((ROOT / "bench" / "results" / "crowd.json").read_text())
    with_target = [claim for claim in stored["claims"] if claim["target"]]
    assert len(with_target) >= 2
    assert all(claim["holds"] for claim in with_target)


def test_a_comparison_by_hand(bench):
    # of 100 items, 12 are right only with the first, 2 only with the second, 80 with both
    right = np.array([True] * 92 + [False] * 8)
    base = np.array([False] * 12 + [True] * 82 + [False] * 6)
    found = {claim.name: claim.value for claim in bench.compared("d", "w", right, base)}
    assert found["d: w, accuracy %"] == 92
    assert found["d: w minus majority, points"] == 10
    # p: 2 (C(14, 0) + C(14, 1) + C(14, 2)) / 2^14
    assert found["d: w minus majority, p"] == pytest.approx(2 * (1 + 14 + 91) / 2**14)
    # variance of a difference: (0.12 + 0.02 - 0.1^2) / 100, so 3.6 points
    half = 1.96 * 3.6
    assert found["d: w minus majority, from"] == pytest.approx(10 - half, abs=0.8)
    assert found["d: w minus majority, to"] == pytest.approx(10 + half, abs=0.8)
    alike = {claim.name: claim.value for claim in bench.compared("d", "w", base, base)}
    assert alike["d: w minus majority, p"] == 1
    assert alike["d: w minus majority, to"] == 0


def test_a_row_says_what_its_interval_says():
    def row(points, low, high, p=0.01):
        base = "sentiment: w minus majority, "
        values = dict(zip(("points", "from", "to", "p"), (points, low, high, p)))
        claims = {base + name: value for name, value in values.items()}
        return page.number_of({"sentiment: w, accuracy %": 90, **claims}, "sentiment", "w")

    assert row(2, 1, 3) == "| sentiment | w | 90.0 | +2.0 | +1.0 to +3.0 | 0.010 | better |"
    assert "| −2.0 | −3.0 to −1.0 | < 0.001 | worse |" in row(-2, -3, -1, 1e-9)
    assert "| +1.0 | −0.5 to +2.0 | 0.200 | not told apart |" in row(1, -0.5, 2, 0.2)
    assert "| 0.0 | 0.0 to 0.0 | 1.000 | not told apart |" in row(-0.01, 0, 0, 1)


def test_a_place_that_is_missing_is_named():
    with pytest.raises(ValueError, match="0 places named sets"):
        filled("<!-- accuracy -->\n<!-- / -->\n", {"accuracy": "x", "sets": "y"})
    assert filled("<!-- a -->\nold\n<!-- / -->", {"a": "new"}) == "<!-- a -->\nnew\n<!-- / -->"


@needs_results
def test_the_other_ways_are_as_fast_as_they_were_to_be():
    found = page.results("aggregators")
    times = [value for name, value in found.items() if "times as fast" in name]
    assert len(times) >= 4
    assert min(times) >= 10


@needs_results
def test_sets_of_a_consensus_are_smaller_than_the_vaguest_answer():
    found = page.results("answer_sets")
    for k in (3, 4, 6):
        about = f"CIFAR-10S, {k} answers: "
        for mass in ("95 %", "99 %"):
            assert found[f"{about}{mass} labels"] < 0.5 * found[f"{about}vaguest labels"]
