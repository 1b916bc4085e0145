"""What an organiser wants to know while people answer; from sums that the database makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, and_, case, func, select

from ..stats import share_interval
from ..validation import ANSWERS, CATEGORIES, Agreement, Tally, Verdicts, agreement
from ..validation._verdicts import categories
from . import _schema as t
from .project import Project
from .questions import counts_of
from .rules import Rules

WORRYING = 0.7  # share of known items answered rightly, below which a person is warned about


@dataclass(frozen=True)
class Standing:
    """One person, as far as their answers tell.

    Attributes:
        code, name: who. excluded: out of the totals.
        answers, skips: how many stand, known and repeated items included.
        fast: answers below ``Rules.fast_ms``. seconds: mean time per answer, or None.
        gold, gold_right: known items answered, and how many of them rightly.
        low, high: 95 % interval of that share; NaN without any.
        repeats, repeats_same: items answered twice, and how many of them alike.
        warn: the interval lies below ``WORRYING``: think of leaving them out.
    """

    code: str
    name: str | None
    excluded: bool
    answers: int
    skips: int
    fast: int
    seconds: float | None
    gold: int
    gold_right: int
    low: float
    high: float
    repeats: int
    repeats_same: int

    @property
    def warn(self) -> bool:
        """See the attributes."""
        return self.high < WORRYING


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a project is. Known and repeated items take no part.

    Attributes:
        items: to ask about. done: that need no more answers. held: handed out just now.
        answers, skips: that count. wanted: answers if everybody asked answered, W times items.
        saved: answers not needed, as their items were decided before.
        verdicts: number of items by category; empty for other questions.
        agreement: of verdicts; None for other questions.
        labels: of label questions, what was named; else None.
        yes: of yes/no questions, items that enough people said yes to, and no; else None.
    """

    items: int
    done: int
    held: int
    answers: int
    skips: int
    wanted: int
    saved: int
    verdicts: Mapping[str, int]
    agreement: Agreement | None
    labels: Labels | None
    yes: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Labels:
    """Label sets collected so far, as unions over people.

    Attributes:
        size: labels per item that has an answer. per_answer: labels per answer.
        coverage: share of items with an answer and a known truth whose union holds it, or NaN.
        flips: float64 (q, q), of items of class i, the share of answers that name class j; rows
            without any are NaN.
    """

    size: float
    per_answer: float
    coverage: float
    flips: np.ndarray


@dataclass(frozen=True)
class Pair:
    """Items of one given and one guessed class: how often people disagree.

    ``disagreement`` is the share of pairs of answers about one item that differ, or NaN.
    """

    given: int
    guessed: int
    items: int
    answers: int
    disagreement: float


def progress(project: Project) -> Progress:
    """How far the project is, and what the answers come to."""
    i = t.item.c
    same = case((and_(i.given == i.guessed, i.given >= 0), 1), else_=0)
    groups = (i.pattern, i.done, i.said, same)
    with project.store.read() as connection:
        rows = connection.execute(
            select(
                i.pattern,
                i.done,
                i.said,
                same.label("degenerate"),
                func.count().label("items"),
                func.sum(i.skipped).label("skipped"),
                func.sum(i.held).label("held"),
            )
            .where(i.gold == 0)
            .group_by(*groups)
        ).all()
        about = _labels(connection, project.rules)
    rules = project.rules
    items = sum(int(row.items) for row in rows)
    judged = _verdicts_of(rows, rules) if rules.question == "verdict" else None
    told: dict[str, int] = {}
    if judged is not None:
        numbers = np.bincount(judged.category, minlength=len(CATEGORIES))
        told = dict(zip(CATEGORIES, numbers.tolist()))
    return Progress(
        items=items,
        done=sum(int(row.items) for row in rows if row.done),
        held=sum(int(row.held) for row in rows),
        answers=sum(int(row.items) * row.said for row in rows),
        skips=sum(int(row.skipped) for row in rows),
        wanted=items * rules.people,
        saved=sum(int(row.items) * max(rules.people - row.said, 0) for row in rows if row.done),
        verdicts=told,
        agreement=None if judged is None else agreement(judged),
        labels=about,
        yes=_yes(rows, rules) if rules.question == "yes or no" else None,
    )


