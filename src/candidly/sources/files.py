"""Files of your own.

``.npz``: candidly's own (``Labelled.save``), or plain arrays under these names:

=============  ===========================================================================
inputs         also X, data: a table (n, d) or uint8 images
candidates     also partial_target: 0/1, (n, q) or (q, n)
given          also y: integers or strings (n,)
truth          also target: integers or strings (n,), or one-hot (n, q) or (q, n)
classes, ids   (optional) class names (q,), ids (n,)
=============  ===========================================================================

``.csv`` and ``.parquet``: one example a row. ``candidates`` holds labels joined by ``|`` (or, in
parquet, lists), ``given`` and ``truth`` one label or nothing, ``id`` a name. The inputs are a
column ``text``, or a column ``path`` (files, relative to the table's folder), or else all the
other columns, which must be numbers. Labels are names; where all are whole numbers, they are class
numbers from 0.

``.mat``: see ``sources.mat``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ..labelled import Labelled, from_arrays, from_stored
from ..storage import read_arrays
from .mat import load_mat

SUFFIXES = (".npz", ".mat", ".csv", ".parquet")
NAMES = {
    "inputs": ("inputs", "X", "data"),
    "candidates": ("candidates", "partial_target"),
    "given": ("given", "y"),
    "truth": ("truth", "target"),
    "classes": ("classes",),
    "ids": ("ids",),
}


def load_file(path: Path) -> Labelled:
    """The data of a ``.npz``, ``.mat``, ``.csv`` or ``.parquet`` file.

    Raises:
        FileNotFoundError: no such file.
        ValueError: another kind of file, or one that does not hold what it should.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path} must end in one of {', '.join(SUFFIXES)}.")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    if suffix == ".mat":
        return load_mat(path)  # names the path itself
    try:
        return _load_npz(path) if suffix == ".npz" else _load_table(path)
    except ValueError as error:
        if str(path) in str(error):
            raise
        raise ValueError(f"{path}: {error}") from error


def _load_npz(path: Path) -> Labelled:
    arrays, note = read_arrays(path)
    if note is not None:
        return from_stored(path, arrays, note)
    found: dict[str, Any] = {}
    for name, spellings in NAMES.items():
        present = [spelling for spelling in spellings if spelling in arrays]
        if len(present) > 1:
            raise ValueError(f"has both `{present[0]}` and `{present[1]}`; keep one.")
        if present:
            found[name] = arrays[present[0]]
    if "inputs" not in found or not {"candidates", "given", "truth"} & set(found):
        raise ValueError(
            f"has the arrays {', '.join(arrays) or '(none)'}. Needed: inputs (or X, data), and one"
            " of candidates (partial_target), given (y) and truth (target)."
        )
    n = len(found["inputs"])
    for name in ("candidates", "truth"):
        if name in found and found[name].ndim == 2:
            found[name] = _rows_first(name, found[name], n)
    if "truth" in found and found["truth"].ndim == 2:
        found["truth"] = _one_hot_to_labels(found["truth"])
    return from_arrays(found.pop("inputs"), source=path.name, **found)


def _rows_first(name: str, sets: np.ndarray, n: int) -> np.ndarray:
    if sets.shape[0] == n:
        return sets
    if sets.shape[1] == n:
        return sets.T
    raise ValueError(f"`{name}` has shape {sets.shape}, but there are {n} examples.")


def _one_hot_to_labels(target: np.ndarray) -> np.ndarray:
    wrong = ~np.isin(target, (0, 1)).all(1) | ((target != 0).sum(1) != 1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"`truth` does not hold exactly one 1 for example {row}.")
    return target.argmax(1)


def _load_table(path: Path) -> Labelled:
    import polars  # a fifth of a second to import

    read = polars.read_csv if path.suffix.lower() == ".csv" else polars.read_parquet
    try:
        frame = read(path)
    except polars.exceptions.PolarsError as error:
        raise ValueError(f"not a readable table ({error}).") from error
    labels = {
        name: _split(frame[name].to_list(), several=name == "candidates")
        for name in ("candidates", "given", "truth")
        if name in frame.columns
    }
    if not labels:
        raise ValueError(
            f"has the columns {', '.join(frame.columns[:20])}. Needed: at least one of candidates"
            " (labels joined by |), given and truth."
        )
    numbers = all(
        re.fullmatch(r"-?\d+", label) for rows in labels.values() for r in rows for label in r
    )
    values: dict[str, Any] = {name: _values(rows, name, numbers) for name, rows in labels.items()}
    ids = frame["id"].to_list() if "id" in frame.columns else None
    inputs = _inputs(frame, path.parent)
    return from_arrays(inputs, ids=ids, source=path.name, **values)


def _inputs(frame: Any, folder: Path) -> Any:
    if "text" in frame.columns:
        return frame["text"].to_list()
    if "path" in frame.columns:
        return [folder / file for file in frame["path"].to_list()]
    rest = [c for c in frame.columns if c not in ("candidates", "given", "truth", "id")]
    if not rest:
        raise ValueError("has no column of inputs: numbers, `text` or `path`.")
    return frame.select(rest)


def _split(cells: list[Any], several: bool) -> list[list[str]]:
    """The labels in each cell as text; none in an empty one."""
    rows = []
    for cell in cells:
        if isinstance(cell, list):
            rows.append([str(label) for label in cell])
        elif cell is None or cell == "":
            rows.append([])
        else:
            parts = str(cell).split("|") if several else [str(cell)]
            rows.append([label.strip() for label in parts])
    return rows


def _values(rows: list[list[str]], name: str, numbers: bool) -> list[Any]:
    typed: list[list[Any]] = (
        [[int(label) for label in row] for row in rows] if numbers else list(rows)
    )
    return typed if name == "candidates" else [row[0] if row else None for row in typed]
