"""What is in a data set: sizes, label sets, noise, and traps such as constant columns."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...ground.arrays import door
from ...ground.checks import check_size
from ..inputs import InputKind, Table
from .votes import Votes

FEATURES = " + features("  # how a source says that inputs are what another network made
TRACK = "pre-trained features given"
MOST = 2000  # classes of a matrix that is worth holding as numbers; a file of it takes 100 MB


def with_given_features(source: str, name: str) -> str:
    """Where data comes from whose inputs were replaced by the features in a file of that name."""
    return f"{source}{FEATURES}{name})"


def track_of(source: str) -> str:
    """What results on data from there must not be compared without; '' where there is nothing.

    >>> track_of(with_given_features("cifar10n-worst", "dino.npz"))
    'pre-trained features given'
    """
    return TRACK if FEATURES in source else ""


class Data(Protocol):
    """What describing reads; ``Labelled`` is one."""

    @property
    def n(self) -> int: ...
    @property
    def q(self) -> int: ...
    @property
    def kind(self) -> InputKind: ...
    @property
    def source(self) -> str: ...
    @property
    def inputs(self) -> np.ndarray | Table: ...
    @property
    def classes(self) -> tuple[str, ...]: ...
    @property
    def candidates(self) -> np.ndarray | None: ...
    @property
    def given(self) -> np.ndarray | None: ...
    @property
    def tags(self) -> np.ndarray | None: ...
    @property
    def votes(self) -> Votes | None: ...
    @property
    def truth(self) -> np.ndarray | None: ...
    @property
    def official_test(self) -> np.ndarray | None: ...


@dataclass(frozen=True, kw_only=True)
class Description:
    """Characteristics of one data set. What does not apply is None; ``oracle_`` reads the truth.

    Attributes:
        n, q: examples and classes.    kind: of the inputs.    source: as stored.
        features: columns of a table.
        column_kinds: for columns of different kinds, (name, kind) of each.
        missing_cells: of these columns.
        unlabelled_test: official test rows that nobody labelled, while others are labelled; all
            that is said of labels and of the truth leaves them out. See ``labelled_rows``.
        constant_columns: numbers of the columns of a table that have one value.
        duplicate_rows: examples whose inputs equal those of an earlier one; not for media.
        avg_candidates, min_candidates, max_candidates: labels in a candidate set.
        candidate_sizes: how many sets have 0, 1, ... ``max_candidates`` labels.
        singleton_rows, full_rows: sets of one label, and of all.
        never_candidates: classes that are in no candidate set.
        given_missing: examples without a given label.
        avg_tags: tags an example.
        answers, annotators: of ``votes``.
        oracle_unknown: examples whose truth is not known; the oracle's other fields leave them out.
        oracle_class_counts: examples of each class.
        oracle_imbalance: the largest of these by the smallest that is not 0.
        oracle_never_true: classes with no example.
        oracle_noise_rate: share of examples whose truth is no candidate.
        oracle_given_noise_rate: share of the given labels that differ from the truth.
        oracle_flipping: (q, q); among examples of class a, the share with b as a candidate (or,
            without candidate sets, as given label). A row of NaN where class a has none. None
            beyond 2000 classes, as is what follows from such a matrix.
        oracle_transition: (q, q); among examples of class a that have a given label, the share
            with b as that label. A row of NaN where class a has none. None beyond 2000 classes.
        oracle_diagonal: of oracle_transition: the share of each class whose given label is right.
        oracle_ambiguity: largest entry of it off the diagonal, for candidate sets; a proxy of the
            ambiguity degree that holds when sets depend on the class alone.
    """

    source: str
    n: int
    q: int
    kind: str
    features: int | None = None
    column_kinds: tuple[tuple[str, str], ...] | None = None
    missing_cells: int | None = None
    constant_columns: tuple[int, ...] | None = None
    duplicate_rows: int | None = None
    unlabelled_test: int | None = None
    avg_candidates: float | None = None
    min_candidates: int | None = None
    max_candidates: int | None = None
    candidate_sizes: tuple[int, ...] | None = None
    singleton_rows: int | None = None
    full_rows: int | None = None
    never_candidates: tuple[str, ...] | None = None
    given_missing: int | None = None
    avg_tags: float | None = None
    answers: int | None = None
    annotators: int | None = None
    oracle_unknown: int | None = None
    oracle_class_counts: tuple[int, ...] | None = None
    oracle_imbalance: float | None = None
    oracle_never_true: tuple[str, ...] | None = None
    oracle_noise_rate: float | None = None
    oracle_given_noise_rate: float | None = None
    oracle_flipping: tuple[tuple[float, ...], ...] | None = None
    oracle_transition: tuple[tuple[float, ...], ...] | None = None
    oracle_diagonal: tuple[float, ...] | None = None
    oracle_ambiguity: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON: tuples become lists, NaN becomes None."""
        return {name: _plain(value) for name, value in dataclasses.asdict(self).items()}


