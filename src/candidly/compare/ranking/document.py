"""A ranking for people: one page, or text; the numbers are those of its JSON form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...ground.numbers import count_of
from ...show.document import Document
from ...show.grid import Column, Datum, Grid
from ...show.pieces import (
    Bullets,
    Figure,
    Figures,
    Folded,
    Heading,
    Paragraph,
    Pieces,
    Section,
    SideBySide,
    Tiles,
)
from ...show.words import listed
from ._key_sections import checked_keys, doubted_keys
from ._words import folded, level, p_value, places, points, unit, written
from .figures import SHOWN, place_figure, score_figure

if TYPE_CHECKING:
    from . import CheckedScores, ComparedPair, Ranking, Suspect
    from ._slices import SliceReport

USELESS = 0.01  # weight of a judge that is not used
MANY = 1_000_000  # items; more are only called so
TESTS = {
    "scores": "of every pair on the same items, by signs (McNemar's where scores are right or "
    "wrong), corrected by Holm's method",
    "judged": "of every pair, by people's scores and the judge's (prediction-powered), corrected "
    "by Holm's method",
    "wins": "of every pair of strengths (Bradley and Terry), with a covariance over groups, "
    "corrected by Holm's method",
}
MAY = (
    "Of these models: which are better on items of this kind, by more than the choice of items "
    "explains, as far as these items are like a random sample of that kind.",
    "How many more such items would tell two models apart.",
)
MAY_NOT = (
    "How good the models are at other things, or with other prompts and settings.",
    "That a model which is not told apart from another is as good.",
    "That keys or judges are right: an error that favours a model favours it in every item.",
)


def ranking_document(
    found: Ranking,
    *,
    read: Mapping[str, str] | None = None,
    suspects: Sequence[Suspect] = (),
    if_right: CheckedScores | None = None,
) -> Document:
    """What ``rank`` found, for people; CSV holds scores and places.

    Args:
        found: from ``ranking.rank``.
        read: what to say of where the scores came from, by name.
        suspects: from ``ranking.suspects``. if_right: the scores were most models right on all of
            these, from ``ranking.were_right``.
    """
    concluded = (
        Pieces((Heading("May be concluded"), Bullets(MAY))),
        Pieces((Heading("May not be concluded"), Bullets(MAY_NOT))),
    )
    table = _models(found)
    notes = tuple(f"Note: {note}" for note in found.notes)
    sections = (
        Section("", (_figures(found),), label="Scores and places"),
        Section("", (Tiles(_counts(found)), *notes, *folded("All models", table)), label="Models"),
        Section("Neighbours", (*folded("All neighbours", _neighbours(found)),)),
        *((_judge(found),) if found.judged else ()),
        *(() if found.slices is None else (_slices(found, found.slices),)),
        *(() if found.against is None else (_against(found),)),
        *(() if found.wrong_keys is None else (checked_keys(found, found.wrong_keys),)),
        *((doubted_keys(found, suspects, if_right),) if suspects else ()),
        Section("What this does and does not say", (SideBySide(concluded),)),
    )
    return Document(
        found.verdict,
        sections,
        lead=Paragraph(found.left_open) if found.left_open else "",
        over="Is the order of the models more than chance?",
        facts={**(read or {}), **_facts(found)},
        made_of="wins" if found.kind == "wins" else "scores",
        kind="narrow",
        table=table,
        data=lambda: {
            "read": dict(read or {}),
            **found.as_dict(),
            "suspects": [vars(one) for one in suspects],
        },
    )


def _figures(found: Ranking) -> Figures:
    more = f" The first {SHOWN} of {len(found.models)}." if len(found.models) > SHOWN else ""
    alone = f"{level(found)} intervals of each model alone.{more}"
    together = f"They hold for all models together at {level(found)}.{more}"
    return Figures(
        [
            Figure("Scores, the best first", alone, partial(score_figure, found)),
            Figure("Places that each model may have", together, partial(place_figure, found)),
        ]
    )


def _counts(found: Ranking) -> list[tuple[str, str, str]]:
    what = "comparisons" if found.kind == "wins" else "items"
    drawn = "each drawn by itself"
    if found.units < found.items:
        drawn = f"from {found.units:,} groups, each drawn as a whole"
    if found.runs > 1:
        drawn += f"; up to {found.runs} runs of a model on an item"
    tiles = [
        (what, f"{found.items:,}", drawn),
        ("models", f"{len(found.models):,}", "compared on the same items"),
        (
            "pairs told apart",
            f"{found.apart:,}",
            f"of {found.of_pairs:,}, tested together at {level(found)}",
        ),
    ]
    if found.least_visible is not None:
        often = f"{100 * found.power:.3g} %"
        tiles.append(
            (
                "difference that these items can see",
                f"{written(found, found.least_visible)}{points(found)}",
                f"half of the pairs would show it in {often} of such benchmarks",
            )
        )
    return tiles


def _models(found: Ranking) -> Grid:
    runs = found.runs > 1
    average = found.slices is not None
    columns = (
        *(Column("model", "name"), Column("rank"), Column("possible")),
        Column(f"score{unit(found)}", form=".2f"),
        Column(level(found)),
        *((Column("% by runs", form=".0f"),) if runs else ()),
        *((Column("over slices"), Column("rank over slices")) if average else ()),
    )
    rows = []
    for place, one in enumerate(found.models):
        score = written(found, one.score)
        bounds = f"{written(found, one.low)} to {written(found, one.high)}"
        row: list[Datum | str | int | float | None] = [
            one.model,
            one.rank,
            places(one.possible),
            Datum(float(score), text=score),
            bounds,
        ]
        if runs:
            row.append(None if one.run_share is None else 100 * one.run_share)
        if found.slices is not None:
            row += [
                written(found, found.slices.average[place]),
                found.slices.average_ranks[place],
            ]
        rows.append(row)
    note = (
        f"Intervals are of each model alone; possible ranks hold for all models together, at "
        f"{level(found)}."
    )
    by_runs = " By runs: the share of the variance of a score that comes from chance between runs."
    return Grid("Scores and places, the best first", columns, rows, (note + by_runs * runs,))


def _neighbours(found: Ranking) -> Grid:
    what = "items" if found.units == found.items else "groups"
    if found.kind == "wins":
        what = "comparisons" if found.units == found.items else "groups"
    scored = found.kind == "scores"
    columns = (
        Column("ahead", "name"),
        Column("behind", "name"),
        *(Column("difference"), Column("interval"), Column("p")),
        Column(f"{what} that differ" if scored else "compared", form=","),
        Column(f"{what} needed", form=","),
        *((Column("wrong keys to level", form=","),) if scored else ()),
    )
    rows = [_neighbour(found, one, scored) for one in found.neighbours]
    notes = [
        f"Intervals and p are corrected over {count_of(found.of_pairs, 'pair')}. Needed: {what} "
        f"in all, drawn like these, that would show this difference in {100 * found.power:.3g} % "
        "of such benchmarks, with the same correction. A p (Holm's) is a little sharper than its "
        "interval."
    ]
    if scored:
        notes.append(
            "Wrong keys to level: the fewest items whose scores, changed in the worst way, would "
            "make the two level. Keys that are wrong by chance would take many times as many."
        )
    return Grid("Models next to each other", columns, rows, tuple(notes))


def _neighbour(found: Ranking, one: ComparedPair, scored: bool) -> list[Datum | str | int | None]:
    interval = f"{written(found, one.low, True)} to {written(found, one.high, True)}"
    row: list[Datum | str | int | None] = [
        one.first,
        one.second,
        written(found, one.difference, True),
        interval,
        replace(p_value(one.adjusted), best=one.adjusted <= found.alpha),
        one.differing,
        Datum(one.needed, text="over a million" if (one.needed or 0) > MANY else None),
    ]
    return [*row, one.keys] if scored else row


def _judge(found: Ranking) -> Section:
    """What people's scores say of the judge, and what the judge adds to them."""
    means = found.judged
    useless = [one.model for one, mean in zip(found.models, means) if mean.weight < USELESS]
    apart = [abs(mean.by_judge - mean.value) for mean in means]
    worst = apart.index(max(apart))
    labelled = sum(mean.labelled for mean in means) / len(means)
    worth = sum(mean.worth for mean in means) / len(means)
    told = (
        f"People scored {labelled:,.0f} items a model. With the judge's scores of all items they "
        f"say as much as {worth:,.0f} would alone."
    )
    if len(useless) == len(means):
        told = (
            f"People scored {labelled:,.0f} items a model. The judge's scores tell nothing of "
            "people's, so they are not used."
        )
    elif useless:
        told += f" Of {listed(useless[:4])} the judge tells nothing, so its scores are not used."
    told += (
        f" The judge alone is off by {written(found, max(apart))}{points(found)} for "
        f"{found.models[worst].model}."
    )
    columns = (
        *(Column("model", "name"), Column("estimate"), Column("people alone")),
        *(Column("judge alone"), Column("weight of the judge", form=".2f")),
        *(Column("scored by people", form=","), Column("worth", form=",.0f")),
    )
    rows = [
        (
            one.model,
            f"{written(found, mean.value)} ± {written(found, mean.error)}",
            f"{written(found, mean.by_people)} ± {written(found, mean.people_error)}",
            written(found, mean.by_judge),
            mean.weight,
            mean.labelled,
            mean.worth,
        )
        for one, mean in zip(found.models, means)
    ]
    note = (
        "Behind ± are standard errors. Worth: of how many items people's scores alone would be as "
        "exact. It holds where people's items were drawn at random."
    )
    table = Grid("People and the judge", columns, rows, (note,))
    return Section("The judge", (Paragraph(told), *folded("Every model", table)))


