"""Text of JSON: an object a line, one list of objects, or an object of columns."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...ground.jsons import from_json
from ...ground.problem import Refusal, passed

if TYPE_CHECKING:
    import polars as pl

Read = Callable[[str], bool]  # of a column: whether it will be looked at
ENDLESS = (float("inf"), float("-inf"))
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
SHAPES = (
    'candidly reads a list of objects, such as [{"text": "...", "label": "cat"}], an object of'
    ' columns, such as {"text": ["..."], "label": ["cat"]}, and an object a line.'
)


def every_column(name: str) -> bool:
    """All are looked at."""
    return True


def first_record(data: bytes) -> Mapping[str, Any] | None:
    """The first object of lines of JSON; None where there is none."""
    line = next((line for line in io.BytesIO(data) if line.strip()), b"")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def records_in_lines(data: bytes) -> list[Mapping[str, Any]]:
    """The objects of lines of JSON.

    Raises:
        ValueError: a line that is none, or half a character.
    """
    _check_halves(data)
    _check_json(data)
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]


def is_lines(data: bytes) -> bool:
    """Whether the first line is an object by itself, and others follow."""
    begun = data.strip()
    return begun.startswith(b"{") and b"\n" in begun and first_record(begun) is not None


def records_in(data: bytes) -> list[Mapping[str, Any]]:
    """The objects of one list, or the rows of an object of columns.

    Columns are lists, or objects of cells by row as pandas writes them; an object of ``columns``
    and ``data`` names its columns once, and one of ``data`` alone holds the list.

    Raises:
        ValueError: no JSON, or another shape; names the line, or what differs.
    """
    try:
        found = from_json(data)
        if _HALF.search(data):
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"a text in it has half a character (\\u{ord(error.object[error.start]):04x}), as one"
            " that was cut inside; write the character whole, or take it out."
        ) from None
    if isinstance(found, dict):
        found = _rows(found)
    if not isinstance(found, list):
        raise ValueError(f"its JSON is {type(found).__name__}. {SHAPES}")
    for place, record in enumerate(found):
        if not isinstance(record, dict):
            raise ValueError(f"entry {place} of its list is no object. {SHAPES}")
    if not found:
        raise ValueError("its list is empty; there are no rows.")
    return found


def _rows(found: dict[str, Any]) -> Any:
    columns, data = found.get("columns"), found.get("data")
    if isinstance(data, list) and data:
        if isinstance(columns, list) and all(isinstance(row, list) for row in data):
            if odd := [k for k, row in enumerate(data) if len(row) != len(columns)]:
                raise ValueError(
                    f"row {odd[0]} has {len(data[odd[0]])} cells for {len(columns)} columns."
                )
            return [dict(zip(columns, row)) for row in data]
        if all(isinstance(row, dict) for row in data):
            return data
    cells = list(found.values())
    if cells and all(isinstance(column, list) for column in cells):
        sizes = {name: len(column) for name, column in found.items()}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name!r} has {size:,}" for name, size in list(sizes.items())[:5])
            raise ValueError(f"its columns differ in length: {told}.")
        return [dict(zip(found, row)) for row in zip(*cells)]
    if cells and all(isinstance(column, dict) for column in cells):
        rows = list(cells[0])
        if any(list(column) != rows for column in cells):
            raise ValueError("its columns name different rows; write all of them for each.")
        return [{name: column[row] for name, column in found.items()} for row in rows]
    raise ValueError(f"its JSON is an object of something else than columns. {SHAPES}")


def table_of_records(records: list[Mapping[str, Any]], read: Read = every_column) -> pl.DataFrame:
    """The table of objects, as of lines of JSON.

    Raises:
        ValueError: see ``table_of_lines``.
    """
    return table_of_lines(b"\n".join(json.dumps(record).encode() for record in records), read)


def table_of_lines(data: bytes, read: Read = every_column) -> pl.DataFrame:
    """The table of lines of JSON.

    Args:
        read: whether a column will be looked at; of others it does not matter what they hold, and
            they come empty.

    Raises:
        ValueError: a line that is no object; objects within, or values of several kinds in one
            column that is looked at; names it, and the row.
    """
    import polars as pl

    try:
        frame = pl.read_ndjson(data, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        frame = None
    _check_halves(data)
    if frame is None or any(map(_is_odd, frame)):
        _check_json(data)
        frame = _by_column([json.loads(line) for line in data.split(b"\n") if line.strip()], read)
    if not frame.width:
        raise ValueError("its lines hold no names and values.")
    return frame


def _is_odd(column: pl.Series) -> bool:
    """Whether a column may hold objects, or lists as the text that they were written as."""
    import polars as pl

    return isinstance(column.dtype, pl.Struct) or (
        column.dtype == pl.String and bool(column.str.starts_with("[").any())
    )


def _by_column(records: list[Mapping[str, Any]], read: Read) -> pl.DataFrame:
    """The table of objects whose values are of one kind in each column."""
    import polars as pl

    names = dict.fromkeys(name for record in records for name in record)
    return pl.DataFrame(
        [_column(name, [_filled(one.get(name)) for one in records], read) for name in names]
    )


def _column(name: str, values: list[Any], read: Read) -> pl.Series:
    import polars as pl

    if not read(name):
        return pl.Series(name, [None] * len(values), pl.Null)
    first: dict[str, int] = {}  # kind of value -> the first row that has it
    for row, value in enumerate(values):
        if value in ENDLESS:
            raise ValueError(f"column {name!r} has {value} at row {row}; JSON has no such number.")
        if value is not None:
            first.setdefault(_kind(value), row)
    if "an object" in first:
        raise Refusal(
            f"column {name!r} holds objects ({{...}}), as at row {first['an object']}; give each "
            "value a column.",
            f"leave it out with {passed('drop', name)}",
        )
    if len(first) > 1:
        (kind, row), (other, second) = list(first.items())[:2]
        raise Refusal(
            f"column {name!r} has {kind} at row {row} and {other} at row {second}; write all of "
            "one kind.",
            f"leave it out with {passed('drop', name)}",
        )
    with suppress(pl.exceptions.PolarsError, TypeError, OverflowError):
        column = pl.Series(name, values, strict=False)
        if column.dtype != pl.Object:
            return column
    raise ValueError(f"column {name!r} has lists of several kinds; write one.")


def _filled(value: Any) -> Any:
    """A cell, which is empty where Python wrote NaN."""
    return None if value != value else value


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return "true or false" if isinstance(value, bool) else "a text or a number"


def _check_json(data: bytes) -> None:
    """Refuse the first line that is no object."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            fine = isinstance(json.loads(line), dict)
        except (ValueError, RecursionError):
            fine = False
        if not fine:
            raise ValueError(
                f"line {number} is no object in JSON; write one a line, such as"
                ' {"text": "...", "label": "cat"}.'
            )


def _check_halves(data: bytes) -> None:
    """Refuse an escape that is half a character, such as \\ud83d alone."""
    if not _HALF.search(data):
        return
    for number, line in enumerate(data.split(b"\n"), 1):
        if _HALF.search(line):
            try:
                json.dumps(json.loads(line), ensure_ascii=False).encode()
            except UnicodeEncodeError as error:
                half = ord(error.object[error.start])
                raise ValueError(
                    f"line {number} has half a character (\\u{half:04x}), as of a text that was cut"
                    " inside one; write the character whole, or take it out."
                ) from None
            except ValueError:
                continue
