"""What an organiser wants to know while people answer; from sums that the database makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, and_, func, select

from ...stats.checked import CheckedCount, CheckedRows
from ..validation import (
    ANSWERS,
    CATEGORIES,
    Agreement,
    Tally,
    Verdicts,
    agreement,
    counted,
    judge,
    merged,
)
from ..validation import checked_rows as checked_in
from ..validation.tally import most_named
from . import _schema as t
from ._people import Standing, standings_of
from .deciding import DECIDED_ITEMS
from .project import Project
from .questions import answers_by_kind, counts_of
from .rules import Rules

NAMED = (  # of answers that count, the classes named beside them
    select(t.seat.c.item, t.entry.c.named)
    .select_from(
        t.entry.join(  # by the seat's key: nothing finds a seat by its entry
            t.seat,
            and_(
                t.seat.c.item == t.entry.c.item,
                t.seat.c.person == t.entry.c.person,
                t.seat.c.entry == t.entry.c.id,
            ),
        ).join(t.person, t.person.c.id == t.seat.c.person)
    )
    .where(
        t.entry.c.named.is_not(None),
        t.entry.c.blind == 1,
        t.entry.c.late == 0,
        t.seat.c.repeat == 0,
        t.seat.c.open == 0,
        t.person.c.excluded == 0,
    )
)


@dataclass(frozen=True, eq=False)
class Progress:
    """How far a project is. Known and repeated items take no part.

    Attributes:
        items: to ask about. done: that need no more answers. held: handed out just now.
        answers, skips: that count. wanted: answers if everybody asked answered, W times items.
        saved: answers not needed, as their items were decided before.
        left: answers that are still to come, skips and adaptive stopping aside.
        verdicts: number of items by category; empty for other questions.
        agreement: for verdicts; None for other questions.
        labels: for label questions, what was named; else None.
        yes: for yes/no questions, items that enough people said yes to, and no; else None.
        decided: items that the organiser decided on, whatever people say.
    """

    items: int
    done: int
    held: int
    answers: int
    skips: int
    wanted: int
    saved: int
    left: int
    verdicts: Mapping[str, int]
    agreement: Agreement | None
    labels: Labels | None
    yes: tuple[int, int] | None
    decided: int


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
    with project.store.read() as connection:
        return _progress(connection, project, _sums(connection, project))


def pairs(project: Project) -> list[Pair]:
    """Pairs of a given and a guessed class, those with most disagreeing answers first.

    Raises:
        ValueError: another question than verdicts.
    """
    _check_verdicts(project, "pairs of classes")
    with project.store.read() as connection:
        return _pairs(_sums(connection, project))


@dataclass(frozen=True, eq=False)
class Overview:
    """What an organiser looks at, of one moment: see the functions of these names.

    ``pairs`` are empty for other questions than verdicts. ``counted`` says how many of all labels
    are wrong, where items were drawn for that and of each stratum some are decided.
    """

    progress: Progress
    people: Sequence[Standing]
    pairs: Sequence[Pair]
    counted: CheckedCount | None = None


def overview(project: Project) -> Overview:
    """``progress``, ``standings`` and ``pairs`` together, for the price of about one of them."""
    counts = None if project.drawn is None else counted(verdicts(project), project.rules.people)
    with project.store.read() as connection:
        rows = _sums(connection, project)
        return Overview(
            progress=_progress(connection, project, rows),
            people=standings_of(connection, project),
            pairs=_pairs(rows) if project.rules.asked.counted == "verdicts" else (),
            counted=None if counts is None else counts["exact"],
        )


Sums = Mapping[str, np.ndarray]  # columns of a table: int64, and patterns as str


def _sums(connection: Connection, project: Project) -> Sums:
    """Items by what they have in common, counted; from an index alone."""
    i = t.item.c
    by = [*project.rules.asked.grouped, "done", "said"]
    more = {"items": func.count(), "skipped": func.sum(i.skipped), "held": func.sum(i.held)}
    keys = [i[name] for name in by]
    chosen = select(*keys, *more.values()).where(i.gold == 0).group_by(*keys)
    columns = zip(*connection.execute(chosen).all(), strict=True)
    return {
        name: np.array(values, object if name == "pattern" else np.int64)
        for name, values in zip([*by, *more], columns)
    }


def _progress(connection: Connection, project: Project, sums: Sums) -> Progress:
    rules, items, said = project.rules, sums["items"], sums["said"]
    told: dict[str, int] = {}
    agreed = None
    if rules.asked.counted == "verdicts":
        judged = _verdicts_of(sums, rules)
        numbers = np.bincount(judged.category, items, minlength=len(CATEGORIES)).astype(int)
        told = dict(zip(CATEGORIES, numbers.tolist()))
        agreed = agreement(judged, items)
    done = sums["done"] == 1
    missing = items * np.maximum(rules.people - said, 0)
    return Progress(
        items=int(items.sum()),
        done=int(items[done].sum()),
        held=int(sums["held"].sum()),
        answers=int((items * said).sum()),
        skips=int(sums["skipped"].sum()),
        wanted=int(items.sum()) * rules.people,
        saved=int(missing[done].sum()),
        left=int(missing[~done].sum()),
        verdicts=told,
        agreement=agreed,
        labels=_labels(connection, rules),
        yes=_yes(sums, rules) if rules.asked.counted == "sets" else None,
        decided=connection.execute(
            select(func.count()).select_from(DECIDED_ITEMS.subquery())
        ).scalar_one(),
    )


def _pairs(sums: Sums) -> list[Pair]:
    labels = np.column_stack([sums["given"], sums["guessed"]])[sums["said"] > 0]
    counts = answers_by_kind(sums["pattern"])[sums["said"] > 0]
    classes, which = np.unique(labels, axis=0, return_inverse=True)
    people = counts.sum(1)
    differ = people**2 - (counts**2).sum(1)
    each = np.column_stack([np.ones_like(people), people, differ, people * (people - 1)])
    whole = np.zeros((len(classes), 4), np.int64)
    np.add.at(whole, which.reshape(-1), each * sums["items"][sums["said"] > 0, None])
    found = [
        Pair(given, guessed, items, said, differ / both if both else float("nan"))
        for (given, guessed), (items, said, differ, both) in zip(classes.tolist(), whole.tolist())
    ]
    return sorted(found, key=lambda p: -p.disagreement * p.items if p.answers > p.items else 0.0)


def tally(project: Project) -> Tally:
    """The answers to verdicts, counted: what ``validation`` takes.

    Items are rows of the data set, ids their names. Answers to one label are counted as verdicts:
    ``given`` for the label that is there, ``guessed`` for the other class that most name, ``other``
    for all else. So is yes or no where it was asked of the label: ``given``, ``neither``.

    Raises:
        ValueError: another question, or yes or no of several classes of one item.
    """
    rules = project.rules
    if rules.asked.taken_out == "crowd":
        return _tally_of_labels(project)
    if rules.asked.counted == "sets":
        return _tally_of_yes_or_no(project)
    _check_verdicts(project, "a tally")
    i = t.item.c
    columns = (i.id, i.at_row, i.name, i.given, i.guessed, i.pattern, i.skipped)
    with project.store.read() as connection:
        rows = connection.execute(
            select(*columns).where(i.gold == 0).order_by(i.at_row, i.id)
        ).all()
    given = np.array([row.given for row in rows], np.int64)
    guessed = np.array([row.guessed for row in rows], np.int64)
    ids = np.empty(len(rows), object)
    ids[:] = [row.name for row in rows]
    named, naming = most_named(*_named(project, [row.id for row in rows]), len(rows))
    return Tally(
        item=np.array([row.at_row for row in rows], np.int64),
        counts=merged(answers_by_kind([row.pattern for row in rows]), given == guessed),
        given=given,
        guessed=guessed,
        skipped=np.array([row.skipped for row in rows], np.int64),
        offered=tuple(name for name in ANSWERS if name in rules.offered),
        ids=ids,
        classes=rules.classes,
        drawn=None if project.drawn is None else project.drawn.in_order(),
        named=named,
        naming=naming,
        people=rules.people,
        threshold=rules.threshold,
    )


def _tally_of_yes_or_no(project: Project) -> Tally:
    rows = _answered(project)
    if any(row.asks != row.given for row in rows):
        raise ValueError(
            "people were asked about several classes of an item, or others than its label, which "
            "makes no verdict on a label."
        )
    counts = np.zeros((len(rows), len(ANSWERS)), np.int64)
    for k, row in enumerate(rows):
        said = counts_of(row.pattern)
        counts[k, 0] = said.get(1, 0)
        counts[k, ANSWERS.index("neither")] = said.get(0, 0)
    return _tally_of(project, rows, counts, np.full(len(rows), -1), ("given", "neither"))


def _answered(project: Project) -> Sequence[Any]:
    """The items that are asked about, with what was said, in order of rows."""
    i = t.item.c
    columns = (i.at_row, i.name, i.given, i.asks, i.pattern, i.skipped)
    with project.store.read() as connection:
        return connection.execute(
            select(*columns).where(i.gold == 0).order_by(i.at_row, i.id)
        ).all()


def _tally_of_labels(project: Project) -> Tally:
    rows = _answered(project)
    counts = np.zeros((len(rows), len(ANSWERS)), np.int64)
    guessed = np.full(len(rows), -1)
    for k, row in enumerate(rows):
        said = counts_of(row.pattern)
        counts[k, 0] = said.pop(row.given, 0)
        if said:
            guessed[k] = max(said, key=lambda label: (said[label], -label))
            counts[k, 1] = said.pop(guessed[k])
        counts[k, ANSWERS.index("other")] = sum(said.values())
    return _tally_of(project, rows, counts, guessed, ("given", "guessed", "other"))


def _tally_of(
    project: Project,
    rows: Sequence[Any],
    counts: np.ndarray,
    guessed: np.ndarray,
    offered: tuple[str, ...],
) -> Tally:
    ids = np.empty(len(rows), object)
    ids[:] = [row.name for row in rows]
    return Tally(
        item=np.array([row.at_row for row in rows], np.int64),
        counts=counts,
        given=np.array([row.given for row in rows], np.int64),
        guessed=guessed,
        skipped=np.array([row.skipped for row in rows], np.int64),
        offered=offered,
        ids=ids,
        classes=project.rules.classes,
        people=project.rules.people,
        threshold=project.rules.threshold,
    )


def _named(project: Project, ids: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Classes that people name where neither of two fits: places among ``ids``, and classes."""
    with project.store.read() as connection:
        rows = connection.execute(NAMED).all()
    place = {number: k for k, number in enumerate(ids)}
    found = [(place[row.item], row.named) for row in rows if row.item in place]
    columns = np.array(found, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def names_by_row(project: Project) -> dict[int, str]:
    """Names of the items whose rows are known, by row."""
    i = t.item.c
    with project.store.read() as connection:
        rows = connection.execute(select(i.at_row, i.name).where(i.at_row >= 0)).all()
    return {row.at_row: row.name for row in rows}


def asked(project: Project) -> list[tuple[int, str, int]]:
    """Of each item its row of the data set, its answers as ``pattern_of`` has them, and how many
    people these are of; in order of rows."""
    i = t.item.c
    chosen = select(i.at_row, i.pattern, i.said).where(i.gold == 0).order_by(i.at_row, i.id)
    with project.store.read() as connection:
        return [(row.at_row, row.pattern, row.said) for row in connection.execute(chosen)]


def verdicts(project: Project) -> Verdicts:
    """The verdict on every item so far.

    By the project's threshold; where more people answered than were asked, because logs were
    merged, by a majority if that is more.

    Raises:
        ValueError: see ``tally``.
    """
    return judge(tally(project))


def checked_rows(project: Project) -> CheckedRows:
    """What people say of the rows that were drawn for a count, for ``candidly.check``.

    Raises:
        ValueError: the project asks about other rows, or another question than verdicts.
    """
    return checked_in(verdicts(project), str(project.folder), project.rules.people)


def _check_verdicts(project: Project, what: str) -> None:
    if project.rules.asked.counted != "verdicts":
        question = project.rules.question
        raise ValueError(f"the question is {question!r}; only verdicts have {what}.")


def _verdicts_of(sums: Sums, rules: Rules) -> Verdicts:
    """Verdicts of items that are known by their counts alone, one for each row of sums."""
    same = sums["given"] == sums["guessed"]
    nought = np.zeros(len(same), np.int64)
    return judge(
        Tally(
            item=np.arange(len(same)),
            counts=merged(answers_by_kind(sums["pattern"]), same),
            given=nought,
            guessed=np.where(same, 0, 1),
            skipped=nought,
            offered=tuple(name for name in ANSWERS if name in rules.offered),
            people=rules.people,
            threshold=rules.threshold,
        )
    )


def _yes(sums: Sums, rules: Rules) -> tuple[int, int]:
    done = sums["done"] == 1
    yes = answers_by_kind(sums["pattern"])[:, 1] >= rules.needed
    return int(sums["items"][done & yes].sum()), int(sums["items"][done & ~yes].sum())


def _labels(connection: Connection, rules: Rules) -> Labels | None:
    """See ``Labels``; None for other questions."""
    if rules.asked.counted != "labels":
        return None
    i = t.item.c
    rows = connection.execute(
        select(i.truth, i.pattern, func.count(), func.sum(i.said))
        .where(i.gold == 0, i.said > 0)
        .group_by(i.truth, i.pattern)
    ).all()
    truth, items, said = (
        np.array([row[k] for row in rows], np.int64) for k in (0, 2, 3)
    )  # places, as names of columns cost more than the rest
    row, code, number = _cells([row[1] for row in rows])
    q = len(rules.classes)
    known = truth >= 0
    cells = known[row]
    places = (truth[row] * q + code)[cells]
    named = np.bincount(places, (number * items[row])[cells], q * q).reshape(q, q)
    people = np.bincount(truth[known], said[known], q)
    covered = items[row][code == truth[row]].sum()
    parts = np.array([items[row].sum(), (number * items[row]).sum(), covered], np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = parts / np.array([items.sum(), said.sum(), items[known].sum()])
        flips = named / people[:, None]
    size, per_answer, coverage = ratios.tolist()
    return Labels(size, per_answer, coverage, flips)


def _cells(patterns: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All counts of many patterns at once: place of the pattern, code, people; int64 each."""
    text = " ".join(patterns).replace(":", " ")
    numbers = np.fromstring(text, np.int64, sep=" ").reshape(-1, 2)
    place = np.repeat(np.arange(len(patterns)), [pattern.count(":") for pattern in patterns])
    return place, numbers[:, 0], numbers[:, 1]
