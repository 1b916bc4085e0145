"""CIFAR-N: labels that people gave to the training images of CIFAR-10 and CIFAR-100.

Each label set is a data set of its own: what is loaded holds the labels that were asked for and
the truth, and none of the other sets. They would give it away: ``worst`` was made with the truth,
and is wrong wherever it differs from one of the random labels.

Labels and images are in the order of the Python version of CIFAR, whichever order the file is in,
and ``ids`` are the places in it, whatever is selected or shuffled afterwards. ``image_order`` leads
to TensorFlow's order.

Source: Wei et al., "Learning with noisy labels revisited", ICLR 2022.
"""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...ground.files import wrong_ending
from ...ground.names import lookup
from ...ground.problem import Refusal, why
from ..labels.labelled import Labelled
from ..labels.storage import read_arrays
from ..labels.votes import Votes
from ._cifar_names import CIFAR10, CIFAR100, CIFAR100_COARSE, COARSE_OF
from ._ordered_file import read_ordered_arrays
from ._source import Expected, Source
from ._torch_file import read_torch_arrays
from .fetch import find_file

COMMIT = "49df7d8a69e355470c77c1c2f2424916325a394b"
REPOSITORY = "https://raw.githubusercontent.com/UCSC-REAL/cifar-10-100n"
IMAGES = 50_000
TESTED = 10_000  # official test pictures, of CIFAR-10 and of CIFAR-100


@dataclass(frozen=True)
class _File:
    """A file of the repository, its checksum and its size."""

    place: str
    sha256: str | None
    size_bytes: int | None
    commit: str | None = COMMIT  # None: no address is known


@dataclass(frozen=True)
class _Family:
    """What the label sets of one collection of images have in common."""

    name: str
    labels: _File
    side: _File
    people: int  # in a row of the side file
    order: str  # what the order of images goes by in file names
    pictures: tuple[str, ...]
    pictures_of: str


@dataclass(frozen=True)
class _Set:
    """One label set: the arrays it is made of, and its noise rate."""

    title: str
    family: _Family
    keys: tuple[str, ...]
    classes: tuple[str, ...]
    noise_rate: float | None
    file: _File | None = None  # where not the family's
    truth: str = "clean_label"


TEN = _Family(
    "CIFAR-10",
    _File(
        "data/CIFAR-10_human.pt",
        "873e69c39cb9b5e97fb6bae2d60bb59b38a5cbc31d2b868f7903dcb2b9dd2310",
        2_401_007,
    ),
    _File(
        "side_info_cifar10N.csv",
        "50fcbe619a003d0b804a20ece51447dcdb48978c60e1202371d08302b2e14351",
        170_902,
    ),
    3,
    "c10",
    ("cifar10_train.npy",),
    "cifar10",
)
HUNDRED = _Family(
    "CIFAR-100",
    _File(
        "data/CIFAR-100_human.pt",
        "bd2d80409754d420292d622e15e25248ba21e37d27429efac49c8da723f44394",
        1_000_959,
    ),
    _File(
        "side_info_cifar100N.csv",
        "22b9ca66e25a9c0663ddc415ea3a5b9063f30d434d802ccbd0f0bf3d532d19a9",
        207_844,
    ),
    1,
    "c100",
    ("cifar100_train.npy",),
    "cifar100",
)

RANDOM = ("random_label1", "random_label2", "random_label3")

FAULTY = (
    "The coarse labels of the challenge's older file are faulty, the true ones too: 12 of the 20"
    " occur, and 60 % are the super-classes of the fine ones. Results compare with nothing else."
)

