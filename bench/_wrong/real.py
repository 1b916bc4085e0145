"""Real sets: released probabilities with people's verdicts, pictures labelled by people, texts."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

RELEASED = {"mnist": "mnist", "cifar10": "cifar10", "imdb": "imdb", "20news": "20news"}
FEWER = 3  # of five votes for the given label: it is wrong
PICTURES = 20_000
PEOPLE = {"clean": None, "aggre": "aggre_label", "random1": "random_label1", "worse": "worse_label"}


def measured(data: Path) -> Iterator[dict[str, Any]]:
    """A row a set: what is said, and what is known."""
    from candidly.errors.amount import estimate

    for name, given, probs, wrong, known in sets(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = estimate(given, probs, normalise=True)
        yield {
            "set": name,
            "labels": found.labelled,
            "classes": probs.shape[1],
            "wrong": wrong,
            "known by": known,
            "number": found.number,
            "from": round(found.low * found.labelled),
            "to": round(found.high * found.labelled),
            "contradicted": round(found.disagreement * found.labelled),
            "fits": float(f"{found.fits:.3g}"),
            "moves": "; ".join(" ".join(map(str, move)) for move in found.moves[:4]),
        }


def sets(data: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray, int, str]]:
    folder = data / "label_errors"
    for name in RELEASED:
        given = np.load(folder / "original_test_labels" / f"{name}_test_set_original_labels.npy")
        probs = np.load(
            folder / "cross_validated_predicted_probabilities" / f"{name}_test_set_pyx.npy"
        )
        items = json.loads((folder / "mturk" / f"{name}_mturk.json").read_text())
        wrong = sum(item["mturk"]["given"] < FEWER for item in items)
        yield name, given, probs, wrong, f"people, of {len(items):,} that a classifier doubts"
    yield from _texts(data)
    yield from _pictures(data)


def _pictures(data: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray, int, str]]:
    from candidly import errors
    from candidly.data import Labelled

    small = np.load(data / "cifar10" / "cifar10_small_uint8.npz")
    people = np.load(data / "cifar_n" / "CIFAR-10_human.npz")
    images = small[[name for name in small.files if small[name].ndim == 4][0]]
    raise NotImplementedError


def _texts(data: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray, int, str]]:
    """NoisywikiHow's clean steps, as they are and with errors put in; by words alone."""
    from candidly import errors
    from candidly.data import Labelled

    texts, cats = [], []
    for name in ("val.csv", "test.csv"):
        with (data / "noisywikihow" / name).open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                texts.append(row["step"])
                cats.append(row["cat"])
    names = sorted(set(cats))
    number = {name: k for k, name in enumerate(names)}
    true = np.array([number[cat] for cat in cats])