def _slices(found: Ranking, slices: SliceReport) -> Section:
    names = [one.model for one in found.models]
    if slices.p is None:
        first = "Fewer than two slices have two items, so nothing tests whether they agree."
    elif slices.p <= found.alpha:
        p = "p < 0.001" if slices.p < 0.001 else f"p = {slices.p:.3f}"
        first = f"The models differ otherwise in some slices than in others, beyond chance ({p})."
    else:
        first = (
            f"That the models differ alike in all slices is not contradicted (p = {slices.p:.3f})."
        )
    count = len(slices.turned)
    turned = (
        f"In {len({one.slice for one in slices.turned})} of {len(slices.slices)} slices the order "
        f"of some pair is established the other way round ({count:,} in all)."
        if count
        else f"In none of {len(slices.slices)} slices is the order of a pair established the other "
        "way round."
    )
    without = (
        f"Without {listed(slices.pivotal[:4])} another model would be first."
        if slices.pivotal
        else f"Whichever slice is left out, {names[0]} stays first."
    )
    rows = [
        (
            one.slice,
            one.ahead,
            one.behind,
            written(found, one.difference, True),
            p_value(one.adjusted),
        )
        for one in slices.turned
    ]
    columns = (
        *(Column("slice", "name"), Column("ahead there", "name"), Column("behind there", "name")),
        *(Column("difference"), Column("p")),
    )
    grid = Grid("Orders that a slice turns", columns, rows)
    return Section(
        "By slice",
        (
            Paragraph(f"{first} {turned} {without}"),
            *(folded(f"Orders that a slice turns ({count:,})", grid) if rows else ()),
            Folded("Ranks in every slice", (_slice_ranks(found, slices),)),
        ),
    )


