"""Crowds whose annotators err independently, find the same items difficult, or repeat each other;
and real ones. For ``shared_errors.py``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from candidly import load
from candidly.people.crowd import Answers


@dataclass(frozen=True)
class Shape:
    """How many answer, about what, and how well.

    Attributes:
        annotators, items, classes: how many.
        each: answers of an item; 0 for one to four.
        low, high: accuracies are even between these.
        kind: '' (wrong answers by an annotator's own habit), 'confusable' (mostly the neighbouring
            class), 'biased' (accuracy differs by class), 'guessers' (four in ten guess), 'busy'
            (few annotators give most answers).
        prior: shares of the classes; by default even.
    """

    annotators: int
    items: int
    each: int
    classes: int
    low: float
    high: float
    kind: str = ""
    prior: tuple[float, ...] | None = None


SHAPES = {
    "14 models": Shape(14, 2000, 14, 4, 0.75, 0.95),
    "5 models": Shape(5, 2000, 5, 4, 0.75, 0.95),
    "3 annotators": Shape(3, 1000, 3, 3, 0.7, 0.95),
    "40 people, 8 an item": Shape(40, 1000, 8, 4, 0.5, 0.9),
    "100 people, 3 an item": Shape(100, 2000, 3, 2, 0.6, 0.95),
    "39 people, 108 items": Shape(39, 108, 39, 2, 0.55, 0.85, "biased"),
    "skewed classes": Shape(
        20, 500, 5, 8, 0.6, 0.9, prior=(0.6, 0.2, 0.08, 0.05, 0.03, 0.02, 0.01, 0.01)
    ),
    "guessers": Shape(30, 1000, 6, 4, 0.6, 0.95, "guessers"),
    "confusable classes": Shape(10, 1000, 10, 6, 0.6, 0.9, "confusable"),
    "one to four answers": Shape(59, 1000, 0, 8, 0.5, 0.9),
    "busy annotators": Shape(200, 3000, 5, 2, 0.6, 0.95, "busy"),
    "10 classes, 300 items": Shape(8, 300, 8, 10, 0.6, 0.9),
}


def simulated(
    shape: Shape,
    seed: int,
    difficulty: float = 0.0,
    copies: float = 0.0,
) -> tuple[np.ndarray, Answers]:
    """Truth and answers.

    Args:
        difficulty: standard deviation of what an item adds to the logit of everyone's accuracy.
        copies: how often the second annotator gives the first one's answer.
    """
    rng = np.random.default_rng([seed, 54])
    everyone, n, m = shape.annotators, shape.items, shape.classes
    habit = rng.dirichlet(np.ones(m), (everyone, m))
    if shape.kind == "confusable":
        neighbour = np.full((m, m), 0.2)
        neighbour[np.arange(m), np.arange(m) ^ 1] = 5.0
        habit = np.broadcast_to(neighbour, (everyone, m, m)).copy()
    habit *= 1 - np.eye(m)
    habit /= habit.sum(2, keepdims=True)
    accuracy = np.repeat(rng.uniform(shape.low, shape.high, (everyone, 1)), m, 1)
    if shape.kind == "biased":
        accuracy += rng.normal(0, 0.15, (1, m)) + rng.normal(0, 0.1, (everyone, m))
        accuracy = np.clip(accuracy, 0.05, 0.98)
    if shape.kind == "guessers":
        accuracy[rng.random(everyone) < 0.4] = 1 / m
    truth = rng.choice(m, n, p=shape.prior)
    chance = accuracy[:, truth].T
    if difficulty:
        logit = np.log(chance / (1 - chance)) + rng.normal(0, difficulty, (n, 1))
        chance = 1 / (1 + np.exp(-logit))
    wrong = rng.random((n, everyone, 1)) > habit.cumsum(2)[np.arange(everyone), truth[:, None]]
    said = np.where(
        rng.random((n, everyone)) < chance, truth[:, None], np.minimum(wrong.sum(2), m - 1)
    )
    if copies:
        same = rng.random(n) < copies
        said[same, 1] = said[same, 0]
    activity = np.log(rng.pareto(1.2, everyone) + 0.05) if shape.kind == "busy" else 0.0
    keen = activity + rng.gumbel(size=(n, everyone))
    number = np.full(n, shape.each) if shape.each else rng.choice(4, n, p=(0.2, 0.3, 0.3, 0.2)) + 1
    there = (-keen).argsort(1).argsort(1) < number[:, None]
    said = np.where(there, said, -1)
    kept = np.flatnonzero((said >= 0).any(0))
    return truth, Answers.from_matrix(said[:, kept], classes=m, annotators=kept.tolist())


def few_twice(
    n: int, people: int, twice: int, classes: int, seed: int
) -> tuple[np.ndarray, Answers]:
    """Truth and answers: two about the first ``twice`` items, and one about every other.

    People are right with probability 0.5 to 0.95; wrong answers are any other class.
    """
    rng = np.random.default_rng(seed)
    right, truth = rng.uniform(0.5, 0.95, people), rng.integers(0, classes, n)
    item = np.concatenate([np.arange(n), np.arange(twice)])
    first = rng.integers(0, people, n)
    second = (first[:twice] + rng.integers(1, people, twice)) % people
    who = np.concatenate([first, second])
    wrong = (truth[item] + rng.integers(1, classes, len(item))) % classes
    said = np.where(rng.random(len(item)) < right[who], truth[item], wrong)
    return truth, Answers.from_columns(item, who.astype(str), said, classes=classes)


def models(data: Path, which: np.ndarray | None = None) -> tuple[np.ndarray, Answers]:
    """Answers of language models to the questions of MMLU-Redux whose key experts call right."""
    table = pl.read_csv(data / "mmlu_redux" / "answers.csv", infer_schema_length=0)
    table = table.filter(pl.col("error_type") == "ok")
    names = table.columns[6:]
    if which is not None:
        names = [names[k] for k in which.tolist()]
    said = np.stack(
        [table[name].replace_strict(dict(zip("ABCD", range(4))), default=-1) for name in names], 1
    )
    truth = table["groundtruth_answer"].cast(pl.Int64).to_numpy()
    return truth, Answers.from_matrix(said, classes=4, annotators=names)


KNOWN = ("labelme", "sentiment", "bluebirds", "cifar10h")
PUBLISHED = {
    "dog": "SpectralMethodsMeetEM/dog",
    "RTE": "SpectralMethodsMeetEM/rte",
    "TREC": "SpectralMethodsMeetEM/trec",
    "web": "SpectralMethodsMeetEM/web",
    "CF": "active-crowd-toolkit/CF",
    "CF (AMT)": "active-crowd-toolkit/CF_amt",
    "MS": "active-crowd-toolkit/MS",
    "SP (AMT)": "active-crowd-toolkit/SP_amt",
    "ZenCrowd": "active-crowd-toolkit/ZenCrowd_all",
    "ZenCrowd, India": "active-crowd-toolkit/ZenCrowd_in",
    "ZenCrowd, USA": "active-crowd-toolkit/ZenCrowd_us",
    "product": "crowd_truth_inference/d_jn-product",
    "sentiment, 20 an item": "crowd_truth_inference/d_sentiment",
    "face": "crowd_truth_inference/s4_Face Sentiment Identification",
    "relevance": "crowd_truth_inference/s4_Relevance",
    "adult content": "crowd_truth_inference/s5_AdultContent",
}


def real_crowds(data: Path, sets: Path | None) -> Iterator[tuple[str, np.ndarray, Answers]]:
    """Name, truth (-1 where it is not known) and answers.

    Args:
        data: the folder of the real files.
        sets: the folder ``data`` of a copy of the repository yuan-li/truth-inference-at-scale.
    """
    yield ("MMLU-Redux, 14 models", *models(data))
    for name in KNOWN:
        found = load(name, root=data)
        found = found if found.official_test is None else found[~found.official_test]
        yield name, np.asarray(found.truth), Answers.from_labelled(found)
    for name, place in PUBLISHED.items() if sets is not None else ():
        assert sets is not None
        yield (name, *published(sets / place))


def published(folder: Path) -> tuple[np.ndarray, Answers]:
    """A set of the repository: the first answer counts where somebody gave several."""
    rows, known = (
        np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1, dtype=np.int64)
        for name in ("label", "truth")
    )
    _, first = np.unique(rows[:, :2], axis=0, return_index=True)
    item, who, said = rows[np.sort(first)].T
    classes, labels = np.unique(said, return_inverse=True)
    answers = Answers.from_columns(item, who.astype(str), labels, classes=len(classes))
    code = {label: k for k, label in enumerate(classes.tolist())}
    true = {i: code.get(label, -1) for i, label in known.tolist()}
    return np.array([true.get(i, -1) for i in answers.items.tolist()]), answers
