"""Pictures as vectors: decoded, made squares, encoded in pieces that are kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...data.ingest.media import checked_file, header_of, pixels_of
from ...ground.progress import OnProgress, part
from ._kept import PICTURES, KeptVectors, folder_of_kept
from ._precision import PRECISIONS, Precision, calculated_in

if TYPE_CHECKING:
    from torch import nn

BATCH = 32  # pictures that a network sees at once on a GPU
PIXELS = 4 * 224 * 224  # of pictures that it sees at once on a CPU, so that they fit in its cache
MOST_DECODERS = 4  # threads
LOOKED_UP = 50  # pictures of 250 kB are looked up in the time in which one is encoded
SMALL = 96  # pixels, at which pictures that are no larger are encoded

Square = Callable[[np.ndarray], np.ndarray]  # pixels uint8 (h, w, 3) -> uint8 (H, W, 3)


@dataclass(frozen=True, eq=False)
class PictureEncoder:
    """A network that makes a vector of a picture.

    Attributes:
        name: as somebody asked for it.
        digest: of its numbers and of what is done to a picture before.
        width: numbers of a vector.
        side: pixels on a side, at which it sees a picture; None: as its folder says.
        square: what is done to a picture before the network sees it.
        net: uint8 (B, H, W, 3) to (B, width).
    """

    name: str
    digest: str
    width: int
    side: int | None
    square: Square
    net: nn.Module


def encoded(
    pictures: np.ndarray | Sequence[Path],
    encoder: PictureEncoder,
    device: str = "cpu",
    watch: OnProgress | None = None,
    precision: Precision = "float32",
) -> np.ndarray:
    """A vector of each picture: float32 (n, width).

    Pictures that were encoded before are not encoded again; see ``folder_of_kept``. A kill costs
    the piece that was being made.

    Args:
        pictures: uint8 (n, h, w) or (n, h, w, 1, 3 or 4), of 4 channels the last is left out; or
            files.
        device: ``cpu``, ``cuda`` or ``cuda:1``.
        watch: called with work done and work in all: pictures that are looked up among those that
            were encoded before, and then the others.
        precision: vectors of each are kept apart.

    Raises:
        ValueError, OSError: a file that is no picture, damaged or too large; the message names it.
    """
    n, tell = len(pictures), watch or (lambda done, total: None)
    found = np.zeros((n, encoder.width), np.float32)
    root = folder_of_kept()
    folder = None if root is None else root / (encoder.digest + PRECISIONS[precision])
    kept = KeptVectors(folder, encoder.width)
    keys = _keys(pictures, part(tell, 0, 1, LOOKED_UP))
    tell = part(tell, 1, LOOKED_UP, LOOKED_UP)
    done = kept.put_into(found, keys)
    first: dict[str, int] = {}  # rows to encode, one of those that are alike
    for row in np.flatnonzero(~done).tolist():
        first.setdefault(keys[row], row)
    rows = list(first.values())
    before = n - len(rows)
    if n:
        tell(before, n)
    encoder.net.to(device)
    for start in range(0, len(rows), PICTURES):
        piece = rows[start : start + PICTURES]
        for some, vectors in _vectors(pictures, piece, encoder, device, precision):
            found[some] = vectors
            before += len(some)
            tell(before, n)
        kept.keep([keys[row] for row in piece], found[piece])
    again = [row for row in np.flatnonzero(~done).tolist() if first[keys[row]] != row]
    found[again] = found[[first[keys[row]] for row in again]]
    return found


def _vectors(
    pictures: np.ndarray | Sequence[Path],
    rows: Sequence[int],
    encoder: PictureEncoder,
    device: str,
    precision: Precision,
) -> Iterator[tuple[list[int], np.ndarray]]:
    """Rows and their vectors; while the network sees some pictures, the next are decoded."""
    import torch

    enough = None if encoder.side is None else 3 * encoder.side // 2

    def square(row: int) -> np.ndarray:
        return encoder.square(pixels(pictures[row], enough))

    size = BATCH if device != "cpu" else max(PIXELS // square(rows[0])[..., 0].size, 1)
    batches = [list(rows[start : start + size]) for start in range(0, len(rows), size)]
    with _threads() as pool, torch.no_grad(), calculated_in(precision, device):
        waiting = [pool.submit(square, row) for row in batches[0]]
        for at, some in enumerate(batches):
            squares = np.stack([one.result() for one in waiting])
            following = batches[at + 1] if at + 1 < len(batches) else []
            waiting = [pool.submit(square, row) for row in following]
            found = encoder.net(torch.from_numpy(squares).to(device))
            yield some, found.float().cpu().numpy()


def _keys(pictures: np.ndarray | Sequence[Path], watch: OnProgress) -> list[str]:
    """The hash of each picture's content; files are read by several threads."""
    n, keys = len(pictures), list[str]()
    with _threads() as pool:
        for start in range(0, n, PICTURES):
            keys += pool.map(_key, pictures[start : start + PICTURES])
            watch(len(keys), n)
    return keys


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(min(MOST_DECODERS, os.cpu_count() or 1))


def _key(picture: np.ndarray | Path) -> str:
    """The hash of a picture's content: of a file's bytes, or of pixels and their shape."""
    if isinstance(picture, np.ndarray):
        hashed = hashlib.blake2b(repr(picture.shape).encode(), digest_size=16)
        hashed.update(np.ascontiguousarray(picture).data)
        return hashed.hexdigest()
    checked_picture(picture)
    with Path(picture).open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def checked_picture(file: Path) -> None:
    """Raises ValueError for a file that is no picture, such as a sound."""
    if checked_file(Path(file)).kind != "image":
        raise ValueError(
            f"{file} is a sound; an encoder of pictures makes nothing of it. Give pictures, or "
            "features of the sounds as a table."
        )


def pixels(picture: np.ndarray | Path, enough: int | None = None) -> np.ndarray:
    """One picture in colour, uint8 (h, w, 3); ``enough`` as in ``pixels_of``."""
    if not isinstance(picture, np.ndarray):
        return pixels_of(Path(picture), enough, colour=True)
    if picture.ndim == 2 or picture.shape[2] == 1:
        return np.repeat(picture.reshape(*picture.shape[:2], 1), 3, 2)
    return np.ascontiguousarray(picture[..., :3])


def squared(side: int) -> Square:
    """The whole picture as a square, whatever its proportions: bicubic, by Pillow."""
    from PIL import Image

    def square(picture: np.ndarray) -> np.ndarray:
        if picture.shape[:2] == (side, side):
            return picture
        made = Image.fromarray(picture).resize((side, side), Image.Resampling.BICUBIC)
        return np.asarray(made)

    return square


def are_small(pictures: np.ndarray | Sequence[Path]) -> bool:
    """Whether no picture is longer or wider than 96 pixels."""
    if isinstance(pictures, np.ndarray):
        return max(pictures.shape[1:3]) <= SMALL
    for picture in pictures:
        checked_picture(picture)
        about = header_of(picture)
        if max(about.wide, about.high) > SMALL:
            return False
    return True
