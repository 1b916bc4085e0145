"""Published accuracies of the leaderboard's methods: facts, from two small tables beside this."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
BOARDS = ("published", "reproduced", "selected")


@dataclass(frozen=True)
class PublishedGap:
    """Test accuracies in [0, 1] of three epochs of a reproduction's runs.

    Attributes:
        protocol: ``held out``, where a part of the noisy rows selects, or ``all rows``.
        selected: None where nothing was held out to select by.
    """

    algorithm: str
    protocol: str
    labels: str
    epochs: int
    best: float
    last: float
    selected: float | None


def read_gaps() -> list[PublishedGap]:
    return [
        PublishedGap(
            row["algorithm"],
            row["protocol"],
            row["labels"],
            int(row["epochs"]),
            float(row["best"]) / 100,
            float(row["last"]) / 100,
            float(row["selected"]) / 100 if row["selected"] else None,
        )
        for row in _rows("selection_gap")
    ]


def read_leaderboard(protocol: str, labels: str) -> dict[str, float]:
    """Accuracies in [0, 1] by algorithm.

    Args:
        protocol: of ``BOARDS``: the best test epoch, ``published`` or ``reproduced``, or the epoch
            ``selected`` by noisy validation.
    """
    return {
        row["algorithm"]: float(row[labels]) / 100
        for row in _rows("leaderboard")
        if row["protocol"] == protocol and row[labels]
    }


def _rows(name: str) -> Iterator[dict[str, str]]:
    """After the line that says where the numbers are from."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        next(file)
        yield from csv.DictReader(file)
