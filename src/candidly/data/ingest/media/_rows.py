"""Which example a file belongs to: by its name, never by chance.

One rule for everything that shows examples:

1. Where examples have ids and a file is named after one, every file is the example whose id is its
   name, with or without ending and folders.
2. Otherwise, where names are whole numbers, a file is the row of that number, counted from 0.
3. Otherwise files are the rows in order of their names. There must be as many as examples, and the
   order must be the same whether digits are read as characters or as numbers.

What fits none of these is refused by name. Nothing moves another file to another row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

Names = Sequence[tuple[str, ...]]  # what each file or line may be called; the first is said


def rows_of_files(
    path: Path, files: Sequence[Path], n: int | None, ids: Sequence[Any] | None
) -> dict[int, Path]:
    """Files by row of the examples.

    Args:
        path: the folder they are in, at any depth. files: in order of their paths.
        n: examples; None where not known. ids: of the examples, in order.

    Raises:
        ValueError: a file that belongs to no example, two that belong to one, or an order that
            cannot be told. The message names the file.
    """
    names = [_names(file.relative_to(path).as_posix()) for file in files]
    rows = _by_id(path, names, ids)
    if rows is None:
        rows = _numbered(path, names, n)
    if rows is None:
        rows = _in_order(path, names, n)
    return _each_once(path, names, rows, files)


def rows_of_names(
    path: Path, names: Sequence[str], n: int | None, ids: Sequence[Any] | None
) -> dict[int, int]:
    """Lines of a table by row of the examples, from what the lines say they are about.

    Raises:
        ValueError: a line that is about no example, or two about one.
    """
    listed = [(name,) for name in names]
    rows = _by_id(path, listed, ids)
    if rows is None:
        rows = _numbered(path, listed, n)
    if rows is None:
        raise ValueError(f"{path} has the id {names[0]!r}, which is no example's.")
    return _each_once(path, listed, rows, range(len(names)))


def _by_id(path: Path, names: Names, ids: Sequence[Any] | None) -> list[int] | None:
    """The row of each by id; None where no name is an id."""
    if ids is None:
        return None
    exact = {str(name): row for row, name in enumerate(ids)}
    plain = {_plain(name): row for name, row in exact.items()}
    if len(plain) < len(exact):  # 7 and 007 are two
        plain = {}
    found: list[int | None] = []
    for name in names:
        may_be = (exact.get(one, plain.get(_plain(one))) for one in name)
        found.append(next((row for row in may_be if row is not None), None))
    if all(row is None for row in found):
        return None
    for name, row in zip(names, found):
        if row is None:
            some = ", ".join(repr(str(one)) for one in list(ids)[:3])
            raise ValueError(
                f"{path} holds {name[0]}, which is the id of no example, while others are; ids are"
                f" such as {some}. Rename it, or take it away."
            )
    return [row for row in found if row is not None]


def _numbered(path: Path, names: Names, n: int | None) -> list[int] | None:
    """The row of each by number; None where no name is one."""
    numbers = [_number(name[-1]) for name in names]
    if all(number is None for number in numbers):
        return None
    for name, number in zip(names, numbers):
        if number is None:
            raise ValueError(
                f"{path} holds {name[0]}, which is no row number, while others are. Take it away,"
                " or name it after its row."
            )
    rows = [number for number in numbers if number is not None]
    last = max(rows)
    if n is not None and last >= n:
        beyond = names[rows.index(last)][0]
        raise ValueError(
            f"{path} holds {beyond}, but there is no row {last}: {n} examples are rows 0 to"
            f" {n - 1}.{_from_one(rows)}"
        )
    if n is None and (hint := _from_one(rows)):
        raise ValueError(f"{path} holds rows 1 to {last} and no row 0.{hint}")
    return rows


def _from_one(rows: Sequence[int]) -> str:
    """What to say where somebody seems to have counted from 1."""
    if len(rows) < 2 or sorted(rows) != list(range(1, len(rows) + 1)):
        return ""
    return " Rows are counted from 0; if these are counted from 1, take 1 from each name."


def _in_order(path: Path, names: Names, n: int | None) -> list[int]:
    if n is None:
        raise ValueError(
            f"{path} holds {names[0][0]}, which is no row number. How many examples there are is"
            " not known here, so files cannot go by order; name each after its row, from 0."
        )
    if len(names) != n:
        raise ValueError(
            f"{path} holds {len(names)} images; there are {n} examples. Name them by row, from 0"
            f" to {n - 1}, or give one for each, in order of name."
        )
    said = [name[0] for name in names]
    first = sorted(said, key=_by_character)
    for one, other in zip(first, sorted(first, key=_by_number)):
        if one != other:
            raise ValueError(
                f"{path} holds {one} and {other}, which swap places when digits are read as"
                f" numbers, so their rows cannot be told. Name files by row, from 0 to {n - 1}, or"
                " write all numbers with as many digits (img02, img10)."
            )
    place = {name: row for row, name in enumerate(first)}
    return [place[name] for name in said]


def _each_once(
    path: Path, names: Names, rows: Sequence[int], things: Iterable[Any]
) -> dict[int, Any]:
    found: dict[int, Any] = {}
    said: dict[int, str] = {}
    for name, row, thing in zip(names, rows, things):
        if row in found:
            raise ValueError(
                f"{path} holds {said[row]} and {name[0]}, which are both of row {row}. Take one"
                " away."
            )
        found[row], said[row] = thing, name[0]
    return found


def _names(relative: str) -> tuple[str, ...]:
    """What a file may be called, from the whole path down to its bare name."""
    whole = PurePosixPath(relative)
    return relative, whole.with_suffix("").as_posix(), whole.name, whole.stem


def _plain(name: str) -> str:
    """Whole numbers without leading noughts; other names as they are."""
    number = _number(name)
    return name if number is None else str(number)


def _number(name: str) -> int | None:
    return int(name) if len(name) < 19 and re.fullmatch(r"[0-9]+", name) else None


def _by_character(name: str) -> list[str]:
    return name.split("/")


def _by_number(name: str) -> list[list[tuple[int, int | str]]]:
    """Parts of a path, runs of digits in them as numbers."""
    parts = [re.findall(r"[0-9]+|[^0-9]+", part) for part in name.split("/")]
    return [
        [(0, int(run)) if run[0] in "0123456789" else (1, run) for run in part] for part in parts
    ]
