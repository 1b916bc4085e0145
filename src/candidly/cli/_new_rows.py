"""Rows that a model is asked about: a file with or without labels, as the model takes inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import ingest
from .._names import nearest
from ..ingest import Roles, Sheet
from ..labelled import Labelled, from_arrays
from ..sources import SOURCES, load

if TYPE_CHECKING:
    import polars as pl

    from ..model import Model


@dataclass(frozen=True, eq=False)
class NewRows:
    """n rows to predict for.

    Attributes:
        inputs: as ``Model.predict`` takes them.
        ids: n names, or numbers from 0.    id_name: of their column.
        labelled: labels to compare with, in the model's classes; None where none are asked for.
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
        label: a column to compare with, where it is a table.

    Raises:
        FileNotFoundError, ValueError, UnknownName: it cannot be read, or does not suit the model.
    """
    path = Path(what).expanduser()
    if path.suffix.lower() in ingest.TABLE_ENDINGS or what not in SOURCES and path.suffix:
        sheet = ingest.read_frame(path, roles.separator)
        with ingest.about(path):
            return _of_sheet(sheet, model, roles, label)
    data = load(what, root, roles=roles)
    if label is not None:
        raise ValueError(f"--label is for tables; {what} has labels of its own.")
    if data.classes != model.classes:
        data = replace(data, classes=model.classes) if data.q == len(model.classes) else data
    return NewRows(data, data.ids.tolist(), "id", data)
