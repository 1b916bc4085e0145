"""Figures as files, and ranks beside ranks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from candidly.show.figures import FAINT, INK, SERIES, draw_svg


def alone(svg: str) -> str:
    """An SVG element as a file: with a size, plain colours and white paper."""
    svg = re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", svg).replace("currentColor", "#000")
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
    svg = svg.replace("<svg", f'<svg width="{width}pt" height="{height}pt"', 1)
    paper = f'<rect width="{width}" height="{height}" fill="#fff"/>'
    return svg.replace("</desc>", f"</desc>{paper}", 1) + "\n"


def slopes(
    ranks: tuple[Mapping[str, float], Mapping[str, float]],
    words: tuple[str, str],
    moved: Sequence[str],
    means: Mapping[str, tuple[float, float]],
    title: str,
) -> str:
    """Ranks on the left and on the right, as ``words`` call the sides, a line per name.

    Lines that have ``moved`` are coloured. Names with equal means share a rank and stand below each
    other.
    """
    left, right = map(_places, ranks)

    def draw(axes: Any) -> None:
        colours = dict(zip(moved, SERIES * len(moved)))
        for name in left:
            ends = (left[name], right[name])
            strong = name in colours
            axes.plot(
                (0, 1),
                ends,
                "o-",
                color=colours.get(name, FAINT),
                linewidth=2 if strong else 1,
                alpha=1 if strong else 0.6,
                ms=3.5,
            )
            for side, align, value in ((0, "right", means[name][0]), (1, "left", means[name][1])):
                shown = f"{name}  {100 * value:.1f}" if side == 0 else f"{100 * value:.1f}  {name}"
                x = -0.05 if side == 0 else 1.05
                axes.text(x, ends[side], shown, ha=align, va="center", color=INK)
        for x, word in enumerate(words):
            axes.text(x, -0.9, word, ha="center", va="center", weight="bold", color=INK)
        axes.set(xlim=(-0.9, 1.9), ylim=(len(left) - 0.5, -1.3))
        axes.set_axis_off()

    numbers = "; ".join(f"{name} {ranks[0][name]:g} to {ranks[1][name]:g}" for name in left)
    return alone(draw_svg(draw, title, f"Ranks: {numbers}.", rows=len(left)))


def _places(ranks: Mapping[str, float]) -> dict[str, int]:
    """A row of its own for each name, in the order of the ranks."""
    return {name: place for place, name in enumerate(sorted(ranks, key=lambda n: ranks[n]))}
