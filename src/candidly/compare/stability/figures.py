"""Figures of a stability report: accuracies, rank against rank, accuracy against prevalence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.names import lookup
from ...show.figures import FAINT, INK, PAPER, SERIES, STROKES, Draw, draw_svg
from ...show.intervals import ForestPoint, ForestRow, forest_plot
from ...show.words import in_percent, percent, short_names

if TYPE_CHECKING:
    from . import Accuracies, Accuracy, Crossing, RankedModel, Report

BIAS = (
    "Where the new label of a changed item is what a detector predicted, models like that detector "
    "gain by corrected labels and models like the first annotation by original ones; and as no "
    "model can be right by both, the two accuracies on changed items fall and rise against each "
    "other by themselves."
)
COLOURED = 8  # models up to which every line has a colour
WIDTH = 5.4  # inches
POINTS = 200
REMOVED = (0, 0.2, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1)


@dataclass(frozen=True)
class Drawing:
    """What draws a figure, and what is said of it."""

    draw: Draw
    title: str
    about: str
    extra: float  # inches of height beyond a panel's

    def svg(self) -> str:
        return draw_svg(self.draw, self.title, self.about, extra=self.extra, width=WIDTH)


# accuracies


def accuracy_figure(report: Report) -> str:
    """Accuracies with their intervals, a row per model, the best first; SVG text.

    By corrected labels on kept items, with hollow points by original labels on all; where labels
    have one version, by these alone. Bars join places within which tests leave the order open.

    Args:
        report: from ``stability.assess``.
    """
    twice = report.versions == 2
    rows = []
    for s in report.standings:
        each = (s.top1.corrected, s.top1.original) if twice else (s.top1.original,)
        rows.append(ForestRow(s.model, [_estimate(one) for one in each]))
    return forest_plot(
        rows,
        "Accuracies of the models",
        "accuracy (%)",
        series=("corrected labels", "original labels") if twice else ("",),
        groups=[(first - 1, last - 1) for first, last in report.together],
        digits=2,
    )


def _estimate(share: Accuracy) -> ForestPoint | None:
    value = in_percent(share.share)
    ends = in_percent(share.low), in_percent(share.high)
    return None if value is None else ForestPoint(value, *ends)


# rank against rank


@dataclass(frozen=True)
class Ranks:
    """Two rankings to put side by side."""

    title: str
    left: str
    right: str
    ranks: Callable[[RankedModel], tuple[int, int]]
    association: int  # which of the report's


RANKS = {
    "corrected": Ranks(
        "Ranks before and after correcting",
        "original labels, all items",
        "corrected labels, kept items",
        lambda s: (s.rank_original, s.rank_corrected),
        0,
    ),
    "cleaned": Ranks(
        "Ranks with and without the wrong labels",
        "original labels, all items",
        "unchanged items only",
        lambda s: (s.rank_original, s.rank_benign),
        1,
    ),
    "changed": Ranks(
        "Ranks on the changed items",
        "by original labels",
        "by corrected labels",
        lambda s: (s.ranks_changed[0] or 0, s.ranks_changed[1] or 0),
        2,
    ),
}


def rank_figure(report: Report, which: str = "corrected") -> str:
    """Two rankings as columns of names, a line per model; SVG text.

    Args:
        report: from ``stability.assess``.
        which: corrected (original labels on all items, corrected labels on kept ones), cleaned
            (original labels on all items, and on unchanged ones), or changed (both labels on
            changed items).

    Raises:
        UnknownName: none of these.

    Source: Northcutt, Athalye & Mueller, NeurIPS 2021, Figure 3.
    """
    return rank_drawing(report, which).svg()


def rank_drawing(report: Report, which: str) -> Drawing:
    kind = lookup(RANKS, which, "pair of rankings")[1]
    names = [s.model for s in report.standings]
    short = short_names(names)
    pairs = [kind.ranks(s) for s in report.standings]
    places = [_places([pair[side] for pair in pairs]) for side in (0, 1)]
    found = report.associations[kind.association]

    def draw(axes: Any) -> None:
        size = 8 if len(names) <= 16 else 7
        for k, (name, (old, new)) in enumerate(zip(names, pairs)):
            colour, width = _of_move(old - new)
            ends = [places[0][k], places[1][k]]
            axes.plot(
                [0, 1],
                ends,
                color=colour,
                lw=width,
                marker="o",
                ms=3,
                zorder=2 + (old != new),
                clip_on=False,
            )
            ink = {"va": "center", "fontsize": size, "color": INK}
            axes.text(-0.04, ends[0], f"{short[name]}  {old}", ha="right", **ink)
            axes.text(1.04, ends[1], f"{new}  {short[name]}", ha="left", **ink)
        for side, words, align in ((0, kind.left, "right"), (1, kind.right, "left")):
            where = {"ha": align, "va": "bottom", "fontsize": 8, "fontweight": "bold"}
            axes.text(0.1 if side == 0 else 0.9, -0.9, words, **where)
        axes.set_xlim(0, 1)
        axes.set_ylim(len(names) - 0.5, -1.6)
        axes.set_axis_off()

    moved = [f"{n} {old} to {new}" for n, (old, new) in zip(names, pairs) if old != new]
    about = f"{kind.left} against {kind.right}. " + (
        f"Moved: {'; '.join(moved)}." if moved else "No rank differs."
    )
    if found.kendall is not None:
        about += f" Kendall's tau {found.kendall:.2f}."
    return Drawing(draw, kind.title, about, max(1.4, 0.19 * len(names) + 0.5) - 3.0)


def _places(ranks: Sequence[int]) -> list[int]:
    """Rows from 0 for ranks that may be shared, in order of the report."""
    order = np.argsort(ranks, kind="stable")
    rows = np.empty(len(ranks), int)
    rows[order] = np.arange(len(ranks))
    return rows.tolist()


def _of_move(places: int) -> tuple[str, float]:
    """Colour and width of a line: up, down or level."""
    return {True: (SERIES[0], 1.6), False: (SERIES[1], 1.6)}[places > 0] if places else (FAINT, 1.0)


# accuracy against prevalence


@dataclass(frozen=True)
class Side:
    """One of the two panels."""

    title: str
    changed: Callable[[Accuracies], Accuracy]
    crossings: Callable[[Report], tuple[Crossing, ...]]


SIDES = {
    "corrected": Side(
        "Accuracy by corrected labels",
        lambda a: a.changed_corrected,
        lambda r: r.crossings,
    ),
    "original": Side(
        "Accuracy by original labels",
        lambda a: a.changed_original,
        lambda r: r.crossings_original,
    ),
}


def prevalence_figure(report: Report, labels: str = "corrected", until: float | None = None) -> str:
    """Accuracy as wrong labels become more frequent: a line per model; SVG text.

    Lines are exact; a band holds the middle 95 % of what removing benign items at random gives.
    Filled points are established crossings, hollow ones are not; points are drawn for models in
    colour.

    Args:
        report: from ``stability.assess``.
        labels: corrected or original.
        until: the prevalence at the right end; otherwise beyond the established crossings, or some
            of the others.

    Raises:
        UnknownName: neither kind of labels.
        ValueError: no label was changed, or ``until`` is not beyond the prevalence there is.

    Source: Northcutt, Athalye & Mueller, NeurIPS 2021, Figure 4, with lines in place of draws.
    """
    return prevalence_drawing(report, labels, until).svg()


def prevalence_drawing(report: Report, labels: str, until: float | None = None) -> Drawing:
    from . import prevalence_at, x_mixture

    side = lookup(SIDES, labels, "kind of labels")[1]
    start = report.prevalence.share
    if not start or start == 1:
        raise ValueError("accuracy against prevalence needs changed items and unchanged ones.")
    beyond = [c for c in side.crossings(report) if not c.already]
    stop = _reach(beyond, start) if until is None else until
    if not start < stop <= 1:
        raise ValueError(f"`until` is {stop}; it must lie beyond {start:.4f}, up to 1.")
    grid = np.linspace(start, stop, POINTS)
    curves = {s.model: _curve(s, side, grid) for s in report.standings}
    styles = _styles(report, beyond)

    def draw(axes: Any) -> None:
        for name, (mean, spread) in curves.items():
            colour, stroke, width = styles[name]
            axes.plot(100 * grid, 100 * mean, color=colour, ls=stroke, lw=width)
            if width > 1:
                low, high = 100 * (mean - 1.96 * spread), 100 * (mean + 1.96 * spread)
                axes.fill_between(100 * grid, low, high, color=colour, alpha=0.09, lw=0)
        _mark(axes, [c for c in beyond if c.prevalence <= stop], curves, styles, grid)
        axes.set_xlim(100 * start, 100 * stop)
        axes.set_ylabel("accuracy (%)")
        axes.set_xlabel("prevalence of wrong labels, N (%)")
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        _name_lines(axes, {name: 100 * mean[-1] for name, (mean, _) in curves.items()}, styles)
        removed = [(x, 100 * prevalence_at(x, start)) for x in REMOVED]
        _second_axis(axes, removed, "share of benign items removed (%)", "top")
        weights = _round_steps(float(x_mixture(stop, start)))
        mixed = [(x, 100 * (1 - (1 - x) * (1 - start))) for x in weights]
        _second_axis(axes, mixed, "mixture weight of changed items (%)", "bottom")

    sure = [c for c in beyond if c.established]
    named = "; ".join(f"{c.behind} passes {c.ahead} at {percent(c.prevalence, 1)}" for c in sure)
    about = (
        f"From {percent(start, 2)} to {percent(stop, 1)} percent wrong labels. "
        f"Established crossings: {named or 'none'}. {BIAS}"
    )
    return Drawing(draw, side.title, about, max(1.2, 0.15 * len(curves) + 1.8 - 3.0))


def _curve(standing: RankedModel, side: Side, grid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation at these prevalences."""
    from . import accuracy_moments, kept_at

    b, c = standing.top1.benign, side.changed(standing.top1)
    kept = kept_at(grid, b.of, c.of)
    mean, variance = accuracy_moments(kept, b.of, b.right, c.of, c.right)
    return mean, np.sqrt(variance)


