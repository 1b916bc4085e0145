"""``Labelled`` from what people have: a table, arrays, a folder of pictures, a data frame.

Of a table, one example a row. How labels are read is one rule, see ``data.labels.reading``. The
inputs are a column of texts, or of pictures' files, or else all columns that have no other role; a
first column without a name that numbers the rows, as pandas writes it, is left out.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.arrays import collected, is_frame
from ...ground.files import COMPRESSED, check_content
from ...ground.problem import Refusal, passed
from ...ground.progress import OnProgress
from ..inputs import Table, as_inputs, as_polars
from ..labels.building import from_numbers
from ..labels.coded import as_ids
from ..labels.kinds import FIELDS
from ..labels.labelled import Labelled
from ..labels.merging import merge_classes
from ..labels.parts import PARTS, in_parts, part_of, with_parts
from ..labels.votes import Votes
from ._features import check_no_copy, features
from ._layouts import item_of, long_of_wide
from ._mat import load_mat
from ._npz import load_npz, records, with_classes
from ._one_hot import one_column
from ._pictures import files_named, load_folder
from ._recognised import other_labels, recognised
from ._roles import CORRECTED, CORRECTED_BY, GIVEN, SKIP, Roles
from ._saved import is_saved
from ._sheet import TABLE_ENDINGS, Form, Sheet, read_frame
from ._targets import ids_of, labels_of
from .table_checks import about, check_filled, check_flat, listed
from .unused import OF_COLUMNS, RolesUsed, as_read, refuse_unused

if TYPE_CHECKING:
    import polars as pl

OF_ARRAYS = (".mat", ".npz")
SUFFIXES = (*TABLE_ENDINGS, *COMPRESSED, ".npz", ".npy", ".mat")


def read(
    where: Any,
    roles: Roles | None = None,
    watch: OnProgress = lambda done, total: None,
    *,
    label: str | None = None,
    truth: str | None = None,
    id: str | None = None,
    text: str | None = None,
    image: str | None = None,
    annotator: str | Sequence[str] | None = None,
    item: str | None = None,
    drop: Sequence[str] = (),
    separator: str | None = None,
    header: str = "auto",
    label_separator: str = "|",
    classes: Any = None,
    merge_labels: bool | Mapping[str, str] = False,
    damaged: str = SKIP,
    sheet: str | None = None,
    kinds: Mapping[str, str] | None = None,
    label_kind: str | None = None,
    part: str | None = None,
    test_file: str | os.PathLike[str] | None = None,
    validation_file: str | os.PathLike[str] | None = None,
) -> Labelled:
    """The inputs and labels of a file, a data frame or a folder of pictures.

    Args:
        where: a path of a table (see ``read_frame``), of arrays (``.npz``, ``.mat``) or of a folder
            of pictures (see ``_pictures``); a data frame of polars or pandas; or a ``Sheet``.
        roles: which column is what, in place of the arguments below.
        watch: called with rows done and rows in all, by what takes long.
        annotator: the column that says who gave the answer, or a list of columns that hold one
            person's answers each.
        label, truth, id, text, image, item, drop, separator, header, label_separator, classes,
        merge_labels, damaged, sheet, kinds, label_kind, part: see ``Roles``.
        test_file, validation_file: see ``Roles``.

    Returns:
        One label a cell is ``given``; any cell with several makes the column ``candidates``, or
        ``tags`` if ``label_kind`` says so.

    Raises:
        FileNotFoundError: no such file.
        ValueError: what cannot be read so; the message names file, row, column and the next step.

    Warns:
        UserWarning: a column was left out, or an encoding assumed; several labels in a cell were
            taken as candidates, and nothing says so; of a folder of pictures, what was left out.
    """
    one = annotator is None or isinstance(annotator, str)
    who = {"annotator": annotator} if one else {"annotators": tuple(annotator or ())}
    named = Roles(
        label=label, truth=truth, id=id, text=text, image=image, item=item,
        drop=(drop,) if isinstance(drop, str) else tuple(drop), separator=separator,
        header=header, label_separator=label_separator, classes=classes,
        merge_labels=merge_labels, damaged=damaged, sheet=sheet, kinds=kinds or {},
        label_kind=label_kind, part=part, test_file=test_file, validation_file=validation_file,
        **who,
    )  # fmt: skip
    if roles is not None and named.given:
        raise ValueError("`roles` says which column is what; give no other names beside it.")
    return _read(where, roles or named, watch)


def _read(where: Any, roles: Roles, watch: OnProgress) -> Labelled:
    """All parts, of which the first says what columns and classes there are."""
    alone = replace(roles, test_file=None, validation_file=None)
    data = _read_one(where, alone, watch)
    if not roles.files:
        return data
    files = {part: Path(file).expanduser() for part, file in roles.files.items()}
    read = {part: _read_one(*_as_part(file, alone, data), watch) for part, file in files.items()}
    with about(files[next(iter(files))]) if len(files) == 1 else nullcontext():
        return with_parts(data, **read)


def _as_part(file: Path, roles: Roles, data: Labelled) -> tuple[Any, Roles]:
    """A file, and the roles of the rows to learn from as far as it has such columns."""
    if _is_folder(file) or file.suffix.lower() in OF_ARRAYS:
        return file, replace(roles, classes=data.classes)
    sheet, _ = _opened(file, roles)
    there = sheet.frame.columns
    lacking: dict[str, Any] = {
        role: None
        for role in ("label", "truth", "id")
        if getattr(roles, role) is not None and getattr(roles, role) not in there
    }
    kinds = dict(roles.kinds)
    if isinstance(data.inputs, Table):
        kinds = dict(data.inputs.kinds)
    elif data.kind == "table" and data.features is not None:
        kinds = dict.fromkeys(data.features, "number")
    return sheet, replace(
        roles,
        **lacking,
        drop=tuple(name for name in roles.drop if name in there),
        kinds={name: kind for name, kind in kinds.items() if name in there},
        classes=data.classes,
    )


def _read_one(where: Any, roles: Roles, watch: OnProgress) -> Labelled:
    if isinstance(where, (str, os.PathLike)):
        path = Path(where).expanduser()
        if _is_folder(path):
            return load_folder(path, roles, watch, _from_sheet)
        if path.suffix.lower() in OF_ARRAYS:
            return _load_arrays(path, roles)
    sheet, ids = _opened(where, roles)
    with about(sheet.path):
        return _from_sheet(sheet, roles, ids)


def _is_folder(path: Path) -> bool:
    """Whether it is one of pictures."""
    return path.is_dir() and not is_saved(path)


def read_inputs(where: Any, roles: Roles | None = None) -> tuple[Any, np.ndarray]:
    """Inputs and ids of a table, labels or not: what a model can be asked about.

    Columns of labels are left out, where there are any.

    Raises:
        FileNotFoundError, ValueError: see ``read``.
    """
    roles = roles or Roles()
    sheet, ids = _opened(where, roles)
    absent: dict[str, Any] = {
        role: None for role in ("label", "truth") if getattr(roles, role) not in sheet.frame.columns
    }
    with about(sheet.path):
        roles = recognised(sheet.frame, replace(roles, **absent))
        columns = label_columns(sheet.frame, roles)
        inputs = as_inputs(_inputs(sheet, roles, columns.values()))
        ids = ids_of(sheet.frame[roles.id]) if roles.id else ids
        return inputs, np.arange(len(inputs)) if ids is None else as_ids(ids)


def _load_arrays(path: Path, roles: Roles) -> Labelled:
    refuse_unused(roles, as_read(path))
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    with about(path):
        check_content(path)
        npz = path.suffix.lower() == ".npz"
        data = load_npz(path, roles.classes) if npz else load_mat(path)
        if roles.label_kind not in (None, data.label_kind):
            held = FIELDS.get(data.label_kind or "", "no labels")
            raise ValueError(
                f"it holds {held} by the names of its arrays, and `label_kind` is"
                f" {roles.label_kind!r}."
            )
        data = data if npz else with_classes(data, roles.classes)
        return merge_classes(data, roles.merge_labels)


def _opened(where: Any, roles: Roles) -> tuple[Sheet, Any]:
    """A sheet of any table, and the names of a data frame's rows where they are not 0 to n - 1."""
    if isinstance(where, Sheet):
        return where, None
    where = collected(where)
    if is_frame(where):
        refuse_unused(roles, as_read(where))
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
            check_content(path)
            refuse_unused(roles, RolesUsed("an array of records", OF_COLUMNS))
            return Sheet(path, records(path), Form(".npy")), None
    refuse_unused(roles, as_read(path))
    return read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads), None


