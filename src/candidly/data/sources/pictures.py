"""Pictures and their classes as arrays: decoded once, and kept in candidly's cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...ground.checks import check_size
from ...ground.files import replacing
from ...ground.problem import why
from ...ground.progress import OnProgress
from ..ingest.media import pixels_of
from ..labels.storage import read_arrays, write_arrays
from . import fetch
from ._cifar_names import CIFAR100_COARSE, COARSE_OF
from ._collections import COLOUR
from ._picture_tables import PARTS, Rows, read_table

AT_ONCE = 1000  # images between two words on progress


@dataclass(frozen=True, eq=False)
class Official:
    """Pictures as they were published, the training part first.

    Attributes:
        pictures: uint8 (n, h, w[, c]).
        labels: int64 (n,), their classes.
        test: bool (n,), which are of the official test part.
    """

    pictures: np.ndarray
    labels: np.ndarray
    test: np.ndarray

    def truth(self, classes: Sequence[str]) -> np.ndarray:
        """int64 (n,), the labels, or their super-classes where the classes are those."""
        return COARSE_OF[self.labels] if classes == CIFAR100_COARSE else self.labels


def kept(name: str, digest: str, make: Callable[[], Official]) -> Official:
    """What ``make`` makes of files; kept in the cache, and mapped into memory from there.

    Args:
        name, digest: of the collection, and of the files' content: what is kept goes by these.
    """
    place = fetch._cache() / f"{name}-{digest[:16]}"
    try:
        return _opened(place)
    except (OSError, ValueError, KeyError, EOFError):
        made = make()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place.with_suffix(".npy"), again=True) as file:
            np.save(file, made.pictures, allow_pickle=False)
        write_arrays(
            place.with_suffix(".npz"), {"labels": made.labels, "test": made.test}, {}, again=True
        )
        return _opened(place)
    except (OSError, ValueError):
        return made  # a cache that cannot be written costs seconds the next time, and nothing else


def from_tables(files: Mapping[str, Sequence[Path]], mode: str, watch: OnProgress) -> Official:
    """Pictures in tables, decoded.

    Args:
        files: see ``read_table``.
        mode: ``RGB`` for (n, h, w, 3), ``L`` for (n, h, w).

    Raises:
        ValueError: tables of another form, or a picture that cannot be decoded.
    """
    parts = read_table(files)
    none: Rows = [], np.zeros(0, np.int64)
    train, test = (parts.get(part, none) for part in PARTS)
    where = next(path for paths in files.values() for path in paths)
    return Official(
        pictures=decoded(where, train[0] + test[0], mode, watch),
        labels=np.concatenate([train[1], test[1]]),
        test=np.arange(len(train[0]) + len(test[0])) >= len(train[0]),
    )


def decoded(path: Path, files: Sequence[bytes], mode: str, watch: OnProgress) -> np.ndarray:
    """uint8 (n, h, w[, 3]), all of the first picture's size.

    Raises:
        ValueError: a picture that cannot be decoded, or is of another size; the message names
            ``path`` and the row.
    """
    images = np.empty((0, 0, 0), np.uint8)
    for row, file in enumerate(files):
        if row % AT_ONCE == 0:
            watch(row, len(files))
        try:
            image = pixels_of(file, colour=mode == COLOUR)
            if row == 0:
                check_size("the images", (len(files), *image.shape), 1)
                images = np.empty((len(files), *image.shape), np.uint8)
            if image.shape != images.shape[1:]:
                raise ValueError(f"{image.shape[:2]} pixels, not {images.shape[1:3]} as others")
            images[row] = image
        except ValueError as error:
            raise ValueError(f"{path}: image {row} cannot be used{why(error)}.") from None
    return images


def digest_of(paths: Sequence[Path]) -> str:
    """SHA-256 of what is in the files; of one file, its own."""
    found = []
    for path in paths:
        with open(path, "rb") as file:
            found.append(hashlib.file_digest(file, "sha256").hexdigest())
    return found[0] if len(found) == 1 else hashlib.sha256("".join(found).encode()).hexdigest()


def _opened(place: Path) -> Official:
    """What was kept. Raises OSError, ValueError, KeyError or EOFError where it is not there."""
    pictures = np.load(place.with_suffix(".npy"), mmap_mode="r", allow_pickle=False)
    arrays, _ = read_arrays(place.with_suffix(".npz"))
    found = Official(pictures, arrays["labels"], arrays["test"])
    if not len(found.pictures) == len(found.labels) == len(found.test):
        raise ValueError("arrays of different lengths were kept")
    return found
