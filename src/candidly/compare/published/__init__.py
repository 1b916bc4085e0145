"""Numbers that papers published, as typed from their tables: ``published:plench-7`` and others.

>>> TABLES["plench-7"].title
'Lost, MLP'
>>> read("plench-7").row(0)
('lost', 'MLP', 'PRODEN', 'CR', '71.33', '2.45')
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ...data.ingest import read_frame
from ...ground.names import lookup
from ...ground.problem import Refusal
from ..report.changes import NOT_STATED, Place, ResultSet, SideEntry

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PREFIX", "TABLES", "PublishedTable", "criteria_of", "read", "result_set"]

PREFIX = "published"  # of a table's name, where a file could stand
PLENCH = "W. Wang et al. Realistic evaluation of deep partial-label learning algorithms. ICLR 2025"
WIKIHOW = (
    "T. Wu et al. NoisywikiHow: a benchmark for learning with real-world noisy labels in natural"
    " language processing. ACL Findings 2023"
)
PERVASIVE = (
    "C. G. Northcutt, A. Athalye, J. Mueller. Pervasive label errors in test sets destabilize"
    " machine learning benchmarks. NeurIPS 2021"
)
ERROR = (
    "a standard error: the released program's standard deviation (of the population) over the"
    " square root of {} splits, which the paper calls std"
)


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper.

    Attributes:
        name: what people type behind ``published:``.
        title: what it is of.
        paper, place: where it is printed.
        file: the CSV beside this module that has it. rows: which of its lines are of this table, as
            values by column; these columns are left out where they hold one value.
        chosen: by what its models were chosen; '' where a column says it, or nothing was chosen.
        spread: what its column of that name is; '' where it has none.
        splits: over how many the means are; None where nobody says.
        means: columns that hold accuracies in percent, by metric; none of a table of counts.
    """

    name: str
    title: str
    paper: str
    place: str
    file: str
    rows: Mapping[str, str] = field(default_factory=dict)
    chosen: str = ""
    spread: str = ""
    splits: int | None = None
    means: Mapping[str, str] = field(default_factory=dict)


def _plench(table: int, title: str, splits: int = 5) -> PublishedTable:
    return PublishedTable(
        f"plench-{table}",
        title,
        PLENCH,
        f"Table {table}",
        "plench",
        {"table": str(table)},
        spread=ERROR.format(splits),
        splits=splits,
        means={"top1": "mean"},
    )


def _wikihow(table: int, title: str) -> PublishedTable:
    return PublishedTable(
        f"noisywikihow-{table}",
        title,
        WIKIHOW,
        f"Table {table}",
        "noisywikihow",
        {"table": str(table)},
        chosen=NOT_STATED,
        means={"top1": "top1", "top5": "top5"},
    )


def _cifarn(protocol: str, title: str, paper: str, place: str, chosen: str) -> PublishedTable:
    return PublishedTable(
        f"cifarn-{protocol}",
        title,
        paper,
        place,
        "cifarn",
        {"protocol": protocol},
        chosen=chosen,
        spread="a standard deviation over runs; how many is not stated",
        means={"top1": "mean"},
    )


