"""Text of a table with cells put in: what stands there already is not touched, to the byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...ground.files import inert, raw

Cells = Sequence[Sequence[str | None]]  # a sequence per row; None is an empty cell
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")  # a spreadsheet shows it, and computes nothing
_QUOTED = re.compile(r'"((?:[^"]|"")*)"(.*)', re.DOTALL)
_MARK = "\ufeff"  # of the byte order, where the file starts with one


@dataclass(frozen=True)
class _Line:
    """A line of a table: its ``cell`` in the column, as it stands, which ends ``at``."""

    cell: str
    at: int
    blank: bool


def with_cells(
    text: str,
    separator: str,
    place: int,
    known: Sequence[str | None],
    names: Sequence[str],
    rows: Cells,
    named: bool = True,
) -> str:
    """A table of separated cells, with more cells behind those of one column.

    Args:
        text: the text of the whole file, line ends as they stand.
        place: the place of the column. known: what its cells hold.
        names: the names of the columns that are put in. rows: their cells.
        named: whether the first line names the columns.

    Raises:
        ValueError: the column holds something else than ``known``; it names the row.
    """
    out: list[str] = []
    at, row = 0, -1 if named else 0
    for line in _lines(text, separator, place):
        if line.blank and (row < 0 or row == len(known) or known[row]):
            continue
        if row == len(known) or (row >= 0 and _bare(line.cell) != (known[row] or "").strip()):
            raise _other(row)
        quoted = line.cell.startswith('"')
        more = (_written(cell, separator, quoted) for cell in (names if row < 0 else rows[row]))
        out += [text[at : line.at], *(separator + cell for cell in more)]
        at, row = line.at, row + 1
    if row < len(known):
        raise _other(max(row, 0))
    return "".join([*out, text[at:]])


def with_entries(text: str, names: Sequence[str], rows: Cells) -> str:
    """Lines of JSON objects, with more entries at the end of each.

    Raises:
        ValueError: there are other lines than rows; it names the row.
    """
    out: list[str] = []
    row = 0
    for line in text.split("\n"):
        body = line.rstrip()
        if body.strip(_MARK):
            if row == len(rows) or not body.endswith("}"):
                raise _other(row)
            more = json.dumps(dict(zip(names, rows[row])), ensure_ascii=False)[1:-1]
            inside = body[:-1].rstrip()
            comma = "" if inside.endswith("{") else ", "
            line = f"{inside}{comma}{more}}}{line[len(body) :]}"
            row += 1
        out.append(line)
    if row < len(rows):
        raise _other(row)
    return "\n".join(out)


def _lines(text: str, separator: str, place: int) -> Iterator[_Line]:
    s, only = re.escape(separator), "\n" in text  # without one, lines end at \r
    plain = rf"[^{s}\r\n]*+(?:\r(?!\n|\Z)[^{s}\r\n]*+)*+" if only else rf"[^{s}\r\n]*+"
    end = r"(?:\r?\n|\r?\Z)" if only else r"(?:\r|\Z)"
    cell = rf'(?:"[^"]*+(?:""[^"]*+)*+"{plain}|{plain})'
    line = re.compile(rf"{_MARK}?(?:{cell}{s}){{{place}}}({cell})((?:{s}{cell})*+){end}")
    blank = re.compile(rf"[ \t]*+{end}")
    at, row = 0, -1
    while at < len(text):
        found = line.match(text, at)
        empty = blank.match(text, at) if found is None or not found.group().strip() else None
        if found is None and empty is None:
            raise _other(max(row, 0))
        one = found or empty
        assert one is not None
        yield _Line(found.group(1) if found else "", found.end(1) if found else at, bool(empty))
        at, row = one.end(), row + 1


def _bare(cell: str) -> str:
    """What a cell holds, without quotes around it, an apostrophe of ``inert`` and spaces."""
    if found := _QUOTED.fullmatch(cell):
        cell = found[1].replace('""', '"') + found[2]
    return raw(cell).strip()


def _written(cell: str | None, separator: str, quoted: bool) -> str:
    """A cell that a spreadsheet does not compute, in quotes where it or the one before has them."""
    text = cell or ""
    text = text if _NUMBER.fullmatch(text) else inert(text)
    if quoted or any(mark in text for mark in (separator, '"', "\r", "\n")):
        return '"' + text.replace('"', '""') + '"'
    return text


def _other(row: int) -> ValueError:
    return ValueError(f"what it holds differs at row {row} from what was read")
