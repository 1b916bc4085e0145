"""The tables of docs/wrong-labels.md, from the committed results."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from studies.kit.pages import filled
from studies.wrong_labels.figure import two_sets
from studies.wrong_labels.table import HEAVY, LEARNS, LITTLE, measures, rows_of

KINDS = {
    "none": "none",
    "uniform": "uniform",
    "careless": "a tenth of the people, at random",
    "by class": "rates by class",
    "pairs": "from a class to one other",
    "ambiguous": "unclear rows struck",
    "posterior": "drawn from the posterior",
}
COLUMNS = ("mean error", "of the joint", "of the flags", "near", "holds", "low end")
HEAD = (
    "errors",
    "sets",
    "mean error",
    "confident learning's",
    "its flags'",
    "near",
    "holds",
    "low end",
)


def pages(root: Path, results: Path) -> dict[Path, bytes]:
    """The page and its figure, as the results have it."""
    page = root / "docs" / "wrong-labels.md"
    text = page.read_text(encoding="utf-8")
    parts = {"table": _made(results / "made.csv"), "real": _real(results / "real.csv")}
    text = filled(text, parts)
    figure = two_sets().replace("<svg ", '<svg width="504pt" height="216pt" ', 1)
    return {page: text.encode(), root / "docs" / "images" / "wrong-labels.svg": figure.encode()}


def _made(path: Path) -> str:
    rows = rows_of(path)
    learned = [row for row in rows if row["reached"] - row["skill"] <= LEARNS]
    lines = [_line(HEAD), _line(["---"] + ["--:"] * (len(HEAD) - 1))]
    for kind, name in KINDS.items():
        of_kind = [row for row in learned if row["kind"] == kind]
        for overlap, low, high in (
            ("little overlap", LITTLE, 2.0),
            ("more", HEAVY, LITTLE),
            ("heavy", 0.0, HEAVY),
        ):
            some = [row for row in of_kind if low <= row["skill"] < high]
            if some:
                lines.append(_line([f"{name}; {overlap}", *_numbers(some)]))
    others = [row for row in rows if row not in learned]
    for kind, name in KINDS.items():
        some = [row for row in others if row["kind"] == kind]
        lines.append(_line([f"*{name}; not learned*", *_numbers(some)]))
    return "\n".join(lines)


def _numbers(rows: Sequence) -> list[str]:
    found = measures(rows)
    errors = [f"{found[name]:.1f}" for name in COLUMNS[:3]]
    return [f"{len(rows)}", *errors, *(f"{found[name]:.0f} %" for name in COLUMNS[3:])]


def _real(path: Path) -> str:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    head = ("set", "labels", "classes", "said", "contradicted", "known to be wrong", "by")
    lines = [_line(head), _line(["---"] + ["--:"] * 5 + ["---"])]
    for row in rows:
        number, low, high = (int(row[name]) for name in ("number", "from", "to"))
        said = f"{number:,} ({low:,} to {high:,})"
        cells = (row["set"], f"{int(row['labels']):,}", row["classes"], said)
        known = f"{int(row['contradicted']):,}", f"{int(row['wrong']):,}", row["known by"]
        lines.append(_line([*cells, *known]))
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
