"""The numbers of docs/studies/texts.md, from the committed results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from candidly.compare.sweep.journal import read_results
from studies.kit.rows import BASE, Row, Rows, row_of

from . import losses
from .crossed import Crossed, read_crossed
from .events import KINDS, RATES
from .runs import GROUPS, NETS, TAILED, Group, sweeps

Noise = tuple[str, int]  # kind and percent
CLEAN: Noise = ("clean", 0)


@dataclass(frozen=True)
class Study:
    """All of it.

    Attributes:
        main: by noise, of a linear layer.
        tails: the same with long-tailed training rows.
        nets: by group of runs, by noise: cross-entropy on the texts.
        losses: as ``losses.measure`` found.
        crossed: with ten draws of the noise, by noise.
    """

    main: Mapping[Noise, Rows]
    tails: Mapping[Noise, Rows]
    nets: Mapping[str, Mapping[Noise, Row]]
    losses: list[dict[str, Any]]
    crossed: Mapping[Noise, Crossed]


def read_study(folder: Path) -> Study:
    """What is in the committed files; sweeps that are not there are left out."""
    nets = {name: _read(folder, {name: group}) for name, group in NETS.items()}
    return Study(
        _read(folder, GROUPS),
        _read(folder, TAILED),
        {
            name: {noise: rows[BASE] for noise, rows in of.items()}
            for name, of in nets.items()
            if of
        },
        losses.read(folder),
        read_crossed(folder / "crossed"),
    )


def called(noise: Noise) -> str:
    kind, percent = noise
    if not percent:
        return "no noise"
    return f"{percent} % {'replaced inputs' if kind == 'replaced' else 'symmetric'}"


def noises() -> Iterator[Noise]:
    """None, then by kind and rising."""
    yield CLEAN
    yield from ((kind, rate) for kind in KINDS for rate in sorted(RATES) if rate)


def _read(folder: Path, groups: Mapping[str, Group]) -> dict[Noise, dict[str, Row]]:
    found: dict[Noise, dict[str, Row]] = {}
    for sweep in sweeps(groups):
        if (folder / sweep.name / "plan.json").exists():
            runs = read_results(folder / sweep.name).runs
            rows = found.setdefault((sweep.kind, sweep.percent), {})
            for name in dict.fromkeys(run.algorithm for run in runs):
                rows[name] = row_of([run for run in runs if run.algorithm == name])
    return {noise: found[noise] for noise in noises() if noise in found}
