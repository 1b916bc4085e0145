"""What the study trains, and what is measured of a training."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import candidly
from candidly import Labelled
from candidly.data.imperfect import long_tail
from studies.kit.by_rows import packed
from studies.votes.cases import vectors

FACTORS, RATES, SEEDS = (50, 100), (0.3, 0.5), 4
STEPS, BATCH, TRAINING, CLASSES = 3000, 128, 50_000, 10
TRUTH = "truth"
WAYS = (
    *("PRODEN", "CC", "RC", "CAVL", "POP", "CRDPLL"),
    *("RECORDS", "RECORDS:corr", "SoLar", TRUTH),
)
PARTS = {"head": slice(0, 3), "middle": slice(3, 7), "tail": slice(7, 10)}  # of classes, by size


def called(factor: int, rate: float) -> str:
    return f"{factor} times, {rate:g}"


CASES = {called(factor, rate): (factor, rate) for factor in FACTORS for rate in RATES}


def trainings() -> Iterator[tuple[str, str, int]]:
    for seed in range(SEEDS):
        for case in CASES:
            for way in WAYS:
                yield case, way, seed


@lru_cache(maxsize=1)
def encoded(data: Path) -> tuple[np.ndarray, np.ndarray]:
    return vectors(data)


def learned(data: Path, case: str, seed: int) -> Labelled:
    """A tail of its own, and candidate sets of its own, for every seed."""
    inputs, truth = encoded(data)
    factor, rate = CASES[case]
    rows = long_tail(truth[:TRAINING], CLASSES, factor, seed=seed)
    made = candidly.from_arrays(inputs[rows], truth=truth[rows], classes=CLASSES)
    return candidly.imperfect.apply(made, f"flip:rate={rate}", seed=seed)


def trained(data: Path, case: str, way: str, seed: int) -> dict[str, Any]:
    """Train, and measure on the test pictures, of which every class has as many.

    Returns:
        beside the key ``right``, the accuracy, ``rows``, which rows that are, and the accuracy on
        each of ``PARTS``.
    """
    warnings.simplefilter("ignore")
    inputs, truth = encoded(data)
    algorithm = "supervised-oracle" if way == TRUTH else way
    model = candidly.fit(
        learned(data, case, seed),
        algorithm,
        seed=seed,
        net="linear",
        steps=STEPS,
        batch_size=BATCH,
    )
    scored = candidly.from_arrays(inputs[TRAINING:], truth=truth[TRAINING:], classes=CLASSES)
    right = model.predict_logits(scored).argmax(1) == truth[TRAINING:]
    by_class = np.array([right[truth[TRAINING:] == k].mean() for k in range(CLASSES)])
    parts = {name: float(by_class[part].mean()) for name, part in PARTS.items()}
    line = {"case": case, "way": way, "seed": seed, "right": float(right.mean())}
    return {**line, **parts, "rows": packed(right)}
