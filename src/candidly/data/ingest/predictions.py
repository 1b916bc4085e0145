"""What a model says of each example, in a file: classes, or probabilities of all classes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...ground.arrays import column_order
from ._columns import check_kind, number_columns, read_columns, rows_by_id
from ._packed import COMPRESSED
from ._roles import Roles
from ._sheet import PART_ENDINGS
from .arrays import load_array
from .labels import LABELS, label_numbers, labels_in_columns, numbers_of_names

ENDINGS = (".npy", *PART_ENDINGS)


def model_of(path: Path) -> str | None:
    """What a model is called by the name of its file; None for another kind of file."""
    plain = Path(path.stem) if path.suffix.lower() in COMPRESSED else path
    known = plain.suffix.lower() in ENDINGS and plain.suffix.lower() != ".txt"
    return plain.stem if known and path.name[0] != "." else None


def read_predictions(
    path: Path | str,
    roles: Roles | None = None,
    classes: Sequence[str] | None = None,
    ids: np.ndarray | None = None,
) -> np.ndarray:
    """Predicted classes, int (n,), or probabilities, float (n, classes) in order of the classes.

    Args:
        path: an ``.npy`` array, or a table: of one column, or one of the usual names of labels,
            these are classes; others are probabilities in a column a class.
        roles: ``label``, ``id``, ``drop`` and ``separator``.
        classes: names in order, where classes or columns go by names.
        ids: of the labels; where the table names its rows, they come in this order.

    Raises:
        FileNotFoundError, ValueError: what does not fit; the message names the file.
    """
    path, roles = Path(path), roles or Roles()
    check_kind(path)
    if path.suffix.lower() == ".npy":
        array = load_array(path)
        if array.dtype.kind in "UT" and array.ndim == 1:
            return numbers_of_names(array.astype(object), str(path), classes)
        return _refuse_labels(path, array)
    columns = read_columns(path, roles, classes or ())
    names = columns.frame.columns
    if roles.label is not None or len(names) == 1 or set(LABELS) & set(names):
        found = label_numbers(labels_in_columns(columns, roles, classes), classes)
    else:
        order = column_order(names, classes, str(path)) if columns.named else None
        found = _refuse_labels(path, number_columns(columns, order))
    if columns.ids is None or ids is None:
        return found
    rows = rows_by_id(ids, columns.ids, str(path))
    return found if rows is None else found[rows]


def _refuse_labels(path: Path, array: np.ndarray) -> np.ndarray:
    """Refuse several columns of class numbers."""
    whole = array.dtype.kind in "iub"
    if array.ndim == 2 and array.size and not whole:
        whole = array.max() > 1 and bool((array == np.floor(array)).all())
    if array.ndim == 2 and whole:
        raise ValueError(
            f"{path} has shape {array.shape} and holds whole numbers; labels are one column, alone"
            f" or called {' or '.join(LABELS)}, and probabilities lie in [0, 1]."
        )
    return array
