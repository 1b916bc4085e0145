"""A matrix of classes by classes as a table whose cells are coloured by their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from .escapes import breakable
from .pieces import Markup

DEEP = 0.55  # share of the colour from which on numbers are white


def heat_table(
    caption: str,
    names: Sequence[str],
    shares: np.ndarray,
    number: Callable[[int, int], str],
    unknown: str = "",
    diagonal: bool = False,
) -> Markup:
    """The table, in a box that scrolls.

    Args:
        caption: above it, which says what rows and columns are.
        names: the names of the q classes.
        shares: float (q, q) in [0, 1], how deep the colour of each cell is; a row of NaN is not
            known.
        number: (row, column) -> what stands in the cell; '' for none.
        unknown: what stands in a row of NaN, over its whole width.
        diagonal: whether it is coloured like the rest.
    """
    short = " short" if max(map(len, names)) <= 2 else ""
    heads = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in names)
    lines = [
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">',
        f'<table class="heat{short}">',
        f"<caption>{escape(caption)}</caption>",
        f"<thead><tr><th></th>{heads}</tr></thead>\n<tbody>",
    ]
    for row, name in enumerate(names):
        if np.isnan(shares[row]).all():
            cells = f'<td class="self" colspan="{len(names)}">{escape(unknown)}</td>'
        else:
            cells = "".join(
                _cell(number(row, column), float(share), row == column and not diagonal)
                for column, share in enumerate(shares[row])
            )
        lines.append(f'<tr><th scope="row">{breakable(name)}</th>{cells}</tr>')
    return Markup("\n".join([*lines, "</tbody>", "</table>", "</div>"]))


def _cell(number: str, share: float, same: bool) -> str:
    if same:
        return f'<td class="self">{number or "·"}</td>'
    if not number:
        return "<td></td>"
    deep = ' class="deep"' if share > DEEP else ""
    shade = 0.15 + 0.85 * share
    return f'<td{deep} style="background: rgba(var(--hot), {shade:.2f})">{number}</td>'
