"""What the study trains: a layer or two on an encoder's vectors, by every algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import candidly
from candidly import Labelled, benchmark, imperfect
from candidly.compare.sweep.run import RunProgress
from studies.texts.runs import GROUPS as OF_TEXTS
from studies.texts.runs import Group

ENCODER = "efficientnet-lite0"
PEOPLES = ("worst", "rand1", "rand2", "rand3", "aggre")  # labels of people
EVEN, BY_CLASS = "worst-even", "worst-by-class"
MADE = (EVEN, BY_CLASS)  # labels that are drawn, as many wrong as in the worst of people's
LABEL_SETS = (*PEOPLES, *MADE)
LINEAR, HIDDEN = "linear", "mlp:256"  # networks: no hidden layer, or one
WITH_HIDDEN = ("worst", "aggre")  # label sets on which both are trained
SPLITS, EPOCHS, BATCH, VALIDATION = 5, 10, 256, 0.1
PICTURES = 50_000
DECAY = 0.02  # as logistic regression with C = 0.001 has it: 1 / (C n)
DECAYED = "decayed"
GROUPS = {**OF_TEXTS, DECAYED: Group(("ce",), {"weight_decay": DECAY})}
QUICK = ("few", "usual", "ramp", "co-teaching+")  # groups
PER_EPOCH = round(PICTURES * (1 - VALIDATION)) // BATCH  # updates
SETTINGS: Mapping[str, Any] = {  # of ``benchmark``
    "net": LINEAR,
    "configs": 1,
    "splits": SPLITS,
    "steps": EPOCHS * PER_EPOCH,
    "eval_every": PER_EPOCH,
    "split": "official",
    "validation_share": VALIDATION,
}


@dataclass(frozen=True)
class Sweep:
    """A results directory: one label set, one group of algorithms, one network."""

    label_set: str
    group: str
    of: Group
    net: str = LINEAR

    @property
    def name(self) -> str:
        return f"{self.label_set}-{self.group}" + "-hidden" * (self.net == HIDDEN)

    @property
    def column(self) -> str:
        """Of the page."""
        return hidden(self.label_set) if self.net == HIDDEN else self.label_set

    def called(self, algorithm: str) -> str:
        """An algorithm as the page calls it."""
        return f"{algorithm}, decay {DECAY}" if self.group == DECAYED else algorithm


def hidden(label_set: str) -> str:
    """What the page calls a label set where a hidden layer learns it."""
    return f"{label_set}, hidden layer"


def sweeps() -> Iterator[Sweep]:
    """All of them, the quick groups of every label set first, a hidden layer last."""
    for name, group in GROUPS.items():
        for label_set in LABEL_SETS:
            yield Sweep(label_set, name, group)
    for name in QUICK:
        for label_set in WITH_HIDDEN:
            yield Sweep(label_set, name, GROUPS[name], HIDDEN)


def vectors(label_set: str, data: Path, watch: Callable[[int, int], None]) -> Labelled:
    """The label set with what the encoder makes of its 60,000 pictures in place of them."""
    people = label_set if label_set in PEOPLES else "worst"
    pictures = candidly.load(f"cifar10n-{people}", data, download=False, tested=True)
    found = candidly.features(pictures, ENCODER, watch=watch)
    seen = replace(pictures, inputs=found, features=None)
    return seen if label_set == people else replace(seen, given=drawn(seen, label_set))


def drawn(people: Labelled, label_set: str) -> np.ndarray:
    """Labels at random: wrong as often as people's, evenly or as often from each class to another.

    int64 (n,); rows without a label of people's have none.
    """
    assert people.given is not None
    assert people.truth is not None
    labelled = people.given >= 0
    given, truth = people.given[labelled], people.truth[labelled]
    if label_set == EVEN:
        some = imperfect.symmetric(truth, people.q, float((given != truth).mean()))
    else:
        some = imperfect.empirical(truth, people.q, given, truth, exact=True)
    found = np.full(people.n, -1)
    found[labelled] = some
    return found


def run(
    sweep: Sweep,
    data: Labelled,
    out: Path,
    workers: int,
    watch: Callable[[RunProgress], None] = lambda progress: None,
) -> None:
    """Train what the directory does not hold yet."""
    benchmark(
        {sweep.label_set: data},
        sweep.of.algorithms,
        out=out / sweep.name,
        workers=workers,
        watch=watch,
        hyper={"batch_size": BATCH, **sweep.of.hyper},
        **{**SETTINGS, "net": sweep.net},
    )
