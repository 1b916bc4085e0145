"""The released files of votes, each in its own layout, as one kind of value. JSON, never pickle.

Files: github.com/cleanlab/label-errors (Northcutt et al., NeurIPS 2021), folder ``mturk``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data.ingest.texts import read_json
from ...ground.arrays import objects
from .tally import ANSWERS, UNKNOWN, SetTally, Tally

Row = dict[str, Any]
PEOPLE = 5  # for each item, in every file
BY_NUMBER = "ILSVRC2012_val_"  # in an address: ids are numbers of file names, not places


def read_released(
    path: Path | str, index: Path | str | Sequence[str] | None = None
) -> Tally | SetTally:
    """The votes of one released file.

    Args:
        path: a ``.json`` file in any of the released layouts, told apart by what a row holds.
        index: file names by position in the data set, or the ``.json`` list of them. Needed to
            place ImageNet and IMDB, whose ids are (numbers in) file names; without it their items
            are -1.

    Returns:
        Items in the file's order. Votes that stand under both names of one class are counted
        once (13 rows of MNIST). Class numbers are the files'; of sentiments, which have names
        alone, they are the places in ``classes``. AudioSet is a ``SetTally``.

    Raises:
        FileNotFoundError: no such file.
        ValueError: no JSON list, a row that lacks something or holds no votes, an id twice, or
            one that the index lacks.
    """
    path = Path(path)
    rows = _load(path)
    first = rows[0] if rows else {}
    if "given_original_labels" in first:
        return _sets(path, rows)
    for number, row in enumerate(rows):
        _check_votes(path, number, _field(path, rows, row, "mturk"))
    votes = {name for row in rows for name in row["mturk"]}
    layout = next((known for known in LAYOUTS if votes <= known.votes), None)
    if layout is None:
        raise ValueError(
            f"{path} has votes for {', '.join(sorted(votes)) or 'nothing'}, which is none of the"
            " released layouts. A table with a row per answer is a .csv or .parquet file."
        )
    ids = [_field(path, rows, row, "id") for row in rows]
    labels = [
        [_field(path, rows, row, name) for row in rows]
        for name in ("given_original_label", "our_guessed_label")
    ]
    for number, pair in enumerate(zip(*labels)):
        for label in pair:
            if not isinstance(label, layout.label) or (isinstance(label, int) and label < 0):
                kind = "a class number from 0" if layout.label is int else "the name of a class"
                raise ValueError(f"{path}: row {number} has the label {label!r}; it needs {kind}.")
    given, guessed, classes = layout.classes(rows, *labels)
    counts = np.array([layout.counts(row) for row in rows], np.int64).reshape(-1, len(ANSWERS))
    same = (given == guessed) & (counts[:, 0] == counts[:, 1])
    counts[same, 1] = 0
    others = {
        name: np.array([kind(row) for row in rows], np.int64)
        for name, kind in layout.others.items()
    }
    return Tally(
        item=_places(path, rows, ids, index),
        counts=counts,
        given=given,
        guessed=guessed,
        skipped=np.zeros(len(rows), np.int64),
        offered=tuple(name for name in ANSWERS if name in layout.offered(votes)),
        ids=_ids(ids),
        classes=classes,
        others=others,
    )


class Layout(NamedTuple):
    """How a family of files tells its votes."""

    votes: set[str]
    offered: Callable[[set[str]], set[str]]
    counts: Callable[[Row], list[int]]
    classes: Callable[..., tuple[np.ndarray, np.ndarray, tuple[str, ...]]]
    others: dict[str, Callable[[Row], int]]
    label: type = str


def _numbered(rows: list[Row], given: list[int], guessed: list[int]) -> Any:
    """Class numbers as they are; names of those that occur, the number itself for others."""
    numbers = [np.array(labels, np.int64) for labels in (given, guessed)]
    last = int(max((labels.max(initial=-1) for labels in numbers), default=-1))
    names = [str(k) for k in range(last + 1)]
    for row in rows:
        for name in ("given_original_label", "our_guessed_label"):
            names[row[name]] = row.get(f"{name}_name", names[row[name]])
    if len(set(names)) < len(names):  # ImageNet has two cranes and two maillots
        names = [
            name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names)
        ]
    return *numbers, tuple(names)


def _named(rows: list[Row], given: list[str], guessed: list[str]) -> Any:
    """Places among the names in alphabetical order, as the released labels number IMDB's."""
    names = sorted({*given, *guessed})
    numbers = ([names.index(name) for name in labels] for labels in (given, guessed))
    return *(np.array(labels, np.int64) for labels in numbers), tuple(names)


def _by_answer(row: Row) -> list[int]:
    return [row["mturk"].get(name, 0) for name in ANSWERS]


