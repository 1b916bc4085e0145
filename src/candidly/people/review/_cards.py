"""One item, what it comes to, and everything that was said about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, or_, select

from ...ground.names import shortened
from . import _schema as t
from ._log import ANSWER, NOTE
from ._media import Shown
from .deciding import OrganiserDecision, standing
from .export import words_of
from .project import Project
from .questions import counts_of
from .rules import Rules

COUNTS, REMARK = "counts", "remark"  # states of what was said


@dataclass(frozen=True)
class Card:
    """One item and what it comes to.

    Attributes:
        id: its number. row: of the data set, -1 where not known. name: unique in the project.
        given, guessed, asks, truth: classes, or -1. score: or None.
        key: the right answer of an item whose answer is known, else None.
        shown: what it looks like.
        counts: how many said what, by code; in words, ``answers_of``.
        said, skipped, held: answers that count, skips, people who have it just now.
        done: no more answers are needed.
        outcome: see ``outcomes``. disagreement: see ``disagreement_of``.
        decided: what the organiser decided, whatever people say; or None.
    """

    id: int
    row: int
    name: str
    given: int
    guessed: int
    asks: int
    truth: int
    score: float | None
    key: str | None
    shown: Shown
    counts: Mapping[int, int]
    said: int
    skipped: int
    held: int
    done: bool
    outcome: str
    disagreement: float
    decided: OrganiserDecision | None


@dataclass(frozen=True)
class Said:
    """One answer or remark about an item, as it was given.

    Attributes:
        code, name: of the person.
        choice: in its normal form, and ``words``, its classes by name; None for a remark.
        ms: time taken, or None. at: seconds since 1970.
        note: or None. repeat: 1 where the person had answered before. interface: or None.
        state: ``COUNTS``, ``REMARK``, or why it does not count.
    """

    code: str
    name: str | None
    choice: str | None
    words: Sequence[str]
    ms: float | None
    at: float
    note: str | None
    repeat: int
    interface: str | None
    state: str


def outcomes(rules: Rules) -> Sequence[str]:
    """What items can come to: categories of verdicts, yes or no, or whether they are done."""
    return rules.asked.outcomes


def disagreement_of(counts: Mapping[int, int], said: int, sets: bool = False) -> float:
    """Share of pairs of people who said different things about an item; NaN for fewer than two.

    Of ``sets`` of labels it is the mean over the labels that anybody named of the share of pairs
    of whom one named it and the other did not.

    >>> disagreement_of({0: 3, 1: 2}, 5), disagreement_of({0: 2, 1: 1}, 2, sets=True)
    (0.6, 0.5)
    """
    if said < 2 or not counts:
        return float("nan")
    numbers = list(counts.values())
    if sets:
        apart = [2 * number * (said - number) for number in numbers]
        return sum(apart) / (len(numbers) * said * (said - 1))
    return (said * said - sum(number * number for number in numbers)) / (said * (said - 1))


def find_item(project: Project, which: str | int) -> Card:
    """The item of this name, or this number; of a name that none has, the one it is a number of.

    Raises:
        KeyError: there is none.
    """
    text = str(which)
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
    i = t.item.c
    wanted = i.id == number
    if isinstance(which, str) and "\0" not in which:  # which PostgreSQL has in no text
        wanted = or_(wanted, i.name == which)
    with project.store.read() as connection:
        ids = connection.execute(select(i.id).where(wanted).order_by(i.id == number)).scalars()
        found = cards_of(connection, project, ids.all()[:1])
    if not found:
        raise KeyError(f"there is no item {shortened(which)}.")
    return found[0]


def next_like(project: Project, card: Card) -> Card | None:
    """The next item of the same classes, in the order of numbers; None after the last."""
    i = t.item.c
    same = and_(i.given == card.given, i.guessed == card.guessed, i.asks == card.asks)
    with project.store.read() as connection:
        ids = connection.execute(
            select(i.id).where(same, i.gold == 0, i.id > card.id).order_by(i.id).limit(1)
        ).scalars()
        found = cards_of(connection, project, ids.all())
    return found[0] if found else None


def said_about(project: Project, cards: Sequence[Card]) -> list[list[Said]]:
    """Every answer and remark about each item, in the order of the log; what was undone, too."""
    e, s, p = t.entry.c, t.seat.c, t.person.c
    place = and_(s.item == e.item, s.person == e.person, s.repeat == e.repeat)
    by_id = {card.id: card for card in cards}
    found: dict[int, list[Said]] = {number: [] for number in by_id}
    with project.store.read() as connection:
        rows = connection.execute(
            select(t.entry, p.code, p.name, p.excluded, s.entry.label("stands"), s.open)
            .select_from(t.entry.join(t.person, p.id == e.person).outerjoin(t.seat, place))
            .where(e.item.in_(by_id), e.kind.in_((ANSWER, NOTE)))
            .order_by(e.seq)
        ).all()
    for row in rows:
        card = by_id[row.item]
        found[row.item].append(
            Said(
                code=row.code,
                name=row.name,
                choice=row.choice,
                words=_words(project, card, row),
                ms=row.ms,
                at=row.at,
                note=row.note,
                repeat=row.repeat,
                interface=row.interface,
                state=_state(row, card),
            )
        )
    return list(found.values())


def answers_of(project: Project, card: Card) -> list[tuple[str, int]]:
    """How many said what about an item, in words; what was said most comes first."""
    found: Counter[str] = Counter()
    names = project.rules.asked.names
    for code, number in card.counts.items():
        choice = names[code] if names else str(code)
        found[words_of(project, card, choice)[0]] += number
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))


def cards_of(connection: Connection, project: Project, ids: Sequence[int]) -> list[Card]:
    """Items by number, in this order."""
    rows = connection.execute(select(t.item).where(t.item.c.id.in_(ids))).all()
    by_id = {row.id: row for row in rows}
    decided = standing(connection, project.rules, ids)
    return [_card(by_id[number], project.rules, decided.get(number)) for number in ids]


def _card(row: Any, rules: Rules, decided: OrganiserDecision | None) -> Card:
    counts = counts_of(row.pattern)
    return Card(
        id=row.id,
        row=row.at_row,
        name=row.name,
        given=row.given,
        guessed=row.guessed,
        asks=row.asks,
        truth=row.truth,
        score=row.score,
        key=row.key,
        shown=Shown(row.kind, row.payload),
        counts=counts,
        said=row.said,
        skipped=row.skipped,
        held=row.held,
        done=bool(row.done),
        outcome=outcome_of(rules, counts, bool(row.done), row.given == row.guessed),
        disagreement=disagreement_of(counts, row.said, rules.several),
        decided=decided,
    )


def outcome_of(rules: Rules, counts: Mapping[int, int], done: bool, same: bool) -> str:
    """What an item comes to; ``same``: its two classes are one."""
    return rules.asked.outcome(rules, counts, done, same)


def _state(row: Any, card: Card) -> str:
    answer = row.kind == ANSWER
    reasons = {
        "taken back": answer and row.stands != row.id,
        "seen with its label": answer and (bool(row.open) or not row.blind),
        "too late": bool(row.late),
        "repeated": row.repeat > 0,
        "person left out": bool(row.excluded),
        "known item": answer and card.key is not None,
        REMARK: not answer,
    }
    return next((name for name, holds in reasons.items() if holds), COUNTS)


def _words(project: Project, card: Card, row: Any) -> Sequence[str]:
    if row.choice is None:
        return ()
    found = words_of(project, card, row.choice) or [row.choice]
    return found if row.named is None else [*found, project.rules.classes[row.named]]
