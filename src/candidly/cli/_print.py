"""What commands print: paragraphs and tables, as wide as the terminal, in the form asked for."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

import typer

from ..grid import FORMS, WIDTH, Grid, render

WIDEST = 120  # of text in a wide terminal

Form = Annotated[
    str, typer.Option("--format", help="Of the tables: text, markdown, csv, latex or html.")
]


def show(*parts: str | Grid, form: str = "text") -> None:
    """Paragraphs and tables, on stdout; nothing where there is nothing."""
    text = render(parts, form, width())
    if text:
        print_text(text)


def print_text(text: str) -> None:
    """On stdout, with a question mark for each character that its encoding lacks."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def check_form(form: str) -> None:
    """Refuse a form that is not there before anything is computed.

    Raises:
        UnknownName: it is not there; suggests the nearest.
    """
    from .._names import lookup

    lookup(FORMS, form, "format")


def width() -> int:
    """Columns of the terminal; elsewhere always the same, so that files can be compared."""
    if not sys.stdout.isatty():
        return WIDTH
    return max(20, min(WIDEST, shutil.get_terminal_size((WIDTH, 24)).columns))
