"""Answers of people, one a row, counted per item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._names import nearest
from ._tally import ANSWERS, UNKNOWN, Tally, whole

SKIP = "skip"
COLUMNS = ("item", "person", "answer")


def from_answers(
    item: Any,
    person: Any,
    answer: Any,
    *,
    given: Any = None,
    guessed: Any = None,
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
            range. The message names the row.

    >>> found = from_answers([7, 7, 7], ["ann", "bob", "cy"], ["given", "both", "skip"])
    >>> found.item, found.counts[0].tolist(), found.skipped
    (array([7]), [1, 0, 1, 0, 0], array([1]))
    """
    items = whole("item", item)
    codes = _codes(_listed(answer), offered)
    persons = _person_codes(_listed(person), people)
    if not len(items) == len(codes) == len(persons):
        raise ValueError(
            f"{len(items)} items, {len(persons)} people and {len(codes)} answers; give one of each"
            " a row."
        )
    labels = {
        name: None if values is None else whole(name, values)
        for name, values in (("given", given), ("guessed", guessed))
    }
    rows, place = _asked(items, asked, labels)
    _check_once(items, place, persons, _listed(person))
    cells = np.bincount(
        place * (len(ANSWERS) + 1) + codes, minlength=len(rows) * (len(ANSWERS) + 1)
    )
    table = cells.reshape(len(rows), len(ANSWERS) + 1)
    first, second = (
        np.full(len(rows), UNKNOWN) if values is None else values[rows]
        for values in labels.values()
    )
    counts = table[:, :-1]
    same = (first == second) & (first >= 0)
    counts[same, 0] += counts[same, 1]  # two names of one class, and each person spoke once
    counts[same, 1] = 0
    return Tally(
        item=rows,
        counts=counts,
        given=first,
        guessed=second,
        skipped=table[:, -1],
        offered=tuple(name for name in ANSWERS if name in offered),
        classes=None if classes is None else tuple(classes),
    )


def read_answers(
    path: Path | str,
    *,
    labels: Any = None,
    classes: Sequence[str] | None = None,
    people: Iterable[Any] | None = None,
) -> Tally:
    """A tally of a ``.csv`` or ``.parquet`` file with a row per answer.

    Args:
        path: columns ``item`` (row number), ``person``, ``answer``; and, unless ``labels`` has
            the former, ``given`` and ``guessed``: numbers, or names of ``classes``, the same in
            every row of an item. A row without an answer says that the item was asked about.
        labels: int (n,), the given labels of the whole data set.
        classes, people: see ``from_answers``.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a file that is no table, columns missing, an item whose rows disagree, or what
            ``from_answers`` refuses.
    """
    table = _read(Path(path))
    missing = [name for name in COLUMNS if name not in table.columns]
    if missing:
        raise ValueError(
            f"{path} has no column {missing[0]!r}; it needs {', '.join(COLUMNS)}, and has"
            f" {', '.join(table.columns) or 'none'}."
        )
    if table["item"].null_count():
        row = int(table["item"].is_null().arg_max() or 0)
        raise ValueError(f"{path} has no item in row {row}.")
    items = whole("item", table["item"])
    if (items < 0).any():
        raise ValueError(f"item {items.min()} is negative; items are row numbers from 0.")
    n = int(items.max(initial=-1)) + 1
    known = {} if labels is None else {"given": whole("labels", labels)}
    size = max(n, *(len(values) for values in known.values())) if known else n
    for name in ("given", "guessed"):
        if name in table.columns and (name != "given" or labels is None):
            numbers = _class_numbers(name, table[name].to_list(), classes)
            known[name] = _per_item(name, items, numbers, size)
    answered = table["answer"].is_not_null().to_numpy()
    if table.filter(answered)["person"].null_count():
        row = int(np.flatnonzero(table["person"].is_null().to_numpy() & answered)[0])
        raise ValueError(f"{path} has an answer without a person in row {row}.")
    return from_answers(
        items[answered],
        table["person"].filter(answered).to_list(),
        table["answer"].filter(answered).to_list(),
        asked=np.unique(items),
        classes=classes,
        people=people,
        given=known.get("given"),
        guessed=known.get("guessed"),
    )


