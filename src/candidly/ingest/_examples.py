"""``Labelled`` from what people have: a table, arrays, a folder of pictures, a data frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._convert import from_text, holds_sets, written_classes
from .._tables import about, check_file, check_filled, listed, number_column, typed
from ..labelled import Labelled, from_arrays, from_stored
from ..storage import read_arrays
from ._mat import load_mat
from ._roles import CORRECTED, GIVEN, Roles
from ._sheet import TABLE_ENDINGS, Sheet, read_frame

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".npz", ".mat", *TABLE_ENDINGS)
NAMES = {
    "inputs": ("inputs", "X", "data"),
    "candidates": ("candidates", "partial_target"),
    "given": ("given", "y"),
    "truth": ("truth", "target"),
    "classes": ("classes",),
    "ids": ("ids",),
}


def read(
    where: Any,
    roles: Roles | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
    *,
    label: str | None = None,
    truth: str | None = None,
    id: str | None = None,
    text: str | None = None,
    image: str | None = None,
    annotator: str | None = None,
    item: str | None = None,
    drop: Sequence[str] = (),
    separator: str | None = None,
    label_separator: str = "|",
    classes: Any = None,
) -> Labelled:
    """The inputs and labels of a file, a data frame or a folder of pictures.

    Args:
        where: a path of a table, of arrays (``.npz``, ``.mat``) or of a folder with a subfolder of
            pictures a class; a data frame of polars or pandas; or a ``Sheet``.
        roles: which column is what, in place of the arguments below.
        watch: called with rows done and rows in all, by what takes long.
        label, truth, id, text, image, annotator, item, drop, separator, label_separator, classes:
            see ``Roles``.

    Returns:
        One label a cell is ``given``; any cell with several makes the column ``candidates``.

    Raises:
        FileNotFoundError: no such file.
        ValueError: what cannot be read so; the message names file, row, column and the next step.

    Warns:
        UserWarning: a column was left out, or an encoding assumed.
    """
    named = Roles(
        label=label, truth=truth, id=id, text=text, image=image, annotator=annotator, item=item,
        drop=(drop,) if isinstance(drop, str) else tuple(drop), separator=separator,
        label_separator=label_separator, classes=classes,
    )  # fmt: skip
    if roles is not None and named != Roles():
        raise ValueError("`roles` says which column is what; give no other names beside it.")
    return _read(where, roles or named, watch)


def _read(where: Any, roles: Roles, watch: Callable[[int, int], None]) -> Labelled:
    if isinstance(where, Sheet):
        with about(where.path):
            return _from_frame(where.frame, roles, where.path.parent, where.path.name)
    if hasattr(where, "columns"):
        return _from_frame(_polars(where), roles, Path(), "data frame")
    path = Path(where).expanduser()
    check_file(path, SUFFIXES)
    suffix = path.suffix.lower()
    with about(path):
        if suffix == ".mat":
            return _renamed(load_mat(path), roles.classes)
        if suffix == ".npz":
            return _load_npz(path, roles.classes)
    return _read(read_frame(path, roles.separator), roles, watch)


def read_inputs(where: Any, roles: Roles | None = None) -> tuple[Any, np.ndarray]:
    """Inputs and ids of a table, labels or not: what a model can be asked about.

    Columns of labels are left out, where there are any.

    Raises:
        FileNotFoundError, ValueError: see ``read``.
    """
    roles = roles or Roles()
    if not isinstance(where, Sheet) and not hasattr(where, "columns"):
        where = read_frame(Path(where).expanduser(), roles.separator)
    frame = where.frame if isinstance(where, Sheet) else _polars(where)
    folder = where.path.parent if isinstance(where, Sheet) else Path()
    absent: dict[str, Any] = {
        role: None for role in ("label", "truth") if getattr(roles, role) not in frame.columns
    }
    roles = replace(roles, **absent).among(frame.columns)
    ids = np.arange(len(frame)) if roles.id is None else np.array(frame[roles.id].to_list())
    return _inputs(frame, roles, set(label_columns(frame, roles).values()), folder), ids


def _polars(frame: Any) -> pl.DataFrame:
    import polars as pl

    return frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)


def _from_frame(frame: pl.DataFrame, roles: Roles, folder: Path, source: str) -> Labelled:
    roles = roles.among(frame.columns)
    columns = label_columns(frame, roles)
    if not columns:
        raise ValueError(
            f"it has the columns {listed(frame.columns)}. Needed: at least one of candidates"
            " (labels joined by |), given and truth; or name the column of labels with --label."
        )
    names = written_classes(roles.classes)
    cells = {kind: frame[name].to_list() for kind, name in columns.items()}
    if "label" in cells:
        several = holds_sets(cells["label"], names)
        cells["candidates" if several else "given"] = cells.pop("label")
    values = from_text(cells, names)
    ids = typed(frame[roles.id]).to_list() if roles.id else None
    inputs = _inputs(frame, roles, set(columns.values()), folder)
    return from_arrays(inputs, ids=ids, source=source, classes=roles.classes, **values)


def label_columns(frame: pl.DataFrame, roles: Roles) -> dict[str, str]:
    """Columns of labels by what they are: candidates, given, truth, or label for either."""
    free = [name for name in GIVEN if name in frame.columns and name not in roles.drop]
    columns = {name: name for name in free if roles.label is None}
    if roles.label is not None:
        columns = {"label": roles.label}
    return columns | ({} if roles.truth is None else {"truth": roles.truth})


def _inputs(frame: pl.DataFrame, roles: Roles, labels: set[str], folder: Path) -> Any:
    if name := roles.text or roles.image:
        check_filled(frame[name], "Drop such rows.")
        return [str(cell) if roles.text else folder / str(cell) for cell in frame[name]]
    out = {*labels, *roles.drop, roles.id}
    out |= {
        name.removesuffix(end) + more for name in labels for end in CORRECTED for more in CORRECTED
    }
    rest = [name for name in frame.columns if name not in out]
    if not rest:
        raise ValueError("it has no column of inputs: numbers, `text` or `path`.")
    if not len(frame):
        raise ValueError("it has no rows below its header.")
    import polars as pl

    return pl.DataFrame({name: number_column(frame[name]) for name in rest})


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
