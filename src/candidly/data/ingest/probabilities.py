"""Where probabilities are: arrays, files, folders and addresses of files, lists, iterators."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ...ground.arrays import as_table, column_names, column_order
from ...ground.files import noted
from ...ground.problem import Refusal, why
from ..inputs import UNNAMED
from ..labels.labelled import Labelled
from ._columns import (
    IDS,
    check_kind,
    counts,
    key_columns,
    missing_column,
    names_of_rows,
    number_columns,
    read_columns,
    row_index,
    row_names,
)
from ._packed import unreadable
from ._remote import remote_array
from ._roles import Roles
from .arrays import load_array, load_member, stored_classes
from .prob_rows import OPEN, Part, ProbRows, joined, working_dtype
from .shards import by_number, fetched, file_system, is_address, parts_in
from .table_checks import about

PIECE_BYTES = 1 << 25  # of a Parquet file, decoded at once
ENDINGS = (".npy", ".parquet")  # of parts in a folder
FETCHED = 4  # parts in memory at the same time, which are fetched whole
SAMPLE = 4096  # rows of an array that tell it from another

ARRAYS = ("detach", "to_numpy")  # what tensors and tables have
BESIDE = ("prediction", "probability")  # columns that candidly predict writes beside the classes'

Probs = Any  # an array, a tensor, a path, or an iterable of arrays


def probabilities_of(data: Labelled, place: str | Path, roles: Roles) -> np.ndarray:
    """The rows of a file as the rows of the data, columns as its classes: float (n, q).

    Args:
        roles: ``separator``.

    Raises:
        FileNotFoundError, ValueError: no such file, or other rows or classes.
    """
    source = open_source(place, classes=data.classes, roles=Roles(separator=roles.separator))
    ids = np.asarray(data.ids)
    numbered = source.ids is None and np.array_equal(ids, np.arange(data.n))  # by nobody
    rows = source.by_id(None if numbered else ids.astype(str))
    if (rows.n, rows.m) != (data.n, data.q):
        raise ValueError(
            f"{place} has {rows.n} rows of {rows.m} classes, and {data.source or 'the data'} has"
            f" {data.n} rows of {data.q}."
        )
    return rows.read(0, rows.n)


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
            and ``.parquet`` files, in order of name (chunk-2 before chunk-10); an address of such
            a file or folder, for fsspec; a list of paths, addresses or ``Part``; or an iterable
            of arrays (r, m), which is written to a temporary file first.
        roles: ``id``, ``drop`` and ``separator`` of a table.

    Raises:
        TypeError, ValueError: what is wrong, by name.
    """
    roles = roles or Roles()
    if isinstance(probs, str | Path):
        return _from_place(probs, normalise, classes, roles)
    if isinstance(probs, Sequence) and len(probs) and isinstance(probs[0], str | Path | Part):
        return _listed(probs, normalise, classes, roles)
    rows = isinstance(probs, Sequence) and len(probs) > 0 and not hasattr(probs[0], "shape")
    if rows or isinstance(probs, np.ndarray) or any(hasattr(probs, a) for a in ARRAYS):
        found = _from_array(as_table(probs, "probs", classes), "`probs`", normalise)
        return replace(found, columns=column_names(probs, classes))
    if isinstance(probs, Iterable):
        return _spooled(probs, normalise, classes)
    raise TypeError(
        f"`probs` is {type(probs).__name__}; give an array (n, m), a path or an iterable of arrays."
    )


def _listed(
    probs: Sequence[Any], normalise: bool, classes: Sequence[str] | None, roles: Roles
) -> ProbRows:
    """Files or parts of a list, in order of their names.

    Raises:
        TypeError: some are files, some parts, or something else.
    """
    if all(isinstance(each, Part) for each in probs):
        parts = sorted(probs, key=lambda part: by_number(part.name))
        return joined(parts, "`probs`", normalise)
    if not all(isinstance(each, str | Path) for each in probs):
        raise TypeError("`probs` is a list of different things; give paths alone, or Part alone.")
    places = sorted(probs, key=lambda place: by_number(str(place)))
    return _of_parts(places, "`probs`", normalise, classes, roles)


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

    def pick(rows: np.ndarray) -> np.ndarray:
        unchanged()
        return array[rows]

    dtype = working_dtype(array.dtype)
    return ProbRows(n, m, dtype, get, name, normalise, stamp, pick=pick)


