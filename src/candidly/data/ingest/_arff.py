"""ARFF, the tables of Weka and OpenML: attributes with types, then lines with commas.

Source: https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/. Numeric, integer,
real, nominal, string and date attributes; dense lines. Sparse and relational data are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

NUMBERS = ("numeric", "real", "integer")
CELL = re.compile(  # quoted by either quote, with backslashes, or plain; and what comes after
    r"""[ \t]*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,\t'"{}]*?))[ \t]*(,|\t|$)"""
)
NAME = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.I
)


def read_arff(data: bytes) -> pl.DataFrame:
    """The table: numbers as Float64, nominal attributes as Enum in their order, others as text.

    Args:
        data: text in UTF-8.

    Raises:
        ValueError: no ARFF, or none of the kind above; the message names the line.
    """
    import polars as pl

    lines = enumerate(data.decode().splitlines(), 1)
    kinds = _attributes(lines)
    rows: list[list[str | None]] = []
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if line.lstrip().startswith("{"):
            raise ValueError(f"line {number} is sparse ({{...}}); save it as dense ARFF or CSV.")
        cells = _cells(line, number)
        if len(cells) != len(kinds):
            raise ValueError(
                f"line {number} has {len(cells)} cells, and there are {len(kinds)} attributes."
            )
        rows.append(cells)
    columns = []
    for place, (name, kind) in enumerate(kinds.items()):
        column = pl.Series(name, [cells[place] for cells in rows], pl.String)
        found = column
        if kind == "number":
            found = column.cast(pl.Float64, strict=False)
        elif kind != "string":
            found = column.cast(pl.Enum(kind), strict=False)
        wrong = found.is_null() & column.is_not_null()
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            what = "a number" if kind == "number" else "one of its values"
            raise ValueError(f"column {name!r} has {column[row]!r} at row {row}, not {what}.")
        columns.append(found)
    return pl.DataFrame(columns)


def with_attributes(
    text: str, place: int, names: Sequence[str], rows: Sequence[Sequence[str | None]]
) -> str:
    """The text with more attributes behind the one in ``place``, as strings, and their cells.

    Raises:
        ValueError: there are other lines than rows; it names the row.
    """
    out: list[str] = []
    attribute, row, data = 0, 0, False
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        end = line[len(line.rstrip("\r\n")) :] or "\n"
        if data and bare and not bare.startswith("%"):
            if row == len(rows):
                raise ValueError(f"it has more than {row} rows")
            at = _end_of_cell(line.rstrip("\r\n"), place, row)
            line = line[:at] + "".join(f",{_quoted(cell)}" for cell in rows[row]) + line[at:]
            row += 1
        elif not data and NAME.fullmatch(bare):
            if attribute == place:
                line = line.rstrip("\r\n") + end
                line += "".join(f"@attribute {_quoted(name)} string{end}" for name in names)
            attribute += 1
        data = data or bare.lower() == "@data"
        out.append(line)
    if row < len(rows):
        raise ValueError(f"what it holds differs at row {row} from what was read")
    return "".join(out)


def _end_of_cell(line: str, place: int, row: int) -> int:
    """Where a cell ends, before what comes between it and the next."""
    at = end = 0
    for k in range(place + 1):
        match = CELL.match(line, at)
        if match is None or (k < place and not match[4]):
            raise ValueError(f"what it holds differs at row {row} from what was read")
        at, end = match.end(), match.start(4)
    return end


def _quoted(cell: str | None) -> str:
    if cell is None:
        return "?"
    return "'" + cell.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _attributes(lines: Iterator[tuple[int, str]]) -> dict[str, str | list[str]]:
    """What comes before ``@data``: ``number``, ``string`` or the values of each attribute."""
    kinds: dict[str, str | list[str]] = {}
    for number, line in lines:
        line = line.strip()
        if line.lower() == "@data":
            if not kinds:
                raise ValueError("it has no @attribute before @data.")
            return kinds
        if not line or line.startswith("%") or line.lower().startswith("@relation"):
            continue
        match = NAME.fullmatch(line)
        if match is None:
            raise ValueError(
                f"line {number} is no @attribute with a name and a type: {line[:60]!r}."
            )
        name = next(_unescaped(text) for text in match.groups()[:3] if text is not None)
        if name in kinds:
            raise ValueError(f"two attributes are called {name!r}, the second in line {number}.")
        kind = match[4].strip()
        first = kind.split()[0].lower()
        if kind.startswith("{") and kind.endswith("}"):
            values = [value for value in _cells(kind[1:-1], number) if value is not None]
            kinds[name] = list(dict.fromkeys(values))
        elif first in NUMBERS:
            kinds[name] = "number"
        elif first in ("string", "date"):
            kinds[name] = "string"
        else:
            raise ValueError(f"line {number} has an attribute of the type {kind!r}; drop it.")
    raise ValueError("it has no @data.")


def _cells(line: str, number: int) -> list[str | None]:
    """The cells of a line, None for a question mark that is not quoted."""
    cells: list[str | None] = []
    at = 0
    while True:
        match = CELL.match(line, at)
        if match is None:
            raise ValueError(
                f"the quotes of line {number} are not balanced, or a comma is missing."
            )
        single, double, plain, end = match.groups()
        if plain is not None:
            cells.append(None if plain in ("?", "") else plain)
        else:
            cells.append(_unescaped(single if single is not None else double))
        if not end:
            return cells
        at = match.end()


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
