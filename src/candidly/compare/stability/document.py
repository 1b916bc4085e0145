"""A stability report for people: one page, or text; the numbers are those of its JSON form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...show.document import Document
from ...show.grid import Column, Datum, Grid, Value
from ...show.pieces import (
    Bullets,
    Figure,
    Figures,
    Heading,
    Paragraph,
    Piece,
    Pieces,
    Section,
    SideBySide,
    Tiles,
)
from ...show.words import in_percent, percent, short_names
from .figures import BIAS, accuracy_figure, prevalence_figure, rank_figure

if TYPE_CHECKING:
    from . import Accuracy, Crossing, ModelPair, Neighbour, RankedModel, Report
    from ._report import OnPremise

CROSSINGS = 20  # that a table lists
PAIRS = 60
MAY = (
    "Of these models, on these items and by these corrected labels: which differ by more than the "
    "choice of items explains (the tests), and how many labels may still be wrong before an order "
    "turns (the flip budget).",
    "A crossing says what would happen if wrong labels of this kind were more frequent, in this "
    "set of items; where it is not established, the order at that prevalence is open.",
)
MAY_OF_ONE = (
    "Of these models, on these items and by these labels: which differ by more than the choice of "
    "items explains (the tests), and how many labels may be wrong before an order turns (the flip "
    "budget).",
)
MAY_NOT_OF_ONE = (
    "How good the models are elsewhere.",
    "Whether the right labels would rank the models so: nobody corrected them.",
)
MAY_NOT = (
    "How good the models are elsewhere, or at label errors in general: the changed items were "
    "chosen by a detector, and intervals on them describe that choice.",
    "That a model is better because it follows the corrected labels. " + BIAS,
    "That labels which nobody checked are right.",
)


def stability_document(report: Report, *, read: Mapping[str, str] | None = None) -> Document:
    """What ``assess`` found, for people; CSV holds accuracies and ranks.

    Args:
        report: from ``stability.assess``.
        read: what to say of where labels and predictions came from, by name.
    """
    twice = report.versions == 2
    tables = grids(report)
    may, may_not = (MAY, MAY_NOT) if twice else (MAY_OF_ONE, MAY_NOT_OF_ONE)
    notes = (f"Note: {note}" for note in report.notes)
    sizes: tuple[Piece, ...] = (Tiles(_counts(report)), missed_line(report), *notes)
    concluded = (
        Pieces((Heading("May be concluded"), Bullets(may))),
        Pieces((Heading("May not be concluded"), Bullets(may_not))),
    )
    return Document(
        report.verdict,
        (
            Section("", (_accuracies(report), tables["standings"]), label="Accuracies"),
            Section("", sizes, label="Sizes"),
            *_ranks_before_after(report, tables),
            Section("How firm the order is", (tables["neighbours"], tables["pairs"])),
            *(() if report.premise is None else (_true(report.premise),)),
            *((_frequent(report, tables),) if twice else ()),
            Section("What this does and does not say", (SideBySide(concluded),)),
        ),
        lead=Paragraph(report.left_open) if report.left_open else "",
        over="Does the ranking survive the label errors?" if twice else "Does the ranking hold?",
        facts={**(read or {}), **_facts(report)},
        made_of="labels, corrected labels and predictions" if twice else "labels and predictions",
        kind="narrow",
        data=lambda: {"read": dict(read or {}), **report.as_dict()},
    )


def _accuracies(report: Report) -> Figures:
    """Every model's accuracy with its interval, and who cannot be told apart."""
    level = _level(report)
    joined = " A bar at the right joins places within which tests leave the order open."
    told = f"{level} intervals of each model alone." + joined * bool(report.together)
    return Figures([Figure("Accuracies, the best first", told, partial(accuracy_figure, report))])


def _ranks_before_after(report: Report, tables: Mapping[str, Grid]) -> tuple[Piece, ...]:
    """Figures of both orders, and ranks by the top five; nothing where labels have one version."""
    if report.versions == 1:
        return ()
    shown = [Figure("Before and after correcting", "", partial(rank_figure, report, "corrected"))]
    if _changed(report):
        draw = partial(rank_figure, report, "changed")
        shown.append(Figure("On the changed items alone", BIAS, draw))
    return (Section("Before and after", (Figures(shown), tables["top5"])),)


def _frequent(report: Report, tables: Mapping[str, Grid]) -> Section:
    """What more wrong labels of this kind would do."""
    title = "If wrong labels were more frequent"
    if not _changed(report):
        none = "There are no changed items beside unchanged ones, so no line can be drawn."
        return Section(title, (Paragraph(none), tables["corrections"]))
    drawn = [
        Figure(f"By {side} labels", "", partial(prevalence_figure, report, side))
        for side in ("original", "corrected")
    ]
    told = (
        "Lines are exact. A band holds the middle 95 % of what removing unchanged items at "
        "random would give. Filled points: established crossings; hollow ones: not. "
    )
    lines = (Figures(drawn), told + BIAS, tables["crossings"], tables["corrections"])
    return Section(title, lines)


