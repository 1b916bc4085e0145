"""What the files of CIFAR and MNIST hold: batches of pictures with their labels."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...ground.problem import why
from ._cifar_names import CIFAR100, COARSE_OF
from ._parts import MOST_BYTES
from ._pickled import read_pickled

SIDE, CHANNELS = 32, 3  # of CIFAR
PIXELS = CHANNELS * SIDE * SIDE


@dataclass(frozen=True, eq=False)
class PictureBatch:
    """Pictures uint8 (n, h, w[, c]), and their labels, int64 (n,)."""

    pictures: np.ndarray
    labels: np.ndarray


Content = tuple[str, bytes]  # of a file: where it is, for messages, and what is in it


def from_python(files: Sequence[Content]) -> list[PictureBatch]:
    """Batches of CIFAR's Python version, which are pickles; nothing of them is run.

    Raises:
        ValueError: another kind of file, or a damaged one; the message names it.
    """
    return [_python_batch(place, content) for place, content in files]


def from_binary(files: Sequence[Content], labels: int) -> list[PictureBatch]:
    """Batches of CIFAR's binary version: records of labels and pixels.

    Args:
        labels: bytes in front of the pixels of each record: 1, the class, in CIFAR-10; 2, the
            super-class and the class, in CIFAR-100.

    Raises:
        ValueError: a file that does not consist of such records; the message names it.
    """
    batches = []
    for place, content in files:
        if not content or len(content) % (labels + PIXELS):
            raise ValueError(
                f"{place} has {len(content):,} bytes, which is no multiple of the"
                f" {labels + PIXELS:,} of a picture with its labels: it is cut off, or another kind"
                " of file."
            )
        records = np.frombuffer(content, np.uint8).reshape(-1, labels + PIXELS)
        found = records[:, labels - 1].astype(np.int64)
        if labels == 2:
            check_coarse(place, found, records[:, 0].astype(np.int64))
        batches.append(PictureBatch(_as_pictures(records[:, labels:]), found))
    return batches


def from_idx(files: Sequence[Content]) -> list[PictureBatch]:
    """The batch of two IDX files, uncompressed: of pictures (n, h, w), and of labels (n,).

    Raises:
        ValueError: another kind of file, a damaged one, or two that do not belong together.
    """
    (place, content), (beside, labels) = files
    pictures, found = _idx(place, content, 3), _idx(beside, labels, 1)
    if len(pictures) != len(found):
        raise ValueError(
            f"{place} holds {len(pictures)} pictures, and {beside} {len(found)} labels."
        )
    return [PictureBatch(pictures, found.astype(np.int64))]


def unpacked(path: Path, names: Collection[str]) -> dict[str, bytes]:
    """Files of a tar archive, compressed or not, by their names without folders; of these alone.

    Raises:
        ValueError: no archive, a damaged one, or one with a file of more than 256 MB.
    """
    found = {}
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                name = member.name.rsplit("/", 1)[-1]
                if name not in names or not member.isfile():
                    continue
                if member.size > MOST_BYTES:
                    raise ValueError(f"its {member.name} is larger than {MOST_BYTES >> 20} MB")
                file = archive.extractfile(member)
                found[name] = b"" if file is None else file.read()
    except (tarfile.TarError, ValueError, OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read as a tar archive{why(error)}.") from None
    return found


def _python_batch(place: str, content: bytes) -> PictureBatch:
    try:
        stored = _by_name(read_pickled(content))
        pixels, labels = stored.get("data"), _numbers(stored, "labels", "fine_labels")
        if not isinstance(pixels, np.ndarray) or pixels.shape != (len(labels), PIXELS):
            shape = getattr(pixels, "shape", "no array")
            raise ValueError(f"its pixels are {shape}, not uint8 ({len(labels)}, {PIXELS})")
    except ValueError as error:
        raise ValueError(
            f"{place} cannot be read as a batch of CIFAR{why(error, ': {}')}."
        ) from None
    if "coarse_labels" in stored:
        check_coarse(place, labels, _numbers(stored, "coarse_labels"))
    return PictureBatch(_as_pictures(pixels), labels)


def _by_name(stored: Any) -> Mapping[str, Any]:
    if not isinstance(stored, dict):
        raise ValueError(f"it holds a {type(stored).__name__}, not a dict of pixels and labels")
    return {
        key.decode("latin-1") if isinstance(key, bytes) else str(key): value
        for key, value in stored.items()
    }


def _numbers(stored: Mapping[str, Any], *names: str) -> np.ndarray:
    """int64 (n,), the first of these lists that is there."""
    name = next((name for name in names if name in stored), None)
    if name is None:
        raise ValueError(f"it has no {' or '.join(names)}; it has {', '.join(stored) or 'nothing'}")
    if not isinstance(stored[name], list) or any(
        type(label) is not int or not 0 <= label < 1 << 31 for label in stored[name]
    ):
        raise ValueError(f"its {name} are no list of class numbers")
    return np.array(stored[name], np.int64)


def check_coarse(place: str, fine: np.ndarray, coarse: np.ndarray) -> None:
    """Refuse super-classes that are not those of the classes: the two may be swapped.

    Raises:
        ValueError: the first row where they are not.
    """
    if len(coarse) != len(fine):
        raise ValueError(f"{place} has {len(coarse)} super-classes and {len(fine)} classes.")
    inside = fine < len(COARSE_OF)  # a number beyond is refused with the labels
    wrong = (COARSE_OF[np.where(inside, fine, 0)] != coarse) & inside
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{place} has super-class {coarse[row]} at row {row}, but class {fine[row]}"
            f" ({CIFAR100[fine[row]]}) belongs to {COARSE_OF[fine[row]]}; its labels are damaged."
        )


def _as_pictures(pixels: np.ndarray) -> np.ndarray:
    """A view (n, h, w, c) of rows that hold one colour after the other."""
    return pixels.reshape(-1, CHANNELS, SIDE, SIDE).transpose(0, 2, 3, 1)


def _idx(place: str, content: bytes, dimensions: int) -> np.ndarray:
    """The uint8 array of an IDX file: two noughts, type 8, dimensions, sizes, then bytes."""
    header = 4 + 4 * dimensions
    if content[:4] != bytes((0, 0, 8, dimensions)) or len(content) < header:
        what = "pictures (n, h, w)" if dimensions == 3 else "labels (n,)"
        raise ValueError(
            f"{place} is no IDX file of {what}: it begins with {content[:4].hex(' ') or 'nothing'},"
            f" not 00 00 08 0{dimensions}."
        )
    shape = np.frombuffer(content, ">u4", dimensions, 4).astype(object)
    if (size := len(content) - header) != shape.prod():
        raise ValueError(
            f"{place} has {size:,} bytes of {' x '.join(map(str, shape))}: it is cut off, or was"
            " written to."
        )
    return np.frombuffer(content, np.uint8, offset=header).reshape(tuple(shape))
