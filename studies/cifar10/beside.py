"""Table S2 beside the networks here, and what follows from the published table alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from candidly.compare.stability import Report, competition_ranks
from candidly.show.grid import Column, Datum, Grid, Value
from candidly.stats import share_interval
from studies.kit.rankings import table
from studies.kit.words import prose

from .published import OF, Link, link, paired_p, smallest_holm, table_s2
from .sizes import SIZES, Training, full_sizes, published_names, signed

FAMILIES = {"VGG": "vgg", "ResNet": "resnet", "DenseNet": "densenet"}


def beside_published(report: Report, made: Training) -> list[str]:
    """The networks of Table S2, there and here; nothing where fewer than three are here."""
    names = published_names(made)
    if len(names) < 3:
        return []
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
    return [
        "## Beside the published Table S2",
        prose(_alike(counts)),
        table(_beside(list(names), full_sizes(), counts)),
    ]


Counts = dict[str, tuple[list[int], list[int]]]


def _alike(counts: Counts) -> str:
    found = {labels: link(*both) for labels, both in counts.items()}
    told = " and ".join(
        f"""{signed(each.spearman.value)} (p {each.spearman.p:.2f}) by {labels} labels"""
        for labels, each in found.items()
    )
    return f"""The same {OF} pictures, the same labels, other networks of the same names. Spearman's
    correlation of the right answers there with those here is {told}, over
    {found["corrected"].models} networks."""


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


def from_the_table_alone() -> list[str]:
    return [
        "## What the published table alone can say",
        prose(_of_sizes(full_sizes())),
        table(_links_grid(full_sizes())),
        prose(_of_pairs()),
        prose(_of_ranks()),
    ]


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


def _of_sizes(full: dict[str, dict[str, int]]) -> str:
    found = published_links(full)
    by_size, by_work = (found[f"{size.replace('_', '-')}, corrected labels"] for size in SIZES)
    vggs = found["parameters, corrected labels, VGGs alone"]
    return f"""The claim is about the corrected labels of {OF} pictures: VGG-11 is first there and
    VGG-19 eleventh of thirteen. Does size go with right answers in Table S2? Over all thirteen,
    Spearman's correlation with the number of parameters is {signed(by_size.spearman.value)} (p
    {by_size.spearman.p:.2f}) and with multiply-adds {signed(by_work.spearman.value)} (p
    {by_work.spearman.p:.2f}): the published numbers do not show that smaller networks rank higher.
    The smallest of all, MobileNet-V2, is last. Only within a family is the order the claimed one:
    the four VGGs are in perfect order, for which chance has a p of {vggs.spearman.p:.2f}, the
    least that four can reach, and which one of several families was looked at was chosen after the
    numbers were there. Sizes are those of candidly's networks at full width."""


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


def _of_pairs() -> str:
    right = {name: row.right["corrected_top1"] for name, row in table_s2().items()}
    most, least = max(right, key=right.__getitem__), min(right, key=right.__getitem__)
    a, b = right["vgg11_bn"], right["vgg19_bn"]
    low, high = paired_p(a, b)
    furthest, _ = paired_p(right[most], right[least])
    pairs = len(right) * (len(right) - 1) // 2
    intervals = [
        f"{100 * lower:.0f} to {100 * upper:.0f} %"
        for lower, upper in share_interval(np.array([a, b]), OF)
    ]
    return f"""A single pair: {100 * a / OF:.0f} % against {100 * b / OF:.0f} % is {a} against {b}
    of {OF}, with 95 % intervals of {intervals[0]} and {intervals[1]}. Only the totals are
    published; whatever pictures the two have in common, p of McNemar's exact test lies between
    {low:.4f} and {high:.2f}, so "significantly outperforms" is not what it can say. The pair
    furthest apart, {most} and {least} ({right[most]} against {right[least]}), has
    {furthest:.3f} at best, and after Holm's correction over all {pairs} pairs the smallest p that
    any overlap allows is {smallest_holm(list(right.values())):.2f}."""


def _of_ranks() -> str:
    rows = table_s2()
    right = np.array([row.right["corrected_top1"] for row in rows.values()])
    ranks = dict(zip(rows, competition_ranks(right).tolist()))
    different = len(set(right.tolist()))
    return f"""The printed ranks say more than the counts. They are recomputed to the last one by
    sorting the thirteen networks by each column in turn, where equal ones stay in the order of the
    column before: DenseNet-169, ranked 4th, and VGG-13-BN, ranked 7th, have the same
    {rows["vgg13_bn"].right["corrected_top1"]} of {OF}. With shared ranks both are
    {ranks["vgg13_bn"]}th and VGG-19-BN is {ranks["vgg19_bn"]}th beside GoogLeNet: thirteen networks
    have {different} different counts. A rank of thirteen on {OF} pictures looks finer than it
    is."""
