"""Columns of a table, its cells, and how a cell is written for people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

NOTHING = "–"
Kind = Literal["number", "name", "word", "text", "bar"]
Value: TypeAlias = "str | int | float | None"


@dataclass(frozen=True)
class Column:
    """The heading of a column, and how its cells are written.

    Attributes:
        name: the heading.
        kind: ``number`` stands on the right, all others on the left. ``name`` may be broken
            anywhere when it is long, ``text`` between words, ``word`` and ``number`` never.
            A ``bar`` is drawn in text and HTML, and left out elsewhere.
        form: format specification of numbers, such as ``,`` or ``.2f``.
        sparse: in text, a value that repeats the one above is left out.
        spread: what stands behind ± in this column, as CSV names it.
    """

    name: str
    kind: Kind = "number"
    form: str = ""
    sparse: bool = False
    spread: str = "±"

    @property
    def right(self) -> bool:
        return self.kind == "number"


@dataclass(frozen=True)
class Datum:
    """A value with something besides.

    Attributes:
        value: a text, a number, or None for nothing; the length of a bar lies in 0..1.
        spread: what stands behind ±, in the unit of the value; a column of its own in CSV.
        text: how value and spread are written for people, where the column's form is not enough.
        best: stands out.
        soft: stands back, such as a number of too few runs.
        link: in HTML, the id on the same page that it leads to.
    """

    value: Value
    spread: float | None = None
    text: str | None = None
    best: bool = False
    soft: bool = False
    link: str | None = None


def datum_of(cell: Value | Datum) -> Datum:
    return cell if isinstance(cell, Datum) else Datum(cell)


def number_of(cell: Value | Datum) -> float | None:
    value = datum_of(cell).value
    return value if isinstance(value, int | float) and not math.isnan(value) else None


def text_of(cell: Value | Datum, column: Column) -> str:
    datum = datum_of(cell)
    if column.kind == "bar":
        return ""
    if datum.text is not None:
        return datum.text
    shown = written(datum.value, column)
    return shown if datum.spread is None else f"{shown} ± {written(datum.spread, column)}"


def written(value: Value, column: Column) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOTHING
    return value if isinstance(value, str) else format(value, column.form)
