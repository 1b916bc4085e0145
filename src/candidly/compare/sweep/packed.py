"""A journal's large file: Parquet, its records by key and step, with its checksum in its name."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from ...ground.files import sync_folder
from .columns import ROWS, FileRows, SortedRows, columns_of, file_rows, merged

NAMED = re.compile(r"compact-([0-9a-f]{8})\.parquet")
LEVEL = 3  # of zstd: more costs time, and is no smaller, as most digits of a measure are random


def opened_file(path: Path) -> FileRows:
    """The rows of such a file, which is looked through first.

    Raises:
        ValueError: it does not match its checksum; says what to do.
        FileNotFoundError: it is not there any more.
    """
    named = NAMED.fullmatch(path.name)
    if named is None or int(named[1], 16) != _checksum(path):
        raise ValueError(
            f"{path} is damaged: it does not match the checksum in its name, and what it says of "
            "finished runs cannot be trusted. Restore it from a copy. Without one, move it away "
            "and repeat the command that made the directory: the runs in it are trained again."
        )
    return file_rows(path)


def write_file(folder: Path, sources: Sequence[SortedRows]) -> tuple[Path, int]:
    """Write the rows of all sources as one file; wait until it is on the disk, and read it back.

    Returns:
        the file, and how many rows it has.

    Raises:
        OSError: it could not be written, or does not read back; nothing of it is left.
    """
    columns = columns_of(sources)
    with _beside(folder) as part:
        written = _Digest()

        def pieces(
            names: list[str] | None, where: object, most: object, size: object
        ) -> Iterator[pl.DataFrame]:
            for piece in merged(sources, columns):
                written.add(piece)
                yield piece if names is None else piece.select(names)

        register_io_source(pieces, schema=pl.Schema(columns)).sink_parquet(
            part,
            compression="zstd",
            compression_level=LEVEL,
            row_group_size=ROWS,
            statistics=False,
            maintain_order=True,
        )
        with part.open("rb") as file:
            os.fsync(file.fileno())
        read = _Digest()
        for piece in file_rows(part).pieces(list(columns)):
            read.add(piece)
        if read != written:
            raise OSError(None, "what was written does not read back")
        target = folder / f"compact-{_checksum(part):08x}.parquet"
        part.replace(target)
        sync_folder(folder)
    return target, written.rows


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A file that is gone when the block ends badly."""
    part = folder / f".compact.{os.getpid()}.part"
    try:
        yield part
    except (OSError, pl.exceptions.PolarsError) as error:
        why = getattr(error, "strerror", None) or error
        message = f"could not write {folder / 'compact-*.parquet'}: {why}"
        raise OSError(getattr(error, "errno", None), message) from error
    finally:
        part.unlink(missing_ok=True)


class _Digest:
    """Of rows one after the other, however they come in pieces."""

    def __init__(self) -> None:
        self.rows = self.sum = 0

    def add(self, piece: pl.DataFrame) -> None:
        self.sum = zlib.crc32(piece.hash_rows(seed=0).to_numpy().tobytes(), self.sum)
        self.rows += piece.height

    def __eq__(self, other: Any) -> bool:
        return (self.rows, self.sum) == (other.rows, other.sum)


def _checksum(path: Path) -> int:
    """Of a whole file, which is read in blocks: mapped, all of it would count as memory."""
    block, found = memoryview(bytearray(2**22)), 0
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(block):
            found = zlib.crc32(block[:size], found)
    return found