def describe(data: Data) -> Description:
    """Characteristics of a ``Labelled``, the oracle's among them when there is a truth.

    Raises:
        ValueError: there is no example.

    Source of the definitions: Wang et al., ICLR 2025; Cour et al., 2011 (ambiguity degree).
    """
    if not data.n:
        raise ValueError("there is no example to describe.")
    rows = labelled_rows(data)
    found = _inputs(data) | _labels(data, rows)
    if data.truth is not None:
        found |= _oracle(data, np.where(rows, data.truth, -1), rows)
    if not rows.all():
        found["unlabelled_test"] = int((~rows).sum())
    return Description(source=data.source, n=data.n, q=data.q, kind=data.kind, **found)


def labelled_rows(data: Data) -> np.ndarray:
    """Which examples the labels are about: bool (n,).

    All, but for the official test rows where none of them has a label and others do. A row without
    a label has every class as a candidate, no given label, no tag and no answer. So the pictures
    that human answers are scored on do not count among the answers.
    """
    rows = np.ones(data.n, bool)
    if data.official_test is None:
        return rows
    said = np.zeros(data.n, bool)
    if data.candidates is not None:
        said |= ~data.candidates.all(1)
    if data.given is not None:
        said |= data.given >= 0
    if data.tags is not None:
        said |= data.tags.any(1)
    if data.votes is not None:
        said[data.votes.item] = True
    if said.any() and not said[data.official_test].any():
        rows = ~data.official_test
    return rows


