"""The figures of views in docs/images.md are those of the committed measurement."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
RESULT = ROOT / "bench" / "results" / "views.json"

pytestmark = pytest.mark.skipif(not RESULT.exists(), reason="comes without bench/results")

SIDES = ("ours", "Pillow and torch", "Pillow and NumPy", "torchvision's loader")


def rows_of(heading: str) -> list[list[str]]:
    """The rows of the table whose first column is called so."""
    text = (ROOT / "docs" / "images.md").read_text(encoding="utf-8")
    text = text[text.index("### What views cost") :]
    table = re.search(rf"^\| {heading} \|.*\n\|[- |]*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def said(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


@pytest.fixture(scope="module")
def measured():
    claims = json.loads(RESULT.read_text())["claims"]
    assert all(claim["holds"] is not False for claim in claims)
    return {claim["name"]: claim["value"] for claim in claims}


def test_views_cost_what_was_measured(measured):
    names = {"all four": "four views"}
    rows = rows_of("view")
    assert len(rows) == 5
    for view, *figures in rows:
        name = names.get(view, view.strip("`"))
        assert figures == [said(measured[f"{name}: {side}, us a picture"]) for side in SIDES]


def test_operations_cost_what_was_measured(measured):
    rows = rows_of("operation")
    assert len(rows) == sum(name.endswith(": Pillow, us a picture") for name in measured)
    for name, ours, pillow, *_ in rows:
        wanted = [measured[f"{name}: {side}, us a picture"] for side in ("ours", "Pillow")]
        assert [ours, pillow] == [said(value) for value in wanted], name
