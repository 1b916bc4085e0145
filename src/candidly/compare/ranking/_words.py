"""Numbers of a ranking as its pages write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...show.grid import Datum, Grid
from ...show.pieces import Folded, Piece

if TYPE_CHECKING:
    from . import Ranking

LISTED = 10  # rows of a table that is not folded


def folded(summary: str, table: Grid) -> tuple[Piece, ...]:
    """The table; folded where it is long."""
    return (table,) if len(table.rows) <= LISTED else (Folded(summary, (table,)),)


def level(found: Ranking) -> str:
    return f"{100 * (1 - found.alpha):.3g} %"


def written(found: Ranking, value: float, sign: bool = False) -> str:
    """A score or a difference, in percent where scores lie between 0 and 1."""
    plus = "+" if sign else ""
    if found.between == (0.0, 1.0):
        return f"{100 * value:{plus}.2f}"
    return f"{value:{plus}.4g}"


def unit(found: Ranking) -> str:
    return " %" if found.between == (0.0, 1.0) else ""


def places(bounds: tuple[int, int]) -> str:
    first, last = bounds
    return str(first) if first == last else f"{first} to {last}"


def points(found: Ranking) -> str:
    return " points" if unit(found) else ""


def p_value(value: float) -> Datum:
    return Datum(value, text=f"{value:.3f}" if value >= 0.001 else "< 0.001")
