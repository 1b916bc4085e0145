"""What choosing a record costs each algorithm, beside its best and its last one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...show.figures import FAINT, INK, PAPER, SERIES, draw_svg
from ...show.words import in_percent, percent, short_names
from ..sweep.gap import Gap


def selection_figure(mine: Sequence[Gap], dataset: str) -> str:
    """Last, selected and best record of each algorithm on a line, the best first; SVG text."""
    shown = sorted(
        (one for one in mine if one.best.mean is not None), key=lambda one: -(one.best.mean or 0)
    )
    names = short_names([one.algorithm for one in shown])

    def draw(axes: Any) -> None:
        for row, one in enumerate(shown):
            last, chosen, best = (in_percent(s.mean) for s in (one.last, one.selected, one.best))
            there = [x for x in (last, chosen, best) if x is not None]
            axes.plot([min(there), max(there)], [row, row], color=FAINT, lw=1, alpha=0.5)
            first = row == 0
            for x, mark, colour, label in (
                (last, "s", PAPER, "last"),
                (chosen, "o", SERIES[0], f"selected by {one.criterion}"),
                (best, "|", INK, "best (oracle)"),
            ):
                if x is not None:
                    edge = {} if mark == "|" else {"mec": INK, "mew": 0.8}
                    axes.plot(
                        x,
                        row,
                        mark,
                        color=colour,
                        ms=9 if mark == "|" else 5,
                        ls="",
                        label=label if first else None,
                        **edge,
                    )
        axes.set_yticks(range(len(shown)), list(names.values()))
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlabel("mean test accuracy (%)")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)
        axes.figure.legend(loc="outside lower center", ncols=3, frameon=False)

    lost = "; ".join(f"{one.algorithm} {percent(one.lost.mean, 1)}" for one in shown)
    about = f"Points between the best and the selected record: {lost or 'none'}."
    return draw_svg(draw, f"{dataset}: best, selected and last record", about, rows=len(shown) + 1)
