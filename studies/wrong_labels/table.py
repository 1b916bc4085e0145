"""What the table of made-up sets says: how often what is said holds."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench._bench import Claim, at_least

LITTLE, HEAVY = 0.85, 0.55  # of the true classes the classifier tells: little overlap, and heavy
LEARNS = 0.05  # behind the best that can be reached: it has learned what there is to learn
POINT, QUARTER = 0.01, 0.25  # near: within a point, or a quarter of the truth
ALIKE = ("uniform", "by class", "careless")  # errors that the premise covers
ENOUGH, SMALL = 1000, 2000  # rows
MEASURES = {
    "mean error": lambda t: 100 * np.abs(t["share"] - t["truth"]).mean(),
    "of the joint": lambda t: 100 * np.abs(t["joint"] - t["truth"]).mean(),
    "of the flags": lambda t: 100 * np.abs(t["flags"] - t["truth"]).mean(),
    "near": lambda t: 100 * np.mean(
        np.abs(t["share"] - t["truth"]) <= np.maximum(POINT, QUARTER * t["truth"])
    ),
    "says 0": lambda t: 100 * np.mean(t["share"] == 0),
    "holds": lambda t: 100 * np.mean((t["low"] <= t["truth"]) & (t["truth"] <= t["high"])),
    "low end": lambda t: 100 * np.mean(t["low"] <= t["truth"]),
    "upper end": lambda t: 100 * np.mean(
        (t["low"] <= t["truth"]) & (t["truth"] <= t["disagreement"])
    ),
}  # fmt: skip
RANKED = ("chance", "self", "margin")
DEPTHS = (50, 200, 1000)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The table, numbers as numbers; sets of which nothing can be said are left out."""
    with path.open(newline="") as file:
        return [
            {name: _number(cell) for name, cell in row.items()}
            for row in csv.DictReader(file)
            if not row["why"]
        ]


def groups(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Rows by kind of errors, by how much the classes overlap to a classifier that has learned."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["reached"] - row["skill"] > LEARNS:
            name = "classifier that misses what could be learned"
            found.setdefault(f"{row['kind']}: {name}", []).append(row)
            continue
        skill = row["skill"]
        overlap = "little" if skill >= LITTLE else "more" if skill >= HEAVY else "heavy"
        found.setdefault(f"{row['kind']}: {overlap} overlap", []).append(row)
    return dict(sorted(found.items()))


def measures(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What holds of some rows, in %; average precision, and what was said of the first rows."""
    columns = {name: _column(rows, name) for name in rows[0]}
    found = {"sets": float(len(rows))}
    found |= {name: round(float(of(columns)), 2) for name, of in MEASURES.items()}
    for name in RANKED:
        found[f"AP {name}"] = _mean(columns[f"ap {name}"], 3)
    for depth in DEPTHS:
        for which in ("said", "true"):
            column = columns.get(f"{which} {depth}", np.array([np.nan]))
            found[f"{which} {depth}"] = _mean(column, 2)
    return found


def holding(rows: Sequence[Mapping[str, Any]]) -> list[Claim]:
    """What was demanded of the procedure before these sets were made, and whether it holds."""
    learned = [row for row in rows if row["reached"] - row["skill"] <= LEARNS]
    clean = [row for row in rows if row["kind"] == "none" and row["n"] >= ENOUGH]
    struck = [row for row in learned if row["kind"] in ALIKE]
    little = measures([row for row in struck if row["skill"] >= LITTLE])
    more = [row for row in struck if HEAVY <= row["skill"] < LITTLE]
    small = measures([row for row in more if row["n"] <= SMALL])
    large = measures([row for row in more if row["n"] > SMALL])
    alike = "uniform, by class, careless"
    return [
        at_least("clean, 1,000 rows and more: says 0, %", measures(clean)["says 0"], 95),
        Claim("clean, 1,000 rows and more: within a point, %", measures(clean)["near"]),
        at_least(f"{alike}; little overlap: within max(1 point, 25 %), %", little["near"], 95),
        at_least(f"{alike}; little overlap: interval holds, %", little["holds"], 90),
        at_least(f"{alike}; more overlap, up to 2,000 rows: near, %", small["near"], 70),
        at_least(f"{alike}; more overlap, up to 2,000 rows: interval, %", small["holds"], 85),
        at_least(f"{alike}; more overlap, above 2,000 rows: near, %", large["near"], 90),
        Claim(f"{alike}; more overlap, above 2,000 rows: interval, %", large["holds"]),
        at_least("every kind: low end <= truth, %", measures(rows)["low end"], 95),
        at_least("the same of classifiers that learned, %", measures(learned)["low end"], 95),
    ]


def summed_up(path: Path) -> str:
    """The table for people."""
    rows = rows_of(path)
    parts = {**groups(rows), "all": rows}
    names = list(measures(rows))
    lines = [" " * 56 + "".join(f"{name:>13}" for name in names)]
    for name, some in parts.items():
        lines.append(f"{name:<56}" + "".join(f"{x:>13}" for x in measures(some).values()))
    return "\n".join(lines)


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> np.ndarray:
    cells = [row.get(name) for row in rows]
    return np.array([cell if isinstance(cell, float) else np.nan for cell in cells])


def _mean(column: np.ndarray, digits: int) -> float:
    there = column[np.isfinite(column)]
    return round(float(there.mean()), digits) if len(there) else float("nan")


def _number(text: str) -> float | str:
    try:
        return float(text)
    except (TypeError, ValueError):
        return text
