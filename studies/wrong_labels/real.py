"""Real sets: released probabilities with people's verdicts, pictures labelled by people, texts."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

RELEASED = ("mnist", "cifar10", "imdb", "20news")
FEWER = 3  # of five votes for the given label: it is wrong
PICTURES = 20_000
PEOPLE = ("aggre", "rand1", "worst")
TENTH = 0.1


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


def _texts(data: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray, int, str]]:
    """NoisywikiHow's clean steps of 158 classes, as they are and with errors put in."""
    texts, cats = [], []
    for name in ("val.csv", "test.csv"):
        with (data / "noisywikihow" / name).open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                texts.append(row["step"])
                cats.append(row["cat_id"])
    true = np.unique(cats, return_inverse=True)[1]
    rng = np.random.default_rng(0)
    hit = rng.random(len(true)) < TENTH
    other = (true + rng.integers(1, int(true.max()) + 1, len(true))) % (int(true.max()) + 1)
    for name, given in (("as they are", true), ("a tenth moved", np.where(hit, other, true))):
        probs = _judged(np.array(texts, object), given)
        known = "checked by those who made it" if given is true else "the errors put in"
        yield f"noisywikihow, {name}", given, probs, int((given != true).sum()), known


def _pictures(data: Path) -> Iterator[tuple[str, np.ndarray, np.ndarray, int, str]]:
    """CIFAR-10N: people's labels beside the released ones, by features learned without labels."""
    import candidly
    from studies.detectors.data import cifar_features

    some = np.sort(np.random.default_rng(0).choice(50_000, PICTURES, replace=False))
    features = cifar_features()[some]
    for name in PEOPLE:
        set_ = candidly.load(f"cifar10n-{name}")
        assert set_.given is not None
        assert set_.truth is not None
        given, true = set_.given[some], set_.truth[some]
        if name == PEOPLE[0]:
            yield "cifar10n, released", true, _judged(features, true), 0, "taken for the truth"
        probs = _judged(features, given)
        wrong = int((given != true).sum())
        yield f"cifar10n, {name}", given, probs, wrong, "the released labels"


def _judged(inputs: np.ndarray, given: np.ndarray) -> np.ndarray:
    from candidly import errors

    return np.asarray(errors.cross_validate("logistic", (inputs, given)).probs)
