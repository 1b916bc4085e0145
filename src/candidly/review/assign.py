"""Who is asked about what next: W different people an item, nobody twice, orders from the seed.

Items stand in a queue, and everybody goes through it once, past what is full. A person remembers
how far they have come, so the next item is found in an index, whatever the size of the project. An
item handed out is leased: nobody else gets its place until the lease ends. Turns at which a known
item or a repetition comes are drawn from the seed, one in each block of turns.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, bindparam, exists, insert, or_, select, update

from ..seeds import draw
from . import _schema as t
from ._media import Shown
from ._refresh import LAPSED, lock_items, refresh
from .project import Person, Project
from .questions import choice_of
from .rules import Rules

RELEASED = 50  # leases that have ended, cleared at once
APART = 10  # turns between an item and its repetition, at least

_OWN = t.seat.alias("own")

# built once: putting statements together costs more than running them
_MINE = and_(t.seat.c.person == bindparam("who"), t.seat.c.until > t.ZERO)
_WHO = select(t.person).where(t.person.c.id == bindparam("who")).with_for_update()
_HELD = (
    select(t.item, t.seat.c.repeat, t.seat.c.flip, t.seat.c.batch, t.seat.c.turn)
    .select_from(t.seat.join(t.item, t.item.c.id == t.seat.c.item))
    .where(_MINE)
    .order_by(t.seat.c.turn)
)
_RENEW = update(t.seat).where(_MINE).values(until=bindparam("end"))
_ENDED = (
    select(t.seat.c.item, t.seat.c.person, t.seat.c.repeat)
    .where(
        t.seat.c.until > t.ZERO,
        t.seat.c.until < bindparam("now"),
        t.seat.c.person != bindparam("who"),
    )
    .order_by(t.seat.c.until)
    .limit(RELEASED)
)
_NEXT = (
    select(t.item.c.id, t.item.c.queue)
    .where(
        t.item.c.open == 1,
        t.item.c.queue > bindparam("behind"),
        ~exists().where(
            _OWN.c.item == t.item.c.id,
            _OWN.c.person == bindparam("who"),
            or_(_OWN.c.until.is_(None), _OWN.c.until > LAPSED),
        ),
    )
    .order_by(t.item.c.queue)
    .limit(1)
)
_STILL = select(t.item.c.open).where(t.item.c.id == bindparam("number"))
_AGAIN = (
    update(t.seat)
    .where(
        t.seat.c.item == bindparam("number"),
        t.seat.c.person == bindparam("who"),
        t.seat.c.repeat == bindparam("again"),
    )
    .values({name: bindparam(name) for name in ("flip", "until", "turn", "batch")})
)
_LEASE = insert(t.seat)
_COME = (
    update(t.person)
    .where(t.person.c.id == bindparam("who"))
    .values({name: bindparam(name) for name in ("cursor", "turns", "golds")})
)


@dataclass(frozen=True)
class Task:
    """What one person is asked about one item, and nothing that they should not know.

    Attributes:
        item: its number. repeat: 1 when this person has answered it before; not to be shown.
        shown: what it looks like.
        classes: of a verdict, the two classes in the order to show them; of yes or no, the class
            asked about; otherwise none, and all classes can be chosen.
        flip: of a verdict, 1 when the guessed class comes first; not to be shown.
        examples: numbers of the examples of each of ``classes``, see ``shown_examples``.
        batch: which of the person's batches. turn: which of their turns.
        until: when its lease ends, in seconds since 1970.
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

    def choice(self, answer: str) -> str:
        """The normal form of what was clicked: ``a`` and ``b`` are the classes as shown.

        >>> Task(0, 0, Shown("text", ""), (1, 0), 1, (), 0, 0, 0.0).choice("a")
        'guessed'
        """
        return choice_of(self.flip, answer)


def next_tasks(project: Project, person: Person, ahead: int = 0) -> list[Task]:
    """The batch that this person is to answer now: the one they have, else the next.

    In the order in which to answer; a batch is those of one ``Task.batch``. Empty when nothing is
    left for them, when they have reached the limit, or are excluded.

    Args:
        ahead: hand out so many batches more, which a screen can load before they are due. They
            are leased like the first.

    Raises:
        KeyError: there is no such person. ValueError: ``ahead`` is below 0.
    """
    check_ahead(ahead)
    return project.store.write(
        lambda connection: take_next(connection, project, person.id, ahead), synced=False
    )


