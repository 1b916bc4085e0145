"""What the study trains: label sets, groups of algorithms, and the sweeps that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from candidly import Labelled, benchmark, sources

ROWS = 5_600  # pictures for training and validation; a tenth of them validates
TESTED = 3_000  # pictures of the other part of CIFAR-10
BATCH, EPOCHS = 64, 8
PER_EPOCH = 5_040 // BATCH  # updates
STEPS = EPOCHS * PER_EPOCH
NET, SPLITS = "cnn:width=8", 2


@dataclass(frozen=True)
class LabelSet:
    """Pictures with candidate sets.

    Attributes:
        source: what is loaded.
        labels: the process that makes its sets; '' where people did.
        about: in words.
    """

    source: str
    labels: str
    about: str

    @property
    def text(self) -> str:
        """As it is asked of ``candidly``."""
        return self.labels or self.source


LABEL_SETS: Mapping[str, LabelSet] = {
    "flip": LabelSet("cifar10", "flip:rate=0.3", "each wrong label enters with probability 0.3"),
    "instance": LabelSet(
        "cifar10",
        "instance:rate=0.3",
        "a wrong label enters the likelier, the more the picture looks like its class to a "
        "logistic regression; 0.3 on average",
    ),
    "people": LabelSet(
        "cifar10h:k=47",
        "",
        "the classes that 47 people named for the picture (CIFAR-10H)",
    ),
}

OTHERS = (
    "PRODEN",
    "RC",
    "LWS",
    "CAVL",
    "ABS-MAE",
    "ABS-GCE",
    "CC",
    "LOG",
    "EXP",
    "PC",
    "Forward",
    "NN",
    "GA",
    "MCL-GCE",
    "MCL-MSE",
    "SCL-EXP",
    "SCL-NL",
    "L-W",
    "OP-W",
    "CRDPLL",
    "FREDIS",
)
IN_EPOCHS = ("IDGP", "POP")  # whose warm-up counts epochs
IN_UPDATES = ("VALEN",)  # whose warm-up counts updates
CONTRASTIVE = ("PiCO", "ABLE", "DIRK", "ALIM", "PiCO+")

COMMON = {"batch_size": BATCH}
# what starts later than this training ends by default starts after three epochs; no set lacks its
# label here, which ALIM is told, as in the benchmark
STARTS = {"start_epoch": 3, "neighbours_from": 3 * PER_EPOCH, "noise_rate": 0.0}
GROUPS: Mapping[str, tuple[tuple[str, ...], Mapping[str, float]]] = {
    "others": (OTHERS, COMMON | {"interval": 2}),
    "epochs": (IN_EPOCHS, COMMON | {"warm_up": 2}),
    "rebalanced": (("RECORDS", "SoLar"), COMMON),
    "updates": (IN_UPDATES, COMMON | {"warm_up": 2 * PER_EPOCH}),
    "contrastive": (
        CONTRASTIVE,
        COMMON | STARTS | {"warm_up": 2 * PER_EPOCH},
    ),
}
TUNED = ("PRODEN", "CC", "CRDPLL")  # of Figure 1's question
CONFIGS = 3  # of which a validation set chooses


@dataclass(frozen=True)
class Sweep:
    """A results directory.

    Attributes:
        name: of the directory.
        label_set: a key of ``LABEL_SETS``.
        settings: of ``benchmark``, beside data and algorithms.
    """

    name: str
    label_set: str
    algorithms: tuple[str, ...]
    settings: Mapping[str, object]


def sweeps() -> list[Sweep]:
    """All of them, in the order in which they are run."""
    shared = {
        "net": NET,
        "splits": SPLITS,
        "steps": STEPS,
        "eval_every": PER_EPOCH,
        "split": "official",
    }
    every = [
        Sweep(f"{key}-{group}", key, names, {**shared, "configs": 1, "hyper": dict(hyper)})
        for group, (names, hyper) in GROUPS.items()
        for key in LABEL_SETS
    ]
    hyper = {"batch_size": BATCH}
    for key in LABEL_SETS:
        tuned = {**shared, "configs": CONFIGS, "hyper": hyper}
        trained = {**shared, "configs": 1, "hyper": hyper, "validation": "train-oracle"}
        every += [
            Sweep(f"{key}-tuned", key, TUNED, tuned),
            Sweep(f"{key}-trained", key, TUNED, trained),
        ]
    return every


def read_pictures(source: str, data: Path, cache: Path) -> Labelled:
    """The first ``ROWS`` pictures to learn from, and ``TESTED`` to test on; kept in ``cache``."""
    kept = cache / f"{source.replace(':', '-')}.npz"
    if not kept.exists():
        read = sources.load(source, root=data, download=False)
        assert read.official_test is not None
        learned, tested = np.flatnonzero(~read.official_test), np.flatnonzero(read.official_test)
        kept.parent.mkdir(parents=True, exist_ok=True)
        read[np.concatenate([learned[:ROWS], tested[:TESTED]])].save(kept)
    return Labelled.load(kept)


def run(sweep: Sweep, data: Path, out: Path, workers: int) -> None:
    """Train what the directory does not hold yet."""
    label_set = LABEL_SETS[sweep.label_set]
    settings = dict(sweep.settings)
    if label_set.labels:
        settings["labels"] = label_set.labels
    benchmark(
        {sweep.label_set: read_pictures(label_set.source, data, out / "data")},
        sweep.algorithms,
        out=out / sweep.name,
        workers=workers,
        **settings,
    )
