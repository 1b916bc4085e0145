"""Files of pictures as small squares of one size, as classifiers take them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from ....ground.progress import OnProgress
from ._check import checked_file
from ._decode import pixels_of

TOLD_EVERY = 200  # pictures
KEPT = 2**16  # squares, of 3 kB each: who looks at the same files again need not decode them


def decoded(files: Sequence[Path], side: int, watch: OnProgress | None = None) -> np.ndarray:
    """Pictures as uint8 (n, side, side, 3), whatever their sizes and proportions.

    Args:
        watch: called with pictures decoded and in all.

    Raises:
        ValueError, OSError: a file that is no picture, damaged or too large; the message names it.
    """
    found = np.empty((len(files), side, side, 3), np.uint8)
    for row, file in enumerate(files):
        found[row] = square(file, side)
        if watch is not None and (row + 1) % TOLD_EVERY == 0:
            watch(row + 1, len(files))
    if watch is not None:
        watch(len(files), len(files))
    return found


def square(file: Path, side: int, folder: Path | None = None) -> np.ndarray:
    """One picture, uint8 (side, side, 3).

    Args:
        folder: see ``checked_file``.

    Raises:
        ValueError, OSError: see ``decoded``.
    """
    if checked_file(file, folder).kind != "image":
        raise ValueError(
            f"{file} is a sound; classifiers with names are for pictures. Give one of your own"
            " that reads paths, or features of the sounds as a table."
        )
    about = file.stat()
    return _square(file.absolute(), about.st_mtime_ns, about.st_size, side)


@lru_cache(KEPT)
def _square(file: Path, changed: int, size: int, side: int) -> np.ndarray:
    """See ``square``; ``changed`` and ``size`` tell the file from another of its name."""
    from PIL import Image

    pixels = pixels_of(file, 2 * side, colour=True)
    if pixels.shape[:2] == (side, side):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((side, side), Image.Resampling.BOX))
