"""Two sets with the same rows, labels and probabilities: in one every label is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from candidly.show.figures import SERIES, draw_svg


def two_sets() -> str:
    """The figure of docs/wrong-labels.md, as SVG."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    chance = 1 / (1 + np.exp(-2 * x))
    labels = rng.random(300) < chance
    height = rng.random(300)

    def draw(axes: Any) -> None:
        for story, offset in ((0, 0.0), (1, 9.0)):
            wrong = (labels != (x > 0)) & (story == 1)
            for label in (False, True):
                some = (labels == label) & ~wrong
                colour = SERIES[int(label)]
                axes.plot(x[some] + offset, height[some], ".", color=colour, markersize=4)
                bad = (labels == label) & wrong
                axes.plot(x[bad] + offset, height[bad], "x", color=colour, markersize=6)
            share = wrong.mean()
            told = "no label is wrong" if not story else f"{share:.0%} of the labels are wrong (x)"
            axes.text(offset, 1.06, told, ha="center")
        axes.plot([9, 9], [0, 1], "--", color="#010203", linewidth=0.8)
        axes.set_ylim(-0.02, 1.15)
        axes.set_yticks([])
        axes.set_xticks([0, 9], ["classes overlap", "people err near the border"])

    about = (
        "The same 300 points with the same two labels, twice. Left, classes overlap and every "
        "label is right. Right, the class changes at a border, and labels beyond it are wrong."
    )
    return draw_svg(draw, "Two sets that look the same", about, width=7.0)
