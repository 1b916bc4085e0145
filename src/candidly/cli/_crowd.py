"""What ``candidly crowd`` reads and prints around the consensus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._tables import TABLES, about, check_filled, columns_of, number_column, read_table, typed
from ..grid import Grid

if TYPE_CHECKING:
    import polars as pl

    from ..crowd import Answers, Consensus

COLUMNS = ("item", "annotator", "label")


@dataclass(frozen=True)
class _Beliefs:
    """Probabilities as a file has them: rows and columns by name, or by number (None)."""

    path: Path
    values: np.ndarray
    items: tuple[Any, ...] | None
    classes: tuple[str, ...] | None


def read_answers(
    what: str,
    probs: Path | None,
    classes: Sequence[str] | None,
    normalise: bool,
    root: Path | None,
) -> tuple[Answers, np.ndarray | None]:
    """Answers from a table, a saved data set or a known one; and probabilities in their order.

    Raises:
        ValueError, FileNotFoundError, KeyError: what is wrong, by name.
    """
    beliefs = None if probs is None else _read_beliefs(probs)
    if Path(what).suffix.lower() in TABLES:
        said = _of_table(Path(what), beliefs, classes)
    else:
        said = _of_data(what, classes, root)
    if beliefs is None:
        return said, None
    values = _in_order(beliefs, said)
    if normalise:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = values / values.sum(1, keepdims=True)
    return said, values


def _of_table(path: Path, beliefs: _Beliefs | None, classes: Sequence[str] | None) -> Answers:
    from ..crowd import Answers

    frame = read_table(path, COLUMNS)
    with about(path):
        for name in COLUMNS:
            check_filled(frame[name], "Leave out rows without an answer.")
    item, annotator, label = (typed(frame[name]) for name in COLUMNS)
    items: Any = None
    named: Any = classes
    if beliefs is not None and beliefs.items is None:
        items = len(beliefs.values)
        if not item.dtype.is_integer():
            raise ValueError(
                f"rows of {beliefs.path} go by number, but items of {path} do not; give the"
                " probabilities a column `item`."
            )
        if named is None and not label.dtype.is_numeric():
            raise ValueError(
                f"{path} has names of classes; say which column of {beliefs.path} is which with"
                " --classes."
            )
        named = named or beliefs.values.shape[1]
    elif beliefs is not None:
        items, named = list(beliefs.items or ()), named or beliefs.classes
        if item.dtype.is_integer() != isinstance(items[0], int):
            item, items = item.cast(str), [str(name) for name in items]
        _check_known("item", item, items, beliefs.path, path)
        if classes is None and not label.dtype.is_numeric():
            _check_known("class", label.str.strip_chars(), named, beliefs.path, path)
    with about(path):
        return Answers.from_columns(item, annotator, label, items=items, classes=named)


def _check_known(what: str, said: pl.Series, known: Any, where: Path, path: Path) -> None:
    """Refuse answers about an item, or a class, that the file of probabilities lacks."""
    there = set(known)
    for name in said.unique(maintain_order=True):
        if name not in there:
            raise ValueError(f"{where} lacks the {what} {name!r}, which {path} has.")


def _of_data(what: str, classes: Sequence[str] | None, root: Path | None) -> Answers:
    from ..crowd import Answers
    from ..sources import load

    data = load(what, root)
    if classes is not None:
        if len(classes) != data.q:
            raise ValueError(f"--classes has {len(classes)} names; {what} has {data.q} classes.")
        data = replace(data, classes=tuple(classes))
    return Answers.from_labelled(data)


def _read_beliefs(path: Path) -> _Beliefs:
    from ..ingest.probabilities import open_source

    if path.suffix.lower() in TABLES and "item" in columns_of(path):
        frame = read_table(path)
        items, names = typed(frame["item"]).to_list(), frame.drop("item").columns
        if not items or not names:
            raise ValueError(f"{path} has no {'columns beside item' if items else 'rows'}.")
        if all(name.isdecimal() for name in names):
            names.sort(key=int)
        _places("item", path, [str(item) for item in items], items)  # none twice
        with about(path):
            values = np.column_stack([number_column(frame[name]) for name in names])
        return _Beliefs(path, values, tuple(items), tuple(names))
    source = open_source(path)
    return _Beliefs(path, source.read(0, source.n), None, None)


def _in_order(beliefs: _Beliefs, said: Answers) -> np.ndarray:
    """Rows as the items, columns as the classes."""
    if beliefs.items is None or beliefs.classes is None:
        return beliefs.values  # by number; the shape is checked with the rest
    rows = _places("item", beliefs.path, [str(name) for name in beliefs.items], said.items)
    columns = _places("class", beliefs.path, list(beliefs.classes), said.classes)
    return beliefs.values[rows][:, columns]


def _places(what: str, path: Path, there: list[str], wanted: Any) -> list[int]:
    place = {name: number for number, name in enumerate(there)}
    if len(place) < len(there):
        twice = next(name for number, name in enumerate(there) if place[name] != number)
        raise ValueError(f"{path} has the {what} {twice!r} twice.")
    names = [str(name) for name in wanted]
    for name in names:
        if name not in place:
            raise ValueError(f"{path} lacks the {what} {name!r}.")
    if len(there) > len(names):
        other = next(name for name in there if name not in set(names))
        raise ValueError(f"{path} has the {what} {other!r}, which is not among the answers.")
    return [place[name] for name in names]


def summary(found: Consensus, by: str) -> Iterator[str]:
    """Lines on what was read and what came out."""
    from ..crowd import Crowdlab, DawidSkene, Majority

    answers = found.answers
    unasked = int((answers.per_item == 0).sum())
    without = f", {unasked:,} of them unanswered" if unasked else ""
    yield (
        f"{len(answers):,} answers about {answers.n:,} items{without} by"
        f" {len(answers.annotators):,} annotators, {answers.m:,} classes"
    )
    known = found.quality[~np.isnan(found.quality)]
    yield f"consensus by {by}: mean quality {known.mean():.3f}"
    if isinstance(found, Majority) and any(found.ties.values()):
        told = ", ".join(f"{count:,} {name}" for name, count in found.ties.items() if count)
        yield f"ties decided by: {told}"
    if isinstance(found, DawidSkene):
        ended = "converged" if found.converged else "not converged"
        rounds = len(found.log_likelihood)
        yield f"{rounds} rounds, {ended}, log-likelihood {found.log_likelihood[-1]:.1f}"
    if isinstance(found, Crowdlab):
        changed = int((found.labels != found.majority).sum())
        yield (
            f"{changed:,} labels differ from the majority; the model weighs"
            f" {found.model_weight:.2f}, an annotator {found.weights.mean():.2f} on average"
        )


def tables(found: Consensus, people: pl.DataFrame, top: int) -> Iterator[Grid | str]:
    """Doubtful items, annotators and what to ask about next, and how much is left out."""
    from ..report.crowd import annotators_grid, doubts_grid, next_grid

    for grid, there, what in (
        (doubts_grid(found, top), found.answers.n, "items"),
        (annotators_grid(people, top), len(people), "annotators"),
        (next_grid(found, top), found.answers.n, "items"),
    ):
        yield grid
        if top < there:
            yield f"the first {top:,} of {there:,} {what}; --top gives more"
