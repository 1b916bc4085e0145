"""Tables in files, as data frames, and how they were written."""

from __future__ import annotations

import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ._arff import read_arff
from ._header import LOOKED_AT, TABLE, FirstLine, decided
from ._packed import (
    NO_WORKBOOK,
    Content,
    check_no_other_kind,
    check_unpacked,
    check_workbook_size,
    read_content,
    unreadable,
)
from ._saved import is_saved, read_saved
from ._text import check_names, in_utf8, read_separated, unnamed, whole_rows
from .table_checks import about

if TYPE_CHECKING:
    import polars as pl

SEPARATED = (".csv", ".tsv", ".txt")
LINES = (".jsonl", ".ndjson")
WORKBOOK = ".xlsx"
SAVED = "datasets"  # the form of a folder that Hugging Face datasets saved
TABLE_ENDINGS = (*SEPARATED, *LINES, ".parquet", ".arrow", ".feather", WORKBOOK, ".arff")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Form:
    """How a table was written, so that it can be written back alike.

    Args:
        format: the ending of its kind, such as ``.csv``; of a saved folder ``datasets``.
        separator: between cells, of text with separators.
        encoding: of text; UTF-8 with a byte order mark in front is called ``utf-8-sig``, and text
            in UTF-16 and UTF-32 has one.
        newline: at the ends of lines of text.
        compression: ``.gz``, ``.zip`` or nothing.
        member: the name of the file in a ``.zip``.
        named: whether the columns have names: of text and workbooks, in the first line.
    """

    format: str
    separator: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    compression: str = ""
    member: str = ""
    named: bool = True


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table: where it was read, what it holds, how it was written.

    ``frame`` holds columns of text as they stand, null where a cell is empty, where the file is
    text with separators or a workbook; of other files what they hold.
    """

    path: Path
    frame: pl.DataFrame
    form: Form


def read_frame(path: Path | str, separator: str | None = None, header: FirstLine = TABLE) -> Sheet:
    """The table in a file.

    Args:
        path: of text with separators (``.csv``, ``.tsv``, ``.txt``), lines of JSON (``.jsonl``,
            ``.ndjson``), ``.parquet``, ``.arrow`` or ``.feather``, ``.xlsx`` (its first sheet) or
            ``.arff``; each also with ``.gz`` behind, or alone in a ``.zip``. Or a folder that
            Hugging Face ``datasets`` saved.
        separator: what stands between cells of text; found out by default.
        header: what is known of the first line of text or of a workbook. Where it names no columns,
            they are called ``column_1`` and so on.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a folder, another ending, no such table, a name twice. The message names the
            file, and the line or row where there is one.

    Warns:
        UserWarning: an encoding that was assumed, or sheets that were left out.
    """
    path = Path(path).expanduser()
    with about(path):
        if is_saved(path):
            return Sheet(path, read_saved(path), Form(SAVED))
        content = read_content(path, TABLE_ENDINGS)
        if content.ending == WORKBOOK:
            frame, named = _from_workbook(content.data, header)
            form = Form(WORKBOOK, named=named)
        elif content.ending in _BINARY:
            frame, form = _BINARY[content.ending](content.data), Form(content.ending)
        else:
            frame, form = _from_text(content, separator, header)
    form = replace(form, compression=content.compression, member=content.member)
    return Sheet(path, frame, form)


def _from_text(content: Content, separator: str | None, header: FirstLine) -> tuple[Any, Form]:
    check_no_other_kind(content.data)
    data, encoding = in_utf8(content.data)
    end = data.find(b"\n")
    newline = "\r\n" if end > 0 and data[end - 1 : end] == b"\r" else "\n"
    if content.ending in LINES:
        return _from_lines(data), Form(content.ending, encoding=encoding, newline=newline)
    if content.ending == ".arff":
        return read_arff(data), Form(content.ending, encoding=encoding, newline=newline)
    if content.ending == ".tsv":
        separator = separator or "\t"
    frame, separator, named = read_separated(data, separator, header)
    return frame, Form(content.ending, separator, encoding, newline, named=named)


def _from_lines(data: bytes) -> pl.DataFrame:
    import polars as pl

    try:
        frame = pl.read_ndjson(data, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        _check_halves(data)
        _check_json(data)
        raise ValueError("it is damaged, or no table as lines of JSON.") from None
    _check_halves(data)
    if not frame.width:
        raise ValueError("its lines hold no names and values.")
    for column in frame:
        if isinstance(column.dtype, pl.Struct):
            raise ValueError(
                f"column {column.name!r} holds objects ({{...}}); give each value a column."
            )
    return frame


def _check_json(data: bytes) -> None:
    """Refuse the first line that is no object."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            fine = isinstance(json.loads(line), dict)
        except ValueError:
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


