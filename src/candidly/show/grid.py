"""A table as one value, and how it is written: text, Markdown, CSV, LaTeX, HTML.

>>> columns = (Column("model", "name"), Column("accuracy", form=".1f"))
>>> grid = Grid("Accuracy", columns, [("CC", 71.3)])
>>> print(grid.markdown())
### Accuracy
<BLANKLINE>
| model | accuracy |
| :-- | --: |
| CC | 71.3 |
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import repeat

from ..ground.files import inert
from ..ground.names import lookup
from .escapes import (
    breakable,
    csv_quoted,
    latex_safe,
    markdown_paragraph,
    markdown_safe,
    one_line,
)
from .grid_cells import NOTHING, Column, Datum, Value, datum_of, number_of, text_of, written
from .layout import WIDTH, blocks

__all__ = ["FORMS", "NOTHING", "WIDTH", "Column", "Datum", "Grid", "Value", "render"]


@dataclass(frozen=True)
class Grid:
    """A table: a title, columns, rows and notes below.

    Attributes:
        keys: so many columns on the left name the rows; where text needs several tables for want
            of room, each has them.
        bold: what a cell in bold is, said where bold can be seen.
    """

    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Value | Datum]]
    notes: tuple[str, ...] = ()
    keys: int = 1
    bold: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number} of the table {self.title!r} has {len(row)} cells; there are "
                    f"{len(self.columns)} columns."
                )

    def texts(self) -> list[list[str]]:
        """The cells as people read them; a bar is empty."""
        return [[text_of(cell, column) for cell, column in zip(r, self.columns)] for r in self.rows]

    def text(self, width: int = WIDTH) -> str:
        """For a terminal of ``width`` columns. What is too wide is broken into several tables."""
        return _text_of([self], width)

    def markdown(self) -> str:
        """For Markdown with tables, such as GitHub's."""
        title = [f"### {markdown_safe(self.title)}"] if self.title else []
        notes = [markdown_paragraph(note) for note in _notes(self)]
        return "\n\n".join([*title, _markdown_table(self), *notes])

    def csv(self) -> str:
        """Lines with a heading; numbers without marks, texts that a spreadsheet does not compute.

        The title and the notes are left out. Spreads are columns of their own.
        """
        return _csv(self)

    def latex(self) -> str:
        """A ``table`` with a caption and a label, for the packages booktabs and amsmath.

        What is wider than a page is small, or several tables.
        """
        return _latex(self)

    def html(self) -> str:
        """A ``table`` in a box that scrolls, and its notes; classes are those of ``page.css``."""
        return _html(self)


@dataclass(frozen=True)
class Title:
    """A heading among paragraphs and tables; ``level`` 1 is that of a whole document."""

    text: str
    level: int


Part = str | Grid | Title


def render(parts: Iterable[Part], form: str = "text", width: int = WIDTH) -> str:
    """Paragraphs, tables and headings in one form.

    Args:
        parts: in their order. Tables without rows are left out.
        form: a form of ``FORMS``. CSV holds one table, the first; paragraphs are left out of it.
        width: columns that text may use.

    Raises:
        UnknownName: a form that is not there; suggests the nearest.
    """
    _, write = lookup(FORMS, form, "format")
    there = [part for part in parts if (part.rows if isinstance(part, Grid) else part)]
    return write(there, width)


# text


def _text_of(parts: Sequence[Part], width: int) -> str:
    import rich.console

    page = io.StringIO()
    # names are data: no markup, emoji codes or highlighting in them
    console = rich.console.Console(
        file=page, width=width, markup=False, emoji=False, highlight=False, color_system=None
    )
    for number, part in enumerate(parts):
        before = parts[number - 1] if number else ""
        if number and not (isinstance(part, str) and isinstance(before, str)):
            console.print()
        if not isinstance(part, Grid):
            title = one_line(part if isinstance(part, str) else part.text)
            console.print(title)
            if isinstance(part, Title) and part.level == 2:
                console.print("─" * min(len(title), width))
            continue
        if part.title:
            console.print(one_line(part.title))
        for k, block in enumerate(blocks(part.columns, part.rows, part.texts(), width, part.keys)):
            if k:
                console.print()
            console.print(block)
        for note in part.notes:
            console.print(one_line(note))
    return "\n".join(line.rstrip() for line in page.getvalue().split("\n")).rstrip()


# Markdown


