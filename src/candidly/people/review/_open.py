"""What one page tells of one item, or of the person who asks."""

from __future__ import annotations

from sqlalchemy import select

from . import _schema as t
from ._media import Shown
from .project import Person, Project


def seen(project: Project, item: int) -> dict[str, str]:
    """What open review shows of an item: its label, the guess and the score, where there are any.

    Raises:
        ValueError: there is no such item.
    """
    with project.store.read() as connection:
        row = connection.execute(select(t.item).where(t.item.c.id == item)).one_or_none()
    if row is None:
        raise ValueError(f"there is no item {item}.")
    labels = {"given label": row.given, "guess": row.guessed}
    told = {name: project.rules.classes[label] for name, label in labels.items() if label >= 0}
    return told if row.score is None else told | {"score": f"{row.score:.3g}"}


def shown_item(project: Project, item: int) -> Shown:
    """What an item looks like.

    Raises:
        KeyError: there is no such item.
    """
    columns = (t.item.c.kind, t.item.c.payload)
    with project.store.read() as connection:
        row = connection.execute(select(*columns).where(t.item.c.id == item)).one_or_none()
    if row is None:
        raise KeyError(f"there is no item {item}.")
    return Shown(row.kind, row.payload)


def answered(project: Project, person: Person) -> int:
    """How many answers of a person stand, skips included.

    Raises:
        KeyError: there is no such person.
    """
    columns = (t.person.c.answers, t.person.c.skips)
    with project.store.read() as connection:
        row = connection.execute(select(*columns).where(t.person.c.id == person.id)).one_or_none()
    if row is None:
        raise KeyError(f"there is no person {person.code!r}.")
    return int(row.answers + row.skips)
