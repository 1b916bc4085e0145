"""Turning inputs as people have them (tables, lists, frames) into arrays of ``Labelled``."""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.arrays import as_array, collected, door, is_frame, objects
from ...ground.checks import check_different, check_size, read_only
from ...ground.numbers import LARGEST, beyond
from ._images import check_pixels
from ._table import Table
from .kinds import InputKind

UNNAMED = ("", "Unnamed: 0", "__index_level_0__")  # first columns that pandas writes unasked


@door
def as_inputs(X: Any) -> np.ndarray | Table:
    """Inputs as ``Labelled`` stores them.

    Float tables keep float32 or float64. Bool and integer tables become the smallest of the two
    that holds them exactly (numpy's rule: 8 and 16 bits float32, wider float64). uint8 with 3 or
    4 dimensions is images. Strings are texts, ``pathlib.Path`` are media files. A data frame of
    numbers alone is such a table, and one with other columns or missing values a ``Table``.

    Raises:
        ValueError: nothing of the sort; the message names the column or shape.
    """
    if isinstance(X, Table):
        return X
    X = collected(X)
    if is_frame(X):
        return _from_frame(X)
    if hasattr(X, "detach"):
        X = as_array(X, "inputs")
    if hasattr(X, "toarray"):
        check_size("`inputs`", X.shape, X.dtype.itemsize)
        X = X.toarray()
    if isinstance(X, np.ma.MaskedArray):
        X = as_array(X, "inputs")
    if isinstance(X, (str, bytes, Path, Mapping)) or not hasattr(X, "__iter__"):
        raise ValueError(
            f"`inputs` is of the type {type(X).__name__}; give a table, or a list with one text or"
            " Path an example. candidly.load() reads files."
        )
    if not isinstance(X, np.ndarray) or X.dtype.kind in "OUT":
        listed = list(X)
        if not listed:
            raise ValueError("`inputs` has no rows.")
        if all(isinstance(value, (str, Path)) for value in listed):
            return objects([str(v) if isinstance(v, str) else v for v in listed])
        _check_lengths(listed)
        try:
            X = np.asarray(listed if not isinstance(X, np.ndarray) else X.astype(np.float64))
        except (TypeError, ValueError):
            X = np.asarray(listed, object)
        if X.dtype.kind not in "biufc":
            raise ValueError(
                f"`inputs` holds {_first_strange(listed)}, and is neither a table of numbers,"
                " images, strings nor paths. Pass a number array (n, d), or one string or Path an"
                " example."
            )
    if X.ndim == 1:
        raise ValueError(
            f"`inputs` has shape {X.shape}: one number an example. Use X.reshape(-1, 1)."
        )
    if X.ndim == 2:
        return _float_table(X)
    return X


@door
def checked_inputs(inputs: Any) -> np.ndarray | Table:
    """A read-only view of inputs of one of the five kinds (see ``kind_of_inputs``).

    Raises:
        ValueError: none of the five kinds, or a table with NaN or infinity.
    """
    if isinstance(inputs, Table):
        return inputs
    if isinstance(inputs, np.ma.MaskedArray):
        inputs = as_array(inputs, "inputs")
    kind = kind_of_inputs(inputs)
    if kind.texts or kind.files:
        wanted = str if kind.texts else Path
        for row, value in enumerate(inputs):
            if not isinstance(value, wanted):
                raise ValueError(
                    f"`inputs` has {value!r} at row {row}, but row 0 is a {wanted.__name__}."
                    " Pass only texts (str) or only files (pathlib.Path)."
                    if row
                    else f"`inputs` has {value!r} at row 0, which is neither a str nor a Path."
                )
    if kind.pixels:
        check_pixels(inputs)
    if 0 in inputs.shape[1:]:
        raise ValueError(f"`inputs` has shape {inputs.shape}: there is nothing in an example.")
    if kind == "table":
        finite = np.abs(inputs) <= LARGEST
        if not finite.all():
            row, column = (int(i) for i in np.argwhere(~finite)[0])
            raise ValueError(
                f"`inputs` has {beyond(inputs[row, column])} at row {row}, column {column}."
                " Fill in or drop such rows before loading."
            )
    return read_only(inputs)


