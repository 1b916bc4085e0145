"""What is ranked: scores of models on the same items, with runs, groups, slices and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...ground.arrays import as_array, door
from ...ground.problem import Refusal
from ...show.words import listed

MISSING = ("refuse", "lowest", "drop")
SHOWN = 3  # names in a message


@dataclass(frozen=True, eq=False)
class Scores:
    """R models on n items.

    Attributes:
        names: the names of the models, (R,).
        values: float64 (R, n), each the mean over the runs of that model on that item.
        run_variance: float64 (R, n), the variance that its runs give this mean, NaN where there is
            one run; or None, where there is one run of everything.
        runs: the most runs of any model on any item.
        ids: (n,) names of the items.
        group: int64 (n,), 0..G-1: items of a group were made of one source, such as a document or a
            template, and are not independent. Without groups each item is one.
        weight: float64 (n,), positive, with mean 1.
        slices: names of the slices, such as subjects; none where there are none.
        slice_of: int64 (n,), the slice of each item, or None.
        lowest, highest: what a score can be.
        filled: answers that were missing and count as the lowest score.
        dropped: items that were left out because some model lacks them.
    """

    names: tuple[str, ...]
    values: np.ndarray
    run_variance: np.ndarray | None
    runs: int
    ids: np.ndarray
    group: np.ndarray
    weight: np.ndarray
    slices: tuple[str, ...]
    slice_of: np.ndarray | None
    lowest: float
    highest: float
    filled: int = 0
    dropped: int = 0

    @property
    def n(self) -> int:
        return self.values.shape[1]

    @cached_property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group.max()) + 1

    @cached_property
    def grouped(self) -> bool:
        """Whether some group has several items."""
        return self.groups < self.n

    @cached_property
    def right_or_wrong(self) -> bool:
        """Whether every score is the lowest or the highest one, and every item counts the same.

        Then what is known of counts holds: exact tests, and intervals of shares.
        """
        both = (self.values == self.lowest) | (self.values == self.highest)
        return not self.grouped and bool(both.all()) and bool((self.weight == 1).all())


def part_of(scores: Scores, items: np.ndarray) -> Scores:
    """The same models on some of the items.

    Args:
        items: bool (n,).
    """
    return _scores(
        scores.names,
        scores.values[:, items],
        None if scores.run_variance is None else scores.run_variance[:, items],
        scores.runs,
        scores.ids[items],
        scores.group[items],
        scores.weight[items],
        scores.slices,
        None if scores.slice_of is None else scores.slice_of[items],
        (scores.lowest, scores.highest),
    )


@door
def make_scores(
    models: Mapping[str, Any],
    *,
    ids: Sequence[Any] | np.ndarray | None = None,
    groups: Sequence[Any] | np.ndarray | None = None,
    slices: Sequence[Any] | np.ndarray | None = None,
    weights: Sequence[float] | np.ndarray | None = None,
    between: tuple[float, float] = (0.0, 1.0),
    missing: str = "refuse",
    average: str = "items",
) -> Scores:
    """Checked scores.

    Args:
        models: name -> scores, numeric or bool, (n,); or (n, E), E runs of the model on each item.
            Higher is better; NaN where there is no answer.
        ids: (n,) names of the items, each once; by default their places.
        groups: (n,) what each item was made of, such as a document or a template. Items of a group
            are not independent, and tests and intervals allow for that.
        slices: (n,) the part of the benchmark to which each item belongs, such as a subject.
        weights: (n,) positive; how much each item counts.
        between: the lowest and the highest score that there can be. Nothing is guessed: numbers
            outside are refused, as they may be classes.
        missing: what a missing answer means: ``refuse``; ``lowest``, it counts as the lowest score;
            ``drop``, items that any model lacks are left out. Of several runs of an item those that
            are there are taken, and one is enough.
        average: what a model's score is: the mean over ``items``, or over ``slices``, of which each
            then counts the same however many items it has.

    Raises:
        ValueError: what does not fit, by name, value and place.

    >>> scores = make_scores({"a": [1, 0, 1], "b": [0.5, 0, 1]})
    >>> scores.values.mean(1).round(2)
    array([0.67, 0.5 ])
    """
    low, high = _range(between)
    if missing not in MISSING:
        raise ValueError(f"`missing` is {missing!r}; choose {', '.join(MISSING)}.")
    if len(models) < 2:
        raise ValueError(
            f"there are scores of {listed(models) if models else 'no model'} alone; a ranking "
            "needs at least two models."
        )
    n = _items(models)
    names = _names(ids, n)
    values = np.empty((len(models), n))
    variances: dict[int, np.ndarray] = {}
    runs = 1
    for r, (name, given) in enumerate(models.items()):
        table = _table(name, given, low, high, names)
        values[r] = table[:, 0]
        if table.shape[1] > 1:
            runs = max(runs, table.shape[1])
            values[r], variances[r] = _over_runs(table)
    weight = _weights(weights, n)
    slice_names, slice_of = _codes(slices, n, "slices")
    if average not in ("items", "slices"):
        raise ValueError(f"`average` is {average!r}; choose items or slices.")
    if average == "slices" and slice_of is None:
        raise Refusal("An average over slices needs slices.", "say them with `slices`")
    group = _codes(groups, n, "groups")[1]
    group = np.arange(n) if group is None else group
    lacking = np.isnan(values)
    filled, keep = 0, np.ones(n, bool)
    if lacking.any():
        filled, keep = _missing(tuple(models), names, lacking, missing)
        values[lacking] = low
    if not keep.any():
        raise ValueError("no item has a score of every model, so nothing is left to compare.")
    if average == "slices" and slice_of is not None:
        weight = weight / np.bincount(slice_of[keep], weight[keep], len(slice_names))[slice_of]
    found = _scores(
        tuple(str(name) for name in models),
        values if keep.all() else values[:, keep],
        _stacked(variances, values.shape, keep),
        runs,
        names[keep],
        group[keep],
        weight[keep],
        slice_names,
        None if slice_of is None else slice_of[keep],
        (low, high),
        filled,
        int((~keep).sum()),
    )
    if len(set(found.names)) < len(found.names):
        raise ValueError("two models have the same name.")
    return found


def _scores(
    names: tuple[str, ...],
    values: np.ndarray,
    variances: np.ndarray | None,
    runs: int,
    ids: np.ndarray,
    group: np.ndarray,
    weight: np.ndarray,
    slices: tuple[str, ...],
    slice_of: np.ndarray | None,
    between: tuple[float, float],
    filled: int = 0,
    dropped: int = 0,
) -> Scores:
    """Groups and slices without items are taken out of the numbering; weights have mean 1."""
    if slice_of is not None:
        used, slice_of = np.unique(slice_of, return_inverse=True)
        slices = tuple(slices[k] for k in used.tolist())
    group = np.unique(group, return_inverse=True)[1]
    weight = np.ones(len(weight)) if (weight == weight[0]).all() else weight / weight.mean()
    return Scores(
        names, values, variances, runs, ids, group, weight, slices, slice_of, *between,
        filled, dropped,
    )  # fmt: skip


def _range(between: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in between)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(
            f"`between` is {between!r}; it is the lowest and the highest score, such as (0, 1)."
        )
    return low, high


def _items(models: Mapping[str, Any]) -> int:
    sizes = {name: len(scores) for name, scores in models.items()}
    first, *others = sizes.items()
    for name, n in others:
        if n != first[1]:
            raise ValueError(
                f"model {first[0]!r} has scores of {first[1]:,} items and {name!r} of {n:,}; all "
                "have the same items in the same order, with NaN where there is no answer."
            )
    if first[1] == 0:
        raise ValueError("there are no items.")
    return first[1]


def _names(ids: Sequence[Any] | np.ndarray | None, n: int) -> np.ndarray:
    if ids is None:
        return np.arange(n)
    names = np.asarray(ids)
    _same_length("ids", names, n)
    found, counts = np.unique(names, return_counts=True)
    if (counts > 1).any():
        raise ValueError(
            f"the item {found[counts > 1][0].item()!r} is there {counts.max()} times; several runs "
            "of an item are columns of one array (n, runs)."
        )
    return names


def _same_length(name: str, values: np.ndarray, n: int) -> None:
    if values.shape != (n,):
        raise ValueError(f"`{name}` has shape {values.shape}; there are {n:,} items: ({n},).")


def _table(name: str, given: Any, low: float, high: float, ids: np.ndarray) -> np.ndarray:
    """The scores of one model, float64 (n, E)."""
    array = as_array(given, f"models[{name!r}]")
    if array.dtype.kind not in "biuf":
        raise ValueError(
            f"the scores of model {name!r} are {array.dtype}, such as "
            f"{array.ravel().tolist()[0]!r};"
            " scores are numbers, or true and false."
        )
    if array.ndim not in (1, 2) or array.shape[-1] == 0:
        raise ValueError(
            f"the scores of model {name!r} have shape {array.shape}; they are (items,) or "
            "(items, runs)."
        )
    table = array.astype(np.float64).reshape(len(array), -1)
    outside = ~((table >= low) & (table <= high)) & ~np.isnan(table)
    if outside.any():
        place = int(np.flatnonzero(outside.any(1))[0])
        value = table[place][outside[place]][0]
        raise Refusal(
            f"model {name!r} has the score {value:g} on item {ids[place]}, and scores lie between "
            f"{low:g} and {high:g}.",
            "say what scores lie between with `between`",
            "give predicted classes to stability, with their labels",
        )
    return table


def _over_runs(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over runs, and its variance by them: float64 (n,) each."""
    there = ~np.isnan(table)
    count = there.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, table, 0).sum(1) / count
        squares = (np.where(there, table - mean[:, None], 0) ** 2).sum(1)
        return mean, np.where(count > 1, squares / (count - 1) / count, np.nan)


