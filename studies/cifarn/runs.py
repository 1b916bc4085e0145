"""What the study trains: groups of algorithms on label sets, and the sweeps that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from candidly import benchmark
from candidly.compare.sweep.run import RunProgress
from candidly.learn.algorithms import ALGORITHMS

from .labels import MADE_SETS, SYNTHETIC, read_labelled

BATCH = 64
PER_EPOCH = 5_040 // BATCH  # updates
EPOCHS, PLAIN_EPOCHS = 12, 20
STEPS = EPOCHS * PER_EPOCH
NET = "cnn:width=8"
LABEL_SETS = ("worst", "rand1", "aggre")
TWICE = ("worst-usual",)  # sweeps of two splits; the others have one
PLAIN = "adam"  # the recipe of pictures as they are

VARIANTS = ("label-smoothing:negative", "co-teaching:estimated")
PAGES = tuple(name for name, page in ALGORITHMS.items() if "given" in page.reads or page.oracle)
EVERY = (*PAGES, *VARIANTS)

RAMP = {"ramp": 4}
# What counts epochs, and by default more of them than there are here, counts four; what counts
# updates over half of a training has half of this one.
CHANGED: Mapping[str, tuple[tuple[str, ...], Mapping[str, float]]] = {
    "ramp": (("co-teaching", "co-teaching:estimated", "jocor", "cnlcu-soft", "cnlcu-hard"), RAMP),
    "co-teaching+": (("co-teaching+",), {**RAMP, "warm_up": 4}),
    "dividemix": (("dividemix",), {"warm_up": 4}),
    "disc": (("disc",), {"warm_up": 4}),
    "promix": (("promix",), {**RAMP, "warm_up": 4}),
    "elr+": (("elr+",), {"ramp": STEPS // 2}),
}
SEVERAL = ("sop+", "eps-softmax", "cal", "cores*", "pes-semi")  # views, sieves and phases
_APART = {name for names, _ in CHANGED.values() for name in names} | set(SEVERAL)
GROUPS: Mapping[str, tuple[tuple[str, ...], Mapping[str, float]]] = {
    "usual": (tuple(name for name in EVERY if name not in _APART), {}),
    "several": (SEVERAL, {}),
    **CHANGED,
}
MADE = (  # of real against synthetic labels
    *("ce", "gce", "forward-t", "volminnet", "mixup", "cores2", "elr", "sop", "pes", "co-teaching"),
    "label-smoothing:negative",
)
LEARNED = (
    "ce",
    "gce",
    "forward-t",
    "mixup",
    "cores2",
    "elr",
    "sop",
    "co-teaching",
)  # without views


@dataclass(frozen=True)
class Sweep:
    """A results directory.

    Attributes:
        name: of the directory.
        part: of the study, a table; it has several sweeps.
        label_set: what ``read_labelled`` knows it by.
        settings: of ``benchmark``, beside data and algorithms.
    """

    name: str
    part: str
    label_set: str
    algorithms: tuple[str, ...]
    settings: Mapping[str, object]


def sweeps() -> list[Sweep]:
    """All of them."""
    made = [name + SYNTHETIC for name in MADE_SETS]
    plain = (LABEL_SETS[0], LABEL_SETS[0] + SYNTHETIC)
    return [
        *(each for name in LABEL_SETS for each in _sweeps(name, EVERY, EPOCHS)),
        *(each for name in made for each in _sweeps(name, MADE, EPOCHS)),
        *(each for name in plain for each in _sweeps(name, LEARNED, PLAIN_EPOCHS, PLAIN)),
    ]


def _sweeps(
    label_set: str, names: tuple[str, ...], epochs: int, recipe: str | None = None
) -> Iterator[Sweep]:
    part = label_set if recipe is None else f"{label_set}-plain"
    for group, (members, hyper) in GROUPS.items():
        some = tuple(name for name in members if name in names)
        name = f"{part}-{group}"
        if some:
            settings = {
                "net": NET,
                "configs": 1,
                "splits": 2 if name in TWICE else 1,
                "steps": epochs * PER_EPOCH,
                "eval_every": PER_EPOCH,
                "split": "official",
                "hyper": {"batch_size": BATCH, **hyper},
                "recipe": recipe,
            }
            yield Sweep(name, part, label_set, some, settings)


def run(
    sweep: Sweep,
    data: Path,
    out: Path,
    workers: int,
    watch: Callable[[RunProgress], None] = lambda progress: None,
) -> None:
    """Train what the directory does not hold yet."""
    benchmark(
        {sweep.label_set: read_labelled(sweep.label_set, data, out / "data")},
        sweep.algorithms,
        out=out / sweep.name,
        workers=workers,
        watch=watch,
        **sweep.settings,
    )
