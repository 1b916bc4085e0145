"""Files of pictures as pixels of one size: what can be told apart is made alike, or refused."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....ground.checks import check_size
from ....ground.problem import why
from ._check import checked_file, opened_picture

TOLD_EVERY = 200  # pictures
GREY = ("1", "L", "LA", "La", "I", "I;16", "I;16L", "I;16B", "I;16N")  # Pillow's modes
DEEP = ("I", "I;16", "I;16L", "I;16B", "I;16N")  # of more than 8 bits
ORIENTATION = 0x0112  # of EXIF
ON_THEIR_SIDE = (5, 6, 7, 8)

Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Header:
    """What is known of a file before it is decoded: upright size, and what is to be said of it."""

    high: int
    wide: int
    grey: bool
    animated: bool


def decoded_pictures(
    files: Sequence[Path | str], size: tuple[int, int] | None = None, watch: Watch | None = None
) -> np.ndarray:
    """The pictures as pixels, in the order of the files.

    They are turned upright as EXIF says; CMYK and palettes become red, green and blue, and
    transparency is left out. 16 bits become 8: v / 257, rounded. Of moving pictures and of several
    pages the first is taken.

    Args:
        size: height and width that all are made to have, whatever their proportions; by default
            they must have one size.
        watch: called with pictures done and in all, first of their headers and then again.

    Returns:
        uint8 (n, h, w, 3), or (n, h, w, 1) where every picture is grey.

    Raises:
        ValueError: pictures of several sizes without ``size``, an address on the web, a file that
            is no picture, cut off, damaged or too large; the message names it. OSError: a file
            that cannot be read.

    Warns:
        UserWarning: there are grey pictures among those in colour, or several frames.
    """
    paths = [_on_disk(file, row) for row, file in enumerate(files)]
    if not paths:
        raise ValueError("there are no pictures to decode; give one file or more.")
    heads: list[Header] = []
    for path in paths:
        heads.append(_header(path))
        if size is None:
            _check_same_size(paths[0], heads[0], path, heads[-1])
        _tell(watch, len(heads), len(paths))
    high, wide = size or (heads[0].high, heads[0].wide)
    channels = 1 if all(head.grey for head in heads) else 3
    _warn(paths, heads, channels)
    check_size("the pictures' pixels", (len(paths), high, wide, channels), 1)
    found = np.empty((len(paths), high, wide, channels), np.uint8)
    for row, path in enumerate(paths):
        found[row] = _decoded(path, "L" if channels == 1 else "RGB", size).reshape(high, wide, -1)
        _tell(watch, row + 1, len(paths))
    return found


def _on_disk(file: Path | str, row: int) -> Path:
    # Path makes one slash of two
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(file)):
        raise ValueError(
            f"row {row} is {str(file)!r}, an address: candidly asks no network for pictures. "
            "Download them, and give the files."
        )
    return Path(file)


def _header(path: Path) -> Header:
    if checked_file(path).kind != "image":
        raise ValueError(f"{path} is a sound, and no picture. Take it away.")
    with opened_picture(path) as picture:
        wide, high = picture.size
        if _orientation(path, picture) in ON_THEIR_SIDE:
            wide, high = high, wide
        # phones append a preview to what is one picture
        several = picture.format != "MPO" and getattr(picture, "n_frames", 1) > 1
        return Header(high, wide, picture.mode in GREY, several)


def _orientation(path: Path, picture: Any) -> int:
    try:
        return picture.getexif().get(ORIENTATION, 1)
    except (OSError, SyntaxError, ValueError) as error:
        raise _damaged(path, error) from None


def _check_same_size(first: Path, head: Header, path: Path, other: Header) -> None:
    if (head.high, head.wide) != (other.high, other.wide):
        raise ValueError(
            f"{path} has {other.wide} x {other.high} pixels, and {first} has {head.wide} x "
            f"{head.high}: training needs one size. Give one, such as size=({head.high}, "
            f"{head.wide}) (height, width), to which all are made."
        )


def _warn(paths: list[Path], heads: list[Header], channels: int) -> None:
    grey = [path for path, head in zip(paths, heads) if head.grey]
    if grey and channels == 3:
        warnings.warn(
            f"{len(grey)} of {len(paths)} pictures are grey, among them {grey[0]}; they were made "
            "colour like the others.",
            stacklevel=3,
        )
    moving = [path for path, head in zip(paths, heads) if head.animated]
    if moving:
        warnings.warn(
            f"{len(moving)} of {len(paths)} files hold several pictures, among them {moving[0]}; "
            "the first of each was taken.",
            stacklevel=3,
        )


def _decoded(path: Path, mode: str, size: tuple[int, int] | None) -> np.ndarray:
    from PIL import Image, ImageOps

    with opened_picture(path) as picture:
        try:
            upright = ImageOps.exif_transpose(picture)
            if upright.mode in DEEP:
                upright = Image.fromarray(_of_eight_bits(path, np.asarray(upright)))
            upright = upright.convert(mode)
        except (OSError, SyntaxError) as error:
            raise _damaged(path, error) from None
    if size is not None and upright.size != size[::-1]:
        upright = upright.resize(size[::-1], Image.Resampling.BILINEAR)
    return np.asarray(upright)


def _of_eight_bits(path: Path, pixels: np.ndarray) -> np.ndarray:
    if pixels.min() < 0 or pixels.max() > 65535:
        raise ValueError(
            f"{path} has pixels from {pixels.min()} to {pixels.max()}; at most 16 bits, 0 to 65535,"
            " are let in. Convert it."
        )
    return ((pixels.astype(np.int64) + 128) // 257).astype(np.uint8)


def _damaged(path: Path, error: Exception) -> ValueError:
    return ValueError(
        f"{path} cannot be decoded{why(error)}. Put another copy of it there, or take it away."
    )


def _tell(watch: Watch | None, done: int, total: int) -> None:
    if watch is not None and (done % TOLD_EVERY == 0 or done == total):
        watch(done, total)
