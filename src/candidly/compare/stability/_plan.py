"""Which labels to check so that the whole ranking is safe, and how sure each place is by now."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ground.arrays import door
from ...ground.seeds import draw
from ..checks import CheckingPlan, NeighbourValues, order_of_checks
from ._case import Case


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
    pairs, differ = _neighbours(case)
    items = items_to_check(case, seed)
    rights = (case.predictions == _with_found(case, items, found)).astype(np.int64)
    compared = (
        NeighbourValues(a, b, rights[a] - rights[b], apart) for (a, b), apart in zip(pairs, differ)
    )
    return order_of_checks(compared, case.checked, items, len(found), alpha)


def items_to_check(case: Case, seed: int = 0) -> np.ndarray:
    """The order of the plan: items that would tell neighbours apart, nobody having checked them."""
    union = np.logical_or.reduce(_neighbours(case)[1]) & ~case.checked
    return draw(seed, "stability: order of checks").permutation(np.flatnonzero(union))


def _neighbours(case: Case) -> tuple[list[tuple[int, int]], list[np.ndarray]]:
    """Pairs of models that follow each other, and where the two predict different classes."""
    best = order_by_rank(case)
    pairs = list(zip(best[:-1].tolist(), best[1:].tolist()))
    return pairs, [case.predictions[a] != case.predictions[b] for a, b in pairs]


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
