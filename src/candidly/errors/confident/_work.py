"""Where the columns lie while they are being filled: in memory, or in a folder to resume from."""

from __future__ import annotations

import io
import json
import os
import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest.prob_rows import ProbRows
from ...ground.files import replacing
from ._pairs import Growing, Pairs, no_pairs
from ._passes import CHUNK_BYTES, Range, ranges

SCHEMA = 3


class Work:
    """The columns of a run, and how far it is.

    With a folder the columns are files, progress is noted after every chunk, and the same call
    goes on where a killed one stopped. A note holds checksums of what it says is done.

    Raises:
        ValueError: the folder belongs to other labels or probabilities, or is damaged.
        OSError: there is no room for it; the message says how much it takes.
    """

    def __init__(self, folder: Path | str | None, source: ProbRows, given: np.ndarray, pairs: bool):
        self.folder = None if folder is None else Path(folder)
        self.n = source.n
        self.kinds = {"predicted": given.dtype, "own": source.dtype, "other": source.dtype}
        self.found = Growing(no_pairs(source.n, given.dtype, source.dtype))
        self.size = 0
        if self.folder is None:
            self.columns = {name: np.empty(source.n, kind) for name, kind in self.kinds.items()}
            return
        self.size = max(1, CHUNK_BYTES // (source.m * source.dtype.itemsize))
        self.all = ranges(source, self.size)
        about = {
            "schema": SCHEMA,
            "rows": source.n,
            "classes": source.m,
            "dtype": str(source.dtype),
            "normalise": source.normalise,
            "pairs": pairs,
            "chunk": self.size,
            "labels": zlib.crc32(given.tobytes()),
            "probabilities": source.stamp(),
        }
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"{self.folder} is no folder; give one to work in.")
        self.folder.mkdir(parents=True, exist_ok=True)
        begun = (self.folder / "about.json").exists()
        if begun:
            self._check(about)
        else:
            self._make_room()
        self.columns = {name: self._column(name) for name in self.kinds}
        if not begun:
            with replacing(self.folder / "about.json", again=True) as file:
                file.write(json.dumps(about).encode())

    # files

    def _path(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / name

    def _damaged(self, path: Path, why: object) -> ValueError:
        return ValueError(
            f"{path} is damaged ({why}); delete {self.folder} and start afresh, or use another "
            "folder."
        )

    def _check(self, about: dict[str, Any]) -> None:
        path = self._path("about.json")
        try:
            before = json.loads(path.read_bytes())
        except (ValueError, OSError) as error:
            raise self._damaged(path, error) from None
        if not isinstance(before, dict):
            raise self._damaged(path, "it holds something else")
        if different := [name for name in about if before.get(name) != about[name]]:
            raise ValueError(
                f"{self.folder} was begun with other {different[0]}; use another folder, or "
                "delete it to start afresh."
            )

    def _make_room(self) -> None:
        """Files for the columns with all of their blocks: to write a map without kills a process.

        Raises:
            OSError: there is no room; what was made is deleted.
        """
        for name in self.kinds:
            head = self._header(name)
            size = len(head) + self.n * self.kinds[name].itemsize
            path = self._path(f"{name}.npy")
            try:
                with path.open("wb") as file:
                    file.write(head)
                    file.flush()
                    _allocate(file.fileno(), size)
            except OSError as error:
                free = shutil.disk_usage(self._path("")).free
                for made in self.kinds:
                    self._path(f"{made}.npy").unlink(missing_ok=True)
                each = sum(kind.itemsize for kind in self.kinds.values())
                raise OSError(
                    error.errno,
                    f"could not write {path}: {error.strerror or error}. The columns of "
                    f"{self.n:,} examples take {_mb(each * self.n)}, and pairs of classes more; "
                    f"{_mb(free)} are free there",
                ) from None

    def _header(self, name: str) -> bytes:
        head = io.BytesIO()
        empty = np.lib.format.header_data_from_array_1_0(np.empty(0, self.kinds[name]))
        np.lib.format.write_array_header_1_0(head, {**empty, "shape": (self.n,)})
        return head.getvalue()

    def _column(self, name: str) -> np.ndarray:
        """A map of a column's file, as long as it should be."""
        path, head = self._path(f"{name}.npy"), self._header(name)
        size = len(head) + self.n * self.kinds[name].itemsize
        try:
            with path.open("rb") as file:
                same = file.read(len(head)) == head
            if not same or path.stat().st_size != size:
                raise ValueError(f"not {self.n:,} numbers of {self.kinds[name]}")
            return np.memmap(path, self.kinds[name], "r+", len(head), (self.n,))
        except (ValueError, OSError) as error:
            raise self._damaged(path, error) from None

    # progress

    def _note(self, start: int) -> Path:
        return self._path(f"done-{start:012d}.npy")

    def left(self, todo: Sequence[Range]) -> list[Range]:
        """The ranges that are still to do; what is noted as done is compared with the columns.

        Raises:
            ValueError: it has changed since.
        """
        if self.folder is None:
            return list(todo)
        some = []
        for start, stop in todo:
            if self._note(start).exists():
                self._read(start, stop)
            else:
                some.append((start, stop))
        return some

    def finish(self, start: int, stop: int, found: Pairs | None) -> None:
        """Keep what was found in a range, and note that it is done; its columns are on disk before.

        Ranges are finished in their order.
        """
        if self.folder is None:
            if found is not None:
                self.found.add(found)
            return
        for column in self.columns.values():
            column.flush()  # type: ignore[attr-defined]
        parts = self.found.columns if found is None else found
        with replacing(self._note(start), again=True) as file:
            np.save(file, self._sums(start, stop, parts), allow_pickle=False)
            for part in parts:
                np.save(file, part, allow_pickle=False)

    def _sums(self, start: int, stop: int, found: Pairs) -> np.ndarray:
        """Checksums of a range: of its columns, and of its pairs."""
        parts = [column[start:stop] for column in self.columns.values()] + list(found)
        return np.array([zlib.crc32(part.tobytes()) for part in parts], np.uint32)

    def _read(self, start: int, stop: int) -> Pairs:
        path = self._note(start)
        try:
            with path.open("rb") as file:
                arrays = [np.load(file, allow_pickle=False) for _ in range(1 + len(Pairs._fields))]
        except (ValueError, OSError, EOFError) as error:
            raise self._damaged(path, error) from None
        found = Pairs(*arrays[1:])
        if not np.array_equal(arrays[0], self._sums(start, stop, found)):
            raise self._damaged(path, f"rows {start} to {stop - 1} are not what was written")
        return found

    def pairs(self) -> Pairs:
        """All pairs, in order of rows; once, after everything is done."""
        for start, stop in self.all if self.folder is not None else ():
            self.found.add(self._read(start, stop))
        return self.found.whole()


def _allocate(file: int, size: int) -> None:
    """Make a file that long, with blocks for all of it."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    done = os.fstat(file).st_size  # where the system has no such call: zeros
    while done < size:
        done += os.pwrite(file, bytes(min(size - done, 1 << 20)), done)


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
