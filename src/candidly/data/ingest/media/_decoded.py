"""Files of pictures as small arrays of one size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ....ground.problem import why
from ._check import checked_file, opened_picture

TOLD_EVERY = 200  # pictures


def decoded(
    files: Sequence[Path], side: int, watch: Callable[[int, int], None] | None = None
) -> np.ndarray:
    """Pictures as uint8 (n, side, side, 3), whatever their sizes and proportions.

    Args:
        watch: called with pictures decoded and in all.

    Raises:
        ValueError, OSError: a file that is no picture, damaged or too large; the message names it.
    """
    from PIL import Image

    found = np.empty((len(files), side, side, 3), np.uint8)
    for row, file in enumerate(files):
        if checked_file(file).kind != "image":
            raise ValueError(
                f"{file} is a sound; classifiers with names are for pictures. Give one of your own"
                " that reads paths, or features of the sounds as a table."
            )
        with opened_picture(file) as picture:
            picture.draft("RGB", (2 * side, 2 * side))  # JPEG decodes to a smaller size for less
            try:
                small = picture.convert("RGB").resize((side, side), Image.Resampling.BOX)
            except (OSError, SyntaxError, ValueError) as error:
                raise ValueError(
                    f"{file} cannot be decoded{why(error)}. Put another copy of it there, or take"
                    " it away."
                ) from None
        found[row] = np.asarray(small)
        if watch is not None and (row + 1) % TOLD_EVERY == 0:
            watch(row + 1, len(files))
    if watch is not None:
        watch(len(files), len(files))
    return found
