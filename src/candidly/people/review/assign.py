"""Who is asked about what next: W different people an item, nobody twice, orders from the seed.

Items stand in a queue, and everybody goes through it once, past what is full. A person remembers
how far they have come, so the next item is found in an index, whatever the size of the project. An
item handed out is leased: nobody else gets its place until the lease ends. Turns at which a known
item or a repetition comes are drawn from the seed, one in each block of turns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, case, exists, null, select, update
from sqlalchemy.dialects import postgresql, sqlite

from . import _schema as t
from ._media import Shown
from ._orders import (
    APART,
    examples_of,
    flip_of,
    gold_order,
    is_gold_turn,
    is_repeat_turn,
    repeated_turn,
)
from ._queue import Queue, look_up
from ._refresh import BESIDE, LAPSED, refresh
from ._visit import LOOK, PersonState
from .project import Project
from .questions import choice_of
from .rules import Rules

RELEASED = 50  # leases that have ended, cleared at once
RENEWED = 0.9  # of a lease: with less of it left it is renewed

_PLACE = ("item", "person", "repeat")

# built once: putting statements together costs more than running them
_RENEW = (
    update(t.seat)
    .where(t.seat.c.person == bindparam("who"), t.seat.c.until > t.ZERO, t.seat.c.until < BESIDE)
    .values(until=bindparam("end"))
)
_ENDED = (
    select(
        t.seat.c.item.label("number"), t.seat.c.person.label("who"), t.seat.c.repeat.label("again")
    )
    .where(
        t.seat.c.until > t.ZERO,
        t.seat.c.until < bindparam("now"),
        t.seat.c.person.not_in(bindparam("people", expanding=True)),
    )
    .order_by(t.seat.c.until)
    .limit(RELEASED)
)
_LAPSE = (
    update(t.seat)
    .where(
        t.seat.c.item == bindparam("number"),
        t.seat.c.person == bindparam("who"),
        t.seat.c.repeat == bindparam("again"),
    )
    .values(until=case((t.seat.c.open == 1, null()), else_=LAPSED))  # one seen is not handed out
)
_DONE = t.seat.alias("done")
_AGAIN = (
    select(*LOOK)
    .join(t.seat, t.item.c.id == t.seat.c.item)
    .where(
        t.seat.c.person == bindparam("who"),
        t.seat.c.turn <= bindparam("at"),
        t.seat.c.repeat == t.ZERO,
        t.seat.c.entry.is_not(None),
        t.seat.c.open == 0,
        t.item.c.gold == 0,
        ~exists().where(
            _DONE.c.item == t.seat.c.item, _DONE.c.person == bindparam("who"), _DONE.c.repeat == 1
        ),
    )
    .order_by(t.seat.c.turn.desc())
    .limit(1)
)
_ITEMS = select(*LOOK).where(t.item.c.id.in_(bindparam("numbers", expanding=True)))
_SEEN = select(t.seat.c.item).where(
    t.seat.c.item == bindparam("number"),
    t.seat.c.person == bindparam("who"),
    t.seat.c.until.is_(None),
)


def _leasing(insert: Callable[..., Any]) -> Any:
    """A statement that takes a seat, also where its last lease has lapsed."""
    seat = insert(t.seat)
    again = {name: seat.excluded[name] for name in ("flip", "until", "turn", "batch")}
    return seat.on_conflict_do_update(index_elements=_PLACE, set_=again)


_LEASE = {"sqlite": _leasing(sqlite.insert), "postgresql": _leasing(postgresql.insert)}


@dataclass(frozen=True)
class Task:
    """What one person is asked about one item, and nothing that they should not know.

    Attributes:
        item: its number. repeat: 1 when this person has answered it before; not to be shown.
        shown: what it looks like.
        classes: for a verdict, the two classes in the order to show them; of yes or no, the class
            asked about; otherwise none, and all classes can be chosen.
        flip: for a verdict, 1 when the guessed class comes first; not to be shown.
        examples: numbers of the examples of each of ``classes``, see ``shown_examples``.
        batch: which of the person's batches. turn: which of their turns.
        until: when its lease ends, in seconds since 1970.
        opened: whether this person has seen its label and guess; then an answer does not count.
    """

    item: int
    repeat: int
    shown: Shown
    classes: tuple[int, ...]
    flip: int
    examples: tuple[tuple[int, ...], ...]
    batch: int
    turn: int
    until: float
    opened: bool = False

    def choice(self, answer: str) -> str:
        """The normal form of what was clicked: ``a`` and ``b`` are the classes as shown.

        >>> Task(0, 0, Shown("text", ""), (1, 0), 1, (), 0, 0, 0.0).choice("a")
        'guessed'
        """
        return choice_of(self.flip, answer)


def check_ahead(ahead: int) -> None:
    """Raises ValueError for a number of batches that cannot be."""
    if ahead < 0:
        raise ValueError(f"ahead is {ahead}; it is a number of batches, 0 or more.")


def hand_out(
    connection: Connection, project: Project, wanting: Sequence[tuple[PersonState, int]]
) -> None:
    """Give different people their tasks: what they hold, and so many batches ahead."""
    _release(connection, project.rules, [who for who, _ in wanting])
    wanting = [(who, ahead) for who, ahead in wanting if not who.excluded]
    _keep_held(connection, project, [who for who, _ in wanting if who.held])
    leases = _Leases(connection, project.rules, wanting)
    for who, ahead in wanting:
        _fill(leases, project, who, ahead)
    leases.write()


def _keep_held(connection: Connection, project: Project, people: Sequence[PersonState]) -> None:
    """Give these people what they hold as their tasks, and renew leases that have aged."""
    if not people:
        return
    numbers = sorted({seat.item for who in people for seat in who.held})
    items = {row.id: row for row in connection.execute(_ITEMS, {"numbers": numbers})}
    lease_s = project.rules.lease_s
    renewed = []
    for who in people:
        end = None
        if any(seat.until < who.now + RENEWED * lease_s for seat in who.held):
            end = who.now + lease_s
            renewed.append({"who": who.id, "end": end})
        who.tasks = [
            _task(project, who, items[seat.item], seat, end or seat.until) for seat in who.held
        ]
    if renewed:
        connection.execute(_RENEW, renewed)


class _Leases:
    """Leases of one write, written together: one at a time they would take three statements each.

    Queries do not see what is not written yet.
    """

    def __init__(
        self, connection: Connection, rules: Rules, wanting: Sequence[tuple[PersonState, int]]
    ) -> None:
        self.connection = connection
        self.rules = rules
        self._rows: list[dict[str, Any]] = []
        wanted = sum(_batches_left(who, ahead) for who, ahead in wanting) * rules.batch
        self._queue = None
        if wanted > 1:  # for one alone it is quicker to look it up
            behind = min(who.cursor for who, ahead in wanting if _batches_left(who, ahead))
            self._queue = Queue(connection, rules, behind, wanted)

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)

    def write(self, who: PersonState | None = None) -> None:
        """Write all that is not written, where some of it is about this person or none is named."""
        if self._rows and (who is None or any(row["person"] == who.id for row in self._rows)):
            self.connection.execute(_LEASE[self.connection.dialect.name], self._rows)
            refresh(self.connection, self.rules, sorted({row["item"] for row in self._rows}))
            self._rows = []

    def fresh(self, who: PersonState) -> Any:
        """The next open item of the queue that the person has not seen; None without any."""
        found: Any = self._queue.next(who) if self._queue else None
        if found is None:
            self.write()
            found = look_up(self.connection, who)
        if found is not None:
            who.cursor = found.queue
            if self._queue:
                self._queue.take(found.id, who)
        return found


def _batches_left(who: PersonState, ahead: int) -> int:
    """How many batches a person lacks of the one they are at and those ahead."""
    return max(0, 1 + ahead - len({seat.batch for seat in who.held}))


def _fill(leases: _Leases, project: Project, who: PersonState, ahead: int) -> None:
    """Lease whole batches until the person has one and so many ahead, or nothing is left."""
    rules = project.rules
    batches = {task.batch for task in who.tasks}
    left = float("inf") if rules.limit is None else rules.limit - who.answers - len(who.tasks)
    for _ in range(_batches_left(who, ahead)):
        batch = max([who.turns // rules.batch, *(number + 1 for number in batches)])
        batches.add(batch)
        for _ in range(int(min(rules.batch, left))):
            task = _take(leases, project, who, batch)
            if task is None:
                return
            who.tasks.append(task)
            left -= 1


def _take(leases: _Leases, project: Project, who: PersonState, batch: int) -> Task | None:
    """Lease one more item to the person; None when there is none."""
    rules, repeat = project.rules, 0
    item: Any = None
    if is_gold_turn(rules, who.code, who.turns):
        item = _gold(leases.connection, project, who)
    elif is_repeat_turn(rules, who.code, who.turns):
        item = _repetition(leases, who)
        repeat = int(item is not None)
    item = item or leases.fresh(who)
    if item is None:
        return None
    seat = _Seat(repeat, flip_of(rules, who.code, item.id), batch, who.turns)
    until = who.now + rules.lease_s
    place = {"item": item.id, "person": who.id, "until": until}
    leases.add(place | vars(seat))
    who.turns += 1
    return _task(project, who, item, seat, until)


@dataclass(frozen=True)
class _Seat:
    """What a lease says beside its place and end."""

    repeat: int
    flip: int
    batch: int
    turn: int
    open: int = 0


def _gold(connection: Connection, project: Project, who: PersonState) -> Any:
    """The next known item of the person's own order; None when all were asked."""
    order = gold_order(project.rules, who.code, len(project.golds))
    while who.golds < len(order):
        number = project.golds[order[who.golds]]
        who.golds += 1
        if connection.execute(_SEEN, {"number": number, "who": who.id}).first() is None:
            return connection.execute(_ITEMS, {"numbers": [number]}).one()
    return None