# rates as measured in the files: published are 9.03 % for the aggregate, and 25.60 % for the coarse
# labels, which is what a faulty older file has
SETS: dict[str, _Set] = {
    "cifar10n-aggre": _Set("CIFAR-10N aggregate", TEN, ("aggre_label",), CIFAR10, 0.0901),
    "cifar10n-rand1": _Set("CIFAR-10N random 1", TEN, RANDOM[:1], CIFAR10, 0.1723),
    "cifar10n-rand2": _Set("CIFAR-10N random 2", TEN, RANDOM[1:2], CIFAR10, 0.1812),
    "cifar10n-rand3": _Set("CIFAR-10N random 3", TEN, RANDOM[2:], CIFAR10, 0.1764),
    "cifar10n-worst": _Set("CIFAR-10N worst", TEN, ("worse_label",), CIFAR10, 0.4021),
    "cifar10n": _Set("CIFAR-10N votes", TEN, RANDOM, CIFAR10, None),
    "cifar100n": _Set("CIFAR-100N", HUNDRED, ("noisy_label",), CIFAR100, 0.4020),
    "cifar100n-coarse": _Set(
        "CIFAR-100N coarse", HUNDRED, ("noisy_label",), CIFAR100_COARSE, 0.2640
    ),
    "cifar100n-coarse-challenge": _Set(
        *("CIFAR-100N coarse, faulty", HUNDRED, ("noisy_coarse_label",), CIFAR100_COARSE, 0.2560),
        file=_File("CIFAR-100_human.pt", None, None, commit=None),
        truth="clean_coarse_label",
    ),
}
RENAMED = {"noise_label": "noisy_label"}  # in the file of CIFAR-100N in TensorFlow's order


def load_cifar_n(path: Path, name: str) -> Labelled:
    """One label set of CIFAR-N, without images: its inputs are their names.

    Args:
        path: ``CIFAR-10_human.pt`` or ``CIFAR-100_human.pt``, of which nothing is unpickled; an
            ``.npz`` file with the same arrays; or ``CIFAR-10_human_ordered.npy``, of which nothing
            is unpickled either, with the order of its rows beside it (``image_order``).
        name: the label set, as ``SOURCES`` names it.

    Returns:
        ``given`` and ``truth``; or, of ``cifar10n``, ``truth`` and the ``votes`` of ``random1`` to
        ``random3``, which are three places and not the same three people throughout. Rows are in
        the order of the Python version.

    Raises:
        ValueError: another kind of file, or one without the labels that are needed; or, for
            ``cifar100n-coarse-challenge``, one whose coarse labels are right.
        FileNotFoundError: a file in TensorFlow's order, and not the order.

    Warns:
        UserWarning: the file's coarse labels are not those of its fine ones; the latter count,
            except in ``cifar100n-coarse-challenge``.
    """
    name, labels = lookup(SETS, name, "label set of CIFAR-N")
    if path.suffix.lower() not in READERS:
        raise ValueError(wrong_ending(path, READERS))
    found = READERS[path.suffix.lower()](path)
    found = {RENAMED.get(key, key): array for key, array in found.items()}
    if path.suffix.lower() == ".npy":
        found = _in_python_order(path, found, _order_of(labels, name, path.parent, download=False))
    recomputed = labels.classes is CIFAR100_COARSE and labels.truth == "clean_label"
    q = len(CIFAR100) if recomputed else len(labels.classes)
    *given, truth = (_labels(path, found, key, q) for key in (*labels.keys, labels.truth))
    if recomputed:
        truth, given = COARSE_OF[truth], [COARSE_OF[given[0]]]
        _warn_if_different(path, found, {"clean": truth, "noisy": given[0]})
    elif labels.classes is CIFAR100_COARSE:
        _warn_of_faults(path, name, found, truth, given[0])
    names = [f"{labels.family.name} training image {row}" for row in range(len(truth))]
    data = Labelled(
        inputs=np.array(names, object), classes=labels.classes, truth=truth, source=name
    )
    if len(given) > 1:
        return replace(data, votes=_votes(np.stack(given, 1)))
    return replace(data, given=given[0])


def image_order(name: str, root: str | os.PathLike[str] | None = None) -> np.ndarray:
    """For each image in TensorFlow's order (unshuffled), its place in the order used here.

    ``data[image_order("cifar10n")]`` is in TensorFlow's order, and keeps its ids.

    Args:
        name: a label set, such as ``cifar10n`` or ``cifar100n``: the two orders differ.
        root: where to look first, as for ``load``.

    Returns:
        int64 (50000,), a permutation.

    Raises:
        FileNotFoundError: the file could not be had; the message says which to put where.
        ValueError: a file that holds no permutation.
    """
    name, labels = lookup(SETS, name, "label set of CIFAR-N")
    return _order_of(labels, name, root, download=True)


