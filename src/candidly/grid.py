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
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Literal, TypeAlias

from ._files import inert
from ._names import lookup

NOTHING = "–"
WIDTH = 80  # of text, where nothing says otherwise
BAR = 30  # characters of the longest bar, where there is room
SHORT_BAR = 8
NARROW = 20  # characters of names and sentences that may be broken where there is no room
LONG = 26  # characters of a word that HTML may break

Kind = Literal["number", "name", "word", "text", "bar"]
Value: TypeAlias = "str | int | float | None"


@dataclass(frozen=True)
class Column:
    """The heading of a column, and how its cells are written.

    Attributes:
        name: the heading.
        kind: ``number`` stands on the right, all others on the left. ``name`` may be broken
            anywhere when it is long, ``text`` between words, ``word`` and ``number`` never.
            A ``bar`` is drawn in text and HTML, and left out elsewhere.
        form: format specification of numbers, such as ``,`` or ``.2f``.
        sparse: in text, a value that repeats the one above is left out.
        spread: what stands behind ± in this column, as CSV names it.
    """

    name: str
    kind: Kind = "number"
    form: str = ""
    sparse: bool = False
    spread: str = "±"

    @property
    def right(self) -> bool:
        return self.kind == "number"


@dataclass(frozen=True)
class Datum:
    """A value with something besides.

    Attributes:
        value: a text, a number, or None for nothing; the length of a bar lies in 0..1.
        spread: what stands behind ±, in the unit of the value; a column of its own in CSV.
        text: how value and spread are written for people, where the column's form is not enough.
        best: stands out.
        soft: stands back, such as a number of too few runs.
        link: in HTML, the id on the same page that it leads to.
    """

    value: Value
    spread: float | None = None
    text: str | None = None
    best: bool = False
    soft: bool = False
    link: str | None = None


@dataclass(frozen=True)
class Grid:
    """A table: a title, columns, rows and notes below.

    Attributes:
        keys: so many columns on the left name the rows; where text needs several tables for want
            of room, each has them.
    """

    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Value | Datum]]
    notes: tuple[str, ...] = ()
    keys: int = 1

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number} of the table {self.title!r} has {len(row)} cells; there are "
                    f"{len(self.columns)} columns."
                )

    def texts(self) -> list[list[str]]:
        """The cells as people read them; a bar is empty."""
        return [[_text(cell, column) for cell, column in zip(r, self.columns)] for r in self.rows]

    def text(self, width: int = WIDTH) -> str:
        """For a terminal of ``width`` columns. What is too wide is broken into several tables."""
        return _text_of([self], width)

    def markdown(self) -> str:
        """For Markdown with tables, such as GitHub's."""
        title = [f"### {markdown_safe(self.title)}"] if self.title else []
        notes = [_markdown_paragraph(note) for note in self.notes]
        return "\n\n".join([*title, _markdown_table(self), *notes])

    def csv(self) -> str:
        """Lines with a heading; numbers without marks, texts that a spreadsheet does not compute.

        The title and the notes are left out. Spreads are columns of their own.
        """
        return _csv(self)

    def latex(self) -> str:
        """A ``table`` with a caption, for the packages booktabs and amsmath."""
        return _latex(self)

    def html(self) -> str:
        """A ``table`` in a box that scrolls, and its notes; classes are those of ``page.css``."""
        return _html(self)


def render(parts: Iterable[str | Grid], form: str = "text", width: int = WIDTH) -> str:
    """Paragraphs and tables in one form.

    Args:
        parts: in their order. Tables without rows are left out.
        form: of ``FORMS``. CSV holds one table, the first; paragraphs are left out of it.
        width: columns that text may use.

    Raises:
        UnknownName: a form that is not there; suggests the nearest.
    """
    _, write = lookup(FORMS, form, "format")
    there = [part for part in parts if part if isinstance(part, str) or part.rows]
    return write(there, width)


# text


def _text_of(parts: Sequence[str | Grid], width: int) -> str:
    import rich.console

    page = io.StringIO()
    # names are data: no markup, emoji codes or highlighting in them
    console = rich.console.Console(
        file=page, width=width, markup=False, emoji=False, highlight=False, color_system=None
    )
    for number, part in enumerate(parts):
        before = parts[number - 1] if number else ""
        if number and (isinstance(part, Grid) or isinstance(before, Grid)):
            console.print()
        if isinstance(part, str):
            console.print(_seen(part))
            continue
        if part.title:
            console.print(_seen(part.title))
        for k, block in enumerate(_blocks(part, width)):
            if k:
                console.print()
            console.print(block)
        for note in part.notes:
            console.print(_seen(note))
    return "\n".join(line.rstrip() for line in page.getvalue().split("\n")).rstrip()


