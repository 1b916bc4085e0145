"""Who is asked about what next: W different people an item, nobody twice, orders from the seed.

Items stand in a queue, and everybody goes through it once, past what is full. A person remembers
how far they have come, so the next item is found in an index, whatever the size of the project. An
item handed out is leased: nobody else gets its place until the lease ends. Turns at which a known
item or a repetition comes are drawn from the seed, one in each block of turns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, bindparam, exists, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ..seeds import draw
from . import _schema as t
from ._media import Shown
from ._refresh import LAPSED, refresh
from ._visit import LOOK, Visit, visit
from .project import Person, Project
from .questions import choice_of
from .rules import Rules

RELEASED = 50  # leases that have ended, cleared at once
APART = 10  # turns between an item and its repetition, at least
RENEWED = 0.9  # of a lease: with less of it left it is renewed
BLOCK = 64  # orders drawn at once: making a generator takes longer than drawing from it

_OWN = t.seat.alias("own")
_PLACE = ("item", "person", "repeat")

# built once: putting statements together costs more than running them
_RENEW = (
    update(t.seat)
    .where(t.seat.c.person == bindparam("who"), t.seat.c.until > t.ZERO)
    .values(until=bindparam("end"))
)
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
    select(*LOOK, t.item.c.queue)
    .where(
        t.item.c.open == 1,
        t.item.c.queue > bindparam("behind"),
        ~exists().where(
            _OWN.c.item == t.item.c.id,
            _OWN.c.person == bindparam("who"),
            or_(_OWN.c.until.is_(None), _OWN.c.until > t.ZERO),
        ),
    )
    .order_by(t.item.c.queue)
    .limit(1)
)
_ITEM = select(*LOOK).where(t.item.c.id == bindparam("number"))
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
        ValueError: there is no such person, or ``ahead`` is below 0.
    """
    check_ahead(ahead)

    def work(connection: Connection) -> list[Task]:
        with visit(connection, project, person) as who:
            return take_next(connection, project, who, ahead)

    return project.store.write(work, synced=False)


def check_ahead(ahead: int) -> None:
    """Raises ValueError for a number of batches that cannot be."""
    if ahead < 0:
        raise ValueError(f"ahead is {ahead}; it is a number of batches, 0 or more.")


