"""``Labelled`` from what people have: a table, arrays, a folder of pictures, a data frame.

Of a table, one example a row. Labels are names; where all are whole numbers, they are class numbers
from 0. How labels are written is one rule, see ``_label_text``. The inputs are a column of texts,
or of pictures' files, or else all columns that have no other role; a first column without a name
that numbers the rows, as pandas writes it, is left out.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import is_frame
from ...ground.problem import Refusal, passed
from ..inputs import as_inputs, as_polars
from ..labels.convert import as_ids
from ..labels.labelled import Labelled, from_arrays
from ..labels.votes import Votes
from ._features import check_no_copy, features
from ._mat import load_mat
from ._npz import load_npz, records, with_classes
from ._packed import COMPRESSED
from ._pictures import files_named, load_folder
from ._roles import CORRECTED, CORRECTED_BY, GIVEN, Roles
from ._saved import is_saved
from ._sheet import TABLE_ENDINGS, Form, Sheet, read_frame
from ._targets import ids_of, labels_of
from .table_checks import about, check_filled, listed

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (*TABLE_ENDINGS, *COMPRESSED, ".npz", ".npy", ".mat")


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
        where: a path of a table (see ``read_frame``), of arrays (``.npz``, ``.mat``) or of a folder
            with a subfolder of pictures a class; a data frame of polars or pandas; or a ``Sheet``.
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
    if isinstance(where, (str, os.PathLike)):
        path = Path(where).expanduser()
        if path.is_dir() and not is_saved(path):
            return load_folder(path, roles.classes, watch)
        if path.suffix.lower() in (".mat", ".npz"):
            return _load_arrays(path, roles)
    sheet, ids = _opened(where, roles.separator)
    with about(sheet.path):
        return _from_sheet(sheet, roles, ids)


def read_inputs(where: Any, roles: Roles | None = None) -> tuple[Any, np.ndarray]:
    """Inputs and ids of a table, labels or not: what a model can be asked about.

    Columns of labels are left out, where there are any.

    Raises:
        FileNotFoundError, ValueError: see ``read``.
    """
    roles = roles or Roles()
    sheet, ids = _opened(where, roles.separator)
    absent: dict[str, Any] = {
        role: None for role in ("label", "truth") if getattr(roles, role) not in sheet.frame.columns
    }
    with about(sheet.path):
        roles = replace(roles, **absent).among(sheet.frame.columns)
        columns = label_columns(sheet.frame, roles)
        inputs = as_inputs(_inputs(sheet, roles, columns.values()))
        ids = ids_of(sheet.frame[roles.id]) if roles.id else ids
        return inputs, np.arange(len(inputs)) if ids is None else as_ids(ids)


def _load_arrays(path: Path, roles: Roles) -> Labelled:
    if roles != Roles(classes=roles.classes):
        raise ValueError(
            f"{path} holds arrays, which have no columns to name, neither of labels nor others."
        )
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    with about(path):
        if path.suffix.lower() == ".npz":
            return load_npz(path, roles.classes)
        return with_classes(load_mat(path), roles.classes)


def _opened(where: Any, separator: str | None) -> tuple[Sheet, Any]:
    """A sheet of any table, and the names of a data frame's rows where they are not 0 to n - 1."""
    if isinstance(where, Sheet):
        return where, None
    if is_frame(where):
        index: Any = getattr(where, "index", None)  # of pandas
        named = index is not None and index.nlevels == 1 and index.is_unique
        ids = index.tolist() if named else None
        ids = None if ids == list(range(len(where))) else ids
        return Sheet(Path("the data frame"), as_polars(where), Form("")), ids
    if not isinstance(where, (str, os.PathLike)):
        raise ValueError(
            f"read takes a path, a data frame or a Sheet, and this is of the type"
            f" {type(where).__name__}; from_arrays takes arrays."
        )
    path = Path(where).expanduser()
    if path.suffix.lower() == ".npy" and path.is_file():
        with about(path):
            return Sheet(path, records(path), Form(".npy")), None
    return read_frame(path, separator), None