def _from_place(
    place: str | Path, normalise: bool, classes: Sequence[str] | None, roles: Roles
) -> ProbRows:
    """A file, or the files of a folder or of an address."""
    if is_address(place):
        if str(place).rstrip("/").endswith(ENDINGS):
            return _of_parts([place], str(place), normalise, classes, roles)
    elif not (place := Path(place)).is_dir():
        return _of_file(place, normalise, classes, roles)
    return _of_parts(parts_in(place, ENDINGS), str(place), normalise, classes, roles)


def _of_parts(
    places: Sequence[str | Path],
    name: str,
    normalise: bool,
    classes: Sequence[str] | None,
    roles: Roles,
) -> ProbRows:
    """Files one behind the other; each is opened to see what it has, and again to be read.

    Raises:
        ValueError: a file is listed twice, is cut off, has other classes, or names no rows where
            others do.
    """
    where: set[str] = set()
    for place in places:
        here = str(place if is_address(place) else Path(place).resolve())
        if here in where:
            raise ValueError(f"{name} has {place} twice; list each file once.")
        where.add(here)
    parts, ids, columns = [], [], None
    fetched_whole = any(is_address(each) and not str(each).endswith(".npy") for each in places)
    at_once = FETCHED if fetched_whole else OPEN
    open_ones: dict[int, ProbRows] = {}
    for number, place in enumerate(places):
        part, rows = _part(place, classes, roles)
        parts.append(part)
        if number < at_once:
            open_ones[number] = rows
        if rows.ids is not None:
            ids.append(rows.ids)
        if number == 0:
            columns = rows.columns
        if 0 < len(ids) <= number:
            bare = place if rows.ids is None else places[0]
            raise ValueError(f"{bare} does not name its rows, and other files of {name} do.")
    named = np.concatenate(ids) if ids else None
    return joined(parts, name, normalise, named, columns, open_ones, at_once)


def _part(place: str | Path, classes: Sequence[str] | None, roles: Roles) -> tuple[Part, ProbRows]:
    rows = _opened(str(place), classes, roles)
    # workers may be in another folder
    where = str(place) if is_address(place) else str(Path(place).absolute())
    how = partial(_opened, where, classes, roles)
    return Part(str(place), rows.n, rows.m, rows.dtype, how, rows.stamp()), rows


def _opened(place: str, classes: Sequence[str] | None, roles: Roles) -> ProbRows:
    """The rows of a file, here or at an address: of an array in the pieces that are asked for."""
    if not is_address(place):
        return _file(Path(place), False, classes, roles)
    system, path = file_system(place)
    stamp = f"{place}:{system.ukey(path)}"
    if path.endswith(".npy"):
        rows = remote_array(place, system, path)
    else:
        with fetched(place) as copy:
            rows = _in_memory(_file(copy, False, classes, roles))
    return replace(rows, name=place, stamp=lambda: stamp)


def _in_memory(rows: ProbRows) -> ProbRows:
    table = rows.get(0, rows.n)
    return replace(rows, get=lambda start, stop: table[start:stop], pick=table.__getitem__)


def _watched(path: Path) -> Callable[[], str]:
    """Gives a file's size and time; refuses a file that changes after the first look.

    To read a memory map beyond the end of a file that was cut short kills the process.
    """

    def look() -> str:
        try:
            about = path.stat()
        except OSError as error:
            raise ValueError(f"{path} is gone while it is being read{why(error)}.") from None
        return f"{path.name}:{about.st_size}:{about.st_mtime_ns}"

    first = look()

    def unchanged() -> str:
        if look() != first:
            raise ValueError(
                f"{path} changed while it was being read; start again when nobody writes to it."
            )
        return first

    return unchanged


