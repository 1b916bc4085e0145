"""Keys that people checked: scores by what they found, and which keys to check next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...ground.arrays import as_array, door
from ...ground.problem import Refusal
from ...ground.seeds import draw
from ..checks import CheckingPlan, NeighbourValues, order_of_checks
from ._scores import Scores, part_of

EPS = 1e-12  # scores that differ by less are the same


@dataclass(frozen=True, eq=False)
class CheckedScores:
    """R models on n items, and what people found of some of the keys.

    Attributes:
        published: by the keys as they were published.
        values: float64 (R, n), by the right key where one was checked, else as published.
        checked: bool (n,). changed: bool (n,), checked, and another answer is right.
        void: bool (n,), checked, and no answer is right: the item counts for nobody.
        said: int64 (R, n), numbers of answers: models that gave the same one are never told apart
            by that item; None where answers are not known, so that any score may be wrong.
        drawn: int64 (k,), those of the checked items that a plan named, in its order.
        seed: of the plan's random order.
    """

    published: Scores
    values: np.ndarray
    checked: np.ndarray
    changed: np.ndarray
    void: np.ndarray
    said: np.ndarray | None
    drawn: np.ndarray
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        return self.published.names

    @property
    def n(self) -> int:
        return self.published.n

    @cached_property
    def now(self) -> Scores:
        """Scores by what is known now, without items of which no answer is right."""
        if not (self.changed.any() or self.void.any()):
            return self.published
        one = replace(self.published, values=self.values, run_variance=None)
        return part_of(one, ~self.void)


@door
def make_checked(
    scores: Scores,
    right: Mapping[str, Any],
    *,
    void: Any = None,
    changed: Any = None,
    answers: Mapping[str, Any] | None = None,
    drawn: Sequence[int] | np.ndarray = (),
    seed: int = 0,
) -> CheckedScores:
    """Scores beside what people found of their keys, checked.

    Args:
        scores: by the published keys, from ``make_scores``.
        right: name -> scores (n,) by the right keys; NaN where nobody checked the key, for all
            models alike.
        void: bool (n,), items that were checked and have no right answer; ``right`` is not read
            there.
        changed: bool (n,), checked items whose published key was wrong; without it those on which
            a score changes.
        answers: name -> text (n,): a wrong key then cannot part two models that answered alike.
        drawn: places of the items that ``keys_to_check`` named, as many of its first as were
            checked, in its order. All else that was checked was chosen in some other way.
        seed: of that plan.

    Raises:
        ValueError: other models or lengths, scores of some models alone, or outside the range.

    >>> from candidly.ranking import make_scores
    >>> scores = make_scores({"a": [1, 0, 1], "b": [0, 1, 1]})
    >>> found = make_checked(scores, {"a": [0, None, 1], "b": [1, None, 1]})
    >>> found.changed, found.now.values.mean(1).round(2)
    (array([ True, False, False]), array([0.33, 1.  ]))
    """
    if set(map(str, right)) != set(scores.names):
        raise ValueError(
            f"`right` has scores of {', '.join(map(str, right))}, and the ranking of "
            f"{', '.join(scores.names)}."
        )
    n = scores.n
    no_answer = _mask(void, n, "void")
    found = np.stack([_row(right[name], name, scores) for name in scores.names])
    found[:, no_answer] = np.nan
    lacking = np.isnan(found)
    odd = lacking.any(0) & ~lacking.all(0)
    if odd.any():
        place = int(odd.argmax())
        name = scores.names[int(lacking[:, place].argmax())]
        raise Refusal(
            f"Item {scores.ids[place]} was checked, and {name!r} has no score by the right key.",
            "give the scores of every model on a checked item",
            "say with `void` that no answer is right",
        )
    checked = ~lacking[0] | no_answer
    values = np.where(lacking, scores.values, found)
    moved = (np.abs(values - scores.values) > EPS).any(0)
    wrong = moved if changed is None else _mask(changed, n, "changed") | moved
    wrong = wrong & checked & ~no_answer
    if no_answer.all():
        raise ValueError("no item has a right answer, so nothing is left to compare.")
    return CheckedScores(
        scores, values, checked, wrong, no_answer, _codes(answers, scores), _drawn(drawn, checked),
        seed,
    )  # fmt: skip


def _mask(given: Any, n: int, name: str) -> np.ndarray:
    if given is None:
        return np.zeros(n, bool)
    array = as_array(given, name)
    if array.shape != (n,) or array.dtype.kind != "b":
        raise ValueError(f"`{name}` is {array.dtype} {array.shape}; it is true or false, ({n},).")
    return array


def _row(given: Any, name: str, scores: Scores) -> np.ndarray:
    row = as_array(given, f"right[{name!r}]").astype(np.float64)
    if row.shape != (scores.n,):
        raise ValueError(
            f"the scores of {name!r} by the right keys have shape {row.shape}; there are "
            f"{scores.n:,} items, with NaN where nobody checked."
        )
    outside = (row < scores.lowest) | (row > scores.highest)
    if outside.any():
        place = int(outside.argmax())
        raise ValueError(
            f"the score of {name!r} by the right key of item {scores.ids[place]} is "
            f"{row[place]:g}; scores lie between {scores.lowest:g} and {scores.highest:g}."
        )
    return row


def _codes(answers: Mapping[str, Any] | None, scores: Scores) -> np.ndarray | None:
    if answers is None:
        return None
    said = np.array([np.asarray(answers[name]).astype(str) for name in scores.names])
    if said.shape != scores.values.shape:
        raise ValueError(f"`answers` are of {said.shape[1]:,} items; there are {scores.n:,}.")
    return np.unique(said, return_inverse=True)[1].reshape(said.shape)


def _drawn(given: Sequence[int] | np.ndarray, checked: np.ndarray) -> np.ndarray:
    places = np.asarray(given, dtype=np.int64).reshape(-1)
    for place in places.tolist():
        if not (0 <= place < len(checked) and checked[place]):
            raise ValueError(f"`drawn` names item {place}, which nobody checked.")
    return places


@door
def keys_to_check(checked: CheckedScores, alpha: float = 0.05) -> CheckingPlan:
    """Which keys to check next, and how sure each pair of neighbours is by now.

    What is asked is whether the order of these models on these very items is that of the right
    keys; whether other items would give another order is ``rank``'s matter. The items are in a
    random order, which ``seed`` draws once; hand in what people found as often as you like.

    Args:
        checked: from ``make_checked``. alpha: the chance that any pair is called wrongly, however
            often one looks, in (0, 1).

    Raises:
        Refusal: drawn items that are not the first of this plan.

    Source: as ``stability.checking_plan``, for differences in [-1, 1].
    """
    scores = checked.published
    drawn = np.zeros(checked.n, bool)
    drawn[checked.drawn] = True
    before = checked.checked & ~drawn
    # the neighbours are those of the start, whatever was drawn since
    start = np.where(drawn, scores.values, np.where(checked.void, 0.0, checked.values))
    order = np.argsort(-(start @ scores.weight), kind="stable")
    pairs = list(zip(order[:-1].tolist(), order[1:].tolist()))
    apart = [
        np.ones(checked.n, bool) if checked.said is None else checked.said[a] != checked.said[b]
        for a, b in pairs
    ]
    union = np.logical_or.reduce(apart) & ~before
    items = draw(checked.seed, "ranking: order of checks").permutation(np.flatnonzero(union))
    done = len(checked.drawn)
    wrong = np.flatnonzero(items[:done] != checked.drawn[: len(items)])
    if done > len(items) or len(wrong):
        place = int(wrong[0]) if len(wrong) else len(items)
        raise Refusal(
            f"Item {scores.ids[checked.drawn[place]]} is not number {place + 1} of the plan.",
            "give what was found in the order of the plan, from its first item on",
            "give keys that were checked for another reason as checked",
        )
    unit = scores.weight.max() * (scores.highest - scores.lowest)
    share = np.where(checked.void, 0.0, scores.weight) / unit
    compared = (
        NeighbourValues(a, b, share * (checked.values[a] - checked.values[b]), where)
        for (a, b), where in zip(pairs, apart)
    )
    return order_of_checks(compared, before, items, done, alpha)
