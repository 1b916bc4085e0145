"""Estimates with their intervals, one below the other (a forest plot), as SVG text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .figures import FAINT, INK, PAPER, SERIES, draw_svg
from .words import short_names

WIDTH = 5.4  # inches
STEP = 0.045  # between bars of groups, as a share of the width
APART = 0.24  # of a row, between its estimates


@dataclass(frozen=True)
class ForestPoint:
    """A number and its interval, on the scale of the axis.

    Attributes:
        value: the estimate. low, high: ends of its interval; None where there is none.
    """

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ForestRow:
    """What a row of the figure shows.

    Attributes:
        name: beside the row.
        estimates: one for each series; None where there is none.
        aside: whether it is drawn in ink, as it is no rival of the others.
    """

    name: str
    estimates: Sequence[ForestPoint | None]
    aside: bool = False


def forest_plot(
    rows: Sequence[ForestRow],
    title: str,
    label: str,
    *,
    series: Sequence[str] = ("",),
    groups: Sequence[tuple[int, int]] = (),
    digits: int = 1,
) -> str:
    """A row per name, a point with a bar over its interval per series; '' without an estimate.

    Args:
        rows: from above to below.
        title, label: of the figure and of its axis.
        series: what a row's estimates are; named in a legend where there are several.
        groups: first and last row of those that a bar at the right joins.
        digits: of the numbers in the description.
    """
    there = [(k, row, one) for k, row in enumerate(rows) for one in row.estimates if one]
    if not there:
        return ""
    names = list(short_names([row.name for row in rows]).values())
    offset = APART * (len(series) - 1) / 2

    def draw(axes: Any) -> None:
        for s, name in enumerate(series):
            colour = SERIES[s % len(SERIES)]
            shown = [
                (k + APART * s - offset, row, one)
                for k, row in enumerate(rows)
                if (one := row.estimates[s]) is not None
            ]
            for place, row, one in shown:
                if one.low is not None and one.high is not None:
                    ink = INK if row.aside else colour
                    axes.plot([one.low, one.high], [place, place], color=ink, lw=1.6)
            inks = [INK if row.aside else colour for _, row, _ in shown]
            faces = inks if s == 0 else [PAPER] * len(inks)
            values, places = [one.value for _, _, one in shown], [place for place, _, _ in shown]
            axes.scatter(
                values, places, s=24, facecolors=faces, edgecolors=inks, linewidths=1.2, zorder=3
            )
            if len(series) > 1:
                face = colour if s == 0 else PAPER
                line = {"color": colour, "marker": "o", "markersize": 5, "markerfacecolor": face}
                axes.plot([], [], label=name, **line)
        for k, (first, last) in zip(_lanes(groups), groups):
            beside = {"transform": axes.get_yaxis_transform(), "clip_on": False}
            x = 1.02 + STEP * k
            axes.plot([x, x], [first - 0.3, last + 0.3], color=FAINT, lw=2.4, **beside)
        axes.set_yticks(range(len(rows)), names)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlabel(label)
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)
        if len(series) > 1:
            below = {"loc": "outside lower center", "ncols": 2, "frameon": False}
            axes.figure.legend(**below)

    about = "; ".join(
        f"{row.name} {', '.join(_told(one, digits) for one in row.estimates if one)}"
        for row in rows
        if any(row.estimates)
    )
    joined = "; ".join(", ".join(row.name for row in rows[a : b + 1]) for a, b in groups)
    more = f" Joined by a bar: {joined}." if groups else ""
    height = len(rows) + 2 * (len(series) > 1)
    return draw_svg(draw, title, f"{label}: {about}.{more}", rows=height, width=WIDTH)


def _lanes(groups: Sequence[tuple[int, int]]) -> list[int]:
    """Of each bar how far to the right it stands, so that none lies on another.

    >>> _lanes([(0, 3), (2, 5), (4, 6)])
    [0, 1, 0]
    """
    ends: list[int] = []
    lanes = []
    for first, last in groups:
        lane = next((k for k, end in enumerate(ends) if end < first), len(ends))
        ends[lane : lane + 1] = [last]
        lanes.append(lane)
    return lanes


def _told(one: ForestPoint, digits: int) -> str:
    if one.low is None or one.high is None:
        return f"{one.value:.{digits}f}"
    return f"{one.value:.{digits}f} ({one.low:.{digits}f} to {one.high:.{digits}f})"
