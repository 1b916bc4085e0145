"""Detectors beside one another: a table per kind of noise, and one self-contained page.

Rows are mappings as ``detectors.ComparedDetector.values()`` gives them, with ``noise`` and
``seed`` besides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .._files import replacing
from ..stats import Summary, interval, summarise
from . import figures
from ._template import rendered
from ._wording import percent

Rows = Sequence[Mapping[str, Any]]
ANCHORS = ("flag everything",)  # what is no detector


class Column(NamedTuple):
    """A number of a row: its name, a heading, and how it is written."""

    name: str
    heading: str
    share: bool = True  # shown in percent
    short: bool = False  # part of the narrow table


COLUMNS = (
    Column("f1", "F1", short=True),
    Column("precision", "precision"),
    Column("recall", "recall"),
    Column("average_precision", "AP", short=True),
    Column("roc_auc", "AUC"),
    Column("precision_at_wrong", "at n wrong", short=True),
    Column("found in 1%", "in 1 %"),
    Column("found in 2%", "in 2 %"),
    Column("found in 5%", "in 5 %"),
    Column("found in 10%", "in 10 %"),
    Column("flagged", "flagged", share=False, short=True),
    Column("estimated", "estimated", share=False),
    Column("CPU s", "CPU s", share=False, short=True),
    Column("extra MB", "MB", share=False),
)
LEGEND = (
    "Percent, the mean over seeds ± half its 95 % interval (Student's t; none from one seed). "
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
        found[name] = {
            column.name: summarise([row[column.name] for row in same]) for column in COLUMNS
        }
    return found


def cell(summary: Summary, share: bool = True) -> str:
    """The mean, and half its 95 % interval where there is one.

    >>> cell(summarise([0.5, 0.7])), cell(summarise([0.5])), cell(summarise([]))
    ('60.0 ± 127.1', '50.0', '–')
    >>> cell(summarise([12.0, 12.0]), share=False)
    '12'
    """
    if summary.mean is None:
        return "–"
    if not share:
        return f"{summary.mean:,.0f}" if abs(summary.mean) >= 10 else f"{summary.mean:.2g}"
    ends = interval(summary)
    half = "" if ends is None else f" ± {percent((ends[1] - ends[0]) / 2, 1)}"
    return percent(summary.mean, 1) + half


def about(rows: Rows, noise: str) -> str:
    """How many labels are wrong, on average over seeds."""
    mine = {row["seed"]: row for row in rows if row["noise"] == noise}
    some = next(iter(mine.values()))
    wrong = sum(row["wrong"] for row in mine.values()) / len(mine)
    seeds = f"{len(mine)} seed{'s' if len(mine) > 1 else ''}"
    return f"{noise}: {wrong:,.0f} of {some['n']:,} labels are wrong; {seeds}"


def best(found: Mapping[str, Mapping[str, Summary]], column: Column) -> float | None:
    """The highest mean of a share, detectors alone; None where there is nothing to choose."""
    means = [s[column.name].mean for name, s in found.items() if name not in ANCHORS]
    there = [mean for mean in means if mean is not None]
    return max(there) if column.share and len(there) > 1 else None


def write_comparison_page(rows: Rows, path: Path | str, **options: Any) -> None:
    """Write the page, whole or not at all; options are those of ``make_comparison_page``.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    page = make_comparison_page(rows, **options).encode()
    with replacing(path) as file:
        file.write(page)


def make_comparison_page(rows: Rows, *, read: Mapping[str, str] | None = None) -> str:
    """The page as HTML text; it refers to nothing outside itself.

    Args:
        rows: at least one.
        read: what to say of where the numbers came from, by name.
    """
    return rendered(
        "comparison.html",
        read or {},
        sections=[_section(rows, noise) for noise in noises(rows)],
        headings=[column.heading for column in COLUMNS],
        legend=LEGEND,
    )


def _section(rows: Rows, noise: str) -> dict[str, Any]:
    import markupsafe

    found = summaries(rows, noise)
    tops = {column: best(found, column) for column in COLUMNS}
    lines = [
        {
            "name": name,
            "anchor": name in ANCHORS,
            "cells": [
                {
                    "text": cell(summary[column.name], column.share),
                    "best": name not in ANCHORS
                    and tops[column] is not None
                    and summary[column.name].mean == tops[column],
                }
                for column in COLUMNS
            ],
        }
        for name, summary in found.items()
    ]
    drawn = _figure(found, noise)
    return {
        "noise": noise,
        "about": about(rows, noise),
        "rows": lines,
        "figure": markupsafe.Markup(drawn) if drawn else None,
    }


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
            colour = figures.FAINT if name in ANCHORS else figures.SERIES[0]
            if ends is not None:
                axes.plot([100 * end for end in ends], [row, row], color=colour, linewidth=1.4)
            axes.plot([100 * (means[name].mean or 0)], [row], "o", color=colour, ms=4.5)
        axes.set_yticks(range(len(order)), order)
        axes.set_ylim(len(order) - 0.4, -0.6)
        axes.set_xlabel("average precision (%)")
        axes.grid(axis="x", color=figures.FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)

    told = "; ".join(f"{name} {cell(means[name])}" for name in order)
    return figures.draw_svg(draw, f"{noise}: average precision", f"{told}.", rows=len(order))
