"""Ten draws of the noise by five splits by the same test rows: what makes a difference vary.

Of every model that was selected it is kept which test rows it predicts right, a file for each draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from candidly.compare.report.design import by_split
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.select import cells
from candidly.ground.files import replacing
from candidly.stats import PairedT, crossed_parts, crossed_t

from .events import Events
from .runs import GROUPS, Sweep, run

DRAWS = 10
NOISES = (("symmetric", 40), ("replaced", 40))
OF = ("few", "ramp", "usual", "co-teaching+")  # the other three groups take as long as all these
AXES = ("draws of the noise", "splits", "test rows")


@dataclass(frozen=True, eq=False)
class Crossed:
    """One noise, drawn several times.

    Attributes:
        names: of the k algorithms that have all their runs in every draw.
        right: bool (draws, splits, k, rows), of the selected models.
    """

    names: tuple[str, ...]
    right: np.ndarray

    def over(self, name: str, base: str) -> np.ndarray:
        """An algorithm minus another: float (draws, splits, rows)."""
        first, second = (self.right[:, :, self.names.index(one)] for one in (name, base))
        return first.astype(np.float64) - second

    def gain(self, name: str, base: str) -> PairedT:
        return crossed_t(self.over(name, base))

    def parts(self, name: str, base: str) -> dict[tuple[int, ...], float]:
        return crossed_parts(self.over(name, base))


def read_crossed(folder: Path) -> dict[tuple[str, int], Crossed]:
    """What is in the committed files; noises with one draw are left out."""
    found = {}
    for kind, percent in NOISES:
        files = sorted(folder.glob(f"{kind}-{percent}-draw*.npz"))
        if len(files) > 1:
            found[kind, percent] = _together([_read(file) for file in files])
    return found


def _read(file: Path) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    with np.load(file, allow_pickle=False) as kept:
        right = np.unpackbits(kept["right"], axis=-1, count=int(kept["rows"])).astype(bool)
        return tuple(kept["names"].tolist()), right, kept["known"]


def _together(draws: list[tuple[tuple[str, ...], np.ndarray, np.ndarray]]) -> Crossed:
    whole = [{name for name, has in zip(names, known.all(0)) if has} for names, _, known in draws]
    names = tuple(name for name in draws[0][0] if all(name in one for one in whole))
    right = [right[:, [of.index(name) for name in names]] for of, right, _ in draws]
    return Crossed(names, np.stack(right))


def sweeps_of(kind: str, percent: int, noise: int) -> Iterator[Sweep]:
    for name in OF:
        yield Sweep(kind, percent, name, GROUPS[name], noise)


def train(
    events: Events, cache: Path, folder: Path, begin: Callable[[str], bool], draws: range
) -> None:
    """Draw by draw, what is not kept yet.

    Args:
        begin: whether to begin with a file of this name.
    """
    for noise in draws:
        for kind, percent in NOISES:
            file = folder / f"{kind}-{percent}-draw{noise}.npz"
            if file.exists() or not begin(file.stem):
                continue
            names: list[str] = []
            right, known = [], []
            for sweep in sweeps_of(kind, percent, noise):
                run(sweep, events, cache)
                results = read_results(cache / sweep.name)
                chosen = cells(results, ["NVA"])
                design = by_split(chosen, results).design
                names += [cell.algorithm for cell in chosen]
                right.append(design.right)
                known.append(design.known)
            rows = right[0].shape[-1]
            packed = np.packbits(np.concatenate(right, 1), axis=-1)
            folder.mkdir(parents=True, exist_ok=True)
            with replacing(file) as out:
                np.savez_compressed(
                    out, names=names, right=packed, known=np.concatenate(known, 1), rows=rows
                )
