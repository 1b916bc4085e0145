"""Table S2 beside the networks here, and what follows from the published table alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from candidly.compare.stability import Report, competition_ranks
from candidly.show.grid import Column, Datum, Grid, Value
from candidly.stats import share_interval
from studies.kit.rankings import table

from .published import OF, Link, link, paired_p, smallest_holm, table_s2
from .sizes import SIZES, Training, full_sizes, published_names, signed

FAMILIES = {"VGG": "vgg", "ResNet": "resnet", "DenseNet": "densenet"}


def beside_published(report: Report, made: Training) -> dict[str, Any] | None:
    """The networks of Table S2, there and here; nothing where fewer than three are here."""
    names = published_names(made)
    if len(names) < 3:
        return None
    rows, ours = table_s2(), {s.model: s.top1 for s in report.standings}
    counts = {  # right answers in the order of the names, published and here
        "original": (
            [rows[name].right["original_top1"] for name in names],
            [ours[name].changed_original.right for name in names.values()],
        ),
        "corrected": (
            [rows[name].right["corrected_top1"] for name in names],
            [ours[name].changed_corrected.right for name in names.values()],
        ),
    }
    return {
        "links": {labels: link(*both) for labels, both in counts.items()},
        "table": table(_beside(list(names), full_sizes(), counts)),
    }


Counts = dict[str, tuple[list[int], list[int]]]


def _beside(names: Sequence[str], full: dict[str, dict[str, int]], counts: Counts) -> Grid:
    columns = [np.array(side) for both in counts.values() for side in both]
    ranks = [competition_ranks(column) for column in columns]

    def row(k: int) -> tuple[Value | Datum, ...]:
        size = full[names[k]]
        return (
            names[k],
            *(size["parameters"] / 1e6, size["multiply_adds"] / 1e6),
            *(f"{column[k]} ({rank[k]})" for column, rank in zip(columns, ranks)),
        )

    order = sorted(range(len(names)), key=lambda k: (-columns[2][k], names[k]))
    return Grid(
        f"Right answers of {OF} on the changed pictures, and ranks among these networks",
        (
            *(Column("network", "name"), Column("parameters, million", form=".2f")),
            Column("multiply-adds, million", form=",.0f"),
            *(Column("original labels, published"), Column("original, here")),
            *(Column("corrected labels, published"), Column("corrected, here")),
        ),
        [row(k) for k in order],
        ("Parameters and multiply-adds of the networks at full size. Equal counts share a rank.",),
    )


# Table S2 alone


def from_the_table_alone() -> dict[str, Any]:
    """What the published table can say without any network of ours."""
    right = {name: row.right["corrected_top1"] for name, row in table_s2().items()}
    ends = (max(right, key=right.__getitem__), min(right, key=right.__getitem__))
    pair = [right["vgg11_bn"], right["vgg19_bn"]]
    return {
        "links": published_links(full_sizes()),
        "table": table(_links_grid(full_sizes())),
        "pair": {
            "right": pair,
            "p": paired_p(*pair),
            "intervals": share_interval(np.array(pair), OF).tolist(),
        },
        "furthest": {
            "names": ends,
            "right": [right[name] for name in ends],
            "p": paired_p(*(right[name] for name in ends))[0],
        },
        "pairs": len(right) * (len(right) - 1) // 2,
        "smallest_holm": smallest_holm(list(right.values())),
        "right": right,
        "ranks": dict(zip(right, competition_ranks(np.array(list(right.values()))).tolist())),
    }


def published_links(full: dict[str, dict[str, int]]) -> dict[str, Link]:
    """How size goes with right answers in Table S2, over all networks and within families."""
    rows = table_s2()

    def of(size: str, column: str, start: str = "") -> Link:
        names = [name for name in full if name.startswith(start)]
        return link(
            [full[name][size] for name in names], [rows[name].right[column] for name in names]
        )

    found = {
        f"{size.replace('_', '-')}, {labels} labels": of(size, f"{labels}_top1")
        for size in SIZES
        for labels in ("original", "corrected")
    }
    for family, start in FAMILIES.items():
        key = f"parameters, corrected labels, {family}s alone"
        found[key] = of("parameters", "corrected_top1", start)
    return found


LINK_COLUMNS = (
    *(Column("networks"), Column("Spearman"), Column("p (Spearman)", form=".3f")),
    *(Column("Kendall"), Column("p (Kendall)", form=".3f")),
)
LINK_NOTE = "p: two-sided, by 10,000 permutations, each for itself."


def link_cells(found: Link) -> tuple[Value | Datum, ...]:
    """A row of ``LINK_COLUMNS``; bars where one of the two lists is constant."""
    if found.spearman.value != found.spearman.value:
        return found.models, None, None, None, None
    each = (found.spearman, found.kendall)
    cells = [(Datum(c.value, text=signed(c.value)), c.p) for c in each]
    return found.models, *cells[0], *cells[1]


def _links_grid(full: dict[str, dict[str, int]]) -> Grid:
    return Grid(
        "Table S2: rank correlation of a network's size with its right answers",
        (Column("size and labels", "name"), *LINK_COLUMNS),
        [(name, *link_cells(found)) for name, found in published_links(full).items()],
        (f"{LINK_NOTE} A bar where all counts are equal. Negative: smaller networks are better.",),
    )
