"""Columns of a table as labels and as ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..labels.coded import Coded, coded, holds_sets
from ..labels.reading import LabelRule, read_labels, written_classes
from ..labels.text import BAR
from ._roles import Roles
from .table_checks import check_filled

if TYPE_CHECKING:
    import polars as pl

HINT = "Name another column with `label`, or the classes with `classes`."


def labels_of(
    frame: pl.DataFrame, columns: Mapping[str, str], roles: Roles
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Labels as ``from_numbers`` takes them, by what they are, and the classes.

    Args:
        columns: names of columns by candidates, given, tags, truth, or label, which is candidates
            where a cell holds several labels, and given otherwise.

    Raises:
        ValueError: cells that are no labels, a column without any, fewer than two classes; the
            message names the column.
    """
    called = {kind: _called(kind, name) for kind, name in columns.items()}
    cells = {kind: _coded(frame[name], roles) for kind, name in columns.items()}
    if "label" in cells:
        several = holds_sets(cells["label"], written_classes(roles.classes))
        kind = "candidates" if several else "given"
        cells = {kind: cells.pop("label")} | cells
        called[kind] = called.pop("label")
    if not any(_filled(column) for column in cells.values()):
        raise ValueError(
            f"{' and '.join(called.values())} is empty in every row; there is no label."
        )
    read = read_labels(cells, LabelRule(roles.classes, merge=roles.merge_labels), called)
    if roles.classes is None and len(read.classes) < 2:
        raise ValueError(
            f"every label is {read.classes[0]!r}; there must be two different ones. {HINT}"
        )
    return read.labels, read.classes


def _called(kind: str, name: str) -> str:
    """What a message calls a column."""
    return f"`{name}`" if kind == name != "label" else f"column {name!r}"


def ids_of(column: pl.Series) -> list[Any]:
    """Names of rows: whole numbers where all are written as such, texts otherwise.

    Raises:
        ValueError: an empty cell, or cells that are neither; the message names column and row.
    """
    import polars as pl

    check_filled(column, "Give each row a name of its own.")
    if column.dtype.is_float():
        whole = column.cast(pl.Int64, strict=False)
        column = whole if whole.null_count() == 0 and (whole == column).all() else column
    if column.dtype.is_nested():
        raise ValueError(f"column {column.name!r} holds lists or structures, and no names of rows.")
    text = column.cast(pl.String)
    numbers = text.cast(pl.Int64, strict=False)
    if not numbers.null_count() and (numbers.cast(pl.String) == text).all():
        return numbers.to_list()  # 007 is no such number
    return text.to_list()


def _coded(column: pl.Series, roles: Roles) -> Coded:
    """The cells of a column, with bars between the labels of a text.

    Raises:
        ValueError: dates, structures, or a bar in a cell where something else separates labels.
    """
    import polars as pl

    what = f"column {column.name!r}"
    if column.dtype.is_temporal():
        raise ValueError(f"{what} holds dates or times, and no classes. {HINT}")
    if column.dtype in (pl.Struct, pl.Object, pl.Binary):
        raise ValueError(f"{what} holds {column.dtype}, and no labels. {HINT}")
    cells = coded(what, column)
    separator = roles.label_separator
    if separator == BAR:
        return cells
    texts = []
    for k, text in enumerate(cells.values):
        if isinstance(text, str) and BAR in text:
            raise ValueError(
                f"{what} has {text!r} at row {cells.row(k)}; with {separator!r} between labels,"
                f" none may have a {BAR}."
            )
        texts.append(text.replace(separator, BAR) if isinstance(text, str) else text)
    return replace(cells, values=texts)


def _filled(column: Coded) -> bool:
    """Whether any cell holds something."""
    return any(
        value.strip() if isinstance(value, str) else value is not None and value != []
        for value in column.values
    )
