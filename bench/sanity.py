"""What every algorithm makes of clean labels: classes that anybody can tell apart, of unequal size.

python bench/sanity.py              trains all, half an hour of two cores; writes sanity.json
python bench/sanity.py --of NAMES   these algorithms again, in the file that is there
python bench/sanity.py --of ""      the table of docs/algorithms.md, from the file

Classes are Gaussian, so far apart that no row is unclear; the largest has ten times as many rows to
learn from as the smallest, and all have equally many test rows, so that a class that is never
predicted shows. Labels are right and alone: a set has one candidate, and three annotators say the
same. Every algorithm is trained with its defaults, and measured at its end. One that ends
``MISSED`` points or more below cross-entropy (which ``CC`` is on such sets) says why on its page,
in the field ``clean_labels``: a test compares.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import candidly
from _bench import RESULTS, machine
from candidly import from_arrays
from candidly.cli._progress import shown
from candidly.data.labels.labelled import Labelled
from candidly.data.labels.votes import Votes
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
LONGER = 4 * 2000  # updates
SMALL_LOSS = ("co-teaching", "jocor", "cnlcu-soft", "cnlcu-hard")
# what the sentences of ``clean_labels`` say besides: algorithms, classes, updates, hyper-parameters
BESIDE = (
    (SMALL_LOSS, 40, 2000, {"noise_rate": 0.0}),
    (tuple(f"{name}:estimated" for name in SMALL_LOSS), 40, 2000, {}),
    (("Forward", "SCL-EXP", "SCL-NL", "L-W", "LWS"), 108, LONGER, {}),
    (("cores2",), 108, 2000, {"beta": 0.5}),
    (("elr+",), 2, 2000, {"lam": 1.0}),
    (("elr+",), 2, 2000, {"lam_ramp": 1000}),
    (("seal", "pes", "bbn"), 108, LONGER, {}),
    (("crowd-layer", "conal"), 108, LONGER, {}),
)


def made(classes: int) -> Labelled:
    """Clean labels, sets and answers of the same; test rows are official ones."""
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
        votes=Votes.from_rows((i, f"a{k}", [y]) for i, y in enumerate(truth) for k in range(3)),
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


def measure_beside() -> list[dict[str, Any]]:
    """The cases of ``BESIDE``: accuracy in percent at each quarter of the training."""
    found = []
    for names, classes, steps, hyper in BESIDE:
        settings = {**SETTINGS, "steps": steps, "eval_every": steps // 4, "hyper": hyper}
        data = {str(classes): made(classes)}
        with shown() as watch:
            results = candidly.benchmark(data, names, split="official", watch=watch, **settings)
        for run in results.runs:
            said = [round(100 * (one.test["top1"] or 0.0), 2) for one in run.records]
            case = {"classes": classes, "steps": steps, "hyper": hyper, "accuracy": said}
            found.append({"algorithm": run.algorithm, **case})
    return found


def table(accuracy: dict[str, dict[str, float]]) -> str:
    """Of those that miss, as docs/algorithms.md has it."""
    head = ["algorithm", *(f"{q} classes" for q in CLASSES)]
    names = [BASE, *(name for name in accuracy if missed(accuracy, name))]
    rows = [[f"`{n}`", *(f"{accuracy[n][str(q)]:.1f}" for q in CLASSES)] for n in names]
    lines = [head, ["---", *["--:"] * len(CLASSES)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
    names = list(ALGORITHMS) if asked.of is None else [n for n in asked.of.split(",") if n]
    found = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    if names:
        accuracy = {**found.get("accuracy", {}), **measure(names)}
        kept = {name: accuracy[name] for name in ALGORITHMS if name in accuracy}
        versions = {name: ALGORITHMS[name].version for name in kept}
        found |= {"settings": SETTINGS, "accuracy": kept, "versions": versions}
        found["machine"] = machine()
    if asked.of is None or "beside" not in found:
        found["beside"] = measure_beside()
    with replacing(asked.out) as out:
        out.write((json.dumps(found, indent=1) + "\n").encode())
    print(table(found["accuracy"]))


if __name__ == "__main__":
    main()
