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
from studies.kit.pages import filled
from studies.kit.words import grid, minus, prose

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
    lines = measured["lines"]
    parts = [
        *_what_was_run(results, measured),
        *_who_leads(results),
        *_at_equal_budget(results),
        *_choosing(results),
        *_losses(lines),
    ]
    text = filled(
        PAGE.read_text(encoding="utf-8"),
        {"answer": _answer(results), "results": "\n\n".join(parts)},
    )
    return text, _figure(lines)


def _answer(results: Results) -> str:
    """Who is ahead of cross-entropy, by data."""
    table = table_of(results)
    fair = [name for name in _names(results) if name != BASE and not is_oracle(name)]
    told, always = [], set(fair)
    for data, title in TITLES.items():
        labels = _labels(results, data)
        if not labels:
            continue
        signs = {name: [lead(table, one, name).sign for one in labels] for name in fair}
        ahead = sum(sign > 0 for each in signs.values() for sign in each)
        behind = sum(sign < 0 for each in signs.values() for sign in each)
        told.append(
            f"on {title} {ahead} of {len(fair) * len(labels)} comparisons are ahead of "
            f"cross-entropy and {behind} behind"
        )
        always &= {name for name, each in signs.items() if min(each) > 0}
    every = listed([f"`{name}`" for name in fair if name in always]) if always else "none"
    head = listed(told)
    return prose(
        f"""**{head[0].upper() + head[1:]}, by more than {LIMIT:g} standard errors. Ahead on all
        {len({run.dataset for run in results.runs})} sets of labels: {every}.** By chance about
        {100 * BY_CHANCE:.1f} % would be ahead."""
    )


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


def _what_was_run(results: Results, measured: Mapping) -> list[str]:
    runs, names = results.runs, _names(results)
    done = sum(run.complete for run in runs)
    finished = "all complete" if done == len(runs) else f"{done:,} of them complete"
    diverged = sorted({run.algorithm for run in runs if run.diverged_at is not None})
    lost = ""
    if diverged:
        names_of = listed(f"`{name}`" for name in diverged)
        lost = f" Some runs of {names_of} diverged; their later records have no value."
    width = SETTINGS["net"].partition(":")[2]
    wrong = _wrong_shares(measured["lines"])
    separable = " % with these and ".join(percent(v, 1) for v in measured["labelme"].values())
    return [
        "## What was run",
        prose(
            f"""{len(runs):,} runs, {finished}: {len(names)} algorithms and variants on
            {len({run.dataset for run in runs})} sets of labels, {SETTINGS["configs"]}
            configurations (the first are the defaults) × {SETTINGS["splits"]} splits,
            {SETTINGS["steps"]:,} updates of a network with one hidden layer of {width}, a record
            every {SETTINGS["eval_every"]}. A fifth of the rows are for testing and a tenth of the
            rest for validation; configuration and record are chosen by {CHOSEN}, accuracy on the
            validation rows' given labels, so no clean label is read.{lost}"""
        ),
        prose(
            f"""**Digits**: 1,797 images of 8 × 8 pixels, 10 classes, with labels made wrong:
            {listed(LABELS[name].title for name in _labels(results, "digits"))} (`symmetric`,
            `pair`, `instance-label` in [data.md](../data.md)). **LabelMe**: 1,000 images, 8
            classes, features of a network trained on other images, reduced to their {COMPONENTS}
            principal components (logistic regression on the truth reaches {separable} % with
            all); labels are people's:
            one of each image's answers drawn at random, {wrong["one-answer"]} wrong; the majority,
            {wrong["majority"]} wrong; the consensus of Dawid and Skene, {wrong["dawid-skene"]}
            wrong."""
        ),
    ]


def _cell_text(cell: Cell, beside: Lead | None) -> str:
    text = plus_minus(cell.summary["top1"])
    if cell.state == "incomplete":
        return f"{text} ({cell.finished} of {cell.planned} runs)"
    if beside is None or beside.sign == 0:
        return text
    return f"**{text}**" if beside.sign > 0 else f"*{text}*"


def _who_leads(results: Results) -> list[str]:
    table, names = table_of(results), _names(results)
    parts = [
        "## Who beats cross-entropy",
        prose(
            f"""Test accuracy in percent, mean ± standard error over splits. In bold: above `{BASE}`
            on the same splits by more than {LIMIT:g} standard errors of the paired difference; in
            italics: below it by as much. A standard error shows how much the mean would
            change with other rows. It does not include the change that another random draw of the
            wrong labels would make."""
        ),
    ]
    for data, title in TITLES.items():
        labels = _labels(results, data)
        rows = [
            [
                f"`{name}`",
                *(
                    _cell_text(table[one, name], None if name == BASE else lead(table, one, name))
                    for one in labels
                ),
            ]
            for name in names
        ]
        header = [f"{title}: algorithm", *(LABELS[one].title for one in labels)]
        parts.append(grid(header, rows))
    return parts + _summary(results, table, [n for n in names if n != BASE])


