"""Data sets of several files: where each is, or its download; compressed or not."""

from __future__ import annotations

import gzip
import hashlib
import io
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

DEPTH = 2  # folders below the one that is named
MOST_BYTES = 1 << 28  # of a file, uncompressed


@dataclass(frozen=True)
class FilePart:
    """One file of a data set.

    Args:
        file: its name; a copy compressed by gzip, with ``.gz`` behind, does as well.
        size_bytes, sha256: of the content, uncompressed.
        url: where a fixed version can be had.
        folder: name of the folder it lies in, where the file's own could be another's.
    """

    file: str
    size_bytes: int
    sha256: str
    url: str
    folder: str = ""

    @property
    def place(self) -> str:
        """File and folder, for messages and the cache."""
        return f"{self.folder}/{self.file}" if self.folder else self.file


def read(path: Path) -> bytes:
    """The content of a part, uncompressed.

    Raises:
        ValueError: ends in ``.gz``, but is damaged, another kind of file, or has more than 256 MB
            in it.
    """
    if path.suffix.lower() != ".gz":
        return path.read_bytes()
    try:
        with gzip.open(path) as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f"it holds more than {MOST_BYTES >> 20} MB")
        return content
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise ValueError(f"{path} is not a readable gzip file ({error}).") from None


def read_array(path: Path) -> np.ndarray:
    """The array in a part of the form ``.npy``; nothing is unpickled.

    Raises:
        ValueError: it holds none.
    """
    try:
        return np.load(io.BytesIO(read(path)), allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} cannot be read as an array ({error}).") from None


def here(part: FilePart, places: list[Path]) -> Path | None:
    """The first file that can be the part: its name and folder, in any case and punctuation."""
    wanted = {folded(part.file), folded(part.file + ".gz")}
    for place in places:
        for path in files_below(place, DEPTH):
            named = folded(path.name) in wanted
            if named and (not part.folder or folded(path.parent.name) == folded(part.folder)):
                return path
    return None


def warn_if_changed(part: FilePart, path: Path) -> None:
    """Warns when the content is not the one on record."""
    found = hashlib.sha256(read(path)).hexdigest()
    if found != part.sha256:
        warnings.warn(
            f"{path} has SHA-256 {found}, not {part.sha256}. Results may not compare.",
            stacklevel=4,
        )


def files_below(folder: Path, depth: int) -> Iterator[Path]:
    """Files of a folder, then of those up to ``depth`` below it, each in order of name."""
    if not folder.is_dir():
        return
    entries = sorted(folder.iterdir())
    yield from (entry for entry in entries if entry.is_file())
    for entry in entries if depth else ():
        yield from files_below(entry, depth - 1)


def folded(name: str) -> str:
    """What two spellings of a file's name have in common."""
    return "".join(c for c in name.lower() if c.isalnum())
