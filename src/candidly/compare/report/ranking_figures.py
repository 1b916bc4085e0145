"""Figures of rankings: average ranks with what cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...show.figures import FAINT, INK, SERIES, draw_svg
from ...show.words import short_names

WIDE = 7.0  # inches


def rank_figure(
    ranks: Mapping[str, float], groups: Sequence[Sequence[str]], distance: float | None, title: str
) -> str:
    """A critical-difference diagram: average ranks on a line, bars over groups; SVG text.

    Args:
        ranks: average rank of each algorithm, 1 is best.
        groups: names that cannot be told apart; those of one name are not drawn.
        distance: the critical difference, or None where there is none.

    Source: Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
    """
    order = sorted(ranks, key=lambda name: (ranks[name], name))
    short = short_names(order, 28)
    half = (len(order) + 1) // 2
    bars = [sorted(ranks[name] for name in group) for group in groups if len(group) > 1]
    low, high = 1.0, max(2.0, float(len(order)))
    top = 0.9 + 0.45 * len(bars)

    def draw(axes: Any) -> None:
        axes.plot([low, high], [0, 0], color=INK, lw=1)
        step = max(1, round((high - low) / 10))
        for rank in range(1, int(high) + 1, step):
            axes.plot([rank, rank], [0, -0.18], color=INK, lw=1)
            axes.text(rank, -0.3, str(rank), ha="center", va="bottom", fontsize=8)
        if distance is not None:
            axes.plot([low, low + distance], [-1.5, -1.5], color=INK, lw=1.6)
            axes.text(low, -1.6, f"critical difference {distance:.2f}", va="bottom", fontsize=8)
        for number, bar in enumerate(bars):
            level = 0.45 + 0.45 * number
            axes.plot(
                [bar[0] - 0.05, bar[-1] + 0.05],
                [level, level],
                color=SERIES[0],
                lw=3.2,
                solid_capstyle="round",
            )
        room = 0.34 * (high - low)
        for place, name in enumerate(order):
            left = place < half
            row = top + (place if left else len(order) - 1 - place)
            end = low - 0.04 * room if left else high + 0.04 * room
            axes.plot(
                [ranks[name], ranks[name], end], [0, row, row], color=FAINT, lw=0.8, alpha=0.6
            )
            axes.plot(ranks[name], 0, "o", ms=3.5, color=INK)
            said = f"{short[name]}  {ranks[name]:.2f}"
            axes.text(end, row, said, ha="right" if left else "left", va="center", fontsize=8)
        axes.set_xlim(low - 1.15 * room, high + 1.15 * room)
        axes.set_ylim(top + half - 0.3, -2.4)
        axes.axis("off")

    told = ", ".join(f"{name} {ranks[name]:.2f}" for name in order)
    alike = "; ".join(", ".join(group) for group in groups if len(group) > 1)
    about = f"Average ranks: {told}. Not told apart: {alike or 'none'}."
    return draw_svg(draw, title, about, rows=half + len(bars) + 3, width=WIDE)
