"""Collections of pictures with an official test part: CIFAR-10, CIFAR-100, MNIST, Fashion-MNIST.

Each is read from the files in which it is distributed. The rows are the official training part,
then the official test part, each in the order of the files; the truth is the published labels.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...ground.names import lookup
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ..labels.labelled import Labelled
from ._batches import Content, PictureBatch, from_binary, from_idx, from_python, unpacked
from ._cifar_names import CIFAR10, CIFAR100, CIFAR100_COARSE
from ._collections import DIGITS, FASHION, HUNDRED, TEN, Collection
from ._forms import TEST, TRAIN, FoundForm, PictureForm
from ._parts import folded, read
from ._source import Expected, Source
from .fetch import differences_of, find_form
from .pictures import Official, digest_of, from_tables, kept

PARTS = (TRAIN, TEST)  # in this order
FASHION_CLASSES = (
    *("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"),
    *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
)


@dataclass(frozen=True)
class _OfficialSet:
    """A collection with one of its kinds of labels."""

    title: str
    collection: Collection
    classes: tuple[str, ...]
    page: str
    licence: str
    citation: str
    sha256: str | None = None  # of the first file
    size_bytes: int | None = None


_CIFAR = (
    "https://www.cs.toronto.edu/~kriz/cifar.html",
    "none stated on its page, which asks to cite the technical report",
    "A. Krizhevsky. Learning multiple layers of features from tiny images. Technical report,"
    " University of Toronto, 2009.",
)
_CIFAR100 = (
    *_CIFAR,
    "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
    169_001_437,
)
SETS: dict[str, _OfficialSet] = {
    "cifar10": _OfficialSet(
        *("CIFAR-10", TEN, CIFAR10, *_CIFAR),
        "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
        170_498_071,
    ),
    "cifar100": _OfficialSet("CIFAR-100", HUNDRED, CIFAR100, *_CIFAR100),
    "cifar100-coarse": _OfficialSet("CIFAR-100 coarse", HUNDRED, CIFAR100_COARSE, *_CIFAR100),
    "mnist": _OfficialSet(
        *("MNIST", DIGITS, tuple(str(digit) for digit in range(10))),
        "https://yann.lecun.com/exdb/mnist/",
        "CC BY-SA 3.0, as the documentation of Keras states it; copyright Y. LeCun, C. Cortes",
        "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner. Gradient-based learning applied to document"
        " recognition. Proceedings of the IEEE 86(11), 1998.",
    ),
    "fashion-mnist": _OfficialSet(
        *("Fashion-MNIST", FASHION, FASHION_CLASSES),
        "https://github.com/zalandoresearch/fashion-mnist",
        "MIT (LICENSE of the source repository)",
        "H. Xiao, K. Rasul, R. Vollgraf. Fashion-MNIST: a novel image dataset for benchmarking"
        " machine learning algorithms. arXiv:1708.07747, 2017.",
    ),
}


def load_official(
    name: str, root: str | os.PathLike[str] | None, watch: OnProgress = lambda done, total: None
) -> Labelled:
    """One of ``SETS``, from files on this machine; they are decoded once, see ``pictures.kept``.

    Args:
        root: where to look first, as for ``load``.
        watch: called with pictures done and in all.

    Returns:
        uint8 pictures (n, 32, 32, 3) or (n, 28, 28), the published labels as ``truth``, and which
        rows are the ``official_test``; where a whole part is missing, the other without that.

    Raises:
        FileNotFoundError: there are no files, or some are missing; the message names one.
        ValueError: files that do not hold what they should.

    Warns:
        UserWarning: a part is missing, or the files are not those on record.
    """
    name, labels = lookup(SETS, name, "collection of pictures")
    official, found, digest = read_official(name, root, watch)
    both = official.test.any() and not official.test.all()
    data = Labelled(
        inputs=official.pictures,
        classes=labels.classes,
        truth=official.truth(labels.classes),
        official_test=official.test if both else None,
        source=name,
    )
    _warn(data, _source(name, labels), found, official, digest, labels.collection.shape)
    return data


def read_official(
    name: str, root: str | os.PathLike[str] | None, watch: OnProgress
) -> tuple[Official, FoundForm, str]:
    """What the files of one of ``SETS`` hold, which these are, and their digest.

    Raises:
        FileNotFoundError, ValueError: see ``load_official``.
    """
    labels = SETS[name]
    collection = labels.collection
    forms = (collection.forms, collection.ours, collection.others)
    found = find_form(_source(name, labels), *forms, root)
    digest = digest_of(found.paths)
    read_form = READERS[found.form.reader]
    official = kept(collection.name, digest, lambda: read_form(found, collection, watch))
    _check(official, labels, found.folder)
    return official, found, digest


def _check(official: Official, labels: _OfficialSet, folder: Path) -> None:
    """Refuse class numbers that there are not, and another collection in the same form."""
    for part, counts in zip(PARTS, labels.collection.counts):
        of_part = official.labels[official.test == (part == TEST)]
        wrong = (of_part < 0) | (of_part >= len(counts))
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"{folder} has class {of_part[row]} at row {row} of the {part} part, but"
                f" {labels.collection.name} has the classes 0..{len(counts) - 1}."
            )
        found = np.bincount(of_part, minlength=len(counts))
        different = found != np.array(counts)
        if len(of_part) == sum(counts) and different.any():
            row = int(different.argmax())
            raise Refusal(
                f"{folder} has {found[row]:,} examples of class {row} in the {part} part, but"
                f" {labels.collection.name} has {counts[row]:,}: these are the files of another"
                " collection.",
                "name the folder of the right ones with `root`",
                "set CANDIDLY_DATA to it",
            )


def _warn(
    data: Labelled,
    source: Source,
    found: FoundForm,
    official: Official,
    digest: str,
    shape: tuple[int, ...],
) -> None:
    """Warns of a part that is missing, and of files that are not those on record."""
    left_out = next((part for part in PARTS if not (official.test == (part == TEST)).any()), None)
    differences = []
    if left_out is None:
        differences = differences_of(data, source)
    else:
        other = PARTS[left_out == TRAIN]
        lacking = " and ".join(found.lacking.get(left_out, ())) or f"its {left_out} rows"
        warnings.warn(
            f"{source.name}: the official {other} part alone, {data.n:,} of"
            f" {source.expected.n:,} examples, as {found.folder} lacks {lacking}.",
            stacklevel=3,
        )
    if data.inputs.shape[1:] != shape:
        sizes = [" x ".join(map(str, size)) for size in (data.inputs.shape[1:], shape)]
        differences.append(f"pictures are {sizes[0]}, not {sizes[1]}")
    path = found.paths[0]
    if folded(path.name) == folded(source.files[0]) and source.sha256 not in (None, digest):
        differences.append(f"its SHA-256 is {digest}, not {source.sha256}")
    if differences:
        warnings.warn(f"{path}: {'; '.join(differences)}. Results may not compare.", stacklevel=3)


def _from_files(found: FoundForm, collection: Collection, watch: OnProgress) -> Official:
    parts = {}
    for done, (part, paths) in enumerate(found.files.items()):
        watch(done, len(found.files))
        contents = [(str(path), read(path)) for path in paths]
        parts[part] = PARSERS[found.form.reader](contents, collection)
    return _joined(parts)


def _from_archive(found: FoundForm, collection: Collection, watch: OnProgress) -> Official:
    """The Python version, or else the binary one, whichever is in the archive."""
    (path,) = found.paths
    forms = [form for form in collection.forms if form.reader in PARSERS]
    watch(0, 1)
    contents = unpacked(path, [name for form in forms for name in _names(form)])
    for form in forms:
        lacking = [name for name in _names(form) if name not in contents]
        if not lacking:
            parse = PARSERS[form.reader]
            return _joined(
                {
                    part: parse(
                        [(f"{path}: {one.name}", contents[one.name]) for one in wanted], collection
                    )
                    for part, wanted in form.parts.items()
                }
            )
        if len(lacking) < len(_names(form)):
            raise ValueError(f"{path} lacks {' and '.join(lacking)}: it is not the whole archive.")
    raise ValueError(f"{path} holds no file of {collection.name}, such as {_names(forms[0])[0]}.")


def _names(form: PictureForm) -> list[str]:
    return [one.name for wanted in form.parts.values() for one in wanted]


def _joined(parts: Mapping[str, Sequence[PictureBatch]]) -> Official:
    """The training batches, then those of the test part, in one array."""
    batches = [batch for part in PARTS for batch in parts.get(part, ())]
    sizes = {batch.pictures.shape[1:] for batch in batches}
    if len(sizes) > 1:
        raise ValueError(f"pictures have different sizes: {' and '.join(map(str, sizes))}.")
    ends = np.cumsum([len(batch.labels) for batch in batches])
    pictures = np.empty((ends[-1], *batches[0].pictures.shape[1:]), np.uint8)
    for end, batch in zip(ends, batches):
        pictures[end - len(batch.labels) : end] = batch.pictures
    train = sum(len(batch.labels) for batch in parts.get(TRAIN, ()))
    labels = np.concatenate([batch.labels for batch in batches])
    return Official(pictures, labels, np.arange(len(labels)) >= train)


def _from_tables(found: FoundForm, collection: Collection, watch: OnProgress) -> Official:
    return from_tables(found.files, collection.mode, watch)


def _source(name: str, labels: _OfficialSet) -> Source:
    return Source(
        name=name,
        title=labels.title,
        files=labels.collection.files,
        size_bytes=labels.size_bytes,
        sha256=labels.sha256,
        url=None,
        page=labels.page,
        licence=labels.licence,
        citation=labels.citation,
        expected=Expected(
            sum(map(sum, labels.collection.counts)),
            None,
            len(labels.classes),
            shape=labels.collection.shape_of_one,
            n_test=sum(labels.collection.counts[1]),
        ),
        steps=10_000,
        loader=load_official,
        finds=True,
    )


PARSERS: dict[str, Callable[[Sequence[Content], Collection], list[PictureBatch]]] = {
    "python": lambda contents, collection: from_python(contents),
    "binary": lambda contents, collection: from_binary(contents, collection.label_bytes),
    "idx": lambda contents, collection: from_idx(contents),
}
READERS: dict[str, Callable[[FoundForm, Collection, OnProgress], Official]] = {
    **dict.fromkeys(PARSERS, _from_files),
    "archive": _from_archive,
    "table": _from_tables,
}
OFFICIAL = tuple(_source(name, labels) for name, labels in SETS.items())