def _from_sheet(sheet: Sheet, roles: Roles, ids: Any) -> Labelled:
    frame = sheet.frame
    roles = roles.among(frame.columns)
    columns = label_columns(frame, roles)
    if not columns:
        raise Refusal(
            f"it has the columns {listed(frame.columns)}. Needed: at least one of label, given,"
            " candidates and truth.",
            "say which column holds the labels with `label`",
            "call that column 'label' in the file",
        )
    if not len(frame):
        raise ValueError("it has no rows below its header.")
    if roles.annotator is not None and roles.item is not None:
        return _from_answers(sheet, roles, columns)
    inputs = _inputs(sheet, roles, columns.values())
    labels, classes = labels_of(frame, columns, roles)
    if is_frame(inputs):
        for kind in ("given", "truth"):
            if kind in labels:
                check_no_copy(inputs, labels[kind], columns.get(kind) or columns["label"])
    ids = ids_of(frame[roles.id]) if roles.id else ids
    name = roles.text or roles.image
    return from_arrays(
        inputs,
        ids=ids,
        features=(name,) if name else None,
        source=sheet.path.name,
        classes=classes,
        **labels,
    )


def _from_answers(sheet: Sheet, roles: Roles, columns: Mapping[str, str]) -> Labelled:
    """Of a table with an answer a row: one example for each item, with its votes."""
    frame, item, who = sheet.frame, str(roles.item), str(roles.annotator)
    names = [name for kind, name in columns.items() if kind != "truth"]
    if len(names) != 1:
        raise ValueError(f"answers need one column of labels, and it has {listed(names)}.")
    for name in (item, who):
        check_filled(frame[name], "Drop such rows.")
    kinds = {"tags": names[0]} | {kind: name for kind, name in columns.items() if kind == "truth"}
    found, classes = labels_of(frame, kinds, roles)
    said = from_arrays([""] * len(frame), classes=classes, **found)
    items = frame[item].cast(str)
    first = items.is_first_distinct().arg_true()
    row_of = dict(zip(items[first], range(len(first))))
    rows = [row_of[name] for name in items]
    rest = frame.drop({item, who, *names, *roles.drop, *filter(None, [roles.id, roles.truth])})
    for column in rest:
        wrong = (column != column[first][rows]).fill_null(False)
        if wrong.any():
            raise Refusal(
                f"column {column.name!r} differs between answers about item"
                f" {items[int(wrong.arg_max() or 0)]!r}.",
                f"leave it out with {passed('drop', column.name)}",
                "take it out of the file",
            )
    if rest.width:
        some = replace(roles, id=None, label=None, truth=None, annotator=None, item=None, drop=())
        inputs = _inputs(Sheet(sheet.path, rest[first], sheet.form), some, ())
    else:
        inputs = items[first].to_list()
        warnings.warn("it has no inputs; the items' names stand for them.", stacklevel=5)
    assert said.tags is not None
    votes = zip(rows, frame[who].cast(str), (np.flatnonzero(row) for row in said.tags))
    return from_arrays(
        inputs,
        votes=Votes.from_rows(votes),
        truth=None if said.truth is None else said.truth[first.to_numpy()],
        classes=said.classes,
        ids=ids_of(frame[item][first]),
        source=sheet.path.name,
    )


def label_columns(frame: pl.DataFrame, roles: Roles) -> dict[str, str]:
    """Columns of labels by what they are: candidates, given, truth, or label for either."""
    free = [name for name in GIVEN if name in frame.columns and name not in roles.drop]
    if roles.label is not None:
        columns = {"label": roles.label}
    else:
        columns = {name: name for name in free}
        if "label" in columns and len(columns) > 1:
            raise Refusal(
                f"columns {' and '.join(map(repr, free))} hold labels by their names.",
                "say which with `label`, and leave the other out with `drop`",
                "take the other out of the file",
            )
    return columns | ({} if roles.truth is None else {"truth": roles.truth})


def _inputs(sheet: Sheet, roles: Roles, labels: Collection[str]) -> Any:
    """A list of texts or files, or a data frame."""
    frame = sheet.frame
    if name := roles.text or roles.image:
        check_filled(frame[name], "Drop such rows.")
        if roles.image:
            return files_named(frame[name], sheet.path.parent)
        return frame[name].cast(str).to_list()
    out = {*labels, *roles.drop, roles.id}
    for name in labels:  # neither the labels before a correction are inputs, nor those after
        plain = name.removesuffix(CORRECTED)
        out |= {plain, plain + CORRECTED, plain + CORRECTED_BY}
    for name in GIVEN:
        if name in frame.columns and name not in out:
            out.add(name)
            warnings.warn(f"column {name!r} holds labels by its name; left out.", stacklevel=6)
    rest = [name for name in frame.columns if name not in out]
    if not rest:
        raise ValueError("it has no column of inputs: numbers, texts or pictures' files.")
    if not len(frame):
        raise ValueError("it has no rows below its header.")
    return features(frame[rest])
