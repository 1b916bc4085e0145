"""A corrected set of labels, and where each label comes from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...data.labels.labelled import Labelled, given_to_candidates
from ...data.labels.storage import read_arrays, write_arrays
from ...data.labels.votes import Votes
from ...ground.arrays import as_array, door
from ...ground.checks import LABEL_ARRAYS, OFFICIAL, check_range, read_only
from ...ground.problem import Refusal
from ._totals import Reading, parts, proposed
from ._verdicts import Verdicts, check_verdicts
from .rule import CATEGORIES, MULTI_LABEL, NON_AGREEMENT, PENDING
from .tally import ANSWERS, SetTally

if TYPE_CHECKING:
    import polars as pl

PROVENANCE = ("unflagged", "confirmed", "corrected", "pruned", "pending", "undecided", "decided")
UNFLAGGED, CONFIRMED, CORRECTED, PRUNED, WAITING, UNDECIDED, DECIDED = range(len(PROVENANCE))
SCHEMA = "corrected labels 1"
Unsettled = Literal["drop", "candidates", "unlabelled"]
Undecided = Literal["keep", "prune"]  # what becomes of labels on which no answer has the threshold


@dataclass(frozen=True, eq=False)
class Corrected:
    """Labels of n examples after k of them were checked, and where each comes from.

    Attributes:
        labels: int64 (n,), the labels to use; -1 for what is pruned (and for what had none).
        original: (n,), the labels before, bit for bit.
        provenance: uint8 (n,), places in ``PROVENANCE``. Pending: flagged, but too few answers
            for a verdict; undecided: people differ. The label stays in both. Decided: by one who
            has the last word, whatever people say; the label is -1 where the row is to go.
        item: int64 (k,), the examples that were checked; the arrays below follow it.
        counts: int64 (k, 5), the answers; given, guessed, both, neither, other.
        threshold: int64 (k,), people that made the verdict.
        category: int8 (k,), places in ``validation.CATEGORIES``.
        guessed: int64 (k,), the class proposed instead: the guess, or one that people name.
        reading: what counts as an error, see ``sets``.
        undecided: whether labels on which people differ were kept or pruned.
        data: the SHA-256 that says which data these labels belong to.
        of_labels: whether it covers the labels alone, and not the inputs.
    """

    labels: np.ndarray
    original: np.ndarray
    provenance: np.ndarray
    item: np.ndarray
    counts: np.ndarray
    threshold: np.ndarray
    category: np.ndarray
    guessed: np.ndarray
    reading: str
    data: str
    of_labels: bool
    undecided: str

    def __post_init__(self) -> None:
        for name in ARRAYS:
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __len__(self) -> int:
        """Number of examples."""
        return len(self.labels)

    def __repr__(self) -> str:
        numbers = np.bincount(self.provenance, minlength=len(PROVENANCE)).tolist()
        return f"Corrected({', '.join(f'{n} {p}' for p, n in zip(PROVENANCE, numbers) if n)})"

    @property
    def pruned(self) -> np.ndarray:
        """Bool (n,): errors without another label, and rows that are to go."""
        gone = (self.provenance == DECIDED) & (self.labels < 0)
        return (self.provenance == PRUNED) | gone

    @property
    def sources(self) -> list[str]:
        """Where each of the n labels comes from, in words of ``PROVENANCE``."""
        return [PROVENANCE[place] for place in self.provenance.tolist()]

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of what went in: data, answers, thresholds, reading and decisions."""
        kept = " keep" * (self.undecided == "keep")
        digest = hashlib.sha256(f"{SCHEMA} {self.data} {self.reading}{kept}".encode())
        for name in ("item", "counts", "threshold", "guessed"):
            digest.update(np.ascontiguousarray(getattr(self, name), "<i8").tobytes())
        decided = np.flatnonzero(self.provenance == DECIDED)
        if len(decided):
            told = np.concatenate([decided, self.labels[decided]])
            digest.update(b"decided" + np.ascontiguousarray(told, "<i8").tobytes())
        return digest.hexdigest()

    @door
    def apply(self, data: Any, unsettled: Unsettled = "drop") -> Any:
        """The data with corrected labels.

        Args:
            data: what the correction was made from: a ``Labelled``, or labels (n,).
            unsettled: what becomes of pruned examples. ``"drop"`` leaves them out; ``"unlabelled"``
                keeps them without a label; ``"candidates"`` gives every example a candidate set:
                its label, both classes where the verdict is multi-label, and all classes for the
                other pruned ones. Labels alone stay (n,), with -1.

        Raises:
            ValueError: other data, or candidate sets that are there already.
        """
        _check_same(self, data)
        if not isinstance(data, Labelled):
            return self.labels.copy()
        if unsettled == "drop":
            return replace(data, given=self.labels)[~self.pruned]
        if unsettled == "unlabelled":
            return replace(data, given=self.labels)
        if unsettled != "candidates":
            raise ValueError(
                f"unsettled is {unsettled!r}; choose 'drop', 'candidates' or 'unlabelled'."
            )
        if data.candidates is not None:
            raise ValueError("the data have candidate sets already; unsettled='unlabelled' fits.")
        candidates = given_to_candidates(self.labels, data.q)
        several = (self.category == MULTI_LABEL) & self.pruned[self.item]
        rows = self.item[several]
        candidates[rows] = False
        candidates[rows, self.original[rows]] = True
        candidates[rows, self.guessed[several]] = True
        return replace(data, given=self.labels, candidates=candidates)

    @door
    def undo(self, changed: Any, dropped: Labelled | None = None) -> Any:
        """The data as they were before ``apply``, bit for bit.

        Args:
            changed: what ``apply`` returned.
            dropped: ``data[corrected.pruned]``, where ``apply`` dropped these.

        Raises:
            ValueError: something else than what ``apply`` returned, or dropped examples that are
                not there.
        """
        if not isinstance(changed, Labelled):
            if not np.array_equal(changed, self.labels):
                raise ValueError("these are not the corrected labels; nothing is undone.")
            return self.original.copy()
        missing = len(self) - changed.n - (0 if dropped is None else dropped.n)
        if missing:
            raise ValueError(
                f"{changed.n} of {len(self)} examples are here. Pass those that were dropped:"
                " undo(changed, data[corrected.pruned])."
            )
        if dropped is not None:
            changed = _put_together(changed, dropped, np.argsort(self.pruned, kind="stable"))
        original = self.original.astype(np.int64)
        for candidates in (changed.candidates, None):
            before = replace(changed, given=original, candidates=candidates)
            if before.fingerprint() == self.data:
                return before
        raise ValueError(
            "what this gives is not the data that were corrected: something else has changed too."
        )

    @door
    def table(self, ids: Any = None, classes: Sequence[str] | None = None) -> pl.DataFrame:
        """A row per example: id, label (null when pruned), original, provenance, answers.

        Args:
            ids: n names of the rows; their numbers by default.
            classes: names, which then stand for the numbers of the classes.
        """
        import polars as pl

        counts = np.full((len(self), len(ANSWERS)), -1)
        counts[self.item] = self.counts
        threshold = np.full(len(self), -1)
        threshold[self.item] = self.threshold
        columns: dict[str, Any] = {
            "id": np.arange(len(self)) if ids is None else list(ids),
            "label": self.labels,
            "original": self.original,
            "provenance": self.sources,
            "verdict": self._verdict_names(),
        }
        columns |= {f"votes {name}": counts[:, i] for i, name in enumerate(ANSWERS)}
        columns["threshold"] = threshold
        optional = ["label", "threshold", *(f"votes {name}" for name in ANSWERS)]
        made = pl.DataFrame(columns).with_columns(
            pl.when(pl.col(optional) >= 0).then(pl.col(optional)).name.keep()
        )
        if classes is None:
            return made
        names = dict(enumerate(classes))
        both = pl.col("label", "original")
        return made.with_columns(both.replace_strict(names, default=None, return_dtype=pl.String))

    def _verdict_names(self) -> list[str | None]:
        names: list[str | None] = [None] * len(self)
        for item, category in zip(self.item.tolist(), self.category.tolist()):
            names[item] = CATEGORIES[category]
        return names

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one ``.npz`` file, without pickle, whole or not at all.

        Raises:
            OSError: it cannot be written. ValueError: ``path`` does not end in ``.npz``.
        """
        note = {
            "schema": SCHEMA,
            "reading": self.reading,
            "undecided": self.undecided,
            "data": self.data,
            "of_labels": self.of_labels,
            "fingerprint": self.fingerprint,
            "provenance": list(PROVENANCE),
        }
        write_arrays(Path(path), {name: getattr(self, name) for name in ARRAYS}, note)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Corrected:
        """What ``save`` wrote.

        Raises:
            FileNotFoundError: no such file. ValueError: another file, or a damaged one.
        """
        arrays, note = read_arrays(Path(path))
        told = note is not None and note.get("schema") == SCHEMA and set(TOLD) <= set(note)
        if note is None or not told or set(arrays) != set(ARRAYS):
            raise ValueError(f"{path} holds no corrected labels that this candidly reads.")
        values: dict[str, Any] = {**arrays, **{name: note[name] for name in TOLD}}
        made = cls(**values)
        if made.fingerprint != note["fingerprint"]:
            raise ValueError(f"{path} is damaged: its contents are not what it was made from.")
        return made


TOLD = ("reading", "undecided", "data", "of_labels")
ARRAYS = tuple(f.name for f in fields(Corrected) if f.name not in TOLD)


@door
def corrected(
    data: Any,
    verdicts: Verdicts,
    reading: Reading = "exact",
    undecided: Undecided = "keep",
    decided: Mapping[int, int] | None = None,
) -> Corrected:
    """Corrected labels: what people confirmed stays, what they corrected changes, the rest goes.

    But a label on which they differ, so that no answer has the threshold, is kept as it is unless
    it is to be ``prune``d, as in the released test sets.

    Args:
        data: ``Labelled`` with ``given``, or labels, int (n,).
        verdicts: on examples of ``data``, by row number; about one label each.
        reading: ``"exact"``, or ``"seen"``: a label that the threshold saw at all stays.
        undecided: ``"keep"`` or ``"prune"`` labels on which people differ.
        decided: labels of rows on which somebody had the last word, whatever the verdicts say; -1
            where the row is to go.

    Raises:
        ValueError: items without a place or out of range, votes about other labels than those in
            ``data``, a correction without a class, verdicts on sets of classes, or a decision
            about a row or for a class that is not there.

    >>> from candidly.people.validation import from_counts, judge
    >>> votes = from_counts([[5, 0, 0, 0], [0, 5, 0, 0], [0, 0, 0, 5]], given=[0, 1, 2],
    ...                     guessed=[1, 2, 3])
    >>> corrected(np.array([0, 1, 2, 2]), judge(votes)).labels
    array([ 0,  2, -1,  2])
    """
    check_verdicts(verdicts)
    tally = verdicts.tally
    if isinstance(tally, SetTally):
        raise ValueError(
            "these verdicts are about sets of classes, which say that a set is wrong and not which"
            " is right; only single labels are corrected."
        )
    original = _labels_of(data)
    _check_places(verdicts, original)
    if undecided not in ("keep", "prune"):
        raise ValueError(f"`undecided` is {undecided!r}; choose 'keep' or 'prune'.")
    changes, removed = parts(verdicts, reading)
    differ = np.zeros(len(removed), bool)
    if undecided == "keep":
        differ = removed & (verdicts.category == NON_AGREEMENT)
        removed = removed & ~differ
    instead = proposed(verdicts)
    for place in np.flatnonzero(changes & (instead < 0))[:1]:
        raise ValueError(
            f"item {tally.ids[place]!s} is to be corrected, but nobody says to which class. The"
            " answers need the guessed class."
        )
    if isinstance(data, Labelled):
        check_range("guessed", instead[changes], data.q, lowest=0)
    labels = original.astype(np.int64)
    labels[tally.item[changes]] = instead[changes]
    labels[tally.item[removed]] = -1
    provenance = np.full(len(labels), UNFLAGGED, np.uint8)
    provenance[tally.item] = np.select(
        [changes, removed, verdicts.category == PENDING, differ],
        [CORRECTED, PRUNED, WAITING, UNDECIDED],
        CONFIRMED,
    )
    for row, label in (decided or {}).items():
        _check_decided(row, label, data, labels)
        labels[row], provenance[row] = label, DECIDED
    return Corrected(
        labels=labels,
        original=original.copy(),
        provenance=provenance,
        item=tally.item,
        counts=tally.counts,
        threshold=verdicts.threshold,
        category=verdicts.category,
        guessed=instead,
        reading=reading,
        data=_data_hash(data),
        of_labels=not isinstance(data, Labelled),
        undecided=undecided,
    )


def _check_decided(row: int, label: int, data: Any, labels: np.ndarray) -> None:
    if not 0 <= row < len(labels):
        raise ValueError(f"row {row} is decided on, but there are {len(labels)} labels.")
    last = data.q - 1 if isinstance(data, Labelled) else None
    if label < -1 or (last is not None and label > last):
        raise ValueError(f"row {row} is decided to be class {label}, which is no class.")


def _labels_of(data: Any) -> np.ndarray:
    if isinstance(data, Labelled):
        if data.given is None:
            raise ValueError("the data have no `given` labels to correct.")
        return data.given
    labels = as_array(data, "labels")
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"the labels are {labels.dtype} of shape {labels.shape}; whole numbers (n,) are needed."
        )
    return labels


def _data_hash(data: Any) -> str:
    if isinstance(data, Labelled):
        return data.fingerprint()
    labels = np.ascontiguousarray(_labels_of(data), "<i8")
    return hashlib.sha256(b"labels" + labels.tobytes()).hexdigest()


def _check_same(made: Corrected, data: Any) -> None:
    if isinstance(data, Labelled) == made.of_labels:
        of = "labels alone" if made.of_labels else "a data set with inputs"
        raise ValueError(f"this correction was made from {of}; apply it to the same.")
    if _data_hash(data) != made.data:
        raise ValueError(
            "these are not the data that the correction was made from: their SHA-256 differs."
        )


def _check_places(verdicts: Verdicts, original: np.ndarray) -> None:
    tally = verdicts.tally
    assert not isinstance(tally, SetTally)
    n = len(original)
    unplaced = int((tally.item < 0).sum())
    if unplaced:
        raise Refusal(
            f"{unplaced} items have no place in the data set, such as {tally.ids[0]!s}: their ids"
            " are file names.",
            "read the votes with the index of file names, `index`",
        )
    for place in np.flatnonzero(tally.item >= n)[:1]:
        raise ValueError(f"there are votes about item {tally.item[place]}, but {n} labels.")
    said = tally.given >= 0
    for place in np.flatnonzero(said & (original[tally.item] != tally.given))[:1]:
        raise ValueError(
            f"item {tally.item[place]} has label {original[tally.item[place]]}, but the votes are"
            f" about label {tally.given[place]}. Are they about these labels?"
        )


def _put_together(kept: Labelled, dropped: Labelled, rows: np.ndarray) -> Labelled:
    """Both parts again, where ``rows`` are their places in the whole."""
    order = np.argsort(rows)
    whole: dict[str, Any] = {}
    for name in ("inputs", *LABEL_ARRAYS, "ids", *OFFICIAL):
        first, second = getattr(kept, name), getattr(dropped, name)
        if first is not None and second is not None:
            whole[name] = np.concatenate([first, second])[order]
    votes = [part.votes for part in (kept, dropped)]
    if votes[0] is not None and votes[1] is not None:
        whole["votes"] = _joined_votes(votes[0], votes[1], kept.n, rows)
    return Labelled(classes=kept.classes, source=kept.source, **whole)


def _joined_votes(first: Votes, second: Votes, kept: int, rows: np.ndarray) -> Votes:
    """Answers of both parts, item by item; their order across items is not known any more."""
    answers = [(int(rows[item]), who, labels) for item, who, labels in first.rows()]
    answers += [(int(rows[kept + item]), who, labels) for item, who, labels in second.rows()]
    return Votes.from_rows(sorted(answers, key=lambda answer: answer[0]))
