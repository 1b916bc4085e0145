"""Answers on the way in: logs of copies of a project, tables, released votes. Nothing comes twice.

Which answer of a person stands is a function of the log alone: of those not taken back, the first
by time, then id. So logs can be merged in any order, and again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, and_, case, delete, func, insert, select, update

from ...data.ingest import Roles
from ...data.ingest.answers import read_answers
from ...data.ingest.table_checks import typed
from ...data.labels.text import BAR
from ...ground.names import shortened
from ..validation import ANSWERS, SetTally, Tally
from . import _schema as t
from . import deciding
from ._log import ANSWER, EXCLUDE, INCLUDE, LONGEST_MS, OPEN, UNDO, check_at, time_of
from ._refresh import refresh
from .answers import check_named
from .export import DECISION, ENTRY, LOG, entries
from .project import CODE, Project
from .questions import SKIP, YES_NO
from .rules import Rules, codes_of

PART = 5000  # entries taken in at once
NAMES = tuple(column.name for column in ENTRY)
NEWER = ("examples", "named")  # which logs of before do not have
KINDS = (ANSWER, UNDO, "note", OPEN, EXCLUDE, INCLUDE)


def merge(project: Project, other: Project) -> int:
    """Takes the log of a copy of the project into it; how many entries were new.

    Raises:
        ValueError: a project with other rules or items.
    """
    _check_copy(project, other.fingerprint, other.folder)
    return _absorb(project, entries(other), deciding.lines(other))


def merge_log(project: Project, path: Path | str) -> int:
    """The same from a file that ``export.log`` wrote.

    Raises:
        FileNotFoundError: no such file. ValueError: no such log, a damaged line, or the log of
            another project.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    with path.open(encoding="utf-8") as file:
        head = _line(path, 0, file.readline(), project.rules)
        if head.get("log") != LOG:
            raise ValueError(f"{path} is no log of a review project.")
        _check_copy(project, head.get("fingerprint"), path)
        found = [_line(path, number, line, project.rules) for number, line in enumerate(file, 1)]
    said = [line for line in found if line["kind"] != DECISION]
    return _absorb(project, said, [line for line in found if line["kind"] == DECISION])


def import_answers(project: Project, path: Path | str, roles: Roles | None = None) -> int:
    """Takes answers from a table of any format; how many were new.

    Args:
        path: a row per answer, with the columns ``name`` (of the item; or ``item``, its row of the
            data set), ``person`` (a code) and ``answer``: in its normal form, or the name of a
            class, several with ``|`` between them. And ``named``, ``ms``, ``at``, ``flip``,
            ``note`` and ``id`` if there are any; and ``given`` and ``guessed``, which must be the
            classes that the project asks about.
        roles: which columns are the item, the person and the answer, where they are called
            otherwise.

    Raises:
        FileNotFoundError: no such file. ValueError: columns missing, items that the project does
            not have, answers that the question does not have, two of one person about one item.
    """
    table = read_answers(path, roles, ("name", "person", "answer"))
    numbers = [typed(table.frame[name]) for name in ("ms", "at", "flip") if name in table.frame]
    rows = table.frame.with_columns(numbers).rows(named=True)
    by = "item" if table.names[0] == "item" else "name"
    asked = _asked(project, by)
    return _absorb(project, _of_table(project, Path(table.path), rows, asked, by))


def import_votes(project: Project, tally: Tally | SetTally) -> int:
    """Takes counted answers, such as released ones; how many were new.

    Nobody knows who gave them: the k-th answer about each item goes to a person ``votes-k``, so
    nothing can be said about people.

    Raises:
        ValueError: items that the project does not have, or answers that were not offered.
    """
    return _absorb(project, _of_tally(project, tally))


def recount(project: Project) -> None:
    """Makes everything that is kept beside the log afresh from it."""

    def work(connection: Connection) -> None:
        items = sorted(connection.execute(select(t.item.c.id)).scalars())
        everyone = sorted(connection.execute(select(t.person.c.id)).scalars())
        _settle(connection, project, items, everyone)

    project.store.write(work)