def _from_parquet(data: bytes) -> pl.DataFrame:
    import polars as pl

    def read(file: IO[bytes]) -> pl.DataFrame:
        lazy = pl.scan_parquet(file)
        width = len(lazy.collect_schema())
        check_unpacked(8 * width * int(lazy.select(pl.len()).collect().item()), len(data))
        return lazy.collect()

    return _binary(read, data, "Parquet file")


def _from_arrow(data: bytes) -> pl.DataFrame:
    import polars as pl

    stream = not data.startswith(b"ARROW1")  # a file has this in front, a stream has not
    return _binary(pl.read_ipc_stream if stream else pl.read_ipc, data, "Arrow file")


def _binary(read: Callable[[Any], pl.DataFrame], data: bytes, what: str) -> pl.DataFrame:
    import polars as pl

    try:
        return read(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(error, what) from None


def _from_workbook(data: bytes, header: FirstLine) -> tuple[pl.DataFrame, bool]:
    """The first sheet, its cells as text, and whether its first line names them.

    Raises:
        ValueError: no workbook, the package to read it is missing, merged cells, a first line as
            ``_header`` refuses it.
    """
    check_workbook_size(data)
    try:
        import fastexcel
    except ImportError:
        raise ValueError(
            "reading .xlsx needs the extra `tables` (pip install 'candidly[tables]'); or save the"
            " sheet as .csv."
        ) from None
    _check_merged(data)
    try:
        book = fastexcel.read_excel(data)
        name, *others = book.sheet_names
        cells = book.load_sheet(0, header_row=None, dtypes="string").to_polars()
    except fastexcel.FastExcelError:
        raise ValueError(NO_WORKBOOK) from None
    if others:
        warnings.warn(
            f"read the sheet {name!r}; not {', '.join(map(repr, others[:5]))}.", stacklevel=2
        )
    if not len(cells):
        raise ValueError(f"the sheet {name!r} is empty; its first line must name the columns.")
    cells = whole_rows(cells)
    rows = [[cell or "" for cell in row] for row in cells.head(LOOKED_AT).rows()]
    named = decided(rows, header, lambda: len(cells)).names
    if named:
        check_names(rows[0])
        cells = cells[1:]
    cells.columns = [name.strip() for name in rows[0]] if named else unnamed(cells.width)
    return cells, named


def _check_merged(data: bytes) -> None:
    """Refuse merged cells of the first sheet, which leave others empty."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheets = sorted(
            (
                name
                for name in archive.namelist()
                if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name)
            ),
            key=lambda name: (len(name), name),
        )
        xml = archive.read(sheets[0]) if sheets else b""
    ranges = re.findall(rb'<mergeCell ref="([A-Z0-9:]+)"', xml)
    if ranges:
        more = f", and {len(ranges) - 1} more" if len(ranges) > 1 else ""
        raise ValueError(
            f"the cells {ranges[0].decode()} are merged{more}. Take them apart and fill each in."
        )


_BINARY: dict[str, Callable[[bytes], pl.DataFrame]] = {
    ".parquet": _from_parquet,
    ".arrow": _from_arrow,
    ".feather": _from_arrow,
}
