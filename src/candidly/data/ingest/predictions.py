"""What a model says of each example, in a file: classes, or probabilities of all classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...ground.arrays import column_order
from ...ground.files import without_packing
from ...ground.numbers import count_of
from ._columns import (
    Named,
    check_kind,
    names_of_rows,
    number_columns,
    read_columns,
    rows_of,
    values_of,
)
from ._roles import Roles
from ._sheet import PART_ENDINGS
from .arrays import load_array
from .labels import LABELS, LabelColumn, label_numbers, labels_in_columns
from .table_checks import listed

ENDINGS = (".npy", *PART_ENDINGS)


def model_of(path: Path) -> str | None:
    """What a model is called by the name of its file; None for another kind of file."""
    plain = without_packing(path)
    known = plain.suffix.lower() in ENDINGS and plain.suffix.lower() != ".txt"
    return plain.stem if known and path.name[0] != "." else None


def read_predictions(
    path: Path | str,
    roles: Roles | None = None,
    classes: Sequence[str] | None = None,
    of: Named | None = None,
    n: int | None = None,
    ordered: bool = True,
) -> np.ndarray:
    """Predicted classes, int (n,), or probabilities, float (n, classes) in order of the classes.

    Args:
        path: an ``.npy`` array, or a table: of one column, or one of the usual names of labels,
            these are classes; others are probabilities in a column a class.
        roles: ``label``, ``id``, ``drop`` and ``separator``.
        classes: names in order, where classes or columns go by names.
        of: how the labels name their rows; where both do, these come in the labels' order.
        n: how many rows there should be, where that is known.
        ordered: whether somebody said in which order the classes come, so that numbers mean them.

    Raises:
        FileNotFoundError, ValueError: what does not fit; the message names the file.
    """
    path, roles = Path(path), roles or Roles()
    check_kind(path)
    if path.suffix.lower() == ".npy":
        array = load_array(path)
        if array.dtype.kind in "UT" and array.ndim == 1:
            return label_numbers(LabelColumn(path, str(path), array.astype(object)), classes)
        check_by_name(str(path), ordered)
        return _refuse_labels(path, array)
    columns = read_columns(path, roles, classes or (), n, usual=LABELS)
    columns = columns if roles.label is not None else values_of(columns, of)
    names = columns.frame.columns
    if roles.label is not None or len(names) == 1 or set(LABELS) & set(names):
        labels = labels_in_columns(columns, roles, classes)
        check_by_name(labels.what, ordered or labels.odd is not None)
        found = label_numbers(labels, classes)
    else:
        check_by_name(str(path), ordered or columns.named)
        order = column_order(names, classes, str(path)) if columns.named else None
        found = _refuse_labels(path, number_columns(columns, order))
    rows = rows_of(of, columns, str(path))
    return found if rows is None else found[rows]


def read_models(
    path: Path | str,
    roles: Roles | None = None,
    classes: Sequence[str] | None = None,
    of: Named | None = None,
    n: int | None = None,
    ordered: bool = True,
) -> dict[str, np.ndarray]:
    """Predicted classes int (n,) of each model, from one table with a column a model.

    Args:
        path: the table; a column of labels, named or of a usual name, is no model's.
        roles: ``label``, ``id``, ``drop`` and ``separator``.
        classes, of, ordered: as of ``read_predictions``. n: how many rows there should be.

    Raises:
        FileNotFoundError, ValueError: no such file, fewer than two models, or a column that holds
            something else than classes; the message names it.
    """
    path, roles = Path(path), roles or Roles()
    columns = values_of(read_columns(path, roles, classes or (), n, usual=LABELS), of)
    if not columns.named:
        raise ValueError(f"{path} has no line of names above its columns, which name the models.")
    own = roles.label or next((name for name in LABELS if name in columns.frame.columns), None)
    names = [name for name in columns.frame.columns if name != own]
    if len(names) < 2:
        raise ValueError(
            f"{path} has {count_of(len(names), 'column')} of models"
            f" ({listed(columns.frame.columns)}); a ranking needs at least two."
        )
    read = {name: labels_in_columns(columns, replace(roles, label=name), classes) for name in names}
    for labels in read.values():
        check_by_name(labels.what, ordered or labels.odd is not None)
    found = {name: label_numbers(labels, classes) for name, labels in read.items()}
    rows = rows_of(of, columns, str(path))
    return found if rows is None else {name: found[name][rows] for name in names}


def check_by_name(what: str, fine: bool) -> None:
    """Refuse numbers of classes whose order nobody said.

    Raises:
        ValueError: not ``fine``; says what holds them.
    """
    if not fine:
        raise ValueError(
            f"{what} holds numbers where the labels are names; say with `classes` which there"
            " are, in order, or write names."
        )


def column_classes(path: Path | str, roles: Roles | None = None) -> list[str] | None:
    """The classes that a table of probabilities names its columns by; None of another file."""
    path = Path(path)
    if path.suffix.lower() == ".npy":
        return None
    columns = read_columns(path, roles, usual=LABELS)
    frame = columns.frame
    names = frame.drop(names_of_rows(frame, frame.width)).columns if columns.named else []
    several = columns.named and len(names) > 1 and not set(LABELS) & set(names)
    return names if several else None


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
