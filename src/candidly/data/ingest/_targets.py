"""Columns of a table as labels and as ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs import parsed
from ..labels.convert import SETS, from_text, holds_sets, written_classes
from ..labels.text import BAR
from ._roles import Roles
from .table_checks import check_filled

if TYPE_CHECKING:
    import polars as pl

FEW = 50  # different labels are never too many
HINT = "Name another column with `label`, or the classes with `classes`."


def labels_of(
    frame: pl.DataFrame, columns: Mapping[str, str], roles: Roles
) -> tuple[dict[str, Any], Any]:
    """Labels as ``from_arrays`` takes them, by what they are, and the classes.

    Args:
        columns: names of columns by candidates, given, tags, truth, or label, which is candidates
            where a cell holds several labels, and given otherwise.

    Raises:
        ValueError: cells that are no labels, a column without any, fewer than two classes; the
            message names the column.
    """
    known = set(written_classes(roles.classes))
    cells = {kind: _text(frame[name], roles.label_separator) for kind, name in columns.items()}
    if "label" in cells:
        column = cells.pop("label")
        several = holds_sets(column.unique().drop_nulls().to_list(), known)
        cells = {"candidates" if several else "given": column} | cells
    try:
        values = _read(cells, known)
    except ValueError as error:
        told = str(error)
        for kind, column in cells.items():
            if kind != column.name:
                told = told.replace(f"`{kind}`", f"column {column.name!r}")
        raise ValueError(told) from None
    shown = {label for kind in values for cell in values[kind][0] for label in _several(cell)}
    if not shown - {-1}:
        empty = " and ".join(f"column {column.name!r}" for column in cells.values())
        raise ValueError(f"{empty} is empty in every row; there is no label.")
    if roles.classes is None:
        for kind, column in cells.items():
            _check_classes(column, values[kind][0], kind)
        if len(shown - {-1}) < 2:
            raise ValueError(
                f"every label is {next(iter(shown))!r}; there must be two different ones. {HINT}"
            )
    numbers = all(isinstance(label, int) for label in shown)
    classes = roles.classes if numbers or known else _declared(frame, columns, shown)
    place = {name: k for k, name in enumerate(classes)} if not numbers and not known else {}
    return {kind: _whole(kind, *values[kind], place) for kind in cells}, classes


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


def _text(column: pl.Series, separator: str) -> pl.Series:
    """Cells as text, with bars between labels; lists as they are.

    Raises:
        ValueError: dates, structures, or a bar in a cell where something else separates labels.
    """
    import polars as pl

    if column.dtype.is_temporal():
        raise ValueError(f"column {column.name!r} holds dates or times, and no classes. {HINT}")
    if isinstance(column.dtype, pl.List):
        return column
    if column.dtype.is_nested() or column.dtype == pl.Object:
        raise ValueError(f"column {column.name!r} holds {column.dtype}, and no labels. {HINT}")
    text = column.cast(pl.String)
    if column.dtype.is_float():
        text = text.set(column.is_nan(), None)
    if separator != BAR:
        if (barred := text.str.contains(BAR, literal=True)).any():
            row = int(barred.arg_max() or 0)
            raise ValueError(
                f"column {column.name!r} has {text[row]!r} at row {row}; with {separator!r} between"
                f" labels, none may have a {BAR}."
            )
        text = text.str.replace_all(separator, BAR, literal=True)
    return text


def _read(
    cells: Mapping[str, pl.Series], known: set[str]
) -> dict[str, tuple[list[Any], np.ndarray]]:
    """The labels of different cells, and which of them stands in each row."""
    import polars as pl

    different: dict[str, list[Any]] = {}
    rows = {}
    for kind, column in cells.items():
        if column.dtype == pl.String:
            texts = column.unique(maintain_order=True).drop_nulls()
            codes = column.cast(pl.Enum(texts)).to_physical().fill_null(len(texts))
            different[kind] = [*texts, None]
            rows[kind] = codes.to_numpy().astype(np.int64)
        else:
            different[kind] = column.to_list()
            rows[kind] = np.arange(len(column))
    try:
        found = from_text(different, known)
    except ValueError:
        from_text(
            {kind: column.to_list() for kind, column in cells.items()}, known
        )  # names the row
        raise
    return {kind: (found[kind], rows[kind]) for kind in cells}


def _whole(kind: str, labels: list[Any], rows: np.ndarray, place: Mapping[str, int]) -> Any:
    """The labels of each row, as numbers where that can be."""
    if kind in SETS:
        return [labels[row] for row in rows.tolist()]
    if place:
        labels = [None if label is None else place[label] for label in labels]
    if any(isinstance(label, str) for label in labels):
        return [labels[row] for row in rows.tolist()]
    if any(label is not None and label > np.iinfo(np.int64).max for label in labels):
        return [labels[row] for row in rows.tolist()]  # refused with its row
    return np.array([-1 if label is None else label for label in labels], np.int64)[rows]


def _declared(frame: pl.DataFrame, columns: Mapping[str, str], shown: set[str]) -> tuple[str, ...]:
    """Classes in the order of the columns' own categories, or sorted."""
    import polars as pl

    cells = [frame.schema[name] for name in columns.values()]
    kinds = [kind.inner if isinstance(kind, pl.List) else kind for kind in cells]
    known = [name for kind in kinds if isinstance(kind, pl.Enum) for name in kind.categories]
    return tuple(dict.fromkeys(known)) if shown <= set(known) else tuple(sorted(shown))


def _several(cell: Any) -> list[Any]:
    return cell if isinstance(cell, list) else [] if cell is None else [cell]


def _check_classes(column: pl.Series, labels: list[Any], kind: str) -> None:
    """Refuse what names no classes: dates, or nearly as many labels as rows."""
    import polars as pl

    if column.dtype != pl.String or kind in SETS:
        return
    texts = column.drop_nulls()
    some = texts.head(FEW)
    if len(some) and parsed(some.to_frame()).to_series().dtype.is_temporal():
        raise ValueError(
            f"column {column.name!r} holds dates such as {some[0]!r}, and no classes. {HINT}"
        )
    number = len(set(labels) - {None, -1})
    if number > max(FEW, len(texts) / 2):
        raise ValueError(
            f"column {column.name!r} has {number:,} different labels in {len(texts):,} rows, as"
            f" names and texts have. {HINT}"
        )
