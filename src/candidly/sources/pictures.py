"""The images that labels are about, from a file beside them.

=====================  ==========================================================================
``.npy``               uint8 (n, h, w[, c]), in the order of the labels
``.parquet``           one image a row: ``split`` (train or test), ``index`` in the split,
                       ``label``, ``jpeg`` (bytes); decoded once, and kept in candidly's cache
=====================  ==========================================================================
"""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from .._files import replacing
from ..labelled import Labelled
from . import fetch
from ._source import Source

AT_ONCE = 1000  # images between two words on progress

Watch = Callable[[int, int], None]


def with_pictures(data: Labelled, source: Source, path: Path | None, watch: Watch) -> Labelled:
    """``data`` with the images in ``path`` as its inputs; as it is where there is no such file.

    Raises:
        ValueError: other images than the labels are about.

    Warns:
        UserWarning: there is no file.
    """
    if path is None:
        files = " or ".join(repr(file) for file in source.pictures)
        warnings.warn(
            f"{source.name}: labels alone, as there is no file {files} where data is looked for;"
            " the inputs are names of images, from which nothing can be learned.",
            stacklevel=3,
        )
        return data
    return replace(data, inputs=READERS[path.suffix.lower()](path, data, watch))


def _from_array(path: Path, data: Labelled, watch: Watch) -> np.ndarray:
    try:
        images = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} cannot be read as an array ({error}).") from None
    if images.dtype != np.uint8 or images.ndim not in (3, 4) or len(images) != data.n:
        raise ValueError(
            f"{path} holds {images.dtype} {images.shape}; {data.n} images in the order of the"
            " labels are uint8 (examples, height, width) with channels last, if any."
        )
    return images


def _from_parquet(path: Path, data: Labelled, watch: Watch) -> np.ndarray:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    kept = fetch._cache() / f"{path.stem}-{digest[:16]}.npy"
    if kept.is_file():
        return _from_array(kept, data, watch)
    images = _decoded(path, _rows(path, data), watch)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with replacing(kept) as file:
            np.save(file, images, allow_pickle=False)
    except OSError:
        pass  # a cache that cannot be written costs seconds the next time, and nothing else
    return images


def _rows(path: Path, data: Labelled) -> list[bytes]:
    """The encoded training images in the order of the labels."""
    import polars  # a fifth of a second to import

    try:
        table = polars.read_parquet(path, columns=["split", "index", "label", "jpeg"])
    except (polars.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{path} cannot be read as a table of images ({error}).") from None
    table = table.filter(polars.col("split").cast(polars.String) == "train").sort("index")
    if not np.array_equal(table["index"].to_numpy(), np.arange(data.n)):
        raise ValueError(f"{path} does not hold the training images 0 to {data.n - 1}, once each.")
    different = table["label"].to_numpy() != data.truth
    if different.any():
        raise ValueError(
            f"{path} has another class than the labels for image {int(different.argmax())}"
            f" ({int(different.sum())} such images): they are in another order."
        )
    return table["jpeg"].to_list()


def _decoded(path: Path, files: list[bytes], watch: Watch) -> np.ndarray:
    """uint8 (n, h, w, 3), all of the first image's size."""
    images = np.empty((0, 0, 0, 3), np.uint8)
    for row, file in enumerate(files):
        try:
            image = _pixels(file)
            if row == 0:
                images = np.empty((len(files), *image.shape), np.uint8)
            if image.shape != images.shape[1:]:
                raise ValueError(f"{image.shape[:2]} pixels, not {images.shape[1:3]} as others")
            images[row] = image
        except (OSError, ValueError) as error:
            raise ValueError(f"{path}: image {row} cannot be used ({error}).") from None
        if row % AT_ONCE == 0:
            watch(row, len(files))
    return images


def _pixels(file: bytes) -> np.ndarray:
    from PIL import Image

    with Image.open(io.BytesIO(file)) as image:
        return np.asarray(image.convert("RGB"))


READERS: dict[str, Callable[[Path, Labelled, Watch], np.ndarray]] = {
    ".npy": _from_array,
    ".parquet": _from_parquet,
}
