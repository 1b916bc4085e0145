"""A stability report for people: one page, or text; the numbers are those of its JSON form."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files import replacing
from ._forms import rich_table
from ._template import rendered
from ._wording import percent, short_names
from .stability_figures import BIAS, prevalence_figure, rank_figure

if TYPE_CHECKING:
    from ..stability import Accuracy, Crossing, ModelPair, Neighbour, RankedModel, Report

CROSSINGS = 20  # that a table lists
PAIRS = 60
MAY = (
    "Of these models, on these items and by these corrected labels: which differ by more than the "
    "choice of items explains (the tests), and how many labels may still be wrong before an order "
    "turns (the flip budget).",
    "A crossing says what would happen if wrong labels of this kind were more frequent, in this "
    "set of items; where it is not established, the order at that prevalence is open.",
)
MAY_NOT = (
    "How good the models are elsewhere, or at label errors in general: the changed items were "
    "chosen by a detector, and intervals on them describe that choice.",
    "That a model is better because it follows the corrected labels. " + BIAS,
    "That labels which nobody checked are right.",
)


@dataclass(frozen=True)
class Grid:
    """A table as texts: the first column names its rows."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def write_stability_page(report: Report, path: Path | str, **options: Any) -> None:
    """Write the page, whole or not at all; options are those of ``make_stability_page``.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    page = make_stability_page(report, **options).encode("utf-8", "replace")
    with replacing(path) as file:
        file.write(page)


def make_stability_page(report: Report, *, read: Mapping[str, str] | None = None) -> str:
    """The page as HTML text; it refers to nothing outside itself. The same report, the same text.

    Args:
        report: from ``stability.assess``.
        read: what to say of where labels and predictions came from, by name.
    """
    from markupsafe import Markup

    some = bool(report.sizes["C"] and report.sizes["B"])
    return rendered(
        "stability.html",
        {**(read or {}), **_facts(report)},
        verdict=report.verdict,
        notes=report.notes,
        may=MAY,
        may_not=MAY_NOT,
        bias=BIAS,
        counts=_counts(report),
        missed=missed_line(report),
        grids=grids(report),
        ranks=[
            Markup(rank_figure(report, which)) for which in ("corrected", "changed")[: 1 + some]
        ],
        lines=[Markup(prevalence_figure(report, side)) for side in ("original", "corrected")]
        if some
        else [],
    )


def render_stability(report: Report, width: int = 110) -> str:
    """The same as text."""
    from rich.console import Console

    page = io.StringIO()
    # names are data: no markup, emoji codes or highlighting in them
    console = Console(
        file=page, width=width, markup=False, emoji=False, highlight=False, color_system=None
    )
    console.print(report.verdict)
    console.print()
    for name, number, meaning in _counts(report):
        console.print(f"{name}: {number} ({meaning})")
    console.print(missed_line(report))
    for note in report.notes:
        console.print(f"Note: {note}")
    for grid in grids(report).values():
        if not grid.rows:
            continue
        console.print(f"\n{grid.caption}")
        drawn = rich_table()
        for k, column in enumerate(grid.header):
            drawn.add_column(column, justify="right" if k else "left", overflow="fold")
        for row in grid.rows:
            drawn.add_row(*row)
        console.print(drawn)
        if grid.note:
            console.print(grid.note)
    console.print("\nMay be concluded: " + " ".join(MAY))
    console.print("\nMay not be concluded: " + " ".join(MAY_NOT))
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()).rstrip()


def grids(report: Report) -> dict[str, Grid]:
    """The tables, by name; one without rows has nothing to say."""
    return {
        "standings": _standings(report),
        "top5": _top5(report),
        "neighbours": _neighbours(report),
        "pairs": _pairs(report),
        "crossings": _crossings(report),
        "corrections": _corrections(report),
    }


def missed_line(report: Report) -> str:
    """What is known of wrong labels that nobody has seen."""
    missed = report.missed
    if missed.bound is None:
        return (
            f"Nobody checked {missed.unchecked:,} items, and nothing is known of wrong labels "
            "among them; audit some at random."
        )
    return (
        f"Of {missed.unchecked:,} items that nobody checked, {missed.audited:,} were audited at "
        f"random and {missed.errors:,} had a wrong label: up to {missed.bound:,.0f} may have one "
        "(95 %)."
    )


# texts


def _level(report: Report) -> str:
    return f"{100 * (1 - report.alpha):.3g} %"


def _range(low: float | None, high: float | None, digits: int = 1) -> str:
    return (
        "–" if low is None or high is None else f"{percent(low, digits)} to {percent(high, digits)}"
    )


def _with_range(share: Accuracy, digits: int = 2) -> str:
    if share.share is None:
        return "–"
    return f"{percent(share.share, digits)} ({_range(share.low, share.high, digits)})"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"


def _counts(report: Report) -> list[tuple[str, str, str]]:
    sizes, c, e = report.sizes, report.prevalence, report.errors
    of = f"{sizes['D']:,} items"
    return [
        ("changed", f"{sizes['C']:,}", f"C: the label was wrong and has a new one, of {of}"),
        ("pruned", f"{sizes['U']:,}", "U: no single label is right; left out"),
        ("unchanged", f"{sizes['B']:,}", "B: not doubted, or doubted and confirmed"),
        (
            "prevalence",
            f"{percent(c.share)} %",
            f"c: changed of kept items; {_level(report)} interval {_range(c.low, c.high, 2)} %",
        ),
        (
            "wrong labels found",
            f"{percent(e.share)} %",
            f"changed and pruned of all; {_level(report)} interval {_range(e.low, e.high, 2)} %",
        ),
    ]


def _standings(report: Report) -> Grid:
    def row(s: RankedModel) -> tuple[str, ...]:
        top = s.top1
        return (
            s.model,
            f"{s.rank_original}",
            f"{s.rank_corrected}",
            _ranks(s.range_corrected),
            _with_range(top.original),
            _with_range(top.corrected),
            percent(top.benign.share),
            f"{top.changed_original.right:,}",
            f"{top.changed_corrected.right:,}",
        )

    size = report.sizes["C"]
    short = _short(report)
    elsewhere = " Long names are shortened elsewhere: their middle is left out."
    return Grid(
        "Accuracies in percent and ranks, the best by corrected labels first",
        (
            "model",
            "rank before",
            "after",
            "possible",
            "original",
            "corrected",
            "on B",
            f"of {size} C, original",
            f"of {size} C, corrected",
        ),
        tuple(row(s) for s in report.standings),
        f"Intervals and possible ranks at {_level(report)}; the latter hold for all models "
        "together. Original: all items; corrected: kept items."
        + elsewhere
        * any(name != kept for name, kept in short.items()),
    )


def _short(report: Report) -> dict[str, str]:
    return short_names([s.model for s in report.standings])


def _ranks(bounds: tuple[int, int]) -> str:
    return f"{bounds[0]}" if bounds[0] == bounds[1] else f"{bounds[0]}–{bounds[1]}"


def _top5(report: Report) -> Grid:
    columns = ("Acc@1", "cAcc@1", "Acc@5", "cAcc@5")
    rows = []
    for s in report.standings:
        if s.top5 is not None:
            one, five = s.top1, s.top5
            shares = [a for x in (one, five) for a in (x.changed_original, x.changed_corrected)]
            ranks = ["–" if rank is None else str(rank) for rank in s.ranks_changed]
            texts = [percent(share.share) for share in shares]
            rows.append((s.model, *texts, *ranks, percent(five.original.share)))
    return Grid(
        "On changed items: accuracies in percent by original (Acc) and corrected (cAcc) labels",
        ("model", *columns, *("rank " + column for column in columns), "Acc@5, all items"),
        tuple(rows),
    )


def _neighbours(report: Report) -> Grid:
    short = _short(report)

    def row(n: Neighbour) -> tuple[str, ...]:
        expected = "" if n.expected_errors is None else f" (≤ {n.expected_errors:,.0f} expected)"
        return (
            f"{short[n.first]} > {short[n.second]}",
            f"{n.lead:,}",
            f"{n.differing:,}",
            "any" if n.budget is None else f"{n.budget:,}",
            f"{n.unchecked:,}{expected}",
            n.status,
            "–" if n.to_check is None else f"{n.to_check:,}",
        )

    whole = "–" if report.to_check is None else f"{report.to_check:,}"
    return Grid(
        "Neighbours in the ranking: wrong labels that cannot turn them round",
        ("pair", "lead", "differ on", "flip budget", "unchecked", "by checking", "to check"),
        tuple(row(n) for n in report.neighbours),
        "Flip budget: so many wrong labels, however chosen, leave the order as it is. To check: "
        f"about how many more items of the plan would settle it (all pairs: {whole}).",
    )


def _pairs(report: Report) -> Grid:
    short = _short(report)

    def row(p: ModelPair) -> tuple[str, ...]:
        drawn = "–" if p.bootstrap is None else _range(*p.bootstrap, 2)
        return (
            f"{short[p.first]} − {short[p.second]}",
            percent(p.difference),
            _range(p.low, p.high, 2),
            drawn,
            f"{p.only_first:,} : {p.only_second:,}",
            _p(p.p),
            _p(p.adjusted),
        )

    listed = report.pairs[:PAIRS]
    left = len(report.pairs) - len(listed)
    more = f" {left:,} more pairs are in the JSON form." if left else ""
    return Grid(
        f"Differences on kept items by corrected labels, in points ({report.pairs_are} pairs)",
        ("pair", "difference", "score interval", "bootstrap", "only one right", "p", "Holm p"),
        tuple(row(p) for p in listed),
        f"McNemar's exact p, and after Holm over these pairs; intervals at {_level(report)}.{more}",
    )


def _crossings(report: Report) -> Grid:
    short = _short(report)

    def row(c: Crossing) -> tuple[str, ...]:
        drawn = "–" if c.bootstrap is None else _range(*c.bootstrap)
        return (
            f"{short[c.behind]} passes {short[c.ahead]}",
            percent(c.prevalence, 1),
            _range(c.low, c.high),
            drawn,
            "–" if c.x_removed is None else percent(c.x_removed, 1),
            "–" if c.x_mixture is None else percent(c.x_mixture, 1),
            "already" if c.already else "established" if c.established else "not established",
            _p(c.adjusted),
        )

    ordered = sorted(report.crossings, key=lambda c: (c.already, not c.established, c.prevalence))
    left = len(ordered) - CROSSINGS
    more = f" {left:,} more are in the JSON form." if left > 0 else ""
    sure = sum(c.established and not c.already for c in report.crossings)
    return Grid(
        f"Crossings by corrected labels as wrong labels become more frequent: {sure} established",
        ("crossing", "N× %", "interval", "bootstrap", "removed %", "mixture %", "state", "Holm p"),
        tuple(row(c) for c in ordered[:CROSSINGS]),
        "N×: the prevalence of wrong labels at which the two tie; removed: the share of unchanged "
        "items that would have to go for that. The interval is of this pair alone. Established: "
        f"both differences behind it exclude 0 after Holm's correction over all pairs.{more}",
    )


def _corrections(report: Report) -> Grid:
    rows = tuple(
        (
            row.name,
            f"{row.changed:,}",
            f"{row.pruned:,}",
            percent(row.prevalence),
            percent(row.errors),
            f"{row.moved}",
            "–" if row.tau is None else f"{row.tau:.3f}",
        )
        for row in report.corrections
    )
    return Grid(
        "The same models by other corrections",
        ("correction", "changed", "pruned", "c %", "errors %", "models moved", "Kendall's tau"),
        rows if len(rows) > 1 else (),
    )


def _facts(report: Report) -> dict[str, str]:
    shown: Sequence[tuple[str, str | None]] = (
        ("models", f"{len(report.standings):,}"),
        ("items", f"{report.sizes['D']:,}"),
        ("flagged by a detector", _or_none(report.sizes["F"])),
        ("of these confirmed", _or_none(report.sizes["K"])),
        ("level", _level(report)),
        ("bootstrap samples", f"{report.resamples:,}"),
        ("seed", f"{report.seed}"),
    )
    return {name: text for name, text in shown if text is not None}


def _or_none(count: int | None) -> str | None:
    return None if count is None else f"{count:,}"