def _blocks(grid: Grid, width: int) -> Iterable[Any]:
    """The table, or several with the first column in each, so that no number is broken."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table

    columns = grid.columns
    cells = [[_seen(text) for text in row] for row in grid.texts()]
    heads = [_seen(column.name) for column in columns]
    wanted, least = [], []
    for k, column in enumerate(columns):
        whole = max([cell_len(row[k]) for row in cells], default=0)
        whole = BAR if column.kind == "bar" else whole
        broken = {"name": NARROW, "text": NARROW, "bar": SHORT_BAR}.get(column.kind, whole)
        narrow = whole if broken == whole else min(whole, width // 3, broken)
        head = max(map(cell_len, heads[k].split()), default=0)
        wanted.append(max(whole, cell_len(heads[k])))
        least.append(max(narrow, min(head, NARROW)))
    for block in _fitting(least, width, grid.keys):
        widths = _shared([wanted[k] for k in block], [least[k] for k in block], width)
        drawn = Table(
            box=box.SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
            pad_edge=False,
            show_edge=False,
            show_header=any(heads),
        )
        for k, room in zip(block, widths):
            justify: Any = "right" if columns[k].right else "left"
            drawn.add_column(heads[k], justify=justify, width=room, overflow="fold")
        above: Sequence[str] = [""] * len(columns)
        for texts, row in zip(cells, grid.rows):
            shown = [
                "█" * round(room * (_number(row[k]) or 0))
                if columns[k].kind == "bar"
                else ("" if columns[k].sparse and texts[k] == above[k] else texts[k])
                for k, room in zip(block, widths)
            ]
            drawn.add_row(*shown)
            above = texts
        yield drawn


def _fitting(least: Sequence[int], width: int, keys: int) -> list[list[int]]:
    """Columns in groups that fit side by side, each with those in front that name the rows."""
    front = list(range(min(keys, len(least))))
    if sum(least[k] + 2 for k in front) > width // 2:
        front = front[:1]
    blocks: list[list[int]] = []
    left = 0
    for k in range(len(front), len(least)):
        if not blocks or least[k] + 2 > left:
            blocks.append(list(front))
            left = width - sum(least[k] + 2 for k in front) + 2
        blocks[-1].append(k)
        left -= least[k] + 2
    return blocks or [front]


def _shared(wanted: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """Widths of columns side by side: as wanted where there is room, else the widest give."""
    room = width - 2 * (len(wanted) - 1)
    widths = list(wanted)
    while sum(widths) > room:
        free = [k for k, one in enumerate(widths) if one > least[k]]
        if not free:
            break
        widest = max(free, key=lambda k: widths[k])
        widths[widest] -= 1
    over = sum(widths) - room  # a first column alone that is wider than the page
    return [max(1, widths[0] - over), *widths[1:]] if over > 0 else widths


def _seen(text: str) -> str:
    """Text on one line, without characters that would steer a terminal."""
    text = " ".join(text.split())
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(character: str) -> str:
    steers = unicodedata.category(character) in ("Cc", "Cs") or character in _TURNING
    return "\ufffd" if steers else character


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # of writing


# Markdown


def markdown_safe(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return re.sub(r"[\\`*_\[\]<>|~$]|&(?=#?\w+;)", r"\\\g<0>", _seen(text))


def _markdown_paragraph(text: str) -> str:
    """The same at the start of a line, where signs make headings and lists."""
    return re.sub(r"^([#+=-])|^(\d+)([.)])", _backslashed, markdown_safe(text))


def _backslashed(found: re.Match[str]) -> str:
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def _markdown_table(grid: Grid) -> str:
    grid = _without_bars(grid)
    lines = [
        [markdown_safe(column.name) for column in grid.columns],
        ["--:" if column.right else ":--" for column in grid.columns],
    ]
    for row, texts in zip(grid.rows, grid.texts()):
        lines.append(
            [
                f"**{markdown_safe(text)}**" if _datum(cell).best and text else markdown_safe(text)
                for cell, text in zip(row, texts)
            ]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# CSV


def _csv(grid: Grid) -> str:
    grid = _without_bars(grid)
    spread = [any(_datum(row[k]).spread is not None for row in grid.rows) for k in _range(grid)]
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
            datum = _datum(cell)
            values = (datum.value, datum.spread) if wide else (datum.value,)
            lines[-1] += [_csv_value(value, column) for value in values]
    return "\n".join(",".join(map(_quoted, line)) for line in lines)


def _quoted(text: str) -> str:
    # the csv module leaves a carriage return bare, at which readers end the line
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]', text) else text


def _csv_value(value: Value, column: Column) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return inert(value)
    return format(value, column.form.replace(",", ""))


# LaTeX

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # behind \\ it would begin an option
    "*": "{*}",
    **{c: rf"\{c}" for c in "&%$#_"},
    "±": r"\ensuremath{\pm}",
    "−": r"\ensuremath{-}",
    "×": r"\ensuremath{\times}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "→": r"\ensuremath{\to}",
    "κ": r"\ensuremath{\kappa}",
    "τ": r"\ensuremath{\tau}",
    "≈": r"\ensuremath{\approx}",
    "–": r"\textendash{}",
    "…": r"\ldots{}",
    "\u00a0": "~",
}


def latex_safe(text: str) -> str:
    """Text that LaTeX sets as it is, on one line."""
    safe = "".join(_LATEX.get(c, c) for c in _seen(text))
    return re.sub("-(?=-)", "-{}", safe)  # two of them would be a dash


def _latex(grid: Grid) -> str:
    grid = _without_bars(grid)
    kinds = "".join(
        r"p{0.35\linewidth}" if c.kind == "text" else "r" if c.right else "l" for c in grid.columns
    )
    lines = [r"\begin{table}", r"\centering"]
    if grid.title:
        lines.append(rf"\caption{{{latex_safe(grid.title)}}}")
    lines += [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [_latex_row(column.name for column in grid.columns), r"\midrule"]
    for row, texts in zip(grid.rows, grid.texts()):
        lines.append(_latex_row(texts, [_datum(cell).best for cell in row]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {latex_safe(note)}" for note in grid.notes]
    return "\n".join([*lines, r"\end{table}"])


def _latex_row(texts: Iterable[str], best: Iterable[bool] | None = None) -> str:
    cells = [latex_safe(text) for text in texts]
    if best is not None:
        cells = [rf"\textbf{{{c}}}" if bold and c else c for c, bold in zip(cells, best)]
    return " & ".join(cells) + r" \\"


# HTML

_CLASSES = {"number": "", "name": "words name", "word": "words", "text": "words wrap"}


def breakable(text: str) -> str:
    """Text as HTML in which long words may be broken behind ``_ / . : -``, where one would."""
    return "".join(
        "<wbr>".join(map(escape, re.split(r"(?<=[_/.:-])(?=[^_/.:-])", word)))
        if len(word) > LONG
        else escape(word)
        for word in re.split(r"(\s+)", text)
    )


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
        soft = bool(row) and _datum(row[0]).soft
        cells = (
            _html_cell(k, _datum(cell), text, grid.columns[k])
            for k, (cell, text) in enumerate(zip(row, texts))
        )
        lines.append(f"<tr{_class('oracle' * soft)}>{''.join(cells)}</tr>")
    lines += ["</tbody>", "</table>", "</div>"]
    lines += [f'<p class="soft">{escape(note)}</p>' for note in grid.notes]
    return "\n".join(lines)


def _html_cell(place: int, cell: Datum, text: str, column: Column) -> str:
    if column.kind == "bar":
        part = 100 * (_number(cell) or 0)
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


def _datum(cell: Value | Datum) -> Datum:
    return cell if isinstance(cell, Datum) else Datum(cell)


def _number(cell: Value | Datum) -> float | None:
    value = _datum(cell).value
    return value if isinstance(value, int | float) and not math.isnan(value) else None


def _text(cell: Value | Datum, column: Column) -> str:
    datum = _datum(cell)
    if column.kind == "bar":
        return ""
    if datum.text is not None:
        return datum.text
    shown = _written(datum.value, column)
    return shown if datum.spread is None else f"{shown} ± {_written(datum.spread, column)}"


def _written(value: Value, column: Column) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOTHING
    return value if isinstance(value, str) else format(value, column.form)


def _without_bars(grid: Grid) -> Grid:
    kept = [k for k, column in enumerate(grid.columns) if column.kind != "bar"]
    rows = [[row[k] for k in kept] for row in grid.rows]
    return replace(grid, columns=tuple(grid.columns[k] for k in kept), rows=rows)


def _range(grid: Grid) -> range:
    return range(len(grid.columns))


# documents


def _markdown_of(parts: Sequence[str | Grid], width: int) -> str:
    return "\n\n".join(
        _markdown_paragraph(part) if isinstance(part, str) else part.markdown() for part in parts
    )


def _csv_of(parts: Sequence[str | Grid], width: int) -> str:
    return next((part.csv() for part in parts if isinstance(part, Grid)), "")


def _latex_of(parts: Sequence[str | Grid], width: int) -> str:
    return "\n\n".join(latex_safe(p) if isinstance(p, str) else p.latex() for p in parts)


def _html_of(parts: Sequence[str | Grid], width: int) -> str:
    return "\n".join(f"<p>{escape(p)}</p>" if isinstance(p, str) else p.html() for p in parts)


FORMS: Mapping[str, Callable[[Sequence[str | Grid], int], str]] = {
    "text": _text_of,
    "markdown": _markdown_of,
    "csv": _csv_of,
    "latex": _latex_of,
    "html": _html_of,
}
