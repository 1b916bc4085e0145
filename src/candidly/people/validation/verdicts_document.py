"""What people's answers come to: one value for scripts, and one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import door
from ...ground.jsons import finite
from ...ground.numbers import count_of
from ...show.document import Document
from ...show.grid import Column, Grid, Value
from ...show.intervals import ForestPoint, ForestRow, forest_plot
from ...show.pieces import Figure, Figures, Folded, Markup, Paragraph, Piece, Section
from ...show.words import in_percent

if TYPE_CHECKING:
    from ...stats.checked import CheckedCount
    from . import Corrected, Missed, Verdicts

LISTED = 500  # items of each list on the page
LEVELS = 5  # thresholds that are compared
FAMILIES = ("non-error", "correctable", "multi-label", "neither", "non-agreement")


def summarise(
    verdicts: Verdicts,
    *,
    size: int | None = None,
    flagged: int | None = None,
    missed: Missed | None = None,
    corrected: Corrected | None = None,
) -> dict[str, Any]:
    """Everything that is said of verdicts, as JSON can hold it.

    Args:
        size: examples of the data set; without it nothing is said of the whole.
        flagged: examples that were flagged, of which those checked are a random sample; all were
            checked by default.
        missed: what an audit of unflagged examples says; see ``validation.missed``.
        corrected: the corrected labels, where they are made.

    Raises:
        ValueError: sizes that do not fit.
    """
    from . import READINGS, agreement, counted, estimates, totals

    found, agreed = totals(verdicts), agreement(verdicts)
    about: dict[str, Any] = {
        "checked": found.checked,
        "decided": found.decided,
        "unanswered": found.unanswered,
        "short": found.short,
        "degenerate": found.degenerate,
        "threshold": _levels_of(verdicts),
        "categories": found.categories,
        "errors": {
            name: {**asdict(share), "share": share.share, "meaning": READINGS[name]}
            for name, share in found.errors.items()
        },
        "agreement": {
            **asdict(agreed),
            "slight": agreed.slight,
            "sentences": agreed.sentences(),
        },
    }
    counts = counted(verdicts)
    if counts is not None:
        about["counted"] = counts["exact"].as_dict()
        about["size"] = counts["exact"].labelled
        about["estimates"] = {name: _counted_as(count) for name, count in counts.items()}
    elif size is not None:
        about["size"] = size
        about["flagged"] = flagged if flagged is not None else found.checked
        if found.decided:
            about["estimates"] = {
                name: _told(e) for name, e in estimates(verdicts, flagged, size).items()
            }
        about["settings"] = _settings(verdicts, size, flagged)
    if missed is not None:
        about["missed"] = {**asdict(missed), "sentence": str(missed)}
    if corrected is not None:
        about["corrected"] = _numbers(corrected)
    return finite(about)


def items(verdicts: Verdicts) -> list[dict[str, Any]]:
    """A row per checked item, in order: classes, answers, verdict, whether one answer decides."""
    from . import ANSWERS, CATEGORIES, SetTally, fragile

    tally = verdicts.tally
    base = [
        {"id": str(name), "item": int(item), "verdict": CATEGORIES[c], "fragile": bool(f)}
        for name, item, c, f in zip(tally.ids, tally.item, verdicts.category, fragile(verdicts))
    ]
    if isinstance(tally, SetTally):
        return [
            row
            | {
                "given": _sets(tally.given[i], tally.classes),
                "guessed": _sets(tally.heard[i] >= verdicts.threshold[i], tally.classes),
                "votes": {},
            }
            for i, row in enumerate(base)
        ]
    return [
        row
        | {
            "given": _name(int(tally.given[i]), tally.classes),
            "guessed": _name(int(tally.guessed[i]), tally.classes),
            "votes": dict(zip(ANSWERS, tally.counts[i].tolist())),
        }
        for i, row in enumerate(base)
    ]


@door
def verdicts_document(
    verdicts: Verdicts, *, about: Mapping[str, Any], read: Mapping[str, str] | None = None
) -> Document:
    """What people's answers come to.

    Args:
        about: what ``summarise`` says of the verdicts.
        read: what to say of where the answers came from, by name.
    """
    from . import SetTally
    from ._verdicts import check_verdicts

    check_verdicts(verdicts)
    rows, sets = items(verdicts), isinstance(verdicts.tally, SetTally)
    offered = getattr(verdicts.tally, "offered", ())
    levels = about["threshold"]
    threshold = f" ({levels[0]})" if len(levels) == 1 else ""
    missed = about.get("missed")
    warning = [Paragraph(f"Missed errors: {missed['sentence']}.", "warn")] if missed else []
    corrections = [row for row in rows if row["verdict"] == "correctable"]
    doubtful = [row for row in rows if row["fragile"] or row["verdict"] == "different set"]
    of_sets = ("Other sets than given", "Items of another set")
    on_one = ("Hanging on one answer", "One other answer changes the category")
    heading, told = of_sets if sets else on_one
    shares = [] if sets or not about["decided"] else [_shares(about)]
    title = (
        f"{about['errors']['exact']['count']:,} of {about['decided']:,} checked labels are wrong"
    )
    return Document(
        about["counted"]["headline"] if "counted" in about else title,
        (
            Section("Verdicts", (*shares, *_wrong(about), errors_grid(about), _counted(about))),
            *(_whole(about, warning) if "estimates" in about else warning),
            *([] if sets else [_agreement(about["agreement"])]),
            *(_thresholds(about) if about.get("settings") else ()),
            *(_corrected(about["corrected"]) if "corrected" in about else ()),
            *_listed("Corrections", "Given becomes guessed", corrections, offered, sets),
            *_listed(heading, told, doubtful, offered, sets),
        ),
        lead="By the answers of people who saw each example with the given class and a guess. A "
        f"label is wrong when fewer than the threshold{threshold} chose exactly it.",
        facts=read or {},
        made_of="answers of people",
        data=lambda: about,
    )


def errors_grid(about: Mapping[str, Any]) -> Grid:
    """Errors by each reading, of those checked and, where there are estimates, of all."""
    whole = about.get("estimates")
    alike = "counted" not in about  # of drawn rows, those of a stratum stand for more than others
    columns = [Column("errors, read as", "word"), Column("found", form=",")]
    if alike:
        columns += [Column("% of checked", form=".1f"), Column("95 % of checked")]
    if whole:
        columns += [Column("in all", form=",.0f"), Column("% of all", form=".2f")]
        columns += [Column("95 % of all")]
    rows: list[tuple[Value, ...]] = []
    for name, share in about["errors"].items():
        sure = None
        if share["share"] is not None:
            sure = f"{100 * share['low']:.1f} to {100 * share['high']:.1f}"
        row: tuple[Value, ...] = (name, share["count"])
        if alike:
            row += (in_percent(share["share"]), sure)
        if whole:
            e = whole[name]
            ends = f"{e['percent low']:.2f} to {e['percent high']:.2f}"
            row += (e["total"], e["percent"], "all checked" if e["census"] else ends)
        rows.append(row)
    told = "; ".join(f"{name}: {share['meaning']}" for name, share in about["errors"].items())
    note = f"A label is an error, by the reading that is named: {told}."
    return Grid("What counts as an error", tuple(columns), rows, (note,))


def thresholds_grid(about: Mapping[str, Any]) -> Grid:
    """How much depends on the threshold; no rows where too few answered."""
    columns = (
        Column("decided by", "word"),
        *(Column(name, form=",.0f") for name in ("corrected", "unsettled", "kept as it was")),
        *(Column("prevalence %", form=".2f"), Column("errors %", form=".2f")),
        Column("hang on one answer", form=","),
    )
    rows = [
        (
            *(s["name"], s["corrected"], s["unsettled"], s["benign"]),
            *(in_percent(s["prevalence"]), s["percent error"], s["fragile"]),
        )
        for s in about.get("settings") or ()
    ]
    return Grid("How much depends on the threshold", columns, rows)


def items_grid(
    title: str, rows: Sequence[Mapping[str, Any]], offered: Sequence[str], sets: bool = False
) -> Grid:
    """Checked items with classes, answers, verdict: the first ``LISTED`` of those in ``rows``."""
    columns = (
        *(Column("item", "name"), Column("given", "name")),
        Column("found by people" if sets else "guessed", "name"),
        *(Column(name, form=",") for name in offered),
        Column("verdict", "word"),
    )
    cut = f": the first {LISTED} of {len(rows):,}" if len(rows) > LISTED else ""
    lines = [
        (
            *(row["id"], row["given"], row["guessed"]),
            *(row["votes"][name] for name in offered),
            row["verdict"],
        )
        for row in rows[:LISTED]
    ]
    return Grid(f"{title}{cut}", columns, lines)


def _shares(about: Mapping[str, Any]) -> Markup:
    """A bar of verdicts, and what its colours are."""
    counts = [(k, name, about["categories"][name]) for k, name in enumerate(FAMILIES)]
    bar = "".join(
        f'<span class="p{k}" style="width: {100 * count / about["decided"]:.2f}%"></span>'
        for k, _, count in counts
        if count
    )
    key = "".join(f'<li><i class="p{k}"></i>{name} {count:,}</li>' for k, name, count in counts)
    return Markup(
        f'<div class="parts" role="img" aria-label="Shares of the verdicts">{bar}</div>\n'
        f'<ul class="key">{key}</ul>',
        [f"{name}: {count:,}" for _, name, count in counts],
    )


def _wrong(about: Mapping[str, Any]) -> Iterator[Figures]:
    """How many labels are wrong by each reading, with intervals: of all, else of those checked."""
    if "estimates" in about:
        whose, census = "all labels", about["estimates"]["exact"]["census"]
        rows = [
            _row(name, e["percent"], e["percent low"], e["percent high"], census)
            for name, e in about["estimates"].items()
        ]
    else:
        whose, census = "the checked labels", False
        rows = [
            _row(name, 100 * e["share"], 100 * e["low"], 100 * e["high"])
            for name, e in about["errors"].items()
            if e["share"] is not None
        ]
    told = "All were checked." if census else "95 % intervals."
    draw = partial(forest_plot, rows, f"Wrong of {whose}", f"% of {whose} that are wrong", digits=2)
    if rows:
        yield Figures([Figure(f"How many of {whose} are wrong, by each reading", told, draw)])


def _row(name: str, value: float, low: float, high: float, census: bool = False) -> ForestRow:
    return ForestRow(name, [ForestPoint(value) if census else ForestPoint(value, low, high)])


def _counted(about: Mapping[str, Any]) -> str:
    told = (
        ("unanswered", "have none at all"),
        (
            "short",
            "have fewer than the threshold, so that nothing could confirm their label",
        ),
        ("degenerate", "offered one class twice, and count as what people said of it"),
    )
    more = "".join(f"; {about[name]:,} {words}" for name, words in told if about[name])
    return (
        f"Of {about['checked']:,} items checked, {about['decided']:,} have the answers that "
        f"a verdict needs{more}. The intervals cover chance in which items there are, not errors "
        "of people."
    )


def _whole(about: Mapping[str, Any], warning: Sequence[Piece]) -> Iterator[Piece]:
    census = about["estimates"]["exact"]["census"]
    drawn = about.get("counted")
    how = (
        "All of them were checked and decided."
        if census
        else f"{about['decided']:,} were checked at random and decided; the totals are scaled to "
        "all of them."
    )
    columns = (
        *(Column("reading", "word"), Column("errors", form=",.0f")),
        *(Column("95 % interval"), Column("% of the data set", form=".2f")),
    )
    rows = [
        (
            name,
            e["total"],
            "all checked" if e["census"] else f"{e['low']:,.0f} to {e['high']:,.0f}",
            e["percent"],
        )
        for name, e in about["estimates"].items()
    ]
    if drawn is None:
        told = f"{about['flagged']:,} of {about['size']:,} examples were flagged. {how}"
        title = "Errors among the flagged"
    else:
        told, title = drawn["sentence"], "Errors among all labels"
    yield Section("In the whole data set", (Paragraph(told), Grid(title, columns, rows), *warning))


def _agreement(agreed: Mapping[str, Any]) -> Section:
    pieces: list[Piece] = []
    for told in agreed["sentences"]:
        pieces.append(Paragraph(told, "warn") if pieces and agreed["slight"] else Paragraph(told))
    counts = Paragraph(
        f"Of {agreed['decided']:,} decided items {agreed['unanimous']:,} are unanimous, "
        f"{agreed['split']:,} just reach the threshold, and {agreed['fragile']:,} would fall into "
        "another category if one person answered otherwise."
    )
    return Section("How far people agree", (*pieces, counts))


def _thresholds(about: Mapping[str, Any]) -> Iterator[Piece]:
    scaled = "; all numbers are scaled from the sample" * about["settings"][0]["estimated"]
    told = (
        "A higher threshold makes more labels errors, as fewer are confirmed, and fewer "
        "correctable. Prevalence: the corrected among the corrected and kept" + scaled + "."
    )
    yield Section("How much depends on the threshold", (thresholds_grid(about), told))


def _corrected(made: Mapping[str, Any]) -> Iterator[Piece]:
    waiting = f", {made['pending']:,} wait for answers" if made["pending"] else ""
    if made["undecided"]:
        waiting += f", people differ on {made['undecided']:,}"
    if made["decided"]:
        waiting += f", one who has the last word decided {made['decided']:,}"
    told = (
        f"Of {made['labels']:,} labels, {made['corrected']:,} are replaced and {made['pruned']:,} "
        f"pruned; {made['confirmed']:,} were confirmed{waiting} and {made['unflagged']:,} were not "
        f"flagged. SHA-256 of what went in: {made['fingerprint'][:16]}…"
    )
    yield Section("The corrected labels", (Paragraph(told),))


def _listed(
    heading: str,
    told: str,
    rows: Sequence[Mapping[str, Any]],
    offered: Sequence[str],
    sets: bool,
) -> Iterator[Piece]:
    if rows:
        one = count_of(len(rows), "item")
        yield Section(heading, (Folded(one, (items_grid(told, rows, offered, sets),)),))


def _settings(verdicts: Verdicts, size: int, flagged: int | None) -> list[dict[str, Any]]:
    from . import thresholds

    most = int(verdicts.tally.answers.max(initial=0))
    if most < 3:
        return []
    levels = list(range(most // 2 + 1, most + 1))[:LEVELS]
    return [
        {"name": s.name, "fragile": s.fragile, "percent error": s.sets.percent_error}
        | asdict(s.sets)
        for s in thresholds(verdicts.tally, size, flagged, levels)
    ]


def _levels_of(verdicts: Verdicts) -> list[int]:
    return sorted(set(verdicts.threshold[verdicts.decided].tolist()))


def _told(estimate: Any) -> dict[str, Any]:
    low, high = estimate.interval
    return {
        **asdict(estimate),
        "census": estimate.census,
        "percent": estimate.percent,
        "low": low,
        "high": high,
        "percent low": 100 * low / estimate.size,
        "percent high": 100 * high / estimate.size,
    }


def _counted_as(count: CheckedCount) -> dict[str, Any]:
    """A count from rows that were drawn by strata, as ``_told`` tells an estimate."""
    low, high = count.ends
    return {
        **asdict(count),
        "low": low,
        "high": high,
        "total": count.number,
        "size": count.labelled,
        "census": count.checked == count.labelled,
        "percent": 100 * count.number / count.labelled,
        "percent low": 100 * low / count.labelled,
        "percent high": 100 * high / count.labelled,
    }


def _numbers(corrected: Corrected) -> dict[str, Any]:
    from . import PROVENANCE

    counts = np.bincount(corrected.provenance, minlength=len(PROVENANCE)).tolist()
    return {
        "labels": len(corrected),
        **dict(zip(PROVENANCE, counts)),
        "reading": corrected.reading,
        "fingerprint": corrected.fingerprint,
    }


def _name(label: int, classes: Sequence[str] | None) -> str:
    if label < 0:
        return "?"
    return str(label) if classes is None else classes[label]


def _sets(row: np.ndarray, classes: Sequence[str]) -> str:
    return ", ".join(classes[k] for k in np.flatnonzero(row).tolist()) or "none"
