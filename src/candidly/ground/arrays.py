"""Arrays that callers give: one door, where names of rows and columns are looked at, and masks.

Position alone matches rows and columns further in. So what has names must agree by them here.
``door`` stands before every public function that takes arrays (``tests/test_doors.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import signature
from typing import Any, TypeVar, overload

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

ENTRY_SLACK = 1e-6  # how far a probability may lie outside [0, 1]
PAIRS = {("data", 2): ("X", "y")}  # parameters that hold two under names of their own
SEVERAL = 100  # arrays in a list; a longer one has rows
SUM_SLACK = 1e-3  # and the sum of a row from 1


@overload
def door(function: Function) -> Function: ...


@overload
def door(*, apart: Sequence[str]) -> Callable[[Function], Function]: ...


def door(function: Any = None, *, apart: Sequence[str] = ()) -> Any:
    """Before anything else a function refuses masks that hide something, and rows in other orders.

    Args:
        apart: parameters whose rows are not those of the others, such as a pool of other rows.

    Raises (the function does):
        ValueError: a masked array, see ``as_array``; Series or DataFrames of pandas, see
            ``same_rows``.
    """
    if function is None:
        return partial(door, apart=apart)
    known = signature(function)

    @wraps(function)
    def checked(*args: Any, **named: Any) -> Any:
        if any(_may_have_names(value) for value in (*args, *named.values())):
            given = dict(_flat(known.bind_partial(*args, **named).arguments))
            for name, value in given.items():
                if isinstance(value, np.ma.MaskedArray):
                    _unmasked(value, name)
            same_rows(**{name: value for name, value in given.items() if name not in apart})
        return function(*args, **named)

    return checked


def _may_have_names(value: Any) -> bool:
    return isinstance(value, np.ma.MaskedArray | tuple | list | Mapping) or _has_index(value)


def _flat(given: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Arguments, and what is in those that hold several."""
    found = []
    for name, value in given.items():
        if isinstance(value, Mapping):
            found += [(f"{name}[{key!r}]", one) for key, one in value.items()]
        elif isinstance(value, tuple | list) and len(value) <= SEVERAL:
            names = PAIRS.get((name, len(value))) or [f"{name}[{k}]" for k in range(len(value))]
            found += zip(names, value)
        else:
            found.append((name, value))
    return found


def sum_slack(dtype: np.dtype) -> float:
    """How far the sum of a row of probabilities may lie from 1: 0.001, and what rounding adds.

    So [0.333, 0.333, 0.333] and [0.4995, 0.4995], both off by 0.001, are both taken, whichever way
    their sums are rounded.
    """
    return SUM_SLACK + 8 * float(np.finfo(dtype).eps)


def as_array(value: Any, name: str) -> np.ndarray:
    """What a caller gave as a NumPy array, without a copy where that is possible.

    Args:
        value: an array, a tensor (bfloat16 as float32), a Series or DataFrame of pandas or polars,
            a list.
        name: the argument's name, for messages.

    Raises:
        ValueError: a masked array that hides something; the message names the first row.
    """
    if hasattr(value, "detach"):
        return from_tensor(value)
    if isinstance(value, np.ma.MaskedArray):
        return _unmasked(value, name)
    return np.asarray(value.to_numpy() if hasattr(value, "to_numpy") else value)


