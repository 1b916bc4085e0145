"""Arrays and a note in one ``.npz`` file, without pickle. Knows nothing of what they mean."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.files import replacing
from ...ground.problem import why

NOTE = "candidly"  # the entry that holds the metadata; also what tells our files from others
SURELY_FINE, MOST_TIMES = 2**32, 1000  # bytes, or times its size, that a file may unpack to
LONE = "surrogatepass"  # file names that are not UTF-8 hold lone surrogates


def write_arrays(
    path: Path, arrays: Mapping[str, np.ndarray], note: Mapping[str, Any], again: bool = False
) -> None:
    """Writes beside ``path`` and renames, so that ``path`` is never half a file.

    Args:
        again: see ``files.replacing``.

    Raises:
        ValueError: ``path`` does not end in ``.npz``, or an array holds objects.
        OSError: the disk is full, the folder is missing or read-only; the message names ``path``.
    """
    if path.suffix.lower() != ".npz":
        raise ValueError(f"{path}: the name must end in .npz.")
    text = np.frombuffer(json.dumps(note).encode(), np.uint8)
    with replacing(path, again=again) as file:
        np.savez(file, allow_pickle=False, **{NOTE: text}, **arrays)


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any] | None]:
    """The arrays of an ``.npz`` file, and its note, None in files that are not candidly's.

    Raises:
        FileNotFoundError: no such file.
        ValueError: not an ``.npz`` file, a damaged one, or one with pickled objects.
    """
    try:
        with open(path, "rb") as file:
            if not zipfile.is_zipfile(file):
                raise ValueError("no zip archive")
            file.seek(0)
            with zipfile.ZipFile(file) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
            if size > max(SURELY_FINE, MOST_TIMES * path.stat().st_size):
                raise ValueError(f"it unpacks to {size:,} bytes, far more than arrays do")
            file.seek(0)
            with np.load(file, allow_pickle=False) as loaded:
                arrays = dict(loaded)
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except Exception as error:  # on damaged files the readers raise whatever they ran into
        objects = "Object arrays" in str(error)
        reason = (
            "it holds Python objects, which are never unpickled. Save strings as numpy str arrays"
            " and numbers as plain arrays"
            if objects
            else f"not an .npz file, or a damaged one{why(error)}"
        )
        raise ValueError(f"{path}: {reason}.") from error
    if NOTE not in arrays:
        return arrays, None
    try:
        note = json.loads(arrays.pop(NOTE).tobytes().decode())
    except ValueError as error:
        raise ValueError(f"{path}: its metadata is damaged{why(error)}.") from error
    if not isinstance(note, dict):
        raise ValueError(f"{path}: its metadata is damaged (no table of names and values).")
    return arrays, note


def packed_strings(name: str, strings: Sequence[str | bytes]) -> dict[str, np.ndarray]:
    """Strings as two plain arrays: UTF-8 bytes, and the offsets (len + 1,) between them."""
    encoded = [s.encode("utf-8", LONE) if isinstance(s, str) else s for s in strings]
    ends = np.cumsum([len(string) for string in encoded])
    return {
        f"{name}.bytes": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}.offsets": np.concatenate([[0], ends]).astype(np.int64),
    }


def unpacked_strings(name: str, arrays: Mapping[str, np.ndarray]) -> list[str]:
    """The inverse of ``packed_strings``."""
    text = arrays[f"{name}.bytes"].tobytes()
    ends = arrays[f"{name}.offsets"].tolist()
    return [text[start:end].decode("utf-8", LONE) for start, end in pairwise(ends)]
