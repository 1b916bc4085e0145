"""What the ranking studies share: corrected labels, results on disk, sections of their pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from candidly.compare.stability import Report, assess, make_case, read_report
from candidly.compare.stability.document import BIAS, grids, missed_line
from candidly.compare.stability.figures import prevalence_figure, rank_figure
from candidly.ground.files import replacing
from candidly.people.validation import corrected, judge, read_released
from candidly.show.grid import Grid
from candidly.stats.pairs import fewest_discordant
from studies.kit.figures import alone
from studies.kit.words import prose

from .pages import write_text

# labels and results


def corrected_labels(data: Path, name: str, original: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels by what five people answered about each candidate.

    Returns:
        int64 (n,), -1 where no single label is right; and bool (n,), which were checked.
    """
    votes = read_released(data / "label_errors" / "mturk" / f"{name}_mturk.json")
    checked = np.zeros(len(original), bool)
    checked[votes.item] = True
    return corrected(original, judge(votes), undecided="prune").labels, checked


def report_of(
    predictions: Mapping[str, np.ndarray], original: np.ndarray, data: Path, name: str
) -> Report:
    """The report of these predictions, uint8 (n,) by model."""
    labels, checked = corrected_labels(data, name, original)
    return assess(make_case(original, labels, predictions, flagged=checked, checked=checked))


def read_predictions(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "predictions.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def read_results(folder: Path) -> Report:
    return read_report(json.loads((folder / "report.json").read_text(encoding="utf-8")))


def write_results(predictions: Mapping[str, np.ndarray], report: Report, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / "predictions.npz") as file:
        np.savez_compressed(file, allow_pickle=False, **predictions)
    write_text(folder / "report.json", report.as_dict())


# what pages show


def figures(report: Report, prefix: str) -> dict[str, str]:
    """Ranks on the changed items, and accuracy as wrong labels grow by either label."""
    return {
        f"{prefix}ranks.svg": alone(rank_figure(report, "changed")),
        f"{prefix}original.svg": alone(prevalence_figure(report, "original")),
        f"{prefix}corrected.svg": alone(prevalence_figure(report, "corrected")),
    }


def table(grid: Grid) -> str:
    """A table in Markdown under its title."""
    rows = replace(grid, title="", notes=()).markdown()
    return "\n\n".join([prose(f"{grid.title}:"), rows, *map(prose, grid.notes)])


def ranking(report: Report) -> dict[str, Any]:
    """What the sections of ``rankings.md`` say."""
    standings, crossings, models = report.standings, report.crossings, len(report.standings)
    first = min(crossings, key=lambda c: c.prevalence, default=None)
    pairs = models * (models - 1) // 2
    return {
        "report": report,
        "tables": {name: table(grid) for name, grid in grids(report).items()},
        "moved": sum(s.rank_original != s.rank_corrected for s in standings),
        "biggest": max(abs(s.top1.corrected.share - s.top1.original.share) for s in standings),
        "other_ranges": sum(s.range_original != s.range_corrected for s in standings),
        "missed": missed_line(report),
        "least": min(report.neighbours, key=lambda n: n.lead if n.budget is None else n.budget),
        "nearest": None if first is None or first.x_removed is None else first,
        "sure": sum(c.established for c in crossings),
        "pairs": pairs,
        "needed": fewest_discordant(pairs, report.alpha),
        "changed_right": [s.top1.changed_corrected.right for s in standings],
        "alike": report.associations[2],
        "bias": BIAS,
    }