def _absorb(
    project: Project,
    found: Iterable[Mapping[str, Any]],
    decided: Sequence[Mapping[str, Any]] = (),
) -> int:
    """Add the entries and decisions that are not there, all or none; bring the rest up to date."""
    listed = list(found)

    def work(connection: Connection) -> int:
        people = _people(connection, listed)
        items: set[int] = set()
        everyone: set[int] = set()
        added = deciding.absorb(connection, decided)
        rest = iter(listed)
        while part := list(islice(rest, PART)):
            new = _new(connection, part)
            added += len(new)
            everyone |= {people[entry["code"]] for entry in new}
            items |= {entry["item"] for entry in new if entry["item"] is not None}
            if new:
                rows = [
                    {name: entry.get(name) for name in NAMES}
                    | {"person": people[entry["code"]], "ms": time_of(entry.get("ms"))}
                    for entry in new
                ]
                connection.execute(insert(t.entry), rows)
        if any(entry["kind"] in (EXCLUDE, INCLUDE) for entry in listed):
            seats = select(t.seat.c.item).where(t.seat.c.person.in_(everyone)).distinct()
            items |= set(connection.execute(seats).scalars())
        _settle(connection, project, sorted(items), sorted(everyone))
        return added

    return project.store.write(work)


def _settle(
    connection: Connection, project: Project, items: Sequence[int], everyone: Sequence[int]
) -> None:
    for start in range(0, len(everyone), 400):
        _shut_out(connection, everyone[start : start + 400])
    for start in range(0, len(items), 400):
        _seat(connection, items[start : start + 400])
    refresh(connection, project.rules, items)
    for start in range(0, len(everyone), 400):
        _count_people(connection, project, everyone[start : start + 400])


