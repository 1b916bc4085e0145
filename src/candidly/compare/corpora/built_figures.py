"""Figures of a built benchmark: what the filters leave, and how hard each source's events are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...show.figures import FAINT, INK, SERIES, STROKES, draw_svg

WIDE = 6.4  # inches
BINS = 40


def funnel_figure(stages: Sequence[tuple[str, int, int]], title: str) -> str:
    """A bar for each filter, as wide as the number of events that it leaves; SVG text.

    Args:
        stages: name, categories and events, in order.
    """

    def draw(axes: Any) -> None:
        places = range(len(stages))
        events = [left for _, _, left in stages]
        axes.barh(places, events, height=0.74, left=[-n / 2 for n in events], color=SERIES[0])
        for place, (_, categories, left) in enumerate(stages):
            said = f"{left:,} events, {categories:,} categories"
            axes.text(events[0] * 0.54, place, said, va="center", color=INK, fontsize=8)
        axes.set_yticks(places, [name for name, _, _ in stages])
        axes.set_ylim(len(stages) - 0.4, -0.6)
        axes.set_xlim(-events[0] * 0.52, events[0] * 1.15)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)

    about = "; ".join(f"{name}: {left:,} of {n:,} categories" for name, n, left in stages)
    return draw_svg(draw, title, f"Events left behind each filter. {about}.", len(stages), 0, WIDE)


def difficulty_figure(values: Mapping[str, np.ndarray], title: str) -> str:
    """How the difficulty of events is distributed, a line for each source; SVG text.

    Args:
        values: float (n,), of each source's events, NaN where nothing may replace one.
    """
    there = {name: some[np.isfinite(some)] for name, some in values.items()}
    there = {name: some for name, some in there.items() if len(some)}
    low = min((float(some.min()) for some in there.values()), default=0.0)
    edges = np.linspace(min(low, 0.99), 1.0, BINS + 1)

    def draw(axes: Any) -> None:
        for k, (name, some) in enumerate(there.items()):
            counts, _ = np.histogram(some.clip(max=1.0), edges)
            axes.stairs(
                100 * counts / len(some), edges, color=SERIES[k], ls=STROKES[k], lw=1.7, label=name
            )
        axes.set_xlabel("cosine with the nearest event that may replace it")
        axes.set_ylabel("events of the source (%)")
        axes.grid(axis="y", color=FAINT, linewidth=0.6, alpha=0.3)
        if len(there) > 1:
            axes.legend(frameon=False, loc="upper left")

    medians = (f"{name} {np.median(some):.2f}" for name, some in there.items())
    return draw_svg(draw, title, f"Medians: {', '.join(medians)}.", width=WIDE)
