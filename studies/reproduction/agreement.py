"""Our numbers beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping

from candidly.ground.numbers import count_of
from studies.kit.words import grid, in_points, prose

from . import figures
from .numbers import (
    CHOSEN_BY,
    CRITERIA,
    LIMIT,
    TITLES,
    Comparison,
    Sources,
    Sweep,
    Table,
    algorithms_of,
    compare,
)
from .words import away, named, picture, pm, state

TABLES = {"lost": 7, "msrcv2": 9, "birdsong": 11}  # in the paper
CONFIGS = 20  # of the published numbers
APART = "VALEN"  # counted apart

Compared = Mapping[tuple[str, str], Comparison]


def beside_published(sources: Sources, dataset: str, images: dict[str, str]) -> list[str]:
    title, table = TITLES[dataset], sources.tables[dataset]
    parts = [f"## {title} beside Table {TABLES[dataset]}"]
    sweep = sources.sweeps.get(dataset)
    if sweep is None:
        return [*parts, f"`studies/reproduction/results/{dataset}` is not there yet."]
    compared = {(c.algorithm, c.criterion): c for c in compare(table, sweep)}
    right = {(c.algorithm, c.criterion): c for c in compare(table, sweep, right_aa=True)}
    if sweep.variant == "fixed":
        parts.append(
            prose(
                """Ours is the variant `fixed`, the methods as meant, since the released program's
                was not run on these data: a difference may come from its defects, too."""
            )
        )
    if sweep.settings["configs"] < CONFIGS:
        parts.append(
            prose(
                f"""The published numbers choose from {CONFIGS} configurations, ours from
                {sweep.settings["configs"]}: a lower number may only mean a smaller choice."""
            )
        )
    parts += [_agreement(table, compared), *_figure_of_agreement(dataset, compared, images)]
    for criterion in CRITERIA:
        beside = right if criterion in CHOSEN_BY else None
        parts += [f"### {title}, chosen by {criterion}"]
        parts.append(_column(table, sweep, criterion, compared, beside))
    return [*parts, *_disagreements(sources, dataset, compared)]


def _agreement(table: Table, compared: Compared) -> str:
    """How many numbers agree, by criterion."""
    names = algorithms_of(table)
    others = [name for name in names if name != APART]
    rows = []
    for criterion in CRITERIA:
        there = [compared[name, criterion] for name in others if (name, criterion) in compared]
        rows.append(
            [
                criterion,
                f"{sum(c.agrees for c in there)} of {len(others)}",
                str(sum(not c.agrees for c in there)),
                str(len(others) - len(there)),
                _apart_text(compared.get((APART, criterion))),
            ]
        )
    header = ["", "agree", "disagree", "without a number", APART]
    agree, disagree, missing = rows[0][1:4]
    text = f"""{agree} rows other than {APART} agree in the CR column within {LIMIT} combined
        standard errors; {disagree} {"does" if disagree == "1" else "do"} not, and {missing}
        {"has" if missing == "1" else "have"} no number yet."""
    if compared:
        every = list(compared.values())
        square = sum(c.away**2 for c in every) / len(every)
        mean = sum(c.difference for c in every) / len(every)
        text += f""" Over the {count_of(len(every), "number")} compared, ours minus published is
            {in_points(mean)} points on average, and the root mean square of *away* is
            {square**0.5:.2f}; were
            the programs alike and the yardstick exact, it would be near 1, and below 1 where the
            yardstick is lenient."""
    return prose(text) + "\n\n" + grid(header, rows)


def _apart_text(comparison: Comparison | None) -> str:
    if comparison is None:
        return "no number"
    return f"{'agrees' if comparison.agrees else 'disagrees'} ({away(comparison)})"


def _figure_of_agreement(dataset: str, compared: Compared, images: dict[str, str]) -> list[str]:
    if not compared:
        return []
    title = f"{TITLES[dataset]}: our accuracy minus the published"
    shown = picture(images, dataset, title, figures.agreement(list(compared.values()), title))
    caption = "A bar is one combined standard error to each side; filled points disagree."
    return [*shown, caption]


def _column(
    table: Table,
    sweep: Sweep,
    criterion: str,
    compared: Compared,
    right: Compared | None,
) -> str:
    """One column of the published table, a row per algorithm."""
    header = ["", "published", "ours", "difference", "away"]
    if right is not None:
        header = ["", "published", "ours, `AA:plench`", *header[3:], "ours, AA as meant", "away"]
    rows = []
    for name in algorithms_of(table):
        number = compared.get((name, criterion))
        label = sweep.label(name)
        line = [named(name, label, sweep.versions), pm(table[name, criterion])]
        if number is None:
            line += [state(sweep.rows.get(label)), "", ""]
        else:
            line += [pm(number.ours, number.splits), in_points(number.difference), away(number)]
        if right is not None:
            beside = right.get((name, criterion))
            line += [pm(beside.ours, beside.splits), away(beside)] if beside else ["", ""]
        rows.append(line)
    return grid(header, rows)


def _disagreements(sources: Sources, dataset: str, compared: Compared) -> list[str]:
    rows = []
    for (name, criterion), number in compared.items():
        text = sources.explanations.get((dataset, name, criterion))
        if number.agrees and text:
            raise ValueError(
                f"explanations.toml explains {dataset}, {name}, {criterion}, but that number "
                f"agrees ({number.away:+.1f} combined standard errors). Remove the entry."
            )
        if not number.agrees:
            shown = [pm(number.published), pm(number.ours, number.splits), away(number)]
            rows.append([name, criterion, *shown, text or "unexplained"])
    parts = [f"### {TITLES[dataset]}: numbers that disagree"]
    if not compared:
        return [*parts, "No row is complete, so there is nothing to compare."]
    if not rows:
        return [*parts, f"None of the {count_of(len(compared), 'number')} compared."]
    return [
        *parts,
        grid(["", "chosen by", "published", "ours", "away", "why"], rows, numbers=False),
    ]