def _from_sheet(sheet: Sheet, roles: Roles, ids: Any = None) -> Labelled:
    if roles.annotators:
        wide = sheet.frame.drop(roles.drop)
        item = roles.item or roles.id or item_of(wide)
        sheet = replace(sheet, frame=long_of_wide(wide, roles.annotators, item))
        id = None if item == roles.id else roles.id
        roles = replace(roles, annotators=(), drop=(), id=id, item="item", annotator="annotator",
                        label="label")  # fmt: skip
    sheet = replace(sheet, frame=one_column(sheet.frame, roles))
    frame = sheet.frame
    roles = recognised(frame, roles)
    if roles.annotator is not None and roles.item is None:
        raise Refusal(
            f"column {roles.annotator!r} says who answered, and none says about what.",
            "name the one that does with `item`",
        )
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
    for column in columns.values():
        check_flat(frame[column])
    if roles.annotator is not None and roles.item is not None:
        return _from_answers(sheet, roles, columns)
    inputs = _inputs(sheet, roles, columns.values())
    labels, classes = labels_of(frame, columns, roles)
    if is_frame(inputs):
        for kind in ("given", "truth"):
            if kind in labels:
                check_no_copy(inputs, labels[kind], columns.get(kind) or columns["label"])
    ids = ids_of(frame[roles.id]) if roles.id else ids
    name = roles.inputs
    data = from_numbers(
        inputs,
        classes,
        ids=ids,
        features=(name,) if name else None,
        source=sheet.path.name,
        **labels,
    )
    return data if roles.part is None else in_parts(data, parts_in(frame[roles.part]))