def _stacked(
    variances: Mapping[int, np.ndarray], shape: tuple[int, ...], keep: np.ndarray
) -> np.ndarray | None:
    if not variances:
        return None
    stacked = np.full((shape[0], int(keep.sum())), np.nan)
    for r, one in variances.items():
        stacked[r] = one[keep]
    return stacked


def _weights(weights: Any, n: int) -> np.ndarray:
    if weights is None:
        return np.ones(n)
    array = as_array(weights, "weights").astype(np.float64)
    _same_length("weights", array, n)
    if not (np.isfinite(array) & (array > 0)).all():
        place = int(np.flatnonzero(~(np.isfinite(array) & (array > 0)))[0])
        raise Refusal(
            f"The weight of item {place} is {array[place]:g}; weights are positive numbers.",
            "leave out items that do not count",
        )
    return array


def _codes(given: Any, n: int, what: str) -> tuple[tuple[str, ...], np.ndarray | None]:
    """Names in the order in which they come, and the number of each item's."""
    if given is None:
        return (), None
    texts = names_in(given, what)
    _same_length(what, texts, n)
    found, first, codes = np.unique(texts, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return tuple(found[order].tolist()), place[codes]


def names_in(given: Any, what: str) -> np.ndarray:
    """Names as texts; a missing one is no name, and is refused.

    Raises:
        ValueError: None or NaN; names its place.
    """
    values = given.tolist() if hasattr(given, "tolist") else list(given)  # before NaN is "nan"
    for place, one in enumerate(values):
        if one is None or one != one:
            raise ValueError(f"`{what}` is missing at place {place}; each has a name.")
    return np.asarray(given).astype(str)


def _missing(
    models: tuple[str, ...], ids: np.ndarray, lacking: np.ndarray, missing: str
) -> tuple[int, np.ndarray]:
    """How many answers count as the lowest score, and which items stay."""
    if missing == "lowest":
        return int(lacking.sum()), np.ones(len(ids), bool)
    if missing == "drop":
        return 0, np.asarray(~lacking.any(0))
    counts = lacking.sum(1)
    worst = int(counts.argmax())
    where = ids[lacking[worst]]
    shown = ", ".join(str(name) for name in where[:SHOWN])
    more = f" and {len(where) - SHOWN:,} more" if len(where) > SHOWN else ""
    raise Refusal(
        f"scores are missing of {int((counts > 0).sum())} of {len(models)} models; "
        f"{models[worst]!r} lacks {len(where):,} of {len(ids):,} items: {shown}{more}.",
        "count them as wrong with `missing='lowest'`",
        "leave out the items that any model lacks with `missing='drop'`",
    )