def _order_of(
    labels: _Set, name: str, root: str | os.PathLike[str] | None, download: bool
) -> np.ndarray:
    key = labels.family.order
    file = _File(f"image_order_{key}.npy", None, None)
    path = find_file(_source(f"the image order of {name}", labels, file), root, download)
    try:
        stored = read_arrays(path)[0][key] if path.suffix == ".npz" else np.load(path)
    except (ValueError, KeyError, EOFError) as error:
        raise ValueError(f"{path} holds no order of images{why(error)}.") from None
    if stored.ndim != 1 or not np.array_equal(np.sort(stored), np.arange(len(stored))):
        raise ValueError(f"{path} holds {stored.dtype} {stored.shape}, which is no permutation.")
    return stored.astype(np.int64)


def _in_python_order(
    path: Path, found: Mapping[str, np.ndarray], order: np.ndarray
) -> dict[str, np.ndarray]:
    """Arrays of which element i is about image ``order[i]``, with that of image i there instead."""
    if odd := [key for key, array in found.items() if array.shape != order.shape]:
        raise ValueError(
            f"{path} has {found[odd[0]].shape} as {odd[0]!r}, and the order of images has"
            f" {len(order)}."
        )
    places = np.argsort(order)
    return {key: array[places] for key, array in found.items()}


@dataclass(frozen=True)
class SideInformation:
    """Who labelled what, and for how long.

    Attributes:
        batch: int64 (n,), the batch in which each image was shown.
        workers: int64 (n, k), numbers of the k people who saw it.
        seconds: int64 (n, k), how long each of them took for the whole batch.
    """

    batch: np.ndarray
    workers: np.ndarray
    seconds: np.ndarray


def side_information(name: str, root: str | os.PathLike[str] | None = None) -> SideInformation:
    """The workers and their times, from the side file of CIFAR-10N or CIFAR-100N.

    Those of CIFAR-100N belong to its labels: workers explain 43 % of the variance between batches,
    where chance is 5 %. Those of CIFAR-10N do not belong to its random labels: errors cluster
    neither by batch nor by worker, and times do not go with errors.

    Args:
        name: a label set, such as ``cifar10n`` (k = 3, batches of 10) or ``cifar100n`` (k = 1,
            batches of 5).
        root: where to look first, as for ``load``.

    Raises:
        FileNotFoundError: the file could not be had; the message says which to put where.
        ValueError: a file of another form, or one that leaves images out.

    Warns:
        UserWarning: for CIFAR-10N, always.
    """
    name, labels = lookup(SETS, name, "label set of CIFAR-N")
    side = _source(f"the side information of {name}", labels, labels.family.side)
    path = find_file(side, root, download=True)
    if labels.family.people > 1:
        warnings.warn(
            f"{path}: these workers are not those who gave the random labels of CIFAR-10N; errors"
            " cluster neither by batch nor by worker. Do not take them for annotators.",
            stacklevel=2,
        )
    try:
        return _read_side(path, labels.family.people)
    except (ValueError, IndexError, StopIteration) as error:
        raise ValueError(f"{path} is no table of batches, workers and times{why(error)}.") from None


def _read_side(path: Path, people: int) -> SideInformation:
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        table = [row for row in rows if row]
    ranges = [tuple(int(end) for end in row[0].split("--")) for row in table]
    lengths = [last - first + 1 for first, last in ranges]
    images = [image for first, last in ranges for image in range(first, last + 1)]
    if sorted(images) != list(range(len(images))):
        raise ValueError("its batches leave images out, or hold one twice")
    numbers = np.array([[int(cell) for cell in row[1:]] for row in table], np.int64)
    if numbers.shape != (len(table), 2 * people):
        raise ValueError(f"it has {numbers.shape[1]} columns of numbers, not {2 * people}")
    batch = np.repeat(np.arange(len(table)), lengths)[np.argsort(images)]
    return SideInformation(batch, numbers[batch, ::2], numbers[batch, 1::2])


