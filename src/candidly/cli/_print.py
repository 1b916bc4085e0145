"""What commands print: paragraphs and tables, as wide as the terminal, in the form asked for."""

from __future__ import annotations

import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ..show.grid import FORMS, WIDTH, Column, Grid, render

WIDEST = 120  # of text in a wide terminal

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Html = Annotated[Path | None, typer.Option(metavar="PAGE", help="Write one self-contained page.")]
Figures = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write every figure as SVG, PDF and PNG, too.")
]
OutJson = Annotated[Path | None, typer.Option(metavar="FILE", help="Write everything as JSON.")]
Form = Annotated[
    str, typer.Option("--format", help="Of the tables: text, markdown, csv, latex or html.")
]


def show(*parts: str | Grid, form: str = "text") -> None:
    """Paragraphs and tables, on stdout; nothing where there is nothing."""
    text = render(parts, form, width())
    if text:
        print_text(text)


def grid_of(title: str, rows: Sequence[Mapping[str, Any]]) -> Grid:
    """A table of rows by name; those of data sets and algorithms are names, the rest numbers."""
    columns = (
        Column(name, "name") if name in ("dataset", "algorithm") else Column(name)
        for name in rows[0]
    )
    return Grid(title, tuple(columns), [list(row.values()) for row in rows])


def print_text(text: str) -> None:
    """On stdout, with a question mark for each character that its encoding lacks."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def warned(message: Warning | str, category: type[Warning]) -> str:
    """A warning in words; what a file was taken for is none."""
    from ..data.ingest import ReadAs

    return str(message) if issubclass(category, ReadAs) else f"warning: {message}"


@contextmanager
def noted() -> Iterator[list[warnings.WarningMessage]]:
    """Warnings of the block, said behind it, also where it ends in an error."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", UserWarning)
            caught = found
            yield found
    finally:
        for one in caught:
            warnings.warn(one.message, stacklevel=1)


def check_form(form: str, json: bool = False) -> None:
    """Refuse a form that is not there before anything is computed.

    Args:
        json: whether JSON is one of the forms.

    Raises:
        UnknownName: it is not there; suggests the nearest.
    """
    from ..ground.names import lookup

    lookup({**FORMS, "json": None} if json else FORMS, form, "format")


def width() -> int:
    """Columns of the terminal; elsewhere always the same, so that files can be compared."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(20, min(WIDEST, shutil.get_terminal_size((WIDTH, 24)).columns))
