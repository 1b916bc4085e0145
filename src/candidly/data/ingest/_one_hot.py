"""Labels that stand in a column each, of 0 and 1, as one column of lists."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ...ground.names import nearest
from ...ground.problem import Refusal, passed
from ..labels.kinds import ALL_OF, ONE_OF, SINGLE
from ._roles import Roles
from .table_checks import listed

if TYPE_CHECKING:
    import polars as pl

YES, NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")


def one_column(frame: pl.DataFrame, roles: Roles) -> pl.DataFrame:
    """The same table, with one column for all that ``label`` names, where these are several.

    It is called as ``label`` is, stands where the first of them stood, and holds lists of the names
    of those that are 1 in the row; of ``single`` the one that is. Its categories are the names in
    order. A table that has a column called so, such as ``"a,b"``, stays as it is.

    Raises:
        ValueError: a column that is not there, or twice, cells that are neither 0 nor 1, no
            ``label_kind``, or with ``single`` a row of which not one is 1.
    """
    label = roles.label or ""
    names = columns_of(label, frame.columns)
    if len(names) < 2:
        return frame
    for place, name in enumerate(names):
        if name not in frame.columns:
            raise ValueError(
                f"there is no column {name!r} (`label`){nearest(name, frame.columns)} The columns"
                f" are {listed(frame.columns)}."
            )
        if name in names[:place]:
            raise ValueError(f"`label` names column {name!r} twice.")
    if roles.label_kind is None:
        raise Refusal(
            f"`label` names {len(names)} columns, and nothing says whether one of those that are 1"
            " in a row is right or all are.",
            f"if all of them are, say {passed('label_kind', ALL_OF)}",
            f"if one of them is, {passed('label_kind', ONE_OF)}",
            f"if there is one 1 in each row, {passed('label_kind', SINGLE)}",
        )
    cells = _lists([_marks(frame[name]) for name in names], names, roles)
    place = frame.columns.index(names[0])
    at = sum(name not in names for name in frame.columns[:place])
    return frame.drop(names).insert_column(at, cells.alias(label))


def columns_of(label: str, there: Collection[str]) -> tuple[str, ...]:
    """The columns that ``label`` names: itself, or several with commas between."""
    if label in there or "," not in label:
        return (label,)
    return tuple(name.strip() for name in label.split(","))


def _lists(marks: list[pl.Series], names: tuple[str, ...], roles: Roles) -> pl.Series:
    import polars as pl

    kind = pl.Enum(names)
    rows = zip(*(column.to_list() for column in marks))
    found = [[name for name, there in zip(names, row) if there] for row in rows]
    if roles.label_kind != SINGLE:
        return pl.Series(found, dtype=pl.List(kind))
    for row, several in enumerate(found):
        if len(several) != 1:
            raise Refusal(
                f"{len(several)} of the {len(names)} columns of labels are 1 at row {row}, and"
                f" {passed('label_kind', SINGLE)} says that one is.",
                f"say {passed('label_kind', ALL_OF)}",
                passed("label_kind", ONE_OF),
            )
    return pl.Series([several[0] for several in found], dtype=kind)


def _marks(column: pl.Series) -> pl.Series:
    """A column of 0 and 1 as truth values.

    Raises:
        ValueError: another cell; it names the row.
    """
    import polars as pl

    words = column.cast(pl.String).str.strip_chars().str.to_lowercase()
    wrong = ~words.is_in([*YES, *NO]).fill_null(False)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise ValueError(
            f"column {column.name!r} has {column[row]!r} at row {row}; of several columns of labels"
            " each holds 0 and 1."
        )
    return words.is_in(YES)
