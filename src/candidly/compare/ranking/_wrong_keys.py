"""What wrong keys do to an order: which pairs turn, how often keys would have to be wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...stats import holm, share_interval
from ...stats.crossing import tie_interval
from ...stats.places import competition_ranks
from ..checks import AdjacentModels
from ._checked import CheckedScores, keys_to_check
from ._compared import PairedModels, compare
from ._scores import part_of


@dataclass(frozen=True)
class TurnedPair:
    """Two models whose order the right keys turn.

    Attributes:
        ahead, behind: by the right keys. before: the difference by the published keys, ahead minus
            behind, at most 0; after: by the right ones.
        adjusted_before, adjusted: p after Holm over all pairs, by either keys.
    """

    ahead: str
    behind: str
    before: float
    after: float
    adjusted_before: float
    adjusted: float


@dataclass(frozen=True)
class KeyCrossing:
    """Two models of which one is ahead where keys stand, and the other where they were wrong.

    Attributes:
        ahead, behind: where keys stand. prevalence: the share of items with a wrong key at which
            the two are level. low, high: of its interval, of this pair alone.
        adjusted: p after Holm over all pairs, the larger of the two sets.
        established: whether both differences are more than chance.
    """

    ahead: str
    behind: str
    prevalence: float
    low: float
    high: float
    adjusted: float
    established: bool


@dataclass(frozen=True)
class WrongKeys:
    """A ranking by the right keys beside that by the published ones.

    Attributes:
        items: of the published ranking. checked: of these. wrong: checked, and another answer is
            right. void: checked, and no answer is.
        of: the items of which the next two speak: all; or, where a plan named some, those that can
            part neighbours and were not checked before.
        low, high: interval of the share of them whose key is wrong or void; of all, it holds where
            the checked items were drawn at random.
        answers: whether answers are known; else any score may be wrong.
        ranks: model -> rank by published keys and by what is known now.
        moved: models whose rank is another. turned: pairs in another order, by the p by right keys.
        sure_before, sure: pairs whose order tests establish, by published keys and by right ones.
        prevalence: the share of wrong keys among items that have a right one, in [0, 1].
        crossings: by prevalence; none where nothing was wrong.
        neighbours: whether an order can still turn, by names; lead and worst in items.
        drawn: items that a plan named.
        to_check: about how many more settle every pair of neighbours; None if nobody can say.
    """

    items: int
    checked: int
    wrong: int
    void: int
    of: int
    low: float
    high: float
    answers: bool
    ranks: dict[str, tuple[int, int]]
    moved: int
    turned: tuple[TurnedPair, ...]
    sure_before: int
    sure: int
    prevalence: float
    crossings: tuple[KeyCrossing, ...]
    neighbours: tuple[AdjacentModels[str], ...]
    drawn: int
    to_check: int | None


def wrong_keys(checked: CheckedScores, alpha: float) -> WrongKeys:
    """What ``rank`` says of keys that were checked.

    Args:
        checked: from ``make_checked``. alpha: one minus the level of tests and intervals.
    """
    names = checked.names
    before, after = compare(checked.published), compare(checked.now)
    old, new = competition_ranks(before.mean), competition_ranks(after.mean)
    plan = keys_to_check(checked, alpha)
    wrong = checked.changed | checked.void
    drawn = wrong[checked.drawn] if plan.done else wrong[checked.checked]
    bounds = share_interval(drawn.sum()[None], len(drawn), 1 - alpha)[0] if len(drawn) else (0, 1)
    most = checked.published.weight.max()
    kept = ~checked.void
    weight = checked.published.weight
    return WrongKeys(
        items=checked.n,
        checked=int(checked.checked.sum()),
        wrong=int(checked.changed.sum()),
        void=int(checked.void.sum()),
        of=len(plan.items) if plan.done else checked.n,
        low=float(bounds[0]),
        high=float(bounds[1]),
        answers=checked.said is not None,
        ranks={name: (int(a), int(b)) for name, a, b in zip(names, old, new)},
        moved=int((old != new).sum()),
        turned=_turned(names, before, after),
        sure_before=_sure(before, alpha),
        sure=_sure(after, alpha),
        prevalence=float(weight[checked.changed].sum() / weight[kept].sum()),
        crossings=_crossings(checked, alpha),
        neighbours=tuple(
            AdjacentModels(
                names[one.first], names[one.second], one.differing, one.unchecked,
                float(one.lead * most), float(one.worst * most), one.p_secure, one.p_reversed,
                one.status, one.to_check,
            )
            for one in plan.neighbours
        ),
        drawn=plan.done,
        to_check=plan.to_check,
    )  # fmt: skip


def _sure(compared: PairedModels, alpha: float) -> int:
    i, j = np.triu_indices(len(compared.mean), 1)
    return int((holm(compared.p[i, j]) <= alpha).sum())


def _turned(
    names: tuple[str, ...], before: PairedModels, after: PairedModels
) -> tuple[TurnedPair, ...]:
    i, j = np.triu_indices(len(names), 1)
    old, new = before.difference[i, j], after.difference[i, j]
    p_old, p_new = holm(before.p[i, j]), holm(after.p[i, j])
    turned = np.flatnonzero((new != 0) & (np.sign(old) != np.sign(new)))
    rows = []
    for k in turned.tolist():
        a, b = (i[k], j[k]) if new[k] > 0 else (j[k], i[k])
        sign = 1 if new[k] > 0 else -1
        rows.append(
            TurnedPair(
                names[a], names[b], float(sign * old[k]), float(sign * new[k]),
                float(p_old[k]), float(p_new[k]),
            )
        )  # fmt: skip
    return tuple(sorted(rows, key=lambda one: (one.adjusted, -one.after)))


def _crossings(checked: CheckedScores, alpha: float) -> tuple[KeyCrossing, ...]:
    """Pairs whose differences have other signs where keys stand and where they were wrong."""
    wrong = checked.changed[~checked.void]
    if not wrong.any() or wrong.all():
        return ()
    stand, turn = (compare(part_of(checked.now, where)) for where in (~wrong, wrong))
    names = checked.names
    i, j = np.triu_indices(len(names), 1)
    u, v = stand.difference[i, j], -turn.difference[i, j]
    p = holm(np.maximum(stand.p[i, j], turn.p[i, j]))
    meets = np.flatnonzero(u * v > 0)
    of_u, of_v = stand.intervals(1 - alpha)[i, j], -turn.intervals(1 - alpha)[i, j][:, ::-1]
    rows = []
    for k in meets.tolist():
        sign = 1 if u[k] > 0 else -1
        a, b = (i[k], j[k]) if sign > 0 else (j[k], i[k])
        one, other = (of[k : k + 1] if sign > 0 else -of[k : k + 1, ::-1] for of in (of_u, of_v))
        low, high = tie_interval(np.abs(u[k : k + 1]), np.abs(v[k : k + 1]), one, other)[0].tolist()
        sure = p[k] <= alpha and one[0, 0] > 0 and other[0, 0] > 0
        rows.append(
            KeyCrossing(
                names[a], names[b], float(u[k] / (u[k] + v[k])), low, high, float(p[k]), bool(sure)
            )
        )
    return tuple(sorted(rows, key=lambda one: one.prevalence))
