"""The study's data: labels that are wrong in a known way, and inputs."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import candidly
from candidly._files import replacing
from candidly.labelled import Labelled, from_arrays
from candidly.seeds import draw

from .features import features_of
from .noise import NOISES

RATES = (0.1, 0.2, 0.4)
SEEDS = 5
CIFAR10N = {  # name -> array of the file
    "aggre": "aggre_label",
    "rand1": "random_label1",
    "rand2": "random_label2",
    "rand3": "random_label3",
    "worst": "worse_label",
}
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
    """

    title: str
    about: str
    pieces: Callable[[], Iterator[Piece]]
    make: Callable[[Piece], Labelled]


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
    given = NOISES[piece.noise](data.inputs, data.truth, data.q, piece.rate or 0, piece.seed)
    return replace(data, given=given)


def real_files() -> Path:
    """The folder of real files.

    Raises:
        FileNotFoundError: CANDIDLY_DATA does not name one.
    """
    folder = Path(os.environ.get("CANDIDLY_DATA", ""))
    if "CANDIDLY_DATA" not in os.environ or not folder.is_dir():
        raise FileNotFoundError("CANDIDLY_DATA names no folder; it must hold the real files.")
    return folder


def _cifar_pieces() -> Iterator[Piece]:
    for seed in range(SEEDS):
        for name in CIFAR10N:
            yield Piece("cifar10n", name, None, seed)


def cifar_labels(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Given and true labels of the 50,000 training images: int64."""
    with np.load(real_files() / "cifar_n" / "CIFAR-10_human.npz", allow_pickle=False) as file:
        return file[CIFAR10N[name]].astype(np.int64), file["clean_label"].astype(np.int64)


def cifar_images(count: int = 50_000) -> np.ndarray:
    """The first training images, uint8 (count, 32, 32, 3), from the JPEG table."""
    import polars as pl
    from PIL import Image

    table = pl.read_parquet(real_files() / "cifar10" / "cifar10_jpeg.parquet")
    train = table.filter(pl.col("split") == "train").sort("index").head(count)
    return np.stack([np.asarray(Image.open(io.BytesIO(jpeg))) for jpeg in train["jpeg"]])


@lru_cache(1)
def cifar_features(cache: Path = CACHE) -> np.ndarray:
    """Features float32 (50000, 256), learned once without labels and kept in the cache."""
    path = cache / "cifar10-kmeans.npy"
    if not path.exists():
        print(f"learning features of CIFAR-10, once, into {path}", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        found = features_of(cifar_images(), watch=_say)
        with replacing(path) as file:
            np.save(file, found, allow_pickle=False)
    return np.load(path, allow_pickle=False)


def _say(done: int, total: int) -> None:
    if done % 5000 < 200:
        print(f"{done:,} of {total:,} images", flush=True)


def _cifar(piece: Piece) -> Labelled:
    given, truth = cifar_labels(piece.noise)
    return from_arrays(cifar_features(), given=given, truth=truth, classes=10, source="cifar10n")


def _labelme_pieces() -> Iterator[Piece]:
    for seed in range(SEEDS):
        yield Piece("labelme", "one answer", None, seed)


def _labelme(piece: Piece) -> Labelled:
    """One of the answers about each image, drawn at random."""
    folder = real_files() / "crowd" / "labelme"
    answers = np.loadtxt(folder / "answers.txt", dtype=np.int64)
    truth = np.loadtxt(folder / "LabelMe_Z_train.txt").astype(np.int64)
    inputs = np.load(folder / "LabelMe_VGG_avg_train.npy", allow_pickle=False)
    turn = draw(piece.seed, "study.labelme").random(answers.shape)
    chosen = np.where(answers >= 0, turn, -1).argmax(1)
    given = answers[np.arange(len(answers)), chosen]
    there = given >= 0  # some images nobody answered
    return from_arrays(
        inputs[there].reshape(int(there.sum()), -1).astype(np.float32),
        given=given[there],
        truth=truth[there],
        classes=8,
        source="labelme",
    )


STUDIES: Mapping[str, Study] = {
    "digits": Study(
        "Digits",
        "1,797 images of 8 × 8 pixels, 10 classes; wrong labels are made, exactly as many as the "
        "rate says",
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
    "labelme": Study(
        "LabelMe",
        "1,000 images, 8 classes, of each one answer of one person; 512 features of a network "
        "trained on other images",
        _labelme_pieces,
        _labelme,
    ),
}
