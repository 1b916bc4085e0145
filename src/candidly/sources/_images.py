"""The training images that labels are about, from files beside them."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..labelled import Labelled
from ._source import Source
from .fetch import find_beside
from .official import read_official
from .pictures import Watch


def with_pictures(
    data: Labelled, source: Source, root: str | os.PathLike[str] | None, watch: Watch
) -> Labelled:
    """``data`` with images as its inputs; as it is where there are none.

    They are an ``.npy`` file of ``source.pictures``, uint8 (n, h, w[, c]) in the order of the
    labels; or else the training part of the collection ``source.pictures_of``, in any form.

    Args:
        root: where to look first, as for ``load``; of a file, its folder.

    Raises:
        ValueError: other images than the labels are about.

    Warns:
        UserWarning: there are no images.
    """
    path = find_beside(source.pictures, root)
    if path is not None:
        return replace(data, inputs=_from_array(path, data.n))
    if root is not None and Path(root).expanduser().is_file():
        root = Path(root).expanduser().parent
    try:
        images = _from_collection(data, source.pictures_of, root, watch)
    except FileNotFoundError:
        warnings.warn(
            f"{source.name}: labels alone, as there is no file {source.pictures[0]!r}, and no whole"
            f" form of {source.pictures_of}, where data is looked for; the inputs are names of"
            " images, from which nothing can be learned.",
            stacklevel=3,
        )
        return data
    return replace(data, inputs=images)


def _from_array(path: Path, n: int) -> np.ndarray:
    try:
        images = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} cannot be read as an array ({error}).") from None
    if images.dtype != np.uint8 or images.ndim not in (3, 4) or len(images) != n:
        raise ValueError(
            f"{path} holds {images.dtype} {images.shape}; {n} images in the order of the labels"
            " are uint8 (examples, height, width) with channels last, if any."
        )
    return images


def _from_collection(
    data: Labelled, name: str, root: str | os.PathLike[str] | None, watch: Watch
) -> np.ndarray:
    official, found, _ = read_official(name, root, watch)
    path, n = found.paths[0], data.n
    truth = official.truth(data.classes)[~official.test]
    if len(truth) != n:
        raise ValueError(f"{path} does not hold the training images 0 to {n - 1}, once each.")
    different = truth != data.truth
    if different.any():
        raise ValueError(
            f"{path} has another class than the labels for image {int(different.argmax())}"
            f" ({int(different.sum())} such images): they are in another order."
        )
    return official.pictures[:n]