def _of_file(path: Path, normalise: bool, classes: Sequence[str] | None, roles: Roles) -> ProbRows:
    """A file, which other processes can open, too."""
    part, rows = _part(path, classes, roles)
    return replace(rows, normalise=normalise, parts=(part,))


def _file(path: Path, normalise: bool, classes: Sequence[str] | None, roles: Roles) -> ProbRows:
    check_kind(path, (".npy", ".npz"))
    unchanged = _watched(path)
    suffix = path.suffix.lower()
    if suffix in (".npy", ".npz"):
        array = load_array(path) if suffix == ".npy" else load_member(path, "probs")
        named = stored_classes(path) if suffix == ".npz" else None
        if named is None:
            return _from_array(array, str(path), normalise, unchanged)
        places = column_order(named, classes, str(path))
        found = _from_array(array[:, places], str(path), normalise, unchanged)
        return replace(found, columns=tuple(named[k] for k in places))
    if suffix == ".parquet":
        return _parquet(path, normalise, classes, roles, unchanged)
    columns = read_columns(path, roles, ids=_ids(classes))
    if columns.named:
        frame = columns.frame.select(_of_classes(columns.frame.columns, path))
        columns = replace(columns, frame=frame.drop(names_of_rows(frame, frame.width)))
    names = tuple(columns.frame.columns) if columns.named else None
    order = None if names is None else column_order(names, classes, str(path))
    array = number_columns(columns, order)
    found = _from_array(array, str(path), normalise, unchanged)
    chosen = names and tuple(names[k] for k in order or ())
    return replace(
        found, ids=columns.ids, columns=chosen, keys=columns.keys, dropped=tuple(roles.drop)
    )


def _of_classes(names: list[str], path: Path) -> list[str]:
    """Without the two columns that ``candidly predict --probs`` writes beside the classes'.

    Raises:
        ValueError: there are no others.
    """
    if set(names) == set(BESIDE):
        raise Refusal(
            f"{path} says what was predicted, and has no probabilities of the other classes.",
            "have candidly predict write those of all classes",
        )
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
        lazy = pl.scan_parquet(noted(path))
        schema = lazy.collect_schema()
        n = int(lazy.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{path}: {unreadable(error, 'Parquet file')}") from None
    names, ids = schema.names(), None
    for option, name in (("id", roles.id), *(("drop", name) for name in roles.drop)):
        if name is not None and name not in names:
            raise ValueError(missing_column(path, names, name, option))
    key = roles.id or next((name for name in names if name.lower() in _ids(classes)), None)
    if key is not None:
        with about(path):
            ids = row_names(path, lazy.select(key).collect()[key])
    unnamed = key is None and names[0] in UNNAMED and names[0] not in roles.drop
    if unnamed and (index := row_index(lazy.select(names[:2]).collect())) is not None:
        key, ids = names[0], None if counts(index) else row_names(path, index)
    names = _of_classes([n for n in names if n != key and n not in roles.drop], path)
    bare = [name for name in schema.names() if not schema[name].is_float() and name != key]
    beside = lazy.select(bare).collect()
    keys = key_columns(beside)
    rows = names_of_rows(beside, len(names))
    names = [name for name in names if name not in rows]
    kinds = [schema[name] for name in names]
    if bad := [name for name, kind in zip(names, kinds) if not kind.is_numeric()]:
        raise Refusal(
            f"{path} has columns that are no numbers: {', '.join(bad)}.",
            "leave them out with `drop`",
            "name the one of ids with `id`",
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
    return ProbRows(
        n, len(names), dtype, get, str(path), normalise, unchanged, ids, tuple(names),
        keys=keys, dropped=tuple(roles.drop),
    )  # fmt: skip


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
