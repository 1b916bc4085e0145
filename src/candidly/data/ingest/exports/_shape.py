"""Answers of any annotation tool in one shape, and the table that is made of them.

The table has a row per answer, by item and then by time, with the columns ``item``, ``annotator``
and ``label``; what is known of items as ``truth``; and what the tool was shown of each item under
its own names. Where a tool asked several questions, each has a column by its name in place of
``label``. An item that nobody answered has one row, without annotator and label.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

OURS = ("item", "annotator", "label", "truth")
NOBODY = "unknown"  # who answered, where a tool does not say


@dataclass(frozen=True)
class Answer:
    """What was said of an item; of one that nobody answered, ``labels`` is empty.

    Attributes:
        item: its name, text or a whole number.
        annotator: who said it.
        labels: by question, the labels chosen.
        about: what the tool shows of the item.
        known: by question, the labels that are known to be right.
        at: when, a time as the tool writes it; answers of one item come in its order.
    """

    item: Any
    annotator: str | None = None
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    known: Mapping[str, Sequence[str]] = field(default_factory=dict)
    at: Any = None


@dataclass(frozen=True)
class Export:
    """What a tool wrote: answers, and how many of what kind were left out."""

    answers: Sequence[Answer]
    left_out: Counter[str]


def table_of(export: Export) -> pl.DataFrame:
    """The table of all answers.

    Raises:
        ValueError: there is none.
    """
    import polars as pl

    items: dict[Any, list[Answer]] = {}
    for answer in export.answers:
        items.setdefault(answer.item, []).append(answer)
    questions = _questions(answer.labels for answer in export.answers)
    asked = questions or _questions(answer.known for answer in export.answers)
    if not asked:
        out = ", ".join(f"{count:,} {why}" for why, count in export.left_out.items())
        raise ValueError(f"there is no answer in it{f' (left out: {out})' if out else ''}.")
    rows: list[dict[str, Any]] = []
    for item, answers in items.items():
        about: dict[str, Any] = {}
        known: dict[str, Sequence[str]] = {}
        for answer in answers:
            about = {**answer.about, **about}
            known = {**answer.known, **known}
        said = [answer for answer in answers if answer.labels]
        said.sort(key=lambda answer: _moment(answer.at))
        for answer in said or [Answer(item)]:
            row = {"item": item, "annotator": answer.annotator}
            row |= {_label(q, asked): answer.labels.get(q) for q in asked}
            row |= {_truth(q, asked): answer.known.get(q) or known.get(q) for q in asked}
            rows.append(row | {_free(name): value for name, value in about.items()})
    names = dict.fromkeys(name for row in rows for name in row)
    sets = {_label(q, asked) for q in asked} | {_truth(q, asked) for q in asked}
    columns = {
        name: (_labels if name in sets else _cells)(name, [row.get(name) for row in rows])
        for name in names
    }
    kept = [
        column
        for name, column in columns.items()
        if name not in {_truth(q, asked) for q in asked} or column.null_count() < len(column)
    ]
    return pl.DataFrame(kept)


def scalar(value: Any) -> list[str]:
    """A label, or a list of labels, as text; none where there is nothing.

    >>> scalar("cat"), scalar(["cat", 3]), scalar(None)
    (['cat'], ['cat', '3'], [])
    """
    if value is None or value == "":
        return []
    return [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)]


def _moment(at: Any) -> tuple[float, str]:
    """What times are sorted by: numbers, or texts that begin with the year."""
    return (float(at), "") if isinstance(at, int | float) else (0.0, str(at or ""))


def _questions(all_labels: Iterable[Mapping[str, Sequence[str]]]) -> list[str]:
    return list(dict.fromkeys(question for labels in all_labels for question in labels))


def _label(question: str, asked: Sequence[str]) -> str:
    return "label" if len(asked) == 1 else _free(question)


def _truth(question: str, asked: Sequence[str]) -> str:
    return "truth" if len(asked) == 1 else f"known {question}"


def _free(name: str) -> str:
    """A name that none of our columns has."""
    return f"data.{name}" if name in OURS else name


def _labels(name: str, cells: Sequence[Sequence[str] | None]) -> pl.Series:
    """Text where no answer holds several labels, lists otherwise."""
    import polars as pl

    if all(len(cell or ()) < 2 for cell in cells):
        return pl.Series(name, [cell[0] if cell else None for cell in cells], pl.String)
    return pl.Series(name, [list(cell) if cell else None for cell in cells], pl.List(pl.String))


def _cells(name: str, cells: Sequence[Any]) -> pl.Series:
    """Numbers where all are, text otherwise; objects and lists as JSON."""
    import polars as pl

    there = [cell for cell in cells if cell is not None]
    for kind, dtype in ((bool, pl.Boolean), (int, pl.Int64), (float, pl.Float64)):
        if there and all(type(cell) is kind for cell in there):
            if kind is int and any(abs(cell) >= 2**63 for cell in there):
                break
            return pl.Series(name, cells, dtype)
    return pl.Series(name, [None if cell is None else _text(cell) for cell in cells], pl.String)


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    return json.dumps(cell, ensure_ascii=False, default=str)
