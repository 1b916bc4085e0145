"""Classifiers of texts that candidly check may take: how often right, and how long they take.

Run as ``CANDIDLY_DATA=... python bench/text_check.py``: they learn from the validation file of
NoisywikiHow, 7,900 instructions of 158 classes, and are asked about its test file. Seconds are of
one core, for learning and answering; those of ``sentences`` are for encoding 15,800 texts, too.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import csv
import time
from pathlib import Path

import numpy as np

from _bench import Claim, at_least, main
from candidly.data.labels.building import from_arrays
from candidly.errors.crossval._features import Views
from candidly.errors.crossval._named import by_name, seen_by

NAMES = ("logistic", "fasttext", "sentences")
ASKED = {"logistic": (0.39, 0.64)}  # right at first, and among five


def read(name: str) -> tuple[list[str], np.ndarray]:
    path = Path(os.environ["CANDIDLY_DATA"]) / "noisywikihow" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["step"] for row in rows], np.array([int(row["cat_id"]) for row in rows])


def measure(quick: bool) -> list[Claim]:
    (texts, y), (new, truth) = read("val"), read("test")
    rows, claims = np.arange(len(y)), []
    for name in NAMES[: 2 if quick else None]:
        begun = time.process_time()
        views = Views(from_arrays([*texts, *new], np.concatenate([y, truth])))
        x = seen_by(name)(views)(rows)
        probs = by_name(name, "texts").fit(x[rows], y).predict_proba(x[len(y) :])
        seconds = time.process_time() - begun
        order = np.argsort(-probs, axis=1, kind="stable")
        first = (order[:, 0] == truth).mean()
        five = (order[:, :5] == truth[:, None]).any(1).mean()
        nats = -np.log(probs[np.arange(len(truth)), truth].clip(1e-12)).mean()
        names = f"{name}: right", f"{name}: right among five"
        if name in ASKED:
            claims += [at_least(*each) for each in zip(names, (first, five), ASKED[name])]
        else:
            claims += [Claim(*each) for each in zip(names, map(float, (first, five)))]
        claims += [Claim(f"{name}: log loss", float(nats)), Claim(f"{name}: seconds", seconds)]
    return claims


if __name__ == "__main__":
    main("text_check", __doc__ or "", measure)
