"""Tables for a terminal: columns as wide as there is room, or several tables below one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .escapes import one_line
from .grid_cells import Column, Datum, Value, number_of

WIDTH = 80  # of text, where nothing says otherwise
BAR = 30  # characters of the longest bar, where there is room
SHORT_BAR = 8
NARROW = 20  # characters of names and sentences that may be broken where there is no room


def blocks(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Value | Datum]],
    texts: Sequence[Sequence[str]],
    width: int,
    keys: int,
) -> Iterator[Any]:
    """The table as rich draws it, or several, so that no number is broken.

    Args:
        columns, rows: of the table; only bars are read from the rows.
        texts: the cells as people read them.
        width: columns of the terminal.
        keys: so many columns on the left stand in every one of several.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table

    cells = [[one_line(text) for text in row] for row in texts]
    heads = [one_line(column.name) for column in columns]
    wanted, least = [], []
    for k, column in enumerate(columns):
        whole = max([cell_len(row[k]) for row in cells], default=0)
        whole = BAR if column.kind == "bar" else whole
        broken = {"name": NARROW, "text": NARROW, "bar": SHORT_BAR}.get(column.kind, whole)
        narrow = whole if broken == whole else min(whole, width // 3, broken)
        head = max(map(cell_len, heads[k].split()), default=0)
        wanted.append(max(whole, cell_len(heads[k])))
        least.append(max(narrow, min(head, NARROW)))
    for block in _fitting(least, width, keys):
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
        for line, row in zip(cells, rows):
            shown = [
                "█" * round(room * (number_of(row[k]) or 0))
                if columns[k].kind == "bar"
                else ("" if columns[k].sparse and line[k] == above[k] else line[k])
                for k, room in zip(block, widths)
            ]
            drawn.add_row(*shown)
            above = line
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
