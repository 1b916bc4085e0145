"""Columns of a table as labels and as ids."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.problem import Refusal, passed
from ..labels.coded import Coded, coded, holds_sets, several_in
from ..labels.kinds import ALL_OF, FIELDS, ONE_OF, SINGLE, kind_of, not_said
from ..labels.reading import LabelRule, read_labels, written_classes
from ..labels.text import BAR
from ._roles import Roles
from .exports import ReadAs
from .table_checks import check_filled

if TYPE_CHECKING:
    import polars as pl

OWN = ("label", "given", "candidates")  # what a column of labels may be, by its name
HINT = "Name another column with `label`, or the classes with `classes`."


def labels_of(
    frame: pl.DataFrame, columns: Mapping[str, str], roles: Roles
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Labels as ``from_numbers`` takes them, by what they are, and the classes.

    Args:
        columns: names of columns by candidates, given, tags, truth, or label, which is what
            ``label_kind`` says; else candidates where a cell holds several labels, and given
            otherwise.

    Raises:
        ValueError: cells that are no labels, a column without any, fewer than two classes; several
            labels in a cell, where ``ask_kind`` wants to be told what these are; the message names
            the column.

    Warns:
        ReadAs: several labels in a cell were taken as candidates, and nothing says that they are.
    """
    own = [kind for kind in columns if kind in OWN]
    if roles.label_kind is not None and len(own) > 1:
        raise Refusal(
            f"columns {' and '.join(repr(columns[kind]) for kind in own)} hold labels, and"
            " `label_kind` is about one.",
            "say with `label` which",
        )
    cells, called = {}, {}
    for kind, name in columns.items():
        column = _coded(frame[name], roles)
        field = _field(kind, name, column, roles) if kind in own else kind
        cells[field], called[field] = column, _called(kind, name)
    if not any(_filled(column) for column in cells.values()):
        raise ValueError(
            f"{' and '.join(called.values())} is empty in every row; there is no label."
        )
    single = roles.label_kind == SINGLE
    rule = LabelRule(roles.classes, merge=roles.merge_labels, single=single)
    read = read_labels(cells, rule, called)
    if roles.classes is None and len(read.classes) < 2 and "tags" not in cells:
        raise ValueError(
            f"every label is {read.classes[0]!r}; there must be two different ones. {HINT}"
        )
    return read.labels, read.classes


def _field(kind: str, name: str, column: Coded, roles: Roles) -> str:
    """Which field of ``Labelled`` a column of labels is.

    Raises:
        Refusal: cells hold several labels, nothing says what these are, and that is to be asked.
    """
    if roles.label_kind not in (None, ONE_OF):
        return FIELDS[roles.label_kind]
    if kind != "label" and roles.label_kind is None:
        return kind
    if not holds_sets(column, written_classes(roles.classes)):
        return "given"
    several = several_in(column, written_classes(roles.classes))
    if several and kind_of(roles.label_kind, name) is None:
        if roles.ask_kind:
            k, cell = next(iter(several.items()))
            cell = cell.replace(BAR, roles.label_separator) if isinstance(cell, str) else cell
            raise not_said(_called(kind, name), cell, column.row(k))
        there = np.isin(column.codes, list(several))
        warnings.warn(
            f"{_called(kind, name)} has several labels in {there.sum():,} of {len(there):,} rows;"
            f" taken as candidates, of which one is right ({passed('label_kind', ONE_OF)});"
            f" {passed('label_kind', ALL_OF)} says that all are.",
            ReadAs,
            stacklevel=2,
        )
    return "candidates"


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
    if separator == BAR or roles.label_kind == SINGLE:
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
