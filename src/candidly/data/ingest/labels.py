"""Labels in files: one column of names or numbers of classes, or of sets, and ids beside it.

What labels mean is one rule, see ``data.labels.reading``; this says where in a file they are. Of
several columns the one named by ``label`` counts, else one of the usual names. A column of ids
names the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.files import lines_of
from ..labels.coded import Coded, coded, is_set, missing, named_labels, several_in
from ..labels.kinds import SINGLE, kind_of, not_said
from ..labels.reading import LabelRule, is_whole
from ..labels.reading import read_labels as numbered
from ..labels.text import BAR
from ._columns import (
    IDS,
    Columns,
    Named,
    check_kind,
    missing_column,
    read_columns,
    row_for_row,
    rows_of,
    texts_of,
    values_of,
)
from ._one_hot import one_column
from ._roles import CORRECTED, Roles
from .arrays import load_array, load_member, stored_classes
from .table_checks import about, check_flat, listed

if TYPE_CHECKING:
    import polars as pl

LABELS = ("label", "given", "candidates", "corrected", "consensus", "prediction")  # usual names
UNLABELLED = -1
ARRAYS = (".npy", ".npz")


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """The labels of a file as it has them.

    Attributes:
        path: the path of the file.
        what: what a message calls the column.
        values: whole numbers (n,); object (n,) of what cells hold, None for none; or bool (n, m),
            candidate sets of an array.
        ids: (n,) names of the rows as text, or None.
        separator: what stands between the names of a set.
        kind: what several labels of a row are, where something says it; see ``data.labels.kinds``.
        keys: columns beside that may name rows.
        merge: classes to make one, see ``LabelRule``.
        declared: the classes that the file names, in order; () where it names none.
    """

    path: Path
    what: str
    values: np.ndarray
    ids: np.ndarray | None = None
    separator: str = BAR
    keys: pl.DataFrame | None = None
    kind: str | None = None
    merge: bool | Mapping[str, str] = False
    declared: tuple[str, ...] = ()

    def rule(self, classes: Any) -> LabelRule:
        """How its entries are read as labels of these classes."""
        return LabelRule(classes, single=self.kind == SINGLE, merge=self.merge)

    @property
    def rows(self) -> Named:
        """How its rows are named."""
        return Named(self.ids, self.keys)

    @cached_property
    def coded(self) -> Coded:
        """The different entries and where they stand."""
        return coded(self.what, self.values)

    @property
    def barred(self) -> Coded:
        """The same with a bar between the labels of a cell, as the rule of labels has it."""
        if self.separator == BAR or self.kind == SINGLE:
            return self.coded
        cells = [
            each.replace(self.separator, BAR) if isinstance(each, str) else each
            for each in self.coded.values
        ]
        return replace(self.coded, values=cells)

    @property
    def odd(self) -> tuple[int, Any] | None:
        """The first entry that is no whole number, with its row; None where all are."""
        for k, entry in enumerate(self.coded.values):
            text = entry.strip() if isinstance(entry, str) else entry
            whole = isinstance(text, int | float) and not isinstance(text, bool)
            if not (
                whole or missing(text) or text == "" or (isinstance(text, str) and is_whole(text))
            ):
                return self.coded.row(k), entry
        return None


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
        roles: ``label``, ``id``, ``drop``, ``separator``, ``label_separator`` and ``label_kind``.
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
        names = stored_classes(path) if suffix == ".npz" else None
        if names is not None and array.dtype.kind in "iu" and array.ndim == 1:
            array = named_labels(array, names)
            merge = roles.merge_labels
            return LabelColumn(path, str(path), array, merge=merge, declared=names)
        named = array.dtype.kind in "UT" and array.ndim == 1
        values = _plain(array.tolist()) if named else array
        kind, merge = roles.label_kind, roles.merge_labels
        return LabelColumn(path, str(path), values, kind=kind, merge=merge)
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
    with about(columns.path):
        columns = replace(columns, frame=one_column(columns.frame, roles))
        name = _label_name(columns, roles)
        check_flat(columns.frame[name])
    what = columns.what(name)
    values = _cells(columns.frame[name], what)
    keys = None if columns.keys is None else columns.keys.drop(name, strict=False)
    separator, merge = roles.label_separator, roles.merge_labels
    kind = kind_of(roles.label_kind, name)
    return LabelColumn(columns.path, what, values, columns.ids, separator, keys, kind, merge)


def label_numbers(labels: LabelColumn, classes: Sequence[str] | None) -> np.ndarray:
    """Numbers of classes, int (n,), -1 for none.

    Args:
        classes: names in order; without any, labels are whole numbers and stay as they are.

    Raises:
        ValueError: a label that is no class, or several in a row.
    """
    values = labels.values
    classes = classes or labels.declared or None
    if values.ndim != 1:
        raise ValueError(f"{labels.what} has shape {values.shape}; labels are one column.")
    if classes is None and values.dtype.kind in "iu":
        return values
    if classes is None and labels.odd is not None:
        row, entry = labels.odd
        numbered({"label": labels.barred}, labels.rule(None), {"label": labels.what})  # may refuse
        raise ValueError(
            f"{labels.what} holds names ({str(entry)!r} at row {row}); say with `classes` which"
            " there are, in order, or correct the cell."
        )
    if classes is None:
        return _as_they_are(labels)
    return numbered({"label": labels.barred}, labels.rule(classes), {"label": labels.what}).labels[
        "label"
    ]


def class_numbers(
    column: pl.Series,
    what: str,
    classes: Sequence[str] | None,
    merge: bool | Mapping[str, str] = False,
) -> np.ndarray:
    """Numbers of classes, int64 (n,), from a column of numbers or names; -1 for empty cells.

    Args:
        merge: classes to make one, see ``LabelRule``.

    Raises:
        ValueError: names without ``classes``, or a cell that is no class; it names the row.
    """
    if not len(column):
        return np.zeros(0, np.int64)
    return np.asarray(label_numbers(as_labels(column, what, merge), classes), np.int64)


def as_labels(column: pl.Series, what: str, merge: bool | Mapping[str, str] = False) -> LabelColumn:
    """A column of a table as labels.

    Args:
        what: what a message calls it. merge: classes to make one, see ``LabelRule``.

    Raises:
        ValueError: it holds no labels.
    """
    return LabelColumn(Path(), what, _cells(column, what), merge=merge)


def shown_classes(columns: Sequence[LabelColumn]) -> tuple[str, ...]:
    """The classes that columns of labels show together, in order.

    Raises:
        ValueError: names of classes in one and whole numbers in another, or no labels at all.
    """
    called = {str(k): labels.what for k, labels in enumerate(columns)}
    cells = {str(k): labels.barred for k, labels in enumerate(columns)}
    return numbered(cells, columns[0].rule(None), called).classes


def _as_they_are(labels: LabelColumn) -> np.ndarray:
    """Whole numbers, -1 where there is none: int64 (n,)."""
    if all(missing(one) or one == "" for one in labels.coded.values):
        return np.full(len(labels.values), UNLABELLED)
    read = numbered({"label": labels.barred}, None, {"label": labels.what})
    number = np.array([*map(int, read.classes), UNLABELLED], np.int64)
    return number[read.labels["label"]]


def label_sets(labels: LabelColumn, classes: Sequence[str] | None, m: int) -> np.ndarray:
    """Candidate sets, bool (n, m), none where a cell is empty.

    Raises:
        ValueError: a label that is no class; names its row.
    """
    if labels.values.dtype == bool:
        return labels.values
    rule = labels.rule(classes or m)
    return numbered({"tags": labels.barred}, rule, {"tags": labels.what}).labels["tags"]


def holds_sets(labels: LabelColumn) -> bool:
    """Whether any cell holds several labels, or the array is a bool matrix."""
    values = labels.values
    if labels.kind == SINGLE:
        return False
    if values.dtype != object:
        return bool(values.dtype == bool and values.ndim == 2)
    return any(
        is_set(entry) or (isinstance(entry, str) and labels.separator in entry)
        for entry in labels.coded.values
    )


def check_said(labels: LabelColumn) -> None:
    """Refuse labels that hold several in a row, where nothing says what these are.

    Raises:
        Refusal: names the column, a cell, and what can be said.
    """
    if labels.kind is not None:
        return
    if labels.values.ndim == 2:
        several = np.flatnonzero(labels.values.sum(1) > 1) if labels.values.dtype == bool else ()
        for row in several[:1]:
            raise not_said(labels.what, labels.values[row].astype(int).tolist(), row)
        return
    for k, cell in several_in(labels.coded, separator=labels.separator).items():
        raise not_said(labels.what, cell, labels.coded.row(k))


def in_order_of(labels: LabelColumn, of: Named | None) -> LabelColumn:
    """The same labels in the order of others, where both name their rows: see ``row_for_row``.

    Raises:
        ValueError: a name that one of them lacks.
    """
    found = None if of is None else row_for_row(of, labels.rows, str(labels.path))
    if found is None or found[1] is None:
        return labels
    return replace(labels, values=labels.values[found[1]], ids=found[0], keys=None)


def class_names(labels: LabelColumn, columns: Sequence[str] | None) -> list[str] | None:
    """The names of the columns of probabilities as classes, where a label is among them."""
    if columns is None or labels.values.dtype == bool:
        return None
    there: set[str] = set()
    for entry in labels.coded.values:
        whole = labels.kind == SINGLE
        several = [entry] if whole else str(entry).split(labels.separator)
        several = entry if isinstance(entry, list) else several
        there |= {str(one).strip() for one in several}
    return list(columns) if there & set(columns) else None


def read_names(
    path: Path | str,
    roles: Roles | None = None,
    n: int | None = None,
    header: str = "id",
    of: Named | None = None,
) -> np.ndarray:
    """One column of anything as text, such as ids or groups: (n,).

    Args:
        n: how many there should be, by which a first line is the column's name or not.
        header: what the first line is called where it is the column's name and ``n`` is not known.
        of: how other rows are named that these are about; where both do, they come in that order.

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
    ids = () if of is None else IDS
    columns = read_columns(path, roles, n=n, ids=ids, usual=("id", header), otherwise=False)
    if roles is not None and roles.id is not None and columns.ids is not None and of is None:
        return columns.ids
    frame = values_of(columns, of).frame
    if frame.width != 1 and header in frame.columns:
        frame = frame.select(header)
    if frame.width != 1:
        raise ValueError(
            f"{path} has {frame.width} columns ({listed(frame.columns)}); names of rows are one,"
            f" alone or called {header}."
        )
    rows = rows_of(of, columns, str(path))
    names = texts_of(path, frame.to_series(0))
    return names if rows is None else names[rows]


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


def _cells(column: pl.Series, what: str) -> np.ndarray:
    """Whole numbers, or what cells hold and None."""
    import polars as pl

    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if not len(column):
        raise ValueError(f"{what} has no rows.")
    if column.dtype.is_integer() and not column.null_count():
        return column.to_numpy()
    if column.dtype.is_temporal() or column.dtype in (pl.Binary, pl.Struct, pl.Object):
        raise ValueError(f"{what} holds no numbers and no names of classes, but {column.dtype}.")
    return _plain(column.to_list())


def _plain(cells: Sequence[Any]) -> np.ndarray:
    """Names without the spaces around them, None where there is none: object (n,)."""
    found = np.empty(len(cells), object)
    for row, cell in enumerate(cells):
        found[row] = (cell.strip() or None) if isinstance(cell, str) else cell
    return found
