"""Where probabilities are: arrays, files, folders of files, iterators; read by ranges of rows."""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from .._arrays import ENTRY_SLACK, as_table, column_order
from .._tables import about
from ._columns import (
    IDS,
    check_kind,
    missing_column,
    number_columns,
    read_columns,
    row_names,
    rows_by_id,
)
from ._roles import Roles
from .arrays import load_array, load_member

PIECE_BYTES = 1 << 25  # of a Parquet file, decoded at once
SAMPLE = 4096  # rows of an array that tell it from another

NEGATIVE = (
    "Probabilities are not negative: take the exponential of log-probabilities first, and the "
    "softmax of logits."
)
ARRAYS = ("detach", "to_numpy")  # what tensors and tables have
BESIDE = ("prediction", "probability")  # columns that candidly predict writes beside the classes'

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
        ids: (n,) names of the rows as text, where the file has a column of them.
        columns: names of the columns, where there are any; they may be those of the classes.
    """

    n: int
    m: int
    dtype: np.dtype
    get: Callable[[int, int], np.ndarray]
    name: str
    normalise: bool = False
    stamp: Callable[[], str] = str
    ids: np.ndarray | None = field(default=None, repr=False)
    columns: tuple[str, ...] | None = None

    def read(self, start: int, stop: int) -> np.ndarray:
        """Rows start..stop: C-contiguous (r, m) of ``dtype``, a view where that is possible.

        Never to be written, so that what is compiled for them is compiled for one kind of array.
        """
        rows = np.ascontiguousarray(self.get(start, stop), dtype=self.dtype)
        if rows.shape != (stop - start, self.m):
            raise ValueError(
                f"{self.name} has {rows.shape} where rows {start} to {stop - 1} of {self.m} "
                "classes should be; was it changed while being read?"
            )
        rows = self._divided(rows, start) if self.normalise else rows.view()
        rows.flags.writeable = False
        return rows

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

    def by_id(self, ids: np.ndarray | None) -> ProbRows:
        """The same rows in the order of ``ids``, where both name them; else as they stand.

        Rows of one file that come in another order are held in memory.

        Raises:
            ValueError: a name that one of them lacks.
        """
        if ids is None or self.ids is None:
            return self
        order = rows_by_id(ids, self.ids, self.name)
        if order is None:
            return self
        table = self.get(0, self.n)[order]
        return replace(
            self,
            get=lambda start, stop: table[start:stop],
            stamp=lambda: f"{self.stamp()} {zlib.crc32(order.tobytes()):08x}",
            ids=ids,
        )

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
    probs: Probs,
    normalise: bool = False,
    classes: Sequence[str] | None = None,
    roles: Roles | None = None,
) -> ProbRows:
    """A source for anything that holds probabilities.

    Columns with names, of DataFrames and of tables in files, go by these; see ``column_order``.

    Args:
        probs: an array, tensor or memory map (n, m) of floats; the path of an ``.npy`` file, of a
            table of any format, of an ``.npz`` with an array ``probs``, or of a folder of ``.npy``
            and ``.parquet`` files, in order of name (chunk-2 before chunk-10); or an iterable of
            arrays (r, m), which is written to a temporary file first.
        roles: ``id``, ``drop`` and ``separator`` of a table.

    Raises:
        TypeError, ValueError: what is wrong, by name.
    """
    if isinstance(probs, str | Path):
        return _from_path(Path(probs), normalise, classes, roles or Roles())
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


def _from_path(
    path: Path, normalise: bool, classes: Sequence[str] | None, roles: Roles
) -> ProbRows:
    if not path.is_dir():
        return _file(path, normalise, classes, roles)
    files = [p for p in path.iterdir() if p.suffix in (".npy", ".parquet")]
    files = sorted((p for p in files if not p.name.startswith(".")), key=_by_number)
    if not files:
        raise ValueError(f"{path} holds no .npy or .parquet file.")
    parts = [_file(file, normalise, classes, roles) for file in files]
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

    found = ProbRows(int(ends[-1]), parts[0].m, dtype, get, str(path), normalise, stamp)
    ids = [part.ids for part in parts if part.ids is not None]
    if not ids:
        return found
    if len(ids) < len(parts):
        bare = next(part for part in parts if part.ids is None)
        raise ValueError(f"{bare.name} does not name its rows, and other files of {path} do.")
    return replace(found, ids=np.concatenate(ids), columns=parts[0].columns)


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


def _file(path: Path, normalise: bool, classes: Sequence[str] | None, roles: Roles) -> ProbRows:
    check_kind(path, (".npy", ".npz"))
    unchanged = _watched(path)
    suffix = path.suffix.lower()
    if suffix in (".npy", ".npz"):
        array = load_array(path) if suffix == ".npy" else load_member(path, "probs")
        return _from_array(array, str(path), normalise, unchanged)
    if suffix == ".parquet":
        return _parquet(path, normalise, classes, roles, unchanged)
    columns = read_columns(path, roles, ids=_ids(classes))
    if columns.named:
        columns = replace(columns, frame=columns.frame.select(_of_classes(columns.frame.columns)))
    names = tuple(columns.frame.columns) if columns.named else None
    order = None if names is None else column_order(names, classes, str(path))
    array = number_columns(columns, order)
    found = _from_array(array, str(path), normalise, unchanged)
    return replace(found, ids=columns.ids, columns=names and tuple(names[k] for k in order or ()))


def _of_classes(names: list[str]) -> list[str]:
    """Without the two columns that ``candidly predict --probs`` writes beside the classes'."""
    return [n for n in names if n not in BESIDE] if set(BESIDE) < set(names) else names


def _ids(classes: Sequence[str] | None) -> tuple[str, ...]:
    """Usual names of the column that names the rows; that of a class is none."""
    return tuple(name for name in IDS if name not in (classes or ()))


def _parquet(
    path: Path,
    normalise: bool,
    classes: Sequence[str] | None,
    roles: Roles,
    unchanged: Callable[[], str],
) -> ProbRows:
    """Read in pieces, as many rows at once as ``PIECE_BYTES`` hold."""
    import polars as pl

    try:
        lazy = pl.scan_parquet(path)
        schema = lazy.collect_schema()
        n = int(lazy.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):
        raise ValueError(
            f"{path}: it is no Parquet file, or a damaged one. Write it again."
        ) from None
    names, ids = schema.names(), None
    for option, name in (("id", roles.id), *(("drop", name) for name in roles.drop)):
        if name is not None and name not in names:
            raise ValueError(missing_column(path, names, name, option))
    key = roles.id or next((name for name in names if name.lower() in _ids(classes)), None)
    if key is not None:
        with about(path):
            ids = row_names(path, lazy.select(key).collect()[key])
    names = _of_classes([name for name in names if name != key and name not in roles.drop])
    kinds = [schema[name] for name in names]
    if bad := [name for name, kind in zip(names, kinds) if not kind.is_numeric()]:
        raise ValueError(
            f"{path} has columns that are no numbers: {', '.join(bad)}. Leave them out with --drop,"
            " or name the one of ids with --id."
        )
    names = [names[k] for k in column_order(names, classes, str(path))]
    dtype = np.dtype(np.float64 if pl.Float64 in kinds else np.float32)
    size = max(1, PIECE_BYTES // (max(1, len(names)) * dtype.itemsize))

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
    return ProbRows(n, len(names), dtype, get, str(path), normalise, unchanged, ids, tuple(names))


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
