"""The study's figures, as SVG files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from candidly.show.figures import FAINT, PAPER, SERIES, draw_svg
from studies.kit.figures import alone

from .numbers import OnLabels, mean_ranks

MARKERS = ("o", "s", "^")
NAMES = {"flip": "flipped", "instance": "look-alike", "people": "people's"}


def rank_figure(study: Mapping[str, OnLabels]) -> str:
    """Accuracies by CR, a row for each algorithm, by mean rank."""
    ranks = mean_ranks(study)
    order = sorted(ranks, key=lambda name: (-ranks[name], name))

    def draw(axes: Any) -> None:
        for place in range(len(order)):
            axes.axhline(place, color=FAINT, linewidth=0.5, alpha=0.3, zorder=0)
        for (key, labels), colour, marker in zip(study.items(), SERIES, MARKERS):
            means = [100 * labels.rows[name].mean("CR") for name in order]
            axes.plot(
                means,
                range(len(order)),
                marker,
                color=colour,
                mfc=PAPER,
                ms=4.5,
                mew=1.1,
                label=f"{NAMES[key]} labels",
            )
        axes.set_yticks(range(len(order)), order, fontsize=7)
        axes.set_ylim(-0.7, len(order) - 0.3)
        axes.set_xlabel("test accuracy in percent, chosen by CR")
        axes.figure.legend(loc="outside lower center", ncols=3, frameon=False)

    means = {
        name: [f"{100 * labels.rows[name].mean('CR'):.1f}" for labels in study.values()]
        for name in reversed(order)
    }
    told = "; ".join(f"{name} {', '.join(three)}" for name, three in means.items())
    title = "Test accuracy by CR on three label sets, the best mean rank on top"
    return alone(draw_svg(draw, title, f"In percent: {told}.", rows=len(order), width=7))


def cost_figure(study: Mapping[str, OnLabels]) -> str:
    """Accuracy against processor time, on the three label sets' means."""
    names = list(next(iter(study.values())).rows)
    points = {
        name: (
            float(np.median([each.cost(name) for each in study.values()])),
            float(np.mean([100 * each.rows[name].mean("CR") for each in study.values()])),
        )
        for name in names
    }
    points = {name: point for name, point in points.items() if not np.isnan(point[1])}

    middle = float(np.median([mean for _, mean in points.values()]))
    # too near one another for names
    crowd = [name for name, (cost, mean) in points.items() if cost < 1.2 and mean > middle - 3]

    def draw(axes: Any) -> None:
        costs, means = zip(*points.values())
        axes.plot(costs, means, "o", color=SERIES[0], mfc=PAPER, ms=4.5, mew=1.1)
        for name, (cost, mean) in points.items():
            if name not in crowd:
                axes.annotate(name, (cost, mean), (4, 2), textcoords="offset points", fontsize=6.5)
        low = min(points[name][1] for name in crowd)
        said = f"{len(crowd)} losses without memory"
        axes.annotate(said, (1.0, low), (0, -10), textcoords="offset points", fontsize=6.5)
        axes.set_xscale("log")
        axes.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
        axes.minorticks_off()
        axes.set_xlabel("processor time of a run, times CC")
        axes.set_ylabel("test accuracy in percent, chosen by CR")
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)

    told = "; ".join(f"{n} {cost:.1f} and {mean:.1f}" for n, (cost, mean) in points.items())
    title = "Accuracy, the mean of three label sets, against processor time"
    return alone(draw_svg(draw, title, f"Times CC and percent: {told}.", extra=1.4, width=7.5))
