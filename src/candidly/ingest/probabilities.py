"""Where probabilities are: arrays, files, folders of files, iterators; read by ranges of rows."""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any
from zipfile import BadZipFile

import numpy as np

from .._arrays import ENTRY_SLACK, as_table, column_order
from .._tables import column_of, read_cells, why_unreadable

PIECE_BYTES = 1 << 25  # of a Parquet file, decoded at once
SAMPLE = 4096  # rows of an array that tell it from another

NEGATIVE = (
    "Probabilities are not negative: take the exponential of log-probabilities first, and the "
    "softmax of logits."
)
ARRAYS = ("detach", "to_numpy")  # what tensors and tables have

Probs = Any  # an array, a tensor, a path, or an iterable of arrays


@dataclass(frozen=True)
class ProbRows:
    """Rows of probabilities that can be read in any order, by several threads.

    Attributes:
        n, m: rows and classes.
        dtype: float32 or float64, what rows are read as.
        get: (start, stop) -> rows, any float dtype and layout.
        name: for messages.
        normalise: divide each row by its sum; its entries must not be negative.
        stamp: gives what a resumed run compares: sizes and times of files, a sample of arrays.
    """

    n: int
    m: int
    dtype: np.dtype
    get: Callable[[int, int], np.ndarray]
    name: str
    normalise: bool = False
    stamp: Callable[[], str] = str

    def read(self, start: int, stop: int) -> np.ndarray:
        """Rows start..stop: C-contiguous (r, m) of ``dtype``, a view where that is possible."""
        rows = np.ascontiguousarray(self.get(start, stop), dtype=self.dtype)
        if rows.shape != (stop - start, self.m):
            raise ValueError(
                f"{self.name} has {rows.shape} where rows {start} to {stop - 1} of {self.m} "
                "classes should be; was it changed while being read?"
            )
        return self._divided(rows, start) if self.normalise else rows

    def _divided(self, rows: np.ndarray, start: int) -> np.ndarray:
        """Rows by their sums; the first one is number ``start``.

        Raises:
            ValueError: a row of 0, or a negative entry. To divide a row of negative numbers, such
                as log-probabilities, would put the least probable class first.
        """
        sums = rows.sum(1, keepdims=True)
        if len(bad := np.argwhere(rows < -ENTRY_SLACK * np.abs(sums))):
            row, column = bad[0].tolist()
            raise ValueError(
                f"{self.name} is {rows[row, column]:g} at row {start + row}, column {column}, and "
                f"a row with a negative number is not divided by its sum. {NEGATIVE}"
            )
        if len(empty := np.flatnonzero(sums == 0)):
            raise ValueError(
                f"{self.name} is 0 all over row {start + empty[0]}, which cannot be divided by "
                "its sum."
            )
        with np.errstate(invalid="ignore"):  # of NaN and infinity, which the sweep finds
            return rows / sums

    def take(self, rows: np.ndarray, at_once: int) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
        """Blocks that hold these rows (ascending): (rows, block, number of its first row)."""
        start = 0
        while start < len(rows):
            first = int(rows[start])
            stop = int(np.searchsorted(rows, first + at_once))
            some = rows[start:stop]
            yield some, self.read(first, int(some[-1]) + 1), first
            start = stop


def open_source(
    probs: Probs, normalise: bool = False, classes: Sequence[str] | None = None
) -> ProbRows:
    """A source for anything that holds probabilities.

    Columns with names, of DataFrames, ``.parquet`` and ``.csv`` files, go by these; see
    ``column_order``.

    Args:
        probs: an array, tensor or memory map (n, m) of floats; the path of an ``.npy``,
            ``.parquet`` or ``.csv`` file, of an ``.npz`` with an array ``probs``, or of a folder of
            the first two, in order of name (chunk-2 before chunk-10); or an iterable of arrays
            (r, m), which is written to a temporary file first.

    Raises:
        TypeError, ValueError: what is wrong, by name.
    """
    if isinstance(probs, str | Path):
        return _from_path(Path(probs), normalise, classes)
    rows = isinstance(probs, Sequence) and len(probs) > 0 and not hasattr(probs[0], "shape")
    if rows or isinstance(probs, np.ndarray) or any(hasattr(probs, a) for a in ARRAYS):
        return _from_array(as_table(probs, "probs", classes), "`probs`", normalise)
    if isinstance(probs, Iterable):
        return _spooled(probs, normalise, classes)
    raise TypeError(
        f"`probs` is {type(probs).__name__}; give an array (n, m), a path or an iterable of arrays."
    )


