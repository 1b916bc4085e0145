"""A project: a folder with a database and media, or a folder and a PostgreSQL database."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from ...data.ingest import Origin
from ...data.ingest.table_checks import listed
from ...data.labels.labelled import Labelled
from ...ground.files import check_folder, replacing
from ...ground.names import shortened
from ...ground.problem import Refusal
from ...stats.checked import RowsToCheck
from . import _schema as t
from ._bulk import insert_all
from ._events import PROGRAM, add_event
from ._folder import make_folder
from ._items import Item, asking, check_items, gold_items, ordered
from ._media import MEDIA_FOLDER, Looks, Shown, looks_of
from ._orders import drawn, new_seed, seed_of
from .rules import Rules, check_new, codes_of
from .store import CONNECTIONS, Store, open_store

DATABASE = "review.db"
ADDRESS = "review.json"  # of a database that is elsewhere
CODE = re.compile(r"[A-Za-z0-9._@-]{1,64}")
IN_FILES = ("image", "audio")  # kinds of looks that are files below the media folder
KEPT_EXAMPLES = 50  # of each class, from which those beside an item are drawn


@dataclass(frozen=True, eq=False)
class Project:
    """An open project. Close it, or use it in ``with``.

    Attributes:
        store: its database. folder: its folder; media are below ``folder / "media"``.
        rules: how it asks. fingerprint: SHA-256 of rules and items; copies of one project share it.
        items: how many there are to ask about, known ones aside.
        golds: numbers of its gold items.
        examples: numbers of the examples of each class.
        origin: the table that the items are rows of, where they are.
        drawn: how the items were drawn, where that was for a count.
        clock: seconds since 1970; another one for tests.
    """

    store: Store
    folder: Path
    rules: Rules
    fingerprint: str
    items: int
    golds: tuple[int, ...]
    examples: Mapping[int, tuple[int, ...]]
    origin: Origin | None = None
    drawn: RowsToCheck | None = None
    clock: Callable[[], float] = time.time

    def close(self) -> None:
        """Close its database."""
        self.store.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


@dataclass(frozen=True)
class Person:
    """Somebody who answers: ``code`` is the name under which they are known, and sign in.

    ``revoked`` is how often their links and sessions were ended.
    """

    id: int
    code: str
    name: str | None = None
    excluded: bool = False
    revoked: int = 0


def make_project(
    folder: Path | str,
    items: Sequence[Item],
    rules: Rules,
    *,
    gold: Mapping[str, str] | None = None,
    order: Sequence[int] | np.ndarray | None = None,
    examples: Labelled | None = None,
    example_looks: Looks | None = None,
    origin: Origin | None = None,
    drawn: RowsToCheck | None = None,
    url: str | None = None,
    by: str = PROGRAM,
) -> Project:
    """A new project, open.

    Args:
        folder: made; must be empty or not there. Media may be there already.
        items: see ``items_of_issues``, ``items_of_data``, ``items_of_tally``. Of a yes/no question
            those that do not say which class is asked about are asked for the given one.
        rules: a preset, perhaps with ``dataclasses.replace``.
        gold: right answers of items whose answer is known, by name; these are handed out to check
            people and are no part of the totals.
        order: rows in order, for the goal ``order``; for a ranking that is to be safe,
            ``stability.checking_plan(case).items``.
        examples: training examples with ``given``, from which examples of classes are drawn; none
            of those that look like an item to the byte, as they would tell its label.
        example_looks: what a row of ``examples`` looks like; by default as ``looks_of`` has it.
        origin: the table that the items are rows of; ``corrected_file`` refuses others.
        drawn: how the items were drawn, from ``errors.rows_to_check``; then their verdicts say how
            many of all labels are wrong.
        url: ``postgresql://user@host/database`` instead of a file.
        by: who makes it, for ``events``.

    Raises:
        ValueError: a folder or database that holds a project, items that do not fit the question,
            a gold answer that it does not have, a threshold where nothing is decided. OSError: it
            cannot be written.
    """
    folder = Path(folder)
    check_free(folder)
    check_new(rules)
    if rules.seed is None:
        rules = replace(rules, seed=new_seed())
    everything = asking(gold_items(items, gold or {}), rules)
    check_items(everything, rules)
    for item in everything:
        if item.key is not None and not codes_of(item.key, rules):
            raise ValueError(f"gold item {item.name!r} has the answer {item.key!r}.")
    if drawn is not None:
        _check_drawn(drawn, everything, rules)
    asked = ordered([item for item in everything if item.key is None], rules, order)
    golds = [item for item in everything if item.key is not None]
    rows = [_item_row(k, item) for k, item in enumerate([*asked, *golds])]
    fingerprint = _fingerprint(rules, rows)
    check_folder(folder, "review.db", "review.json")
    make_folder(folder)
    media = folder / MEDIA_FOLDER
    shown = []
    if examples is not None:
        look = example_looks or looks_of(examples, media, "example-")
        shown = _examples(examples, rules, look, media, everything)
    store = open_store(url or folder / DATABASE, new=True)

    def fill(connection: Connection) -> None:
        if connection.execute(select(func.count()).select_from(t.project)).scalar():
            raise ValueError(f"{url or folder} holds a project already.")
        connection.execute(
            insert(t.project).values(
                id=1,
                fingerprint=fingerprint,
                rules=rules.to_json(),
                origin=None if origin is None else origin.to_json(),
                drawn=None if drawn is None else drawn.to_json(),
                at=time.time(),
            )
        )
        insert_all(connection, t.item, rows)
        insert_all(connection, t.example, shown)

    try:
        store.write(fill)
        if url is not None:
            with replacing(folder / ADDRESS, private=True, again=True) as file:
                file.write(json.dumps({"url": url}).encode())
    finally:
        store.close()
    project = open_project(folder)
    said = json.loads(rules.to_json())
    project.store.write(lambda c: add_event(c, project.clock(), by, "made", rules=said))
    return project


def _check_drawn(drawn: RowsToCheck, items: Sequence[Item], rules: Rules) -> None:
    """Refuse what makes no count: other rows, another question, an order that goes by the labels.

    Raises:
        ValueError: the message says what.
    """
    if rules.asked.counted != "verdicts":
        raise Refusal(
            f"the rows were drawn to count wrong labels, and the question {rules.question!r} comes"
            " to no verdict.",
            "ask with `preset='verdict'`",
        )
    if rules.goal != "random":
        raise Refusal(
            "the rows were drawn for a count, which only a random order allows to look at before "
            "all are answered.",
            "leave `goal` out",
        )
    if any(item.key is not None for item in items):
        raise ValueError(
            "the rows were drawn for a count, and known items are no part of one; leave `gold` out."
        )
    if {item.row for item in items} != {*drawn.rows.tolist()}:
        raise ValueError("the items are other rows than those that were drawn.")


def check_free(folder: Path) -> None:
    """Raises ValueError for a folder that holds a project; ask before media are copied there."""
    for name in (DATABASE, ADDRESS):
        if (folder / name).exists():
            raise ValueError(f"{folder} holds a project already; choose another folder.")


def open_project(folder: Path | str, connections: int = CONNECTIONS) -> Project:
    """A project that is there.

    Args:
        connections: to a database server, at most so many at once.

    Raises:
        FileNotFoundError: no such project. ValueError: a damaged one, or one of a newer candidly.
        OSError: its database server does not answer.
    """
    folder = Path(folder)
    place: Path | str = folder / DATABASE
    if not (folder / DATABASE).is_file():
        if not (folder / ADDRESS).is_file():
            raise FileNotFoundError(
                f"{folder} holds no project; candidly review new {folder} makes one."
            )
        place = _address(folder / ADDRESS)
    store = open_store(place, connections=connections)
    try:
        with store.read() as connection:
            found = connection.execute(select(t.project)).one_or_none()
            golds = connection.execute(select(t.item.c.id).where(t.item.c.gold > t.ZERO)).scalars()
            numbers = tuple(sorted(golds))
            shown = connection.execute(select(t.example.c.of_class, t.example.c.id)).all()
            items = connection.execute(select(func.count()).where(t.item.c.gold == 0)).scalar_one()
        if found is None:
            raise ValueError(f"{place} holds no project.")
    except BaseException:
        store.close()
        raise
    by_class: dict[int, list[int]] = {}
    for label, number in shown:
        by_class.setdefault(label, []).append(number)
    return Project(
        store=store,
        folder=folder,
        rules=Rules.from_json(found.rules),
        fingerprint=found.fingerprint,
        items=items,
        golds=numbers,
        examples={label: tuple(sorted(ids)) for label, ids in by_class.items()},
        origin=None if found.origin is None else Origin.from_json(found.origin),
        drawn=None if found.drawn is None else RowsToCheck.from_json(found.drawn),
    )


def _address(path: Path) -> str:
    """Where the database of a project is that is not in its folder."""
    try:
        return str(json.loads(path.read_text())["url"])
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f'{path} is damaged; it should hold {{"url": "postgresql://user@host/name"}}, the'
            " address of the project's database."
        ) from None


def add_person(
    project: Project, code: str | None = None, name: str | None = None, by: str = PROGRAM
) -> Person:
    """Somebody new; without a code one that cannot be guessed is made.

    Args:
        by: who wants that, for ``events``.

    Raises:
        ValueError: a code that is taken, or holds other than letters, digits and . _ @ -.
    """
    code = secrets.token_urlsafe(9) if code is None else code
    if not CODE.fullmatch(code):
        raise ValueError(
            f"the code {shortened(code)} of a person must be 1 to 64 letters, digits, dots, _, @"
            " and -."
        )

    def add(connection: Connection) -> int:
        made = connection.execute(
            insert(t.person).values(code=code, name=name).returning(t.person.c.id)
        )
        number = int(made.scalar_one())
        add_event(connection, project.clock(), by, "added", code)
        return number

    try:
        number = project.store.write(add)
    except IntegrityError:
        raise ValueError(f"there is a person with the code {code!r} already.") from None
    return Person(number, code, name)


def find_person(project: Project, code: str) -> Person:
    """The person with this code.

    Raises:
        KeyError: nobody.
    """
    with project.store.read() as connection:
        row = connection.execute(select(t.person).where(t.person.c.code == code)).one_or_none()
    if row is None:
        raise KeyError(f"nobody has the code {shortened(code)}.")
    return Person(row.id, row.code, row.name, bool(row.excluded), row.revoked)


def people(project: Project) -> list[Person]:
    """Everybody, in the order in which they came."""
    with project.store.read() as connection:
        rows = connection.execute(select(t.person).order_by(t.person.c.id)).all()
    return [Person(row.id, row.code, row.name, bool(row.excluded), row.revoked) for row in rows]


def people_state(project: Project) -> tuple[int, int]:
    """Differs once somebody was added, left out of the totals or taken in again."""
    number, excluded = func.count(t.person.c.id), func.coalesce(func.sum(t.person.c.excluded), 0)
    with project.store.read() as connection:
        row = connection.execute(select(number, excluded)).one()
    return int(row[0]), int(row[1])


def shown_examples(project: Project, numbers: Sequence[int]) -> list[Shown]:
    """What examples of classes look like, by number."""
    with project.store.read() as connection:
        rows = connection.execute(select(t.example).where(t.example.c.id.in_(numbers))).all()
    found = {row.id: Shown(row.kind, row.payload) for row in rows}
    return [found[number] for number in numbers]


def all_examples(project: Project) -> dict[int, Shown]:
    """What all examples of classes look like, by number."""
    with project.store.read() as connection:
        rows = connection.execute(select(t.example)).all()
    return {row.id: Shown(row.kind, row.payload) for row in rows}


def _item_row(number: int, item: Item) -> dict[str, Any]:
    gold = item.key is not None
    values = {k: v for k, v in vars(item).items() if k not in ("row", "shown")}
    return values | {
        "id": number,
        "at_row": item.row,
        "kind": item.shown.kind,
        "payload": item.shown.payload,
        "gold": int(gold),
        "queue": number,
        "open": int(not gold),
    }


def _fingerprint(rules: Rules, rows: Sequence[Mapping[str, Any]]) -> str:
    digest = hashlib.sha256(rules.to_json().encode())
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True).encode())
    return digest.hexdigest()


def _examples(
    data: Labelled, rules: Rules, look: Looks, folder: Path, items: Sequence[Item]
) -> list[dict[str, Any]]:
    """Up to ``KEPT_EXAMPLES`` rows of each class that look like no item, drawn at random."""
    if data.given is None:
        raise ValueError("examples of classes need `given` labels, and these data have none.")
    if data.classes != rules.classes:
        raise ValueError(
            f"`train` has examples of the classes {listed(data.classes)}, and the project asks"
            f" about {listed(rules.classes)}. Give a data set of the same classes, in the same"
            " order."
        )
    asked = {_content(item.shown, folder) for item in items}
    found: list[dict[str, Any]] = []
    order = drawn(seed_of(rules), "review examples").permutation(data.n)
    for label in range(data.q):
        left = KEPT_EXAMPLES
        for row in order[data.given[order] == label].tolist():
            if not left:
                break
            shown = look(row)
            if _content(shown, folder) in asked:
                if shown.kind in IN_FILES:
                    (folder / shown.payload).unlink()
                continue
            left -= 1
            found.append({"of_class": label, "kind": shown.kind, "payload": shown.payload})
    return [{"id": k, **row} for k, row in enumerate(found)]


def _content(shown: Shown, folder: Path) -> tuple[str, bytes]:
    """What is the same of two that look the same."""
    file = folder / shown.payload
    there = shown.kind in IN_FILES and file.is_file()
    content = file.read_bytes() if there else shown.payload.encode()
    return shown.kind, hashlib.sha256(content).digest()