def _slice_ranks(found: Ranking, slices: SliceReport) -> Grid:
    firsts = [
        [one.model for one, rank in zip(found.models, part.ranks) if rank == 1]
        for part in slices.slices
    ]
    columns = (
        *(Column("slice", "name"), Column("items", form=","), Column("first", "name")),
        *(Column("score of the first"), Column(f"rank of {found.models[0].model}")),
    )
    rows = [
        (
            part.name,
            part.items,
            first[0] if len(first) == 1 else f"{first[0]} and {len(first) - 1} more",
            written(found, max(part.scores)),
            part.ranks[0],
        )
        for part, first in zip(slices.slices, firsts)
    ]
    return Grid("Ranks in every slice", columns, rows)


def _against(found: Ranking) -> Section:
    other = found.against
    assert other is not None
    tau = "" if other.tau is None else f" Kendall's tau is {other.tau:.3f}."
    if not other.other_way:
        told = "No pair is in another order there."
    else:
        sure = len(other.contradicted)
        told = (
            f"Pairs in another order there: {other.other_way:,}. Of {sure:,} of them the order "
            "here is established."
        )
    pairs = [f"{ahead} is ahead of {behind} here" for ahead, behind in other.contradicted[:20]]
    shown = [Bullets(pairs)] if pairs else []
    about = Paragraph(f"Both have {other.models:,} models.{tau} {told}")
    return Section("Beside the other ranking", (about, *shown))


def _facts(found: Ranking) -> dict[str, object]:
    facts: dict[str, object] = {"tests": TESTS[found.kind], "level": level(found)}
    if found.between is not None:
        facts["scores lie between"] = f"{found.between[0]:g} and {found.between[1]:g}"
    return facts
