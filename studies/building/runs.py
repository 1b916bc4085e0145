"""What the study trains, and the two small tables that are kept of it."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TypeVar

import numpy as np

from candidly import Labelled, fit
from candidly.compare.corpora.noise import SOURCES
from candidly.ground.files import replacing

from .events import Built, Noise, built, made

CORPORA, EPOCHS, BATCH = 8, 15, 64
BASE = "ce"
METHODS = (
    *(BASE, "mixup", "gce", "sr", "elr", "sop", "data-parameters"),
    *("co-teaching", "cnlcu-soft", "seal"),
)
RAMP = 5  # epochs; by default ten, and there are fifteen
HYPER = {name: {"ramp": RAMP} for name in ("co-teaching", "cnlcu-soft")}
RATES = (10, 20, 40, 60)
SHOWN = 40  # the rate at which every method is trained
OF_ALL = 10  # percent of all rows in one source: the paper's way
NONE = Noise("none")
MIXED = tuple(Noise("mix", -1, percent) for percent in RATES)
LOCAL = ("replaced", "flipped")
RUNS, SIZES = "runs.csv", "corpora.csv"

Row = TypeVar("Row")


@dataclass(frozen=True)
class Run:
    """A method trained on one corpus under one noise: how many test rows of each source are right.

    Attributes:
        kind, source, percent: of the noise, see ``Noise``.
    """

    corpus: int
    kind: str
    source: int
    percent: int
    method: str
    sub: int
    beyond: int
    tail: int

    @property
    def key(self) -> tuple[int, str, int, int, str]:
        return self.corpus, self.kind, self.source, self.percent, self.method

    @property
    def right(self) -> tuple[int, int, int]:
        return self.sub, self.beyond, self.tail


@dataclass(frozen=True)
class Sizes:
    """Of one corpus, by source: classes, rows to learn from and rows to test on; and its pool."""

    corpus: int
    classes_sub: int
    classes_beyond: int
    classes_tail: int
    learned_sub: int
    learned_beyond: int
    learned_tail: int
    tested_sub: int
    tested_beyond: int
    tested_tail: int
    pool: int

    @property
    def classes(self) -> tuple[int, int, int]:
        return self.classes_sub, self.classes_beyond, self.classes_tail

    @property
    def learned(self) -> tuple[int, int, int]:
        return self.learned_sub, self.learned_beyond, self.learned_tail

    @property
    def tested(self) -> tuple[int, int, int]:
        return self.tested_sub, self.tested_beyond, self.tested_tail


def noises(method: str) -> Iterator[Noise]:
    """What a method is trained on: of one source alone every rate for cross-entropy, else one."""
    yield NONE
    yield from MIXED
    for kind in LOCAL:
        for source in range(len(SOURCES)):
            for percent in RATES if method == BASE else (SHOWN,):
                yield Noise(kind, source, percent)
    if method == BASE:
        yield from (Noise("of-all", source, OF_ALL) for source in range(len(SOURCES)))


def keys(corpus: int) -> list[tuple[int, str, int, int, str]]:
    """Of all runs on a corpus, in the order of the table."""
    return [
        (corpus, noise.kind, noise.source, noise.percent, method)
        for method in METHODS
        for noise in noises(method)
    ]


def train(folder: Path, corpora: int, minutes: float) -> None:
    """Train what the tables do not hold yet; begin nothing after so many minutes."""
    start = time.monotonic()
    for corpus in range(corpora):
        there = {run.key for run in read(folder / RUNS, Run)}
        left = [key for key in keys(corpus) if key not in there]
        if not left or time.monotonic() - start >= 60 * minutes:
            continue
        of = built(corpus)
        _keep_sizes(folder, of)
        for key in left:
            if time.monotonic() - start >= 60 * minutes:
                break
            _keep(folder, trained(of, Noise(*key[1:4]), key[4]))
        print(f"corpus {corpus}, {time.monotonic() - start:.0f} s", flush=True)


def trained(of: Built, noise: Noise, method: str) -> Run:
    """One training; the corpus's number is its seed, whatever the noise and the method."""
    inputs, given, _ = made(of, noise)
    data = Labelled(inputs=inputs, given=given, classes=of.events.names)
    model = fit(
        data,
        method,
        steps=EPOCHS * (len(given) // BATCH),
        seed=of.seed,
        net="linear",
        batch_size=BATCH,
        **HYPER.get(method, {}),
    )
    right = of.of_held[model.predict(of.held) == of.labels]
    counts = np.bincount(right, minlength=len(SOURCES)).tolist()
    return Run(of.seed, noise.kind, noise.source, noise.percent, method, *counts)


def _keep(folder: Path, run: Run) -> None:
    """Put a run where it belongs in the table."""
    there = {each.key: each for each in read(folder / RUNS, Run)} | {run.key: run}
    last = max(corpus for corpus, *_ in there)
    wanted = (key for corpus in range(last + 1) for key in keys(corpus))
    write(folder / RUNS, [there[key] for key in wanted if key in there])


def _keep_sizes(folder: Path, of: Built) -> None:
    there = {sizes.corpus: sizes for sizes in read(folder / SIZES, Sizes)}
    each = (of.events.source, of.events.event_source, of.of_held)
    counts = [int(n) for what in each for n in np.bincount(what, minlength=len(SOURCES))]
    there[of.seed] = Sizes(of.seed, *counts, len(of.pool))
    write(folder / SIZES, [there[corpus] for corpus in sorted(there)])


def read(path: Path, kind: type[Row]) -> list[Row]:
    """The rows of a table; none where it is not there."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [
            kind(
                **{
                    name: value if name in ("kind", "method") else int(value)
                    for name, value in line.items()
                }
            )
            for line in csv.DictReader(file)
        ]


def write(path: Path, rows: Iterable[Run] | Iterable[Sizes]) -> None:
    """A table with a line for each row."""
    every = list(rows)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([field.name for field in fields(every[0])])
    table.writerows(map(astuple, every))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.getvalue().encode())
