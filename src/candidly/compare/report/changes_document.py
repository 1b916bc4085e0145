"""What changed between two result sets: tables in every form, a slope chart, a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from ...ground.names import lookup
from ...show.document import Document
from ...show.figures import FAINT, INK, SERIES, draw_svg
from ...show.grid import Column, Datum, Grid
from ...show.pieces import Figure, Figures, Section
from ...show.words import in_percent, percent, short_names
from ..sweep.select import METRICS
from .changes import NOT_STATED, Change, Changes, crossings

SCHEMA = 1  # of the JSON form


def changes_document(found: Changes, metric: str = "top1") -> Document:
    """What changed: a table and a slope chart for each data set and criterion; CSV is one table.

    Raises:
        UnknownName: a metric that is not there; suggests the nearest.
    """
    metric, _ = lookup(METRICS, metric, "metric")
    a, b = found.names
    nothing = "" if found.rows else " They have no algorithm, data set and criterion in common."
    return Document(
        "What changed beyond noise",
        [
            _section(found, criterion, dataset, rows)
            for (criterion, dataset), rows in _groups(found)
        ],
        lead=f"A is {a}, B is {b}.{nothing}",
        notes=tuple(_below(found, metric)),
        made_of="two sets of results",
        kind="wide",
        table=_grid("", found.rows),
        data=lambda: _data(found, metric),
    )


def _section(found: Changes, criterion: str, dataset: str, rows: Sequence[Change]) -> Section:
    title = f"{dataset}, {_chosen(found, criterion)}"
    draw = partial(slope_figure, rows, found.names, f"{title}: A and B")
    below = "Ordered by mean, which stands beside the name. In colour: changed beyond noise."
    shown = Figures([Figure(f"{title}: order in A and in B", below, draw)])
    return Section(title, (said_of(rows), _grid(f"{title}: A and B", rows), shown))


def _chosen(found: Changes, criterion: str) -> str:
    """By what the models of both sides were chosen: of a paper's table that may be another rule."""
    sides = [own or criterion for own in found.chosen]
    if sides[0] == sides[1]:
        return f"chosen by {sides[0]}" if sides[0] != NOT_STATED else "what chose is not stated"
    told = [f"{name} {_by(rule)}" for name, rule in zip("AB", sides)]
    return ", ".join(told)


def _by(rule: str) -> str:
    return rule if rule == NOT_STATED else f"chosen by {rule}"


def _data(found: Changes, metric: str) -> dict[str, Any]:
    about: dict[str, Any] = {
        "schema": SCHEMA,
        "metric": metric,
        "unit": "shares, 0 to 1",
        **asdict(found),
    }
    about["crossings"] = []
    for (criterion, dataset), rows in _groups(found):
        turned, pairs = crossings(rows)
        told = {"criterion": criterion, "dataset": dataset, "crossings": turned, "pairs": pairs}
        about["crossings"].append(told)
    return about


def _groups(found: Changes) -> list[tuple[tuple[str, str], list[Change]]]:
    groups: dict[tuple[str, str], list[Change]] = {}
    for row in found.rows:
        groups.setdefault((row.criterion, row.dataset), []).append(row)
    return list(groups.items())


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
            f"interval each. Paired: {found.how}, over the same splits of the same data; else both "
            "standard errors are combined (Welch). Intervals are over "
            f"{found.covers}. Changed: p at most 0.05 after Holm's correction over all rows of "
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
    for name, chosen in zip(found.names, found.chosen):
        if chosen:
            rule = "does not say what" if chosen == NOT_STATED else f"says that {chosen}"
            yield (
                f"Note: {name} {rule} chose its models. The same numbers stand beside each "
                "criterion of the other side."
            )
    yield from (f"Note: {note}" for note in found.notes)


def _grid(title: str, rows: Sequence[Change]) -> Grid:
    lines = [
        (
            *((row.dataset, row.criterion) if not title else ()),
            row.algorithm + _warm_ups(row) + ("" if title == "" or _whole(row) else " !"),
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


def _warm_ups(row: Change) -> str:
    """Of how many splits the model lies before the method's own stage, in A and in B."""
    if not row.a.warm_ups and not row.b.warm_ups:
        return ""
    return f" ({row.a.warm_ups} and {row.b.warm_ups} in warm-up)"


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