def check_ahead(ahead: int) -> None:
    """Raises ValueError for a number of batches that cannot be."""
    if ahead < 0:
        raise ValueError(f"ahead is {ahead}; it is a number of batches, 0 or more.")


def take_next(connection: Connection, project: Project, person: int, ahead: int) -> list[Task]:
    """``next_tasks`` inside a transaction."""
    now = project.clock()
    who = connection.execute(_WHO, {"who": person}).one_or_none()
    if who is None:
        raise KeyError(f"there is no person {person}.")
    _release(connection, project.rules, now, person)
    if who.excluded:
        return []
    until = now + project.rules.lease_s
    kept = _outstanding(connection, project, who, until)
    if kept:
        connection.execute(_RENEW, {"who": person, "end": until})
    state = _State(who.cursor, who.turns, who.golds, who.turns, -1)
    held = {task.batch for task in kept}
    left = float("inf") if project.rules.limit is None else project.rules.limit - who.answers
    for _ in range(1 + ahead - len(held)):
        state.first = state.turns
        state.batch = max([state.first // project.rules.batch, *(batch + 1 for batch in held)])
        room = min(project.rules.batch, left - len(kept) - (state.first - who.turns))
        while room > state.turns - state.first and _take(connection, project, who, state, now):
            pass
        held.add(state.batch)
    if state.turns == who.turns:
        return kept
    come = {"cursor": state.cursor, "turns": state.turns, "golds": state.golds}
    connection.execute(_COME, {"who": person, **come})
    return _outstanding(connection, project, who, until)


@dataclass
class _State:
    """How far a person has come, while a batch is put together."""

    cursor: int
    turns: int
    golds: int
    first: int
    batch: int


def is_gold_turn(rules: Rules, code: str, turn: int) -> bool:
    """Whether a known item is due at this turn of the person."""
    return _drawn(rules.seed, f"gold {code}", rules.gold_every, turn)


def is_repeat_turn(rules: Rules, code: str, turn: int) -> bool:
    """Whether a repetition is due; where a known item is, it comes a turn later."""
    due = [
        _drawn(rules.seed, f"repeat {code}", rules.repeat_every, when)
        for when in (turn, turn - 1)
        if when >= 0
    ]
    if is_gold_turn(rules, code, turn):
        return False
    put_off = len(due) == 2 and due[1] and is_gold_turn(rules, code, turn - 1)
    return due[0] or put_off


def flip_of(rules: Rules, code: str, item: int) -> int:
    """1 when this person sees the guessed class of this item first; drawn from the seed."""
    return int(draw(rules.seed, f"order {code}", item).integers(2))


def _drawn(seed: int, name: str, every: int, turn: int) -> bool:
    """One turn in each block of ``every``."""
    return every > 0 and int(draw(seed, name, turn // every).integers(every)) == turn % every


def _take(connection: Connection, project: Project, who: Any, state: _State, now: float) -> bool:
    """Lease one more item to the person; False when there is none."""
    rules, turn = project.rules, state.turns
    taken: tuple[int, int] | None = None
    if is_gold_turn(rules, who.code, turn):
        taken = _gold(project, who, state)
    elif is_repeat_turn(rules, who.code, turn):
        taken = _repetition(connection, rules, who, turn)
    taken = taken or _fresh(connection, who, state)
    if taken is None:
        return False
    item, repeat = taken
    values = {
        "flip": flip_of(rules, who.code, item),
        "until": now + rules.lease_s,
        "turn": turn,
        "batch": state.batch,
    }
    place = {"number": item, "who": who.id, "again": repeat}
    lapsed = connection.execute(_AGAIN, place | values)
    if not lapsed.rowcount:
        seat = {"item": item, "person": who.id, "repeat": repeat, "open": 0}
        connection.execute(_LEASE, seat | values)
    refresh(connection, rules, [item])
    state.turns += 1
    return True


def _gold(project: Project, who: Any, state: _State) -> tuple[int, int] | None:
    """The next known item of the person's own order; None when all were asked."""
    if state.golds >= len(project.golds):
        return None
    order = draw(project.rules.seed, f"golds {who.code}").permutation(len(project.golds))
    state.golds += 1
    return project.golds[order[state.golds - 1]], 0


def _repetition(
    connection: Connection, rules: Rules, who: Any, turn: int
) -> tuple[int, int] | None:
    """An item that the person answered at least ``APART`` turns ago, not repeated yet."""
    if turn < APART:
        return None
    at = int(draw(rules.seed, f"repeated {who.code}", turn).integers(turn - APART + 1))
    again = t.seat.alias("again")
    found = connection.execute(
        select(t.seat.c.item)
        .join(t.item, t.item.c.id == t.seat.c.item)
        .where(
            t.seat.c.person == who.id,
            t.seat.c.turn <= at,
            t.seat.c.repeat == 0,
            t.seat.c.entry.is_not(None),
            t.seat.c.open == 0,
            t.item.c.gold == 0,
            ~exists().where(
                again.c.item == t.seat.c.item, again.c.person == who.id, again.c.repeat == 1
            ),
        )
        .order_by(t.seat.c.turn.desc())
        .limit(1)
    ).scalar()
    return None if found is None else (found, 1)


def _fresh(connection: Connection, who: Any, state: _State) -> tuple[int, int] | None:
    """The next open item of the queue that the person has not seen."""
    while True:
        place = {"who": who.id, "behind": state.cursor}
        found = connection.execute(_NEXT, place).one_or_none()
        if found is None and state.cursor >= 0:
            # what opened again while this person passed it; once, at the end of the queue
            state.cursor = -1
            continue
        if found is None:
            return None
        state.cursor = found.queue
        lock_items(connection, [found.id])
        if connection.execute(_STILL, {"number": found.id}).scalar():
            return found.id, 0


def _release(connection: Connection, rules: Rules, now: float, person: int) -> None:
    """Give back the places of leases that have ended; this person's own are renewed instead."""
    ended = connection.execute(_ENDED, {"now": now, "who": person}).all()
    if not ended:
        return
    items = sorted({seat.item for seat in ended})
    lock_items(connection, items)
    for seat in ended:
        place = [t.seat.c[name] == getattr(seat, name) for name in ("item", "person", "repeat")]
        still = and_(*place, t.seat.c.until > LAPSED, t.seat.c.until < now)
        connection.execute(update(t.seat).where(still).values(until=LAPSED))
    refresh(connection, rules, items)


def _outstanding(connection: Connection, project: Project, who: Any, until: float) -> list[Task]:
    """What the person holds, and will hold up to ``until``."""
    rows = connection.execute(_HELD, {"who": who.id}).all()
    return [_task(project, who.code, row, until) for row in rows]


def _task(project: Project, code: str, row: Any, until: float) -> Task:
    classes: Sequence[int] = ()
    if project.rules.question == "verdict":
        classes = (row.guessed, row.given) if row.flip else (row.given, row.guessed)
    elif project.rules.question == "yes or no":
        classes = (row.asks,)
    return Task(
        item=row.id,
        repeat=row.repeat,
        shown=Shown(row.kind, row.payload),
        classes=tuple(classes),
        flip=row.flip,
        examples=tuple(_examples_of(project, code, row.id, label) for label in classes),
        batch=row.batch,
        turn=row.turn,
        until=until,
    )


def _examples_of(project: Project, code: str, item: int, label: int) -> tuple[int, ...]:
    """Examples of a class, drawn anew for each person and item."""
    known = project.examples.get(label, ())
    rng = draw(project.rules.seed, f"examples {code} {label}", item)
    number = min(project.rules.examples, len(known))
    return tuple(known[k] for k in rng.choice(len(known), number, replace=False)) if number else ()


def examples_text(task: Task) -> str:
    """The examples shown with a task, as an entry of the log keeps them."""
    return json.dumps(task.examples)