def _from_answers(sheet: Sheet, roles: Roles, columns: Mapping[str, str]) -> Labelled:
    """Of a table with an answer a row: one example for each item, with its votes."""
    frame, item, who = sheet.frame, str(roles.item), str(roles.annotator)
    if roles.part is not None:
        raise ValueError(
            f"column {roles.part!r} says which part a row is of, and rows here are answers of"
            " people; make one label of them first (candidly crowd consensus)."
        )
    names = [name for kind, name in columns.items() if kind != "truth"]
    if len(names) != 1:
        raise ValueError(f"answers need one column of labels, and it has {listed(names)}.")
    check_filled(frame[item], "Drop such rows.")
    silent = frame[who].is_null() & frame[names[0]].is_null()  # of items that nobody answered
    if (unsaid := frame[who].is_null() & ~silent).any():
        raise ValueError(
            f"column {who!r} is empty at row {unsaid.arg_max()}, where there is an answer; say who"
            " gave it."
        )
    kinds = {"tags": names[0]} | {kind: name for kind, name in columns.items() if kind == "truth"}
    found, classes = labels_of(frame, kinds, roles)
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
        some = recognised(rest, replace(roles, id=None, label=None, truth=None, annotator=None,
                                        item=None, drop=()))  # fmt: skip
        inputs = _inputs(Sheet(sheet.path, rest[first], sheet.form), some, ())
    else:
        inputs = items[first].to_list()
        warnings.warn("it has no inputs; the items' names stand for them.", stacklevel=5)
    votes = [
        (row, name, labels)
        for row, name, labels in zip(
            rows, frame[who].cast(str), _as_written(frame[names[0]], found["tags"], classes, roles)
        )
        if name is not None
    ]
    return from_numbers(
        inputs,
        classes,
        votes=Votes.from_rows(votes),
        truth=found["truth"][first.to_numpy()] if "truth" in found else None,
        ids=ids_of(frame[item][first]),
        source=sheet.path.name,
    )


def _as_written(
    cells: pl.Series, tags: np.ndarray, classes: Sequence[str], roles: Roles
) -> Iterator[list[int]]:
    """The labels of each answer in the order of its cell, which may rank them."""
    number = {name: k for k, name in enumerate(classes)}
    for cell, held in zip(cells.to_list(), tags):
        there = np.flatnonzero(held).tolist()
        parts = cell if isinstance(cell, list) else str(cell).split(roles.label_separator)
        written = [number.get(str(part).strip(), -1) for part in parts]
        yield written if sorted(written) == there else there


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
    if name := roles.inputs:
        check_filled(frame[name], "Drop such rows.")
        if roles.image:
            return files_named(frame[name], sheet.path.parent)
        return frame[name].cast(str).to_list()
    for name in other_labels(frame, roles, labels):
        warnings.warn(f"column {name!r} holds labels, too, by its cells; left out.", stacklevel=6)
    rest = input_columns(frame, roles, labels)
    if not rest:
        raise ValueError("it has no column of inputs: numbers, texts or pictures' files.")
    if not len(frame):
        raise ValueError("it has no rows below its header.")
    return features(frame[rest], dict(roles.kinds))


def parts_in(column: pl.Series) -> list[str]:
    """The part that each row is of.

    Raises:
        ValueError: a cell that names none.
    """
    cells = column.cast(str).fill_null("").to_list()
    parts = [part_of(cell) for cell in cells]
    if "" in parts:
        row = parts.index("")
        raise ValueError(
            f"column {column.name!r} has {cells[row]!r} at row {row}; a part is {', '.join(PARTS)}."
        )
    return parts


def input_columns(frame: pl.DataFrame, roles: Roles, labels: Collection[str]) -> list[str]:
    """The columns that are inputs, where no one of them is that alone; empty ones among them.

    Args:
        roles: as ``recognised`` gives them. labels: the columns of labels.
    """
    out = {*labels, *roles.drop, roles.id, roles.part, *other_labels(frame, roles, labels)}
    for name in labels:  # neither the labels before a correction are inputs, nor those after
        plain = name.removesuffix(CORRECTED)
        out |= {plain, plain + CORRECTED, plain + CORRECTED_BY}
    return [name for name in frame.columns if name not in out]
