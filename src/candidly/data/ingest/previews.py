"""What examples look like, for a page: images as data URIs, texts cut short."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.problem import why
from .media import File, Look, opened_picture
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
    """A text, a file or uint8 pixels, as a page shows it."""
    from PIL import Image

    if isinstance(seen, str):
        return Preview(text=seen if len(seen) <= TEXT else seen[:TEXT].rstrip() + " …")
    if isinstance(seen, File):
        return _of_file(seen)
    pixels = np.ascontiguousarray(seen)
    return _image(Image.fromarray(pixels[..., 0] if pixels.shape[2:] == (1,) else pixels))


def _of_file(seen: File) -> Preview:
    from PIL import ImageOps

    if seen.format.kind != "image":
        return Preview(missing=f"{seen.path.name} is a sound; candidly review plays it")
    with opened_picture(seen.path) as opened:
        opened.draft("RGB", (2 * LARGEST, 2 * LARGEST))  # of a JPEG, reads less
        try:
            return _image(ImageOps.exif_transpose(opened))
        except (OSError, ValueError, SyntaxError) as error:
            raise ValueError(
                f"{seen.path} cannot be read to its end{why(error)}. Replace it, or take it away."
            ) from None


def _image(image: Any) -> Preview:
    from PIL import Image

    crisp = max(image.size) <= CRISP
    if not crisp:
        image = image if image.mode in ("L", "RGB", "RGBA") else image.convert("RGB")
        image.thumbnail((LARGEST, LARGEST), Image.Resampling.LANCZOS)
    kind = "png" if crisp or image.mode == "RGBA" else "jpeg"
    if kind == "png" and image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA"):
        image = image.convert("RGB")
    file = io.BytesIO()
    image.save(file, kind, **({"optimize": True} if kind == "png" else {"quality": 82}))
    code = base64.b64encode(file.getvalue()).decode()
    return Preview(uri=f"data:image/{kind};base64,{code}", crisp=crisp)
