"""Columns as callers have them: the different entries, and where they stand; sets as a matrix."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import as_array, is_frame, objects, plain
from ...ground.checks import check_size
from .text import BAR

NEAR = 1 << 20  # whole numbers that lie closer than this are looked up in a table


@dataclass(frozen=True)
class Coded:
    """A column as the different entries in it and where they stand.

    Attributes:
        values: the different entries as they were given; None for a missing one.
        codes: int64 (n,), which of them stands in each row.
        declared: categories that the column itself declares, in order; () for none.
    """

    values: Sequence[Any]
    codes: np.ndarray
    declared: tuple[str, ...] = ()

    def row(self, k: int) -> int:
        """The first row of an entry."""
        return int((self.codes == k).argmax())


@dataclass(frozen=True)
class Matrix:
    """A bool (n, q) matrix, and its columns' names when it was a data frame."""

    values: np.ndarray
    columns: tuple[str, ...] | None


def coded(what: str, values: Any) -> Coded:
    """The different entries of a column, so that each is looked at once.

    Args:
        values: a list, an array, a tensor, a Series of pandas or polars; of text, whole numbers,
            bools, or collections of these.

    Raises:
        ValueError: no column; dates and other values that are no labels.
    """
    module = type(values).__module__.partition(".")[0]
    if module == "polars" and hasattr(values, "dtype"):
        return _coded_polars(what, values)
    if hasattr(values, "cat") or type(values).__name__ == "Categorical":  # pandas
        return _coded_categories(values)
    values = listed(what, values)
    if is_frame(values) or hasattr(values, "toarray"):
        raise ValueError(f"{what} is a table of shape {values.shape}; it takes one label a row.")
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise ValueError(
                f"{what} is {values.dtype} of shape {values.shape}; labels are one a row, (n,)."
            )
        if values.dtype.kind in "iu":
            return _coded_integers(values)
        if values.dtype.kind == "f":
            return _coded_floats(values)
        if values.dtype.kind not in "bO":
            raise ValueError(f"{what} holds {values.dtype}; labels are names or whole numbers.")
        values = values.tolist()
    return _coded_list(values)


def _coded_list(values: Sequence[Any]) -> Coded:
    place: dict[Any, int] = {}
    different: list[Any] = []
    codes = np.empty(len(values), np.int64)
    for row, value in enumerate(values):
        if isinstance(value, str):
            key: Any = value
        elif missing(value):
            key = value = None
        elif is_set(value):
            value = value.tolist() if isinstance(value, np.ndarray) else list(value)
            key = (tuple, tuple((type(one), one) for one in value))
        else:
            value = value.item() if isinstance(value, np.generic) else value
            key = (type(value), value)
        try:
            code = place.setdefault(key, len(different))
        except TypeError:  # what no set can hold is no label; it is refused with its row
            code = len(different)
        if code == len(different):
            different.append(value)
        codes[row] = code
    return Coded(different, codes)


def _coded_integers(values: np.ndarray) -> Coded:
    if not len(values):
        return Coded([], np.zeros(0, np.int64))
    low, high = int(values.min()), int(values.max())
    if high - low >= NEAR:
        different, codes = np.unique(values, return_inverse=True)
        return Coded(different.tolist(), codes.astype(np.int64))
    offset = values.astype(np.int64) - low if low else values.astype(np.int64)
    there = np.zeros(high - low + 1, bool)
    there[offset] = True
    place = np.cumsum(there) - 1
    return Coded((np.flatnonzero(there) + low).tolist(), place[offset])


def _coded_floats(values: np.ndarray) -> Coded:
    different, codes = np.unique(values, return_inverse=True)  # NaNs are one, and the last
    entries: list[Any] = [None if value != value else value for value in different.tolist()]
    return Coded(entries, codes.astype(np.int64))


def _coded_categories(values: Any) -> Coded:
    """A Series or Categorical of pandas whose categories are declared."""
    held = values.cat if hasattr(values, "cat") else values
    categories = [one.item() if isinstance(one, np.generic) else one for one in held.categories]
    codes = np.asarray(held.codes, np.int64)
    codes = np.where(codes < 0, len(categories), codes)
    return Coded([*categories, None], codes, tuple(map(str, categories)))


