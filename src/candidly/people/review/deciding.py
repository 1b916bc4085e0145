"""What the organiser decides about items: kept beside the answers of people, never among them.

A decision is a line that is appended, and so is taking it back; of an item the last one stands. No
total, no agreement and nobody's quality changes by it: only corrected labels do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, exists, func, insert, or_, select

from ...ground.names import shortened
from . import _schema as t
from ._events import PROGRAM, add_event
from ._log import check_at, check_id, check_text
from .project import Project
from .rules import Rules

REMOVE = "remove"  # the row has no right label, and goes
COLUMNS = ("id", "item", "choice", "by", "note", "at")
_D, _LATER = t.decision.c, t.decision.alias("later")
_AFTER = or_(_LATER.c.at > _D.at, and_(_LATER.c.at == _D.at, _LATER.c.id > _D.id))
# of an item the last by time, then id, so that logs can be merged in any order
STANDS = and_(
    _D.choice.is_not(None), ~exists().where(_LATER.c.item == _D.item, _AFTER).correlate(t.decision)
)
DECIDED_ITEMS = select(_D.item).where(STANDS)


@dataclass(frozen=True)
class OrganiserDecision:
    """What the organiser decided about an item.

    Attributes:
        choice: classes by number, ``3`` or ``3 5``, ``none`` of those that could hold, or
            ``remove``. words: the same by name.
        by: who. note: why, or None. at: seconds since 1970.
    """

    choice: str
    words: str
    by: str
    note: str | None
    at: float

    @property
    def removes(self) -> bool:
        """Whether the row goes."""
        return self.choice == REMOVE


def can_decide(rules: Rules) -> bool:
    """Whether answers come to labels, of which an organiser can choose one."""
    return rules.asked.labels is not None


def labels_of(choice: str, rules: Rules) -> tuple[int, ...]:
    """The classes that a decision names; none where it removes the row.

    Raises:
        ValueError: no such decision, or a question without labels.
    """
    labels = rules.asked.labels
    if labels is None:
        raise ValueError(
            f"the question is {rules.question!r}, whose answers come to no label of an item;"
            " nothing can be decided."
        )
    return () if choice == REMOVE else labels(choice, rules)


def decide(
    project: Project,
    item: int,
    choice: str | None,
    id: str,
    note: str | None = None,
    by: str = PROGRAM,
) -> None:
    """Decides what the label of an item is, whatever people say; None takes the last word back.

    Sending the same ``id`` again changes nothing.

    Args:
        item: its number. choice: see ``OrganiserDecision``. by: who decides, for ``events`` too.

    Raises:
        ValueError: an ``id`` that cannot be one or stands for something else, no such item, one
            whose answer is known, or a choice that the question does not have.
    """
    check_id(id)
    check_text(note)
    if choice is not None:
        labels_of(choice, project.rules)
    row = {"id": id, "item": item, "choice": choice, "by": by, "note": note}

    def work(connection: Connection) -> None:
        found = connection.execute(select(t.item).where(t.item.c.id == item)).one_or_none()
        if found is None or found.gold:
            raise ValueError(f"there is no item {item} to decide about.")
        there = connection.execute(select(t.decision).where(t.decision.c.id == id)).one_or_none()
        if there is not None:
            if (there.item, there.choice) != (item, choice):
                raise ValueError(f"the id {id!r} stands for another decision; make a new one.")
            return
        now = project.clock()
        connection.execute(insert(t.decision), {**row, "at": now})
        what = "took a decision back" if choice is None else "decided"
        said = None if choice is None else words(choice, project.rules)
        add_event(connection, now, by, what, found.name, label=said, reason=note)

    project.store.write(work)


def decisions(project: Project) -> dict[int, OrganiserDecision]:
    """The decisions that stand, by number of the item."""
    with project.store.read() as connection:
        return standing(connection, project.rules)


def by_row(project: Project) -> dict[int, OrganiserDecision]:
    """The decisions that stand, by row of the data set.

    Raises:
        ValueError: one about an item whose row is not known.
    """
    found = decisions(project)
    if not found:
        return {}
    columns = (t.item.c.id, t.item.c.at_row, t.item.c.name)
    with project.store.read() as connection:
        rows = {row.id: row for row in connection.execute(select(*columns)) if row.id in found}
    for row in rows.values():
        if row.at_row < 0:
            raise ValueError(f"item {row.name!r} is no row of a data set, as far as is known.")
    return {rows[number].at_row: one for number, one in found.items()}


def standing(
    connection: Connection, rules: Rules, ids: Sequence[int] | None = None
) -> dict[int, OrganiserDecision]:
    """``decisions`` inside a transaction; of these items alone where ``ids`` says so."""
    chosen = select(t.decision).where(STANDS)
    if ids is not None:
        chosen = chosen.where(t.decision.c.item.in_(ids))
    return {
        row.item: OrganiserDecision(row.choice, words(row.choice, rules), row.by, row.note, row.at)
        for row in connection.execute(chosen)
    }


def words(choice: str, rules: Rules) -> str:
    """A decision by names of classes."""
    if choice == REMOVE:
        return "removed"
    return ", ".join(rules.classes[code] for code in labels_of(choice, rules)) or choice


def lines(project: Project) -> list[dict[str, Any]]:
    """All that was decided and taken back, in order, for the log."""
    with project.store.read() as connection:
        rows = connection.execute(select(t.decision).order_by(t.decision.c.seq)).all()
    return [{name: getattr(row, name) for name in COLUMNS} for row in rows]


def checked_line(found: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    """A line of a log as a decision.

    Raises:
        ValueError: it is none, or none that this question has.
    """
    if missing := {*COLUMNS} - {*found}:
        raise ValueError(f"{sorted(missing)[0]} is missing")
    line = {name: found[name] for name in COLUMNS}
    check_id(line["id"])
    check_at(line["at"])
    if type(line["item"]) is not int:
        raise ValueError(f"its item is {shortened(line['item'])}, and no number")
    for name in ("choice", "by", "note"):
        if not isinstance(line[name], str | None):
            raise ValueError(f"its {name} is {shortened(line[name])}, and no text")
    check_text(line["note"])
    check_text(line["by"])
    if line["choice"] is not None:
        labels_of(line["choice"], rules)
    return line | {"by": line["by"] or PROGRAM}


def absorb(connection: Connection, found: Iterable[Mapping[str, Any]]) -> int:
    """Add the decisions that are not there; how many these are."""
    listed = {line["id"]: {name: line[name] for name in COLUMNS} for line in found}
    if not listed:
        return 0
    number = select(func.count()).select_from(t.item)
    items = connection.execute(number).scalar_one()
    there = {*connection.execute(select(t.decision.c.id)).scalars()}
    fresh = [line for id, line in listed.items() if id not in there]
    for line in fresh:
        if not 0 <= line["item"] < items:
            raise ValueError(f"there is a decision about item {line['item']}, which is not there.")
    if fresh:
        connection.execute(insert(t.decision), fresh)
    return len(fresh)
