"""What the study trains: a linear layer on an encoder's vectors, from candidate sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import candidly
from candidly import Labelled, benchmark
from candidly.compare.sweep.run import RunProgress
from studies.frozen.runs import (
    BATCH,
    ENCODER,
    EPOCHS,
    PER_EPOCH,
    PICTURES,
    SETTINGS,
    VALIDATION,
)
from studies.images.runs import CONTRASTIVE, IN_EPOCHS, IN_UPDATES, OTHERS

BASE, ORACLE = "CC", "supervised-oracle"
CHOSEN_BY = "CR"  # of validation rows: how often a candidate is predicted
RECORDS, PER_RECORD = EPOCHS, PER_EPOCH  # epochs of 50,000 pictures
STEPS = RECORDS * PER_RECORD
OFFICIAL = PICTURES  # CIFAR-10's training pictures, before its test pictures


@dataclass(frozen=True)
class LabelSet:
    """Vectors with candidate sets.

    Attributes:
        source: what is loaded.
        labels: the process that makes its sets; '' where people did.
        rows: to learn from and to choose by.
        about: in words.
        times: how often the usual number of updates is trained.
    """

    source: str
    labels: str
    rows: int
    about: str
    times: int = 1

    @property
    def per_epoch(self) -> int:
        """Updates of an epoch."""
        return max(round(self.rows * (1 - VALIDATION)) // BATCH, 1)

    @property
    def steps(self) -> int:
        """Updates of a training."""
        return STEPS * self.times


FLIPPED = "each wrong label enters with probability {}"
LABEL_SETS: Mapping[str, LabelSet] = {
    "flip-0.1": LabelSet("cifar10", "flip:rate=0.1", OFFICIAL, FLIPPED.format(0.1)),
    "flip-0.3": LabelSet("cifar10", "flip:rate=0.3", OFFICIAL, FLIPPED.format(0.3)),
    "flip-0.7": LabelSet("cifar10", "flip:rate=0.7", OFFICIAL, FLIPPED.format(0.7)),
    "instance": LabelSet(
        "cifar10",
        "instance:rate=0.3",
        OFFICIAL,
        "a wrong label enters the likelier, the more the vector looks like its class to a "
        "logistic regression; 0.3 on average",
    ),
    "cifar10h": LabelSet(
        "cifar10h:k=47", "", 10_000, "the classes that 47 people named for the picture (CIFAR-10H)"
    ),
    "cifar10s": LabelSet(
        "cifar10s:k=2", "", 1_000, "the classes that one of two people did not rule out (CIFAR-10S)"
    ),
}
LONG = 5
LONGER = {  # some algorithms rise to the end of the usual training
    f"{name}, {LONG} ×": replace(LABEL_SETS[name], times=LONG) for name in ("flip-0.7", "instance")
}
ALL_SETS: Mapping[str, LabelSet] = {**LABEL_SETS, **LONGER}
OF_LONG = (
    *("CC", "PRODEN", "RC", "CAVL", "LWS", "ABS-MAE", "EXP", "SCL-EXP", "MCL-GCE", "CRDPLL"),
    *("FREDIS", "RECORDS", ORACLE),
)


@dataclass(frozen=True)
class Group:
    """Algorithms that are trained alike.

    Attributes:
        epochs, updates: hyper-parameters, as shares of the training, that are counted so.
        hyper: others that are not as usual.
        label_sets: on which they are trained.
    """

    algorithms: tuple[str, ...]
    epochs: Mapping[str, float] = field(default_factory=dict)
    updates: Mapping[str, float] = field(default_factory=dict)
    hyper: Mapping[str, float] = field(default_factory=dict)
    label_sets: tuple[str, ...] = tuple(LABEL_SETS)

    def values(self, of: LabelSet) -> dict[str, float]:
        """Every hyper-parameter that is not as usual, on one label set."""
        whole = of.steps / of.per_epoch
        found = {name: max(round(share * whole), 1) for name, share in self.epochs.items()}
        found |= {name: round(share * of.steps) for name, share in self.updates.items()}
        return {"batch_size": BATCH, **found, **self.hyper}


# what starts later than this training ends by default starts after a third of it; no set lacks its
# label but by people, which ALIM is told
COSTLY = ("flip-0.3", "cifar10h")  # what takes more than ten times as long is trained on these
GROUPS: Mapping[str, Group] = {
    "usual": Group((*OTHERS, "RECORDS", ORACLE), hyper={"interval": 2}),
    "epochs": Group(IN_EPOCHS, epochs={"warm_up": 0.2}),
    "balanced": Group(("SoLar",)),
    "longer": Group(OF_LONG, hyper={"interval": 2}, label_sets=tuple(LONGER)),
    "updates": Group(IN_UPDATES, updates={"warm_up": 0.2}, label_sets=COSTLY),
    "contrastive": Group(
        CONTRASTIVE,
        epochs={"start_epoch": 0.3},
        updates={"neighbours_from": 0.3, "warm_up": 0.2},
        hyper={"noise_rate": 0.0},
        label_sets=COSTLY,
    ),
}


@dataclass(frozen=True)
class Sweep:
    """A results directory: one label set, one group of algorithms."""

    label_set: str
    group: str
    of: Group

    @property
    def name(self) -> str:
        return f"{self.label_set.removesuffix(f', {LONG} ×')}-{self.group}"

    @property
    def column(self) -> str:
        """Of the page."""
        return self.label_set

    def called(self, algorithm: str) -> str:
        """An algorithm as the page calls it."""
        return algorithm


def sweeps() -> Iterator[Sweep]:
    """All of them, the quick groups of every label set first."""
    for name, group in GROUPS.items():
        for label_set in group.label_sets:
            yield Sweep(label_set, name, group)


def vectors(label_set: str, data: Path, watch: Callable[[int, int], None]) -> Labelled:
    """What the encoder makes of CIFAR-10's pictures, with candidate sets.

    Sets of people are about its test pictures; then 10,000 training pictures test what was learned.
    """
    of = ALL_SETS[label_set]
    whole = candidly.load("cifar10n-worst", data, download=False, tested=True)
    seen = candidly.features(whole, ENCODER, watch=watch)
    assert whole.truth is not None
    if of.labels:
        clean = candidly.from_arrays(seen, truth=whole.truth, classes=list(whole.classes))
        made = candidly.imperfect.apply(clean, of.labels)
        return replace(made, official_test=np.arange(len(seen)) >= OFFICIAL)
    people = candidly.load(of.source, data, download=False)
    rows = np.asarray(people.ids)
    assert (whole.truth[rows] == people.truth).all()
    return replace(people, inputs=seen[rows], features=None)


def run(
    sweep: Sweep,
    data: Labelled,
    out: Path,
    workers: int,
    watch: Callable[[RunProgress], None] = lambda progress: None,
) -> None:
    """Train what the directory does not hold yet."""
    of = ALL_SETS[sweep.label_set]
    updates = {"steps": of.steps, "eval_every": PER_RECORD * of.times}
    benchmark(
        {sweep.label_set: data},
        sweep.of.algorithms,
        out=out / sweep.name,
        workers=workers,
        watch=watch,
        hyper=sweep.of.values(of),
        **SETTINGS | updates,
    )