def standings(project: Project) -> list[Standing]:
    """Everybody who may answer: how much, how fast, and how well."""
    with project.store.read() as connection:
        rows = connection.execute(select(t.person).order_by(t.person.c.id)).all()
        gold = _gold(connection, project.golds)
        again = _repeats(connection)
    found = []
    for row in rows:
        asked, right = gold.get(row.id, (0, 0))
        repeats, same = again.get(row.id, (0, 0))
        low, high = share_interval(np.array(right), asked).tolist()
        said = row.answers + row.skips
        found.append(
            Standing(
                code=row.code,
                name=row.name,
                excluded=bool(row.excluded),
                answers=row.answers,
                skips=row.skips,
                fast=row.fast,
                seconds=row.ms / 1000 / said if said and row.ms else None,
                gold=asked,
                gold_right=right,
                low=low,
                high=high,
                repeats=repeats,
                repeats_same=same,
            )
        )
    return found


def pairs(project: Project) -> list[Pair]:
    """Pairs of a given and a guessed class, those with most disagreeing answers first."""
    i = t.item.c
    with project.store.read() as connection:
        rows = connection.execute(
            select(i.given, i.guessed, i.pattern, func.count().label("items"))
            .where(i.gold == 0, i.said > 0)
            .group_by(i.given, i.guessed, i.pattern)
        ).all()
    sums: dict[tuple[int, int], np.ndarray] = {}
    for row in rows:
        counts = np.array(list(counts_of(row.pattern).values()), np.int64)
        people = int(counts.sum())
        differ = people * people - int((counts**2).sum())
        add = np.array([1, people, differ, people * (people - 1)]) * row.items
        sums[row.given, row.guessed] = sums.get((row.given, row.guessed), 0) + add
    found = [
        Pair(*pair, int(items), int(said), float(differ / both) if both else float("nan"))
        for pair, (items, said, differ, both) in sums.items()
    ]
    return sorted(found, key=lambda p: (-p.disagreement * p.items if p.answers else 0.0, p.given))


def tally(project: Project) -> Tally:
    """The answers to verdicts, counted: what ``validation`` takes.

    Items are rows of the data set, ids their names.

    Raises:
        ValueError: another question than verdicts.
    """
    rules = project.rules
    if rules.question != "verdict":
        raise ValueError(f"the question is {rules.question!r}; only verdicts have a tally.")
    i = t.item.c
    columns = (i.at_row, i.name, i.given, i.guessed, i.pattern, i.skipped)
    with project.store.read() as connection:
        rows = connection.execute(
            select(*columns).where(i.gold == 0).order_by(i.at_row, i.id)
        ).all()
    given = np.array([row.given for row in rows], np.int64)
    guessed = np.array([row.guessed for row in rows], np.int64)
    ids = np.empty(len(rows), object)
    ids[:] = [row.name for row in rows]
    return Tally(
        item=np.array([row.at_row for row in rows], np.int64),
        counts=_counts(rows, given == guessed),
        given=given,
        guessed=guessed,
        skipped=np.array([row.skipped for row in rows], np.int64),
        offered=tuple(name for name in ANSWERS if name in rules.offered),
        ids=ids,
        classes=rules.classes,
    )


def verdicts(project: Project) -> Verdicts:
    """The verdict on every item so far.

    By the project's threshold; where more people answered than were asked, because logs were
    merged, by a majority if that is more.

    Raises:
        ValueError: another question than verdicts.
    """
    return _judged(tally(project), project.rules)


def _judged(counted: Tally, rules: Rules) -> Verdicts:
    majority = counted.answers // 2 + 1
    needed = majority if rules.threshold is None else np.maximum(majority, rules.threshold)
    return Verdicts(counted, needed, categories(counted.counts, needed))