RESCIENCE = "A reproduction of the leaderboard of CIFAR-N. ReScience C 11(1), 2026"
WEI = (
    "J. Wei et al. Learning with noisy labels revisited: a study using real-world human"
    " annotations. ICLR 2022"
)
BEST = "the best epoch on the test rows"
_ALL = (
    _plench(1, "PLCIFAR10-Aggregate, ResNet", 3),
    _plench(2, "PLCIFAR10-Vaguest, ResNet", 3),
    _plench(3, "PLCIFAR10-Aggregate, DenseNet", 3),
    _plench(4, "PLCIFAR10-Vaguest, DenseNet", 3),
    _plench(7, "Lost, MLP"),
    _plench(9, "MSRCv2, MLP"),
    _plench(10, "Mirflickr, MLP"),
    _plench(11, "Birdsong, MLP"),
    _plench(12, "Malagasy, MLP"),
    _plench(13, "Soccer Player, MLP"),
    _plench(14, "Italian, MLP"),
    _plench(15, "Yahoo! News, MLP"),
    _plench(16, "English, MLP"),
    _wikihow(4, "language models, mixed noise"),
    _wikihow(5, "kinds of noise, at 10 %"),
    _wikihow(8, "methods against mixed noise"),
    _wikihow(10, "methods against symmetric noise"),
    _wikihow(12, "methods for long tails, mixed noise"),
    _cifarn(
        "published",
        "the leaderboard of CIFAR-N",
        WEI,
        "its leaderboard, as other papers quote it (column source)",
        BEST,
    ),
    _cifarn("reproduced", "original hyper-parameters", RESCIENCE, "Table 2", BEST),
    _cifarn("described", "hyper-parameters as described", RESCIENCE, "Table 1", BEST),
    _cifarn(
        "selected",
        "ResNet-34 with the ImageNet stem",
        RESCIENCE,
        "its raw logs",
        "the best epoch on a twentieth of the training rows, by noisy labels",
    ),
    PublishedTable(
        "label-errors-1", "label errors in ten test sets", PERVASIVE, "Table 1", "label-errors-1"
    ),
    PublishedTable("label-errors-2", "what people said", PERVASIVE, "Table 2", "label-errors-2"),
    PublishedTable(
        "label-errors-s1", "34 models of ImageNet", PERVASIVE, "Table S1", "label-errors-s1"
    ),
    PublishedTable(
        "label-errors-s2", "13 models of CIFAR-10", PERVASIVE, "Table S2", "label-errors-s2"
    ),
)
TABLES: Mapping[str, PublishedTable] = {table.name: table for table in _ALL}


def read(name: str) -> pl.DataFrame:
    """The lines of a table, as text.

    Raises:
        UnknownName (a KeyError): no such table; the message suggests the nearest.
    """
    import polars as pl

    table = lookup(TABLES, name, "published table")[1]
    frame = read_frame(Path(__file__).with_name(f"{table.file}.csv")).frame
    for column, value in table.rows.items():
        frame = frame.filter(pl.col(column) == value).drop(column)
    return frame


def result_set(name: str, criteria: Sequence[str], metric: str = "top1") -> ResultSet:
    """A table as a side to compare; see ``compare_sides``.

    What stands behind ± there was taken over few splits as if these were all there are; here it is
    the standard error of a mean of such splits.

    Args:
        criteria: those asked for. Where the table does not say by what each number was chosen, its
            numbers stand beside each of these, and the set says by what they were chosen.

    Raises:
        UnknownName (a KeyError): no such table.
        Refusal (a ValueError): a table of counts, or without that metric.
    """
    _, table = lookup(TABLES, name, "published table")
    if metric not in table.means:
        known = ", ".join(table.means)
        raise Refusal(
            f"{PREFIX}:{table.name}, {table.title}, has no {metric}"
            + (f", but {known}." if known else ": it is a table of counts."),
            "give `metric` one of these" if known else "look at it with candidly bench published",
        )
    unbiased = 1.0 if table.splits is None else math.sqrt(table.splits / (table.splits - 1))
    entries: dict[Place, SideEntry] = {}
    for row in read(name).iter_rows(named=True):
        error = None
        if table.splits is not None and row.get("spread"):
            error = float(row["spread"]) / 100 * unbiased
        entry = SideEntry(float(row[table.means[metric]]) / 100, error, table.splits)
        for criterion in criteria:
            if row.get("criterion") in (None, criterion):
                entries[criterion, row["dataset"], row["algorithm"]] = entry
    return ResultSet(f"{PREFIX}:{table.name}", entries, chosen=table.chosen)


def criteria_of(name: str) -> tuple[str, ...]:
    """By which criteria the models of a table were chosen, in its order; () where none is named."""
    frame = read(name)
    return tuple(frame["criterion"].unique(maintain_order=True)) if "criterion" in frame else ()