def _new(connection: Connection, part: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those whose id is not in the log, each once."""
    there: set[str] = set()
    ids = [entry["id"] for entry in part]
    for start in range(0, len(ids), 400):
        chosen = select(t.entry.c.id).where(t.entry.c.id.in_(ids[start : start + 400]))
        there |= set(connection.execute(chosen).scalars())
    new = []
    for entry in part:
        if entry["id"] not in there:
            there.add(entry["id"])
            new.append(entry)
    return new


def _people(connection: Connection, listed: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Numbers of people by code; those who are not there yet are added."""
    known = {row.code: row.id for row in connection.execute(select(t.person.c.code, t.person.c.id))}
    names = {entry["code"]: entry.get("name") for entry in listed}
    for code, name in names.items():
        if code not in known:
            made = insert(t.person).values(code=code, name=name).returning(t.person.c.id)
            known[code] = connection.execute(made).scalar_one()
    return known


def _shut_out(connection: Connection, everyone: Sequence[int]) -> None:
    """The last word on each person counts."""
    said = connection.execute(
        select(t.entry.c.person, t.entry.c.kind)
        .where(t.entry.c.person.in_(everyone), t.entry.c.kind.in_((EXCLUDE, INCLUDE)))
        .order_by(t.entry.c.at, t.entry.c.id)
    ).all()
    for person, kind in dict(map(tuple, said)).items():
        out = update(t.person).where(t.person.c.id == person)
        connection.execute(out.values(excluded=int(kind == EXCLUDE)))


def _seat(connection: Connection, items: Sequence[int]) -> None:
    """Seats of these items as the log has them; leases stay where nobody has answered."""
    said = connection.execute(
        select(t.entry)
        .where(t.entry.c.item.in_(items), t.entry.c.kind.in_((ANSWER, UNDO, OPEN)))
        .order_by(t.entry.c.at, t.entry.c.id)
    ).all()
    undone = {row.target for row in said if row.kind == UNDO}
    standing: dict[tuple[int, int, int], Any] = {}
    opened: dict[tuple[int, int, int], float] = {}
    for row in said:
        place = (row.item, row.person, row.repeat)
        if row.kind == ANSWER and row.id not in undone:
            standing.setdefault(place, row)
        elif row.kind == OPEN:
            opened.setdefault(place, row.at)
    old = connection.execute(select(t.seat).where(t.seat.c.item.in_(items))).all()
    before = {(row.item, row.person, row.repeat): row for row in old}
    connection.execute(delete(t.seat).where(t.seat.c.item.in_(items)))
    places = {*before, *standing, *opened}
    rows = [
        _seat_row(place, before.get(place), standing.get(place), opened.get(place))
        for place in sorted(places)
    ]
    if rows:
        connection.execute(insert(t.seat), rows)


def _seat_row(
    place: tuple[int, int, int], before: Any, said: Any, opened: float | None
) -> dict[str, Any]:
    seen = opened is not None and (said is None or opened < said.at)
    until = None if said is not None or before is None else before.until
    if seen:
        until = until or None  # handed out still, or never again
    elif said is None and until is None:
        until = 0.0  # an answer taken back elsewhere: not theirs any more, unless handed out again
    return {
        "item": place[0],
        "person": place[1],
        "repeat": place[2],
        "flip": before.flip if before is not None else 0 if said is None else said.flip,
        "until": until,
        "entry": None if said is None else said.id,
        "open": int(seen),
        "turn": 0 if before is None else before.turn,
        "batch": before.batch if before is not None else 0 if said is None else said.batch or 0,
    }


def _count_people(connection: Connection, project: Project, everyone: Sequence[int]) -> None:
    e = t.entry.c
    skip, timed = e.choice == SKIP, e.ms.between(0, LONGEST_MS)
    fast = and_(timed, e.ms < project.rules.fast_ms)
    rows = connection.execute(
        select(
            t.seat.c.person,
            func.sum(case((skip, 0), else_=1)).label("answers"),
            func.sum(case((skip, 1), else_=0)).label("skips"),
            func.sum(case((fast, 1), else_=0)).label("fast"),
            func.coalesce(func.sum(case((timed, e.ms))), 0.0).label("ms"),
            func.sum(case((timed, 1), else_=0)).label("timed"),
        )
        .join(t.entry, e.id == t.seat.c.entry)
        .where(t.seat.c.person.in_(everyone))
        .group_by(t.seat.c.person)
    ).all()
    none = {"answers": 0, "skips": 0, "fast": 0, "ms": 0.0, "timed": 0}
    found = {row.person: {name: getattr(row, name) for name in none} for row in rows}
    for person in everyone:
        changed = update(t.person).where(t.person.c.id == person)
        connection.execute(changed.values(found.get(person, none)))


def _check_copy(project: Project, fingerprint: Any, where: Path) -> None:
    if fingerprint != project.fingerprint:
        raise ValueError(
            f"{where} is about another project than {project.folder}: its rules or items differ."
            " Logs of copies of one project can be merged; answers alone come in as a table."
        )


def _line(path: Path, number: int, line: str, rules: Rules) -> dict[str, Any]:
    try:
        found = json.loads(line)
        if not isinstance(found, dict):
            raise ValueError("it is no entry")
        if number and found.get("kind") == DECISION:
            return {"kind": DECISION, **deciding.checked_line(found, rules)}
        if number and (missing := {*NAMES, "code"} - {*found, *NEWER}):
            raise ValueError(f"{sorted(missing)[0]} is missing")
        code = found.get("code")
        if number:
            check_at(found["at"])
        if number and (found["kind"] not in KINDS or not CODE.fullmatch(str(code))):
            raise ValueError("its kind or code is unknown")
    except json.JSONDecodeError:
        raise ValueError(
            f"{path} is damaged in line {number + 1}, which is no JSON; export the log again."
        ) from None
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{path} cannot be read in line {number + 1} ({error}); export the log again."
        ) from None
    return found


def _asked(project: Project, by: str) -> dict[Any, Any]:
    """The project's items by name or by row, with number and classes; gold items too."""
    i = t.item.c
    column = {"name": i.name, "item": i.at_row}[by]
    with project.store.read() as connection:
        rows = connection.execute(select(column.label("key"), i.id, i.given, i.guessed)).all()
    return {row.key: row for row in rows if row.key != -1}


def _of_table(
    project: Project,
    path: Path,
    rows: Sequence[Mapping[str, Any]],
    asked: Mapping[Any, Any],
    by: str,
) -> Iterator[dict[str, Any]]:
    seen: dict[tuple[int, str], int] = {}
    for k, row in enumerate(rows):
        if row["label"] is None:
            continue
        key = str(row["item"]) if by == "name" else row["item"]
        if key not in asked:
            raise ValueError(f"{path}: row {k} is about {by} {key!r}, which the project lacks.")
        code, said, item = str(row["annotator"]), str(row["label"]), asked[key]
        if not CODE.fullmatch(code):
            raise ValueError(f"{path}: row {k} is by {code!r}; a code is letters, digits, . _ @ -.")
        try:
            _check_classes(row, item, project.rules.classes)
            check_at(row.get("at") or 0.0)
            choice, named = in_normal_form(said, row.get("named"), item, project.rules)
        except ValueError as error:
            raise ValueError(f"{path}: row {k}: {error}") from None
        first = seen.setdefault((item.id, code), k)
        if first != k:
            raise ValueError(
                f"{path}: {code!r} answers {by} {key!r} twice, in rows {first} and {k}."
            )
        yield _entry(
            project,
            item.id,
            code,
            choice,
            named=named,
            id=None if row.get("id") is None else str(row["id"]),
            ms=row.get("ms"),
            at=row.get("at") or 0.0,
            flip=row.get("flip") or 0,
            note=row.get("note"),
        )


