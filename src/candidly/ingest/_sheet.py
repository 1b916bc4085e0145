"""Tables in files, as data frames, and how they were written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .._tables import read_table

if TYPE_CHECKING:
    import polars as pl

TABLE_ENDINGS = (".csv", ".parquet")


@dataclass(frozen=True)
class Form:
    """How a table was written, so that it can be written back alike.

    Args:
        format: the ending of its kind, such as ``.csv``.
        separator: between cells, of text with separators.
        encoding: of text; one with a byte order mark in front is called ``utf-8-sig``.
        newline: at the ends of lines of text.
        compression: ``.gz``, ``.zip`` or nothing.
        member: the name of the file in a ``.zip``.
    """

    format: str
    separator: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    compression: str = ""
    member: str = ""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table: where it was read, what it holds, how it was written.

    ``frame`` holds columns of text as they stand, null where a cell is empty, where the file is
    text; of other files what they hold.
    """

    path: Path
    frame: pl.DataFrame
    form: Form


def read_frame(path: Path | str, separator: str | None = None) -> Sheet:
    """The table in a file.

    Args:
        separator: what stands between cells of text; found out by default.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a folder, another ending, no such table, a name twice.
    """
    path = Path(path)
    return Sheet(path, read_table(path), Form(path.suffix.lower()))
