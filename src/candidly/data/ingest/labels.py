"""Labels in files: one column of names or numbers of classes, or of sets, and ids beside it.

One rule wherever labels are read. A cell holds the name of a class or its number from 0; an empty
cell and -1 say that there is no label. Of several columns the one named by ``label`` counts, else
one of the usual names. A column of ids names the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.files import lines_of
from ...ground.names import nearest
from ..labels.text import BAR, labels_in
from ._columns import (
    Columns,
    check_kind,
    missing_column,
    read_columns,
    rows_by_id,
    texts_of,
)
from ._roles import CORRECTED, Roles
from .arrays import load_array, load_member
from .table_checks import about, is_number, listed, odd_cell, typed

if TYPE_CHECKING:
    import polars as pl

LABELS = ("label", "given", "candidates", "corrected", "consensus", "prediction")  # usual names
UNLABELLED = -1
ARRAYS = (".npy", ".npz")


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """The labels of a file as it has them.

    Attributes:
        path: of the file.
        what: what a message calls the column.
        values: integers (n,), -1 for none; names as object (n,) of ``str``, None for none; or bool
            (n, m), candidate sets of an array. Other arrays are there for others to refuse.
        ids: (n,) names of the rows as text, or None.
        separator: what stands between the names of a set.
    """

    path: Path
    what: str
    values: np.ndarray
    ids: np.ndarray | None = None
    separator: str = BAR

    @property
    def names(self) -> list[str] | None:
        """The different names, in order of the rows; None for numbers."""
        if self.values.dtype != object:
            return None
        return [name for name in dict.fromkeys(self.values.tolist()) if name is not None]


def read_labels(
    path: Path | str,
    roles: Roles | None = None,
    classes: Sequence[str] | None = None,
    n: int | None = None,
    corrected: bool = False,
) -> LabelColumn:
    """The labels of a file.

    Args:
        path: a table of any format, with a line of names or, of text, without; an ``.npy`` array;
            or an ``.npz`` with an array ``given``.
        roles: ``label``, ``id``, ``drop``, ``separator`` and ``label_separator``.
        classes: names of the classes, which a first line of names is not.
        n: how many labels there should be, where that is known.
        corrected: take a column of corrected labels, such as ``label corrected`` beside ``label``,
            where there is one.

    Raises:
        FileNotFoundError, ValueError: no such file or column, or one that holds no labels.
    """
    path, roles = Path(path), roles or Roles()
    check_kind(path, ARRAYS)
    suffix = path.suffix.lower()
    if suffix in ARRAYS:
        if roles.label is not None and suffix == ".npy":
            raise ValueError(f"{path} has no names of columns, so `label` says nothing of it.")
        array = load_array(path) if suffix == ".npy" else load_member(path, "given")
        if array.dtype.kind == "S":
            array = np.char.decode(array, "utf-8")
        named = array.dtype.kind in "UT" and array.ndim == 1
        values = _plain(array.tolist()) if named else array
        return LabelColumn(path, str(path), values)
    # columns to drop may be those of another file that is read beside this one
    columns = read_columns(path, replace(roles, drop=()), classes or (), n, usual=LABELS)
    if corrected:
        roles = _of_corrected(columns, roles)
    return labels_in_columns(columns, roles, classes)


def labels_in_columns(columns: Columns, roles: Roles, classes: Sequence[str] | None) -> LabelColumn:
    """The labels of a table that was read.

    Raises:
        ValueError: no column that is the labels', or one that holds none.
    """
    name = _label_name(columns, roles)
    what = columns.what(name)
    values = _cells(columns.frame[name], what, set(classes or ()))
    return LabelColumn(columns.path, what, values, columns.ids, roles.label_separator)


def label_numbers(labels: LabelColumn, classes: Sequence[str] | None) -> np.ndarray:
    """Numbers of classes (n,), -1 for none; an array that holds no names stays as it is.

    Args:
        classes: names in order, where labels are names.

    Raises:
        ValueError: a name that is no class, or a set.
    """
    values = labels.values
    if values.ndim != 1:
        raise ValueError(f"{labels.what} has shape {values.shape}; labels are one column.")
    if values.dtype == object:
        for row, cell in enumerate(values.tolist()):
            if isinstance(cell, list):
                raise ValueError(f"{labels.what} is {cell} at row {row}; it takes one label a row.")
        return numbers_of_names(values, labels.what, classes)
    return whole_labels(values, labels.what) if values.dtype.kind == "f" else values


def numbers_of_names(names: np.ndarray, what: str, classes: Sequence[str] | None) -> np.ndarray:
    """Numbers of classes, int64 (n,), from names; -1 where there is none.

    Raises:
        ValueError: no classes to count by, or a name that is none; names row and value.
    """
    cells = names.tolist()
    there = [row for row, name in enumerate(cells) if name not in (None, "")]
    if not there:
        return np.full(len(cells), UNLABELLED)
    if classes is None:
        row = there[odd_cell(cells[row] for row in there)]
        raise ValueError(
            f"{what} holds names ({str(cells[row])!r} at row {row}); say with `classes` "
            "which there are, in order, or correct the cell."
        )
    number: dict[Any, int] = {name: k for k, name in enumerate(classes)}
    number |= {None: UNLABELLED, "": UNLABELLED}
    found = np.fromiter((number.get(name, -2) for name in map(_key, cells)), np.int64, len(cells))
    if len(bad := np.flatnonzero(found == -2)):
        row = int(bad[odd_cell([cells[k] for k in bad])])
        raise ValueError(
            f"{what} is {str(cells[row])!r} at row {row}, which is no class; the classes are"
            f" {listed(list(classes))}{nearest(str(cells[row]), classes)}"
        )
    return found


def class_numbers(column: pl.Series, what: str, classes: Sequence[str] | None) -> np.ndarray:
    """Numbers of classes, int64 (n,), from a column of numbers or names; -1 for empty cells.

    Raises:
        ValueError: names without ``classes``, or a cell that is no class; it names the row.
    """
    if not len(column):
        return np.zeros(0, np.int64)
    values = _cells(column, what, set(classes or ()))
    return np.asarray(label_numbers(LabelColumn(Path(), what, values), classes), np.int64)


def whole_labels(values: np.ndarray, what: str) -> np.ndarray:
    """Floats that are whole as int64 (n,).

    Raises:
        ValueError: another number; names its row.
    """
    if len(bad := np.flatnonzero(~(np.isfinite(values) & (values == np.floor(values))))):
        raise ValueError(
            f"{what} is {values[bad[0]]} at row {bad[0]}; labels are integers, or names of classes."
        )
    return values.astype(np.int64)


def label_sets(labels: LabelColumn, classes: Sequence[str] | None, m: int) -> np.ndarray:
    """Candidate sets, bool (n, m), none where a cell is empty.

    Raises:
        ValueError: a label that is no class; names its row.
    """
    if labels.values.dtype == bool:
        return labels.values
    rows = _sets_of(labels)
    lengths = [len(row) for row in rows]
    flat = [name for row in rows for name in row]
    if classes is None and all(map(is_number, flat)):
        classes = [str(k) for k in range(m)]
    names = np.array([*flat, None], object)[:-1]
    owner = np.repeat(np.arange(len(rows)), lengths)
    found = np.zeros((len(rows), m), bool)
    number = {name: k for k, name in enumerate(classes or ())}
    for row, name in zip(owner.tolist(), flat):
        if name not in number:
            one = np.full(row + 1, None, object)
            one[row] = name
            numbers_of_names(one, labels.what, classes)  # refuses it, by its row
    found[owner, numbers_of_names(names, labels.what, classes)] = True
    return found


def holds_sets(labels: LabelColumn) -> bool:
    """Whether any cell holds several labels, or the array is a bool matrix."""
    values = labels.values
    if values.dtype != object:
        return bool(values.dtype == bool and values.ndim == 2)
    return any(not isinstance(name, str) or labels.separator in name for name in labels.names or ())


def in_order_of(labels: LabelColumn, ids: np.ndarray | None) -> LabelColumn:
    """The same labels in the order of ``ids``, where both name their rows.

    Raises:
        ValueError: a name that one of them lacks.
    """
    if ids is None or labels.ids is None:
        return labels
    rows = rows_by_id(ids, labels.ids, str(labels.path))
    return labels if rows is None else replace(labels, values=labels.values[rows], ids=ids)


def class_names(labels: LabelColumn, columns: Sequence[str] | None) -> list[str] | None:
    """The names of the columns of probabilities as classes, where a label is among them."""
    if labels.names is None or columns is None:
        return None
    known = {one for row in _sets_of(labels) for one in row} & set(columns)
    return list(columns) if known else None


def read_names(
    path: Path | str, roles: Roles | None = None, n: int | None = None, header: str = "id"
) -> np.ndarray:
    """One column of anything as text, such as ids or groups: (n,).

    Args:
        n: how many there should be, by which a first line is the column's name or not.
        header: what the first line is called where it is the column's name and ``n`` is not known.

    Raises:
        FileNotFoundError, ValueError: no such file, several columns, or an empty cell.
    """
    path = Path(path)
    check_kind(path)
    if path.suffix.lower() == ".npy":
        array = load_array(path)
        if array.ndim != 1:
            raise ValueError(f"{path} has shape {array.shape}; names of rows are one column.")
        return array.astype(str)
    columns = read_columns(path, roles, n=n, ids=())
    frame, named = columns.frame, columns.named
    if roles is not None and roles.id is not None and columns.ids is not None:
        return columns.ids
    if frame.width != 1 and header in frame.columns:
        frame = frame.select(header)
    if frame.width != 1:
        raise ValueError(
            f"{path} has {frame.width} columns ({listed(frame.columns)}); names of rows are one,"
            f" alone or called {header}."
        )
    names = texts_of(path, frame.to_series(0))
    first = frame.columns[0]
    if named and n is None and columns.found and first.lower() != header:
        return np.array([first, *names.tolist()])  # names of rows all look like names of columns
    return names


def read_classes(text: str | None, option: str = "`classes`") -> list[str] | None:
    """Names from a list with commas, or from a text file with a name a line.

    Args:
        option: what the text was given by, for messages.

    Raises:
        ValueError: no such file, a name twice, or none.
    """
    if text is None:
        return None
    path = Path(text)
    if path.is_file():
        names = lines_of(path)
    elif "," in text:
        names = text.split(",")
    else:
        raise ValueError(
            f"{option} is {text!r}, which is no file; a list of names has commas, such as cat,dog."
        )
    names = [name.strip() for name in names]
    names = [name for name in names if name]
    if not names:
        raise ValueError(f"{option} is {text!r}, in which there is no name.")
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise ValueError(f"{option} has {twice[0]!r} twice.")
    return names


def _of_corrected(columns: Columns, roles: Roles) -> Roles:
    """The same with the column of corrected labels as the label, where there is one."""
    end = CORRECTED
    made = [name for name in columns.frame.columns if name.endswith(end)]
    if roles.label is not None:
        made = [name for name in made if name == roles.label + end]
    if len(made) == 1:
        return replace(roles, label=made[0])
    there = roles.label in columns.frame.columns
    return roles if there else replace(roles, label=None)  # a table of ids and corrected labels


def _label_name(columns: Columns, roles: Roles) -> str:
    there = [name for name in columns.frame.columns if name not in roles.drop]
    if roles.label is not None:
        if roles.label not in there:
            raise ValueError(missing_column(columns.path, there, roles.label, "label"))
        return roles.label
    if len(there) == 1:
        return str(there[0])
    usual = next((name for name in LABELS if name in there), None)
    if usual is None:
        raise ValueError(
            f"{columns.path} has {len(there)} columns"
            + (f" ({listed(there)})" if columns.named else "")
            + "; name the one of labels with `label`."
            + ("" if columns.named else " The first line has to name the columns for that.")
        )
    return usual


def _cells(column: pl.Series, what: str, classes: set[str]) -> np.ndarray:
    """Integers, or names and None."""
    import polars as pl

    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if not len(column):
        raise ValueError(f"{what} has no rows.")
    if isinstance(column.dtype, pl.List):
        return _plain(column.to_list())
    if column.dtype == pl.String:
        column = column.replace("", None)
    numbers = typed(column)
    if numbers.dtype == pl.Null:
        return np.full(len(column), UNLABELLED)
    if numbers.dtype.is_numeric() and not {str(one) for one in numbers.unique()} & classes:
        if numbers.dtype.is_integer():
            return numbers.fill_null(UNLABELLED).to_numpy()
        return whole_labels(numbers.fill_null(UNLABELLED).to_numpy(), what)
    if column.dtype.is_temporal() or column.dtype == pl.Binary or column.dtype.is_nested():
        raise ValueError(f"{what} holds no numbers and no names of classes, but {column.dtype}.")
    return _plain(column.cast(pl.String).to_list())


def _plain(cells: Sequence[Any]) -> np.ndarray:
    """Names without the spaces around them, None where there is none: object (n,)."""
    found = np.empty(len(cells), object)
    for row, cell in enumerate(cells):
        found[row] = (cell.strip() or None) if isinstance(cell, str) else cell
    return found


def _sets_of(labels: LabelColumn) -> list[list[str]]:
    """The labels of each row."""
    rows = []
    with about(labels.path):
        for row, cell in enumerate(labels.values.tolist()):
            if isinstance(cell, str) and labels.separator == BAR:
                rows.append(labels_in(cell, "label", row, (cell,) if BAR not in cell else ()))
            elif isinstance(cell, str):
                rows.append([one.strip() for one in cell.split(labels.separator)])
            else:
                rows.append([] if cell is None else [str(one) for one in cell])
    return rows


def _key(name: Any) -> Any:
    return name if name is None or isinstance(name, str) else str(name)
