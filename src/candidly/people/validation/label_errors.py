"""The ten test sets whose labels people checked: labels, predictions, votes, and what is known.

Files: github.com/cleanlab/label-errors, as released, in a folder of yours; nothing is shipped or
downloaded. ``study`` reads what is there.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...ground.names import lookup
from ...ground.problem import refused
from ._released import read_released
from .tally import SetTally, Tally

PAGE = "https://github.com/cleanlab/label-errors"
COMMIT = "6d5d6b31a13216290afc40e5c6319399c4d15c06"
LICENCE = "Apache-2.0 (the released labels, predictions and votes; not the data sets themselves)"
CITATION = (
    "C. G. Northcutt, A. Athalye, J. Mueller. Pervasive label errors in test sets destabilize"
    " machine learning benchmarks. NeurIPS 2021 (Datasets and Benchmarks)."
)


@dataclass(frozen=True)
class ReleasedSet:
    """What is known of one of the ten data sets.

    Attributes:
        name: what people type. title: what the study calls it.
        size: examples, as published. classes: how many.
        flagged: examples that confident learning flagged. checked: of these, shown to people.
        model: whose probabilities flagged them.
        labelling: how the labels came about, and so how they may be wrong.
        notes: what to mind in the files.
    """

    name: str
    title: str
    size: int
    classes: int
    flagged: int
    checked: int
    model: str
    labelling: str
    notes: str = ""


@dataclass(frozen=True, eq=False)
class Study:
    """One data set of the study, as far as its files are there.

    Attributes:
        card: what is known of it.
        votes: what people answered; items are row numbers of the arrays below.
        given: int64 (n,), the labels under study, or None.
        predicted: int64 (n,), the most probable class, out of sample, or None.
        probs: files of out-of-sample probabilities in the order in which they are stacked; pass
            them on one by one, or their folder.
        ids: n names of the examples in order, or None where rows have no other name.
        missing: files that were looked for and are not there.
    """

    card: ReleasedSet
    votes: Tally | SetTally
    given: np.ndarray | None
    predicted: np.ndarray | None
    probs: tuple[Path, ...]
    ids: tuple[str, ...] | None
    missing: tuple[str, ...]


_CIFAR = (
    "images were found by searching the internet for the name of a class; people sorted out those"
    " that did not show it"
)

_CARDS = (
    ReleasedSet(
        *("mnist", "MNIST", 10_000, 10, 100, 100, "2-conv CNN"),
        labelling="people copied digits onto forms; the label is the digit they were told to copy."
        " Wrong where they wrote another, or illegibly",
        notes="13 of 100 questions offered the same class twice; the votes stand under both names"
        " and are counted once. 'Both' was not offered.",
    ),
    ReleasedSet(*("cifar10", "CIFAR-10", 10_000, 10, 275, 275, "VGG"), labelling=_CIFAR),
    ReleasedSet(*("cifar100", "CIFAR-100", 10_000, 100, 2_235, 2_235, "VGG"), labelling=_CIFAR),
    ReleasedSet(
        *("caltech256", "Caltech-256", 30_607, 256, 4_643, 400, "ResNet-152"),
        labelling="images came from image search engines; four people rated them and removed the"
        " confusing, occluded, cluttered and artistic ones",
        notes="the released votes are about 2,360 images, not the 400 published; the labels have"
        " 29,780 entries, without the clutter class, not 30,607.",
    ),
    ReleasedSet(
        *("imagenet", "ImageNet", 50_000, 1_000, 5_440, 5_440, "ResNet-50"),
        labelling="images were found by queries for WordNet synsets; crowd workers said whether an"
        " image contains the synset, whatever else is in it",
        notes="the validation set of 2012. Ids are numbers in file names: to place them, put"
        " imagenet_val_set_index_to_filepath.json beside the other index files.",
    ),
    ReleasedSet(
        *("quickdraw", "QuickDraw", 50_426_266, 345, 6_825_383, 2_500, "VGG"),
        labelling="players of a game drew what they were told to; drawings may be unfinished or"
        " something else",
        notes="the whole data set, of whose flagged examples a random sample was checked. Classes"
        " are numbered by the byte order of their files' names, capital letters first.",
    ),
    ReleasedSet(
        *("20news", "20news", 7_532, 20, 93, 93, "TFIDF + SGD"),
        labelling="the label is the newsgroup to which a post was sent",
    ),
    ReleasedSet(
        *("imdb", "IMDB", 25_000, 2, 1_310, 1_310, "FastText"),
        labelling="the label follows from the reviewer's score: up to 4 of 10 negative, from 7 on"
        " positive",
        notes="ids are file names, placed by the index. Rows of probabilities sum to 1.00002."
        " 'Neutral' and 'off-topic' were offered instead of 'both' and 'neither'.",
    ),
    ReleasedSet(
        *("amazon", "Amazon", 9_996_437, 3, 533_249, 1_000, "FastText"),
        labelling="the label follows from the reviewer's stars: 1 negative, 3 neutral, 5 positive;"
        " 2 and 4 were left out",
        notes="the whole data set, of whose flagged examples a random sample was checked. The"
        " answers were the three classes and 'off-topic'.",
    ),
    ReleasedSet(
        *("audioset", "AudioSet", 20_371, 527, 307, 307, "VGG"),
        labelling="three people rated whether a sound is present; two had to agree",
        notes="several labels per clip. The released labels and predictions are pickled, which"
        " candidly never reads; the votes name the given and the guessed sets of the 307 clips."
        " Names of classes lack their commas.",
    ),
)

CARDS = {card.name: card for card in _CARDS}
PICKLED = ("audioset",)
FOLDERS = {
    "given": ("original_test_labels", "original_labels.npy"),
    "predicted": ("cross_validated_predicted_labels", "pyx_argmax_predicted_labels.npy"),
}


def study(name: str, root: str | os.PathLike[str] | None = None) -> Study:
    """One of the ten data sets: votes, and whatever else was released and is there.

    Args:
        name: one of ``CARDS``, in any case and punctuation.
        root: a copy of the released repository, or a folder that has it as ``label_errors``. Next
            comes the folder named by the environment variable CANDIDLY_DATA.

    Raises:
        UnknownName (a KeyError): no such data set; the message suggests the nearest.
        FileNotFoundError: there are no votes; the message says which file to put where.
        ValueError: files that do not hold what they should, or do not belong together.
    """
    _, card = lookup(CARDS, name, "data set of the study")
    folder = _folder(card, root)
    index = _index(folder, card)
    votes = read_released(folder / "mturk" / f"{card.name}_mturk.json", index)
    arrays: dict[str, np.ndarray | None] = {}
    missing = []
    for what, (sub, ending) in FOLDERS.items():
        files = sorted((folder / sub).glob(f"{card.name}_*{ending}"))
        arrays[what] = None
        if card.name in PICKLED:
            continue
        if files:
            arrays[what] = _labels(files[0], card)
        else:
            missing.append(f"{sub}/{card.name}_..._{ending}")
    probs = tuple(
        sorted((folder / "cross_validated_predicted_probabilities").glob(f"{card.name}_*pyx*.npy"))
    )
    if not probs:
        missing.append(f"cross_validated_predicted_probabilities/{card.name}_..._pyx.npy")
    if index is None and (votes.item < 0).any():
        missing.append(f"dataset_indexing/{card.name}_..._index_to_....json")
    ids = None if index is None else tuple(str(file) for file in json.loads(index.read_text()))
    made = Study(card, votes, arrays["given"], arrays["predicted"], probs, ids, tuple(missing))
    _check_together(made, folder)
    return made


def _folder(card: ReleasedSet, root: str | os.PathLike[str] | None) -> Path:
    """The first place that has the votes."""
    named = [root, os.environ.get("CANDIDLY_DATA")]
    places = [Path(place).expanduser() for place in named if place]
    wanted = f"mturk/{card.name}_mturk.json"
    for place in places:
        for folder in (place, place / "label_errors"):
            if (folder / wanted).is_file():
                return folder
    looked = ", ".join(str(place) for place in places) or "no folder, as none was named"
    raise refused(
        FileNotFoundError,
        f"{card.name}: no file {wanted} (or label_errors/{wanted}) in {looked}. Copy the folders of"
        f" {PAGE} into one of yours.",
        "name that with `root`",
        "set CANDIDLY_DATA to it",
    )


def _index(folder: Path, card: ReleasedSet) -> Path | None:
    files = sorted((folder / "dataset_indexing").glob(f"{card.name}_*index_to_*.json"))
    return files[0] if files else None


def _labels(path: Path, card: ReleasedSet) -> np.ndarray:
    try:
        labels = np.load(path, allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read as an array ({error}).") from None
    if labels.ndim != 1 or labels.dtype.kind not in "iu" or labels.max(initial=0) >= card.classes:
        raise ValueError(
            f"{path} holds {labels.dtype} of shape {labels.shape} up to {labels.max(initial=0)};"
            f" labels of {card.title} are numbers 0..{card.classes - 1}, one an example."
        )
    return labels.astype(np.int64)


def _check_together(made: Study, folder: Path) -> None:
    """The votes are about these labels and predictions, row by row."""
    placed = made.votes.item >= 0
    if isinstance(made.votes, SetTally) or not placed.any():
        return
    rows = made.votes.item[placed]
    for array, said in ((made.given, made.votes.given), (made.predicted, made.votes.guessed)):
        if array is None:
            continue
        if rows.max(initial=-1) >= len(array):
            raise ValueError(f"{folder}: votes about row {rows.max()}, but {len(array)} labels.")
        wrong = np.flatnonzero(array[rows] != said[placed])
        if len(wrong):
            row = rows[wrong[0]]
            raise ValueError(
                f"{folder}: row {row} is {array[row]}, but the votes of {made.card.name} are about"
                f" {said[placed][wrong[0]]}. The files belong to different versions."
            )