def _summary(results: Results, table: Cells, names: Sequence[str]) -> list[str]:
    by_data = {data: _labels(results, data) for data in TITLES}
    every = [one for labels in by_data.values() for one in labels]
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
                ahead_of_all.append(f"`{name}`")
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
    total = sum(sum(each.values()) for each in counts.values())
    by_title = " ".join(
        f"On {TITLES[data]} {each[1]} of {sum(each.values())} comparisons are ahead, {each[-1]} "
        f"behind and {each[0]} neither, oracles aside."
        for data, each in counts.items()
    )
    everywhere = (
        f"Ahead on every set of labels: {listed(ahead_of_all)}."
        if ahead_of_all
        else "No algorithm is ahead on every set of labels."
    )
    return [
        "### And at what cost",
        prose(
            f"""On how many of the {len(every)} sets of labels an algorithm is ahead of `{BASE}` and
            behind it, beyond {LIMIT:g} standard errors; its mean gain in points; how many networks
            it trains; the processor time of a run relative to `{BASE}`; and which hyper-parameters
            stand for something that only the truth tells (the search had three values of it, and
            {CHOSEN} chose). {everywhere} {by_title} Were there no difference anywhere,
            about {BY_CHANCE * total:.0f} would be ahead by chance, and as many behind, or somewhat
            more, as splits share rows. Read a row that is ahead once or twice with that in
            mind."""
        ),
        grid(
            [
                "algorithm",
                "ahead",
                "behind",
                *(f"gain, {title}" for title in TITLES.values()),
                "networks",
                "time",
                "told",
            ],
            rows,
        ),
    ]


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


def _at_equal_budget(results: Results) -> list[str]:
    budget = int(SETTINGS["steps"])
    table, whole = table_of(at_budget(results, budget)), table_of(results)
    names = [name for name in _names(results) if algorithm(name).networks > 1]
    every = [one for data in TITLES for one in _labels(results, data)]
    rows = []
    for name in names:
        full = [lead(whole, one, name) for one in every]
        equal = [lead(table, one, name, over=whole) for one in every]
        line = [f"`{name}`"]
        for leads in (full, equal):
            line += [_mean_gain(leads), str(sum(one.sign > 0 for one in leads))]
        rows.append(line)
    return [
        "### At an equal budget",
        prose(
            f"""An update of two networks costs two. Here those that train two stop at
            {budget // 2:,} updates, so that updates × networks are the {budget:,} of `{BASE}`: the
            mean gain on it in points, and on how many of the {len(every)} sets of labels they are
            ahead, with all updates and at the equal budget (`bench table --budget`). Schedules are
            those of the whole run."""
        ),
        grid(
            ["algorithm", "gain", "ahead", "gain, equal budget", "ahead, equal budget"],
            rows,
        ),
    ]


def _choosing(results: Results) -> list[str]:
    found = [gap for gap in gaps(results, CHOSEN) if not is_oracle(gap.algorithm)]
    every = [one for data in TITLES for one in _labels(results, data)]
    rows = []
    for one in every:
        mine = [gap for gap in found if gap.dataset == one]
        base = next(gap for gap in mine if gap.algorithm == BASE)
        line = [_title(one)]
        line += [percent(part.mean, 1) for part in (base.best, base.selected, base.last)]
        rows.append([*line, *_means(mine)])
    return [
        "## What choosing without clean labels costs",
        prose(
            f"""Of the runs chosen by {CHOSEN}: test accuracy of the record that is best on the test
            rows (nobody can choose it: the maximum of several noisy numbers, found by looking), of
            the record that {CHOSEN} selected, and of the last one. First `{BASE}`; then the mean
            over all algorithms of what selecting lost against the best record, and of what it
            gained on the last, in points."""
        ),
        grid(
            ["labels", f"{BASE}: best", "selected", "last", "all: lost", "all: gained"],
            rows,
        ),
    ]


def _means(some: Sequence[Gap]) -> list[str]:
    lost = summarise([gap.lost.mean for gap in some]).mean or 0
    gained = summarise([gap.gained.mean for gap in some]).mean or 0
    return [f"{100 * lost:.1f}", minus(100 * gained, 1)]


def _losses(lines: Sequence[Mapping]) -> list[str]:
    rows = [
        [_title(name), *(f"{_auroc(lines, name, epoch):.2f}" for epoch in EPOCHS)]
        for name in LABELS
    ]
    return [
        "## Losses of right and wrong labels",
        prose(
            f"""Methods that keep examples with a small loss rest on wrong labels being learned
            late. How far that holds depends on the noise. `{BASE}` with its defaults on all rows,
            {len({line["seed"] for line in lines})} seeds: the losses on given labels after {EARLY}
            epochs, and the probability that a wrong label's loss is above a right one's (AUROC; 0.5
            says nothing) after 1 to {EPOCHS[-1]} epochs."""
        ),
        f"![Losses of right and wrong labels after {EARLY} epochs](../images/{FIGURE})",
        grid(["AUROC after epoch", *map(str, EPOCHS)], rows),
        prose(_what_losses_say(lines)),
    ]


def _what_losses_say(lines: Sequence[Mapping]) -> str:
    peaks = {}
    for name in LABELS:
        by_epoch = {epoch: _auroc(lines, name, epoch) for epoch in EPOCHS}
        peaks[name] = max(by_epoch.items(), key=lambda item: item[1])
    symmetric = [peaks[name][1] for name in LABELS if name.startswith("symmetric")]
    people = [name for name, labels in LABELS.items() if labels.data == "labelme"]
    return (
        f"Symmetric noise is told apart almost perfectly ({min(symmetric):.2f} or more at its best "
        f"epoch), pair noise at {peaks['pair-40'][1]:.2f} and noise that depends on the instance "
        f"at {peaks['instance-40'][1]:.2f}. The labels of people reach "
        f"{min(peaks[n][1] for n in people):.2f} to {max(peaks[n][1] for n in people):.2f}, and "
        f"later: after {peaks['one-answer'][0]} epochs, where symmetric noise is at its best after "
        f"{peaks['symmetric-40'][0]}. Results on symmetric noise say little about labels that "
        "people got wrong."
    )


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
