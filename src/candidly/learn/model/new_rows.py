"""Rows that a model is asked about: a file with or without labels, as the model takes inputs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest import (
    USUAL,
    Roles,
    Sheet,
    decimal_points,
    files_named,
    is_table,
    pictures_in,
    read_frame,
)
from ...data.ingest.table_checks import about, listed
from ...data.ingest.unused import EVERYTHING, RolesUsed, as_read, refuse_unused
from ...data.labels.building import from_arrays
from ...data.labels.labelled import Labelled
from ...data.sources import load, refuse_root, source_of
from ...ground.names import UnknownName, nearest
from ...ground.problem import passed

if TYPE_CHECKING:
    import polars as pl

    from ._model import Model

ARRAYS = (".npz", ".mat")  # files that hold more than a table
LABELS = ("label", "given", "candidates", "truth")  # usual names of columns that are no inputs


@dataclass(frozen=True, eq=False)
class NewRows:
    """n rows to predict for.

    Attributes:
        inputs: as ``Model.predict`` takes them.
        ids: n names, or numbers from 0.    id_name: of their column.
        labelled: labels to compare with, in the model's classes; None where there are none.
        sheet: the table that the rows are from, if they are from one.
    """

    inputs: Any
    ids: Sequence[Any]
    id_name: str
    labelled: Labelled | None = None
    sheet: Sheet | None = None


def read_new(
    what: str, model: Model, roles: Roles, label: str | None, root: Path | None
) -> NewRows:
    """What a file, or a known data set, holds for a model.

    Args:
        roles: which column is what; without labels.
        label: for a table, a column to compare with.

    Raises:
        FileNotFoundError, ValueError, UnknownName: it cannot be read, or does not suit the model.

    Warns:
        UserWarning: columns that are not used.
    """
    path = Path(what).expanduser()
    folder = path.is_dir() and not is_table(path)
    if folder and (files := pictures_in(path, roles.damaged)):
        refuse_root(root, path)
        refuse_unused(roles, RolesUsed(f"{path}, a folder of pictures", ("damaged",)))
        return NewRows(files, [file.name for file in files], "id")
    if path.suffix.lower() in ARRAYS or folder or _known(what):
        if label is not None:
            raise ValueError(f"`label` names a column of a table, and {what} is none.")
        data = load(what, root, roles=roles)
        same = data.classes == model.classes
        return NewRows(data, data.ids.tolist(), "id", data if same else None)
    refuse_root(root, path)
    column = {"texts": "text", "media": "image"}.get(model.reading.kind)
    others = {"text", "image"} - {column}
    refuse_unused(roles, as_read(path, set(EVERYTHING) - others))
    sheet = read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads)
    with about(path):
        return _of_sheet(sheet, model, roles, label)


def _known(what: str) -> bool:
    try:
        source_of(what)
    except UnknownName:
        return False
    return True


def _of_sheet(sheet: Sheet, model: Model, roles: Roles, label: str | None) -> NewRows:
    frame, needed = sheet.frame, set(model.features or ())
    if not len(frame):
        raise ValueError("it has no rows below its header.")
    if label is not None and label not in frame.columns:
        raise ValueError(
            f"there is no column {label!r} (`label`){nearest(label, frame.columns)} The columns "
            f"are {listed(frame.columns)}."
        )
    roles.check(frame.columns)
    trained = model.about.get("trained", {})
    known = [trained.get("id"), *USUAL["id"]]  # as it was called in training, else as usual
    usual = (name for name in known if name in frame.columns and name not in needed)
    roles = replace(roles, id=roles.id or next(usual, None))
    aside = ({label, *LABELS, trained.get("label")} & set(frame.columns)) - needed
    if unused := sorted(aside - {label}):
        warnings.warn(
            f"not looked at, as predicting needs no labels: {listed(unused)};"
            f" {passed('label', unused[0])} compares with them.",
            stacklevel=2,
        )
    id_name = roles.id if roles.id not in needed else None
    out = [name for name in frame.columns if name in {*aside, *roles.drop, id_name}]
    ids = list(range(len(frame))) if id_name is None else frame[id_name].to_list()
    inputs = _inputs(frame.drop(out), model, roles, sheet.path.parent)
    labelled = None if label is None else _labelled(frame[label].to_list(), model)
    return NewRows(inputs, ids, id_name or "row", labelled, sheet)


def _inputs(frame: pl.DataFrame, model: Model, roles: Roles, folder: Path) -> Any:
    """Columns by name; texts or files where the model takes them; numbers by position."""
    kind, names = model.reading.kind, model.features
    if kind.texts or kind.files:
        role = "text" if kind.texts else "image"
        usual = (name for name in USUAL[role] if name in frame.columns)
        name = getattr(roles, role) or (names[0] if names else next(usual, None))
        if name is None or name not in frame.columns:
            raise ValueError(
                f"this model takes {'texts' if kind.texts else 'pictures'}, and there is no "
                f"column {name!r}; name it with `{role}`."
                if name
                else f"name the column of its inputs with `{role}`."
            )
        cells = frame[name].to_list()
        if None in cells:
            raise ValueError(
                f"column {name!r} is empty at row {cells.index(None)}. Drop such rows."
            )
        return files_named(frame[name], folder) if kind.files else list(map(str, cells))
    frame = decimal_points(frame)
    if names is not None:
        return frame
    from ...data.inputs import Table, parsed

    table = Table.of(parsed(frame), dict.fromkeys(frame.columns, "number"))
    return table.frame.to_numpy()


def _labelled(cells: list[Any], model: Model) -> Labelled:
    """The labels alone: rows without inputs to speak of."""
    return from_arrays(np.zeros((len(cells), 1)), cells, classes=model.classes)
