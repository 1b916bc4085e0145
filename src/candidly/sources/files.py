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
other columns, which must be numbers; a first column without a name that numbers the rows, as pandas
writes it, is left out. Labels are names; where all are whole numbers, they are class numbers from
0. How labels are written is one rule, see ``_label_text``.

``.mat``: see ``sources.mat``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .._convert import from_text, written_classes
from .._tables import (
    TABLES,
    about,
    check_file,
    check_filled,
    listed,
    number_column,
    read_table,
    typed,
)
from ..labelled import Labelled, from_arrays, from_stored
from ..storage import read_arrays
from .mat import load_mat

SUFFIXES = (".npz", ".mat", *TABLES)
LABELS = ("candidates", "given", "truth")  # columns of tables
NAMES = {
    "inputs": ("inputs", "X", "data"),
    "candidates": ("candidates", "partial_target"),
    "given": ("given", "y"),
    "truth": ("truth", "target"),
    "classes": ("classes",),
    "ids": ("ids",),
}


def load_file(path: Path, classes: Any = None) -> Labelled:
    """The data of a ``.npz``, ``.mat``, ``.csv`` or ``.parquet`` file.

    Args:
        path: of the file.
        classes: names in order, or how many, where the file does not say.

    Raises:
        FileNotFoundError: no such file.
        ValueError: another kind of file, or one that does not hold what it should.
    """
    check_file(path, SUFFIXES)
    suffix = path.suffix.lower()
    with about(path):
        if suffix == ".mat":
            return _renamed(load_mat(path), classes)
        if suffix == ".npz":
            return _load_npz(path, classes)
        return _load_table(path, classes)


def _renamed(data: Labelled, classes: Any) -> Labelled:
    """With these names, where there are any: one for each class."""
    names = written_classes(classes)
    number = len(names) or classes
    if classes is not None and number != data.q:
        raise ValueError(f"`classes` says {number} classes, and it has {data.q}.")
    return replace(data, classes=names) if names else data


def _load_npz(path: Path, classes: Any) -> Labelled:
    arrays, note = read_arrays(path)
    if note is not None:
        return _renamed(from_stored(path, arrays, note), classes)
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
    if classes is not None:
        found["classes"] = classes
    if not all(array.ndim for array in found.values() if isinstance(array, np.ndarray)):
        raise ValueError("holds single numbers where arrays with one entry a row are needed.")
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


def _load_table(path: Path, classes: Any) -> Labelled:
    frame = read_table(path)
    cells = {name: frame[name].to_list() for name in LABELS if name in frame.columns}
    if not cells:
        raise ValueError(
            f"it has the columns {listed(frame.columns)}. Needed: at least one of candidates"
            " (labels joined by |), given and truth."
        )
    values = from_text(cells, written_classes(classes))
    ids = typed(frame["id"]).to_list() if "id" in frame.columns else None
    inputs = _inputs(frame, path.parent)
    return from_arrays(inputs, ids=ids, source=path.name, classes=classes, **values)


def _inputs(frame: Any, folder: Path) -> Any:
    for name in ("text", "path"):
        if name in frame.columns:
            found = frame[name]
            check_filled(found, "Drop such rows.")
            return [folder / str(file) if name == "path" else str(file) for file in found]
    rest = [c for c in frame.columns if c not in (*LABELS, "id")]
    if not rest:
        raise ValueError("it has no column of inputs: numbers, `text` or `path`.")
    if not len(frame):
        raise ValueError("it has no rows below its header.")
    import polars  # a fifth of a second to import

    return polars.DataFrame({name: number_column(frame[name]) for name in rest})
