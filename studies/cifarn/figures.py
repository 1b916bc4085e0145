"""The study's figures, as SVG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from candidly.show.figures import FAINT, PAPER, SERIES, STROKES, draw_svg
from studies.kit.figures import alone

from .numbers import Row, Table, mean

EPOCHS_OF = (("best", "o"), ("selected", "s"), ("last", "^"))


def gap_figure(table: Table, order: Sequence[str], title: str) -> str:
    """Best, selected and last epoch's accuracy, a row for each algorithm in ``order``."""

    def draw(axes: Any) -> None:
        for place, name in enumerate(order):
            three = [_percent(table[name], kind) for kind, _ in EPOCHS_OF]
            axes.plot([min(three), max(three)], [place, place], color=FAINT, lw=0.8, alpha=0.6)
        for (kind, marker), colour in zip(EPOCHS_OF, SERIES):
            values = [_percent(table[name], kind) for name in order]
            places = range(len(order))
            axes.plot(values, places, marker, color=colour, mfc=PAPER, ms=4.5, mew=1.1, label=kind)
        axes.set_yticks(range(len(order)), order, fontsize=7)
        axes.set_ylim(len(order) - 0.3, -0.7)
        axes.set_xlabel("test accuracy in percent")
        axes.figure.legend(loc="outside lower center", ncols=3, frameon=False)

    told = "; ".join(
        f"{name} {', '.join(f'{_percent(table[name], kind):.1f}' for kind, _ in EPOCHS_OF)}"
        for name in order
    )
    about = f"Best, selected, last, in percent: {told}."
    return alone(draw_svg(draw, title, about, rows=len(order), width=7))


def _percent(row: Row, kind: str) -> float:
    return 100 * mean(getattr(row, kind))


def curve_figure(panels: Mapping[str, Table], names: Sequence[str], title: str) -> str:
    """Test accuracy after each epoch: a panel for each table, a line for each algorithm."""

    def draw(axes: Any) -> None:
        axes.set_axis_off()
        first = None
        for place, (panel, table) in zip(
            axes.get_subplotspec().subgridspec(1, len(panels)), panels.items()
        ):
            one = axes.figure.add_subplot(place, sharey=first)
            first = first or one
            for number, name in enumerate(names):
                curve = [np.nan if v is None else 100 * v for v in table[name].curve]
                one.plot(
                    range(1, len(curve) + 1),
                    curve,
                    color=SERIES[number % len(SERIES)],
                    ls=STROKES[number // len(SERIES)],
                    lw=1.5,
                    label=name,
                )
            one.set_title(panel, fontsize=9)
            one.set_xlabel("epoch")
            one.set_xticks(range(5, len(curve) + 1, 5))
            one.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        first.set_ylabel("test accuracy in percent")
        handles, words = first.get_legend_handles_labels()
        axes.figure.legend(handles, words, loc="outside lower center", ncols=4, frameon=False)

    told = "; ".join(
        f"{panel}: "
        + ", ".join(
            f"{name} {100 * mean(table[name].best):.1f} to {100 * mean(table[name].last):.1f}"
            for name in names
        )
        for panel, table in panels.items()
    )
    about = f"From the best epoch to the last, in percent: {told}."
    return alone(draw_svg(draw, title, about, rows=14, width=9))
