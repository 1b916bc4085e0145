"""What a sweep leaves behind, as values: records of runs, and all the runs of a directory."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from ...ground.spec import halves
from ...stats.criteria import FlipRate

if TYPE_CHECKING:
    import polars


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
    ``outcomes`` is what each validation row adds to AA, packed; None with too many rows.
    ``confusion`` counts validation rows by given label and prediction, packed; None without given
    labels, and with too many cells that are not 0. Where the validation rows were trained on,
    ``validation`` has no values and both are None.
    """

    key: str
    step: int
    validation: Mapping[str, float | None]
    test: Mapping[str, float | None]
    loss: float | None
    seconds: float
    memory_bytes: int
    diverged_at: int | None = None
    outcomes: str | None = None
    confusion: str | None = None
    pruned_at: int | None = None


PLAIN = "hex:"  # in front of outcomes that are not deflated
MOST_OUTCOMES = 5000  # rows, or cells; a line of the journal should stay a line


def pack_outcomes(shares: np.ndarray | None) -> str | None:
    """What each validation row adds to AA, (m,) in [0, 1], as text of one byte a row, deflated.

    A prediction inside the candidates keeps at least 1/255, so that CR is exact and AA within
    0.002 a row. None for None, for no rows, and for more than ``MOST_OUTCOMES``.
    """
    if shares is None or not 0 < len(shares) <= MOST_OUTCOMES:
        return None
    levels = np.where(shares > 0, np.maximum(1, np.rint(shares * 255)), 0).astype(np.uint8)
    return _deflated(levels.tobytes())


def unpack_outcomes(text: str) -> np.ndarray:
    """The shares again, float64 (m,), in steps of 1/255, from either form of the text."""
    return np.frombuffer(opened(text), dtype=np.uint8) / 255


def pack_confusion(counts: np.ndarray | None) -> str | None:
    """Counts (q, q) by given label and prediction, as text: those that are not 0, deflated.

    None for None, for no rows, and for more than ``MOST_OUTCOMES`` cells.
    """
    if counts is None or not counts.any() or np.count_nonzero(counts) > MOST_OUTCOMES:
        return None
    cells = np.flatnonzero(counts)
    numbers = [len(counts), *np.diff(cells, prepend=0), *counts.ravel()[cells]]
    return _deflated(np.array(numbers, "<u4").tobytes())


def unpack_confusion(text: str) -> np.ndarray:
    """The counts again, int64 (q, q), from either form of the text.

    >>> unpack_confusion(pack_confusion(np.array([[3, 0], [1, 5]]))).tolist()
    [[3, 0], [1, 5]]
    """
    q, *rest = np.frombuffer(opened(text), "<u4").astype(np.int64).tolist()
    cells, counts = np.split(np.array(rest), 2)
    table = np.zeros(q * q, np.int64)
    table[cells.cumsum()] = counts
    return table.reshape(q, q)


def plain_outcomes(text: str) -> str:
    """The same, packed without deflation, for a file that is compressed as a whole.

    >>> plain_outcomes(pack_outcomes(np.array([0.0, 1.0, 0.5])))
    'hex:00ff80'
    """
    return PLAIN + opened(text).hex()


def _deflated(values: bytes) -> str:
    return base64.b64encode(zlib.compress(values, 9)).decode()


def opened(text: str) -> bytes:
    """The packed numbers of a text, from either form.

    Raises:
        ValueError: it is damaged.
    """
    try:
        if text.startswith(PLAIN):
            return bytes.fromhex(text.removeprefix(PLAIN))
        return zlib.decompress(base64.b64decode(text))
    except (ValueError, zlib.error):
        raise ValueError(
            f"the packed numbers {text[:20]!r}... of a journal line are damaged. Restore the "
            "journal from a copy, or delete that line and repeat the run's command."
        ) from None


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


@dataclass(frozen=True)
class Results:
    """Every planned run of a directory, and the settings they share.

    ``settings`` is the plan as JSON values; ``ddof`` is 1 for the sample standard deviation over
    splits (``fixed``), 0 for the benchmark's population one (``plench``). ``notes`` are
    sentences about lines that could not be read, and about rows made by another version of an
    algorithm. ``flip_rates`` has, by name, the data sets with candidate sets; none where the
    directory is from before that was kept. ``fingerprints`` are of each data set's content, by
    name.
    """

    runs: Sequence[Run]
    settings: Mapping[str, Any]
    ddof: int = 1
    notes: tuple[str, ...] = field(default=())
    flip_rates: Mapping[str, FlipRate] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @overload
    def frame(self, kind: Literal["polars"] = "polars") -> polars.DataFrame: ...

    @overload
    def frame(self, kind: Literal["pandas"]) -> Any: ...

    def frame(self, kind: str = "polars") -> polars.DataFrame | Any:
        """A row for each record of each run, in the order of the plan; one column a number.

        Columns: ``dataset``; ``algorithm`` as a person writes it, and its ``base`` and ``variant``
        (``fixed``, where it has no other); ``config``, ``split``, ``key`` of the run, ``mode``;
        ``complete``, whether the run has all its records; ``step``, in updates, and ``epochs``;
        ``selectable``, whether a criterion may choose the record; ``diverged`` by then, and
        ``diverged_at``; ``pruned_at``, where a search has stopped the run before; ``networks``,
        ``n_train``, ``n_validation``, ``n_test``; ``hyper.NAME``, ``validation.NAME`` and
        ``test.NAME``, shares, of every name that any run has; ``loss``, ``seconds`` since the run
        began, ``memory_bytes``. What a run does not have is null. Runs without a record have no
        row. Packed outcomes of rows are left out.

        Args:
            kind: ``polars``, or ``pandas`` where that is installed, with NaN for null in columns of
                floats.

        Raises:
            ValueError: another kind, or pandas is not installed.
        """
        if kind not in ("polars", "pandas"):
            raise ValueError(f"`kind` is {kind!r}; choose polars or pandas.")
        table = _frame(self.runs)
        return table if kind == "polars" else _to_pandas(table)


