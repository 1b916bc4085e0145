"""One random order of checks for all neighbours, and how sure each place is by now."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from ...ground.arrays import door
from ...stats import holm
from ._budget import certificate
from ._sequential import evidence, planning_number

Model = TypeVar("Model", int, str)


@dataclass(frozen=True)
class AdjacentModels(Generic[Model]):
    """Two neighbours in a ranking, and what checked items say of them.

    Attributes:
        first, second: numbers of the models or their names, the better one first.
        differing: items on which they differ, or could.
        unchecked: of these, without those that were verified before or since.
        lead: by how much the first is ahead: the sum of the items' values.
        worst: the same if every unchecked item speaks for the second.
        p_secure, p_reversed: that the first is not ahead, that it is not behind: valid at any
            time, Holm-adjusted over all neighbours.
        status: "secure", "reversed" or "open", at the level asked for.
        to_check: about how many items of the plan are still to check; None if nobody can say.
    """

    first: Model
    second: Model
    differing: int
    unchecked: int
    lead: float
    worst: float
    p_secure: float
    p_reversed: float
    status: str
    to_check: int | None


@dataclass(frozen=True)
class CheckingPlan:
    """Items to check, in a random order that serves every pair of neighbours.

    Attributes:
        items: int64 (k,), unchecked items on which any neighbours differ, or could.
        done: how many of them were found already.
        neighbours: in order of rank, R - 1 of them.
        to_check: about how many more items make every pair secure; None if some pair is tied.
    """

    items: np.ndarray
    done: int
    neighbours: tuple[AdjacentModels[int], ...]
    to_check: int | None


class NeighbourValues(NamedTuple):
    """Two neighbours' items.

    Attributes:
        first, second: numbers of the models.
        values: (n,), in [-1, 1]: by how much the first is ahead on each item, as far as is known.
        apart: bool (n,), items on which they differ, or could once they are checked.
    """

    first: int
    second: int
    values: np.ndarray
    apart: np.ndarray


@door(apart=["items"])
def order_of_checks(
    pairs: Iterable[NeighbourValues],
    checked: np.ndarray,
    items: np.ndarray,
    done: int,
    alpha: float,
) -> CheckingPlan:
    """How sure every pair is after the first ``done`` items of a random order.

    Args:
        pairs: in order of rank; ``values`` are by what was found of ``checked`` and done items.
        checked: bool (n,), items that were verified before, however they were chosen.
        items: int64 (k,), the others on which any pair could differ, in an order that was drawn at
            random before any of them was checked.
        alpha: the chance that any pair is called wrongly, however often one looks.
    """
    known = checked.copy()
    known[items[:done]] = True
    judged = list(pairs)
    budget = alpha / max(len(judged), 1)
    rows = [_judge(pair, checked, known, items, done, budget) for pair in judged]
    secure = holm(np.array([row.p_secure for row in rows])).tolist()
    reversed_ = holm(np.array([row.p_reversed for row in rows])).tolist()
    neighbours = tuple(_decided(*row, alpha) for row in zip(rows, secure, reversed_))
    return CheckingPlan(items, done, neighbours, _most([n.to_check for n in neighbours]))


def _most(numbers: Sequence[int | None]) -> int | None:
    """What the hungriest pair needs; None if nobody can say of some pair."""
    told = [number for number in numbers if number is not None]
    return max(told, default=0) if len(told) == len(numbers) else None


def _decided(
    row: AdjacentModels[int], secure: float, reversed_: float, alpha: float
) -> AdjacentModels[int]:
    status = "secure" if secure <= alpha else "reversed" if reversed_ <= alpha else "open"
    left = row.to_check if status == "open" else 0
    return replace(row, p_secure=secure, p_reversed=reversed_, status=status, to_check=left)


def _judge(
    pair: NeighbourValues,
    checked: np.ndarray,
    known: np.ndarray,
    items: np.ndarray,
    done: int,
    alpha: float,
) -> AdjacentModels[int]:
    """A pair, with p that are not adjusted yet."""
    values, apart = pair.values, pair.apart
    sure = certificate(values[apart], known[apart])
    pool = apart & ~checked  # what the order of checks runs through
    before = values[apart & checked].sum().item()
    size = int(pool.sum())
    drawn = items[:done]
    seen = values[drawn[apart[drawn]]]
    above, below = 1.0, 1.0
    if size and len(seen):
        found = evidence(seen, size, min(max(-before, -size), size))
        above, below = float(found.not_above[-1]), float(found.not_below[-1])
    if sure.worst > 0:
        above = 0.0
    if sure.best < 0:
        below = 0.0
    lead = values.sum().item()
    number = planning_number(lead / size, size, alpha) if size else None
    share = size / max(len(items), 1)
    left = len(items) - done
    # an open pair needs one more, however few were planned
    to_check = None if number is None else min(math.ceil(max(number - len(seen), 1) / share), left)
    return AdjacentModels(
        first=pair.first,
        second=pair.second,
        differing=int(apart.sum()),
        unchecked=int((apart & ~known).sum()),
        lead=lead,
        worst=sure.worst,
        p_secure=above,
        p_reversed=below,
        status="open",
        to_check=to_check,
    )
