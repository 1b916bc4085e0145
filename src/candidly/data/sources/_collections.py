"""CIFAR-10, CIFAR-100, MNIST and Fashion-MNIST: in which files they are distributed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ._forms import ALL, TEST, TRAIN, FormFile, PictureForm

COLOUR, GREY = "RGB", "L"  # Pillow's names
BATCHES = tuple(f"data_batch_{k}" for k in range(1, 6))


@dataclass(frozen=True)
class Collection:
    """Pictures that are published together.

    Args:
        name: what they are kept by. mode: Pillow's name of their colours.
        forms: how they are distributed, what loses nothing first.
        ours, others: patterns of folders that are theirs, or another collection's.
        files: names for messages and lists; the checksum on record is of the first.
        counts: examples of each class, of the training part and of the test part.
        label_bytes: in front of each picture of the binary version.
    """

    name: str
    shape: tuple[int, ...]
    mode: str
    forms: tuple[PictureForm, ...]
    ours: str
    others: str
    files: tuple[str, ...]
    counts: tuple[tuple[int, ...], tuple[int, ...]]
    label_bytes: int = 1

    @property
    def shape_of_one(self) -> tuple[int, ...]:
        """Of a picture as a network takes it: (C, H, W)."""
        return (*self.shape[2:], *self.shape[:2]) if len(self.shape) == 3 else (1, *self.shape)


def _archives(number: str) -> tuple[PictureForm, ...]:
    """The Python and the binary version of CIFAR, packed."""
    pattern = rf"cifar[-_.]?{number}[-_.]?(python|binary)\.(tar\.gz|tgz|tar)"
    wanted = FormFile(f"cifar-{number}-python.tar.gz", pattern)
    return (PictureForm("archive", {ALL: (wanted,)}, (".tar.gz", ".tgz", ".tar")),)


def _tables(name: str) -> tuple[PictureForm, ...]:
    """Parquet files: one, or one or more of each part."""
    stem = re.sub("[-_](?=mnist)|(?<=cifar)", "[-_ ]?", name)
    one = FormFile(f"{name}.parquet", rf"{stem}([-_](png|jpe?g))?\.parquet")
    shard = r"(-\d+-of-\d+)?(-[0-9a-f]+)?\.parquet"
    parts = {
        part: (FormFile(f"{part}.parquet", rf"({stem}[-_])?{part}{shard}", several=True),)
        for part in (TRAIN, TEST)
    }
    return (
        PictureForm("table", {ALL: (one,)}, (".parquet",)),
        PictureForm("table", parts, generic=True),
    )


def _exactly(names: Sequence[str], ending: str = "") -> tuple[FormFile, ...]:
    return tuple(FormFile(name + ending, name + ending.replace(".", r"\.")) for name in names)


def _idx(part: str) -> tuple[FormFile, ...]:
    """The two IDX files of a part, compressed or not."""
    first = part.replace("t10k", "(t10k|test)")
    return tuple(
        FormFile(
            f"{part}-{what}-idx{dimensions}-ubyte.gz",
            rf"{first}[-_.]?{what}[-_.]?idx{dimensions}[-_.]?ubyte(\.gz)?",
            labels=what == "labels",
        )
        for what, dimensions in (("images", 3), ("labels", 1))
    )


IDX = (PictureForm("idx", {TRAIN: _idx("train"), TEST: _idx("t10k")}),)
MNIST_FILES = tuple(one.name for wanted in IDX[0].parts.values() for one in wanted)

TEN = Collection(
    "cifar10",
    (32, 32, 3),
    COLOUR,
    (
        PictureForm("python", {TRAIN: _exactly(BATCHES), TEST: _exactly(["test_batch"])}),
        PictureForm(
            "binary", {TRAIN: _exactly(BATCHES, ".bin"), TEST: _exactly(["test_batch"], ".bin")}
        ),
        *_archives("10"),
        *_tables("cifar10"),
    ),
    ours="cifar10(?!0)",
    others="cifar100",
    files=(
        "cifar-10-python.tar.gz",
        "cifar-10-binary.tar.gz",
        "data_batch_1",
        "data_batch_1.bin",
        "cifar10.parquet",
        "cifar10_jpeg.parquet",
    ),
    counts=((5000,) * 10, (1000,) * 10),
)
HUNDRED = Collection(
    "cifar100",
    (32, 32, 3),
    COLOUR,
    (
        PictureForm("python", {part: _exactly([part]) for part in (TRAIN, TEST)}, generic=True),
        PictureForm(
            "binary", {part: _exactly([part], ".bin") for part in (TRAIN, TEST)}, generic=True
        ),
        *_archives("100"),
        *_tables("cifar100"),
    ),
    ours="cifar100",
    others="cifar10(?!0)",
    files=(
        "cifar-100-python.tar.gz",
        "cifar-100-binary.tar.gz",
        "cifar-100-python/train",
        "cifar-100-binary/train.bin",
        "cifar100.parquet",
    ),
    counts=((500,) * 100, (100,) * 100),
    label_bytes=2,
)
DIGITS = Collection(
    "mnist",
    (28, 28),
    GREY,
    (*IDX, *_tables("mnist")),
    ours="mnist",
    others="fashion|kuzushiji|(k|e|q|not|med)mnist",
    files=MNIST_FILES,
    counts=(
        (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949),
        (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009),
    ),
)
FASHION = Collection(
    "fashion-mnist",
    (28, 28),
    GREY,
    (*IDX, *_tables("fashion-mnist")),
    ours="fashion",
    others="(?<!fashion)mnist|kuzushiji",
    files=MNIST_FILES,
    counts=((6000,) * 10, (1000,) * 10),
)