Cells = Iterable[Any]
_OF_RUN: Mapping[str, tuple[str, Callable[[Run], Any]]] = {
    "dataset": ("String", lambda run: run.dataset),
    "algorithm": ("String", lambda run: run.algorithm),
    "base": ("String", lambda run: halves(run.algorithm)[0]),
    "variant": ("String", lambda run: halves(run.algorithm)[1] or "fixed"),
    "config": ("Int64", lambda run: run.config),
    "split": ("Int64", lambda run: run.split),
    "key": ("String", lambda run: run.key),
    "mode": ("String", lambda run: run.mode),
    "complete": ("Boolean", lambda run: run.complete),
    "networks": ("Int64", lambda run: run.networks),
    "n_train": ("Int64", lambda run: run.n_train),
    "n_validation": ("Int64", lambda run: run.n_validation),
    "n_test": ("Int64", lambda run: run.n_test),
}
_OF_RECORD: Mapping[str, tuple[str, Callable[[Run, Record], Any]]] = {
    "step": ("Int64", lambda run, record: record.step),
    "epochs": ("Float64", lambda run, record: run.epochs(record.step)),
    "selectable": ("Boolean", lambda run, record: record.step >= run.selectable_from),
    "diverged": ("Boolean", lambda run, record: record.diverged_at is not None),
    "diverged_at": ("Int64", lambda run, record: record.diverged_at),
    "pruned_at": ("Int64", lambda run, record: record.pruned_at),
    "loss": ("Float64", lambda run, record: record.loss),
    "seconds": ("Float64", lambda run, record: record.seconds),
    "memory_bytes": ("Int64", lambda run, record: record.memory_bytes),
}


def _frame(runs: Sequence[Run]) -> polars.DataFrame:
    """A row for each record; columns are made one by one, so that few objects live at a time."""
    import polars as pl

    runs = [run for run in runs if run.records]
    counts = pl.Series(values=[len(run.records) for run in runs], dtype=pl.Int64)
    rows = np.repeat(np.arange(len(runs)), counts.to_numpy())

    def repeated(kind: str, values: Cells) -> polars.Series:
        return pl.Series(values=list(values), dtype=getattr(pl, kind)).gather(rows)

    def of_each(kind: str, values: Cells) -> polars.Series:
        return pl.Series(values=list(values), dtype=getattr(pl, kind), strict=False)

    records = [record for run in runs for record in run.records]
    columns = {name: repeated(kind, map(value, runs)) for name, (kind, value) in _OF_RUN.items()}
    columns |= {
        name: of_each(kind, (value(run, record) for run in runs for record in run.records))
        for name, (kind, value) in _OF_RECORD.items()
    }
    for name in _names(run.hyper for run in runs):
        values = [run.hyper.get(name) for run in runs]
        whole = all(value is None or isinstance(value, int) for value in values)
        columns[f"hyper.{name}"] = repeated(
            "Int64" if whole else "Float64",
            (value if whole or value is None else float(value) for value in values),
        )
    for name in _names(record.validation for record in records):
        chosen_by = (record.validation.get(name) for record in records)
        columns[f"validation.{name}"] = of_each("Float64", chosen_by)
    for name in _names(record.test for record in records):
        tested = (record.test.get(name) for record in records)
        columns[f"test.{name}"] = of_each("Float64", tested)
    return pl.DataFrame(columns).select(
        *_FIRST, *(name for name in columns if name not in (*_FIRST, *_LAST)), *_LAST
    )


_FIRST = ("dataset", "algorithm", "base", "variant", "config", "split", "step", "epochs", "key")
_LAST = ("loss", "seconds", "memory_bytes")


def _names(of: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every name, in the order of their first appearance."""
    found: dict[str, None] = {}
    for names in of:
        found |= dict.fromkeys(names)
    return list(found)


def _to_pandas(table: polars.DataFrame) -> Any:
    """The same columns; whole numbers and truth values with gaps are pandas' nullable kinds."""
    try:
        pd: Any = import_module("pandas")  # no types come with it
    except ImportError:
        raise ValueError(
            "pandas is not installed. Install it (`pip install pandas`), or take polars."
        ) from None
    nullable = {"Int64": "Int64", "Boolean": "boolean"}
    columns: dict[str, Any] = {}
    for column in table:
        kind = str(column.dtype)
        if kind == "String":
            columns[column.name] = column.to_list()
        elif kind in nullable and column.null_count():
            columns[column.name] = pd.array(column.to_list(), dtype=nullable[kind])
        else:
            columns[column.name] = column.to_numpy()
    return pd.DataFrame(columns)