def _markdown_table(grid: Grid) -> str:
    grid = _without_bars(grid)
    lines = [
        [markdown_safe(column.name) for column in grid.columns],
        ["--:" if column.right else ":--" for column in grid.columns],
    ]
    for row, texts in zip(grid.rows, grid.texts()):
        bold = (datum_of(cell).best and text for cell, text in zip(row, texts))
        safe = map(markdown_safe, texts)
        lines.append([f"**{text}**" if best else text for text, best in zip(safe, bold)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# CSV


def _csv(grid: Grid) -> str:
    grid = _without_bars(grid)
    spread = [any(datum_of(row[k]).spread is not None for row in grid.rows) for k in _range(grid)]
    lines = [
        [
            inert(name)
            for column, wide in zip(grid.columns, spread)
            for name in ([column.name, f"{column.name} {column.spread}"] if wide else [column.name])
        ]
    ]
    for row in grid.rows:
        lines.append([])
        for cell, column, wide in zip(row, grid.columns, spread):
            datum = datum_of(cell)
            values = (datum.value, datum.spread) if wide else (datum.value,)
            lines[-1] += [_csv_value(value, column) for value in values]
    return "\n".join(",".join(map(csv_quoted, line)) for line in lines)


def _csv_value(value: Value, column: Column) -> str:
    if isinstance(value, str):
        return inert(value)
    plain = replace(column, form=column.form.replace(",", ""))
    shown = written(value, plain)
    return "" if shown == NOTHING else shown


# LaTeX

LATEX_NEEDS = r"% in the preamble: \usepackage{amsmath,booktabs}"
LATEX_TITLES = {1: r"\section*", 2: r"\subsection*", 3: r"\subsubsection*"}
LATEX_WIDTH, LATEX_SMALL = 80, 100  # letters of a line of text on paper, and of small ones
LATEX_CELL = 30  # letters of a cell that count; longer texts are broken, or the caller's care


def _latex(grid: Grid) -> str:
    parts = _narrow(_without_bars(grid))
    small = len(parts) > 1 or sum(_latex_widths(parts[0])) > LATEX_WIDTH
    return "\n\n".join(_latex_table(part, k, small) for k, part in enumerate(parts, 1))


def _latex_widths(grid: Grid) -> list[int]:
    """About how many letters wide each column is on paper, with the room beside it."""
    longest = [
        max(map(len, (column.name, *cells)), default=0)
        for column, cells in zip(grid.columns, zip(*grid.texts()) if grid.rows else repeat(()))
    ]
    return [2 + min(LATEX_CELL, letters) for letters in longest]


def _narrow(grid: Grid) -> list[Grid]:
    """The table in as many as fit a page in small letters; each has the columns that name rows."""
    widths = _latex_widths(grid)
    front = list(range(min(grid.keys, len(widths))))
    pages: list[list[int]] = [[*front]]
    for k in range(len(front), len(widths)):
        wide = sum(widths[one] for one in (*pages[-1], k)) > LATEX_SMALL
        pages.append([*front, k]) if wide and pages[-1] != front else pages[-1].append(k)
    if len(pages) == 1:
        return [grid]
    last = len(pages) - 1
    return [
        replace(
            grid,
            columns=tuple(grid.columns[k] for k in page),
            rows=[[row[k] for k in page] for row in grid.rows],
            notes=grid.notes if number == last else (),
            bold=grid.bold if number == last else "",
        )
        for number, page in enumerate(pages)
    ]


def _latex_table(grid: Grid, number: int, small: bool) -> str:
    kinds = "".join(
        r"p{0.35\linewidth}" if c.kind == "text" else "r" if c.right else "l" for c in grid.columns
    )
    lines = [LATEX_NEEDS, r"\begin{table}", r"\centering", *([r"\footnotesize"] if small else [])]
    if grid.title:
        lines.append(rf"\caption{{{latex_safe(grid.title)}}}")
    if name := re.sub(r"[^a-z0-9]+", "-", grid.title.lower()).strip("-")[:60]:
        lines.append(rf"\label{{tab:{name}{f'-{number}' if number > 1 else ''}}}")
    lines += [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [_latex_row(column.name for column in grid.columns), r"\midrule"]
    for row, texts in zip(grid.rows, grid.texts()):
        lines.append(_latex_row(texts, [datum_of(cell).best for cell in row]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {latex_safe(note)}" for note in _notes(grid)]
    return "\n".join([*lines, r"\end{table}"])


def _latex_row(texts: Iterable[str], best: Iterable[bool] | None = None) -> str:
    cells = [latex_safe(text) for text in texts]
    if best is not None:
        cells = [rf"\textbf{{{c}}}" if bold and c else c for c, bold in zip(cells, best)]
    return " & ".join(cells) + r" \\"


# HTML

_CLASSES = {"number": "", "name": "words name", "word": "words", "text": "words wrap"}


def _html(grid: Grid) -> str:
    lines = []
    if grid.title:
        about = escape(grid.title)
        lines.append(f'<div class="scroll" tabindex="0" role="region" aria-label="{about}">')
        lines += ["<table>", f"<caption>{about}</caption>"]
    else:
        lines += ['<div class="scroll" tabindex="0">', "<table>"]
    if any(column.name for column in grid.columns):
        heads = (
            f'<th scope="col"{_class("words" * (not c.right))}>{breakable(c.name)}</th>'
            for c in grid.columns
        )
        lines.append(f"<thead><tr>{''.join(heads)}</tr></thead>")
    lines.append("<tbody>")
    for row, texts in zip(grid.rows, grid.texts()):
        soft = bool(row) and datum_of(row[0]).soft
        cells = (
            _html_cell(k, datum_of(cell), text, grid.columns[k])
            for k, (cell, text) in enumerate(zip(row, texts))
        )
        lines.append(f"<tr{_class('oracle' * soft)}>{''.join(cells)}</tr>")
    lines += ["</tbody>", "</table>", "</div>"]
    lines += [f'<p class="soft">{escape(note)}</p>' for note in _notes(grid)]
    return "\n".join(lines)


def _html_cell(place: int, cell: Datum, text: str, column: Column) -> str:
    if column.kind == "bar":
        part = 100 * (number_of(cell) or 0)
        inside = f'<span class="bar"><span style="width: {part:.1f}%"></span></span>'
        return f'<td class="words">{inside}</td>'
    inside = escape(text) if column.right else breakable(text)
    if cell.best and text:
        inside = f"<strong>{inside}</strong>"
    if cell.link is not None:
        inside = f'<a href="#{escape(cell.link)}">{inside}</a>'
    if place == 0:
        return f'<th scope="row"{_class("number" * column.right)}>{inside}</th>'
    names = " ".join(filter(None, (_CLASSES[column.kind], "flawed" * cell.soft)))
    return f"<td{_class(names)}>{inside}</td>"


def _class(names: str) -> str:
    return f' class="{names}"' if names else ""


# cells


def _notes(grid: Grid) -> tuple[str, ...]:
    """The notes where bold can be seen."""
    return (*grid.notes, grid.bold) if grid.bold else grid.notes


def _without_bars(grid: Grid) -> Grid:
    kept = [k for k, column in enumerate(grid.columns) if column.kind != "bar"]
    rows = [[row[k] for k in kept] for row in grid.rows]
    return replace(grid, columns=tuple(grid.columns[k] for k in kept), rows=rows)


def _range(grid: Grid) -> range:
    return range(len(grid.columns))


# documents


def _markdown_of(parts: Sequence[Part], width: int) -> str:
    def one(part: Part) -> str:
        if isinstance(part, Title):
            return f"{'#' * part.level} {markdown_safe(part.text)}"
        return part.markdown() if isinstance(part, Grid) else markdown_paragraph(part)

    return "\n\n".join(map(one, parts))


def _csv_of(parts: Sequence[Part], width: int) -> str:
    return next((part.csv() for part in parts if isinstance(part, Grid)), "")


def _latex_of(parts: Sequence[Part], width: int) -> str:
    def one(part: Part) -> str:
        if isinstance(part, Title):
            return rf"{LATEX_TITLES[part.level]}{{{latex_safe(part.text)}}}"
        return part.latex() if isinstance(part, Grid) else latex_safe(part)

    return "\n\n".join(map(one, parts))


def _html_of(parts: Sequence[Part], width: int) -> str:
    def one(part: Part) -> str:
        if isinstance(part, Title):
            return f"<h{part.level}>{escape(part.text)}</h{part.level}>"
        return part.html() if isinstance(part, Grid) else f"<p>{escape(part)}</p>"

    return "\n".join(map(one, parts))


FORMS: Mapping[str, Callable[[Sequence[Part], int], str]] = {
    "text": _text_of,
    "markdown": _markdown_of,
    "csv": _csv_of,
    "latex": _latex_of,
    "html": _html_of,
}
