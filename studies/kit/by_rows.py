"""Studies of a line a training, which says on which scored rows it is right."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from candidly.stats import PairedT, holm
from candidly.stats.designs import crossed_t

ALPHA = 0.05
AHEAD, BEHIND, OPEN = "ahead", "behind", "open"

Line = Mapping[str, Any]
Runs = Mapping[tuple[str, str], Sequence[Line]]


def kept(path: Path) -> list[Line]:
    """What was measured, a training each."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def keep(path: Path, line: Line) -> None:
    with path.open("a") as out:
        out.write(json.dumps(line) + "\n")


def packed(right: np.ndarray) -> str:
    """Bool (rows,) as a bit a row in base 64."""
    return b64encode(np.packbits(right).tobytes()).decode()


def by_way(lines: Iterable[Line]) -> Runs:
    """By case and way, the trainings in the order of their seeds."""
    found: dict[tuple[str, str], list[Line]] = {}
    for one in sorted(lines, key=lambda one: one["seed"]):
        found.setdefault((one["case"], one["way"]), []).append(one)
    return found


def right_of(runs: Sequence[Line], rows: int) -> np.ndarray:
    """Which rows each training is right on: bool (trainings, rows)."""
    bits = [np.frombuffer(b64decode(one["rows"]), np.uint8) for one in runs]
    return np.stack([np.unpackbits(one, count=rows) for one in bits]).astype(bool)


def gains(runs: Runs, base: str, rows_of: Callable[[str], int]) -> dict[tuple[str, str], PairedT]:
    """Accuracy minus that of ``base``, over other trainings and other scored rows."""
    found = {}
    for (case, way), mine in runs.items():
        if way != base:
            other = right_of(runs[case, base], rows_of(case))
            found[case, way] = crossed_t(right_of(mine, rows_of(case)).astype(float) - other)
    return found


def verdicts(found: Mapping[tuple[str, str], PairedT], oracle: str) -> dict[tuple[str, str], str]:
    """``ahead``, ``behind`` or ``open`` of all but the oracle, by Holm's correction over them."""
    keys = [key for key in found if key[1] != oracle]
    adjusted = holm(np.array([found[key].p for key in keys], float))
    return {
        key: OPEN if p > ALPHA else AHEAD if (found[key].difference or 0) > 0 else BEHIND
        for key, p in zip(keys, adjusted)
    }


def mean_of(runs: Sequence[Line], key: str, form: str, times: float = 1) -> str:
    values = [one[key] for one in runs if one.get(key) is not None]
    return format(times * float(np.mean(values)), form) if values else ""


def points(test: PairedT) -> str:
    return f"{100 * (test.difference or 0):+.1f}".replace("-", "−")
