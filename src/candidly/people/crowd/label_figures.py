"""Figures of a data set's labels: classes by how often they are named, noise, sizes of sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...show.figures import FAINT, INK, SERIES, STROKES, draw_svg
from ...show.words import short_names

if TYPE_CHECKING:
    from .answer_sets import SetCurve

WIDE = 5.4  # inches


def named_figure(counts: Mapping[str, int], title: str, label: str) -> str:
    """A bar for each class, as long as it is named often; SVG text.

    Args:
        counts: by class, in the order of the bars.
        title, label: of the figure, and of its axis.
    """
    short = short_names(list(counts))
    numbers = list(counts.values())

    def draw(axes: Any) -> None:
        places = range(len(numbers))
        drawn = axes.barh(places, numbers, height=0.62, color=SERIES[0])
        axes.bar_label(drawn, [f"{number:,}" for number in numbers], padding=4, color=INK)
        axes.set_yticks(places, list(short.values()))
        axes.set_ylim(len(numbers) - 0.4, -0.6)
        axes.margins(x=0.18)
        axes.set_xlim(left=0)
        axes.set_xlabel(label)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.get_major_locator().set_params(nbins=4, integer=True)
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)

    about = ", ".join(f"{name} {number:,}" for name, number in counts.items())
    return draw_svg(draw, title, f"{label}: {about}.", rows=len(numbers))


def sizes_figure(counts: Sequence[int], title: str) -> str:
    """How many candidate sets have 0, 1, 2, ... labels, as bars; SVG text."""
    sizes = range(next(k for k, count in enumerate(counts) if count), len(counts))

    def draw(axes: Any) -> None:
        heights = [counts[size] for size in sizes]
        drawn = axes.bar(sizes, heights, width=0.7, color=SERIES[0])
        if len(heights) <= 12:
            axes.bar_label(
                drawn, [f"{height:,}" for height in heights], padding=2, color=INK, fontsize=8
            )
        axes.set_xlabel("labels in a candidate set")
        axes.set_ylabel("examples")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="y", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.margins(y=0.12)
        if len(heights) <= 12:
            axes.set_xticks(sizes)

    about = ", ".join(f"{counts[size]:,} of {size}" for size in sizes if counts[size])
    return draw_svg(draw, title, f"Candidate sets by their number of labels: {about}.")


def noise_figure(curve: SetCurve, spread: np.ndarray, title: str) -> str:
    """Noise of candidate sets against the number of annotators; SVG text.

    Lines are means over all orders of the answers. The band spans two standard deviations of one
    random order around the line of unions.

    Args:
        curve: what ``crowd.set_curve`` gives, with the numbers of annotators that are shown.
        spread: float (K,), of ``crowd.union_spread``.
    """
    k = curve.annotators
    union, vaguest, twice = (
        100 * values for values in (curve.union_noise, curve.vaguest_noise, 2 * spread)
    )

    def draw(axes: Any) -> None:
        marks = {"marker": "o", "ms": 4} if len(k) <= 15 else {}
        axes.fill_between(
            k, np.maximum(union - twice, 0), union + twice, color=SERIES[0], alpha=0.2, linewidth=0
        )
        axes.plot(k, union, color=SERIES[0], lw=1.7, label="union", **marks)
        axes.plot(k, vaguest, ls=STROKES[1], color=SERIES[1], lw=1.7, label="vaguest", **marks)
        axes.set_xlabel("annotators of each example")
        axes.set_ylabel("sets without the true label (%)")
        axes.set_ylim(bottom=0)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        axes.legend(frameon=False)

    ends = "; ".join(
        f"{name}: {values[0]:.2f} % with {k[0]}, {values[-1]:.2f} % with {k[-1]}"
        for name, values in (("union", union), ("vaguest", vaguest))
    )
    return draw_svg(draw, title, f"{ends} annotators an example.")
