"""Does a search that learns beat random search? Equal trials, ten splits, whichever wins.

Run as ``python -m studies.search``; ``--out FOLDER`` keeps the sweeps there, so that it can be
stopped and repeated. With ``CANDIDLY_DATA``, frozen sentence vectors of the noisywikiHow events are
searched on too (the encoder has to be installed as for ``studies/texts``).

Each algorithm has 30 configurations on each of ten random splits, by random search, by TPE, and by
TPE with the median rule. The first ten are the same in all three. What is compared is the value by
which the criterion chose a model on the validation rows, and the test accuracy of that model. The
test of differences allows for splits that share rows (Nadeau and Bengio).
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench._bench import machine
from candidly import benchmark
from candidly.compare.benchmarking import Data
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import cells
from candidly.data.labels.labelled import Labelled
from candidly.stats import corrected_t

CACHE = Path(tempfile.gettempdir()) / "candidly-text-study"  # as of studies/texts
WAYS = {"random": None, "tpe": "tpe", "tpe, median": "tpe:prune=median"}
CONFIGS, SPLITS, TEST = 30, 10, 0.1


@dataclass(frozen=True)
class Task:
    """What is searched for, on which data.

    Attributes:
        criterion: that guides the search and chooses the model.
    """

    name: str
    data: Mapping[str, Data]
    criterion: str
    algorithms: tuple[str, ...]
    how: Mapping[str, Any] = field(default_factory=dict)


def tasks(quick: bool) -> Iterator[Task]:
    steps = {"steps": 100 if quick else 1000, "eval_every": 50 if quick else 100}
    flipped = {"labels": "flip:rate=0.7", **steps}
    yield Task("digits", {"digits": "digits"}, "CR", ("PRODEN", "LWS", "ABS-GCE"), flipped)
    given = {"labels": "symmetric:rate=0.4", **steps}
    yield Task("digits, given", {"digits": "digits"}, "NVA", ("ce", "gce", "elr"), given)
    if "CANDIDLY_DATA" in os.environ:
        yield Task(
            "texts", {"texts": texts()}, "NVA", ("ce", "gce", "elr"), given | {"net": "linear"}
        )


def texts() -> Labelled:
    """Frozen sentence vectors of the events, 384 numbers each, with 108 classes."""
    from studies.texts.events import read_events

    events = read_events(Path(os.environ["CANDIDLY_DATA"]), CACHE)
    return Labelled(
        inputs=events.vectors, classes=events.classes, truth=events.truth, source="events"
    )


def searched(task: Task, way: str, out: Path, quick: bool) -> Results:
    size = {"configs": 12 if quick else CONFIGS, "splits": 2 if quick else SPLITS}
    folder = out / f"{task.name}, {way}".replace(", ", "-").replace(" ", "-")
    told = []

    def watch(progress: Any) -> None:
        share = int(10 * progress.work / progress.total)
        if share not in told:
            told.append(share)
            print(f"{folder.name}: {share}0 % of {progress.runs} runs", flush=True)

    return benchmark(
        task.data, task.algorithms, out=folder, search=WAYS[way], watch=watch, **size, **task.how
    )


def row(task: Task, algorithm: str, found: Mapping[str, Results]) -> dict[str, Any]:
    """What each way chose on each split, and the share of random search's updates that it took."""
    ways = {}
    for way, results in found.items():
        cell = next(c for c in cells(results, [task.criterion]) if c.algorithm == algorithm)
        runs = [run for run in results.runs if run.algorithm == algorithm]
        ways[way] = {
            "value": [choice.value for choice in cell.choices if choice],
            "test": [choice.test["top1"] for choice in cell.choices if choice],
            "updates": sum(run.pruned_at or run.record_steps[-1] for run in runs),
        }
    compared = {}
    for way in [*WAYS][1:]:
        for what in ("value", "test"):
            test = corrected_t(ways[way][what], ways["random"][what], TEST)
            compared[f"{way}: {what}"] = {
                "points": 100 * test.difference,
                "low": 100 * test.low,
                "high": 100 * test.high,
                "p": test.p,
            }
    return {
        "task": task.name,
        "algorithm": algorithm,
        "criterion": task.criterion,
        "ways": ways,
        "compared": compared,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, help="where the sweeps are kept")
    parser.add_argument("--quick", action="store_true", help="under a minute; writes nothing")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        out = asked.out or Path(temporary)
        for task in tasks(asked.quick):
            found = {way: searched(task, way, out, asked.quick) for way in WAYS}
            rows += [row(task, algorithm, found) for algorithm in task.algorithms]
    if not asked.quick:
        about = {"machine": machine(), "rows": rows}
        (Path(__file__).with_name("results") / "search.json").write_text(
            json.dumps(about, indent=1) + "\n"
        )
    for one in rows:
        print(f"{one['task']}, {one['algorithm']}")
        for name, test in one["compared"].items():
            ends = f"{test['low']:+.2f} to {test['high']:+.2f}"
            print(
                f"  {name} minus random: {test['points']:+.2f} points ({ends}), p {test['p']:.2f}"
            )


if __name__ == "__main__":
    main()
