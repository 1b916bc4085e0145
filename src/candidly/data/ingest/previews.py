"""What examples look like, for a page: images as data URIs, texts cut short."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .media import Look, pixels_of
from .media import open_media as open_looks

CRISP = 96  # pixels: an image up to this is embedded as it is, and enlarged without smoothing
LARGEST = 256  # pixels: a larger one is made this small
TEXT = 600  # characters


@dataclass(frozen=True)
class Field:
    """A column of one row, beside what is usual for the given and for the proposed class.

    Attributes:
        usual, usual_there: in words, of the given class and of the proposed one.
        speaks: whether the value is far more usual for the proposed class.
    """

    name: str
    value: str
    usual: str = ""
    usual_there: str = ""
    speaks: bool = False


@dataclass(frozen=True)
class Preview:
    """One example: a text, an image, a row of a table, or the reason why there is none."""

    text: str | None = None
    uri: str | None = None
    crisp: bool = False
    missing: str | None = None
    fields: tuple[Field, ...] = ()


Media = Callable[[int], Preview | None]  # None: there is nothing of that number


def open_media(path: Path | str, n: int, ids: Sequence[Any] | None = None) -> Media:
    """A function from an example's number to what a page shows of it.

    Args:
        path, n, ids: see ``candidly.data.ingest.media.open_media``. Of a sound the page says
            that it is one.

    Raises:
        ValueError, FileNotFoundError: what does not fit; a file that is no picture or sound, when
            it is asked for.
    """
    look = open_looks(path, n, ids)
    return lambda i: None if (seen := look(i)) is None else preview_of(seen)


def preview_of(seen: Look) -> Preview:
    """A text, a file or uint8 pixels, as a page shows it.

    Raises:
        ValueError: a file that is damaged; the message names it.
    """
    if isinstance(seen, str):
        return Preview(text=seen if len(seen) <= TEXT else seen[:TEXT].rstrip() + " …")
    if isinstance(seen, np.ndarray):
        return _image(seen)
    if seen.format.kind != "image":
        return Preview(missing=f"{seen.path.name} is a sound; candidly review plays it")
    return _image(pixels_of(seen.path, 2 * LARGEST))


def _image(pixels: np.ndarray) -> Preview:
    from PIL import Image

    plain = pixels[..., 0] if pixels.shape[2:] == (1,) else pixels
    image = Image.fromarray(np.ascontiguousarray(plain))
    crisp = max(image.size) <= CRISP
    if not crisp:
        image.thumbnail((LARGEST, LARGEST), Image.Resampling.LANCZOS)
    kind = "png" if crisp or image.mode == "RGBA" else "jpeg"
    file = io.BytesIO()
    image.save(file, kind, **({"optimize": True} if kind == "png" else {"quality": 82}))
    code = base64.b64encode(file.getvalue()).decode()
    return Preview(uri=f"data:image/{kind};base64,{code}", crisp=crisp)
