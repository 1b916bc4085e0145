"""Answers of one label each: checked once, at the door, and kept as compact integers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...data.labels.coded import coded as coded_labels
from ...data.labels.coded import missing
from ...data.labels.labelled import Labelled
from ...data.labels.reading import LabelRule, declared_classes, read_labels
from ...data.labels.votes import Votes, check_votes
from ...ground.arrays import as_array, door, same_rows
from ...ground.checks import check_size, read_only
from ...ground.names import made_by
from ...ground.problem import Refusal
from ._columns import NUMBERS, NamedColumn, checked_column, coded

NAMED = 5  # of those that are left out, in a warning


@dataclass(frozen=True, eq=False)
class Answers:
    """Who said which class about which item, in order of item, then annotator.

    Attributes:
        item, annotator, label: int32 (answers,), from 0; no annotator answers an item twice, but
            where ``repeats`` was asked for.
        items: (n,) int64 or object of ``str``, names of the items, with or without answers.
        annotators: names of the J annotators, each with an answer.
        classes: names of the m >= 2 classes.

    Made by ``from_columns``, ``from_matrix``, ``from_votes`` and ``from_labelled``, which check.
    """

    item: np.ndarray
    annotator: np.ndarray
    label: np.ndarray
    items: np.ndarray
    annotators: tuple[str, ...]
    classes: tuple[str, ...]

    @classmethod
    @door(apart=["items"])
    def from_columns(
        cls,
        item: Any,
        annotator: Any,
        label: Any,
        *,
        items: Any = None,
        classes: Sequence[str] | int | None = None,
        merge_labels: bool | Mapping[str, str] = False,
        rows: Any = None,
        repeats: bool = False,
    ) -> Answers:
        """From a long table, as three columns of one entry per answer.

        Args:
            item, annotator, label: integers or strings; lists, arrays or series.
            items: names of all items in order, or how many, when ``item`` counts from 0. By
                default those that occur, sorted.
            classes: names in order, or how many. By default the labels that occur, sorted.
            merge_labels: make one class of those that differ by spelling alone; or a dict, old name
                -> new name.
            rows: what rows are called in messages, by their places; by default by these.
            repeats: whether an annotator may answer an item several times, each of which counts.

        Raises:
            ValueError: columns that differ in length, something missing or unknown, an annotator
                who answers an item twice, fewer than two classes, no answer.

        >>> table = Answers.from_columns([7, 7, 9], ["ann", "bob", "ann"], ["cat", "dog", "cat"])
        >>> table.label, table.items, table.classes
        (array([0, 1, 0], dtype=int32), array([7, 9]), ('cat', 'dog'))
        """
        same_rows(item=item, annotator=annotator, label=label)
        called = NUMBERS if rows is None else rows
        given = {"item": item, "annotator": annotator}
        columns = {name: coded(name, given[name], called) for name in ("item", "annotator")}
        names, labels = _read_labels(label, classes, merge_labels, called)
        sizes = {name: len(column.codes) for name, column in columns.items()} | {
            "label": len(labels)
        }
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{size} {name}s" for name, size in sizes.items())
            raise ValueError(f"answers: {told}; give one of each per answer.")
        item_names = columns["item"].names if items is None else _names_of_items(items)
        return _made(
            _places("item", columns["item"], item_names, called),
            columns["annotator"].codes.astype(np.int32),
            labels,
            item_names,
            tuple(str(name) for name in columns["annotator"].names),
            names,
            called,
            repeats,
        )

    @classmethod
    @door(apart=["annotators"])
    def from_matrix(
        cls, labels: Any, classes: Sequence[str] | int | None = None, annotators: Any = None
    ) -> Answers:
        """From an array (n, J) of class numbers, -1 or NaN where there is no answer.

        Raises:
            ValueError: something that is no whole number, or no answer at all.
        """
        matrix = as_array(labels, "labels")
        if matrix.ndim != 2 or matrix.dtype.kind not in "iuf":
            raise ValueError(
                f"answers: the matrix is {matrix.dtype} of shape {matrix.shape}; it needs numbers"
                " (items, annotators)."
            )
        said = ~np.isnan(matrix) & (matrix != -1) if matrix.dtype.kind == "f" else matrix != -1
        rows, columns = np.nonzero(said)
        names = range(matrix.shape[1]) if annotators is None else annotators
        names = tuple(str(name) for name in names)
        if len(names) != matrix.shape[1] or len(set(names)) != len(names):
            raise ValueError(
                f"answers: {len(set(names))} different annotators named for {matrix.shape[1]}"
                " columns; name each once."
            )
        found, labels_said = _read_labels(matrix[said], classes)
        kept, codes = _those_who_answered(names, columns)
        return _made(
            rows.astype(np.int32),
            codes,
            labels_said,
            np.arange(len(matrix)),
            kept,
            found,
        )

    @classmethod
    def from_votes(cls, votes: Votes, n: int, classes: Sequence[str] | int) -> Answers:
        """From votes about items 0..n-1 with one label each; those with none are left out.

        Raises:
            ValueError: an answer with several labels, or what ``from_columns`` refuses.
        """
        names = _two(declared_classes(classes))
        check_votes(votes, n, len(names))
        lengths = np.diff(votes.offsets)
        for answer in np.flatnonzero(lengths > 1)[:1]:
            raise ValueError(
                f"answer {answer} (item {votes.item[answer]}) holds {lengths[answer]} labels; a"
                " consensus is of one label each. For sets see crowd.set_curve, votes.union and"
                " votes.vaguest."
            )
        everyone = tuple(sorted(set(votes.annotator.tolist())))
        number = {name: code for code, name in enumerate(everyone)}
        codes = np.array([number[name] for name in votes.annotator[lengths > 0]], np.int64)
        kept, codes = _those_who_answered(everyone, codes)
        return _made(
            votes.item[lengths > 0].astype(np.int32),
            codes,
            votes.labels.astype(np.int32),
            np.arange(n),
            kept,
            names,
        )

    @classmethod
    def from_labelled(cls, data: Labelled) -> Answers:
        """From the votes of a data set; items go by its ids.

        Raises:
            ValueError: there are no votes, or ``from_votes`` refuses them.
        """
        made_by(data, Labelled, "data", "candidly.from_arrays")
        if data.votes is None:
            raise ValueError(f"{data.source or 'the data set'} has no votes.")
        found = cls.from_votes(data.votes, data.n, data.classes)
        return cls(
            found.item, found.annotator, found.label, data.ids, found.annotators, found.classes
        )

    def __len__(self) -> int:
        """Number of answers."""
        return len(self.item)

    def __repr__(self) -> str:
        return (
            f"Answers({len(self)} about {self.n} items by {len(self.annotators)} annotators,"
            f" {self.m} classes)"
        )

    @property
    def n(self) -> int:
        """Number of items, with and without answers."""
        return len(self.items)

    @property
    def m(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def counts(self) -> np.ndarray:
        """How often each class was said about each item: int64 (n, m)."""
        cells = self.item.astype(np.int64) * self.m + self.label
        return np.bincount(cells, minlength=self.n * self.m).reshape(self.n, self.m)

    @cached_property
    def per_item(self) -> np.ndarray:
        """Answers about each item: int64 (n,)."""
        return np.bincount(self.item, minlength=self.n)

    @cached_property
    def shared(self) -> np.ndarray:
        """Whether others answered the same item: bool (answers,)."""
        first = np.ones(len(self), bool)
        first[1:] = (np.diff(self.item) != 0) | (np.diff(self.annotator) != 0)
        return np.bincount(self.item[first], minlength=self.n)[self.item] > 1

    @cached_property
    def repeated(self) -> int:
        """How many answers are of an annotator about an item that this one answered before."""
        return int(((np.diff(self.item) == 0) & (np.diff(self.annotator) == 0)).sum())

    @cached_property
    def per_annotator(self) -> np.ndarray:
        """Answers of each annotator: int64 (J,), at least 1."""
        return np.bincount(self.annotator, minlength=len(self.annotators))


def check_answers(answers: Any) -> None:
    """Raises ValueError for anything but ``Answers``."""
    made_by(answers, Answers, "answers", "crowd.Answers.from_columns")


def checked_known(known: Any, answers: Answers) -> np.ndarray:
    """Classes of items where they are known, -1 else: int (n,).

    Raises:
        ValueError: another shape, or a class that is none.
    """
    known = np.asarray(known)
    if known.shape != (answers.n,) or known.dtype.kind not in "iu":
        raise ValueError(
            f"`known` is {known.dtype} of shape {known.shape}; give a class number for each of the"
            f" {answers.n:,} items, -1 where it is not known."
        )
    if known.max(initial=-1) >= answers.m or known.min(initial=-1) < -1:
        raise ValueError(f"`known` must lie in -1..{answers.m - 1}, the {answers.m} classes.")
    return known


def _made(
    item: np.ndarray,
    annotator: np.ndarray,
    label: np.ndarray,
    items: np.ndarray,
    annotators: tuple[str, ...],
    classes: tuple[str, ...],
    rows: Any = NUMBERS,
    repeats: bool = False,
) -> Answers:
    """Sorted, each pair of item and annotator once, but for ``repeats``."""
    if not len(item):
        raise ValueError("answers: there is none.")
    check_size("counts of answers", (len(items), len(classes)), 8)
    cell = item.astype(np.int64) * len(annotators) + annotator
    # of repeats the label decides, and not the order that they were read in
    order = np.lexsort((label, cell)) if repeats else np.argsort(cell, kind="stable")
    for place in np.flatnonzero((np.diff(cell[order]) == 0) & (not repeats))[:1]:
        first, second = order[place], order[place + 1]
        raise ValueError(
            f"answers: {annotators[annotator[first]]!r} answers item {items[item[first]]!s} twice,"
            f" in rows {rows[first]} and {rows[second]}. Keep one of them, or say which with"
            " `keep`: first, last or all."
        )
    item, annotator, label = (read_only(column[order]) for column in (item, annotator, label))
    return Answers(item, annotator, label, read_only(items), annotators, classes)


def _names_of_items(items: Any) -> np.ndarray:
    if isinstance(items, int | np.integer):
        check_size("names of items", (int(items),), 8)
        return np.arange(int(items))
    names = checked_column("items", items)
    if len(set(names.tolist())) < len(names):
        raise ValueError("answers: `items` names an item twice.")
    return names


def _read_labels(
    labels: Any,
    classes: Sequence[str] | int | None,
    merge: bool | Mapping[str, str] = False,
    rows: Any = NUMBERS,
) -> tuple[tuple[str, ...], np.ndarray]:
    """The classes, at least two, and each answer's place among them: int32 (answers,)."""
    entries = coded_labels("answers: `label`", labels)
    if not len(entries.codes):
        raise ValueError("answers: there is none.")
    empty = [k for k, one in enumerate(entries.values) if missing(one) or one == ""]
    there = [k for k in empty if (entries.codes == k).any()]
    for k in there[:1]:
        row = rows[entries.row(k)]
        raise ValueError(
            f"answers: `label` is {entries.values[k]!r} in row {row}. Leave out rows without an"
            " answer."
        )
    rule, called = LabelRule(classes, merge=merge), {"label": "answers: `label`"}
    read = read_labels({"label": entries}, rule, called, None if rows is NUMBERS else rows)
    found = read.labels["label"]
    if (bad := np.flatnonzero(found < 0)).size:
        raise ValueError(
            f"answers: `label` is -1 in row {rows[bad[0]]}, which is no class. Leave out rows"
            " without an answer."
        )
    return _two(read.classes), found.astype(np.int32)