@door
def kind_of_inputs(inputs: Any) -> InputKind:
    """The kind: ``table`` (float (n, d)), ``images`` (uint8 (n, h, w[, c])), or one of three more.

    ``texts`` and ``media`` are object arrays (n,) of ``str`` and of ``pathlib.Path``; ``columns``
    of different kinds are a ``Table``.
    """
    if isinstance(inputs, Table):
        return InputKind.COLUMNS
    if not isinstance(inputs, np.ndarray):
        raise ValueError(
            f"`inputs` is a {type(inputs).__name__}, not a numpy array. from_arrays() converts."
        )
    if inputs.dtype in (np.float32, np.float64) and inputs.ndim == 2:
        return InputKind.TABLE
    if inputs.dtype == np.uint8 and inputs.ndim in (3, 4):
        return InputKind.IMAGES
    if inputs.dtype == object and inputs.ndim == 1:
        paths = len(inputs) and isinstance(inputs[0], Path)
        return InputKind.MEDIA if paths else InputKind.TEXTS
    if inputs.ndim in (3, 4) and inputs.dtype.kind in "biuf":
        check_pixels(inputs)
    raise ValueError(
        f"`inputs` is {inputs.dtype} of shape {inputs.shape}. Pass a float table (n, d), uint8"
        " images (n, h, w) or (n, h, w, c), texts or paths; from_arrays() converts other numbers."
    )


@door
def checked_features(features: Any, inputs: Any) -> tuple[str, ...] | None:
    """Names of the columns of inputs: different strings, one for each column of a table.

    Raises:
        ValueError: something else; the message names the place.
    """
    if features is None:
        return None
    if not isinstance(features, tuple) or not all(isinstance(name, str) for name in features):
        raise ValueError(f"`features` is {features!r}. Write a tuple of names of columns.")
    check_different("features", features, "position", "Rename one of them.")
    if kind_of_inputs(inputs).named and len(features) != inputs.shape[1]:
        raise ValueError(
            f"`features` names {len(features)} columns, but `inputs` has {inputs.shape[1]}."
        )
    return features


def _check_lengths(rows: list[Any]) -> None:
    """Refuse rows of different lengths."""
    lengths = [len(row) if isinstance(row, (list, tuple)) else None for row in rows]
    for row, length in enumerate(lengths):
        if length != lengths[0] and length is not None and lengths[0] is not None:
            raise ValueError(
                f"`inputs` has {length} numbers at row {row}, and {lengths[0]} at row 0. Give every"
                " example the same features."
            )


def _first_strange(rows: list[Any]) -> str:
    """The first entry that is no number, and its row."""
    for row, values in enumerate(rows):
        for value in values if isinstance(values, (list, tuple, np.ndarray)) else [values]:
            if not isinstance(value, (int, float, complex, np.number, np.bool_)):
                return f"{reprlib.repr(value)} at row {row}"
    return "rows of different kinds"


def _from_frame(frame: Any) -> np.ndarray | Table:
    names = list(frame.columns)
    if names and _numbers_rows(str(names[0]), np.asarray(frame[names[0]].to_numpy())):
        warnings.warn(
            f"the first column, {str(names[0])!r}, numbers the rows; it is not used as a feature."
            " Name it otherwise if it is one.",
            stacklevel=5,
        )
        names = names[1:]
    if not names:
        raise ValueError("`inputs` has no columns.")
    columns = []
    for name in names:
        values = np.asarray(frame[name].to_numpy())
        if values.dtype.kind not in "biuf" or values.ndim > 1 or np.isnan(values).any():
            return Table.of(frame[names])
        columns.append(values)
    return _float_table(np.column_stack(columns))


def _numbers_rows(name: str, values: np.ndarray) -> bool:
    """Whether a first column is the number of the row, as tables get it when written to files.

    Raises:
        ValueError: it has no name, and holds something else.
    """
    whole = values.dtype.kind in "iu"
    if name == "index":
        return whole and len(values) > 1 and np.array_equal(values, np.arange(len(values)))
    if name not in UNNAMED:
        return False
    if not whole or len(np.unique(values)) < len(values):
        raise ValueError(
            f"`inputs` has a first column without a name ({name!r}), which does not number the"
            " rows. Name it, or drop it."
        )
    return True


def _float_table(table: np.ndarray) -> np.ndarray:
    if table.dtype.kind not in "biuf":
        raise ValueError(f"`inputs` is {table.dtype} of shape {table.shape}, not real numbers.")
    smallest = np.result_type(table.dtype, np.float32)
    # by rows, as batches are gathered by row; MATLAB files come by columns
    return np.ascontiguousarray(table, np.float32 if smallest == np.float32 else np.float64)
