"""Tables in files, as data frames, and how they were written."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ...ground.files import without_packing
from ._arff import read_arff
from ._header import TABLE, FirstLine
from ._json import (
    Read,
    every_column,
    first_record,
    is_lines,
    records_in,
    records_in_lines,
    table_of_lines,
    table_of_records,
)
from ._packed import (
    Content,
    check_no_other_kind,
    check_unpacked,
    read_content,
    unreadable,
)
from ._saved import by_features, declared_features, is_saved, read_saved
from ._text import in_utf8, read_separated
from ._workbook import read_workbook
from .exports import EXPORTS, Kind, ReadAs, is_export_header, kind_of, read_export
from .table_checks import about

if TYPE_CHECKING:
    import polars as pl

SEPARATED = (".csv", ".tsv", ".txt")
LINES = (".jsonl", ".ndjson")
JSON, WORKBOOK = ".json", ".xlsx"
SAVED = "datasets"  # the form of a folder that Hugging Face datasets saved
TABLE_ENDINGS = (
    *SEPARATED, *LINES, JSON, ".parquet", ".arrow", ".feather", WORKBOOK, ".arff"
)  # fmt: skip
PART_ENDINGS = tuple(end for end in TABLE_ENDINGS if end != JSON)  # which may be about others
EXPORT_NAMES = {kind.name for kind in EXPORTS}


@dataclass(frozen=True)
class Form:
    """How a table was written, so that it can be written back alike.

    Args:
        format: the ending of its kind, such as ``.csv``; of a saved folder ``datasets``; of an
            annotation tool's export what it was taken for.
        separator: between cells, of text with separators.
        encoding: for text; UTF-8 with a byte order mark in front is called ``utf-8-sig``, and text
            in UTF-16 and UTF-32 has one.
        newline: at the ends of lines of text.
        compression: ``.gz``, ``.zip`` or nothing.
        member: the name of the file in a ``.zip``.
        sheet: the name of the sheet of a workbook.
        named: whether the columns have names: of text and workbooks, in the first line.
    """

    format: str
    separator: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    compression: str = ""
    member: str = ""
    sheet: str = ""
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


def read_frame(
    path: Path | str,
    separator: str | None = None,
    header: FirstLine = TABLE,
    sheet: str | None = None,
    read: Read = every_column,
) -> Sheet:
    """The table in a file.

    Args:
        path: for text with separators (``.csv``, ``.tsv``, ``.txt``), lines of JSON (``.jsonl``,
            ``.ndjson``), ``.json`` (see ``_json``), ``.parquet``, ``.arrow`` or ``.feather``,
            ``.xlsx`` or ``.arff``; each also with ``.gz`` behind, or alone in a ``.zip``. Or a
            folder that Hugging Face ``datasets`` saved. What an annotation tool exported, in any
            of these, is recognised by what it holds, and becomes a table with an answer a row.
        separator: what stands between cells of text; found out by default.
        header: what is known of the first line of text or of a workbook. Where it names no columns,
            they are called ``column_1`` and so on.
        sheet: for a workbook, by default the first that is not hidden; other files have none.
        read: of JSON, whether a column will be looked at: see ``table_of_lines``.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a folder, another ending, no such table or sheet, a name twice. The message
            names the file, and the line or row where there is one.

    Warns:
        UserWarning: an encoding that was assumed, or sheets that were left out.
        ReadAs: the tool that exported it.
    """
    path = Path(path).expanduser()
    with about(path):
        if is_saved(path):
            return _as_export(Sheet(path, read_saved(path), Form(SAVED)))
        content = read_content(path, TABLE_ENDINGS)
        if content.ending == WORKBOOK:
            frame, name, named = read_workbook(content.data, header, sheet)
            form = Form(WORKBOOK, sheet=name, named=named)
        elif content.ending in _BINARY:
            frame, form = _BINARY[content.ending](content.data), Form(content.ending)
        else:
            frame, form = _from_text(content, separator, header, path, read)
        form = replace(form, compression=content.compression, member=content.member)
        return _as_export(Sheet(path, frame, form))


def _as_export(sheet: Sheet) -> Sheet:
    """The same; of an annotation tool's export, the table of its answers."""
    first = sheet.frame.head(1).to_dicts()
    if not first or sheet.form.format in EXPORT_NAMES or (kind := kind_of(first[0])) is None:
        return sheet
    return replace(sheet, **_taken(kind, sheet.frame.to_dicts(), sheet.path, sheet.form))


def _taken(kind: Kind, records: Sequence[Any], path: Path, form: Form) -> dict[str, Any]:
    """The table of an export, and its form; says what it was taken for."""
    frame, line = read_export(kind, records, _stem(Path(form.member or path.name)))
    warnings.warn(f"{path.name} {line}.", ReadAs, stacklevel=1)
    return {"frame": frame, "form": Form(kind.name)}


def _from_text(
    content: Content, separator: str | None, header: FirstLine, path: Path, read: Read
) -> tuple[Any, Form]:
    check_no_other_kind(content.data)
    data, encoding = in_utf8(content.data)
    end = data.find(b"\n")
    newline = "\r\n" if end > 0 and data[end - 1 : end] == b"\r" else "\n"
    if content.ending in (*LINES, JSON):
        lines = is_lines(data) if content.ending == JSON else not data.lstrip().startswith(b"[")
        form = Form(JSON, "", encoding, newline, member=content.member)
        return _from_json(data, lines, path, form, read)
    if content.ending == ".arff":
        return read_arff(data), Form(content.ending, encoding=encoding, newline=newline)
    if content.ending == ".tsv":
        separator = separator or "\t"
    if is_export_header(data[: max(end, 0)]):
        header = replace(header, said="yes")
    frame, separator, named = read_separated(data, separator, header)
    return frame, Form(content.ending, separator, encoding, newline, named=named)


def _from_json(data: bytes, lines: bool, path: Path, form: Form, read: Read) -> tuple[Any, Form]:
    """The table of JSON, an object a line or one list; with an export's own objects within."""
    records = None if lines else records_in(data)
    first = first_record(data) if records is None else records[0]
    if first is not None and (kind := kind_of(first)) is not None:
        records = records_in_lines(data) if records is None else records
        taken = _taken(kind, records, path, form)
        return taken["frame"], taken["form"]
    if records is None:
        return table_of_lines(data, read), replace(form, format=LINES[0])
    return table_of_records(records, read), replace(form, format=JSON)


def _stem(path: Path) -> str:
    """A file's name without what says how it is written."""
    plain = without_packing(path)
    return plain.stem if plain.suffix.lower() in TABLE_ENDINGS else plain.name


def _from_parquet(data: bytes) -> pl.DataFrame:
    import polars as pl

    def read(file: IO[bytes]) -> pl.DataFrame:
        lazy = pl.scan_parquet(file)
        width = len(lazy.collect_schema())
        check_unpacked(8 * width * int(lazy.select(pl.len()).collect().item()), len(data))
        file.seek(0)
        return by_features(lazy.collect(), declared_features(pl.read_parquet_metadata(file)))

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


_BINARY: dict[str, Callable[[bytes], pl.DataFrame]] = {
    ".parquet": _from_parquet,
    ".arrow": _from_arrow,
    ".feather": _from_arrow,
}
