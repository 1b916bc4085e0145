"""Answers of people in files: a row each, with what it is about, who gave it and what was said.

One rule for everyone who reads answers. A row without an answer says that the item was asked about.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground.problem import Refusal
from ..labels.text import BAR
from ._columns import missing_column
from ._header import FirstLine
from ._layouts import BARE, ITEM, item_of, long_of_wide, people_in
from ._roles import USUAL as OTHER_USUAL
from ._roles import Roles
from ._sheet import SEPARATED, read_frame
from .exports import ReadAs, told
from .table_checks import about, check_filled, listed, typed

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

USUAL = {  # names of columns, the first one first
    "item": ITEM,
    "annotator": ("annotator", "person", "worker"),
    "label": ("label", "answer"),
}


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """Answers as a file has them.

    Attributes:
        path: the path of the file, or where its parts are.
        frame: columns ``item``, ``annotator`` and ``label``, as numbers where every cell is one,
            names as whole numbers that are written as such (007 is a name); the first is never
            empty, the second is not where there is a label. Then the other columns, as they stand.
        names: what the three are called in the file.
        parts: where it was read in parts, the name of each and its number of rows, in their order.
        merge: classes to make one, see ``LabelRule``.
    """

    path: Path | str
    frame: pl.DataFrame
    names: tuple[str, str, str]
    parts: tuple[tuple[str, int], ...] = ()
    merge: bool | Mapping[str, str] = False

    def called(self, rows: np.ndarray) -> RowNames:
        """What these rows of the frame are called in messages, by their place among them."""
        return RowNames(rows, self.parts)


class RowNames:
    """Names of rows: numbers within a file, or within a part and then the part's name."""

    def __init__(self, rows: np.ndarray, parts: Sequence[tuple[str, int]]):
        self.rows, self.parts = rows, parts

    def __getitem__(self, place: Any) -> str:
        row = int(self.rows[place])
        for name, size in self.parts:
            if row < size:
                return f"{row} of {name}"
            row -= size
        return str(row)


def read_answers(
    path: Path | str,
    roles: Roles | None = None,
    names: Sequence[str] = ("item", "annotator", "label"),
) -> AnswerTable:
    """The answers in a table of any format.

    Args:
        roles: ``item``, ``annotator``, ``label``, ``drop`` and ``separator``.
        names: what the three columns are called by default, before the usual names.

    Raises:
        FileNotFoundError, ValueError: no such file or column, an item or a person without a name.
    """
    path, roles = Path(path), roles or Roles()
    frame, called = raw_answers(path, roles, names)
    return AnswerTable(path, typed_answers(frame), called, merge=roles.merge_labels)


def raw_answers(
    path: Path, roles: Roles, names: Sequence[str]
) -> tuple[pl.DataFrame, tuple[str, str, str]]:
    """The same with cells as they stand, and what the three columns are called in the file."""
    import polars as pl

    frame = _sheet_of(path, roles, names)
    for name in roles.drop:
        if name not in frame.columns:
            raise ValueError(missing_column(path, frame.columns, name, "drop"))
    frame = frame.drop(roles.drop).with_columns(pl.col(pl.String).replace("", None))
    found = {}
    with about(path):
        frame, roles = _one_a_row(path, frame, roles, names)
        for role, name in zip(USUAL, names):
            asked = getattr(roles, role)
            if asked is not None and asked not in frame.columns:
                raise ValueError(missing_column(path, frame.columns, asked, role))
            usual = (asked,) if asked is not None else (name, *USUAL[role])
            there = next((one for one in usual if one in frame.columns), None)
            if there is None:
                raise Refusal(
                    f"it has no column {name!r}, but {listed(frame.columns)}; it needs"
                    f" {', '.join(names)}.",
                    "say with `item`, `annotator` and `label` which column is what; where each"
                    " person has a column, `annotator` names them all",
                    "call the columns so",
                )
            found[role] = there
        check_filled(frame[found["item"]], "Each answer is about something; fill it in.")
        answered = frame.filter(frame[found["label"]].is_not_null())
        if answered[found["annotator"]].null_count():
            empty = frame[found["annotator"]].is_null() & frame[found["label"]].is_not_null()
            raise ValueError(
                f"column {found['annotator']!r} is empty at row {empty.arg_max()}, where there is"
                " an answer; say who gave it."
            )
    columns = [frame[name].alias(role) for role, name in found.items()]
    taken = {*found, *found.values()}
    rest = [frame[name] for name in frame.columns if name not in taken]
    item, annotator, label = found.values()
    return frame.select(columns + rest), (item, annotator, label)


def _sheet_of(path: Path, roles: Roles, names: Sequence[str]) -> pl.DataFrame:
    """The table, lists of labels as text; without names as Get-Another-Label writes it."""
    known = {*names, *(name for some in USUAL.values() for name in some), *roles.named}
    header = FirstLine(roles.header, usual=known)
    tabs = {".tsv", ".txt"} & {end.lower() for end in path.suffixes[-2:]}
    if not roles.named and (roles.separator == "\t" or tabs):
        sheet = read_frame(path, roles.separator, header)
        bare = not sheet.form.named and sheet.frame.width == len(BARE)
        if bare and sheet.form.format in SEPARATED and sheet.form.separator == "\t":
            frame = sheet.frame.rename(dict(zip(sheet.frame.columns, BARE)))
            _say(path, told("Get-Another-Label (annotator, item, label)", frame))
            return frame
    header = replace(header, needed=True)
    return _joined(read_frame(path, roles.separator, header, roles.sheet, roles.reads).frame)


def _joined(frame: pl.DataFrame) -> pl.DataFrame:
    """Lists of labels as text, as a table of text has them."""
    import polars as pl

    sets = [name for name, kind in frame.schema.items() if kind == pl.List(pl.String)]
    return frame.with_columns(pl.col(sets).list.join(BAR)) if sets else frame


def _one_a_row(
    path: Path, frame: pl.DataFrame, roles: Roles, names: Sequence[str]
) -> tuple[pl.DataFrame, Roles]:
    """A row per answer, of a table with a column for each person, where it is one."""
    item = roles.item or item_of(frame)
    people = list(roles.annotators)
    known = {*USUAL["annotator"], *USUAL["label"], *names[1:]} & {*frame.columns}
    if not people and not known and roles.label is None and roles.annotator is None:
        people = people_in(frame, {*(name for usual in OTHER_USUAL.values() for name in usual),
                                   *USUAL["item"], item or ""})  # fmt: skip
    if not people:
        return frame, roles
    frame = long_of_wide(frame, people, item)
    _say(path, told("a column for each annotator", frame))
    return frame, Roles(item="item", annotator="annotator", label="label")


def _say(path: Path, line: str) -> None:
    warnings.warn(f"{path.name} {line}.", ReadAs, stacklevel=1)


def typed_answers(frame: pl.DataFrame) -> pl.DataFrame:
    """Answers as they stand, with the first three columns as numbers where every cell is one."""
    kinds = {"item": _names, "annotator": _names, "label": typed}
    return frame.with_columns(read(frame[role]) for role, read in kinds.items())


def _names(column: pl.Series) -> pl.Series:
    """Names as whole numbers, where each is written as one."""
    import polars as pl

    if column.dtype != pl.String:
        return column
    numbers = column.cast(pl.Int64, strict=False)
    whole = numbers.null_count() == column.null_count() < len(column)
    return numbers if whole and (numbers.cast(pl.String) == column).all() else column
