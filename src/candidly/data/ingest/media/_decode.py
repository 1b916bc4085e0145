"""The one decoder: what a file of a picture looks like, the same to everybody who looks.

A classifier, a page, a contact sheet, a reviewer and the search for copies are shown these pixels,
and nobody else opens a picture (``tests/data/ingest/test_one_decoder.py``):

* **Upright**, turned and mirrored as its EXIF says.
* **Red, green and blue**, or grey where it is grey. Palettes, CMYK and YCbCr become colours.
* **8 bits.** Of 16 bits v / 257, rounded. 32 bits and floats have no black and white of their own:
  floats from 0 to 1 are multiplied by 255, and in all others the least number is black and the
  largest white; what is no number is black.
* **On white.** Transparency is laid over it.
* **One picture**: of moving ones and of several pages the first.
* **Whole.** One that is cut off or damaged is refused by name, and so is one of more than 64
  million pixels, before it is unpacked.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._formats import MOST_PIXELS, PICTURES

WHITE = (255, 255, 255, 255)  # the ground of what is transparent
GREY = ("1", "L", "LA", "La", "I", "F", "I;16", "I;16L", "I;16B", "I;16N")  # Pillow's modes
DEEP = ("I", "F", "I;16", "I;16L", "I;16B", "I;16N")  # those of more than 8 bits
CLEAR = ("LA", "La", "PA", "RGBA", "RGBa")
POINTER = b"version https://git-lfs"
ORIENTATION = 0x0112  # of EXIF
ON_THEIR_SIDE = (5, 6, 7, 8)
MODES = {  # in words
    "1": "black and white",
    "L": "grey",
    "LA": "grey with transparency",
    "P": "palette",
    "RGB": "colour",
    "RGBA": "colour with transparency",
    "I;16": "grey of 16 bits",
    "I": "grey of 32 bits",
    "F": "grey in floats",
}
KNOWN = (*GREY, *CLEAR, "P", "RGB", "RGBX", "CMYK", "YCbCr")
BROKEN = (  # what Pillow raises of files that are damaged, or made to be
    OSError, ValueError, SyntaxError, EOFError, struct.error, zlib.error, IndexError, KeyError,
    TypeError, ArithmeticError, RuntimeError,
)  # fmt: skip


@dataclass(frozen=True)
class Header:
    """What a file says of its picture.

    Attributes:
        format: a name in ``FORMATS``. wide, high: pixels, upright. mode: its colours, in words.
        plain: whether a browser draws the file as ``pixels_of`` does. turned: by its EXIF.
    """

    format: str
    wide: int
    high: int
    mode: str
    plain: bool
    turned: bool = False


def pixels_of(
    file: Path | bytes, enough: int | None = None, colour: bool | None = None
) -> np.ndarray:
    """The picture in a file.

    Args:
        file: where it is, or its bytes.
        enough: pixels on each side that are enough; a JPEG that has several times as many is
            decoded to fewer, which is quicker.
        colour: whether in colour or grey; None: as it is.

    Returns:
        uint8 (h, w, 3), or (h, w) of grey.

    Raises:
        ValueError: no picture of a known format, too many pixels, cut off or damaged; the message
            names the file. OSError: it cannot be read.
    """
    from PIL import Image, ImageOps

    with _opened(file) as picture:
        if enough is not None:
            picture.draft(None, (enough, enough))
        of_png = picture.format == "PNG"
        upright = picture
        ImageOps.exif_transpose(upright, in_place=True)
        grey = upright.mode in GREY if colour is None else not colour
        if upright.mode in DEEP:
            # where Pillow has 16 bits as 32, they are of a PNG
            upright = Image.fromarray(_of_eight_bits(np.asarray(upright), of_png))
        if _clear(upright):
            on = Image.new("RGBA", upright.size, WHITE)
            upright = Image.alpha_composite(on, upright.convert("RGBA"))
        upright = upright.convert("L" if grey else "RGB")
        found = np.frombuffer(upright.tobytes(), np.uint8)  # np.asarray takes longer
        return found.reshape(upright.height, upright.width, *(() if grey else (3,)))


def header_of(path: Path) -> Header:
    """What a file says of its picture, which is not decoded unless a PNG has to be.

    Raises:
        ValueError, OSError: see ``pixels_of``.
    """
    with _opened(path) as picture:
        wide, high = picture.size
        turned = picture.getexif().get(ORIENTATION, 1)
        # of a TIFF, Pillow tells the size as it will be
        if turned in ON_THEIR_SIDE and picture.format != "TIFF":
            wide, high = high, wide
        name = _format(picture)
        if name == "JPEG":
            plain = picture.mode in ("L", "RGB")  # browsers turn it
        else:
            still = getattr(picture, "n_frames", 1) == 1 and turned == 1
            plain = still and picture.mode in ("1", "L", "P", "RGB") and not _clear(picture)
        return Header(name, wide, high, MODES.get(picture.mode, picture.mode), plain, turned != 1)


def format_of(path: Path) -> str:
    """The format of a picture, a name in ``FORMATS``, by its content; its checksums are right.

    Raises:
        ValueError, OSError: see ``pixels_of``.
    """
    with _opened(path) as picture:
        found = _format(picture)
        picture.verify()
    return found


@contextmanager
def _opened(file: Path | bytes) -> Iterator[Any]:
    """A picture, opened by Pillow and not decoded; what goes wrong in the block names the file."""
    from PIL import Image, UnidentifiedImageError

    what = str(file) if isinstance(file, Path) else "it"
    with warnings.catch_warnings():
        # Pillow's own limit is on other numbers, and what it says of odd EXIF names no file
        warnings.simplefilter("ignore")
        try:
            with Image.open(
                file if isinstance(file, Path) else io.BytesIO(file), formats=PICTURES
            ) as picture:
                wide, high = picture.size
                if wide * high > MOST_PIXELS:
                    raise _NotLetIn(
                        f"{what} has {wide:,} x {high:,} pixels; at most {MOST_PIXELS:,} are let"
                        " in. Make the picture smaller."
                    )
                if picture.mode not in KNOWN:
                    raise _NotLetIn(
                        f"{what} has its colours as {picture.mode}. Save it in red, green and blue."
                    )
                yield picture
        except _NotLetIn:
            raise
        except Image.DecompressionBombError:
            raise ValueError(
                f"{what} has more than {MOST_PIXELS:,} pixels. Make the picture smaller."
            ) from None
        except UnidentifiedImageError:
            if isinstance(file, Path) and _starts(file, POINTER):
                raise ValueError(
                    f"{what} is a pointer of Git LFS, and not the picture; git lfs pull brings it."
                ) from None
            raise ValueError(
                f"{what} cannot be read as a picture: it is damaged, or another kind of file under"
                f" this name. Known are {', '.join(PICTURES)}. Convert it, or take it away."
            ) from None
        except BROKEN as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ValueError(
                f"{what} cannot be read to its end: it is damaged or cut off. Put another copy of"
                " it there, or take it away."
            ) from None


def _starts(file: Path, content: bytes) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(content)) == content


class _NotLetIn(ValueError):
    """A picture that is whole, and not let in."""


def _format(picture: Any) -> str:
    return "JPEG" if picture.format == "MPO" else str(picture.format)  # phones append a preview


def _clear(picture: Any) -> bool:
    """Whether any of it may be transparent."""
    palette = getattr(picture.palette, "mode", "") if picture.mode == "P" else ""
    return picture.mode in CLEAR or palette.endswith("A") or "transparency" in picture.info


def _of_eight_bits(pixels: np.ndarray, sixteen: bool) -> np.ndarray:
    """Grey of more than 8 bits as uint8; see above."""
    if sixteen or pixels.dtype.itemsize == 2:
        return ((pixels.astype(np.int64) + 128) // 257).astype(np.uint8)
    there = np.isfinite(pixels)
    values = np.where(there, pixels, 0).astype(np.float64)
    low, high = (values[there].min(), values[there].max()) if there.any() else (0.0, 0.0)
    if pixels.dtype.kind == "f" and low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    scaled = (np.clip(values, low, high) - low) / (high - low or 1)
    return np.rint(255 * np.where(there, scaled, 0)).astype(np.uint8)
