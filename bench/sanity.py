"""What every algorithm makes of clean labels: classes that anybody can tell apart, of unequal size.

python bench/sanity.py              trains all, half an hour of two cores; writes sanity.json
python bench/sanity.py --of NAMES   these algorithms again, in the file that is there

Classes are Gaussian, so far apart that no row is unclear; the largest has ten times as many rows to
learn from as the smallest, and all have equally many test rows, so that a class that is never
predicted shows. Labels are right and alone: a set has one candidate. Every algorithm is trained
with its defaults, and measured at its end. One that ends ``MISSED`` points or more below
cross-entropy (which ``CC`` is on such sets) says why on its page, in the field ``clean_labels``: a
test compares.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

import candidly
from _bench import RESULTS, machine
from candidly import from_arrays
from candidly.cli._progress import shown
from candidly.data.labels.labelled import Labelled
from candidly.ground.files import replacing
from candidly.learn.algorithms import ALGORITHMS

CLASSES = (2, 10, 40, 108)
BASE = "ce"
MISSED = 2.0
INPUTS = 32
APART = 1.5  # standard deviation of a class's centre; of its rows it is 1
LONG_TAIL = 10  # the largest class's rows, times the smallest's
TEST = 20  # rows a class
SETTINGS = {"configs": 1, "splits": 1, "steps": 2000, "eval_every": 2000, "net": "mlp:128"}
FILE = RESULTS / "sanity.json"


def made(classes: int) -> Labelled:
    """Clean labels, and sets of the same; test rows are official ones."""
    draw = np.random.default_rng(classes)
    share = LONG_TAIL ** -np.linspace(0, 1, classes)
    counts = np.maximum(np.round(share / share.sum() * max(1000, 30 * classes)), 8).astype(int)
    train = np.repeat(np.arange(classes), counts)
    truth = np.concatenate([train, np.repeat(np.arange(classes), TEST)])
    centres = draw.normal(scale=APART, size=(classes, INPUTS))
    inputs = centres[truth] + draw.normal(size=(len(truth), INPUTS))
    data = from_arrays(
        inputs.astype(np.float32),
        given=truth,
        candidates=np.eye(classes, dtype=bool)[truth],
        truth=truth,
    )
    return replace(data, official_test=np.arange(len(truth)) >= len(train))


def measure(names: Iterable[str]) -> dict[str, dict[str, float]]:
    """Accuracy on test rows at the end, in percent, by algorithm and number of classes."""
    data = {str(classes): made(classes) for classes in CLASSES}
    with shown() as watch:
        results = candidly.benchmark(data, list(names), split="official", watch=watch, **SETTINGS)
    found: dict[str, dict[str, list[float]]] = {}
    for run in results.runs:
        ended = run.records[-1].test["top1"] if run.complete else None
        found.setdefault(run.algorithm, {}).setdefault(run.dataset, []).append(ended or 0.0)
    return {
        name: {q: round(100 * statistics.fmean(values), 2) for q, values in by_q.items()}
        for name, by_q in found.items()
    }


def missed(accuracy: dict[str, dict[str, float]], name: str) -> dict[str, float]:
    """By number of classes, how many points it is below, where that is ``MISSED`` or more."""
    below = {q: accuracy[BASE][q] - value for q, value in accuracy[name].items()}
    return {q: gap for q, gap in below.items() if gap >= MISSED}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--of", help="names with commas between (default: all)")
    parser.add_argument("--out", type=Path, default=FILE)
    asked = parser.parse_args()
    names = asked.of.split(",") if asked.of else list(ALGORITHMS)
    before = json.loads(asked.out.read_text())["accuracy"] if asked.out.exists() else {}
    accuracy = {**before, **measure(names)}
    kept = {name: accuracy[name] for name in ALGORITHMS if name in accuracy}
    versions = {name: ALGORITHMS[name].version for name in kept}
    found = {"settings": SETTINGS, "accuracy": kept, "versions": versions, "machine": machine()}
    with replacing(asked.out) as out:
        out.write((json.dumps(found, indent=1) + "\n").encode())
    for name in kept:
        if gaps := missed(kept, name):
            print(name, {q: round(gap, 1) for q, gap in gaps.items()})


if __name__ == "__main__":
    main()
