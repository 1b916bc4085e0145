"""What comes out of a cross-validation, and its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data.labels.storage import read_arrays, write_arrays
from ...ground.arrays import door
from ...ground.files import replacing
from ...show.words import listed

SCHEMA = "probabilities 1"
ARRAYS = ("probs", "folds", "given", "fold_ece", "temperatures", "variance")


class OnPermuted(NamedTuple):
    """Shares of held-out predictions that agree with permuted labels, and that chance gives."""

    agrees: float
    chance: float


@dataclass(frozen=True, eq=False)
class CrossValidated:
    """Out-of-sample probabilities, and how good they are.

    Attributes:
        probs: float64 (n, m), rows sum to 1, but of tags, where each is by itself; the mean over
            repeats.
        folds: int64 (n,), who was held out together; may be passed as ``folds``.
        classes: m names, in the order of the columns.
        given: int64 (n,), the given labels as numbers of classes, -1 for none; None where there
            are candidate sets or tags alone.
        chosen: the classifier that most folds of ``probs`` are of.
        accuracies: by classifier, the share of held-out predictions that are the given label (for
            candidate sets: a candidate; of tags: of all that are there or not, those that are
            predicted so), as if it had judged every fold.
        ece: expected calibration error over all examples, in [0, 1]; against the given labels, and
            NaN where there are candidate sets alone.
        fold_ece: float64 (folds,), the same of each fold; NaN for one without labels.
        temperatures: float64 (repeats, folds); 1 without ``calibrate``.
        variance: float64 (n,), of the given label's probability (the candidates') over repeats,
            divided by repeats - 1; NaN where unlabelled; None with a single repeat.
        warnings: sentences that were also issued as ``UserWarning``.
        by_fold: the classifier that each fold of ``probs`` is of: of several the one that was
            best on the fold's training rows, which says nothing of the labels it judges.
        accuracy: of ``probs``, as in ``accuracies``.
        permuted: with ``leak_check`` the shares of held-out predictions that agree with permuted
            labels, and that chance gives; (``agrees``, ``chance``).
        encoder: what made numbers of the inputs: ``own``, or the name of an encoder.
        vectors: those numbers, float32 (n, d), where an encoder saw pictures; not in files.
    """

    probs: np.ndarray
    folds: np.ndarray
    classes: tuple[str, ...]
    given: np.ndarray | None
    chosen: str
    accuracies: Mapping[str, float]
    ece: float
    fold_ece: np.ndarray
    temperatures: np.ndarray
    variance: np.ndarray | None = None
    warnings: tuple[str, ...] = ()
    by_fold: tuple[str, ...] = ()
    accuracy: float = float("nan")
    permuted: OnPermuted | None = None
    encoder: str = "own"
    vectors: np.ndarray | None = None

    @property
    def judges(self) -> str:
        """Who judged, in words: one name, or several with their folds."""
        counts = {name: self.by_fold.count(name) for name in dict.fromkeys(self.by_fold)}
        if len(counts) < 2:
            return self.chosen
        of = len(self.by_fold)
        return listed([f"{name} ({count} of {of} folds)" for name, count in counts.items()])

    def __repr__(self) -> str:
        return (
            f"CrossValidated({self.judges}, {len(self.probs)} examples, {len(self.classes)} "
            f"classes, accuracy {self.accuracy:.4f}, ECE {self.ece:.4f})"
        )

    @door
    def save(self, path: Path | str, ids: Sequence[Any] | None = None) -> None:
        """Write everything as ``.npz``, or the probabilities as ``.npy`` or ``.parquet``.

        ``load`` reads the first. ``candidly errors find`` reads all three, and from the first the
        labels too.

        Args:
            ids: names of the n rows, for a first column ``id`` of ``.parquet`` (``item`` where a
                class is called ``id``); the other two hold numbers alone.

        Raises:
            ValueError: another ending, or as many ids as rows are not.
            OSError: the file cannot be written.
        """
        path = Path(path)
        if path.suffix not in WRITERS:
            raise ValueError(f"{path} must end in {', '.join(WRITERS)}.")
        if ids is not None and len(ids) != len(self.probs):
            raise ValueError(f"{len(ids)} ids for {len(self.probs)} rows.")
        WRITERS[path.suffix](self, path, ids)

    @classmethod
    def load(cls, path: Path | str) -> CrossValidated:
        """What ``save`` wrote to an ``.npz``.

        Raises:
            FileNotFoundError: no such file.
            ValueError: something else, or of another version.
        """
        arrays, note = read_arrays(Path(path))
        if note is None or note.get("schema") != SCHEMA:
            raise ValueError(f"{path} holds no cross-validated probabilities of this candidly.")
        return cls(
            probs=arrays["probs"],
            folds=arrays["folds"],
            given=arrays.get("given"),
            fold_ece=arrays["fold_ece"],
            temperatures=arrays["temperatures"],
            variance=arrays.get("variance"),
            classes=tuple(note["classes"]),
            chosen=note["chosen"],
            accuracies=note["accuracies"],
            ece=note["ece"],
            warnings=tuple(note["warnings"]),
            by_fold=tuple(note.get("by_fold", ())),
            accuracy=note.get("accuracy", note["accuracies"][note["chosen"]]),
            permuted=OnPermuted(*note["permuted"]) if note.get("permuted") else None,
            encoder=note.get("encoder", "own"),
        )


def _write_npz(result: CrossValidated, path: Path, ids: Sequence[Any] | None) -> None:
    values: dict[str, Any] = {name: getattr(result, name) for name in ARRAYS}
    note = {
        "schema": SCHEMA,
        "classes": list(result.classes),
        "chosen": result.chosen,
        "accuracies": dict(result.accuracies),
        "ece": result.ece,
        "warnings": list(result.warnings),
        "by_fold": list(result.by_fold),
        "accuracy": result.accuracy,
        "permuted": result.permuted,
        "encoder": result.encoder,
    }
    write_arrays(path, {name: v for name, v in values.items() if v is not None}, note)


def _write_npy(result: CrossValidated, path: Path, ids: Sequence[Any] | None) -> None:
    with replacing(path) as file:
        np.save(file, result.probs, allow_pickle=False)


def _write_parquet(result: CrossValidated, path: Path, ids: Sequence[Any] | None) -> None:
    import polars as pl

    table = pl.DataFrame(result.probs, schema=list(result.classes), orient="row")
    key = next((name for name in ("id", "item") if name not in result.classes), None)
    if ids is not None and key is not None:
        table = table.insert_column(0, pl.Series(key, [str(name) for name in ids]))
    with replacing(path) as file:
        table.write_parquet(file)


WRITERS: dict[str, Callable[[CrossValidated, Path, Sequence[Any] | None], None]] = {
    ".npz": _write_npz,
    ".npy": _write_npy,
    ".parquet": _write_parquet,
}
