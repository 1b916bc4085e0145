"""docs/studies/noisy-labels.md: the guide, and what the committed results say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from candidly.compare.sweep.budget import at_budget
from candidly.compare.sweep.gap import Gap, gaps
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import Cell, cells
from candidly.learn.algorithms import ALGORITHMS, algorithm
from candidly.show.words import listed, percent, plus_minus
from candidly.stats import Summary, paired_difference, summarise
from studies.kit.oracles import is_oracle
from studies.kit.template import rendered
from studies.kit.words import grid, minus

from . import figures
from .losses import EDGES, EPOCHS
from .study import COMPONENTS, LABELS, SETTINGS

PAGE = Path(__file__).parents[2] / "docs" / "studies" / "noisy-labels.md"
FIGURE = "noisy-labels-losses.svg"
BASE = "ce"
LIMIT = 2.0  # standard errors
BY_CHANCE = 0.058  # of a t with 4 degrees of freedom above 2
EARLY = 5  # the epoch of the figure
CHOSEN = "NVA"
TITLES = {"digits": "Digits", "labelme": "LabelMe"}

Cells = Mapping[tuple[str, str], Cell]  # (labels, algorithm)


class Lead(NamedTuple):
    """An algorithm less cross-entropy on the same splits, and whether that is beyond ``LIMIT``."""

    gap: Summary

    @property
    def sign(self) -> int:
        mean, error = self.gap.mean, self.gap.standard_error
        if mean is None or error is None or abs(mean) <= LIMIT * error:
            return 0
        return 1 if mean > 0 else -1


def make_page(folder: Path) -> tuple[str, str]:
    """The page as Markdown, and its figure: the same from the same results."""
    results = read_results(folder)
    measured = json.loads((folder / "losses.json").read_text())
    lines, runs, table = measured["lines"], results.runs, table_of(results)
    peaks = _peaks(lines)
    values = {
        "told": _told(results, table),
        "always": _always(results, table),
        "limit": LIMIT,
        "by_chance": BY_CHANCE,
        "label_sets": len({run.dataset for run in runs}),
        "runs": runs,
        "done": sum(run.complete for run in runs),
        "diverged": sorted({run.algorithm for run in runs if run.diverged_at is not None}),
        "algorithms": _names(results),
        "settings": SETTINGS,
        "chosen": CHOSEN,
        "base": BASE,
        "digits": listed(LABELS[name].title for name in _labels(results, "digits")),
        "components": COMPONENTS,
        "separable": [percent(value, 1) for value in measured["labelme"].values()],
        "wrong": _wrong_shares(lines),
        "leads": _leads(results, table),
        "planned": len(_every(results)),
        "costs": _costs(results, table),
        "at_equal_budget": _at_equal_budget(results),
        "choosing": _choosing(results),
        "seeds": len({line["seed"] for line in lines}),
        "early": EARLY,
        "losses_until": EPOCHS[-1],
        "figure": FIGURE,
        "losses": _losses(lines),
        "peaks": peaks,
        "symmetric": [peak for name, (_, peak) in peaks.items() if name.startswith("symmetric")],
        "people": [peaks[name][1] for name, of in LABELS.items() if of.data == "labelme"],
    }
    return rendered(Path(__file__).with_name("page.md"), values), _figure(lines)


def _signs(results: Results, table: Cells, data: str) -> dict[str, list[int]]:
    """Whether each algorithm that is told no truth is ahead (1) or behind (-1), by label set."""
    fair = [name for name in _names(results) if name != BASE and not is_oracle(name)]
    labels = _labels(results, data)
    return {name: [lead(table, one, name).sign for one in labels] for name in fair}


def _told(results: Results, table: Cells) -> list[str]:
    """How many are ahead of cross-entropy, by data."""
    told = []
    for data, title in TITLES.items():
        signs = [sign for each in _signs(results, table, data).values() for sign in each]
        if signs:
            told.append(
                f"on {title} {signs.count(1)} of {len(signs)} comparisons are ahead of "
                f"cross-entropy and {signs.count(-1)} behind"
            )
    return told


def _always(results: Results, table: Cells) -> list[str]:
    """Algorithms that are ahead on every set of labels."""
    signs = [_signs(results, table, data) for data in TITLES if _labels(results, data)]
    return [name for name in signs[0] if all(min(each[name]) > 0 for each in signs)]


def ordered(names: Iterable[str]) -> list[str]:
    """In the order of the table of algorithms, each before its variants, oracles last."""
    order = list(ALGORITHMS)

    def place(name: str) -> tuple[bool, int, str]:
        base = name.partition(":")[0]
        return is_oracle(name), order.index(base), "" if name == base else name

    return sorted(set(names), key=place)


def table_of(results: Results, criterion: str = CHOSEN) -> Cells:
    return {(cell.dataset, cell.algorithm): cell for cell in cells(results, [criterion])}


def lead(table: Cells, labels: str, name: str, over: Cells | None = None) -> Lead:
    """``name`` less cross-entropy, split by split; cross-entropy as ``over`` has it."""
    base = (over or table)[labels, BASE]
    return Lead(paired_difference(table[labels, name].values("top1"), base.values("top1")))


def _names(results: Results) -> list[str]:
    return ordered(run.algorithm for run in results.runs)


def _title(labels: str) -> str:
    return f"{TITLES[LABELS[labels].data]}, {LABELS[labels].title}"


def _labels(results: Results, data: str) -> list[str]:
    there = {run.dataset for run in results.runs}
    return [name for name, labels in LABELS.items() if labels.data == data and name in there]


def _every(results: Results) -> list[str]:
    return [one for data in TITLES for one in _labels(results, data)]


def _cell_text(cell: Cell, beside: Lead | None) -> str:
    text = plus_minus(cell.summary["top1"])
    if cell.state == "incomplete":
        return f"{text} ({cell.finished} of {cell.planned} runs)"
    if beside is None or beside.sign == 0:
        return text
    return f"**{text}**" if beside.sign > 0 else f"*{text}*"


def _leads(results: Results, table: Cells) -> list[str]:
    """Accuracies by algorithm and set of labels, a table for each data set."""
    parts = []
    for data, title in TITLES.items():
        labels, rows = _labels(results, data), []
        for name in _names(results):
            beside = [None if name == BASE else lead(table, one, name) for one in labels]
            cells = [_cell_text(table[one, name], each) for one, each in zip(labels, beside)]
            rows.append([f"`{name}`", *cells])
        parts.append(grid([f"{title}: algorithm", *(LABELS[one].title for one in labels)], rows))
    return parts


def _costs(results: Results, table: Cells) -> dict:
    """How often each algorithm is ahead, and what it costs."""
    names = [name for name in _names(results) if name != BASE]
    by_data = {data: _labels(results, data) for data in TITLES}
    every = _every(results)
    seconds = run_seconds(results)
    rows, ahead_of_all, fair = [], [], [name for name in names if not is_oracle(name)]
    counts = {data: dict.fromkeys((1, 0, -1), 0) for data in TITLES}
    for name in names:
        leads = {one: lead(table, one, name) for one in every}
        ahead = [one for one in every if leads[one].sign > 0]
        behind = [one for one in every if leads[one].sign < 0]
        if name in fair:
            for one in every:
                counts[LABELS[one].data][leads[one].sign] += 1
            if len(ahead) == len(every):
                ahead_of_all.append(name)
        gains = [_mean_gain(leads[one] for one in labels) for labels in by_data.values()]
        page = algorithm(name)
        cost = summarise(
            [
                seconds[one, name] / seconds[one, BASE]
                for one in every
                if (one, name) in seconds and (one, BASE) in seconds
            ]
        ).mean
        told = ", ".join(page.told) if page.told else "the truth" if is_oracle(name) else "–"
        line = [f"`{name}`", str(len(ahead)), str(len(behind)), *gains, str(page.networks)]
        rows.append([*line, "–" if cost is None else f"{cost:.1f}", told])
    rows.sort(key=lambda row: (-int(row[1]), int(row[2])))
    gained = [f"gain, {title}" for title in TITLES.values()]
    header = ["algorithm", "ahead", "behind", *gained, "networks", "time", "told"]
    return {
        "ahead": ahead_of_all,
        "counts": [(TITLES[data], *each.values()) for data, each in counts.items()],
        "total": sum(sum(each.values()) for each in counts.values()),
        "table": grid(header, rows),
    }


def _mean_gain(leads: Iterable[Lead]) -> str:
    mean = summarise([one.gap.mean for one in leads]).mean
    return "–" if mean is None else minus(100 * mean, 1)


def run_seconds(results: Results) -> dict[tuple[str, str], float]:
    """Mean processor time of the complete runs."""
    found: dict[tuple[str, str], list[float]] = {}
    for run in results.runs:
        if run.complete:
            found.setdefault((run.dataset, run.algorithm), []).append(run.records[-1].seconds)
    return {key: sum(values) / len(values) for key, values in found.items()}


def _at_equal_budget(results: Results) -> str:
    budget = int(SETTINGS["steps"])
    table, whole = table_of(at_budget(results, budget)), table_of(results)
    names = [name for name in _names(results) if algorithm(name).networks > 1]
    every = _every(results)
    rows = []
    for name in names:
        full = [lead(whole, one, name) for one in every]
        equal = [lead(table, one, name, over=whole) for one in every]
        line = [f"`{name}`"]
        for leads in (full, equal):
            line += [_mean_gain(leads), str(sum(one.sign > 0 for one in leads))]
        rows.append(line)
    header = ["algorithm", "gain", "ahead", "gain, equal budget", "ahead, equal budget"]
    return grid(header, rows)


def _choosing(results: Results) -> str:
    found = [gap for gap in gaps(results, CHOSEN) if not is_oracle(gap.algorithm)]
    rows = []
    for one in _every(results):
        mine = [gap for gap in found if gap.dataset == one]
        base = next(gap for gap in mine if gap.algorithm == BASE)
        line = [_title(one)]
        line += [percent(part.mean, 1) for part in (base.best, base.selected, base.last)]
        rows.append([*line, *_means(mine)])
    header = ["labels", f"{BASE}: best", "selected", "last", "all: lost", "all: gained"]
    return grid(header, rows)


def _means(some: Sequence[Gap]) -> list[str]:
    lost = summarise([gap.lost.mean for gap in some]).mean or 0
    gained = summarise([gap.gained.mean for gap in some]).mean or 0
    return [f"{100 * lost:.1f}", minus(100 * gained, 1)]


def _losses(lines: Sequence[Mapping]) -> str:
    rows = [
        [_title(name), *(f"{_auroc(lines, name, epoch):.2f}" for epoch in EPOCHS)]
        for name in LABELS
    ]
    return grid(["AUROC after epoch", *map(str, EPOCHS)], rows)


def _peaks(lines: Sequence[Mapping]) -> dict[str, tuple[int, float]]:
    """By set of labels, the epoch after which wrong labels are told apart best, and how well."""
    return {
        name: max(((each, _auroc(lines, name, each)) for each in EPOCHS), key=lambda one: one[1])
        for name in LABELS
    }


def _wrong_shares(lines: Sequence[Mapping]) -> dict[str, str]:
    """How many labels of each set are wrong, in percent."""
    found = dict.fromkeys(LABELS, "–")
    for line in lines:
        wrong = sum(line["wrong"])
        found[line["labels"]] = f"{percent(wrong / (wrong + sum(line['right'])), 1)} %"
    return found


def _auroc(lines: Sequence[Mapping], name: str, epoch: int) -> float:
    values = [line["auroc"] for line in lines if line["labels"] == name and line["epoch"] == epoch]
    return sum(values) / len(values)


def _figure(lines: Sequence[Mapping]) -> str:
    panels = {}
    for name in LABELS:
        mine = [line for line in lines if line["labels"] == name and line["epoch"] == EARLY]
        right, wrong = (
            np.sum([line[side] for line in mine], axis=0) for side in ("right", "wrong")
        )
        panels[_title(name)] = right, wrong, _auroc(lines, name, EARLY)
    return figures.losses(panels, EDGES, "Losses of right and wrong labels")
