"""Answers of people, one a row, counted per item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...data.ingest import Roles, answers
from ...data.ingest.labels import class_numbers
from ...data.ingest.table_checks import about, whole_column
from ...ground.arrays import as_array, door, rows_are, same_rows, whole_numbers
from ...ground.checks import checked_classes
from ...ground.names import nearest
from ._items import check_asked, rows_asked
from .drawn import drawn_in
from .rule import merged
from .tally import ANSWERS, UNKNOWN, Tally, most_named

if TYPE_CHECKING:
    import polars as pl

SKIP, NEITHER = "skip", "neither"
COLUMNS = ("item", "person", "answer")


@door
def from_answers(
    item: Any,
    person: Any,
    answer: Any,
    *,
    given: Any = None,
    guessed: Any = None,
    named: Any = None,
    asked: Any = None,
    people: Iterable[Any] | None = None,
    classes: Sequence[str] | None = None,
    offered: Sequence[str] = ANSWERS,
) -> Tally:
    """A tally of a long table: who answered what about which item.

    Args:
        item: int (answers,), row numbers of the examples.
        person: (answers,), integers or strings.
        answer: (answers,) of ``given``, ``guessed``, ``both``, ``neither``, ``other`` or ``skip``.
        given, guessed: int (n,) by row of the data set: the labels, and what was proposed instead
            (-1 where nothing was). Unknown by default.
        named: int (answers,), the class that fits, where somebody who answers ``neither`` names
            one; -1 elsewhere.
        asked: int (k,), items that were asked about; by default those with an answer. One without
            an answer, or with skips alone, stays in the tally with counts of 0.
        people: who may answer; anybody by default.
        classes: names of the classes.
        offered: the answers that people could give.

    Returns:
        A tally of the items asked about, in ascending order.

    Raises:
        ValueError: no or unknown answers, a person who is not among ``people``, two answers of
            one person about one item, an item out of range or not among ``asked``, a class out of
            range or named beside another answer than ``neither``. The message names the row.

    >>> found = from_answers([7, 7, 7], ["ann", "bob", "cy"], ["given", "both", "skip"])
    >>> found.item, found.counts[0].tolist(), found.skipped
    (array([7]), [1, 0, 1, 0, 0], array([1]))
    """
    same_rows(item=item, person=person, answer=answer, named=named)
    labels = {}
    for name, values in (("given", given), ("guessed", guessed)):
        labels[name] = None if values is None else whole_numbers(name, values)
        rows_are(values, np.arange(0 if values is None else len(values)), name)
    items = whole_numbers("item", item)
    return _tally_of(
        _Columns(
            items,
            _listed("person", person),
            _listed("answer", answer),
            np.arange(len(items)),
            np.full(len(items), UNKNOWN) if named is None else whole_numbers("named", named),
        ),
        lambda rows: tuple(_at(name, values, rows) for name, values in labels.items()),
        asked=asked,
        people=people,
        classes=classes,
        offered=offered,
    )


@door
def read_answers(
    path: Path | str,
    *,
    labels: Any = None,
    ids: Any = None,
    classes: Sequence[str] | None = None,
    people: Iterable[Any] | None = None,
    roles: Roles | None = None,
) -> Tally:
    """A tally of a table with a row per answer.

    Args:
        path: a table of any format with the columns ``item`` (row number, or one of ``ids``),
            ``person``, ``answer``;
            and, unless ``labels`` has the former, ``given`` and ``guessed``: numbers, or names of
            ``classes``, the same in every row of an item; and perhaps ``named``, see
            ``from_answers``, and ``people`` and ``threshold``, see ``Tally``. A row without an
            answer says that the item was asked about.
        labels: int (n,), the given labels of the whole data set.
        ids: (n,), what its rows are called; a column ``name`` holds these, and ``item`` where it
            can be no row number.
        classes, people: see ``from_answers``.
        roles: which columns are the first three, where they are called otherwise.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a file that is no table, columns missing, an item whose rows disagree, answers
            about other labels than ``labels``, or what ``from_answers`` refuses.

    Warns:
        UserWarning: row numbers that are among ``ids`` as well, of other rows.
    """
    table = answers.read_answers(path, roles, COLUMNS)
    with about(table.path):
        items = rows_asked(table, None if ids is None else as_array(ids, "ids"))
        return _of_table(table.frame, items, labels, classes, people)


def _of_table(
    table: pl.DataFrame,
    items: np.ndarray,
    labels: Any,
    classes: Sequence[str] | None,
    people: Iterable[Any] | None,
) -> Tally:
    all_labels = None if labels is None else whole_numbers("labels", labels)
    if all_labels is not None and "given" in table.columns:
        asked = table["given"]
        if classes is not None or asked.dtype.is_integer():
            check_asked(class_numbers(asked, "the given class", classes), all_labels, items)
    said = {
        name: class_numbers(table[name], f"the {name} class", classes)
        for name in ("given", "guessed")
        if name in table.columns and (name != "given" or labels is None)
    }

    def classes_at(rows: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(
            _per_item(name, items, said[name], rows)
            if name in said
            else _at("labels", all_labels if name == "given" else None, rows)
            for name in ("given", "guessed")
        )

    named = np.full(len(items), UNKNOWN)
    if "named" in table.columns:
        there = np.flatnonzero(table["named"].is_not_null().to_numpy())
        named[there] = class_numbers(table["named"][there], "the named class", classes)
    answered = np.flatnonzero(table["label"].is_not_null().to_numpy())
    people_of, said_of = (table[name].to_list() for name in ("annotator", "label"))
    columns = _Columns(
        items[answered],
        [people_of[row] for row in answered],
        [said_of[row] for row in answered],
        answered,
        named[answered],
    )
    found = _tally_of(
        columns, classes_at, asked=np.unique(items), people=people, classes=classes, offered=ANSWERS
    )
    return replace(
        found,
        drawn=drawn_in(table, items),
        people=_one_rule(table, "people"),
        threshold=_one_rule(table, "threshold"),
    )


def _one_rule(table: pl.DataFrame, name: str) -> int | None:
    """What a column says of all items, the same in every row; None where it says nothing."""
    if name not in table.columns:
        return None
    said = {*whole_column(table[name].drop_nulls()).tolist()}
    if len(said) > 1:
        raise ValueError(
            f"column {name!r} says {min(said)} and {max(said)}; it is one number of all items."
        )
    return next(iter(said), None)


class _Columns(NamedTuple):
    """Answers, an entry each, and the row where each stands."""

    items: np.ndarray
    people: list[Any]
    answers: list[Any]
    rows: np.ndarray
    named: np.ndarray


def _tally_of(
    columns: _Columns,
    classes_at: Callable[[np.ndarray], tuple[np.ndarray, ...]],
    *,
    asked: Any,
    people: Iterable[Any] | None,
    classes: Sequence[str] | None,
    offered: Sequence[str],
) -> Tally:
    """Counted; ``classes_at`` says what items were given and guessed to be, int (k,) each."""
    lengths = [len(column) for column in columns[:3]]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"{lengths[0]} items, {lengths[1]} people and {lengths[2]} answers; give one of each"
            " a row."
        )
    names = None if classes is None else checked_classes(classes)
    codes = _codes(columns, offered)
    persons = _person_codes(columns, people)
    items, place = _asked(columns, asked)
    _check_once(columns, place, persons)
    width = len(ANSWERS) + 1
    table = np.bincount(place * width + codes, minlength=len(items) * width)
    table = table.reshape(len(items), width)
    first, second = classes_at(items)
    same = (first == second) & (first >= 0)
    counts = merged(table[:, :-1], same)  # two names of one class, and each person spoke once
    named, naming = _most_named(columns, place, len(items))
    return Tally(
        item=items,
        counts=counts,
        given=first,
        guessed=second,
        skipped=table[:, -1],
        offered=tuple(name for name in ANSWERS if name in offered),
        classes=names,
        named=named,
        naming=naming,
    )


def _most_named(columns: _Columns, place: np.ndarray, items: int) -> tuple[np.ndarray, np.ndarray]:
    """See ``most_named``; of those who answered ``neither``."""
    there = columns.named != UNKNOWN
    for at in np.flatnonzero(there & (np.array(columns.answers, object) != NEITHER))[:1]:
        raise ValueError(
            f"the answer in row {columns.rows[at]} is {columns.answers[at]!r} and names class"
            f" {columns.named[at]}; only who answers {NEITHER!r} names another class."
        )
    return most_named(place[there], columns.named[there], items)


def _at(name: str, values: np.ndarray | None, items: np.ndarray) -> np.ndarray:
    """Labels of items, int64 (k,); -1 where there are none."""
    if values is None:
        return np.full(len(items), UNKNOWN)
    for item in items[items >= len(values)][:1]:
        raise ValueError(
            f"item {item} is asked about, but `{name}` has {len(values)} entries"
            f" (0..{len(values) - 1}). Items are row numbers of the data set."
        )
    return values[items]


def _listed(name: str, values: Any) -> list[Any]:
    if hasattr(values, "to_list"):
        return values.to_list()
    return as_array(values, name).tolist() if isinstance(values, np.ndarray) else list(values)


def _codes(columns: _Columns, offered: Sequence[str]) -> np.ndarray:
    """Places among ``ANSWERS``, and one more for a skip."""
    for name in offered:
        if name not in ANSWERS:
            raise ValueError(f"{name!r} cannot be offered; the answers are {', '.join(ANSWERS)}.")
    code = {name: place for place, name in enumerate(ANSWERS) if name in offered}
    code[SKIP] = len(ANSWERS)
    for row, said in zip(columns.rows.tolist(), columns.answers):
        if not isinstance(said, str) or said not in code:
            close = nearest(said, code) if isinstance(said, str) else "."
            raise ValueError(
                f"the answer in row {row} is {said!r}; it can be {', '.join(code)}{close}"
            )
    return np.fromiter(map(code.__getitem__, columns.answers), np.int64, len(columns.answers))


def _person_codes(columns: _Columns, people: Iterable[Any] | None) -> np.ndarray:
    persons = columns.people
    number: Mapping[Any, int] = {who: i for i, who in enumerate(dict.fromkeys(persons))}
    if people is not None:
        allowed = set(people)
        for who in number:
            if who not in allowed:
                row = columns.rows[persons.index(who)]
                raise ValueError(
                    f"the answer in row {row} is by {who!r}, who is not among the {len(allowed)}"
                    " people named."
                )
    return np.fromiter(map(number.__getitem__, persons), np.int64, len(persons))


def _asked(columns: _Columns, asked: Any) -> tuple[np.ndarray, np.ndarray]:
    """The items asked about, ascending, and which of them each answer is about."""
    items = columns.items
    for place in np.flatnonzero(items < 0)[:1]:
        raise ValueError(
            f"the item in row {columns.rows[place]} is {items[place]}; items are row numbers from"
            " 0."
        )
    rows = np.unique(items if asked is None else whole_numbers("asked", asked))
    places = np.searchsorted(rows, items)
    known = places < len(rows)
    known[known] = rows[places[known]] == items[known]
    for place in np.flatnonzero(~known)[:1]:
        raise ValueError(
            f"the answer in row {columns.rows[place]} is about item {items[place]}, which nobody"
            " asked."
        )
    return rows, places


def _check_once(columns: _Columns, place: np.ndarray, persons: np.ndarray) -> None:
    cell = place * (int(persons.max(initial=-1)) + 1) + persons
    order = np.argsort(cell, kind="stable")
    for twice in np.flatnonzero(np.diff(cell[order]) == 0)[:1]:
        first, second = order[twice], order[twice + 1]
        raise ValueError(
            f"{columns.people[first]!r} answers about item {columns.items[first]} twice, in rows"
            f" {columns.rows[first]} and {columns.rows[second]}. Keep one of them."
        )


def _per_item(name: str, items: np.ndarray, numbers: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """One class for each item asked about, int64 (k,); rows of an item must agree."""
    found = np.full(len(asked), UNKNOWN)
    places = np.searchsorted(asked, items)
    said = numbers != UNKNOWN
    found[places[said]] = numbers[said]
    for row in np.flatnonzero(said & (found[places] != numbers))[:1]:
        raise ValueError(
            f"item {items[row]} is {name} class {numbers[row]} in row {row} and"
            f" {found[places[row]]} in another."
        )
    return found
