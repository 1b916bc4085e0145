"""How many labels are wrong, for people: a table by depth of the list, tiles, and a figure."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ground.arrays import door
from ...ground.names import made_by
from ...show.grid import Column, Grid
from ...show.pieces import Bullets, Figure, Figures, Section, SideBySide, Tiles
from ...stats.checked import CheckedCount
from ..confident import Issues
from ._listed import contradicted
from ._result import WrongLabels

DEPTHS = (10, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000, 500_000, 1_000_000)
STEPS = 40  # groups of rows that the figure shows
BY_PREMISE = "on the premise of the headline"
BY_ANSWERS = "by what people said of the rows that they checked"


@door
def depths_grid(found: WrongLabels, issues: Issues, counted: CheckedCount | None = None) -> Grid:
    """Of the first rows of the list, how many are expected to be wrong.

    Args:
        found: what ``errors.estimate`` returns.
        issues: what ``errors.worth_a_look`` or ``errors.find`` returns, for the order.
        counted: what checked rows say, where chances go by these.
    """
    made_by(found, WrongLabels, "found", "errors.estimate")
    made_by(issues, Issues, "issues", "errors.worth_a_look")
    order = contradicted(issues).indices
    listed = len(issues.indices)
    depths = [n for n in DEPTHS if n < len(order)] + [len(order)] * bool(len(order))
    if 0 < listed < len(order) and listed not in depths:
        depths.append(listed)
    rows = []
    for depth in sorted(depths):
        expected = found.depth(order, depth)
        if expected is not None:
            which = {listed: "the list", len(order): "all that are contradicted"}.get(depth, "")
            rows.append((depth, expected, 100 * expected / depth, which))
    columns = (
        *(Column("the first", form=","), Column("expected wrong", form=",")),
        *(Column("%", form=".0f"), Column("", "text")),
    )
    by = BY_PREMISE if counted is None else BY_ANSWERS
    note = f"Rows whose label the classifier contradicts; expected {by}."
    return Grid("How far down the list it pays to look", columns, rows, (note,))


@door
def how_many(found: WrongLabels, issues: Issues, counted: CheckedCount | None = None) -> Section:
    """What is known of the number, with a figure of contradicted rows: wrong, or overlap.

    Args:
        found, issues, counted: as for ``depths_grid``.
    """
    made_by(found, WrongLabels, "found", "errors.estimate")
    if found.why:
        return Section("How many", ((found if counted is None else counted).headline(),))
    listed = len(issues.indices)
    number: tuple[tuple[str, str, str], ...] = (
        ("expected wrong", f"{found.number:,}", "if errors strike clear and unclear rows alike"),
        ("at least, at most", f"{found.least:,}, {found.most:,}", "on that premise, 95 %"),
    )
    if counted is not None:
        low, high = counted.ends
        number = (
            ("wrong", f"{low:,} to {high:,}", "counted from checked rows, 95 %"),
            ("checked", f"{counted.checked:,}", f"of these {counted.found:,} are wrong"),
            number[0],
        )
    tiles = (
        *number,
        (
            "contradicted",
            f"{round(found.disagreement * found.labelled):,}",
            "the prediction is another class: wrong labels and overlap of classes",
        ),
        ("listed", f"{listed:,}", "worth a look"),
    )
    figure = Figure(
        "Rows that the classifier contradicts, in the order of the list",
        f"What is not expected to be wrong is overlap of classes, "
        f"{BY_PREMISE if counted is None else BY_ANSWERS}.",
        draw=lambda: _drawn(found, issues),
    )
    told = Bullets((found if counted is None else counted).findings())
    table = depths_grid(found, issues, counted)
    return Section("How many", (Tiles(tiles), SideBySide((Figures((figure,)), table)), told))


def _drawn(found: WrongLabels, issues: Issues) -> str:
    from ...show.figures import SERIES, draw_svg

    order = contradicted(issues).indices
    if not len(order):
        return ""
    chance = found.chance[order]
    ends = np.unique(np.geomspace(1, len(order), STEPS).astype(int))
    starts = np.concatenate([[0], ends[:-1]])
    share = np.array([100 * chance[a:b].mean() for a, b in zip(starts, ends)])

    def draw(axes: Any) -> None:
        x = np.concatenate([starts + 1, [ends[-1] + 1]])
        wrong = np.concatenate([share, share[-1:]])
        axes.fill_between(x, 0, wrong, step="post", color=SERIES[1], linewidth=0)
        axes.fill_between(x, wrong, 100, step="post", color=SERIES[5], alpha=0.5, linewidth=0)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda place, _: f"{place:,.0f}")
        axes.set_xlim(1, x[-1])
        axes.set_ylim(0, 100)
        axes.set_xlabel("place in the list")
        axes.set_ylabel("% of the rows there")
        axes.text(0.02, 0.06, "wrong", transform=axes.transAxes)
        axes.text(0.98, 0.9, "overlap", transform=axes.transAxes, ha="right")

    about = (
        f"Of {len(order):,} contradicted rows, the share expected to be wrong falls from "
        f"{share[0]:.0f} % at the head of the list to {share[-1]:.0f} % at its end."
    )
    return draw_svg(draw, "Contradicted rows: wrong, or overlap", about)
