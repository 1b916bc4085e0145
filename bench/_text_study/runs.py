"""What the study trains: every algorithm on each noise, a results directory for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from candidly import benchmark
from candidly.sweep.presets import OF_GIVEN
from candidly.sweep.run import RunProgress

from .events import KINDS, RATES, Events, made

NET, SPLITS, EPOCHS, BATCH = "linear", 5, 10, 64
PER_EPOCH = 6_480 // BATCH  # updates
VALIDATION = 0.25  # of the rows that are not tested on
EVERY = (*OF_GIVEN, "label-smoothing:negative", "co-teaching:estimated")
FEW = ("ce", "mixup", "gce", "sr", "elr", "data-parameters", "co-teaching", "cnlcu-soft", "seal")
ORDER = (0, 40, 60, 10, 20)  # of the rates, the most telling first


@dataclass(frozen=True)
class Sweep:
    """A results directory: one noise, some algorithms.

    Attributes:
        kind: of noise, one of ``KINDS``; without noise it is ``clean``.
        percent: of it.
    """

    kind: str
    percent: int
    group: str
    algorithms: tuple[str, ...]
    hyper: Mapping[str, float]

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.percent}-{self.group}"


RAMP = {"ramp": 3}  # epochs; there are ten
CHANGED: Mapping[str, tuple[tuple[str, ...], Mapping[str, float]]] = {
    "ramp": (("co-teaching", "co-teaching:estimated", "jocor", "cnlcu-soft", "cnlcu-hard"), RAMP),
    "co-teaching+": (("co-teaching+",), {**RAMP, "warm_up": 3}),
    "dividemix": (("dividemix",), {"warm_up": 3}),
    "disc": (("disc",), {"warm_up": 3}),
    "promix": (("promix",), {**RAMP, "warm_up": 3}),
}
_APART = {name for names, _ in CHANGED.values() for name in names}
USUAL = tuple(name for name in EVERY if name not in _APART and name not in FEW)
GROUPS: Mapping[str, tuple[tuple[str, ...], Mapping[str, float]]] = {
    "few": (tuple(name for name in FEW if name not in _APART), {}),
    "ramp": CHANGED["ramp"],
    "usual": (USUAL, {}),
    **{name: group for name, group in CHANGED.items() if name != "ramp"},
}


def sweeps() -> Iterator[Sweep]:
    """All of them, those that the page cannot do without first."""
    for group, (names, hyper) in GROUPS.items():
        for percent in ORDER:
            for kind in KINDS if percent else ("clean",):
                yield Sweep(kind, percent, group, names, hyper)
    assert set(ORDER) == set(RATES)


def run(
    sweep: Sweep,
    events: Events,
    out: Path,
    watch: Callable[[RunProgress], None] = lambda progress: None,
) -> None:
    """Train what the directory does not hold yet."""
    benchmark(
        {f"{sweep.kind}-{sweep.percent}": made(events, sweep.kind, sweep.percent)},
        sweep.algorithms,
        out=out / sweep.name,
        workers=1,
        watch=watch,
        net=NET,
        configs=1,
        splits=SPLITS,
        steps=EPOCHS * PER_EPOCH,
        eval_every=PER_EPOCH,
        split="official",
        validation_share=VALIDATION,
        hyper={"batch_size": BATCH, **sweep.hyper},
    )
