"""Whether the first line of a table names its columns: one rule, for every reader.

What is said counts (``header`` of ``Roles``). Else, in this order: a usual name, or a text above
numbers, is a name; a line whose cells stand again below, or that holds decimals, is none; then
as many lines as there should be rows, or one more, decide; whole numbers in order from 0 or 1, as
pandas writes them, are names above others; a line of different texts is names.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...ground.problem import Refusal, passed
from ..inputs import MISSING
from .table_checks import is_number, listed

HEADERS = ("auto", "yes", "no")
LOOKED_AT = 200  # that are looked at

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class FirstLine:
    """What is known of a first line before it is read.

    Attributes:
        said: ``yes`` and ``no`` decide; ``auto`` leaves it to the rule.
        needed: whether columns go by their names, so that a line that looks like data is refused.
        n: how many rows there should be, where that is known.
        usual: names that columns have.
        cells: what stands in cells, and names no column, such as classes.
        otherwise: what a line of different texts is; None: that cannot be told, and is refused.
    """

    said: str = "auto"
    needed: bool = False
    n: int | None = None
    usual: Collection[str] = ()
    cells: Collection[str] = ()
    otherwise: bool | None = True


@dataclass(frozen=True)
class Decision:
    """Whether the first line names the columns, and what says so in a few words.

    ``sure`` is False where the line may as well be the other.
    """

    names: bool
    why: str
    sure: bool = True


TABLE = FirstLine(needed=True)
YES, NO = passed("header", "yes"), passed("header", "no")


def decided(rows: Rows, header: FirstLine, lines: Callable[[], int]) -> Decision:
    """Whether the first of some rows of cells names the columns.

    Args:
        rows: the first ones of the file, the first line among them; at least one.
        lines: how many rows the file has with it.

    Raises:
        ValueError: a line that has to be names and is none; one that may be either where nothing
            says which.

    Warns:
        UserWarning: what was assumed, where the line may be either.
    """
    found = _decided(rows, header, lines)
    first = listed(rows[0])
    if header.needed and not found.names and header.said == "auto":
        numbers = all(is_number(cell) for cell in rows[0])
        what = f"holds numbers ({listed(rows[0][:3])})" if numbers else f"looks like data: {first}"
        raise Refusal(
            f"its first line {what} in place of the columns' names ({found.why}).",
            "put a line of names before it",
            f"call them column_1 and so on with {NO}",
            f"take the line as names with {YES}",
        )
    if not found.sure:
        if header.otherwise is None:
            raise Refusal(
                f"whether the first line ({first}) names the columns cannot be told.",
                f"say that it does with {YES}",
                f"say that it does not with {NO}",
            )
        role, other = ("names the columns", NO) if found.names else ("is data", YES)
        warnings.warn(
            f"the first line ({first}) {role}: {found.why}. {other} says otherwise.",
            stacklevel=2,
        )
    return found


def _decided(rows: Rows, header: FirstLine, lines: Callable[[], int]) -> Decision:
    if header.said != "auto":
        return Decision(header.said == "yes", passed("header", header.said))
    first = [cell.strip() for cell in rows[0]]
    below = [[cell.strip() for cell in column] for column in zip(*rows[1:])] or [[] for _ in first]
    usual = {name.lower() for name in header.usual} - {name.lower() for name in header.cells}
    if named := [cell for cell in first if cell.lower() in usual]:
        return Decision(True, f"{named[0]!r} names a column")
    numbers = [is_number(cell) for cell in first]
    words = [not number and cell.lower() not in MISSING for cell, number in zip(first, numbers)]
    words = [word and cell not in header.cells for word, cell in zip(words, first)]
    if len(first) > 1 and not first[0] and all(first[1:]) and _differ(below[0]):
        return Decision(True, "it has no name for the names of rows, as pandas writes it")
    over = [word and bool(cells) and is_number(cells[0]) for word, cells in zip(words, below)]
    if any(over):
        return Decision(True, f"{first[over.index(True)]!r} stands above a number")
    if parts := [cell for cell, number in zip(first, numbers) if number and not _whole(cell)]:
        return Decision(False, f"{parts[0]!r} is no name")
    again = [word and cell in cells for cell, word, cells in zip(first, words, below)]
    most = sum(words) / 2 if header.needed and not any(numbers) else 0
    if sum(again) > most:
        return Decision(False, f"{first[again.index(True)]!r} stands in other rows, too")
    if header.n is not None and (more := lines() - header.n) in (0, 1):
        return Decision(bool(more), f"there are {header.n:,} rows and {lines():,} lines")
    return _of_weak_signs(first, below, numbers, header)


def _of_weak_signs(
    first: list[str], below: list[list[str]], numbers: list[bool], header: FirstLine
) -> Decision:
    """Where neither a usual name nor a number of rows decides."""
    some = any(below)
    if all(numbers):
        counted = first in (_counted(first, 0), _counted(first, 1))
        plain = all(_whole(cell) for cells in below for cell in cells if cell)
        if some and not any(is_number(cell) for cells in below for cell in cells):
            return Decision(True, "it is a number, and none stands below")
        if counted and some and not plain and len(first) > 1:  # 0,1 may be probabilities, too
            return Decision(
                True, "whole numbers in order, above others", header.needed or len(first) != 2
            )
        if counted and (header.needed or (some and len(first) > 2)):
            return Decision(True, "whole numbers in order, as pandas calls columns", header.needed)
        if some and len(first) > 1 and _rising(first) and _decimals(below):
            return Decision(True, "whole numbers stand above decimals", False)
        alone = (
            first == ["0"] and some and plain and header.n is None
        )  # what pandas calls a Series, too
        return Decision(False, "numbers stand above numbers", not alone)
    if any(numbers):
        whole = [cell for cell, number in zip(first, numbers) if number]
        if header.needed and _rising(whole):
            return Decision(True, "it holds different texts and rising numbers")
        return Decision(False, "numbers stand above numbers")
    if any(cell in header.cells for cell in first):
        return Decision(False, "it holds a class")
    if header.needed:
        return Decision(True, "it holds different texts")
    if not all(first):
        return Decision(False, "it has an empty cell")
    return Decision(
        header.otherwise is True, "it holds different texts", header.otherwise is not None
    )


def _whole(cell: str) -> bool:
    return cell.removeprefix("-").isdecimal()


def _counted(cells: Sequence[str], start: int) -> list[str]:
    return [str(start + k) for k in range(len(cells))]


def _differ(cells: Sequence[str]) -> bool:
    return bool(cells) and all(cells) and len(set(cells)) == len(cells)


def _rising(cells: Sequence[str]) -> bool:
    numbers = [int(cell) for cell in cells]
    return all(low < high for low, high in pairwise(numbers))


def _decimals(below: Sequence[Sequence[str]]) -> bool:
    """Whether most cells of each column are no whole numbers."""
    return all(2 * sum(not _whole(cell) for cell in cells) > len(cells) for cells in below)