def _listed(values: Any) -> list[Any]:
    if hasattr(values, "to_list"):
        return values.to_list()
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _codes(answers: list[Any], offered: Sequence[str]) -> np.ndarray:
    """Places among ``ANSWERS``, and one more for a skip."""
    for name in offered:
        if name not in ANSWERS:
            raise ValueError(f"{name!r} cannot be offered; the answers are {', '.join(ANSWERS)}.")
    code = {name: place for place, name in enumerate(ANSWERS) if name in offered}
    code[SKIP] = len(ANSWERS)
    try:
        return np.fromiter(map(code.__getitem__, answers), np.int64, len(answers))
    except (KeyError, TypeError):
        row = next(i for i, a in enumerate(answers) if not isinstance(a, str) or a not in code)
        said = answers[row]
        close = nearest(said, code) if isinstance(said, str) else "."
        raise ValueError(
            f"the answer in row {row} is {said!r}; it can be {', '.join(code)}{close}"
        ) from None


def _person_codes(persons: list[Any], people: Iterable[Any] | None) -> np.ndarray:
    number: Mapping[Any, int] = {who: i for i, who in enumerate(dict.fromkeys(persons))}
    if people is not None:
        allowed = set(people)
        for who in number:
            if who not in allowed:
                raise ValueError(
                    f"the answer in row {persons.index(who)} is by {who!r}, who is not among the"
                    f" {len(allowed)} people named."
                )
    return np.fromiter(map(number.__getitem__, persons), np.int64, len(persons))


def _asked(
    items: np.ndarray, asked: Any, labels: Mapping[str, np.ndarray | None]
) -> tuple[np.ndarray, np.ndarray]:
    """The items asked about, ascending, and which of them each answer is about."""
    rows = np.unique(items if asked is None else whole("asked", asked))
    sizes = {name: len(values) for name, values in labels.items() if values is not None}
    for row in np.flatnonzero(items < 0)[:1]:
        raise ValueError(f"the item in row {row} is {items[row]}; items are row numbers from 0.")
    for name, n in sizes.items():
        beyond = np.flatnonzero(rows >= n)
        if len(beyond):
            raise ValueError(
                f"item {rows[beyond[0]]} is asked about, but `{name}` has {n} entries"
                f" (0..{n - 1}). Items are row numbers of the data set."
            )
    place = np.searchsorted(rows, items)
    known = place < len(rows)
    known[known] = rows[place[known]] == items[known]
    for row in np.flatnonzero(~known)[:1]:
        raise ValueError(f"the answer in row {row} is about item {items[row]}, which nobody asked.")
    return rows, place


def _check_once(items: np.ndarray, place: np.ndarray, persons: np.ndarray, names: list) -> None:
    cell = place * (int(persons.max(initial=-1)) + 1) + persons
    order = np.argsort(cell, kind="stable")
    for twice in np.flatnonzero(np.diff(cell[order]) == 0)[:1]:
        first, second = order[twice], order[twice + 1]
        raise ValueError(
            f"{names[first]!r} answers about item {items[first]} twice, in rows {first} and"
            f" {second}. Keep one of them."
        )


def _read(path: Path) -> Any:
    import polars as pl

    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(f"{path} is no .csv or .parquet file.")
    try:
        return pl.read_csv(path) if path.suffix.lower() == ".csv" else pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{path} cannot be read ({error}).") from None


def _class_numbers(name: str, values: list[Any], classes: Sequence[str] | None) -> np.ndarray:
    """Class numbers from numbers or names; -1 where there is nothing."""
    if all(value is None or isinstance(value, int) for value in values):
        return np.array([UNKNOWN if value is None else value for value in values], np.int64)
    if classes is None:
        first = next(value for value in values if value is not None)
        raise ValueError(
            f"the column `{name}` holds names ({first!r}); say which class is which number with"
            " classes (--classes)."
        )
    number = {known: place for place, known in enumerate(classes)}
    for row, value in enumerate(values):
        if value is not None and str(value) not in number:
            raise ValueError(
                f"the {name} class in row {row} is {value!r}, which is not among the classes"
                f"{nearest(str(value), number)}"
            )
    return np.array([UNKNOWN if v is None else number[str(v)] for v in values], np.int64)


def _per_item(name: str, items: np.ndarray, numbers: np.ndarray, n: int) -> np.ndarray:
    """One class per item, int64 (n,); rows of an item must agree."""
    found = np.full(n, UNKNOWN)
    said = numbers != UNKNOWN
    found[items[said]] = numbers[said]
    for row in np.flatnonzero(said & (found[items] != numbers))[:1]:
        raise ValueError(
            f"item {items[row]} is {name} class {numbers[row]} in row {row} and"
            f" {found[items[row]]} in another."
        )
    return found