def _coded_polars(what: str, values: Any) -> Coded:
    import polars as pl

    if values.dtype.is_temporal() or values.dtype in (pl.Object, pl.Binary, pl.Struct):
        raise ValueError(f"{what} holds {values.dtype}; labels are names or whole numbers.")
    declared: tuple[str, ...] = ()
    kind = values.dtype.inner if isinstance(values.dtype, pl.List) else values.dtype
    if isinstance(kind, pl.Enum):
        declared = tuple(kind.categories)
    if isinstance(values.dtype, pl.List | pl.Array):
        column = _coded_list(values.to_list())
        return Coded(column.values, column.codes, declared)
    if values.dtype in (pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    if values.dtype == pl.String:
        different = values.unique(maintain_order=True).drop_nulls()
        codes = values.cast(pl.Enum(different)).to_physical().cast(pl.Int64)
        entries = [*different.to_list(), None]
        return Coded(entries, codes.fill_null(len(different)).to_numpy(), declared)
    if values.dtype.is_integer() and not values.null_count():
        return _coded_integers(values.to_numpy())
    return _coded_list(values.to_list())


def matrix_of(what: str, values: Any) -> Matrix | None:
    """Sets as a 0/1 matrix, dense, sparse or a data frame; None for what is no matrix.

    Raises:
        ValueError: another number, or another shape.
    """
    if isinstance(values, Coded | Matrix):
        return values if isinstance(values, Matrix) else None
    columns = None
    if is_frame(values):
        columns = tuple(str(column) for column in values.columns)
        values = as_array(values, what.strip("`"))
    elif hasattr(values, "toarray"):
        check_size(what, values.shape, values.dtype.itemsize)
        values = values.toarray()
    elif not isinstance(values, list | tuple) and not hasattr(values, "to_list"):
        values = as_array(values, what.strip("`"))
    if not isinstance(values, np.ndarray) or values.ndim == 1:
        return None
    if values.ndim != 2:
        raise ValueError(f"{what} has shape {values.shape}; a matrix of sets is (rows, classes).")
    wrong = ~np.isin(values, (0, 1))
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"{what} has {values[row, column]} at row {row}, column {column}; a matrix of sets"
            " holds only 0 and 1 (or False and True). Lists of labels go in as lists."
        )
    return Matrix(np.ascontiguousarray(values, bool), columns)


def listed(what: str, values: Any) -> Any:
    """One entry a row: a list, or an array, frame or sparse matrix as it is.

    Raises:
        ValueError: one value, one string, or a table of names and values.
    """
    if is_frame(values) or hasattr(values, "toarray"):
        return values
    named = isinstance(values, np.ma.MaskedArray) or hasattr(values, "detach")  # a tensor
    values = as_array(values, what.strip("`")) if named else plain(values)
    if isinstance(values, np.ndarray) and values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    if isinstance(values, np.ndarray) and values.ndim:
        return values.tolist() if values.dtype.kind in "UT" else values
    if isinstance(values, (str, bytes, Mapping, np.ndarray)) or not hasattr(values, "__iter__"):
        raise ValueError(
            f"{what} is {shown(values)}, of the type {type(values).__name__}; give a list or an"
            " array with one entry a row."
        )
    return list(values)


def holds_sets(values: Any, classes: Collection[str] = ()) -> bool:
    """Whether rows hold several labels: a matrix, collections, or text such as ``cat|dog``."""
    if isinstance(values, Coded):
        return any(is_set(one) or _is_text_of_a_set(one, classes) for one in values.values)
    if is_frame(values) or hasattr(values, "toarray"):
        return True
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values.ndim == 2
    return any(is_set(row) or _is_text_of_a_set(row, classes) for row in values)


def named_labels(numbers: np.ndarray, classes: Sequence[str]) -> np.ndarray:
    """The names of classes instead of their places: object (n,), None for -1.

    Where names are numbers, a number among labels means a name, and places are to be told apart.

    >>> named_labels(np.array([1, -1, 0]), ["2", "1"]).tolist()
    ['1', None, '2']
    """
    return np.array([*classes, None], object)[numbers]


def several_in(
    column: Coded, classes: Collection[str] = (), separator: str = BAR
) -> dict[int, Any]:
    """Entries that hold two labels or more, by their code.

    Args:
        classes: names that somebody wrote down. separator: what stands between labels in a text.
    """
    return {
        k: entry
        for k, entry in enumerate(column.values)
        if (is_set(entry) and len(entry) > 1)
        or (
            isinstance(entry, str)
            and entry.strip() not in classes
            and sum(bool(part.strip()) for part in entry.split(separator)) > 1
        )
    }


def is_set(value: Any) -> bool:
    """Whether one row's entry is a collection of labels."""
    return isinstance(value, (set, frozenset, list, tuple, np.ndarray))


def missing(value: Any) -> bool:
    """Whether an entry says that there is none: None, NaN, pandas' NA or NaT."""
    not_a_number = isinstance(value, float) and value != value
    return value is None or not_a_number or type(value).__name__ in ("NAType", "NaTType")


def _is_text_of_a_set(row: Any, classes: Collection[str]) -> bool:
    return isinstance(row, str) and BAR in row and row.strip() not in classes


def as_ids(ids: Any) -> np.ndarray:
    """int64 or object-of-strings (n,); whether they differ is for ``Labelled`` to check."""
    ids = as_array(ids, "ids") if isinstance(ids, np.ma.MaskedArray) else ids
    ids = np.asarray(list(plain(ids)) if hasattr(ids, "__iter__") else [ids])
    if ids.dtype.kind in "iu":
        return ids.astype(np.int64)
    for row, value in enumerate(ids):
        if not isinstance(value, str):
            raise ValueError(f"`ids` has {shown(value)} at row {row}. Use strings or integers.")
    return objects([str(value) for value in ids])


def shown(value: Any) -> str:
    """For messages, without the names of NumPy's types and in a line."""
    return reprlib.repr(value.item() if isinstance(value, np.generic) else value)