def from_tensor(tensor: Any) -> np.ndarray:
    """A tensor's values, without a copy where that is possible; bfloat16 as float32."""
    tensor = tensor.detach().cpu()
    return (tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy()


def _unmasked(value: np.ma.MaskedArray, name: str) -> np.ndarray:
    hidden = np.ma.getmaskarray(value)
    if hidden.any():
        rows = np.flatnonzero(hidden.reshape(len(hidden), -1).any(1)) if hidden.ndim else [0]
        more = f", and in {len(rows)} rows in all" if len(rows) > 1 else ""
        raise ValueError(
            f"`{name}` is a masked array that hides an entry at row {rows[0]}{more}. Fill these "
            "in, or leave their rows out."
        )
    return np.asarray(value.data)


def as_table(value: Any, name: str, classes: Sequence[str] | None = None) -> np.ndarray:
    """``as_array`` with a column per class; those of a DataFrame go by their names.

    Args:
        classes: see ``column_order``.

    Raises:
        ValueError: see ``as_array`` and ``column_order``.
    """
    array = as_array(value, name)
    if hasattr(value, "columns") and array.ndim == 2:
        order = column_order(list(value.columns), classes, f"`{name}`")
        if order != list(range(array.shape[1])):
            return array[:, order]
    return array


def column_names(value: Any, classes: Sequence[str] | None = None) -> tuple[str, ...] | None:
    """What the columns of a DataFrame are called, in the order of ``as_table``; else None.

    Raises:
        ValueError: see ``column_order``.
    """
    if not hasattr(value, "columns"):
        return None
    names = list(value.columns)
    return tuple(str(names[k]) for k in column_order(names, classes, "the frame"))


def column_order(names: Sequence[Any], classes: Sequence[str] | None, what: str) -> list[int]:
    """Which column belongs to which class: numbers of columns, in order of the classes.

    Columns that are called like the ``classes`` go by that; else those that end in numbers from 0
    or 1 on, such as p0, p1, p2, go by these. Other names say nothing: the columns count as they
    stand, unless there are ``classes`` that they could be mistaken for.

    Args:
        names: the names of the columns.
        classes: in order, or None where nobody said.
        what: holds the columns, for the message.

    Raises:
        ValueError: ``classes`` are given, and the columns are called otherwise.

    >>> column_order(["dog", "cat"], ["cat", "dog"], "`probs`")
    [1, 0]
    """
    as_they_stand = list(range(len(names)))
    if list(names) == as_they_stand:  # no names: pandas numbers columns
        return as_they_stand
    texts = [str(name) for name in names]
    if classes is not None and len(classes) == len(texts) and set(classes) == set(texts):
        return [texts.index(name) for name in classes]
    ends = [re.fullmatch(r"(.*?)(\d+)", text) for text in texts]
    if all(ends) and len({end[1] for end in ends if end}) == 1:
        numbers = [int(end[2]) for end in ends if end]
        for first in (0, 1):
            if sorted(numbers) == list(range(first, first + len(numbers))):
                return [numbers.index(first + k) for k in as_they_stand]
    if classes is None or len(classes) != len(texts):  # the latter is refused for itself
        return as_they_stand
    strange = next(text for text in texts if text not in classes)
    raise ValueError(
        f"{what} has a column {strange!r}, which is none of the classes ({_few(classes)}). Name "
        "its columns like the classes, or give the numbers without names."
    )


def same_rows(**values: Any) -> None:
    """Refuse Series and DataFrames of pandas that name their rows otherwise than each other.

    Args:
        values: by the names of arguments; only what has an index is looked at.

    Raises:
        ValueError: names the first row that differs.
    """
    indexed = {name: value.index for name, value in values.items() if _has_index(value)}
    first = next(iter(indexed), "")
    for name, index in indexed.items():
        if index.equals(indexed[first]):
            continue
        _refuse_other(indexed[first].tolist(), index.tolist(), f"`{first}`", f"`{name}`")


def rows_are(value: Any, ids: np.ndarray, name: str) -> None:
    """Refuse a Series or DataFrame of pandas whose index is neither 0, 1, 2, ... nor ``ids``.

    Raises:
        ValueError: names the first row that differs.
    """
    if _has_index(value) and (index := value.index.tolist()) != list(range(len(index))):
        _refuse_other(ids.tolist(), index, "the data", f"`{name}`")


def _has_index(value: Any) -> bool:
    return hasattr(value, "iloc") and hasattr(value, "index")


def _refuse_other(one: list[Any], other: list[Any], its: str, name: str) -> None:
    if len(one) != len(other) or one == other:  # another length is refused for itself
        return
    differs = (row for row, (a, b) in enumerate(zip(one, other)) if a != b)
    if (row := next(differs, None)) is not None:
        raise ValueError(
            f"{its} and {name} name their rows otherwise: row {row} is {one[row]!r} in {its} and "
            f"{other[row]!r} in {name}. Bring one into the order of the other by .loc[...], or, "
            "if their rows belong together as they stand, pass .to_numpy()."
        )


def _few(names: Sequence[str]) -> str:
    return ", ".join(list(names)[:10]) + (", ..." if len(names) > 10 else "")


def check_distinct(classes: Sequence[str] | None) -> None:
    """Refuse names of classes of which one is there twice.

    Raises:
        ValueError: names it, and both places.
    """
    seen: dict[str, int] = {}
    for number, name in enumerate(classes or ()):
        if name in seen:
            raise ValueError(
                f"`classes` has {name!r} at {seen[name]} and at {number}; each class needs a name "
                "of its own."
            )
        seen[name] = number


def objects(values: Sequence[Any]) -> np.ndarray:
    """An object array (n,) of these values, whatever they are."""
    array = np.empty(len(values), object)
    array[:] = values
    return array


def collected(value: Any) -> Any:
    """A lazy frame of polars as its rows; anything else as it is."""
    return value.collect() if type(value).__name__ == "LazyFrame" else value


def is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def plain(values: Any) -> Any:
    """A Series of pandas or polars as a list; anything else as it is."""
    return values.to_list() if hasattr(values, "to_list") else values


def whole_numbers(name: str, values: Any) -> np.ndarray:
    """Whole numbers, int64 (k,). Raises ValueError for anything else."""
    array = as_array(values, name)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"`{name}` is {array.dtype} of shape {array.shape}; it needs one whole number an entry."
        )
    return array.astype(np.int64)