def _by_sentiment(row: Row) -> list[int]:
    votes = row["mturk"]
    return [votes["given"], votes["guessed"], 0, 0, votes["neutral"] + votes["off-topic"]]


def _by_name(row: Row) -> list[int]:
    votes = row["mturk"]
    own, other = votes[row["given_original_label"].lower()], votes[row["our_guessed_label"].lower()]
    return [own, other, 0, 0, sum(votes.values()) - own - other]


def _third_class(row: Row) -> int:
    return _by_name(row)[-1] - row["mturk"]["off-topic"]


def _off_topic(row: Row) -> int:
    return row["mturk"]["off-topic"]


def _neutral(row: Row) -> int:
    return row["mturk"]["neutral"]


LAYOUTS = (
    Layout(set(ANSWERS), set, _by_answer, _numbered, {}, int),  # "other" is candidly's own addition
    Layout(
        {"given", "guessed", "neutral", "off-topic"},
        lambda votes: {"given", "guessed", "other"},
        _by_sentiment,
        _named,
        {"neutral": _neutral, "off-topic": _off_topic},
    ),
    Layout(
        {"positive", "negative", "neutral", "off-topic"},
        lambda votes: {"given", "guessed", "other"},
        _by_name,
        _named,
        {"third class": _third_class, "off-topic": _off_topic},
    ),
)


def _sets(path: Path, rows: list[Row]) -> SetTally:
    """Votes for names of classes, over the union of the given and the guessed ones."""
    names = sorted({name for row in rows for name in _field(path, rows, row, "mturk")})
    place = {name: column for column, name in enumerate(names)}
    tables = [np.zeros((len(rows), len(names)), kind) for kind in (bool, bool, np.int64)]
    for i, row in enumerate(rows):
        for table, key in zip(tables, ("given_original_labels", "our_guessed_labels", "mturk")):
            votes = _field(path, rows, row, key)
            for name in votes:
                if name not in place:
                    raise ValueError(f"{path}: nobody voted on {name!r} of row {i}.")
                table[i, place[name]] = votes[name] if key == "mturk" else True
    ids = [_field(path, rows, row, "id") for row in rows]
    return SetTally(
        item=_places(path, rows, ids, None),
        given=tables[0],
        guessed=tables[1],
        heard=tables[2],
        classes=tuple(names),
        people=PEOPLE,
        ids=_ids(ids),
    )


def _load(path: Path) -> list[Row]:
    rows = read_json(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{path} holds no list of rows, one per item.")
    return rows


def _check_votes(path: Path, number: int, votes: Any) -> None:
    if not isinstance(votes, dict):
        raise ValueError(f"{path}: the votes of row {number} are {votes!r}, and no counts by name.")
    for name, count in votes.items():
        if type(count) is not int or count < 0:
            raise ValueError(f"{path}: row {number} has {count!r} votes for {name!r}.")


def _field(path: Path, rows: list[Row], row: Row, name: str) -> Any:
    if name not in row:
        raise ValueError(f"{path}: row {rows.index(row)} has no {name!r}, only {', '.join(row)}.")
    return row[name]


def _ids(ids: list[Any]) -> np.ndarray:
    numbers = all(isinstance(name, int) for name in ids)
    return np.array(ids, np.int64) if numbers else objects([str(name) for name in ids])


def _places(
    path: Path, rows: list[Row], ids: list[Any], index: Path | str | Sequence[str] | None
) -> np.ndarray:
    """The position of each id in the data set; -1 where an index would be needed."""
    by_number = any(BY_NUMBER in str(row.get("url", "")) for row in rows)
    if not by_number and all(isinstance(name, int) for name in ids):
        return np.array(ids, np.int64)
    if index is None:
        return np.full(len(ids), UNKNOWN)
    files = read_json(index) if isinstance(index, str | Path) else list(index)
    key = _number_of if by_number else _stem_of
    place = {key(str(file)): position for position, file in enumerate(files)}
    found = [place.get(name if by_number else _stem_of(name), UNKNOWN) for name in ids]
    if UNKNOWN in found:
        raise ValueError(
            f"{path}: the index of {len(files)} files has no {ids[found.index(UNKNOWN)]!r}. Is it"
            " of another data set?"
        )
    return np.array(found, np.int64)


def _stem_of(file: str) -> str:
    """Folder and name without the ending: ``test/neg/10003_3`` and ``neg/10003_3.txt`` alike."""
    return "/".join(file.split("/")[-2:]).removesuffix(".txt")


def _number_of(file: str) -> int:
    """The number that a file of ImageNet goes by."""
    return int(file.rpartition("_")[2].partition(".")[0])