def _true(premise: OnPremise) -> Section:
    """How often the models are right on true labels, and in which order."""
    ranked = sorted(premise.accuracies, key=lambda one: -one.share)  # of equals as they stand
    names = ", ".join(one.model for one in ranked)
    same = ranked == list(premise.accuracies)
    order = "The order of the models is the same." if same else f"The order would be: {names}."
    told = f"{premise.headline} By the probabilities of {premise.model}. {order}"
    title = "On true labels, if errors strike clear and unclear rows alike"
    columns = (Column("model", "name"), Column("% right", form=".1f"), Column("95 %"))
    rows = [
        (one.model, 100 * one.share, f"{100 * one.low:.1f} to {100 * one.high:.1f}")
        for one in premise.accuracies
    ]
    return Section(title, (Paragraph(told), Grid("", columns, rows)))


def _changed(report: Report) -> bool:
    return bool(report.sizes["C"] and report.sizes["B"])


def grids(report: Report) -> dict[str, Grid]:
    """The tables, by name; one without rows has nothing to say."""
    return {
        "standings": _standings(report) if report.versions == 2 else _standings_of_one(report),
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


def _range(low: float | None, high: float | None, digits: int = 1) -> str | None:
    return (
        None
        if low is None or high is None
        else f"{percent(low, digits)} to {percent(high, digits)}"
    )


def _with_range(share: Accuracy, digits: int = 2) -> Datum:
    text = f"{percent(share.share, digits)} ({_range(share.low, share.high, digits)})"
    return Datum(in_percent(share.share), text=None if share.share is None else text)


def _p(value: float) -> Datum:
    return Datum(value, text=None if value >= 0.001 else "< 0.001")


def _counts(report: Report) -> list[tuple[str, str, str]]:
    sizes, c, e = report.sizes, report.prevalence, report.errors
    if report.versions == 1:
        first = report.standings[0].top1.original
        told = f"accuracy of the best; {_level(report)} interval {_range(first.low, first.high)} %"
        return [
            ("items", f"{sizes['D']:,}", "all of them, by the labels as they stand"),
            ("models", f"{len(report.standings):,}", "compared on the same items"),
            ("best", f"{percent(first.share)} %", told),
        ]
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
    def row(s: RankedModel) -> tuple[Value | Datum, ...]:
        top = s.top1
        return (
            *(s.model, s.rank_original, s.rank_corrected, _ranks(s.range_corrected)),
            *(_with_range(top.original), _with_range(top.corrected)),
            in_percent(top.benign.share),
            *(top.changed_original.right, top.changed_corrected.right),
        )

    size = report.sizes["C"]
    short = _short(report)
    elsewhere = " Long names are shortened elsewhere: their middle is left out."
    note = (
        f"Intervals and possible ranks at {_level(report)}; the latter hold for all models "
        "together. Original: all items; corrected: kept items."
    )
    columns = (
        *(Column("model", "name"), Column("rank before"), Column("after"), Column("possible")),
        *(Column(name, form=".2f") for name in ("original", "corrected", "on B")),
        *(Column(f"of {size} C, {name}", form=",") for name in ("original", "corrected")),
    )
    return Grid(
        "Accuracies in percent and ranks, the best by corrected labels first",
        columns,
        [row(s) for s in report.standings],
        (note + elsewhere * any(name != kept for name, kept in short.items()),),
    )


def _standings_of_one(report: Report) -> Grid:
    columns = (
        *(Column("model", "name"), Column("rank"), Column("possible")),
        *(Column("accuracy", form=".2f"), Column("top-5", form=".2f")),
    )
    rows = [
        (s.model, s.rank_original, _ranks(s.range_original), _with_range(s.top1.original),
         None if s.top5 is None else in_percent(s.top5.original.share))
        for s in report.standings
    ]  # fmt: skip
    note = f"Intervals and possible ranks at {_level(report)}; the latter of all models together."
    return Grid("Accuracies in percent and ranks, the best first", columns, rows, (note,))


def _short(report: Report) -> dict[str, str]:
    return short_names([s.model for s in report.standings])


def _ranks(bounds: tuple[int, int]) -> str:
    return f"{bounds[0]}" if bounds[0] == bounds[1] else f"{bounds[0]}–{bounds[1]}"


def _top5(report: Report) -> Grid:
    names = ("Acc@1", "cAcc@1", "Acc@5", "cAcc@5")
    rows = []
    for s in report.standings if report.versions == 2 else ():
        if s.top5 is not None:
            one, five = s.top1, s.top5
            shares = [a for x in (one, five) for a in (x.changed_original, x.changed_corrected)]
            numbers = [in_percent(share.share) for share in shares]
            rows.append((s.model, *numbers, *s.ranks_changed, in_percent(five.original.share)))
    columns = (
        Column("model", "name"),
        *(Column(name, form=".2f") for name in names),
        *(Column(f"rank {name}") for name in names),
        Column("Acc@5, all items", form=".2f"),
    )
    return Grid(
        "On changed items: accuracies in percent by original (Acc) and corrected (cAcc) labels",
        columns,
        rows,
    )


def _neighbours(report: Report) -> Grid:
    short = _short(report)

    def row(n: Neighbour) -> tuple[Value | Datum, ...]:
        expected = "" if n.expected_errors is None else f" (≤ {n.expected_errors:,.0f} expected)"
        return (
            f"{short[n.first]} > {short[n.second]}",
            n.lead,
            n.differing,
            "any" if n.budget is None else n.budget,
            Datum(n.unchecked, text=f"{n.unchecked:,}{expected}"),
            n.status,
            n.to_check,
        )

    whole = "–" if report.to_check is None else f"{report.to_check:,}"
    return Grid(
        "Neighbours in the ranking: wrong labels that cannot turn them round",
        (
            Column("pair", "name"),
            *(Column(name, form=",") for name in ("lead", "differ on", "flip budget")),
            *(Column("unchecked"), Column("by checking"), Column("to check", form=",")),
        ),
        [row(n) for n in report.neighbours],
        (
            "Flip budget: so many wrong labels, however chosen, leave the order as it is. To "
            "check: about how many more items of the plan would settle it (all pairs: "
            f"{whole}).",
        ),
    )


def _pairs(report: Report) -> Grid:
    short = _short(report)

    def row(p: ModelPair) -> tuple[Value | Datum, ...]:
        return (
            f"{short[p.first]} − {short[p.second]}",
            in_percent(p.difference),
            _range(p.low, p.high, 2),
            None if p.bootstrap is None else _range(*p.bootstrap, 2),
            f"{p.only_first:,} : {p.only_second:,}",
            _p(p.p),
            _p(p.adjusted),
        )

    listed = report.pairs[:PAIRS]
    where = " on kept items by corrected labels" if report.versions == 2 else ""
    left = len(report.pairs) - len(listed)
    more = f" {left:,} more pairs are in the JSON form." if left else ""
    return Grid(
        f"Differences{where}, in points ({report.pairs_are} pairs)",
        (
            *(Column("pair", "name"), Column("difference", form=".2f")),
            *map(Column, ("score interval", "bootstrap", "only one right")),
            *(Column("p", form=".3f"), Column("Holm p", form=".3f")),
        ),
        [row(p) for p in listed],
        (
            f"McNemar's exact p, and after Holm over these pairs; intervals at {_level(report)}."
            + more,
        ),
    )


def _crossings(report: Report) -> Grid:
    short = _short(report)

    def row(c: Crossing) -> tuple[Value | Datum, ...]:
        return (
            f"{short[c.behind]} passes {short[c.ahead]}",
            in_percent(c.prevalence),
            _range(c.low, c.high),
            None if c.bootstrap is None else _range(*c.bootstrap),
            in_percent(c.x_removed),
            in_percent(c.x_mixture),
            "already" if c.already else "established" if c.established else "not established",
            _p(c.adjusted),
        )

    ordered = sorted(report.crossings, key=lambda c: (c.already, not c.established, c.prevalence))
    left = len(ordered) - CROSSINGS
    more = f" {left:,} more are in the JSON form." if left > 0 else ""
    sure = sum(c.established and not c.already for c in report.crossings)
    return Grid(
        f"Crossings by corrected labels as wrong labels become more frequent: {sure} established",
        (
            *(Column("crossing", "name"), Column("N× %", form=".1f")),
            *(Column("interval"), Column("bootstrap")),
            *(Column("removed %", form=".1f"), Column("mixture %", form=".1f")),
            *(Column("state"), Column("Holm p", form=".3f")),
        ),
        [row(c) for c in ordered[:CROSSINGS]],
        (
            "N×: the prevalence of wrong labels at which the two tie; removed: the share of "
            "unchanged items that would have to go for that. The interval is of this pair alone. "
            "Established: both differences behind it exclude 0 after Holm's correction over all "
            f"pairs.{more}",
        ),
    )


def _corrections(report: Report) -> Grid:
    rows = [
        (
            *(row.name, row.changed, row.pruned),
            *(in_percent(row.prevalence), in_percent(row.errors), row.moved, row.tau),
        )
        for row in report.corrections
    ]
    return Grid(
        "The same models by other corrections",
        (
            *(
                Column("correction", "name"),
                Column("changed", form=","),
                Column("pruned", form=","),
            ),
            *(Column("c %", form=".2f"), Column("errors %", form=".2f")),
            *(Column("models moved"), Column("Kendall's tau", form=".3f")),
        ),
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
