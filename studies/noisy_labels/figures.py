"""The figure of the page: losses of right and wrong labels, a panel for each kind of labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from candidly.show.figures import FAINT, SERIES, draw_svg
from studies.kit.figures import alone

COLUMNS = 4


def losses(
    panels: Mapping[str, tuple[np.ndarray, np.ndarray, float]], edges: np.ndarray, title: str
) -> str:
    """Histograms of shares, one over the other.

    Args:
        panels: by the name of the labels: counts of right and of wrong ones (bins,), and the AUROC.
        edges: of the bins, (bins + 1,).
    """

    def draw(axes: Any) -> None:
        axes.set_axis_off()
        grid = axes.get_subplotspec().subgridspec(-(-len(panels) // COLUMNS), COLUMNS)
        for place, (name, (right, wrong, auroc)) in zip(grid, panels.items()):
            panel = axes.figure.add_subplot(place)
            for counts, colour, word in ((right, SERIES[0], "right"), (wrong, SERIES[1], "wrong")):
                share = counts / max(counts.sum(), 1)
                panel.stairs(share, edges, fill=True, color=colour, alpha=0.45, label=word)
                panel.stairs(share, edges, color=colour, linewidth=1.2)
            panel.set_title(f"{name}\nAUROC {auroc:.2f}", fontsize=9)
            panel.set_yticks([])
            panel.spines["left"].set_visible(False)
            panel.spines["bottom"].set_color(FAINT)
            panel.set_xlim(edges[0], edges[-1])
        handles, words = panel.get_legend_handles_labels()
        axes.figure.legend(handles, words, loc="outside lower center", ncols=2, frameon=False)
        axes.figure.supxlabel("loss on the given label, in nats", fontsize=9)

    numbers = "; ".join(f"{name} {auroc:.2f}" for name, (_, _, auroc) in panels.items())
    about = f"Distributions of the loss of right and of wrong labels. AUROC: {numbers}."
    rows = 7 * -(-len(panels) // COLUMNS)
    return alone(draw_svg(draw, title, about, rows=rows, width=8.0))