def take_next(connection: Connection, project: Project, who: Visit, ahead: int) -> list[Task]:
    """``next_tasks`` during a visit."""
    rules = project.rules
    if who.first_end is not None and who.first_end < who.now:
        _release(connection, rules, who)
    if who.excluded:
        return []
    tasks = _renewed(connection, project, who)
    batches = {task.batch for task in tasks}
    left = float("inf") if rules.limit is None else rules.limit - who.answers - len(tasks)
    for _ in range(1 + ahead - len(batches)):
        batch = max([who.turns // rules.batch, *(number + 1 for number in batches)])
        batches.add(batch)
        taken = 0
        while taken < min(rules.batch, left) and (task := _take(connection, project, who, batch)):
            tasks.append(task)
            taken += 1
        left -= taken
    return tasks


def _renewed(connection: Connection, project: Project, who: Visit) -> list[Task]:
    """What the person holds, kept for them from now on."""
    end = who.now + project.rules.lease_s
    soon = who.now + RENEWED * project.rules.lease_s
    if any(seat.until < soon for seat in who.held):
        connection.execute(_RENEW, {"who": who.id, "end": end})
        return [_task(project, who, seat, seat, end) for seat in who.held]
    return [_task(project, who, seat, seat, seat.until) for seat in who.held]


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
    return _flips(rules.seed, code, item // BLOCK)[item % BLOCK]


@lru_cache(4096)
def _flips(seed: int, code: str, block: int) -> bytes:
    return bytes(draw(seed, f"order {code}", block).integers(2, size=BLOCK).tolist())


def _drawn(seed: int, name: str, every: int, turn: int) -> bool:
    """One turn in each block of ``every``."""
    return every > 0 and _place_in_block(seed, name, every, turn // every) == turn % every


@lru_cache(4096)
def _place_in_block(seed: int, name: str, every: int, block: int) -> int:
    return int(draw(seed, name, block).integers(every))


def _take(connection: Connection, project: Project, who: Visit, batch: int) -> Task | None:
    """Lease one more item to the person; None when there is none."""
    rules, repeat = project.rules, 0
    item: Any = None
    if is_gold_turn(rules, who.code, who.turns):
        item = _gold(connection, project, who)
    elif is_repeat_turn(rules, who.code, who.turns):
        item = _repetition(connection, rules, who)
        repeat = int(item is not None)
    item = item or _fresh(connection, who)
    if item is None:
        return None
    seat = _Seat(repeat, flip_of(rules, who.code, item.id), batch, who.turns)
    until = who.now + rules.lease_s
    place = {"item": item.id, "person": who.id, "open": 0, "until": until}
    connection.execute(_LEASE[connection.dialect.name], place | asdict(seat))
    who.touched.add(item.id)
    who.turns += 1
    return _task(project, who, item, seat, until)


@dataclass(frozen=True)
class _Seat:
    """What a lease says beside its place and end."""

    repeat: int
    flip: int
    batch: int
    turn: int


def _gold(connection: Connection, project: Project, who: Visit) -> Any:
    """The next known item of the person's own order; None when all were asked."""
    order = draw(project.rules.seed, f"golds {who.code}").permutation(len(project.golds))
    while who.golds < len(order):
        place = {"number": project.golds[order[who.golds]]}
        who.golds += 1
        if connection.execute(_SEEN, place | {"who": who.id}).first() is None:
            return connection.execute(_ITEM, place).one()
    return None


def _repetition(connection: Connection, rules: Rules, who: Visit) -> Any:
    """An item that the person answered at least ``APART`` turns ago, not repeated yet."""
    if who.turns < APART:
        return None
    rng = draw(rules.seed, f"repeated {who.code}", who.turns)
    at = int(rng.integers(who.turns - APART + 1))
    again = t.seat.alias("again")
    return connection.execute(
        select(*LOOK)
        .join(t.seat, t.item.c.id == t.seat.c.item)
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
    ).one_or_none()


def _fresh(connection: Connection, who: Visit) -> Any:
    """The next open item of the queue that the person has not seen."""
    found = connection.execute(_NEXT, {"who": who.id, "behind": who.cursor}).one_or_none()
    if found is None and who.cursor >= 0:
        # what opened again while this person passed it; once, at the end of the queue
        who.cursor = -1
        found = connection.execute(_NEXT, {"who": who.id, "behind": who.cursor}).one_or_none()
    if found is not None:
        who.cursor = found.queue
    return found


def _release(connection: Connection, rules: Rules, who: Visit) -> None:
    """Give back the places of leases that have ended; this person's own are renewed instead."""
    ended = connection.execute(_ENDED, {"now": who.now, "who": who.id}).all()
    for seat in ended:
        place = [t.seat.c[name] == getattr(seat, name) for name in _PLACE]
        connection.execute(update(t.seat).where(*place).values(until=LAPSED))
    refresh(connection, rules, sorted({seat.item for seat in ended}))


def _task(project: Project, who: Visit, item: Any, seat: Any, until: float) -> Task:
    classes: Sequence[int] = ()
    if project.rules.question == "verdict":
        classes = (item.guessed, item.given) if seat.flip else (item.given, item.guessed)
    elif project.rules.question == "yes or no":
        classes = (item.asks,)
    return Task(
        item=item.id,
        repeat=seat.repeat,
        shown=Shown(item.kind, item.payload),
        classes=tuple(classes),
        flip=seat.flip,
        examples=tuple(_examples_of(project, who.code, item.id, label) for label in classes),
        batch=seat.batch,
        turn=seat.turn,
        until=until,
    )


def _examples_of(project: Project, code: str, item: int, label: int) -> tuple[int, ...]:
    """Examples of a class, drawn anew for each person and item."""
    known = project.examples.get(label, ())
    if not known or not project.rules.examples:
        return ()
    order = draw(project.rules.seed, f"examples {code} {label}", item).permutation(len(known))
    return tuple(known[k] for k in order[: project.rules.examples])


def examples_text(task: Task) -> str:
    """The examples shown with a task, as an entry of the log keeps them."""
    return json.dumps(task.examples)