def _labels(path: Path, found: Mapping[str, np.ndarray], key: str, q: int) -> np.ndarray:
    """int64 (n,), the array of that name; all have the length of the truth."""
    for needed in (key, "clean_label"):
        if needed not in found:
            raise ValueError(f"{path} has no array {needed!r}; it has {', '.join(found)}.")
    labels = found[key]
    if labels.dtype.kind not in "iu" or labels.shape != (len(found["clean_label"]),):
        raise ValueError(f"{path} has {labels.dtype} {labels.shape} as {key!r}, not labels (n,).")
    wrong = (labels < 0) | (labels >= q)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"{path} has {labels[row]} as {key!r} of image {row}, not 0..{q - 1}.")
    return labels.astype(np.int64)


def _warn_if_different(
    path: Path, found: Mapping[str, np.ndarray], recomputed: Mapping[str, np.ndarray]
) -> None:
    for which, labels in recomputed.items():
        stored = found.get(f"{which}_coarse_label")
        if stored is not None and not np.array_equal(stored, labels):
            same = 100 * float((stored == labels).mean()) if stored.shape == labels.shape else 0
            warnings.warn(
                f"{path}: its {which} coarse labels are the super-classes of its fine ones for"
                f" only {same:.1f} % of the images, as in a faulty older file. They are"
                " recomputed from the fine ones.",
                stacklevel=4,
            )


def _warn_of_faults(
    path: Path, name: str, found: Mapping[str, np.ndarray], truth: np.ndarray, given: np.ndarray
) -> None:
    """Warns of the challenge's coarse labels, and refuses right ones in their place."""
    fine = _labels(path, found, "clean_label", len(CIFAR100))
    same = 100 * float((COARSE_OF[fine] == truth).mean())
    if same == 100:
        raise Refusal(
            f"{path} has the right coarse labels, and {name} is for those of the challenge's file,"
            " which are faulty.",
            "name the folder of that file with `root`",
            "load cifar100n-coarse",
        )
    warnings.warn(
        f"{name}: the coarse labels of this file are faulty. They are the super-classes of the fine"
        f" ones for only {same:.1f} % of the images, and {len(np.unique(given))} of"
        f" {len(CIFAR100_COARSE)} occur. Results compare with nothing but the challenge's;"
        " cifar100n-coarse has the right ones.",
        stacklevel=4,
    )


def _votes(labels: np.ndarray) -> Votes:
    """The answers of three places about each image; int (n, 3)."""
    n, k = labels.shape
    places = np.array([f"random{place + 1}" for place in range(k)], object)
    return Votes(
        item=np.repeat(np.arange(n), k),
        annotator=np.tile(places, n),
        offsets=np.arange(n * k + 1),
        labels=labels.reshape(-1),
    )


def _source(name: str, labels: _Set, file: _File) -> Source:
    stem = Path(file.place).name
    base = stem.removesuffix(".pt")
    also = {".pt": (f"{base}.npz", f"{base}_ordered.npy"), ".npy": ("image_order.npz",)}
    if file.commit is None:
        also = {}
    return Source(
        name=name,
        title=labels.title,
        files=(stem, *also.get(Path(stem).suffix, ())),
        size_bytes=file.size_bytes,
        sha256=file.sha256,
        url=f"{REPOSITORY}/{file.commit}/{file.place}" if file.commit else None,
        page="https://github.com/UCSC-REAL/cifar-10-100n",
        licence="CC BY-NC 4.0 (LICENSE.md of the source repository)",
        citation="J. Wei, Z. Zhu, H. Cheng, T. Liu, G. Niu, Y. Liu. Learning with noisy labels"
        " revisited: a study using real-world human annotations. ICLR 2022.",
        expected=Expected(IMAGES, None, len(labels.classes), noise_rate=labels.noise_rate),
        steps=10_000,
        loader=load_cifar_n,
        pictures=labels.family.pictures,
        pictures_of=labels.family.pictures_of,
        test_rows=TESTED,
        truth_agrees=1.0 if labels.truth == "clean_label" else 0.5,
        note="" if labels.truth == "clean_label" else FAULTY,
    )


READERS: dict[str, Callable[[Path], dict[str, np.ndarray]]] = {
    ".pt": read_torch_arrays,
    ".npz": lambda path: read_arrays(path)[0],
    ".npy": read_ordered_arrays,
}

CIFAR_N = tuple(
    _source(name, labels, labels.file or labels.family.labels) for name, labels in SETS.items()
)
