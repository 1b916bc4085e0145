"""Which items to check so that the whole ranking is safe, and how sure each place is by now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ...stats import holm
from ._budget import certificate
from ._case import Case
from ._sequential import evidence, planning_number


@dataclass(frozen=True)
class AdjacentModels:
    """Two neighbours in the corrected ranking, and what checked labels say of them.

    Attributes:
        first, second: numbers of the models, the better one first.
        differing: items on which their predictions differ, |S|.
        unchecked: of these, without those whose label was verified before or since.
        lead: right answers that the first is ahead by.
        worst: the same if every unchecked item speaks for the second.
        p_secure, p_reversed: that the first is not ahead, that it is not behind: valid at any
            time, Holm-adjusted over all neighbours.
        status: "secure", "reversed" or "open", at the level asked for.
        to_check: about how many items of the plan are still to check; None if nobody can say.
    """

    first: int
    second: int
    differing: int
    unchecked: int
    lead: int
    worst: int
    p_secure: float
    p_reversed: float
    status: str
    to_check: int | None


@dataclass(frozen=True)
class CheckingPlan:
    """Items to check, in a random order that serves every pair of neighbours.

    Attributes:
        items: int64 (k,), unchecked items on which any neighbours differ.
        done: how many of them were found already.
        neighbours: in order of rank, R - 1 of them.
        to_check: about how many more items make every pair secure; None if some pair is tied.
    """

    items: np.ndarray
    done: int
    neighbours: tuple[AdjacentModels, ...]
    to_check: int | None


def order_by_rank(case: Case) -> np.ndarray:
    """Numbers of the models, the best by corrected labels first; ties in the order given."""
    return np.argsort(-case.right_corrected.sum(1), kind="stable")


@door
def checking_plan(
    case: Case, found: Sequence[int] | np.ndarray = (), alpha: float = 0.05, seed: int = 0
) -> CheckingPlan:
    """Which items to check next, and how sure each pair of neighbours is after ``found``.

    The order is drawn once, from ``seed`` and the case; hand in the labels found, in that order,
    as often as you like.

    Args:
        case: with ``checked`` for what was verified before, in any way.
        found: true labels of the first items of the plan, -1 where no single label is right.
        alpha: the chance that any pair is called wrongly, however often one looks.

    Raises:
        ValueError: more labels than items, or a label that is no class.
    """
    best = order_by_rank(case)
    pairs = list(zip(best[:-1].tolist(), best[1:].tolist()))
    differ = [case.predictions[a] != case.predictions[b] for a, b in pairs]
    union = np.logical_or.reduce(differ) & ~case.checked
    items = draw(seed, "stability: order of checks").permutation(np.flatnonzero(union))
    labels = _with_found(case, items, found)
    rights = case.predictions == labels
    done = items[: len(found)]
    budget = alpha / max(len(pairs), 1)
    rows = [
        _judge(case, rights, pair, apart, items, done, budget) for pair, apart in zip(pairs, differ)
    ]
    secure = holm(np.array([row.p_secure for row in rows])).tolist()
    reversed_ = holm(np.array([row.p_reversed for row in rows])).tolist()
    neighbours = tuple(_decided(*row, alpha) for row in zip(rows, secure, reversed_))
    numbers = [n.to_check for n in neighbours]
    whole = None if None in numbers else max(numbers, default=0)  # type: ignore[type-var]
    return CheckingPlan(items, len(found), neighbours, whole)


def _decided(row: AdjacentModels, secure: float, reversed_: float, alpha: float) -> AdjacentModels:
    status = "secure" if secure <= alpha else "reversed" if reversed_ <= alpha else "open"
    left = row.to_check if status == "open" else 0
    return replace(row, p_secure=secure, p_reversed=reversed_, status=status, to_check=left)


def _with_found(case: Case, items: np.ndarray, found: Sequence[int] | np.ndarray) -> np.ndarray:
    if len(found) > len(items):
        raise ValueError(f"{len(found)} labels were found; the plan has {len(items)} items.")
    labels = case.corrected.copy()
    if len(found):
        new = np.asarray(found)
        if new.dtype.kind not in "iu" or new.min() < -1 or new.max() >= case.classes:
            raise ValueError(
                f"`found` spans {new.min()}..{new.max()}; labels are 0..{case.classes - 1}, or -1."
            )
        labels[items[: len(new)]] = new
    return labels


def _judge(
    case: Case,
    rights: np.ndarray,
    pair: tuple[int, int],
    apart: np.ndarray,
    items: np.ndarray,
    done: np.ndarray,
    alpha: float,
) -> AdjacentModels:
    """A pair, with p that are not adjusted yet."""
    a, b = pair
    values = rights[a].astype(np.int64) - rights[b]
    known = case.checked.copy()
    known[done] = True
    sure = certificate(values[apart], known[apart])
    pool = apart & ~case.checked  # what the order of checks runs through
    before = int(values[apart & case.checked].sum())
    size = int(pool.sum())
    seen = values[done[apart[done]]]
    above, below = 1.0, 1.0
    if size and len(seen):
        found = evidence(seen, size, min(max(-before, -size), size))
        above, below = float(found.not_above[-1]), float(found.not_below[-1])
    if sure.worst > 0:
        above = 0.0
    if sure.best < 0:
        below = 0.0
    lead = int(values.sum())
    number = planning_number(lead / size, size, alpha) if size else None
    share = size / max(len(items), 1)
    left = len(items) - len(done)
    # an open pair needs one more, however few were planned
    to_check = None if number is None else min(math.ceil(max(number - len(seen), 1) / share), left)
    return AdjacentModels(
        first=a,
        second=b,
        differing=int(apart.sum()),
        unchecked=int((apart & ~known).sum()),
        lead=lead,
        worst=sure.worst,
        p_secure=above,
        p_reversed=below,
        status="open",
        to_check=to_check,
    )
