"""``Labelled``: the one container of inputs and their imperfect labels."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...ground import checks as _checks
from ...ground.arrays import as_array, rows_are
from ...ground.problem import why
from ..inputs import InputKind, Table, checked_features, checked_inputs, kind_of_inputs
from ._splits import Split, make_split
from ._stored import ROW_ARRAYS, content, to_fields, to_stored
from .describe import Description, describe, labelled_rows
from .kinds import FIELDS
from .storage import read_arrays, write_arrays
from .votes import Votes, check_votes, votes_about

SCHEMA = 1  # of saved files; loading refuses others


@dataclass(frozen=True, kw_only=True, eq=False)
class Labelled:
    """n inputs, and any of: candidate sets, one noisy label, tags, votes, the hidden truth.

    Args:
        inputs: float32 or float64 (n, d) table without NaN or infinity; uint8 images (n, h, w) or
            (n, h, w, c), where a fourth channel is transparency, of which training knows nothing;
            object (n,) of ``str`` (texts) or of ``pathlib.Path`` (media files); or a ``Table`` of
            columns of different kinds.
        classes: q different names.
        candidates: bool (n, q), a True in every row.
        given: int64 (n,), the one label that may be wrong; -1 for none.
        tags: bool (n, q), multi-label data; rows may be empty.
        votes: answers of people about rows 0..n-1.
        truth: int64 (n,), -1 where unknown. Training must not see it: hand out ``blind()``.
        ids: n different names of the examples, int64 or object of ``str``; 0..n-1 by default.
        features: names of the columns that the inputs were taken from, where these have names and
            the inputs do not (a ``Table`` does).
        source: where this came from, in words.
        official_test: bool (n,), the rows that its publishers made the test set.
        official_validation: bool (n,), those that they made the validation set; none of both.

    Raises:
        ValueError: fields that disagree; the message names the field, the row and the value.

    Arrays are stored as read-only views, not copied. Use ``from_arrays`` for anything that needs
    converting. Two are equal when every field is; ``fingerprint`` compares content alone.
    """

    inputs: np.ndarray | Table
    classes: tuple[str, ...]
    candidates: np.ndarray | None = None
    given: np.ndarray | None = None
    tags: np.ndarray | None = None
    votes: Votes | None = None
    truth: np.ndarray | None = None
    ids: np.ndarray = None  # type: ignore[assignment]  # 0..n-1 needs n
    features: tuple[str, ...] | None = None
    source: str = ""
    official_test: np.ndarray | None = None
    official_validation: np.ndarray | None = None

    def __post_init__(self) -> None:
        store = object.__setattr__
        store(self, "inputs", checked_inputs(self.inputs))
        store(self, "classes", _checks.checked_classes(self.classes))
        ids = np.arange(self.n) if self.ids is None else self.ids
        store(self, "ids", _checks.checked_ids(ids, self.n))
        store(self, "features", checked_features(self.features, self.inputs))
        for name in ("candidates", "tags"):
            sets = getattr(self, name)
            if sets is not None:
                may_be_empty = name == "tags"
                sets = _checks.checked_sets(name, sets, self.n, self.q, may_be_empty=may_be_empty)
                store(self, name, sets)
        for name in ("given", "truth"):
            labels = getattr(self, name)
            if labels is not None:
                store(self, name, _checks.checked_labels(name, labels, self.n, self.q))
        for name in _checks.OFFICIAL:
            if getattr(self, name) is not None:
                store(self, name, _checks.checked_flags(name, getattr(self, name), self.n))
        sets = [rows for name in _checks.OFFICIAL if (rows := getattr(self, name)) is not None]
        if len(sets) == 2 and (both := sets[0] & sets[1]).any():
            raise ValueError(
                f"row {both.argmax()} is in `official_test` and in `official_validation`; put it"
                " into one of them."
            )
        if self.votes is not None:
            check_votes(self.votes, self.n, self.q)
        if not isinstance(self.source, str):
            raise ValueError(f"`source` is {self.source!r}. Describe it in a string.")

    @property
    def n(self) -> int:
        """Number of examples."""
        return len(self.inputs)

    @property
    def q(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def kind(self) -> InputKind:
        """``table``, ``images``, ``texts``, ``media`` or ``columns``."""
        return kind_of_inputs(self.inputs)

    @property
    def label_kind(self) -> str | None:
        """What is learned from: ``single`` (given), ``one-of`` (candidates), ``all-of`` (tags).

        The first of these that is there, in this order; None where none is.
        """
        there = (kind for kind, name in FIELDS.items() if getattr(self, name) is not None)
        return next(there, None)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, rows: Any) -> Labelled:
        """The examples at ``rows``: integer indices, a bool mask (n,) or a slice, in that order.

        Raises:
            ValueError: a mask of another length, or a Series that names its rows otherwise; indices
                out of range, or a row twice.
        """
        rows_are(rows, self.ids, "rows")
        rows = _indices(rows, self.n)
        changes: dict[str, Any] = {
            name: getattr(self, name)[rows]
            for name in ROW_ARRAYS
            if getattr(self, name) is not None
        }
        if self.votes is not None:
            changes["votes"] = votes_about(self.votes, rows, self.n)
        return replace(self, **changes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Labelled):
            return NotImplemented
        return all(_same(a, b) for a, b in zip(self._fields().values(), other._fields().values()))

    def __repr__(self) -> str:
        shape = " x ".join(str(size) for size in self.inputs.shape)
        parts = [f"{shape} {self.kind}", f"{self.q} classes"]
        if self.candidates is not None:
            rows = labelled_rows(self)
            parts.append(f"candidates avg {self.candidates[rows].sum() / max(rows.sum(), 1):.2f}")
        parts += [name for name in ("given", "tags") if getattr(self, name) is not None]
        if self.votes is not None:
            parts.append(f"{len(self.votes)} votes")
        parts += ["truth"] if self.truth is not None else []
        for name in _checks.OFFICIAL:
            if (rows := getattr(self, name)) is not None:
                parts.append(f"{rows.sum()} {name.replace('_', ' ')} rows")
        parts += [f"source={self.source!r}"] if self.source else []
        return f"Labelled({', '.join(parts)})"

    def blind(self) -> Labelled:
        """The same without the truth: what training may see."""
        return replace(self, truth=None)

    def describe(self) -> Description:
        """Sizes, candidates, noise, flips: see ``candidly.data.labels.describe``. Reads the
        truth."""
        return describe(self)

    def fingerprint(self) -> str:
        """SHA-256 (hex) of the content: inputs, every kind of label, truth, number of classes.

        Not of ids, class names, annotators' names, source or place. For media it reads the files.
        """
        digest = hashlib.sha256(f"candidly 1 {self.kind} {self.q}".encode())
        for name, array in content(self._fields(), self.kind).items():
            plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
            digest.update(f"|{name} {plain.dtype.str} {plain.shape}|".encode())
            digest.update(plain.data if plain.size else b"")
        return digest.hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one ``.npz`` file, without pickle, beside ``path`` and then renamed.

        Media are stored as paths, relative to the file's folder where they are below it.

        Raises:
            OSError: nothing could be saved; ``path`` is as it was before, and is named.
            ValueError: ``path`` does not end in ``.npz``.
        """
        path = Path(path)
        note = {
            "schema": SCHEMA,
            "kind": self.kind,
            "classes": list(self.classes),
            "features": None if self.features is None else list(self.features),
            "source": self.source,
        }
        write_arrays(path, to_stored(self._fields(), self.kind, path.parent), note)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Labelled:
        """What ``save`` wrote.

        Raises:
            FileNotFoundError: no such file.
            ValueError: another file, a damaged one, or one of another schema version.
        """
        arrays, note = read_arrays(Path(path))
        if note is None:
            raise ValueError(f"{path} was not saved by candidly. candidly.load() reads others.")
        return from_stored(Path(path), arrays, note)

    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def split(
        self, seed: int, test: float = 0.1, validation: float = 0.1, *, official: bool = False
    ) -> Split:
        """Row numbers of training, validation and test, as the benchmark divides them.

        Args:
            seed: the trial seed.
            test: share of the n examples, in [0, 1).
            validation: share of what is left, in [0, 1).
            official: the test rows are those of ``official_test``, in order, and not a share; so
                are the validation rows where there is an ``official_validation``.

        Raises:
            ValueError: a share outside [0, 1), a part that would be empty though its share
                is not 0, or no official test set.

        Source: Wang et al., ICLR 2025, released program: legacy NumPy shuffles, seeded by the
        hashed trial seed, first of all rows, then of the places among those not in test.
        """
        if not official:
            return make_split(self.n, seed, test, validation)
        if self.official_test is None:
            raise ValueError(
                f"{self.source or 'the data'} has no official test set; use a random split."
            )
        own = self.official_validation
        return make_split(self.n, seed, self.official_test, validation if own is None else own)


