"""Runs that failed when they were trained last, and why: a results directory keeps both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ...ground.files import write_json
from ...ground.numbers import count_of
from .trial import Trial

FILE = "failed.json"


@dataclass(frozen=True)
class Failed:
    """Runs of one stack.

    Attributes:
        runs: how many.
        label: the label of their algorithm.
        dataset: its name.
        splits: theirs.
        why: the error's kind and text.
    """

    runs: int
    label: str
    dataset: str
    splits: tuple[int, ...]
    why: str


def failed(trials: Sequence[Trial], why: str) -> Failed:
    """What is shown of trials that failed together."""
    first, splits = trials[0], sorted({trial.split for trial in trials})
    return Failed(len(trials), first.label, first.dataset, tuple(splits), why)


def write_failed(out: Path, rows: Sequence[Failed]) -> None:
    """Keep what failed; without rows, delete what was kept."""
    if rows:
        write_json([asdict(row) for row in rows], out / FILE, again=True)
    else:
        (out / FILE).unlink(missing_ok=True)


def read_failed(out: Path) -> list[Failed]:
    """What failed in the last run of a directory; nothing where that cannot be read."""
    try:
        rows = json.loads((out / FILE).read_text(encoding="utf-8"))
        return [Failed(**row | {"splits": tuple(row["splits"])}) for row in rows]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def notes_of(rows: Sequence[Failed]) -> list[str]:
    """A sentence for each stack."""
    return [
        f"failed: {count_of(row.runs, 'run')} of {row.label} on {row.dataset} "
        f"(split {', '.join(map(str, row.splits))}): {row.why}"
        for row in rows
    ]


def sentence_of(rows: Sequence[Failed]) -> str:
    """How a run ends in which some failed."""
    runs = sum(row.runs for row in rows)
    return (
        f"{count_of(runs, 'run')} failed, and the others are trained. The first: "
        f"{notes_of(rows[:1])[0]}. `candidly bench status` shows all; the same command tries them "
        "again."
    )