def _repetition(leases: _Leases, who: PersonState) -> Any:
    """An item that the person answered at least ``APART`` turns ago, not repeated yet."""
    if who.turns < APART:
        return None
    leases.write(who)
    at = repeated_turn(leases.rules, who.code, who.turns)
    return leases.connection.execute(_AGAIN, {"who": who.id, "at": at}).one_or_none()


def _release(connection: Connection, rules: Rules, people: Sequence[PersonState]) -> None:
    """Give back the places of leases that have ended; those of these people are renewed instead."""
    if not any(who.first_end is not None and who.first_end < who.now for who in people):
        return
    place = {"now": people[0].now, "people": [who.id for who in people]}
    ended = connection.execute(_ENDED, place).all()
    if ended:
        connection.execute(_LAPSE, [dict(row._mapping) for row in ended])
        refresh(connection, rules, sorted({row.number for row in ended}))


def _task(project: Project, who: PersonState, item: Any, seat: Any, until: float) -> Task:
    rules = project.rules
    classes = [getattr(item, what) for what in rules.asked.classes]
    if seat.flip:
        classes.reverse()
    return Task(
        item=item.id,
        repeat=seat.repeat,
        shown=Shown(item.kind, item.payload),
        classes=tuple(classes),
        flip=seat.flip,
        examples=tuple(
            examples_of(rules, project.examples.get(label, ()), who.code, item.id, label)
            for label in classes
        ),
        batch=seat.batch,
        turn=seat.turn,
        until=until,
        opened=bool(seat.open),
    )


def examples_text(task: Task) -> str:
    """The examples shown with a task, as an entry of the log keeps them."""
    return json.dumps(task.examples)
