"""The study's data: labels that are wrong in a known way, and inputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import candidly
from candidly.data.labels.labelled import Labelled
from candidly.data.labels.votes import votes_to_given
from candidly.ground.files import replacing
from candidly.people.crowd import some_answers
from studies.kit.encoders import find_encoders

from .features import features_of
from .noise import NOISES

RATES = (0.1, 0.2, 0.4)
SEEDS = 5
CIFAR_SEEDS = 3  # of 50,000 examples a set of labels takes five minutes, and seeds differ little
ENCODER = "efficientnet-lite0"
ENCODED_SEEDS = 1  # of 1,280 numbers a set of labels takes half an hour
ENCODED = ("aggre", "rand1", "worst")
CIFAR10N = ("aggre", "rand1", "rand2", "rand3", "worst")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "candidly" / "study"


class Piece(NamedTuple):
    """One set of labels; ``noise`` and ``rate`` say how they came about."""

    data: str
    noise: str
    rate: float | None
    seed: int


@dataclass(frozen=True)
class Study:
    """A data set of the study.

    Attributes:
        title: for readers.
        about: what it is, in a sentence.
        pieces: () -> what there is to do.
        make: (piece) -> labels and truth.
        rows_of: another data set that has the same rows and labels, seen otherwise; '' for none.
    """

    title: str
    about: str
    pieces: Callable[[], Iterator[Piece]]
    make: Callable[[Piece], Labelled]
    rows_of: str = ""


def _digits_pieces() -> Iterator[Piece]:
    for seed in range(SEEDS):
        yield Piece("digits", "none", 0.0, seed)
        for noise in NOISES:
            for rate in RATES:
                yield Piece("digits", noise, rate, seed)


def _digits(piece: Piece) -> Labelled:
    data = candidly.load("digits")
    assert data.truth is not None
    if piece.noise not in NOISES:
        return replace(data, given=data.truth)
    return NOISES[piece.noise](data, piece.rate or 0, piece.seed)


def _cifar_pieces() -> Iterator[Piece]:
    for seed in range(CIFAR_SEEDS):
        for name in CIFAR10N:
            yield Piece("cifar10n", name, None, seed)


@lru_cache(1)
def cifar_features(cache: Path = CACHE) -> np.ndarray:
    """Features float32 (50000, 256), learned once without labels and kept in the cache."""
    path = cache / "cifar10-kmeans.npy"
    if not path.exists():
        print(f"learning features of CIFAR-10, once, into {path}", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        images = candidly.load("cifar10n-aggre").inputs
        if images.ndim != 4:
            raise FileNotFoundError(
                "there are labels of CIFAR-10N and no images; put cifar10_train.npy or "
                "cifar10_jpeg.parquet into a folder that CANDIDLY_DATA names."
            )
        found = features_of(images, watch=_say)
        with replacing(path) as file:
            np.save(file, found, allow_pickle=False)
    return np.load(path, allow_pickle=False)


def _say(done: int, total: int) -> None:
    if done % 5000 < 200:
        print(f"{done:,} of {total:,} images", flush=True)


def _cifar(piece: Piece) -> Labelled:
    return replace(candidly.load(f"cifar10n-{piece.noise}"), inputs=cifar_features())


def _encoded_pieces() -> Iterator[Piece]:
    for seed in range(ENCODED_SEEDS):
        for name in ENCODED:
            yield Piece("cifar10n-encoded", name, None, seed)


@lru_cache(1)
def encoded_vectors() -> np.ndarray:
    """What the encoder makes of CIFAR-10's training pictures, float32 (50000, 1280)."""
    find_encoders()
    found = candidly.features(candidly.load("cifar10n-aggre"), ENCODER)
    return np.asarray(found)


def _encoded(piece: Piece) -> Labelled:
    return replace(candidly.load(f"cifar10n-{piece.noise}"), inputs=encoded_vectors())


def _labelme_pieces() -> Iterator[Piece]:
    for seed in range(SEEDS):
        yield Piece("labelme", "one answer", None, seed)


def _labelme(piece: Piece) -> Labelled:
    """One of the answers about each image, drawn at random."""
    data = candidly.load("labelme")
    assert data.votes is not None
    one = some_answers(data.votes, 1, piece.seed)
    given = votes_to_given(one, data.n, data.q)
    return replace(data, given=given, votes=None)[given >= 0]


STUDIES: Mapping[str, Study] = {
    "digits": Study(
        "Digits",
        "1,797 images of 8 × 8 pixels, 10 classes; wrong labels are made, as many as the rate says",
        _digits_pieces,
        _digits,
    ),
    "cifar10n": Study(
        "CIFAR-10N",
        "50,000 images, 10 classes, labels by people; 256 features learned without labels "
        "(whitened patches, k-means, principal components)",
        _cifar_pieces,
        _cifar,
    ),
    "cifar10n-encoded": Study(
        "CIFAR-10N, encoded",
        "the same 50,000 images as 1,280 numbers each that EfficientNet-Lite0, trained on "
        "ImageNet, makes of them",
        _encoded_pieces,
        _encoded,
        rows_of="cifar10n",
    ),
    "labelme": Study(
        "LabelMe",
        "1,000 images, 8 classes, of each one answer of one person; 512 features of a network "
        "trained on other images",
        _labelme_pieces,
        _labelme,
    ),
}
