"""Detectors beside one another: a table per kind of noise, and one self-contained page.

Rows are mappings as ``detectors.ComparedDetector.values()`` gives them, with ``noise`` and
``seed`` besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...show import figures
from ...show.document import Document
from ...show.grid import Column, Datum, Grid
from ...show.pieces import Figure, Figures, Section
from ...show.words import in_percent
from ...stats import Summary, interval, summarise
from ._compare import ANCHOR

Rows = Sequence[Mapping[str, Any]]


class Measure(NamedTuple):
    """A number of a row: its name, a heading, and how it is written."""

    name: str
    heading: str
    share: bool = True  # shown in percent
    short: bool = False  # part of the narrow table


MEASURES = (
    Measure("f1", "F1", short=True),
    Measure("precision", "precision"),
    Measure("recall", "recall"),
    Measure("average_precision", "AP", short=True),
    Measure("roc_auc", "AUC"),
    Measure("precision_at_wrong", "at n wrong", short=True),
    Measure("found in 1%", "in 1 %"),
    Measure("found in 2%", "in 2 %"),
    Measure("found in 5%", "in 5 %"),
    Measure("found in 10%", "in 10 %"),
    Measure("flagged", "flagged", share=False, short=True),
    Measure("estimated", "estimated", share=False),
    Measure("CPU s", "CPU s", share=False, short=True),
    Measure("extra MB", "MB", share=False),
)
BOLD = "Bold: the highest mean of a column."
LEGEND = (
    "Percent, the mean over seeds ± half its 95 % interval (Student's t; none from one seed): over "
    "other draws of the wrong labels in these rows, and not over other rows. "
    "F1, precision and recall are of the detector's own cut, a dash where it has none; AP is the "
    "average precision of the ranking, AUC its ROC area; “at n wrong” is the precision of as many "
    "as there are wrong labels; “in 5 %” the share of the wrong labels that is found by looking at "
    "the most suspicious 5 % of the examples. CPU s counts what detectors share (probabilities, "
    "watched training, neighbours) for each in full; MB is the most memory over what was there."
)


def noises(rows: Rows) -> list[str]:
    return list(dict.fromkeys(row["noise"] for row in rows))


def summaries(rows: Rows, noise: str) -> dict[str, dict[str, Summary]]:
    """By detector and name of the number: its summary over seeds."""
    mine = [row for row in rows if row["noise"] == noise]
    found: dict[str, dict[str, Summary]] = {}
    for name in dict.fromkeys(row["detector"] for row in mine):
        same = [row for row in mine if row["detector"] == name]
        found[name] = {m.name: summarise([row[m.name] for row in same]) for m in MEASURES}
    return found


def datum(summary: Summary, share: bool = True, best: bool = False) -> Datum:
    """The mean, and half its 95 % interval where there is one; shares in percent.

    >>> datum(summarise([0.5])).value, datum(summarise([])).value
    (50.0, None)
    >>> datum(summarise([0.5, 0.7])).spread  # doctest: +ELLIPSIS
    127.06...
    >>> datum(summarise([12.0, 12.0]), share=False).text
    '12'
    """
    if summary.mean is None:
        return Datum(None)
    if not share:
        few = abs(summary.mean) < 10
        return Datum(summary.mean, text=f"{summary.mean:{'.2g' if few else ',.0f'}}")
    ends = interval(summary)
    half = None if ends is None else in_percent((ends[1] - ends[0]) / 2)
    return Datum(in_percent(summary.mean), half, best=best)


def comparison_grid(rows: Rows, noise: str, short: bool = False) -> Grid:
    """A row for each detector; the highest mean of a share stands out.

    Args:
        short: leave out what is less often asked for.
    """
    found = summaries(rows, noise)
    measures = [measure for measure in MEASURES if measure.short or not short]
    tops = {measure: best(found, measure) for measure in measures}
    lines = [
        (
            Datum(name, soft=name == ANCHOR),
            *(
                datum(
                    summary[m.name],
                    m.share,
                    name != ANCHOR and tops[m] is not None and summary[m.name].mean == tops[m],
                )
                for m in measures
            ),
        )
        for name, summary in found.items()
    ]
    columns = (
        Column(m.heading, form=".1f" if m.share else ".4g", spread="half the 95 % interval")
        for m in measures
    )
    return Grid(about(rows, noise), (Column("detector", "word"), *columns), lines)


def one_table(rows: Rows) -> Grid:
    """All noises and measures in one table."""
    grids = {noise: comparison_grid(rows, noise) for noise in noises(rows)}
    columns = next(iter(grids.values())).columns
    lines = [(noise, *row) for noise, grid in grids.items() for row in grid.rows]
    return Grid("", (Column("noise", "name"), *columns), lines)


def about(rows: Rows, noise: str) -> str:
    """How many labels are wrong, on average over seeds."""
    mine = {row["seed"]: row for row in rows if row["noise"] == noise}
    some = next(iter(mine.values()))
    wrong = sum(row["wrong"] for row in mine.values()) / len(mine)
    seeds = f"{len(mine)} seed{'s' if len(mine) > 1 else ''}"
    return f"{noise}: {wrong:,.0f} of {some['n']:,} labels are wrong; {seeds}"


def best(found: Mapping[str, Mapping[str, Summary]], measure: Measure) -> float | None:
    """The highest mean of a share, detectors alone; None where there is nothing to choose."""
    means = [s[measure.name].mean for name, s in found.items() if name != ANCHOR]
    there = [mean for mean in means if mean is not None]
    return max(there) if measure.share and len(there) > 1 else None


def comparison_document(rows: Rows, *, read: Mapping[str, str] | None = None) -> Document:
    """Detectors beside one another; CSV holds all noises and measures in one table.

    Args:
        rows: at least one.
        read: what to say of where the numbers came from, by name.
    """
    return Document(
        "Which detector finds these label errors?",
        [_section(rows, noise) for noise in noises(rows)],
        lead=f"{LEGEND} {BOLD}",
        facts=read or {},
        kind="wide",
        table=one_table(rows),
    )


def _section(rows: Rows, noise: str) -> Section:
    draw = partial(_figure, summaries(rows, noise), noise)
    return Section(noise, (comparison_grid(rows, noise), Figures([Figure("", "", draw)])))


def _figure(found: Mapping[str, Mapping[str, Summary]], noise: str) -> str:
    """Average precision of each detector with its interval, the best on top; '' without any."""
    means: dict[str, Summary] = {
        name: summary["average_precision"]
        for name, summary in found.items()
        if summary["average_precision"].mean is not None
    }
    order = sorted(means, key=lambda name: -(means[name].mean or 0))
    if not order:
        return ""

    def draw(axes: Any) -> None:
        for row, name in enumerate(order):
            ends = interval(means[name])
            colour = figures.FAINT if name == ANCHOR else figures.SERIES[0]
            if ends is not None:
                axes.plot([100 * end for end in ends], [row, row], color=colour, linewidth=1.4)
            axes.plot([100 * (means[name].mean or 0)], [row], "o", color=colour, ms=4.5)
        axes.set_yticks(range(len(order)), order)
        axes.set_ylim(len(order) - 0.4, -0.6)
        axes.set_xlabel("average precision (%)")
        axes.grid(axis="x", color=figures.FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)

    told = "; ".join(f"{name} {100 * (means[name].mean or 0):.1f}" for name in order)
    return figures.draw_svg(draw, f"{noise}: average precision", f"{told}.", rows=len(order))
