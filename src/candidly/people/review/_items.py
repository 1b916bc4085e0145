"""What people are to be asked about, from an issues file, a data set, or released votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest import read_frame
from ...data.ingest.labels import as_labels, class_numbers, label_sets
from ...data.ingest.table_checks import about, check_columns, typed, whole_column
from ...data.labels.labelled import Labelled
from ...data.labels.text import BAR
from ...ground.arrays import door, whole_numbers
from ...stats.checked import RowsToCheck
from ..validation.tally import SetTally, Tally
from ._media import NOTHING, Looks, Shown, no_looks
from ._orders import drawn, seed_of
from .rules import Rules

NONE = -1  # no class, no row


@dataclass(frozen=True)
class Item:
    """One thing to ask about.

    Attributes:
        row: the row of the data set, -1 where not known. name: unique in the project.
        given, guessed: the two classes of a verdict, or -1.
        asks: the class that a yes/no question is about, or -1.
        truth: the class where it is known, or -1; people never see it.
        score: lower is more suspicious; None where nothing says.
        shown: what it looks like.
        key: for a gold item, the right answer.
    """

    row: int
    name: str
    given: int = NONE
    guessed: int = NONE
    asks: int = NONE
    truth: int = NONE
    score: float | None = None
    shown: Shown = NOTHING
    key: str | None = None


def items_of_issues(
    path: Path | str,
    classes: Sequence[str] | None = None,
    *,
    sample: int | None = None,
    seed: int | str = 0,
    drawn: RowsToCheck | None = None,
    looks: Looks = no_looks,
) -> tuple[list[Item], tuple[str, ...]]:
    """Items of a table that ``candidly errors find --out`` wrote, and the names of the classes.

    Args:
        path: ``.parquet`` or ``.csv`` with the columns index, given, proposed, and margin.
        classes: names of all classes; needed where the file holds names.
        sample: ask about so many of them, drawn at random.
        drawn: how they were drawn for a count; then the first rows of the table are asked about.
        looks: what a row looks like.

    Raises:
        FileNotFoundError: no such file. ValueError: columns missing, unknown classes, a larger
            sample than there are issues, no issue at all.
    """
    path = Path(path)
    table = read_frame(path).frame  # what candidly errors find writes
    with about(path):
        check_columns(table.columns, ("index", "given", "proposed"))
        rows = whole_column(table["index"])
        first, second = (
            class_numbers(table[name], f"the {name} class", classes)
            for name in ("given", "proposed")
        )
    names = tuple(classes) if classes is not None else _numbers_as_names(first, second)
    scores = typed(table["margin"]).to_list() if "margin" in table.columns else [None] * len(rows)
    chosen = sampled(len(rows), sample, seed)
    if drawn is not None:
        chosen, scores = list(range(len(drawn.rows))), [None] * len(rows)
    items = [
        Item(
            row=int(rows[k]),
            name=str(rows[k]),
            given=int(first[k]),
            guessed=int(second[k]),
            score=scores[k],
            shown=looks(int(rows[k])),
        )
        for k in chosen
    ]
    return items, names


@door
def items_of_tags(
    path: Path | str,
    data: Labelled,
    *,
    separator: str = BAR,
    sample: int | None = None,
    seed: int | str = 0,
    looks: Looks = no_looks,
) -> list[Item]:
    """Items of a table of rows whose tags are doubted, as ``candidly check`` writes it.

    Args:
        path: a table with the columns index, given, and self-confidence.
        data: ``Labelled`` with the tags that were checked.
        separator: what stands between two tags.
        sample, seed, looks: see ``items_of_issues``.

    Raises:
        FileNotFoundError: no such file. ValueError: columns missing, other rows or tags than the
            data have, a larger sample than there are issues.
    """
    path, marks = Path(path), data.tags
    assert marks is not None
    table = read_frame(path).frame
    with about(path):
        check_columns(table.columns, ("index", "given"))
        rows = whole_column(table["index"])
        for row in rows[(rows < 0) | (rows >= data.n)][:1]:
            raise ValueError(f"row {row} is not among the {data.n} examples of {data.source}.")
        column = replace(as_labels(table["given"], "the given tags"), separator=separator)
        differ = (label_sets(column, data.classes, data.q) != marks[rows]).any(1)
        for row in rows[differ][:1]:
            raise ValueError(
                f"the issues name other tags of row {row} than {data.source} has there. Give the"
                " file that the issues were found in."
            )
    doubt = "self-confidence"
    scores = typed(table[doubt]).to_list() if doubt in table.columns else [None] * len(rows)
    return [
        Item(
            row=int(rows[k]),
            name=str(data.ids[rows[k]]),
            score=scores[k],
            shown=looks(int(rows[k])),
        )
        for k in sampled(len(rows), sample, seed)
    ]


@door
def items_of_data(
    data: Labelled,
    rows: Iterable[int] | None = None,
    *,
    guessed: Any = None,
    score: Any = None,
    looks: Looks = no_looks,
) -> list[Item]:
    """Items of a data set: all rows, or those named.

    Args:
        guessed: int (n,), what is proposed instead of ``data.given``, for verdicts.
        score: float (n,), lower is more suspicious.

    Raises:
        ValueError: rows out of range, or arrays of another length.
    """
    chosen = np.arange(data.n) if rows is None else whole_numbers("rows", np.asarray(list(rows)))
    for row in chosen[(chosen < 0) | (chosen >= data.n)][:1]:
        raise ValueError(f"row {row} is not among the {data.n} examples (0..{data.n - 1}).")
    columns: dict[str, Any] = {"given": data.given, "truth": data.truth}
    for name, values in (("guessed", guessed), ("score", score)):
        columns[name] = None if values is None else np.asarray(values)
        if values is not None and len(columns[name]) != data.n:
            raise ValueError(f"`{name}` has {len(columns[name])} entries for {data.n} examples.")
    labels = {
        name: np.full(data.n, NONE) if columns[name] is None else columns[name]
        for name in ("given", "guessed", "truth")
    }
    return [
        Item(
            row=row,
            name=str(data.ids[row]),
            given=int(labels["given"][row]),
            guessed=int(labels["guessed"][row]),
            truth=int(labels["truth"][row]),
            score=None if score is None else float(columns["score"][row]),
            shown=looks(row),
        )
        for row in chosen.tolist()
    ]


def of_data(items: Sequence[Item], data: Labelled) -> list[Item]:
    """Items of rows of a data set under the ids of these, with their truth.

    Raises:
        ValueError: other classes or rows than the data have, or another given label.
    """
    found = []
    for item in items:
        if not 0 <= item.row < data.n:
            raise ValueError(f"row {item.row} is not among the {data.n} examples of {data.source}.")
        given = NONE if data.given is None else int(data.given[item.row])
        if item.given != given:
            said, there = ("none" if k < 0 else data.classes[k] for k in (item.given, given))
            raise ValueError(
                f"the issues say that row {item.row} has the label {said}, and {data.source} has"
                f" {there} there. Give the file that the issues were found in."
            )
        truth = NONE if data.truth is None else int(data.truth[item.row])
        found.append(replace(item, name=str(data.ids[item.row]), truth=truth))
    return found


def items_of_tally(tally: Tally | SetTally) -> list[Item]:
    """Items of released votes; of sets of classes one for each class that was asked about."""
    if isinstance(tally, Tally):
        return [
            Item(row=int(row), name=str(name), given=int(given), guessed=int(guessed))
            for row, name, given, guessed in zip(
                tally.item, tally.ids, tally.given, tally.guessed, strict=True
            )
        ]
    asked = tally.given | tally.guessed | (tally.heard > 0)
    return [
        Item(
            row=int(tally.item[k]),
            name=f"{tally.ids[k]}:{label}",
            given=int(label) if tally.given[k, label] else NONE,
            guessed=int(label) if tally.guessed[k, label] else NONE,
            asks=int(label),
        )
        for k, label in np.argwhere(asked)
    ]


def gold_items(items: Sequence[Item], keys: Mapping[str, str]) -> list[Item]:
    """The items named in ``keys``, as gold items with these answers; the others as they are.

    Raises:
        ValueError: a name that no item has.
    """
    names = {item.name for item in items}
    for name in keys:
        if name not in names:
            raise ValueError(f"gold item {name!r} is not among the {len(items)} items.")
    return [replace(item, key=keys.get(item.name)) for item in items]


def ordered(
    items: Sequence[Item], rules: Rules, order: Sequence[int] | np.ndarray | None
) -> list[Item]:
    """The items in the order in which they are handed out.

    Args:
        order: rows of the data set for the goal ``order``; items not among them follow at random.

    Raises:
        ValueError: an order without that goal or the reverse, or no scores to go by.
    """
    if (order is not None) != (rules.goal == "order"):
        raise ValueError(f"the goal is {rules.goal!r}; goal='order' and an order go together.")
    shuffled = [items[k] for k in drawn(seed_of(rules), "review order").permutation(len(items))]
    if rules.goal == "random":
        return shuffled
    if rules.goal == "quality":
        if all(item.score is None for item in items):
            raise ValueError("goal='quality' needs scores, and no item has one; use goal='random'.")
        last = float("inf")
        return sorted(shuffled, key=lambda item: last if item.score is None else item.score)
    place = {int(row): k for k, row in enumerate(np.asarray(order))}
    return sorted(shuffled, key=lambda item: place.get(item.row, len(place)))


def asking(items: Sequence[Item], rules: Rules) -> list[Item]:
    """The items as the question needs them: whether a class fits is asked of the given one."""
    if "asks" not in rules.asked.classes:
        return list(items)
    return [item if item.asks >= 0 else replace(item, asks=item.given) for item in items]


def check_items(items: Sequence[Item], rules: Rules) -> None:
    """Raises ValueError for no item, a name twice, or classes that the question lacks."""
    if not any(item.key is None for item in items):
        raise ValueError("there is nothing to ask about: no item, or gold items alone.")
    seen: set[str] = set()
    for item in items:
        if item.name in seen:
            raise ValueError(f"item {item.name!r} stands twice.")
        seen.add(item.name)
        for what in ("given", "guessed", "asks", "truth"):
            value = getattr(item, what)
            if not NONE <= value < len(rules.classes):
                raise ValueError(
                    f"the {what} class of item {item.name!r} is {value}; there are"
                    f" {len(rules.classes)} classes."
                )
        for what in rules.asked.classes:
            if getattr(item, what) < 0:
                raise ValueError(
                    f"item {item.name!r} has no {what} class, which the question"
                    f" {rules.question!r} needs."
                )


def sampled(n: int, sample: int | None, seed: int | str) -> list[int]:
    """All of n rows, or a random sample in ascending order."""
    if sample is None:
        return list(range(n))
    if not 0 < sample <= n:
        raise ValueError(f"sample is {sample}; there are {n} to draw from.")
    return sorted(drawn(seed, "review sample").choice(n, sample, replace=False).tolist())


def _numbers_as_names(*labels: np.ndarray) -> tuple[str, ...]:
    last = max((int(values.max(initial=NONE)) for values in labels), default=NONE)
    return tuple(str(k) for k in range(last + 1))
