"""What the ranking studies share: corrected labels, results on disk, sections of their pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from candidly.compare.stability import Report, assess, make_case, read_report
from candidly.compare.stability._report import Association
from candidly.compare.stability.document import BIAS, grids, missed_line
from candidly.compare.stability.figures import prevalence_figure, rank_figure
from candidly.ground.files import replacing
from candidly.people.validation import corrected, judge, read_released
from candidly.show.grid import Grid
from candidly.show.words import percent
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


# sections


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


def standings(report: Report) -> list[str]:
    return ["## Accuracies and ranks", table(grids(report)["standings"])]


def firmness(report: Report) -> list[str]:
    tables = grids(report)
    return [
        "## How many wrong labels an order withstands",
        prose(_budgets(report)),
        table(tables["neighbours"]),
        table(tables["pairs"]),
    ]


def growth(report: Report, prefix: str) -> list[str]:
    return [
        "## If wrong labels were more frequent",
        prose(_growing(report)),
        f"![Accuracy by original labels as wrong labels grow](../images/{prefix}original.svg)",
        f"![Accuracy by corrected labels as wrong labels grow](../images/{prefix}corrected.svg)",
        table(grids(report)["crossings"]),
    ]


def on_changed(report: Report, prefix: str) -> list[str]:
    title = "Ranks on the changed items, by original and corrected labels"
    return [
        "## On the changed items alone",
        prose(_changed(report)),
        f"![{title}](../images/{prefix}ranks.svg)",
        prose(BIAS),
    ]


def moves(report: Report) -> str:
    """How many models move, and what limits the comparison."""
    c, moved = report.prevalence, sum(s.rank_original != s.rank_corrected for s in report.standings)
    ranks = "No model moves." if not moved else f"{moved} models move."
    biggest = max(abs(s.top1.corrected.share - s.top1.original.share) for s in report.standings)
    return f"""{ranks} {c.right} changed labels of {c.of:,} kept ones are a prevalence of
    {percent(c.share)} % ({percent(c.low)} to {percent(c.high)} %), and no accuracy changes by more
    than {percent(biggest)} points, while intervals from the choice of images are several times as
    wide. What limits this comparison is not these errors; it is {report.sizes["D"]:,} images."""


def settled(report: Report) -> str:
    """Which places may be taken for sure."""
    sizes, secure = report.sizes, report.secure
    if not (secure and report.budget):
        return "No place is settled."
    places = "The first place is" if secure == 1 else f"The first {secure} places are"
    return f"""{places} settled by the tests, and no {report.budget} wrong labels among those
    that nobody checked could change them; {sizes["C"] + sizes["U"]} were found among the
    {sizes["F"]} most suspicious."""


def possible(report: Report) -> str:
    """Whether the ranks that tests leave possible depend on the labels."""
    other = sum(s.range_original != s.range_corrected for s in report.standings)
    same = "the same" if not other else f"other ones for {other} models"
    return f"""The ranks that tests leave possible are {same} by published and by corrected labels;
    where they overlap the order may be chance, with or without label errors."""


def _budgets(report: Report) -> str:
    least = min(report.neighbours, key=lambda n: n.lead if n.budget is None else n.budget)
    return f"""{missed_line(report)} The flip budget needs no assumption about them: it is how many
    labels, chosen as badly as can be, may be wrong without turning or tying a pair. The tightest
    pair is {least.first} and {least.second}, {least.lead} images apart, with a budget of
    {least.budget}. Firmness against wrong labels and firmness against chance are different things:
    the tests in the second table ask whether another set of images would have told the same."""


def _growing(report: Report) -> str:
    sure = sum(c.established for c in report.crossings)
    count, models = len(report.crossings), len(report.standings)
    pairs = models * (models - 1) // 2
    needed = fewest_discordant(pairs, report.alpha)
    first = min(report.crossings, key=lambda c: c.prevalence, default=None)
    near = ""
    if first is not None and first.x_removed is not None:
        near = f"""The nearest would be {first.behind} passing {first.ahead} at
        {percent(first.prevalence, 1)} % wrong labels, for which {percent(first.x_removed, 1)} % of
        the unchanged images would have to go."""
    return f"""By corrected labels {count} pairs of models would cross somewhere between the
    prevalence there is and 1. {near} {sure or "None"} of them {"is" if sure == 1 else "are"}
    established: there are {report.sizes["C"]} changed labels, and with {pairs} pairs of models to
    correct for, two models would have to differ on at least {needed} of them, all one way, before
    an exact test at {percent(report.alpha, 0)} % notices."""


def _changed(report: Report) -> str:
    found = report.associations[2]
    low = min(s.top1.changed_corrected.right for s in report.standings)
    high = max(s.top1.changed_corrected.right for s in report.standings)
    return f"""Every model has between {low} and {high} of the {report.sizes["C"]} changed images
    right by corrected labels. {_alike(found, report.alpha)}"""


def _alike(found: Association, alpha: float) -> str:
    if found.spearman is None:
        return "By one of the labels all have equally many, so the rankings cannot be compared."
    so = ": from so few images, nothing follows" if found.spearman_p > alpha else ""
    return f"""Spearman's correlation between the two rankings there is {found.spearman:.2f}
    (permutation p {found.spearman_p:.2f}), Kendall's tau {found.kendall:.2f} (p
    {found.kendall_p:.2f}){so}."""