def _verdicts_of(rows: Sequence[Any], rules: Rules) -> Verdicts:
    """Verdicts of items that are known by their counts alone."""
    times = np.array([row.items for row in rows], np.int64)
    same = np.array([row.degenerate for row in rows], bool)
    counts = np.repeat(_counts(rows, same), times, axis=0)
    k = len(counts)
    given = np.zeros(k, np.int64)
    return _judged(
        Tally(
            item=np.arange(k),
            counts=counts,
            given=given,
            guessed=np.where(np.repeat(same, times), 0, 1),
            skipped=given,
            offered=tuple(name for name in ANSWERS if name in rules.offered),
        ),
        rules,
    )


def _counts(rows: Sequence[Any], same: np.ndarray) -> np.ndarray:
    """int64 (k, 5); where both classes are one, the two names of it count as given."""
    counts = np.zeros((len(rows), len(ANSWERS)), np.int64)
    for k, row in enumerate(rows):
        for code, number in counts_of(row.pattern).items():
            counts[k, code] = number
    counts[same, 0] += counts[same, 1]
    counts[same, 1] = 0
    return counts


def _yes(rows: Sequence[Any], rules: Rules) -> tuple[int, int]:
    found = [0, 0]
    for row in rows:
        if row.done:
            yes = counts_of(row.pattern).get(1, 0) >= rules.needed
            found[0 if yes else 1] += int(row.items)
    return found[0], found[1]


def _labels(connection: Connection, rules: Rules) -> Labels | None:
    """See ``Labels``; None for other questions."""
    if rules.question not in ("one label", "several labels"):
        return None
    i = t.item.c
    rows = connection.execute(
        select(i.truth, i.pattern, func.count().label("items"), func.sum(i.said).label("said"))
        .where(i.gold == 0, i.said > 0)
        .group_by(i.truth, i.pattern)
    ).all()
    q = len(rules.classes)
    named, people = np.zeros((q, q)), np.zeros(q)
    items = answers = labels = sizes = known = covered = 0
    for row in rows:
        counts = counts_of(row.pattern)
        number, said = int(row.items), int(row.said)
        items += number
        answers += said
        sizes += len(counts) * number
        labels += sum(counts.values()) * number
        if row.truth >= 0:
            known += number
            covered += number * (row.truth in counts)
            people[row.truth] += said
            for code, times in counts.items():
                named[row.truth, code] += times * number
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.array([sizes, labels, covered]) / np.array([items, answers, known])
        flips = named / people[:, None]
    size, per_answer, coverage = ratios.tolist()
    return Labels(size, per_answer, coverage, flips)


def _gold(connection: Connection, golds: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Known items answered by each person, and how many rightly."""
    right = case((t.entry.c.choice == t.item.c.key, 1), else_=0)
    rows = connection.execute(
        select(t.seat.c.person, func.count(), func.sum(right))
        .select_from(
            t.item.join(t.seat, t.seat.c.item == t.item.c.id).join(
                t.entry, t.entry.c.id == t.seat.c.entry
            )
        )
        .where(t.seat.c.item.in_(golds), t.entry.c.blind == 1, t.entry.c.choice != "skip")
        .group_by(t.seat.c.person)
    ).all()
    return {person: (int(asked), int(good)) for person, asked, good in rows}


def _repeats(connection: Connection) -> dict[int, tuple[int, int]]:
    """Items that each person answered twice, and how many of them alike."""
    first, again = t.seat.alias("first"), t.seat.alias("again")
    said, later = t.entry.alias("said"), t.entry.alias("later")
    alike = case((said.c.choice == later.c.choice, 1), else_=0)
    rows = connection.execute(
        select(again.c.person, func.count(), func.sum(alike))
        .select_from(
            again.join(later, later.c.id == again.c.entry)
            .join(
                first,
                and_(
                    first.c.item == again.c.item,
                    first.c.person == again.c.person,
                    first.c.repeat == 0,
                ),
            )
            .join(said, said.c.id == first.c.entry)
        )
        .where(again.c.repeat > t.ZERO)
        .group_by(again.c.person)
    ).all()
    return {person: (int(asked), int(good)) for person, asked, good in rows}
