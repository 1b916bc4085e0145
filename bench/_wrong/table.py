"""What the table of made-up sets says: how often what is said holds."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from .made import FLEXIBLE, KINDS

LITTLE, HEAVY = 0.85, 0.55  # the best accuracy: little overlap above, heavy below


def summed_up(path: Path) -> str:
    with path.open(newline="") as file:
        rows = [
            {k: _number(v) for k, v in row.items()} for row in csv.DictReader(file) if not row["why"]
        ]
    parts = []
    for name, chosen in (
        ("flexible classifiers, and logistic regression of Gaussian classes", ("logistic", *FLEXIBLE)),
        ("linear classifier, whatever the classes", ("linear",)),
    ):
        parts.append(f"{name}\n" + _table([r for r in rows if r["classifier"] in chosen]))
    return "\n\n".join(parts)


def _table(rows: list[dict]) -> str:
    head = (
        f"{'errors':<22}{'sets':>5}{'|est|':>7}{'|CL|':>7}{'|flag|':>7}{'bias':>7}{'near':>6}{'holds':>7}"
        f"{'low<=':>7}{'upper':>7}{'AP ch':>7}{'AP se':>7}{'AP ma':>7}{'s50':>6}{'t50':>6}{'s200':>6}{'t200':>6}"
    )
    lines = [head]
    for kind in KINDS:
        of_kind = [r for r in rows if r["kind"] == kind]
        for name, low, high in (("little", LITTLE, 2), ("more", HEAVY, LITTLE), ("heavy", 0, HEAVY)):
            some = [r for r in of_kind if low <= r["reached"] < high]
            if some:
                lines.append(f"{kind + ', ' + name:<22}" + _line(some))
        if of_kind:
            lines.append(f"{kind:<22}" + _line(of_kind))
    lines.append(f"{'all':<22}" + _line(rows))
    return "\n".join(lines)


def _line(rows: list[dict]) -> str:
    def of(name: str) -> np.ndarray:
        return np.array([r.get(name, np.nan) if r.get(name) != "" else np.nan for r in rows], float)

    truth, share, low, high = of("truth"), of("share"), of("low"), of("high")
    near = np.abs(share - truth) <= np.maximum(0.01, 0.25 * truth)
    holds = (low <= truth) & (truth <= high)
    upper = (low <= truth) & (truth <= of("disagreement"))
    mean = [
        100 * np.abs(share - truth).mean(),
        100 * np.abs(of("joint") - truth).mean(),
        100 * np.abs(of("flags") - truth).mean(),
        100 * (share - truth).mean(),
    ]
    told = f"{len(rows):>5}" + "".join(f"{x:>7.2f}" for x in mean)
    told += f"{100 * near.mean():>6.0f}" + f"{100 * holds.mean():>7.0f}"
    told += f"{100 * (low <= truth).mean():>7.0f}{100 * upper.mean():>7.0f}"
    with np.errstate(all="ignore"):
        for name in ("ap chance", "ap self", "ap margin"):
            told += f"{np.nanmean(of(name)) if np.isfinite(of(name)).any() else np.nan:>7.3f}"
        for name in ("said 50", "true 50", "said 200", "true 200"):
            told += f"{np.nanmean(of(name)):>6.2f}"
    return told


def _number(text: str) -> float | str:
    try:
        return float(text)
    except (TypeError, ValueError):
        return text