def working_dtype(dtype: np.dtype) -> np.dtype:
    """float16 and float32 are worked on as float32, float64 as itself."""
    return np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)


def _from_array(
    array: np.ndarray, name: str, normalise: bool, unchanged: Callable[[], str] = str
) -> ProbRows:
    """Rows of an array; ``unchanged`` is asked before each read, and is the stamp."""
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {array.shape}; it needs (examples, classes).")
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} holds {array.dtype}; probabilities are float16, 32 or 64.")
    n, m = array.shape

    def get(start: int, stop: int) -> np.ndarray:
        unchanged()
        return array[start:stop]

    def stamp() -> str:
        if about := unchanged():
            return about
        some = array[np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.int64)]
        return f"{zlib.crc32(some.tobytes()):08x}"

    return ProbRows(n, m, working_dtype(array.dtype), get, name, normalise, stamp)


def _from_path(path: Path, normalise: bool, classes: Sequence[str] | None) -> ProbRows:
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if not path.is_dir():
        return _file(path, normalise, classes)
    files = [p for p in path.iterdir() if p.suffix in (".npy", ".parquet")]
    files = sorted((p for p in files if not p.name.startswith(".")), key=_by_number)
    if not files:
        raise ValueError(f"{path} holds no .npy or .parquet file.")
    parts = [_file(file, normalise, classes) for file in files]
    for part in parts:
        if part.m != parts[0].m:
            raise ValueError(f"{part.name} has {part.m} classes, {parts[0].name} has {parts[0].m}.")
    ends = np.cumsum([part.n for part in parts])
    dtype = np.result_type(*(part.dtype for part in parts))

    def get(start: int, stop: int) -> np.ndarray:
        pieces = []
        number = int(np.searchsorted(ends, start, side="right"))
        while start < stop:
            first = int(ends[number]) - parts[number].n
            upto = min(stop, int(ends[number]))
            pieces.append(parts[number].get(start - first, upto - first))
            start, number = upto, number + 1
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def stamp() -> str:
        return " ".join(part.stamp() for part in parts)

    return ProbRows(int(ends[-1]), parts[0].m, dtype, get, str(path), normalise, stamp)


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Names in order, chunk-2 before chunk-10."""
    return [
        (int(part), part) if part.isdecimal() else (-1, part)
        for part in re.split(r"(\d+)", path.name)
    ]


def _watched(path: Path) -> Callable[[], str]:
    """Gives a file's size and time; refuses a file that changes after the first look.

    To read a memory map beyond the end of a file that was cut short kills the process.
    """

    def look() -> str:
        try:
            about = path.stat()
        except OSError as error:
            raise ValueError(f"{path} is gone while it is being read ({error}).") from None
        return f"{path.name}:{about.st_size}:{about.st_mtime_ns}"

    first = look()

    def unchanged() -> str:
        if look() != first:
            raise ValueError(
                f"{path} changed while it was being read; start again when nobody writes to it."
            )
        return first

    return unchanged


def load_array(path: Path) -> np.ndarray:
    """A memory map of an ``.npy`` file.

    Raises:
        ValueError: it is none.
    """
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        raise ValueError(
            f"{path} cannot be read as an array: it is truncated, no .npy file, or "
            "holds Python objects."
        ) from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path} is an archive of arrays; give one array as .npy.")
    return array


def load_member(path: Path, name: str) -> np.ndarray:
    """The array of that name in an ``.npz`` file, such as ``CrossValidated.save`` writes.

    Raises:
        ValueError: it is none, or has no such array.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return arrays[name]
    except (ValueError, OSError, EOFError, KeyError, TypeError, BadZipFile):
        raise ValueError(
            f"{path} has no array {name!r} that can be read; errors probs writes files that do."
        ) from None


