"""An own test set and an own validation set, put behind the rows to learn from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...ground.arrays import objects
from ...ground.checks import OFFICIAL
from ...ground.problem import Refusal, within
from ..inputs import Table
from .labelled import Labelled, given_to_candidates

TRAIN, VALIDATION, TEST = "train", "validation", "test"
PARTS = {
    **dict.fromkeys(("train", "training"), TRAIN),
    **dict.fromkeys(("val", "valid", "validation", "dev"), VALIDATION),
    **dict.fromkeys(("test", "testing"), TEST),
}


def part_of(name: str) -> str:
    """The part that is called so; "" for another name.

    >>> part_of("Valid"), part_of("cat")
    ('validation', '')
    """
    return PARTS.get(name.strip().lower(), "")


def in_parts(data: Labelled, parts: Sequence[str]) -> Labelled:
    """The same, of which some rows are a test set and some a validation set.

    Args:
        parts: n of train, validation and test. Labels of the latter two count as true.

    Raises:
        ValueError: no row to learn from, or no row of the others; see ``as_true``.
    """
    there = np.array(parts)
    for names in ((TRAIN,), (TEST, VALIDATION)):
        if not np.isin(there, names).any():
            raise ValueError(f"no row is of the part {' or '.join(names)}.")
    flags: dict[str, Any] = {}
    truth = np.full(data.n, -1) if data.truth is None else data.truth.copy()
    for name in (TEST, VALIDATION):
        rows = there == name
        if rows.any():
            flags[f"official_{name}"] = rows
            its = as_true(data[rows], name).truth
            truth[rows] = -1 if its is None else its
    known = data.tags is None or data.truth is not None
    return replace(data, **flags, truth=truth if known else None)


def with_parts(
    data: Labelled, test: Labelled | None = None, validation: Labelled | None = None
) -> Labelled:
    """The rows to learn from with the rows of a test set and of a validation set behind them.

    Args:
        data: rows to learn from. test, validation: rows of the same inputs and classes; their
            labels count as true, see ``as_true``.

    Returns:
        ``official_test`` and ``official_validation`` are the rows of the two. Ids stay; where
        two parts have the same, that of the later one gets the part's name in front (``test/7``).

    Raises:
        ValueError: inputs of another kind or of other columns, other classes, labels that are not
            one a row, votes.

    Warns:
        UserWarning: rows of a test or validation set are also among the rows to learn from.
    """
    named = {TEST: test, VALIDATION: validation}
    parts = {name: part for name, part in named.items() if part is not None}
    if not parts:
        return data
    if any(getattr(data, name) is not None for name in OFFICIAL):
        raise ValueError(
            f"{data.source or 'the data'} says itself which rows are for testing; take these out"
            " of it, or give no others."
        )
    for name, part in parts.items():
        if part.classes != data.classes:
            raise ValueError(f"the {name} set has other classes than the rows to learn from.")
        parts[name] = _labelled_alike(data, as_true(part, name), name)
    inputs = [_inputs_alike(data, part, name) for name, part in parts.items()]
    whole = [data, *parts.values()]
    if isinstance(inputs[0][0], Table):
        joined: Any = _one_table([inputs[0][0], *(its for _, its in inputs)])
    else:
        joined = np.concatenate([inputs[0][0], *(its for _, its in inputs)])
    begins = np.cumsum([0, *(part.n for part in whole)])
    flags: dict[str, Any] = {}
    for place, name in enumerate(parts, 1):
        flags[f"official_{name}"] = np.zeros(begins[-1], bool)
        flags[f"official_{name}"][begins[place] : begins[place + 1]] = True
    _tell_leaks(joined, begins, tuple(parts))
    labels: dict[str, Any] = {
        name: np.concatenate([_or_none(part, name) for part in whole])
        for name in ("candidates", "given", "tags", "truth")
        if any(getattr(part, name) is not None for part in whole)
    }
    return replace(data, inputs=joined, ids=_ids(whole, tuple(parts)), **labels, **flags)


def as_true(data: Labelled, name: str) -> Labelled:
    """The same with a true label a row: the truth, else the one label that a row is given.

    Raises:
        ValueError: a row that has neither.
    """
    truth = np.full(data.n, -1) if data.truth is None else data.truth.copy()
    labels = _single(data)
    if labels is not None:
        truth = np.where(truth < 0, labels, truth)
    if data.tags is None and (truth < 0).any():
        row = int((truth < 0).argmax())
        raise ValueError(
            f"row {row} of the {name} set has not one label; a model is measured by one true label"
            " a row. Give it one, or take the row out."
        )
    return data if data.tags is not None else replace(data, truth=truth)


def _single(data: Labelled) -> np.ndarray | None:
    """The one label of each row, int64 (n,), -1 where there is none or several."""
    if data.given is not None:
        return data.given
    if data.candidates is None:
        return None
    return np.where(data.candidates.sum(1) == 1, data.candidates.argmax(1), -1)


def _labelled_alike(data: Labelled, part: Labelled, name: str) -> Labelled:
    """The part with labels of the kind that the rows to learn from have.

    Raises:
        ValueError: tags beside labels of another kind; votes.
    """
    if data.votes is not None or part.votes is not None:
        raise ValueError(
            f"rows with people's answers take no {name} set of their own; make one label of the"
            " answers first (candidly crowd consensus)."
        )
    if (data.tags is None) != (part.tags is None):
        raise ValueError(
            f"the {name} set and the rows to learn from differ in what their labels are: of the one"
            " several hold in a row (tags), of the other one does."
        )
    if part.tags is not None or part.truth is None:
        return part
    labels = part.given if part.given is not None else part.truth
    given = None if data.given is None else labels
    sets = part.candidates
    if data.candidates is None:
        sets = None
    elif sets is None:
        sets = given_to_candidates(labels, data.q)
    return replace(part, given=given, candidates=sets)


def _or_none(part: Labelled, name: str) -> np.ndarray:
    """The labels, or what says that there are none."""
    labels = getattr(part, name)
    if labels is not None:
        return labels
    none: dict[str, np.ndarray] = {
        "candidates": np.ones((part.n, part.q), bool),
        "tags": np.zeros((part.n, part.q), bool),
    }
    return none.get(name, np.full(part.n, -1))


def _inputs_alike(data: Labelled, part: Labelled, name: str) -> tuple[Any, Any]:
    """The inputs of both, alike in kind, columns and their order.

    Raises:
        ValueError: they are of other kinds, shapes or columns.
    """
    mine, its = data.inputs, part.inputs
    kinds = {data.kind, part.kind}
    if "columns" in kinds and kinds <= {"columns", "table"}:
        return _as_table(data), _columns_of(_as_table(part), _as_table(data), name)
    if data.kind != part.kind:
        raise ValueError(
            f"the {name} set holds {part.kind}, and the rows to learn from hold {data.kind}."
        )
    assert isinstance(mine, np.ndarray)
    assert isinstance(its, np.ndarray)
    if data.features is not None and part.features is not None and data.kind == "table":
        _check_columns(part.features, data.features, name)
        its = its[:, [part.features.index(one) for one in data.features]]
    if mine.shape[1:] != its.shape[1:]:
        raise ValueError(
            f"the inputs of the {name} set have the shape {its.shape[1:]} a row, and those of the"
            f" rows to learn from {mine.shape[1:]}."
        )
    return mine, its


def _as_table(data: Labelled) -> Table:
    """Columns, also of numbers alone."""
    if isinstance(data.inputs, Table):
        return data.inputs
    import polars as pl

    names = data.features or [f"column_{k + 1}" for k in range(data.inputs.shape[1])]
    return Table.of(pl.DataFrame(data.inputs, schema=list(names)))


def _columns_of(its: Table, mine: Table, name: str) -> Table:
    """The part's columns in the order and as the kinds of the rows to learn from.

    Raises:
        ValueError: other columns, or a cell that is none of its column's kind.
    """
    _check_columns(its.names, mine.names, name)
    wrong = [one for one in mine.names if not _may_be(its.kinds[one], mine.kinds[one])]
    if wrong:
        one = wrong[0]
        raise Refusal(
            f"column {one!r} is of the kind {its.kinds[one]} in the {name} set, and of the kind"
            f" {mine.kinds[one]} in the rows to learn from.",
            "say what it is with `kinds`",
            "correct the file",
        )
    try:
        return Table.of(its.frame.select(mine.names), mine.kinds)
    except ValueError as error:
        raise within(f"the {name} set", error) from error


def _may_be(its: str, mine: str) -> bool:
    """Whether cells of one kind can be read as the other: a category has few different texts."""
    return its == mine or (mine in ("category", "text") and its != "date")


def _check_columns(its: Sequence[str], mine: Sequence[str], name: str) -> None:
    for one, other, whose in ((mine, its, f"the {name} set has"), (its, mine, "the rows to learn "
                               "from have")):  # fmt: skip
        lacking = [column for column in one if column not in other]
        if lacking:
            raise ValueError(
                f"{whose} no column {lacking[0]!r}, and both need the same inputs. They are"
                f" {', '.join(mine)}."
            )


def _one_table(tables: Sequence[Table]) -> Table:
    import polars as pl

    return Table.of(pl.concat([one.frame for one in tables]), tables[0].kinds)


def _ids(whole: Sequence[Labelled], names: Sequence[str]) -> np.ndarray:
    """Those of the parts, made different; 0 to n - 1 where every part counts so."""
    if all(np.array_equal(part.ids, np.arange(part.n)) for part in whole):
        return np.arange(sum(part.n for part in whole))
    if all(part.ids.dtype.kind in "iu" for part in whole):
        ids = np.concatenate([part.ids for part in whole])
        if len(np.unique(ids)) == len(ids):
            return ids
    texts = [[str(one) for one in part.ids.tolist()] for part in whole]
    seen = set(texts[0])
    for name, own in zip(names, texts[1:], strict=True):
        for place, one in enumerate(own):
            own[place] = f"{name}/{one}" if one in seen else one
        seen |= set(own)
    return objects([one for own in texts for one in own])


def _tell_leaks(inputs: Any, begins: np.ndarray, names: Sequence[str]) -> None:
    """Warn of rows that are among those to learn from."""
    keys = _keys(inputs)
    learned = set(keys[: begins[1]])
    for place, name in enumerate(names, 1):
        own = keys[begins[place] : begins[place + 1]]
        again = sum(key in learned for key in own)
        if again:
            warnings.warn(
                f"{again:,} of the {len(own):,} rows of the {name} set have the inputs of a row"
                " to learn from; a model can have memorised their labels.",
                stacklevel=4,
            )


def _keys(inputs: Any) -> list[Any]:
    """What makes two rows the same."""
    if isinstance(inputs, Table):
        return list(inputs.frame.hash_rows().to_list())
    if inputs.dtype == object:
        return [str(one) for one in inputs.tolist()]
    flat = np.ascontiguousarray(inputs.reshape(len(inputs), -1))
    return [row.tobytes() for row in flat]
