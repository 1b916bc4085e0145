"""Tables written as text: which encoding, which separator, and which line is wrong."""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...ground.files import raw
from ...ground.numbers import count_of
from ...ground.problem import Refusal
from ._header import LOOKED_AT, TABLE, FirstLine, decided

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
SAMPLE_BYTES, SAMPLE_LINES = 2**18, 100  # of a file, by which its separator is found out
MARKS = {  # of the byte order; UTF-32 begins as UTF-16 does
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


def in_utf8(data: bytes) -> tuple[bytes, str]:
    """Text in UTF-8 without a mark in front, and the encoding that it was in.

    A mark of the byte order says which; without one it is UTF-8, or else cp1252 (Latin-1 where
    that has no such character), which is told in a warning.

    Raises:
        ValueError: no text.
    """
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            data = data[len(mark) :]
            if encoding != "utf-8-sig":
                try:
                    data = data.decode(encoding).encode()
                except UnicodeDecodeError:
                    raise ValueError(
                        f"it begins as text in {encoding} does, but is none; save it as UTF-8."
                    ) from None
            break
    else:
        encoding = "utf-8"
    if 0 in data:
        line = data.count(b"\n", 0, data.index(0)) + 1
        raise ValueError(
            f"line {line} has a byte 0, so it is no text, or text in UTF-16 without a mark; save it"
            " as UTF-8."
        )
    try:
        data.decode()
        return data, encoding
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        if encoding == "utf-8-sig":
            raise ValueError(
                f"it is marked as UTF-8, and line {line} is not; save it again."
            ) from None
    encoding = "cp1252"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = "latin-1"
        text = data.decode(encoding)
    warnings.warn(
        f"line {line} is not in UTF-8 (byte {byte:#04x}); read as {encoding}. Save it as UTF-8 if"
        " names look wrong.",
        stacklevel=2,
    )
    return text.encode(), encoding


def read_separated(
    data: bytes, separator: str | None, header: FirstLine = TABLE
) -> tuple[pl.DataFrame, str, bool]:
    """Cells of text as they stand, null where one is empty; what separates them; line 1 is names.

    Args:
        data: text in UTF-8; see ``in_utf8``.
        separator: one character; None: the one by which the first lines have equally many cells.
        header: what is known of the first line.

    Raises:
        ValueError: lines of different lengths, unbalanced quotes, columns without or with equal
            names, see ``_header``; the message names the line.
    """
    import polars as pl

    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")  # as old Macs wrote it
    blank = re.match(rb"(?:[ \t]*\r?\n)+", data)
    if blank and (header.needed or header.said == "yes"):
        data = data[blank.end() :]
    separator = separator or _separator(data, header)
    rows = _first_rows(data, separator)
    width = max(map(len, rows[:1]), default=0) or max(map(len, rows), default=0)
    if not width:
        raise ValueError("the file is empty; its first line must name the columns.")
    rows = [(cells + [""] * width)[:width] for cells in rows]
    counted = header.n is not None
    frame = _read(data, separator, False, width) if counted else None
    named = decided(rows, header, lambda: 0 if frame is None else len(frame)).names
    first = [raw(name).strip() for name in rows[0]] if named else []
    if named:
        check_names(first)
    if frame is None:
        frame = _read(data, separator, named, width)
    elif named:
        frame = frame[1:]
    if named:
        if len(first) != frame.width:
            raise ValueError(
                f"a carriage return stands within its first line: {len(first)} cells before it, and"
                f" {frame.width} columns below. Save the file with line ends of one kind."
            )
        frame.columns = first
    marked = [c.name for c in frame if c.str.starts_with("'").any()]
    texts = pl.col(marked).str.replace(r"^'('*[=+\-@＝＋－＠\t\r\n])", "$1")
    return frame.with_columns(texts) if marked else frame, separator, named


def _read(data: bytes, separator: str, named: bool, width: int) -> pl.DataFrame:
    """All rows of cells, without empty ones at the end; below the first line where that is names.

    Raises:
        ValueError: see ``read_separated``.
    """
    import polars as pl

    try:
        frame = pl.read_csv(
            data,
            separator=separator,
            infer_schema=False,
            has_header=named,
            new_columns=None if named else unnamed(width),
        )
    except pl.exceptions.PolarsError:
        _check_lines(data, separator)
        raise ValueError("it is damaged, or no table of text.") from None
    if frame.width > 1:
        _check_no_short_line(frame, data, separator)
        frame = whole_rows(frame)
    return frame


def unnamed(width: int) -> list[str]:
    """Names of columns that have none."""
    return [f"column_{k + 1}" for k in range(width)]


def _first_rows(data: bytes, separator: str) -> list[list[str]]:
    """The cells of the first rows; none of an empty line."""
    rows: list[list[str]] = []
    try:
        for _, cells in _lines(data[:SAMPLE_BYTES], separator):
            rows.append(cells)
            if len(rows) == LOOKED_AT:
                break
    except ValueError:
        if len(data) <= SAMPLE_BYTES or not rows:
            raise
    return rows[:-1] if len(data) > SAMPLE_BYTES and 1 < len(rows) < LOOKED_AT else rows


def _separator(data: bytes, header: FirstLine) -> str:
    """The one that divides the first lines into equally many cells, and more than one.

    Raises:
        ValueError: two do.
    """
    sample = data[:SAMPLE_BYTES]
    if len(sample) < len(data):
        sample = sample[: sample.rfind(b"\n") + 1]
    found: list[tuple[float, int, str]] = []
    for separator in SEPARATORS:
        if separator == "|" and not header.needed:
            continue  # labels of a set, where no first line says otherwise
        widths = []
        try:
            for _, cells in _lines(sample, separator):
                widths += [len(cells)] if cells else []
                if len(widths) == SAMPLE_LINES:
                    break
        except ValueError:
            pass  # it is refused where the whole is read
        if widths and widths[0] > 1:
            found.append((widths.count(widths[0]) / len(widths), widths[0], separator))
    found.sort(key=lambda one: one[:2], reverse=True)
    if len(found) > 1 and found[0][:2] == found[1][:2]:
        names = " or ".join(SEPARATORS[one[2]] for one in found[:2])
        raise Refusal(f"its cells could be separated by {names}.", "say which with `separator`")
    return found[0][2] if found else ","


def check_names(first: Sequence[str]) -> None:
    """Refuse a first line that does not name the columns, each once."""
    for place, name in enumerate(first):
        if not name.strip() and place:
            last = ", or take out the separators at the ends of lines" * (place + 1 == len(first))
            raise ValueError(
                f"column number {place + 1} has no name in the first line. Name it{last}."
            )
        if name in first[:place]:
            raise ValueError(
                f"two columns are called {name!r}, number {first.index(name) + 1} and number"
                f" {place + 1}. Rename or drop one of them."
            )


def whole_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Without empty rows at the end.

    Raises:
        ValueError: one before the end.
    """
    import polars as pl

    there = frame.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    end = len(there) - int(there.reverse().arg_max() or 0) if there.any() else 0
    if not there[:end].all():
        row = int((~there).arg_max() or 0)
        raise ValueError(f"row {row} is empty. Delete the line, or fill it in.")
    return frame.head(end)


def _check_no_short_line(frame: pl.DataFrame, data: bytes, separator: str) -> None:
    """Short lines are filled up with nothing by the reader."""
    if frame[frame.columns[-1]].null_count():
        lines = data.rstrip(b"\r\n").count(b"\n") + 1
        if b'"' in data or data.count(separator.encode()) != lines * (frame.width - 1):
            _check_lines(data, separator)


def _check_lines(data: bytes, separator: str) -> None:
    """Refuse the first line that has more or fewer cells than the first of all, or odd quotes."""
    width = None
    text = None
    for line, cells in _lines(data, separator):
        width = len(cells) if width is None and cells else width
        if not cells or len(cells) == width:
            if any('"' in cell for cell in cells):
                text = text or data.decode().split("\n")
                if text[line - 1].count('"') % 2 and not any("\n" in cell for cell in cells):
                    raise ValueError(
                        f"line {line} has a quote inside a cell; write it twice, and quotes around"
                        " the cell."
                    )
            continue
        told = f"line {line} has {count_of(len(cells), 'cell')}, and the first line has"
        text = data.decode().split("\n")
        for other, name in SEPARATORS.items():
            if (
                other != separator
                and width != 1
                and len(next(csv.reader([text[line - 1]], delimiter=other))) == width
            ):
                raise ValueError(
                    f"{told} {width}: it is separated by {name}, and the first line by"
                    f" {SEPARATORS.get(separator, repr(separator))}. Write all lines alike."
                )
        what = SEPARATORS.get(separator, repr(separator)).removesuffix("s")
        raise ValueError(f"{told} {width}. A cell that holds a {what} needs quotes around it.")


def _lines(data: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the number of the line that each begins on, from 1."""
    begun = 1
    csv.field_size_limit(2**31 - 1)  # texts may be long
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace", newline=""),
                        delimiter=separator, strict=True)  # fmt: skip
    try:
        for row in reader:
            yield begun, row
            begun = reader.line_num + 1
    except csv.Error:
        raise ValueError(
            f"the quotes of line {begun} are not balanced: one opens a cell and none closes it, or"
            " the cell goes on behind. Write a quote inside a cell twice."
        ) from None
