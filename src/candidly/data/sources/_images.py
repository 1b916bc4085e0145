"""The training images that labels are about, from files beside them."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...ground.problem import why
from ...ground.progress import OnProgress
from ..labels.labelled import Labelled
from ._source import Source
from .fetch import find_beside
from .official import read_official
from .order import WORST, match_order, part_means, squared_gaps

LOOKED_AT = 256  # pictures that say whether two arrays are in the same order
LEAST = 10_000  # pictures from which on classes can be told by looking from afar
CLEARLY = 6  # standard deviations above chance


def with_pictures(
    data: Labelled, source: Source, root: str | os.PathLike[str] | None, watch: OnProgress
) -> Labelled:
    """``data`` with images as its inputs; as it is where there are none.

    They are an ``.npy`` file of ``source.pictures``, uint8 (n, h, w[, c]) in the order of the
    labels; or else the training part of the collection ``source.pictures_of``, in any form. Where
    both are there, an array in another order is matched to the collection (``match_order``).

    Args:
        root: where to look first, as for ``load``; of a file, its folder.

    Raises:
        ValueError: other images than the labels are about, or in another order.

    Warns:
        UserWarning: there are no images, or they were in another order and were matched.
    """
    path = find_beside(source.pictures, root)
    if root is not None and Path(root).expanduser().is_file():
        root = Path(root).expanduser().parent
    if path is not None:
        images = _from_array(path, data.n)
        return replace(data, inputs=_in_order(path, images, data, source, root, watch))
    try:
        images = _from_collection(data, source, root, watch)
    except FileNotFoundError:
        warnings.warn(
            f"{source.name}: labels alone, as there is no file {source.pictures[0]!r}, and no whole"
            f" form of {source.pictures_of}, where data is looked for; the inputs are names of"
            " images, from which nothing can be learned.",
            stacklevel=3,
        )
        return data
    return replace(data, inputs=images)


def with_test_part(
    data: Labelled, source: Source, root: str | os.PathLike[str] | None, watch: OnProgress
) -> Labelled:
    """``data`` with the official test pictures of ``source.pictures_of`` behind it.

    They have a truth and no given label: nobody was asked about them.

    Raises:
        FileNotFoundError: there is no test part.
        ValueError: the pictures are of another form.
    """
    if root is not None and Path(root).expanduser().is_file():
        root = Path(root).expanduser().parent
    official, found, _ = read_official(source.pictures_of, root, watch)
    rows = np.flatnonzero(official.test)
    if len(rows) != source.test_rows:
        raise FileNotFoundError(
            f"{found.folder} has {len(rows):,} of the {source.test_rows:,} official test pictures"
            f" of {source.pictures_of}, on which {source.name} is tested. Put the whole test part"
            " there, or use a random split."
        )
    if not data.kind.pixels:
        raise FileNotFoundError(
            f"{source.name}: the labelled pictures are not there, so nothing can be tested."
        )
    pictures = official.pictures[rows]
    assert isinstance(data.inputs, np.ndarray)
    if pictures.shape[1:] != data.inputs.shape[1:]:
        raise ValueError(
            f"{found.folder} has test pictures of the shape {pictures.shape[1:]}, and those that"
            f" are labelled have {data.inputs.shape[1:]}."
        )
    nobody = np.full(len(rows), -1)
    truth = np.full(data.n, -1) if data.truth is None else data.truth
    return replace(
        data,
        inputs=np.concatenate([data.inputs, pictures]),
        given=None if data.given is None else np.concatenate([data.given, nobody]),
        truth=np.concatenate([truth, official.truth(data.classes)[rows]]),
        ids=np.arange(data.n + len(rows)),
        official_test=np.arange(data.n + len(rows)) >= data.n,
    )


def _from_array(path: Path, n: int) -> np.ndarray:
    try:
        images = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} cannot be read as an array{why(error)}.") from None
    if images.dtype != np.uint8 or images.ndim not in (3, 4) or len(images) != n:
        raise ValueError(
            f"{path} holds {images.dtype} {images.shape}; {n} images in the order of the labels"
            " are uint8 (examples, height, width) with channels last, if any."
        )
    return images


def _in_order(
    path: Path,
    images: np.ndarray,
    data: Labelled,
    source: Source,
    root: str | os.PathLike[str] | None,
    watch: OnProgress,
) -> np.ndarray:
    """Images in the order of the labels: as they are, matched to a collection, or refused."""
    try:
        reference = _from_collection(data, source, root, watch)
    except (FileNotFoundError, ValueError):  # none that could say more than the classes do
        reference = None
    if reference is None or reference.shape != images.shape:
        _check_classes(path, images, data)
        return images
    rows = np.arange(data.n)[:: max(data.n // LOOKED_AT, 1)]
    gaps = squared_gaps(images, reference, rows, rows) / images[0].size
    if (gaps <= WORST**2).all():
        return images
    try:
        places = match_order(images, reference, watch)
    except ValueError as error:
        raise ValueError(
            f"{path} holds pictures in another order than the labels, and they cannot be matched to"
            f" those of {source.pictures_of}: {error}"
        ) from None
    warnings.warn(
        f"{path} holds pictures in another order than the labels; each was matched to"
        f" {source.pictures_of} by what it looks like.",
        stacklevel=4,
    )
    return images[np.argsort(places)]


def _check_classes(path: Path, images: np.ndarray, data: Labelled) -> None:
    """Refuse images that have no more to do with the true classes than chance.

    In the right order, the class whose mean picture is nearest is right for 20 % of CIFAR-10.
    """
    if data.truth is None or data.n < LEAST or min(images.shape[1:3]) < 4:
        return
    described, truth = part_means(images), data.truth
    learned, asked = slice(0, None, 2), slice(1, None, 2)
    known = np.unique(truth[learned])
    means = np.stack([described[learned][truth[learned] == one].mean(0) for one in known])
    scores = described[asked] @ means.T - (means**2).sum(1) / 2
    right = (known[scores.argmax(1)] == truth[asked]).mean()
    shares = np.bincount(truth) / data.n
    chance = float(shares.max())
    if right <= chance + CLEARLY * np.sqrt(chance * (1 - chance) / len(truth[asked])):
        raise ValueError(
            f"{path} holds pictures that have nothing to do with the true classes of the labels:"
            f" {100 * right:.1f} % look most like their own class, and by chance"
            f" {100 * chance:.1f} % do. They are in another order; sources.match_order finds it,"
            " given pictures in the right one."
        )


def _from_collection(
    data: Labelled, source: Source, root: str | os.PathLike[str] | None, watch: OnProgress
) -> np.ndarray:
    official, found, _ = read_official(source.pictures_of, root, watch)
    path, n = found.paths[0], data.n
    truth = official.truth(data.classes)[~official.test]
    if len(truth) != n:
        raise ValueError(f"{path} does not hold the training images 0 to {n - 1}, once each.")
    different = truth != data.truth
    if different.mean() > 1 - source.truth_agrees:
        raise ValueError(
            f"{path} has another class than the labels for image {int(different.argmax())}"
            f" ({int(different.sum())} such images): they are in another order."
        )
    return official.pictures[:n]