def flipping(sets: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Share of examples of class a whose set holds b.

    Args:
        sets: bool (n, q).    truth: int (n,) in -1..q-1; rows with -1 are left out.

    Returns:
        float (q, q), rows a, columns b, in [0, 1]; NaN in rows of classes without an example.

    Raises:
        ValueError: so many classes that the matrix would take more than 17 GB.
    """
    check_size("the matrix of classes", (sets.shape[1], sets.shape[1]), 8)
    classes = (truth[:, None] == np.arange(sets.shape[1])).astype(np.float64)
    counts = classes.sum(0)[:, None]
    together = classes.T @ sets
    return np.divide(together, counts, out=np.full_like(together, np.nan), where=counts > 0)


@door
def transition(given: np.ndarray, truth: np.ndarray, q: int) -> np.ndarray:
    """Transition matrix: among examples of class a, the share whose given label is b.

    Args:
        given, truth: int (n,), in -1..q-1; rows with -1 in either are left out.

    Returns:
        float (q, q), rows a, columns b, in [0, 1]; NaN in rows of classes without an example.

    Raises:
        ValueError: so many classes that the matrix would take more than 17 GB.
    """
    check_size("the matrix of classes", (q, q), 8)
    given, truth = np.asarray(given), np.asarray(truth)
    both = (given >= 0) & (truth >= 0)
    pairs = np.bincount(truth[both] * q + given[both], minlength=q * q).reshape(q, q)
    counts = pairs.sum(1, keepdims=True).astype(np.float64)
    return np.divide(pairs, counts, out=np.full((q, q), np.nan), where=counts > 0)


def _inputs(data: Data) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(data.inputs, Table):
        frame = data.inputs.frame
        single = [frame[name].n_unique() <= 1 for name in frame.columns]
        kinds = data.inputs.kinds
        return {
            "features": frame.width,
            "column_kinds": tuple((name, kinds[name]) for name in frame.columns),
            "missing_cells": sum(frame.null_count().row(0)),
            "constant_columns": tuple(np.flatnonzero(single).tolist()),
            "duplicate_rows": frame.height - frame.n_unique(),
        }
    if data.kind == "table":
        constant = (data.inputs == data.inputs[0]).all(0)
        found["features"] = data.inputs.shape[1]
        found["constant_columns"] = tuple(np.flatnonzero(constant).tolist())
    if data.kind.texts:
        found["duplicate_rows"] = data.n - len(set(data.inputs))
    elif not data.kind.files:
        rows = np.ascontiguousarray(data.inputs.reshape(data.n, -1)) + data.inputs.dtype.type(0)
        # compared as bytes, hence + 0: it turns -0.0 into 0.0
        found["duplicate_rows"] = data.n - len({row.tobytes() for row in rows})
    return found


def _labels(data: Data, rows: np.ndarray) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if data.candidates is not None:
        sets = data.candidates[rows]
        sizes = sets.sum(1)
        found["avg_candidates"] = float(sizes.mean())
        found["min_candidates"] = int(sizes.min())
        found["max_candidates"] = int(sizes.max())
        found["candidate_sizes"] = tuple(np.bincount(sizes).tolist())
        found["singleton_rows"] = int((sizes == 1).sum())
        found["full_rows"] = int((sizes == data.q).sum())
        found["never_candidates"] = _names(data, ~sets.any(0))
    if data.given is not None:
        found["given_missing"] = int((data.given[rows] == -1).sum())
    if data.tags is not None:
        found["avg_tags"] = float(data.tags[rows].sum(1).mean())
    if data.votes is not None:
        found["answers"] = len(data.votes)
        found["annotators"] = len(set(data.votes.annotator))
    return found


def _oracle(data: Data, truth: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    known = truth >= 0
    found: dict[str, Any] = {"oracle_unknown": int((rows & ~known).sum())}
    if not known.any():
        return found
    counts = np.bincount(truth[known], minlength=data.q)
    found["oracle_class_counts"] = tuple(counts.tolist())
    found["oracle_imbalance"] = float(counts.max() / counts[counts > 0].min())
    found["oracle_never_true"] = _names(data, counts == 0)
    sets = data.candidates
    if sets is not None:
        found["oracle_noise_rate"] = float((~sets[known, truth[known]]).mean())
    if data.given is not None:
        both = known & (data.given >= 0)
        if both.any():
            found["oracle_given_noise_rate"] = float((data.given != truth)[both].mean())
            if data.q <= MOST:
                shares = transition(data.given, truth, data.q)
                found["oracle_transition"] = tuple(tuple(row) for row in shares.tolist())
                found["oracle_diagonal"] = tuple(shares.diagonal().tolist())
        if sets is None and data.q <= MOST:
            truth = np.where(both, truth, -1)
            sets = data.given[:, None] == np.arange(data.q)
    if sets is not None and data.q <= MOST:
        shares = flipping(sets, truth)
        found["oracle_flipping"] = tuple(tuple(row) for row in shares.tolist())
        off = shares[~np.eye(data.q, dtype=bool)]
        if data.candidates is not None and not np.isnan(off).all():
            found["oracle_ambiguity"] = float(np.nanmax(off))
    return found


def _names(data: Data, which: Any) -> tuple[str, ...]:
    return tuple(data.classes[label] for label in np.flatnonzero(which))


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
