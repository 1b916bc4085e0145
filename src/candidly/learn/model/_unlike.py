"""What a table's columns held in training, and in which of them new rows are unlike it.

Were new rows drawn as the training rows were, then any of both might be the new ones. So it is
known how often so many numbers lie beyond all of training, how often a category is among the new
rows alone, how often so many gaps are, and more than chance brings about is said.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...data.inputs import Table
from ...data.inputs.encoding import LEAST_ROWS

MOST_COLUMNS, MOST_LEVELS = 1_000, 1_000  # of wider tables and longer lists nothing is kept
RARE = 1e-3  # of a false alarm, over all columns
NAMED = 5  # columns that a warning names
BLOCK = 4_096  # rows


@dataclass(frozen=True)
class TrainedColumn:
    """What one column held in training.

    Attributes:
        rows: with a value. gaps: without one.
        ends: the least and the largest number; None of categories.
        levels: the categories, each of fewer than five rows as a hash, so that a model that is
            handed on names nobody; None of numbers. times: how many rows had each.
    """

    name: str
    rows: int
    gaps: int
    ends: tuple[float, float] | None = None
    levels: tuple[str, ...] | None = None
    times: tuple[int, ...] = ()


def held_in(inputs: Any, names: Sequence[str] | None) -> tuple[TrainedColumn, ...]:
    """Of columns of numbers and of categories, not of dates and texts.

    Args:
        inputs: a ``Table``, or an array (n, d); of anything else nothing is known.
        names: of the columns of an array; by default their numbers.
    """
    return tuple(one for name, column in _columns(inputs, names) if (one := _held(name, column)))


def warn_of_unlike(held: Sequence[TrainedColumn], inputs: Any, names: Sequence[str] | None) -> None:
    """Warns where new rows are unlike those of training; the arguments are as of ``held_in``."""
    found, known = [], {one.name: one for one in held}
    for name, column in _columns(inputs, names, held):
        if name in known:
            found += _unlike(known[name], column, RARE / (2 * len(known)))
    if found:
        more = f" And {len(found) - NAMED:,} columns more." if len(found) > NAMED else ""
        warnings.warn(
            "New rows are unlike those of training, and what is predicted for them may mean"
            f" little: {'; '.join(found[:NAMED])}.{more}",
            stacklevel=5,
        )


def from_json(told: Any) -> tuple[TrainedColumn, ...]:
    """What ``to_json`` said."""
    return tuple(
        TrainedColumn(
            str(one["name"]),
            int(one["rows"]),
            int(one["gaps"]),
            None if one["ends"] is None else (float(one["ends"][0]), float(one["ends"][1])),
            None if one["levels"] is None else tuple(map(str, one["levels"])),
            tuple(map(int, one["times"])),
        )
        for one in told or ()
    )


def to_json(held: Sequence[TrainedColumn]) -> list[Mapping[str, Any]]:
    """As JSON values."""
    return [
        asdict(one)
        | {
            "ends": one.ends and list(one.ends),
            "levels": None if one.levels is None else list(one.levels),
            "times": list(one.times),
        }
        for one in held
    ]


def _columns(
    inputs: Any, names: Sequence[str] | None, held: Sequence[TrainedColumn] = ()
) -> Iterator[tuple[str, np.ndarray]]:
    """Numbers as float64 with NaN for gaps, categories as objects with None.

    Args:
        held: of an array, columns with no more beyond these than chance has are left out.
    """
    if isinstance(inputs, Table):
        for name, kind in list(inputs.kinds.items())[:MOST_COLUMNS]:
            column = inputs.frame[name]
            if kind == "number":
                yield name, column.cast(float).fill_null(np.nan).to_numpy()
            elif kind == "category":
                yield name, np.array(column.to_list(), object)
    elif _is_table(inputs, names):
        of_all = len(held) == inputs.shape[1]
        looked_at = _often_beyond(held, inputs) if of_all else range(inputs.shape[1])
        for k in looked_at:
            yield str(k) if names is None else names[k], np.asarray(inputs[:, k], float)


def _is_table(inputs: Any, names: Sequence[str] | None) -> bool:
    """Whether it is an array (n, d) of so many columns; another is refused elsewhere."""
    if not isinstance(inputs, np.ndarray) or inputs.ndim != 2 or inputs.shape[1] > MOST_COLUMNS:
        return False
    return names is None or len(names) == inputs.shape[1]


def _often_beyond(held: Sequence[TrainedColumn], inputs: np.ndarray) -> list[int]:
    """Columns of an array that may be unlike: counted block by block, as columns lie apart."""
    low, high = np.array([one.ends or (np.nan, np.nan) for one in held]).T
    beyond = np.zeros(len(held), np.int64)
    for start in range(0, len(inputs), BLOCK):
        block = inputs[start : start + BLOCK]
        beyond += (~((block >= low) & (block <= high))).sum(0)
    n = len(inputs)
    chances = [_so_many_beyond(k, n, one.rows) for k, one in zip(beyond.tolist(), held)]
    return np.flatnonzero(np.array(chances) < RARE).tolist()


def _there(column: np.ndarray) -> np.ndarray:
    if column.dtype == object:
        return np.array([cell is not None for cell in column], bool)
    return ~np.isnan(column)


def _held(name: str, column: np.ndarray) -> TrainedColumn | None:
    there = _there(column)
    rows, gaps = int(there.sum()), int((~there).sum())
    if not rows:
        return None
    if column.dtype != object:
        return TrainedColumn(
            name, rows, gaps, (float(column[there].min()), float(column[there].max()))
        )
    levels, times = np.unique(column[there].astype(str), return_counts=True)
    if len(levels) > MOST_LEVELS:
        return None
    kept = [
        level if many >= LEAST_ROWS else _hidden(level)
        for level, many in zip(levels.tolist(), times.tolist())
    ]
    return TrainedColumn(name, rows, gaps, None, tuple(kept), tuple(times.tolist()))


def _unlike(held: TrainedColumn, column: np.ndarray, rare: float) -> list[str]:
    """How a column differs from training beyond chance, in words."""
    there, found = _there(column), []
    empty, before = int((~there).sum()), held.rows + held.gaps
    if _as_many_new(empty, held.gaps, len(column), before) < rare:
        had = f"{held.gaps:,} of {before:,}" if held.gaps else "none"
        found.append(
            f"column {held.name!r} is empty in {empty:,} of {len(column):,} rows (in training, in"
            f" {had})"
        )
    odd, chance = odd_numbers(held, column) if held.levels is None else odd_levels(held, column)
    if chance < rare:
        row = int(odd.argmax())
        value = repr(str(column[row])) if held.ends is None else f"{column[row]:g}"
        had = _few(held.levels or ()) if held.ends is None else "{:g} to {:g}".format(*held.ends)
        found.append(
            f"column {held.name!r} has values that training did not have, in {odd.sum():,} of"
            f" {there.sum():,} rows, such as {value} at row {row} (training had {had})"
        )
    return found


def odd_numbers(held: TrainedColumn, column: np.ndarray) -> tuple[np.ndarray, float]:
    """Which numbers lie beyond those of training, and the probability of so many or more."""
    low, high = held.ends or (np.nan, np.nan)
    there = _there(column)
    odd = there & ~((column >= low) & (column <= high))
    return odd, _so_many_beyond(int(odd.sum()), int(there.sum()), held.rows)


def _so_many_beyond(k: int, new: int, old: int) -> float:
    """The probability that so many or more of the new numbers lie beyond all old ones.

    That the a largest and the b least of all N + n are new has probability f(a + b), with
    f(j) = n (n - 1) ... / (N + n) (N + n - 1) ..., j factors each. Of k beyond there are k + 1 ways
    to have a + b = k, and of two ways next to each other both are f(k + 1).
    """
    return (k + 1) * _all_new(k, new, old) - k * _all_new(k + 1, new, old) if k else 1.0


def odd_levels(held: TrainedColumn, column: np.ndarray) -> tuple[np.ndarray, float]:
    """Which categories training lacks, and how probable they are.

    The less probable of two, doubled: that one of all categories, of as many rows as it has, is
    among new rows alone; and that so many of those that one row has are.
    """
    known = dict(zip(held.levels or (), held.times))
    cells = [None if cell is None else str(cell) for cell in column]
    cells = [one if one is None or one in known else _hidden(one) for one in cells]
    odd = np.array([cell is not None and cell not in known for cell in cells], bool)
    if not odd.any():
        return odd, 1.0
    there = [cell for cell in cells if cell is not None]
    levels, times = np.unique(there, return_counts=True)
    new = dict(zip(levels.tolist(), times.tolist()))
    n, every = len(there), len({*known, *new})
    lone = [_all_new(many, n, held.rows) for level, many in new.items() if level not in known]
    once = sum(many == 1 and level not in known for level, many in new.items())
    before = sum(many == 1 and level not in new for level, many in known.items())
    return odd, 2 * min(every * min(lone), _as_many_new(once, before, n, held.rows))


def _all_new(number: int, new: int, old: int) -> float:
    """The probability that ``number`` rows of old and new ones are all among the new."""
    from scipy.special import gammaln

    if number > new:
        return 0.0
    ends = gammaln([new + 1, new + old - number + 1, new - number + 1, new + old + 1])
    return float(np.exp(ends[0] + ends[1] - ends[2] - ends[3]))


def _as_many_new(number: int, before: int, new: int, old: int) -> float:
    """The probability that of ``number + before`` rows so many or more are new (hypergeometric)."""
    if not number or number * old <= before * new:
        return 1.0
    from scipy.stats import hypergeom

    return float(hypergeom.sf(number - 1, new + old, number + before, new))


def _hidden(level: str) -> str:
    """A category's hash, as it stands among others."""
    return f"#{hashlib.sha256(level.encode()).hexdigest()[:16]}"


def _few(levels: Sequence[str]) -> str:
    named = [level for level in levels if not level.startswith("#")]
    return ", ".join(named[:NAMED]) + (", ..." if len(levels) > min(NAMED, len(named)) else "")