def given_to_candidates(given: np.ndarray, q: int) -> np.ndarray:
    """Candidate sets of one label each; int (n,) -> bool (n, q). A row with -1 gets every class.

    >>> given_to_candidates(np.array([1, -1]), 2).tolist()
    [[False, True], [True, True]]
    """
    given = as_array(given, "given")
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise ValueError(
            f"`given` is {given.dtype} of shape {given.shape}; it needs integers (n,)."
        )
    _checks.check_range("given", given, q, lowest=-1)
    _checks.check_size("`candidates`", (len(given), q), 1)
    return (given[:, None] == np.arange(q)) | (given[:, None] == -1)


def _indices(rows: Any, n: int) -> np.ndarray:
    if isinstance(rows, slice):
        return np.arange(n)[rows]
    rows = as_array(rows, "rows")
    if rows.size == 0 and rows.dtype != bool:
        return np.zeros(0, np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "bui":
        raise ValueError(
            f"rows are {rows.dtype} of shape {rows.shape}; index with a slice, integers (m,)"
            f" or a bool mask ({n},). For one row write data[[5]]."
        )
    if rows.dtype == bool:
        if len(rows) != n:
            raise ValueError(f"the mask has {len(rows)} entries, but there are {n} examples.")
        return np.flatnonzero(rows)
    outside = (rows < -n) | (rows >= n)
    if outside.any():
        raise ValueError(f"row {rows[outside][0]} is not among the {n} examples (0..{n - 1}).")
    rows = rows.astype(np.int64) % max(n, 1)
    values, counts = np.unique(rows, return_counts=True)
    if (counts > 1).any():
        raise ValueError(
            f"row {values[counts > 1][0]} is asked for more than once. Examples have their own"
            " ids; index the arrays themselves to repeat rows."
        )
    return rows


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


def from_stored(path: Path, arrays: Mapping[str, np.ndarray], note: Mapping[str, Any]) -> Labelled:
    """The ``Labelled`` in what ``storage.read_arrays`` found at ``path``.

    Raises:
        ValueError: another schema version, or parts missing or damaged.
    """
    if note.get("schema") != SCHEMA:
        raise ValueError(
            f"{path} has schema version {note.get('schema')!r}, but this candidly reads {SCHEMA}."
            " Save it again with the version that wrote it, or update candidly."
        )
    try:
        stored = to_fields(arrays, note["kind"], path.parent)
        if note.get("features") is not None:  # files from before have none
            stored["features"] = tuple(note["features"])
        return Labelled(classes=tuple(note["classes"]), source=note["source"], **stored)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged{why(error, ': {}')}.") from error
