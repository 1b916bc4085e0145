"""Where the columns lie while they are being filled: in memory, or in a folder to resume from."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import replacing
from ._source import Source

if TYPE_CHECKING:
    from ._evidence import Pairs

SCHEMA = 1
CHUNK_BYTES = 1 << 25  # of probabilities between two notes of progress in a folder


class Work:
    """The columns of a run, and how far it is.

    With a folder the columns are files, progress is noted after every chunk, and the same call
    goes on where a killed one stopped.

    Raises:
        ValueError: the folder belongs to other labels or probabilities.
    """

    def __init__(
        self,
        folder: Path | str | None,
        source: Source,
        given: np.ndarray,
        pairs: bool,
    ):
        self.folder = None if folder is None else Path(folder)
        kinds = {"predicted": given.dtype, "own": source.dtype, "other": source.dtype}
        self.found: dict[int, Any] = {}
        self.size = 0
        if self.folder is None:
            self.columns = {name: np.empty(source.n, kind) for name, kind in kinds.items()}
            return
        self.size = max(1, CHUNK_BYTES // (source.m * source.dtype.itemsize))
        self.folder.mkdir(parents=True, exist_ok=True)
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
        self._check(about)
        mode = "r+" if (self.folder / "about.json").exists() else "w+"
        self.columns = {
            name: np.lib.format.open_memmap(
                self.folder / f"{name}.npy", mode=mode, dtype=kind, shape=(source.n,)
            )
            for name, kind in kinds.items()
        }
        if mode == "w+":
            with replacing(self.folder / "about.json") as file:
                file.write(json.dumps(about).encode())

    def _check(self, about: dict[str, Any]) -> None:
        assert self.folder is not None
        path = self.folder / "about.json"
        if not path.exists():
            return
        try:
            before = json.loads(path.read_bytes())
        except ValueError:
            before = {}
        if different := [name for name in about if before.get(name) != about[name]]:
            raise ValueError(
                f"{self.folder} was begun with other {different[0]}; use another folder, or "
                "delete it to start afresh."
            )

    def _note(self, start: int) -> Path:
        assert self.folder is not None
        return self.folder / f"done-{start:012d}.npy"

    def left(self, todo: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The ranges that are still to do."""
        if self.folder is None:
            return list(todo)
        return [(start, stop) for start, stop in todo if not self._note(start).exists()]

    def done_rows(self, todo: Sequence[tuple[int, int]]) -> int:
        left = sum(stop - start for start, stop in self.left(todo))
        return sum(stop - start for start, stop in todo) - left

    def add(self, start: int, pairs: Pairs) -> None:
        """Keep what was found in the range that begins at ``start``."""
        self.found[start] = pairs

    def finish(self, start: int) -> None:
        """Note that a range is done; its columns and pairs are on disk before that."""
        if self.folder is None:
            return
        for column in self.columns.values():
            column.flush()  # type: ignore[attr-defined]
        found = self.found.pop(start, None)
        records = np.empty(0)
        if found is not None:
            kind = np.dtype([(name, getattr(found, name).dtype) for name in found._fields])
            records = np.empty(len(found.row), kind)
            for name in found._fields:
                records[name] = getattr(found, name)
        with replacing(self._note(start)) as file:
            np.save(file, records, allow_pickle=False)

    def pairs(self) -> Pairs:
        """All pairs, in order of rows; once, as each part is let go when it has been copied."""
        from ._evidence import Pairs

        parts: list[Any] = [self.found.pop(start) for start in sorted(self.found, reverse=True)]
        if self.folder is not None:
            files = sorted(self.folder.glob("done-*.npy"), reverse=True)
            parts = [np.load(file, allow_pickle=False) for file in files]
            parts = [Pairs(*(part[name] for name in Pairs._fields)) for part in parts]
        size = sum(len(part.row) for part in parts)
        whole = Pairs(*(np.empty(size, column.dtype) for column in parts[-1]))
        start = 0
        while parts:
            part = parts.pop()
            for column, values in zip(whole, part):
                column[start : start + len(values)] = values
            start += len(part.row)
        return whole
