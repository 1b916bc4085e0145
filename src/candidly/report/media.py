"""What examples look like, for a page: images as data URIs, texts cut short."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
CRISP = 96  # pixels: an image up to this is embedded as it is, and enlarged without smoothing
LARGEST = 256  # pixels: a larger one is made this small
TEXT = 600  # characters


@dataclass(frozen=True)
class Item:
    """One example: a text, an image, or the reason why there is neither."""

    text: str | None = None
    uri: str | None = None
    crisp: bool = False
    missing: str | None = None


Media = Callable[[int], Item | None]  # None: there is no file of that number


def open_media(path: Path | str, n: int) -> Media:
    """A function from an example's number to what it looks like; files are read when asked for.

    Args:
        path: a folder of image files, named by index (``0.png``, ``0012.jpg``) or in order of name
            (subfolders too); an ``.npy`` file of uint8 images (n, h, w), (n, h, w, 1), (n, h, w, 3)
            or (n, h, w, 4), or of texts (n,); a ``.txt`` file with a text a line; or a ``.csv`` or
            ``.parquet`` file with one column of texts.
        n: examples.

    Raises:
        ValueError, FileNotFoundError: what does not fit.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.is_dir():
        return _folder(path, n)
    if path.suffix == ".npy":
        return _array(path, n)
    if path.suffix in (".txt", ".csv", ".parquet"):
        texts = _texts(path, n)
        return lambda i: _text(texts[i])
    raise ValueError(
        f"{path} is no folder of images, and no .npy, .txt, .csv or .parquet file of examples."
    )


def _folder(path: Path, n: int) -> Media:
    files = [p for p in path.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file()]
    if not files:
        raise ValueError(f"{path} holds no image file ({', '.join(ENDINGS)}).")
    numbers = [int(p.stem) if re.fullmatch(r"[0-9]+", p.stem) else -1 for p in files]
    unique = len(set(numbers)) == len(numbers)
    if unique and min(numbers) >= 0 and max(numbers) < n:
        by_index = dict(zip(numbers, files))
        return lambda i: _file(by_index[i]) if i in by_index else None
    if len(files) != n:
        raise ValueError(
            f"{path} holds {len(files)} images; there are {n} examples. Name them by index, "
            f"from 0 to {n - 1}, or give one for each, in order of name."
        )
    if unique and min(numbers) >= 0:
        in_order = [file for _, file in sorted(zip(numbers, files))]
    else:
        in_order = sorted(files, key=lambda p: p.relative_to(path).parts)
    return lambda i: _file(in_order[i])


def _file(path: Path) -> Item:
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as opened:
            opened.draft("RGB", (2 * LARGEST, 2 * LARGEST))  # of a JPEG, reads less
            return _image(ImageOps.exif_transpose(opened))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        return Item(missing=f"{path.name} cannot be read ({error})")


def _array(path: Path, n: int) -> Media:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path} cannot be read as an array ({error}).") from None
    if array.dtype.kind == "U" and array.shape == (n,):
        return lambda i: _text(str(array[i]))
    channels = array.shape[3:] in ((), (1,), (3,), (4,))
    if array.dtype != np.uint8 or array.ndim not in (3, 4) or not channels:
        raise ValueError(
            f"{path} holds {array.dtype} {array.shape}; images are uint8 (examples, height, width) "
            "with 1, 3 or 4 channels last, if any."
        )
    _check_number(path, len(array), n)

    def item(i: int) -> Item:
        from PIL import Image

        pixels = np.ascontiguousarray(array[i])
        return _image(Image.fromarray(pixels[..., 0] if pixels.shape[2:] == (1,) else pixels))

    return item


def _image(image: Any) -> Item:
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
    return Item(uri=f"data:image/{kind};base64,{code}", crisp=crisp)


def _texts(path: Path, n: int) -> list[str]:
    if path.suffix == ".txt":
        try:
            texts = path.read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError:
            raise ValueError(f"{path} is no text in UTF-8.") from None
        texts = texts[:-1] if texts[-1] == "" else texts
        _check_number(path, len(texts), n)
        return texts
    import polars as pl

    try:
        if path.suffix == ".csv":
            table = pl.read_csv(path, has_header=False, infer_schema=False)
            table = table[1:] if len(table) == n + 1 else table  # a line with the column's name
        else:
            table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{path} cannot be read ({error}).") from None
    if table.width != 1:
        raise ValueError(f"{path} has {table.width} columns; texts are one.")
    _check_number(path, len(table), n)
    return ["" if text is None else str(text) for text in table.to_series(0).to_list()]


def _check_number(path: Path, found: int, n: int) -> None:
    if found != n:
        raise ValueError(f"{path} holds {found} examples; there are {n} labels.")


def _text(text: str) -> Item:
    return Item(text=text if len(text) <= TEXT else text[:TEXT].rstrip() + " …")