def in_normal_form(said: str, named: Any, item: Any, rules: Rules) -> tuple[str, int | None]:
    """An answer as the log has it, from that form or from names of classes; and the class beside.

    Args:
        named: the class named beside ``neither``, by number or name, or None. item: its ``given``
            and ``guessed``.

    Raises:
        ValueError: an answer that the question does not have.
    """
    classes = rules.classes
    beside = None if named is None else _class_of(named, classes)
    names = [name.strip() for name in said.split(BAR)]
    if said not in rules.offered and all(name in classes for name in names):
        codes = sorted({classes.index(name) for name in names})
        if rules.asked.counted == "labels":
            said = " ".join(map(str, codes))
        elif rules.asked.beside and len(codes) == 1:
            shown = {item.guessed: "guessed", item.given: "given"}
            said = shown.get(codes[0], rules.asked.beside)
            beside = None if codes[0] in shown else codes[0]
    codes_of(said, rules)
    if beside is not None:
        check_named(said, beside, rules)
        if beside in (item.given, item.guessed):
            raise ValueError(f"{classes[beside]!r} is one of the two classes asked about.")
    return said, beside


def _class_of(said: Any, classes: Sequence[str]) -> int:
    """The class that a cell names, by name or by number."""
    if str(said) in classes:
        return classes.index(str(said))
    if str(said).isascii() and str(said).isdigit() and int(said) < len(classes):
        return int(said)
    raise ValueError(f"{shortened(said)} is no class of the project.")


def _check_classes(row: Mapping[str, Any], item: Any, classes: Sequence[str]) -> None:
    """Refuse an answer about other classes than those the project asks about."""
    for name in ("given", "guessed"):
        if row.get(name) is not None:
            theirs, ours = _class_of(row[name], classes), getattr(item, name)
            if theirs != ours:
                known = classes[ours] if ours >= 0 else "nothing"
                raise ValueError(
                    f"the {name} class is {classes[theirs]!r}, where the project has {known!r}."
                )


def _of_tally(project: Project, tally: Tally | SetTally) -> Iterator[dict[str, Any]]:
    asked = _asked(project, "name")
    for name, choices in _choices_of(tally):
        if name not in asked:
            raise ValueError(f"there are votes about {name!r}, which the project lacks.")
        for k, choice in enumerate(choices):
            codes_of(choice, project.rules)
            yield _entry(project, asked[name].id, f"votes-{k + 1}", choice)


def _choices_of(tally: Tally | SetTally) -> Iterator[tuple[str, list[str]]]:
    if isinstance(tally, Tally):
        for k, name in enumerate(tally.ids.tolist()):
            counts = tally.counts[k].tolist()
            said = [answer for answer, times in zip(ANSWERS, counts) for _ in range(times)]
            yield str(name), said + [SKIP] * int(tally.skipped[k])
        return
    asked = tally.given | tally.guessed | (tally.heard > 0)
    for k, label in zip(*asked.nonzero()):
        yes = int(tally.heard[k, label])
        said = [YES_NO[1]] * yes + [YES_NO[0]] * (tally.people - yes)
        yield f"{tally.ids[k]}:{label}", said


def _entry(
    project: Project, item: int, code: str, choice: str, id: str | None = None, **more: Any
) -> dict[str, Any]:
    """An entry from outside; without an id of its own one that follows from what it says."""
    if id is None:
        said = json.dumps([project.fingerprint, item, code, choice])
        id = f"import-{hashlib.sha256(said.encode()).hexdigest()[:32]}"
    usual = dict.fromkeys(NAMES) | {
        "repeat": 0,
        "flip": 0,
        "blind": 1,
        "late": 0,
        "at": 0.0,
    }
    return usual | {"id": id, "kind": ANSWER, "item": item, "choice": choice, "code": code} | more
