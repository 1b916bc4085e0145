"""What changed between two result sets: tables in every form, a slope chart, a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...ground.jsons import to_json
from ...ground.names import lookup
from ...show.figures import FAINT, INK, SERIES, draw_svg
from ...show.grid import FORMS, Column, Datum, Grid
from ...show.grid import render as render_grids
from ...show.page import figure_row, make_page, section, write_page
from ...show.words import in_percent, percent, short_names
from ..sweep.select import METRICS
from .changes import Change, Changes, crossings

SCHEMA = 1  # of the JSON form


def render_changes(
    found: Changes, format: str = "text", metric: str = "top1", width: int = 100
) -> str:
    """The comparison as text, markdown, latex, html, csv (one table) or json (everything).

    Raises:
        UnknownName: a format or metric that is not there; suggests the nearest.
    """
    form, _ = lookup({**FORMS, "json": None}, format, "format")
    metric, _ = lookup(METRICS, metric, "metric")
    if form == "json":
        about: dict[str, Any] = {
            "schema": SCHEMA,
            "metric": metric,
            "unit": "shares, 0 to 1",
            **asdict(found),
        }
        about["crossings"] = [
            {
                "criterion": c,
                "dataset": d,
                "crossings": crossings(rows)[0],
                "pairs": crossings(rows)[1],
            }
            for (c, d), rows in _groups(found)
        ]
        return to_json(about, ensure_ascii=False)
    if form == "csv":
        return _grid("", found.rows).csv()
    return render_grids(_parts(found, metric), form, width)


def _groups(found: Changes) -> list[tuple[tuple[str, str], list[Change]]]:
    groups: dict[tuple[str, str], list[Change]] = {}
    for row in found.rows:
        groups.setdefault((row.criterion, row.dataset), []).append(row)
    return list(groups.items())


def _parts(found: Changes, metric: str) -> Iterator[str | Grid]:
    a, b = found.names
    if not found.rows:
        yield f"{a} (A) and {b} (B) have no algorithm, data set and criterion in common."
    for (criterion, dataset), rows in _groups(found):
        yield _grid(f"{dataset}, chosen by {criterion}: {a} (A), {b} (B)", rows)
        yield said_of(rows)
    yield from _below(found, metric)


def said_of(rows: Sequence[Change]) -> str:
    """How many changed, and how many pairs changed their order."""
    counts = Counter(row.verdict for row in rows)
    turned, pairs = crossings(rows)
    return (
        f"{counts['changed']} changed, {counts['same']} same, {counts['cannot be told']} cannot be "
        f"told; {turned:,} of {pairs:,} pairs of algorithms cross (another order of means, which "
        "may be noise)."
    )


def _below(found: Changes, metric: str) -> Iterator[str]:
    if found.rows:
        yield (
            f"{METRICS[metric].about.capitalize()} in percent; differences are B − A, with a 95 % "
            "interval each. Paired: over the same splits of the same data, with a variance that "
            "allows for rows that splits share (Nadeau and Bengio); else both standard errors are "
            "combined (Welch). Changed: p at most 0.05 after Holm's correction over all rows of "
            "the criterion. Same: the same models, or an interval wholly within "
            f"±{percent(found.margin, 1)} points. Ranks are among what both sides have."
        )
    for name, only in zip(("A", "B"), (found.only_a, found.only_b)):
        if only:
            names = list(
                dict.fromkeys(f"{algorithm} on {dataset}" for _, dataset, algorithm in only)
            )
            more = f" and {len(names) - 8} more" if len(names) > 8 else ""
            yield f"Only in {name}: {', '.join(names[:8])}{more}."
    yield from (f"Note: {note}" for note in found.notes)


def _grid(title: str, rows: Sequence[Change]) -> Grid:
    lines = [
        (
            *((row.dataset, row.criterion) if not title else ()),
            row.algorithm + ("" if title == "" or _whole(row) else " !"),
            Datum(in_percent(row.a.mean), in_percent(row.a.error)),
            Datum(in_percent(row.b.mean), in_percent(row.b.error)),
            Datum(in_percent(row.difference), best=row.verdict == "changed"),
            *(in_percent(row.low), in_percent(row.high), row.p_holm),
            *(row.verdict, "yes" if row.paired else "no", row.rank_a, row.rank_b),
        )
        for row in rows
    ]
    columns = (
        *((Column("dataset", "name"), Column("criterion", "name")) if not title else ()),
        Column("algorithm", "name"),
        *(Column(name, form=".2f", spread="standard error") for name in ("A", "B")),
        *(Column(name, form="+.2f") for name in ("B − A", "low", "high")),
        Column("p (Holm)", form=".2g"),
        *(Column("verdict", "word"), Column("paired", "word")),
        *(Column(name, form="g") for name in ("rank A", "rank B")),
    )
    incomplete = title and not all(map(_whole, rows))
    notes = ("An exclamation mark: not every planned run is finished, or all diverged.",)
    return Grid(title, columns, lines, notes if incomplete else ())


def _whole(row: Change) -> bool:
    return row.a.state == row.b.state == "complete"


def slope_figure(rows: Sequence[Change], names: tuple[str, str], title: str) -> str:
    """Means of A on the left and B on the right, a line an algorithm; SVG text, '' without any.

    Lines that changed beyond noise are in colour: blue where B is higher, orange where lower.
    """
    there = [row for row in rows if row.rank_a is not None and row.rank_b is not None]
    if not there:
        return ""
    short = short_names(list(dict.fromkeys(row.algorithm for row in there)))
    orders = [
        sorted(there, key=lambda r: (r.rank_a or 0, r.algorithm)),
        sorted(there, key=lambda r: (r.rank_b or 0, r.rank_a or 0, r.algorithm)),
    ]
    places = [{row.algorithm: k for k, row in enumerate(order)} for order in orders]

    def draw(axes: Any) -> None:
        for row in there:
            changed = row.verdict == "changed"
            colour = SERIES[0 if (row.difference or 0) > 0 else 1] if changed else FAINT
            ends = [places[0][row.algorithm], places[1][row.algorithm]]
            style = {"color": colour, "lw": 1.8 if changed else 0.9, "marker": "o", "ms": 3}
            axes.plot([0, 1], ends, clip_on=False, **style)
            ink = {"va": "center", "fontsize": 8, "color": INK}
            left = f"{short[row.algorithm]}  {percent(row.a.mean, 1)}"
            right = f"{percent(row.b.mean, 1)}  {short[row.algorithm]}"
            axes.text(-0.04, ends[0], left, ha="right", **ink)
            axes.text(1.04, ends[1], right, ha="left", **ink)
        sides = short_names(["A: " + names[0], "B: " + names[1]], 28)
        for at, (words, align) in enumerate(zip(sides.values(), ("right", "left"))):
            bold = {"ha": align, "va": "bottom", "fontsize": 8, "fontweight": "bold"}
            axes.text(0.1 if at == 0 else 0.9, -0.9, words, **bold)
        axes.set_xlim(0, 1)
        axes.set_ylim(len(there) - 0.5, -1.6)
        axes.set_axis_off()

    told = "; ".join(
        f"{r.algorithm} {percent(r.a.mean, 1)} to {percent(r.b.mean, 1)}" for r in orders[0]
    )
    extra = max(1.4, 0.19 * len(there) + 0.5) - 3.0
    return draw_svg(draw, title, f"{told}. {said_of(rows)}", extra=extra, width=5.4)


def write_changes_page(found: Changes, path: Path | str, metric: str = "top1") -> None:
    """Write one self-contained page: a table and a slope chart per data set and criterion.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    pieces = []
    for (criterion, dataset), rows in _groups(found):
        title = f"{dataset}, chosen by {criterion}"
        drawn = slope_figure(rows, found.names, f"{title}: A and B")
        below = "Ordered by mean, which stands beside the name. In colour: changed beyond noise."
        shown = [(f"{title}: order in A and in B", below, drawn)] if drawn else []
        pieces.append(
            section(title, said_of(rows), _grid(f"{title}: A and B", rows), figure_row(shown))
        )
    a, b = found.names
    nothing = "" if found.rows else " They have nothing in common."
    lead = f"A is {a}, B is {b}.{nothing}"
    page = make_page(
        "What changed beyond noise", *pieces, lead=lead, notes=_below(found, metric), kind="wide"
    )
    write_page(page, path)
