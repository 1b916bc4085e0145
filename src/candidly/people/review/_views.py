"""Which items to look at, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, and_, case, false, func, or_, select

from ...ground.names import lookup, shortened
from ..validation.rule import CATEGORIES, NON_AGREEMENT
from . import _schema as t
from ._cards import Card, cards_of, disagreement_of, outcome_of, outcomes
from .deciding import DECIDED_ITEMS
from .project import Project, find_person
from .questions import counts_of
from .rules import Rules

PAGE = 60  # items of a page
LONGEST = 1000  # characters of a name that is searched
MOST_PATTERNS = 30_000  # of answers, asked for in one query; databases take so many values
LARGEST = 2**63  # of whole numbers that databases know
SORTS = {  # the orders there are, and what they are good for
    "queue": "in the order in which they are asked",
    "score": "the most suspicious first",
    "highest score": "the least suspicious first",
    "disagreement": "those about which people differ most first",
    "votes": "those with most answers first",
    "name": "by name",
}


@dataclass(frozen=True)
class ItemFilter:
    """Which items, and in which order.

    Attributes:
        given, guessed, asks: of these classes; None for any, as in all that follows.
        outcome: what they come to, a name among ``outcomes``.
        least, most: with so many answers that count.
        low, high: with a score in this range, ends included.
        person: answered by the person with this code.
        text: with this in their names, in capitals or not.
        decided: those that the organiser has decided on, or those that are not decided.
        known: the items whose answer is known, which are not among the others.
        sort: a name among ``SORTS``.
        page: counted from 1.

    Raises:
        ValueError: what cannot be.
    """

    given: int | None = None
    guessed: int | None = None
    asks: int | None = None
    outcome: str | None = None
    least: int | None = None
    most: int | None = None
    low: float | None = None
    high: float | None = None
    person: str | None = None
    text: str = ""
    decided: bool | None = None
    known: bool = False
    sort: str = "queue"
    page: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "sort", lookup(SORTS, self.sort, "order")[0])
        for name in ("least", "most", "page"):
            value = getattr(self, name)
            if value is not None and not int(name == "page") <= value < LARGEST:
                raise ValueError(f"{name} is {shortened(value)}, which cannot be.")
        if len(self.text) > LONGEST:  # SQLite looks for no more than 50,000 bytes
            raise ValueError(
                f"the text has {len(self.text)} characters; a name is searched for at most"
                f" {LONGEST}. Write a part of the name."
            )


@dataclass(frozen=True)
class Found:
    """A page of items.

    Attributes:
        cards: at most ``PAGE``. total: of all pages together. page, pages: counted from 1.
    """

    cards: Sequence[Card]
    total: int
    page: int
    pages: int


def browse(project: Project, view: ItemFilter) -> Found:
    """The page of items that a view shows; the last page for one beyond it.

    Raises:
        ValueError: no such outcome. KeyError: no such person.
    """
    if view.outcome is not None:
        lookup(dict.fromkeys(outcomes(project.rules)), view.outcome, "outcome")
    with project.store.read() as connection:
        wanted = _conditions(connection, project, view)
        total = connection.execute(select(func.count()).where(*wanted)).scalar_one()
        pages = max(1, -(-total // PAGE))
        page = min(view.page, pages)
        chosen = _ids(connection, project.rules, wanted, view.sort, (page - 1) * PAGE)
        return Found(cards_of(connection, project, chosen), total, page, pages)


def next_to_decide(project: Project, card: Card) -> Card | None:
    """The next item on which people differ and nobody has decided, in the order of numbers.

    Of verdicts those without one though enough have answered, of labels those about which people
    said different things. After the last come those before; None where there is no other.
    """
    i = t.item.c
    with project.store.read() as connection:
        here = [i.gold == 0, i.id.not_in(DECIDED_ITEMS), _people_differ(connection, project.rules)]
        for part in (i.id > card.id, i.id < card.id):
            chosen = select(i.id).where(part, *here).order_by(i.id).limit(1)
            if ids := connection.execute(chosen).scalars().all():
                return cards_of(connection, project, ids)[0]
    return None


def _people_differ(connection: Connection, rules: Rules) -> ColumnElement[bool]:
    """Items on which people differ, by their answers: of many items few of these are different."""
    i = t.item.c
    if rules.asked.counted == "verdicts":
        return _comes_to(connection, rules, CATEGORIES[NON_AGREEMENT])
    rows = connection.execute(select(i.pattern, i.said).where(i.said >= rules.fewest).distinct())
    apart: dict[int, list[str]] = {}
    for pattern, said in islice(rows, MOST_PATTERNS):
        if disagreement_of(counts_of(pattern), said, rules.several) > 0:
            apart.setdefault(said, []).append(pattern)
    parts = (and_(i.said == said, i.pattern.in_(patterns)) for said, patterns in apart.items())
    return or_(false(), *parts)


def all_cards(project: Project) -> Iterator[list[Card]]:
    """All items but those whose answer is known, in order, a page at a time."""
    i = t.item.c
    with project.store.read() as connection:
        chosen = select(i.id).where(i.gold == 0).order_by(*_ORDERS["queue"])
        ids = connection.execute(chosen).scalars().all()
    for start in range(0, len(ids), PAGE):
        with project.store.read() as connection:
            yield cards_of(connection, project, ids[start : start + PAGE])


def _conditions(
    connection: Connection, project: Project, view: ItemFilter
) -> list[ColumnElement[bool]]:
    i = t.item.c
    found = [i.gold > t.ZERO if view.known else i.gold == 0]
    for column, label in ((i.given, view.given), (i.guessed, view.guessed), (i.asks, view.asks)):
        if label is not None:
            found.append(column == label)
    for column, low, high in ((i.said, view.least, view.most), (i.score, view.low, view.high)):
        if low is not None:
            found.append(column >= low)
        if high is not None:
            found.append(column <= high)
    if view.person is not None:
        who = find_person(project, view.person).id
        theirs = select(t.seat.c.item).where(t.seat.c.person == who, t.seat.c.entry.is_not(None))
        found.append(i.id.in_(theirs))
    if view.text:
        found.append(i.name.icontains(view.text, autoescape=True))
    if view.decided is not None:
        found.append(i.id.in_(DECIDED_ITEMS) if view.decided else i.id.not_in(DECIDED_ITEMS))
    if view.outcome is not None:
        found.append(_comes_to(connection, project.rules, view.outcome))
    return found


def _comes_to(connection: Connection, rules: Rules, outcome: str) -> ColumnElement[bool]:
    """Items of an outcome, by their answers: few patterns of these are different."""
    i = t.item.c
    if not rules.asked.grouped:  # of label questions many are; their outcome is another thing
        return i.done == int(outcome == "done")
    same = case((i.given == i.guessed, 1), else_=0)
    rows = connection.execute(select(i.pattern, i.done, same).distinct()).all()
    kinds: dict[tuple[int, int], list[str]] = {}
    for pattern, done, alike in rows:
        if outcome_of(rules, counts_of(pattern), bool(done), bool(alike)) == outcome:
            kinds.setdefault((done, alike), []).append(pattern)
    parts = [
        and_(i.pattern.in_(patterns), i.done == done, same == alike)
        for (done, alike), patterns in kinds.items()
    ]
    return or_(false(), *parts)


def _ids(
    connection: Connection, rules: Rules, wanted: Sequence[Any], sort: str, start: int
) -> Sequence[int]:
    """Numbers of the items of a page."""
    i = t.item.c
    if sort != "disagreement":
        chosen = select(i.id).where(*wanted).order_by(*_ORDERS[sort])
        return connection.execute(chosen.offset(start).limit(PAGE)).scalars().all()
    columns = select(i.id, i.pattern, i.said).where(*wanted)
    rows = connection.execute(columns.order_by(*_ORDERS[sort])).all()

    @cache
    def differ(pattern: str, said: int) -> float:
        return disagreement_of(counts_of(pattern), said, rules.several)

    differs = np.array([differ(pattern, said) for _, pattern, said in rows])
    places = np.argsort(-differs, kind="stable")[start : start + PAGE]  # NaN goes to the end
    return [rows[place][0] for place in places]


_I = t.item.c
_QUEUE: tuple[Any, ...] = (_I.queue, _I.id)  # decides between equals, too
_ORDERS: dict[str, Sequence[Any]] = {
    "queue": _QUEUE,
    "score": (_I.score.asc().nulls_last(), *_QUEUE),
    "highest score": (_I.score.desc().nulls_last(), *_QUEUE),
    "disagreement": _QUEUE,  # of what is then sorted by it
    "votes": (_I.said.desc(), *_QUEUE),
    "name": (_I.name, *_QUEUE),
}