def _file(path: Path, normalise: bool, classes: Sequence[str] | None) -> ProbRows:
    unchanged = _watched(path)
    if path.suffix in (".npy", ".npz"):
        array = load_array(path) if path.suffix == ".npy" else load_member(path, "probs")
        return _from_array(array, str(path), normalise, unchanged)
    import polars as pl

    if path.suffix == ".parquet":
        try:
            lazy = pl.scan_parquet(path)
            schema = lazy.collect_schema()
            n = int(lazy.select(pl.len()).collect().item())
        except (pl.exceptions.PolarsError, OSError):
            raise ValueError(f"{path} cannot be read: {why_unreadable(path)}") from None
        if bad := [name for name, kind in schema.items() if not kind.is_numeric()]:
            raise ValueError(f"{path} has columns that are no numbers: {', '.join(bad)}.")
        names = schema.names()
        names = [names[k] for k in column_order(names, classes, str(path))]
        double = any(kind == pl.Float64 for kind in schema.values())

        dtype = np.dtype(np.float64 if double else np.float32)
        size = max(1, PIECE_BYTES // (len(schema) * dtype.itemsize))

        # a slice costs as much as the row groups that it touches
        @lru_cache(maxsize=2)
        def piece(number: int) -> np.ndarray:
            unchanged()
            return lazy.slice(number * size, size).select(names).collect().to_numpy()

        def get(start: int, stop: int) -> np.ndarray:
            pieces: list[np.ndarray] = []
            while start < stop or not pieces:
                number, skip = divmod(start, size)
                with one_at_a_time:
                    pieces.append(piece(number)[skip : skip + stop - start])
                if not len(pieces[-1]):
                    break
                start += len(pieces[-1])
            return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

        one_at_a_time = Lock()
        return ProbRows(n, len(schema), dtype, get, str(path), normalise, unchanged)
    if path.suffix == ".csv":
        return _from_array(_csv(path, classes), str(path), normalise, unchanged)
    raise ValueError(f"{path} is no .npy, .parquet or .csv file, and no folder of the first two.")


def _first_text(column: Any, place: int, named: bool) -> str:
    """The first cell of a column that is no number, and where it is."""
    numbers = column.cast(float, strict=False)
    row = int((numbers.is_null() & column.is_not_null()).arg_max() or 0)
    return f"has {column[row]!r} at row {row}, {column_of(column.name, place, named)}"


def _csv(path: Path, classes: Sequence[str] | None) -> np.ndarray:
    """Numbers, with or without a line of names."""
    table, named = read_cells(path, has_header=False, infer_schema_length=None), False
    if any(not kind.is_numeric() for kind in table.dtypes):
        table, named = read_cells(path, infer_schema_length=None), True
    for place, column in enumerate(table):
        if not column.dtype.is_numeric():
            raise ValueError(
                f"{path} {_first_text(column, place, named)}; probabilities are numbers."
            )
    array = table.to_numpy().astype(np.float64)
    return array[:, column_order(table.columns, classes, str(path))] if named else array


def _spooled(chunks: Iterable[Any], normalise: bool, classes: Sequence[str] | None) -> ProbRows:
    """Chunks that come once, on disk, as they must be read more than once."""
    file = tempfile.TemporaryFile(prefix="candidly-")  # noqa: SIM115  (lives as long as its map)
    m, dtype, n = 0, np.dtype(np.float32), 0
    for number, chunk in enumerate(chunks):
        part = as_table(chunk, f"probs[{number}]", classes)
        if part.ndim != 2 or part.dtype.kind != "f":
            raise ValueError(
                f"chunk {number} of `probs` has shape {part.shape} and {part.dtype}; each needs "
                "(rows, classes) of floats."
            )
        if number == 0:
            m, dtype = part.shape[1], part.dtype
        if part.shape[1] != m or part.dtype != dtype:
            raise ValueError(
                f"chunk {number} of `probs` has {part.shape[1]} classes of {part.dtype}, the first "
                f"{m} of {dtype}."
            )
        np.ascontiguousarray(part).tofile(file)
        n += len(part)
    file.flush()
    if n == 0:
        return _from_array(np.empty((0, max(m, 2)), dtype), "`probs`", normalise)
    return _from_array(np.memmap(file, dtype, "r", shape=(n, m)), "`probs`", normalise)
