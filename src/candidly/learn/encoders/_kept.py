"""What an encoder made of a picture, kept on disk, so that it is made once.

A folder an encoder, and in it pieces: ``.npz`` files of some pictures' keys and vectors. A key is
the hash of a picture's content, so that a file that was moved is known, and one that was changed is
not. Pieces are written whole or not at all, and several processes may write at once.
"""

from __future__ import annotations

import os
import uuid
import warnings
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from ...ground.files import replacing

FOLDER = "CANDIDLY_CACHE"  # names another folder; empty: nothing is kept
DAMAGED = (ValueError, KeyError, EOFError, zipfile.BadZipFile)  # of a piece
PICTURES = 1024  # of a piece


def folder_of_kept() -> Path | None:
    """Where vectors are kept: ``$CANDIDLY_CACHE``, or candidly's folder in the user's cache."""
    told = os.environ.get(FOLDER)
    if told is not None:
        return Path(told) if told else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "candidly" / "features"


class KeptVectors:
    """Vectors of one encoder that were made before.

    Args:
        folder: where; None: nothing is kept.
        width: numbers of a vector.
    """

    def __init__(self, folder: Path | None, width: int):
        self.folder, self.width = folder, width

    def put_into(self, found: np.ndarray, keys: Sequence[str]) -> np.ndarray:
        """Fill in the vectors that are kept.

        A piece that is damaged is deleted, and its pictures are encoded again.

        Args:
            found: float32 (n, width), which is written to.
            keys: of its rows.

        Returns:
            bool (n,), the rows that were filled.

        Warns:
            UserWarning: a damaged piece was deleted.
        """
        filled = np.zeros(len(keys), bool)
        if self.folder is None or not self.folder.is_dir():
            return filled
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(keys):
            rows.setdefault(key, []).append(row)
        for piece in sorted(self.folder.glob("*.npz")):
            try:
                with np.load(piece, allow_pickle=False) as read:
                    its = read["keys"].tolist()
                    if not any(key in rows for key in its):
                        continue
                    vectors = self._checked(read["vectors"], len(its))
            except OSError:  # another process has deleted it, or it is not for us to read
                continue
            except DAMAGED as error:
                self._delete(piece, error)
                continue
            for key, vector in zip(its, vectors):
                wanted = rows.pop(key, [])
                found[wanted], filled[wanted] = vector, True
        return filled

    def keep(self, keys: Sequence[str], vectors: np.ndarray) -> None:
        """Write a piece. Where that fails, such as on a full disk, nothing more is kept.

        Warns:
            UserWarning: it could not be written.
        """
        if self.folder is None or not len(keys):
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(self.folder / f"{uuid.uuid4().hex}.npz") as file:
                np.savez(file, allow_pickle=False, keys=np.array(keys), vectors=vectors)
        except OSError as error:
            warnings.warn(
                f"what the encoder made is not kept in {self.folder}: {error.strerror or error}. "
                f"The next time it is made again; {FOLDER} names another folder.",
                stacklevel=3,
            )
            self.folder = None

    def _checked(self, vectors: np.ndarray, n: int) -> np.ndarray:
        if vectors.shape != (n, self.width) or vectors.dtype != np.float32:
            raise ValueError(f"vectors are {vectors.dtype} {vectors.shape}")
        if not np.isfinite(vectors).all():
            raise ValueError("a vector is not finite")
        return vectors

    def _delete(self, piece: Path, error: Exception) -> None:
        warnings.warn(
            f"{piece}, in which vectors of pictures were kept, is damaged ({error}); its pictures "
            "are encoded again.",
            stacklevel=4,
        )
        with suppress(OSError):  # then it is passed over the next time, too
            piece.unlink(missing_ok=True)
