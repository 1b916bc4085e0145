"""The published numbers, as typed from the paper (Northcutt, Athalye, Mueller, NeurIPS 2021)."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from candidly.compare import published

CATEGORIES = ("non_errors", "errors", "non_agreement", "correctable", "multi_label", "neither")
COUNTS = ("original_top1", "corrected_top1", "original_top5", "corrected_top5")

Row = dict[str, str]


@dataclass(frozen=True)
class Model:
    """One row of Table S1 or S2: right answers on the correctable set.

    Attributes:
        right: by column of ``COUNTS``, exact.
        percent, rank: the same columns, as published.
    """

    platform: str
    name: str
    right: dict[str, int]
    percent: dict[str, float]
    rank: dict[str, int]

    @property
    def label(self) -> str:
        return f"{self.platform} {self.name}"


def table(name: str) -> dict[str, Row]:
    """Rows of ``table1`` or ``table2`` by data set."""
    rows = _rows(f"label-errors-{name.removeprefix('table')}")
    return {row["dataset"]: row for row in rows}


def appendix() -> list[Row]:
    """Sizes of ImageNet's correctable and cleaned set by threshold, as the appendix has them."""
    with Path(__file__).with_name("appendix.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def models(name: str) -> list[Model]:
    """Rows of Table S1 (``imagenet``) or S2 (``cifar10``)."""
    return [
        Model(
            row["platform"],
            row["model"],
            {column: int(row[column]) for column in COUNTS},
            {column: float(row[f"published_{column}"]) for column in COUNTS},
            {column: int(row[f"rank_{column}"]) for column in COUNTS},
        )
        for row in _rows({"imagenet": "label-errors-s1", "cifar10": "label-errors-s2"}[name])
    ]


def _rows(name: str) -> list[Row]:
    return [
        {column: cell or "" for column, cell in row.items()}
        for row in published.read(name).iter_rows(named=True)
    ]
