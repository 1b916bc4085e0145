"""The figures of docs/studies/texts.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from candidly.show.figures import FAINT, SERIES, STROKES, draw_svg
from studies.kit.cells import percent
from studies.kit.figures import alone
from studies.kit.rows import Rows

from .losses import WIDTH
from .numbers import called

NAMED = (  # points that have their name beside them
    *("dividemix", "volminnet", "nce+rce", "t-revision", "jocor"),
    *("elr+", "elr", "mixup", "sr", "f-div", "cores2", "seal", "sgd-ema", "cnlcu-hard"),
)
LOWEST, HIGHEST = -4.0, (4.5, 1.5)  # of the points that are drawn


def curves(panels: Mapping[str, Rows], names: Sequence[str]) -> str:
    """Test accuracy by epoch, a panel for each noise."""

    def draw(axes: Any) -> None:
        axes.set_axis_off()
        first = None
        grid = axes.get_subplotspec().subgridspec(1, len(panels))
        for place, (panel, rows) in zip(grid, panels.items()):
            one = axes.figure.add_subplot(place, sharey=first)
            first = first or one
            for number, name in enumerate(names):
                curve = [100 * value for value in rows[name].curve]
                colour, stroke = SERIES[number % len(SERIES)], STROKES[number // len(SERIES)]
                epochs = range(1, len(curve) + 1)
                one.plot(epochs, curve, color=colour, ls=stroke, lw=1.5, label=name)
            one.set_title(panel, fontsize=9)
            one.set_xlabel("epoch")
            one.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        first.set_ylabel("test accuracy in percent")
        handles, words = first.get_legend_handles_labels()
        axes.figure.legend(handles, words, loc="outside lower center", ncols=4, frameon=False)

    told = "; ".join(
        f"{panel}: " + ", ".join(f"{n} {percent(rows[n].last)}" for n in names)
        for panel, rows in panels.items()
    )
    about = f"After the last epoch, in percent: {told}."
    return alone(draw_svg(draw, "Test accuracy by epoch", about, rows=14, width=9))


def distributions(found: Sequence[Mapping[str, Any]]) -> str:
    """How losses of right and wrong rows lie, a row of panels for each noise."""

    def draw(axes: Any) -> None:
        axes.set_axis_off()
        kinds = list(dict.fromkeys((one["kind"], one["percent"]) for one in found))
        epochs = list(dict.fromkeys(one["epoch"] for one in found))
        grid = axes.get_subplotspec().subgridspec(len(kinds), len(epochs), hspace=0.35)
        for one in found:
            at = kinds.index((one["kind"], one["percent"])), epochs.index(one["epoch"])
            panel = axes.figure.add_subplot(grid[at])
            for number, which in enumerate(("right", "wrong")):
                counts = np.array(one[which])
                ends = WIDTH * np.arange(len(counts) + 1)
                values = counts / counts.sum() / WIDTH
                panel.stairs(values, ends, color=SERIES[number], lw=1.5, label=f"{which} rows")
            panel.set_xlim(0, 7)
            panel.set_yticks([])
            panel.set_title(f"epoch {one['epoch']}: {one['area']:.2f}", fontsize=9)
            if at[1] == 0:
                panel.set_ylabel(called((one["kind"], one["percent"])))
            if at[0] == len(kinds) - 1:
                panel.set_xlabel("loss in nats")
        handles, words = panel.get_legend_handles_labels()
        axes.figure.legend(handles, words, loc="outside lower center", ncols=2, frameon=False)

    told = "; ".join(
        f"{called((one['kind'], one['percent']))}, epoch {one['epoch']}: {one['area']:.2f}"
        for one in found
    )
    about = f"Area under the ROC curve of the loss as a sign of a wrong row: {told}."
    return alone(draw_svg(draw, "Losses of right and wrong rows", about, rows=16, width=9))


def beside(real: Mapping[str, float], made: Mapping[str, float]) -> str:
    """Each algorithm's gain over cross-entropy under one noise beside that under another.

    Args:
        real, made: gains in points, by algorithm.
    """
    there = sorted(((made[n], real[n], n) for n in made if n in real), reverse=True)

    def draw(axes: Any) -> None:
        axes.axhline(0, color=FAINT, lw=0.8)
        axes.axvline(0, color=FAINT, lw=0.8)
        for x, y, name in there:
            if min(x, y) >= LOWEST:
                axes.plot(x, y, "o", color=SERIES[0], ms=4)
                if name in NAMED:
                    axes.annotate(name, (x, y), (4, 3), textcoords="offset points", fontsize=7)
        axes.set_xlim(LOWEST, HIGHEST[0])
        axes.set_ylim(-2.5, HIGHEST[1])
        axes.set_xlabel("points gained over cross-entropy under 40 % symmetric labels")
        axes.set_ylabel("under 40 % replaced inputs")

    told = "; ".join(f"{name} {x:+.1f} and {y:+.1f}" for x, y, name in there)
    about = f"Points gained under symmetric labels and under replaced inputs: {told}."
    return alone(draw_svg(draw, "Gains under two noises", about, rows=16, width=8))