def _reach(beyond: Sequence[Crossing], start: float) -> float:
    """Where the axis ends, so that what is worth seeing is inside."""
    at = [c.prevalence for c in beyond if c.established]
    at = at or sorted(c.prevalence for c in beyond)[: max(1, len(beyond) // 2)]
    return float(min(1.0, max(1.3 * max(at, default=0.0), 5 * start)))


def _styles(report: Report, beyond: Sequence[Crossing]) -> dict[str, tuple[str, Any, float]]:
    """Colour, stroke and width of every line; of many models, colour for those that matter."""
    names = [s.model for s in report.standings]
    chosen = names
    if len(names) > COLOURED:
        sure = [name for c in beyond if c.established for name in (c.behind, c.ahead)]
        chosen = list(dict.fromkeys([*sure, *names]))[: len(SERIES)]
        chosen = [name for name in names if name in chosen]
    colours = {
        name: (SERIES[k % len(SERIES)], STROKES[k // len(SERIES)], 1.7)
        for k, name in enumerate(chosen)
    }
    return {name: colours.get(name, (FAINT, "-", 0.8)) for name in names}


def _mark(
    axes: Any,
    crossings: Sequence[Crossing],
    curves: dict[str, tuple[np.ndarray, np.ndarray]],
    styles: dict[str, tuple[str, Any, float]],
    grid: np.ndarray,
) -> None:
    for c in crossings:
        if min(styles[c.ahead][2], styles[c.behind][2]) < 1:
            continue
        at = 100 * c.prevalence
        if c.established:
            axes.axvline(at, color=FAINT, lw=0.8, ls=(0, (2, 2)), zorder=1)
        height = 100 * float(np.interp(c.prevalence, grid, curves[c.ahead][0]))
        fill = INK if c.established else PAPER
        axes.plot(at, height, "o", ms=4, mfc=fill, mec=INK, mew=0.9, zorder=4)


def _name_lines(
    axes: Any, ends: dict[str, float], styles: dict[str, tuple[str, Any, float]]
) -> None:
    """Names beside the right ends of lines, moved apart until none touches another."""
    size = 8 if len(ends) <= 16 else 7
    low, high = axes.get_ylim()
    height = 72 * (axes.figure.get_figheight() - 1.75)  # points that the axes have, about
    gap = min((high - low) * 1.2 * size / height, (high - low) / max(len(ends) - 1, 1))
    names = sorted(ends, key=lambda name: ends[name])
    short = short_names(list(ends))
    beside = axes.get_yaxis_transform()  # x as a share of the width, y in percent
    for name, y in zip(names, spread_out([ends[n] for n in names], gap, low, high)):
        colour, _, _ = styles[name]
        leader = {"color": colour, "lw": 0.7, "transform": beside, "clip_on": False}
        axes.plot([1.005, 1.055], [ends[name], y], **leader)
        axes.text(1.065, y, short[name], va="center", fontsize=size, color=INK, transform=beside)
    axes.set_ylim(low, high)


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least ``gap`` apart, in the same order, as near to ascending ones as can be.

    >>> spread_out([1.0, 1.0, 5.0], 1.0, 0.0, 9.0)
    [0.5, 1.5, 5.0]
    """
    blocks: list[list[float]] = []  # sum and number of places that moved together
    for k, place in enumerate(wanted):
        blocks.append([place - k * gap, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    flat = [total / count for total, count in blocks for _ in range(int(count))]
    most = high - (len(wanted) - 1) * gap
    return [min(max(place, low), max(most, low)) + k * gap for k, place in enumerate(flat)]


def _round_steps(most: float) -> list[float]:
    """Round numbers from 0 up to ``most``, few enough to stand side by side."""
    step = next(s for s in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2) if 6 * s >= most)
    return [k * step for k in range(int(most / step + 1e-9) + 1)]


def _second_axis(axes: Any, ticks: Sequence[tuple[float, float]], label: str, side: str) -> None:
    """Another scale for the same axis: values in 0..1 and where they stand."""
    other = axes.twiny()
    low, high = axes.get_xlim()
    other.set_xlim(low, high)
    shown: list[tuple[float, float]] = []
    for value, place in ticks:
        apart = not shown or place - shown[-1][1] >= 0.09 * (high - low)
        if low - 1e-9 <= place <= high and apart:
            shown.append((value, place))
    other.set_xticks([place for _, place in shown], [f"{100 * value:.3g}" for value, _ in shown])
    other.xaxis.set_ticks_position(side)
    other.xaxis.set_label_position(side)
    other.set_xlabel(label)
    spine = other.spines[side]
    spine.set_visible(True)
    if side == "bottom":
        spine.set_position(("outward", 38))