def _two(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) < 2:
        raise Refusal(
            f"answers: there is one class, {names[0]!r}.",
            "name all that could have been said with `classes`",
        )
    return names


def _places(name: str, column: NamedColumn, names: np.ndarray, rows: Any) -> np.ndarray:
    """The place of each entry among the names: int32 (answers,)."""
    if names is column.names:
        return column.codes.astype(np.int32)
    number = {known: code for code, known in enumerate(names.tolist())}
    places = np.empty(len(column.names), np.int32)
    for k, entry in enumerate(column.names.tolist()):
        if entry not in number:
            listed = ", ".join(str(known) for known in names[:10])
            more = ", ..." if len(names) > 10 else ""
            raise ValueError(
                f"answers: `{name}` is {entry!r} in row {rows[column.row(k)]}, which is none of"
                f" {listed}{more}."
            )
        places[k] = number[entry]
    return places[column.codes]


def _those_who_answered(
    names: tuple[str, ...], codes: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """Names of those with an answer, and the codes among these; the others get a warning."""
    there = np.zeros(len(names), bool)
    there[codes] = True
    if there.any() and not there.all():
        absent = [name for name, here in zip(names, there.tolist()) if not here]
        more = ", ..." if len(absent) > NAMED else ""
        warnings.warn(
            f"{len(absent)} of {len(names)} annotators have no answer and are left out:"
            f" {', '.join(absent[:NAMED])}{more}.",
            stacklevel=3,
        )
    kept = tuple(name for name, here in zip(names, there.tolist()) if here)
    return kept, (np.cumsum(there) - 1)[codes].astype(np.int32)
