"""What people said, on the way out: a row per answer, counts, corrected labels, other programs."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np
from sqlalchemy import and_, select

from ...data.ingest.exports import ANSWER, ITEM
from ...data.labels.votes import Votes
from ..validation import ANSWERS, SetTally
from . import _schema as t
from . import deciding
from ._people import Standing, standings
from .project import Project
from .questions import SKIP, counts_of
from .rules import codes_of
from .totals import tally

if TYPE_CHECKING:
    import polars as pl

PART = 5000  # entries read at once
LOG = "candidly review log 1"
PEOPLE = uuid.UUID("6f7b7c0e-5e0c-5d6e-9d54-6a2f0d1f9b11")  # namespace of Argilla's user ids
DECISION = "decision"  # the kind of a line that is no entry of people
ENTRY = tuple(column for column in t.entry.c if column.name not in ("seq", "person"))


def votes(project: Project, everything: bool = False) -> pl.DataFrame:
    """A row per answer, by item, then time; what was taken back is not there.

    Columns: ``item`` (row of the data set; the number in the project where that is not known),
    ``name``, ``person``, ``answer`` in its normal form, ``given`` and ``guessed``, ``labels``
    (names of classes, for label questions), ``named`` (the class that fits, where somebody who
    answers ``neither`` names one), ``flip`` (1: the guessed class came first), ``ms``, ``at``
    (seconds since 1970), ``batch``, ``note``, ``examples``, ``interface``, ``id``, ``people`` who
    are asked about each item and, of verdicts, the ``threshold`` that makes one; and with
    ``everything`` also ``repeat``, ``gold``, ``blind``, ``late`` and ``excluded``, and the answers
    for which one of these keeps them out of the totals. Where items were drawn for a count, also
    ``stratum``, ``stratum size`` and ``stratum chance``. ``validation.read_answers`` reads it.
    """
    import polars as pl

    rows = [_vote(project, row, everything) for row in _standing(project, everything)]
    schema = {**_VOTE, **(_MORE if everything else {})}
    rules = project.rules
    said = {"people": rules.people, "threshold": rules.threshold}
    table = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.lit(value, pl.Int64).alias(name) for name, value in said.items()
    )
    if project.drawn is None:
        return table
    drawn = {"item": project.drawn.rows, **project.drawn.columns()}
    of_item = pl.DataFrame(drawn).with_columns(pl.col(pl.Float64).fill_nan(None))
    return table.join(of_item, "item", how="left", maintain_order="left")


_VOTE: dict[str, Any] = {
    "item": int,
    "name": str,
    "person": str,
    "answer": str,
    "given": int,
    "guessed": int,
    "labels": str,
    "named": int,
    "flip": int,
    "ms": float,
    "at": float,
    "batch": int,
    "note": str,
    "examples": str,
    "interface": str,
    "id": str,
}
_MORE: dict[str, Any] = {
    "repeat": int,
    "gold": bool,
    "blind": bool,
    "late": bool,
    "excluded": bool,
}


def pay_list(project: Project) -> pl.DataFrame:
    """A row per person who may answer, such as to pay them: how much, how long, how well.

    Columns: ``person`` (their code), ``name``, ``answers`` and ``skips`` that stand, known and
    repeated items included, ``fast`` (answers below ``Rules.fast_ms``), ``timed`` (answers and
    skips whose time is known), ``seconds`` (of these together), ``known`` items answered, how many
    of them are ``known right``, and ``known from`` and ``known to``, the ends of the 95 % interval
    of that share (null without any), ``repeats`` (items answered twice) and ``repeats alike``,
    ``excluded`` and the ``reason``.
    """
    import polars as pl

    def told(one: Standing) -> dict[str, Any]:
        ends = (one.low, one.high) if one.gold else (None, None)
        return dict(zip(_PERSON, (
            *(one.code, one.name, one.answers, one.skips, one.fast, one.timed, one.total_seconds),
            *(one.gold, one.gold_right, *ends, one.repeats, one.repeats_same),
            *(one.excluded, one.reason),
        )))  # fmt: skip

    return pl.DataFrame(list(map(told, standings(project))), schema=_PERSON, orient="row")


_PERSON: dict[str, Any] = {
    "person": str,
    "name": str,
    "answers": int,
    "skips": int,
    "fast": int,
    "timed": int,
    "seconds": float,
    "known": int,
    "known right": int,
    "known from": float,
    "known to": float,
    "repeats": int,
    "repeats alike": int,
    "excluded": bool,
    "reason": str,
}


def label_votes(project: Project) -> Votes:
    """The answers to a label question, as ``Labelled`` holds them; skips are left out.

    Raises:
        ValueError: another question, or items whose rows are not known.
    """
    rules = project.rules
    if rules.asked.counted != "labels":
        raise ValueError(f"the question is {rules.question!r}; only labels make votes.")
    rows = []
    for row in _standing(project, False):
        if row.at_row < 0:
            raise ValueError(f"item {row.name!r} is no row of a data set, as far as is known.")
        if row.choice != SKIP:
            rows.append((row.at_row, row.code, codes_of(row.choice, rules)))
    return Votes.from_rows(rows)


def crowd(project: Project) -> pl.DataFrame:
    """The answers to one label as ``candidly crowd`` reads them; skips are left out.

    Columns: ``item`` (as in ``votes``), ``annotator``, ``label`` (the name of the class).

    Raises:
        ValueError: another question.
    """
    import polars as pl

    if project.rules.asked.taken_out != "crowd":
        question = project.rules.question
        raise ValueError(f"the question is {question!r}; candidly crowd reads one label a person.")
    table = votes(project).filter(pl.col("answer") != SKIP)
    return table.select("item", annotator="person", label="labels")


def released(project: Project) -> list[dict[str, Any]]:
    """Counts of verdicts, or of yes by class, in the layout of the released files of votes.

    ``validation.read_released`` reads it, and counts the same.

    Raises:
        ValueError: a question about labels.
    """
    return [*_TOTALS.get(project.rules.asked.counted, _no_totals)(project)]


def set_tally(project: Project) -> SetTally:
    """The answers to yes/no questions about classes of the same thing, as ``validation`` takes.

    Raises:
        ValueError: another question.
    """
    if project.rules.asked.counted != "sets":
        raise ValueError(f"the question is {project.rules.question!r}, not yes or no.")
    groups = _groups(project)
    shape = (len(groups), len(project.rules.classes))
    given, guessed = np.zeros(shape, bool), np.zeros(shape, bool)
    heard = np.zeros(shape, np.int64)
    for k, rows in enumerate(groups.values()):
        for row in rows:
            given[k, row.asks] = row.given >= 0
            guessed[k, row.asks] = row.guessed >= 0
            heard[k, row.asks] = counts_of(row.pattern).get(1, 0)
    ids = np.empty(len(groups), object)
    ids[:] = list(groups)
    return SetTally(
        item=np.array([rows[0].at_row for rows in groups.values()], np.int64),
        given=given,
        guessed=guessed,
        heard=heard,
        classes=project.rules.classes,
        people=project.rules.people,
        ids=ids,
    )


def label_studio(project: Project) -> tuple[list[dict[str, Any]], str]:
    """Tasks with the answers as annotations for Label Studio to import, and a labelling set-up."""
    rules, tasks = project.rules, []
    several = rules.several
    for item, rows in _by_item(project):
        data = {_FIELD[item.kind]: item.payload, "name": item.name, "row": item.at_row}
        annotations = [
            {
                "result": [
                    {
                        "from_name": ANSWER,
                        "to_name": ITEM,
                        "type": "choices",
                        "value": {"choices": words_of(project, item, row.choice)},
                        "meta": {"text": [row.code]},
                    }
                ],
                "was_cancelled": row.choice == SKIP,
                "lead_time": None if row.ms is None else row.ms / 1000,
            }
            for row in rows
        ]
        tasks.append({"data": data, "annotations": annotations})
    field = next((name for task in tasks for name in _TAGS if name in task["data"]), "text")
    choices = "".join(
        f"<Choice value={quoteattr(name)}/>" for name in project.rules.asked.choices(project.rules)
    )
    how = "multiple" if several else "single"
    setup = (
        f'<View><{_TAGS[field]} name="{ITEM}" value="${field}"/>'
        f'<Choices name="{ANSWER}" toName="{ITEM}" choice="{how}">{choices}</Choices></View>'
    )
    return tasks, setup


_FIELD = {"image": "image", "audio": "audio", "text": "text", "table": "text", "none": "text"}
_TAGS = {"image": "Image", "audio": "Audio", "text": "Text"}


def argilla(project: Project) -> list[dict[str, Any]]:
    """Records with the answers as responses, for Argilla's ``dataset.records.from_json``.

    People have user ids that follow from their codes.
    """
    several = project.rules.several
    records = []
    for item, rows in _by_item(project):
        responses = []
        for row in rows:
            words = words_of(project, item, row.choice)
            if words:
                who = str(uuid.uuid5(PEOPLE, row.code))
                responses.append({"value": words if several else words[0], "user_id": who})
        records.append(
            {
                "id": item.name,
                "fields": {_FIELD[item.kind]: item.payload or item.name},
                "metadata": {"row": item.at_row},
                "suggestions": {},
                "responses": {"answer": responses},
                "vectors": {},
            }
        )
    return records


def log(project: Project) -> Iterator[str]:
    """The whole log, a line of JSON per entry, after one that says of which project it is.

    Nothing is left out; ``merge_log`` takes it into a copy of the project.
    """
    yield json.dumps({"log": LOG, "fingerprint": project.fingerprint})
    for entry in entries(project):
        yield json.dumps(entry)
    for line in deciding.lines(project):
        yield json.dumps({"kind": DECISION, **line})


def entries(project: Project) -> Iterator[dict[str, Any]]:
    """Every entry of the log in order, with the code and name of its person.

    Between parts no connection is held: whoever takes them slowly keeps nobody from the database.
    """
    seq = t.entry.c.seq
    chosen = (
        select(seq, *ENTRY, t.person.c.code, t.person.c.name)
        .join(t.person, t.person.c.id == t.entry.c.person)
        .order_by(seq)
        .limit(PART)
    )
    last = -1
    while True:
        with project.store.read() as connection:
            rows = connection.execute(chosen.where(seq > last)).mappings().all()
        for row in rows:
            yield {name: value for name, value in row.items() if name != "seq"}
        if len(rows) < PART:
            return
        last = rows[-1]["seq"]


def words_of(project: Project, item: Any, choice: str) -> list[str]:
    """A choice in words: names of classes, ``both``, ``yes``; none for a skip."""
    rules = project.rules
    if choice == SKIP:
        return []
    if rules.asked.counted == "labels":
        return [rules.classes[code] for code in codes_of(choice, rules)]
    label = {"given": item.given, "guessed": item.guessed}.get(choice, -1)
    return [rules.classes[label] if label >= 0 else choice]


def _standing(project: Project, everything: bool) -> Sequence[Any]:
    """Answers that stand, with what is known of item and person."""
    s, e, i, p = t.seat.c, t.entry.c, t.item.c, t.person.c
    kept = and_(e.blind == 1, e.late == 0, s.repeat == 0, s.open == 0, i.gold == 0, p.excluded == 0)
    chosen = (
        select(t.entry, i.at_row, i.name, i.given, i.guessed, i.gold, p.code, p.excluded, s.open)
        .select_from(
            t.seat.join(t.entry, e.id == s.entry)
            .join(t.item, i.id == s.item)
            .join(t.person, p.id == s.person)
        )
        .order_by(i.at_row, i.id, e.at, e.id)
    )
    with project.store.read() as connection:
        return connection.execute(chosen if everything else chosen.where(kept)).all()


def _vote(project: Project, row: Any, everything: bool) -> tuple[Any, ...]:
    labels = None
    if project.rules.asked.counted == "labels":
        labels = "|".join(words_of(project, row, row.choice))
    known = [None if value < 0 else value for value in (row.given, row.guessed)]
    values = (row.item if row.at_row < 0 else row.at_row, row.name, row.code, row.choice, *known)
    values += (labels, row.named, row.flip, row.ms, row.at, row.batch, row.note, row.examples)
    values += (row.interface, row.id)
    if everything:
        blind = bool(row.blind and not row.open)
        values += (row.repeat, bool(row.gold), blind, bool(row.late), bool(row.excluded))
    return values


def _by_item(project: Project) -> Iterator[tuple[Any, list[Any]]]:
    """Every item, gold ones aside, with its answers."""
    said: dict[int, list[Any]] = {}
    for row in _standing(project, False):
        said.setdefault(row.item, []).append(row)
    chosen = select(t.item).where(t.item.c.gold == 0).order_by(t.item.c.at_row, t.item.c.id)
    with project.store.read() as connection:
        items = connection.execute(chosen).all()
    for item in items:
        yield item, said.get(item.id, [])


def _of_verdicts(project: Project) -> Iterator[dict[str, Any]]:
    counted, classes = tally(project), project.rules.classes
    columns = [ANSWERS.index(name) for name in counted.offered]
    for k, name in enumerate(counted.ids):
        given, guessed = int(counted.given[k]), int(counted.guessed[k])
        row = int(counted.item[k])
        yield {
            "id": row if row >= 0 else str(name),
            "url": "",
            "given_original_label": given,
            "given_original_label_name": classes[given],
            "our_guessed_label": guessed,
            "our_guessed_label_name": classes[guessed],
            "mturk": {ANSWERS[c]: int(counted.counts[k, c]) for c in columns},
        }


def _of_sets(project: Project) -> Iterator[dict[str, Any]]:
    classes = project.rules.classes
    for name, rows in _groups(project).items():
        heard = {classes[r.asks]: counts_of(r.pattern).get(1, 0) for r in rows}
        row = rows[0].at_row
        yield {
            "id": row if row >= 0 else name,
            "url": "",
            "given_original_labels": [classes[r.asks] for r in rows if r.given >= 0],
            "our_guessed_labels": [classes[r.asks] for r in rows if r.guessed >= 0],
            "mturk": heard,
        }


def _no_totals(project: Project) -> Iterator[dict[str, Any]]:
    raise ValueError(
        f"the question is {project.rules.question!r}; the released layouts are of verdicts and of"
        " yes or no. Export votes instead."
    )


_TOTALS = {"verdicts": _of_verdicts, "sets": _of_sets}


def _groups(project: Project) -> dict[str, list[Any]]:
    """Items of yes/no questions by what they are about: the name before the last colon."""
    i = t.item.c
    columns = (i.name, i.at_row, i.asks, i.given, i.guessed, i.pattern)
    with project.store.read() as connection:
        rows = connection.execute(
            select(*columns).where(i.gold == 0).order_by(i.at_row, i.id)
        ).all()
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(row.name.rpartition(":")[0] or row.name, []).append(row)
    return groups
