"""The trainings, and the advice that they test: both fixed before any of these tables was read.

The advice is what docs/which-algorithm.md said on 28 November 2026, of kinds of labels that can be
made from a table's truth. A *gain* is test accuracy less the simple algorithm's on the same splits,
of records and configurations that were selected without true labels, as on that page. A table's
gain is the mean over its splits and over the noises that the advice is about. Each table counts
once: the mean over tables has Student's interval over tables, 95 %, and its test is corrected by
Holm for all lines of ``ADVICE``.

What is chosen from all tables but one is measured on that one: the algorithm with the largest mean
gain there, of those that train within a budget (2 times the simple algorithm's time, or any). What
it gains has the interval of Nadeau and Bengio for test sets of one table, as choices share tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import candidly
from candidly import imperfect
from candidly.cli._progress import shown
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import cells
from candidly.data.labels.labelled import Labelled
from candidly.ground.files import replacing

from .data import load

NOISES = {
    "symmetric": "symmetric:rate=0.3",
    "pair": "pair:rate=0.3",  # of two classes it is symmetric, and left out
    "instance": "instance-label:rate=0.3",
}
SETS = {"flip": "flip:rate=0.3", "instance-sets": "instance:rate=0.3"}  # of two classes left out
LABELS = (*NOISES, *SETS)
CONFUSED = ("pair", "instance")

# all that the page names for tables, or that its rule chose with a table left out
OF_NOISES = (
    *("ce", "elr", "gce", "mae", "agce", "decoupling-ncm", "label-smoothing", "data-parameters"),
    "pes",
)
SLOW = ("dividemix",)  # half of all time: after the others, on as many tables as there is time for
OF_SETS = ("CC", "OP-W", "PRODEN", "LOG", "L-W")

SETTINGS: Mapping[str, Any] = {
    "configs": 3,
    "splits": 2,
    "steps": 1000,
    "eval_every": 250,
    "test_share": 0.2,
    "net": "mlp:128",
}


@dataclass(frozen=True)
class Advice:
    """A line of the page: what to use for labels of a kind.

    Attributes:
        kind: in the reader's words.
        labels: which of ``LABELS`` it is about.
        named: ``use``, or ``next``: the largest gain that was not clear on data left out.
    """

    kind: str
    labels: tuple[str, ...]
    algorithm: str
    named: str


ADVICE = (
    Advice("symmetric noise, tables", ("symmetric",), "elr", "use"),
    Advice("symmetric noise, tables", ("symmetric",), "dividemix", "use"),
    Advice("pair or instance noise, tables", CONFUSED, "mae", "use"),
    Advice("pair or instance noise, tables", CONFUSED, "agce", "use"),
    Advice("pair or instance noise, tables", CONFUSED, "pes", "use"),
    Advice("one noisy label, noise unknown", tuple(NOISES), "elr", "next"),
    Advice("candidate sets, tables", tuple(SETS), "OP-W", "next"),
    Advice("candidate sets, pictures", tuple(SETS), "LOG", "next"),
)


def labels_of(table: Labelled) -> dict[str, Labelled]:
    """The table with each kind of labels, drawn once."""
    asked = {**NOISES, **SETS}
    if table.q == 2:
        asked = {name: asked[name] for name in ("symmetric", "instance")}
    return {name: imperfect.apply(table, process) for name, process in asked.items()}


PARTS = {
    "noises": (NOISES, OF_NOISES, "NVA"),
    "sets": (SETS, OF_SETS, "CR"),
    "slow": (NOISES, SLOW, "NVA"),
}


def train(name: str, part: str, wheel: Path, partial: Path, cache: Path, file: Path) -> None:
    """A part of one table, if ``file`` has not got it yet; a kill costs at most a checkpoint."""
    kinds, algorithms, criterion = PARTS[part]
    found = read(file)
    table = found.setdefault(name, {})
    labels = labels_of(load(name, wheel, partial))
    data = {
        kind: labels[kind]
        for kind in kinds
        if kind in labels and algorithms[0] not in table.get(kind, {})
    }
    if data:
        with shown() as watch:
            results = candidly.benchmark(
                data, algorithms, out=cache / f"{name}-{part}", watch=watch, **SETTINGS
            )
        for kind, its in _chosen(results, criterion).items():
            table.setdefault(kind, {}).update(its)
        with replacing(file) as out:
            out.write((json.dumps(found, indent=1) + "\n").encode())


def read(file: Path) -> dict[str, Any]:
    """By table, labels and algorithm: ``top1`` by split (None: diverged), ``seconds`` of a run."""
    return json.loads(file.read_text()) if file.exists() else {}


def _chosen(results: Results, criterion: str) -> dict[str, dict[str, Any]]:
    seconds: dict[tuple[str, str], list[float]] = {}
    for run in results.runs:
        if run.complete:
            seconds.setdefault((run.dataset, run.algorithm), []).append(run.records[-1].seconds)
    found: dict[str, dict[str, Any]] = {}
    for cell in cells(results, [criterion]):
        spent = seconds[cell.dataset, cell.algorithm]
        found.setdefault(cell.dataset, {})[cell.algorithm] = {
            "top1": [None if value is None else round(value, 6) for value in cell.values("top1")],
            "seconds": round(sum(spent) / len(spent), 3),
        }
    return found
