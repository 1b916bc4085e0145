"""What a sweep leaves behind, as values: records, and runs that have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Record:
    """One line of the journal: what a trial measured after ``step`` updates.

    ``validation`` and ``test`` map names to values in [0, 1]; a value is None from the record at
    which the trial had diverged, and behind ``pruned_at``, the last record of a trial that a search
    has stopped. ``validation`` holds ``CR``, ``AA``, ``AA:plench`` and ``OA``
    (the oracle's: it reads the validation truth), on data with given labels ``NVA``, and
    ``agreement`` of several networks; ``test`` holds ``top1``, ``top5``, ``balanced``, and of what
    learns from given labels ``adjusted``, top-1 of predictions for equally frequent classes.
    ``loss`` is the mean training objective since the previous record; ``seconds`` is the time
    this trial has used so far, its share of its stack (processor time on a CPU: other work on the
    machine does not count); ``memory_bytes`` the peak of its process.
    ``outcomes`` is what each validation row adds to AA, a byte each; None with too many rows.
    ``confusion`` counts validation rows by given label and prediction, packed; None without given
    labels, and with too many cells that are not 0. Where the validation rows were trained on,
    ``validation`` has no values and both are None.
    ``right`` says which test rows were predicted right, a bit each; None with unknown truth, with
    too many rows, and in what was recorded before that was kept.
    ``warm_up`` is True where no update of the method's own stage was done yet; None without, and in
    what was recorded before that was kept.
    """

    key: str
    step: int
    validation: Mapping[str, float | None]
    test: Mapping[str, float | None]
    loss: float | None
    seconds: float
    memory_bytes: int
    diverged_at: int | None = None
    outcomes: bytes | None = None
    confusion: bytes | None = None
    pruned_at: int | None = None
    right: bytes | None = None
    warm_up: bool | None = None


MOST_OUTCOMES = 5000  # rows, or cells; a line of the journal should stay a line


def pack_outcomes(shares: np.ndarray | None) -> bytes | None:
    """What each validation row adds to AA, (m,) in [0, 1], a byte a row.

    A prediction inside the candidates keeps at least 1/255, so that CR is exact and AA within
    0.002 a row. None for None, for no rows, and for more than ``MOST_OUTCOMES``.
    """
    if shares is None or not 0 < len(shares) <= MOST_OUTCOMES:
        return None
    return np.where(shares > 0, np.maximum(1, np.rint(shares * 255)), 0).astype(np.uint8).tobytes()


def unpack_outcomes(packed: bytes) -> np.ndarray:
    """The shares again, float64 (m,), in steps of 1/255."""
    return np.frombuffer(packed, dtype=np.uint8) / 255


def pack_right(right: np.ndarray | None) -> bytes | None:
    """Which test rows were predicted right, bool (m,), a bit a row.

    None for None, for no rows, and for more than 8 ``MOST_OUTCOMES``.
    """
    if right is None or not 0 < len(right) <= 8 * MOST_OUTCOMES:
        return None
    return np.packbits(right).tobytes()


def unpack_right(packed: bytes, rows: int) -> np.ndarray:
    """Which of ``rows`` test rows were predicted right, bool (rows,).

    >>> unpack_right(pack_right(np.array([True, False, True])), 3).tolist()
    [True, False, True]
    """
    return np.unpackbits(np.frombuffer(packed, np.uint8), count=rows).astype(bool)


def pack_confusion(counts: np.ndarray | None) -> bytes | None:
    """Counts (q, q) by given label and prediction: those that are not 0.

    None for None, for no rows, and for more than ``MOST_OUTCOMES`` cells.
    """
    if counts is None or not counts.any() or np.count_nonzero(counts) > MOST_OUTCOMES:
        return None
    cells = np.flatnonzero(counts)
    numbers = [len(counts), *np.diff(cells, prepend=0), *counts.ravel()[cells]]
    return np.array(numbers, "<u4").tobytes()


def unpack_confusion(packed: bytes) -> np.ndarray:
    """The counts again, int64 (q, q).

    >>> unpack_confusion(pack_confusion(np.array([[3, 0], [1, 5]]))).tolist()
    [[3, 0], [1, 5]]
    """
    q, *rest = np.frombuffer(packed, "<u4").astype(np.int64).tolist()
    cells, counts = np.split(np.array(rest), 2)
    table = np.zeros(q * q, np.int64)
    table[cells.cumsum()] = counts
    return table.reshape(q, q)


@dataclass(frozen=True)
class Run:
    """A planned trial and the records it has so far, one per step, in order of steps."""

    key: str
    dataset: str
    algorithm: str  # as a person writes it: ``PRODEN``, ``CAVL:plench``
    config: int  # hyper-parameter seed; 0 is the defaults
    split: int  # trial seed
    hyper: Mapping[str, float | int]
    record_steps: tuple[int, ...]  # when records are due, in updates done
    selectable_from: int  # records before this step are never chosen
    n_validation: int
    n_test: int
    records: tuple[Record, ...] = ()
    mode: str = "tune"  # or ``train-oracle``: the validation rows' truth was trained on
    reads: tuple[str, ...] = ("candidates",)  # labels that its algorithm learns from
    networks: int = 1  # that are trained side by side
    n_train: int | None = None

    @cached_property
    def complete(self) -> bool:
        return tuple(record.step for record in self.records) == self.record_steps

    def cost(self, step: int) -> int:
        """Updates of networks up to ``step``: updates times networks."""
        return step * self.networks

    def epochs(self, step: int) -> float | None:
        """How often each training row was seen by a network up to ``step``, on average."""
        if not self.n_train or "batch_size" not in self.hyper:
            return None
        return self.cost(step) * self.hyper["batch_size"] / self.n_train

    @property
    def diverged_at(self) -> int | None:
        return next((r.diverged_at for r in self.records if r.diverged_at is not None), None)

    @property
    def pruned_at(self) -> int | None:
        """The last step that it was trained for, where a search has stopped it."""
        return next((r.pruned_at for r in self.records if r.pruned_at is not None), None)
