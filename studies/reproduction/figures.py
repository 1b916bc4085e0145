"""The figures of docs/studies/reproduction.md, as SVG files that stand on their own.

Drawn as the report's are (candidly.show.figures), on white paper, because a picture in a page of
a repository cannot take the page's colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from candidly.show.figures import FAINT, INK, PAPER, SERIES, draw_svg
from candidly.stats import Summary
from studies.kit.figures import alone

from .numbers import CRITERIA, LIMIT, Comparison


def agreement(compared: Sequence[Comparison], title: str) -> str:
    """Ours minus published, a row per algorithm and a point per criterion.

    A bar is one combined standard error to each side; a point is filled where the numbers disagree.
    (Drawn against each other, most of the points of a table would lie on one another.)
    """
    names = list(dict.fromkeys(c.algorithm for c in compared))

    def draw(axes: Any) -> None:
        axes.axvline(0, color=INK, linewidth=0.8)
        styles = zip(CRITERIA, SERIES, "osD^", (-0.3, -0.1, 0.1, 0.3))
        for criterion, colour, marker, offset in styles:
            for c in (c for c in compared if c.criterion == criterion):
                axes.errorbar(
                    100 * c.difference,
                    names.index(c.algorithm) + offset,
                    xerr=100 * c.combined,
                    fmt=marker,
                    color=colour,
                    ms=4,
                    mfc=PAPER if c.agrees else colour,
                    elinewidth=0.9,
                )
            axes.plot([], [], marker, color=colour, mfc=PAPER, ms=4, label=criterion)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlabel("ours − published, points of test accuracy")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.hlines(
            [row + 0.5 for row in range(len(names) - 1)],
            0,
            1,
            transform=axes.get_yaxis_transform(),
            color=FAINT,
            linewidth=0.5,
            alpha=0.3,
        )
        axes.tick_params(axis="y", length=0)
        axes.figure.legend(loc="outside lower center", ncols=4, frameon=False, handletextpad=0.2)

    far = [f"{c.algorithm} {c.criterion} {c.away:+.1f}" for c in compared if not c.agrees]
    about = f"Further than {LIMIT} combined standard errors from zero: {', '.join(far) or 'none'}."
    return alone(draw_svg(draw, title, about, rows=1 + round(1.7 * len(names))))


def pairs(
    tuned: Mapping[str, Summary], trained: Mapping[str, Summary], title: str, words: tuple[str, str]
) -> str:
    """Two bars per algorithm, each with its standard error."""
    names = sorted(trained, key=lambda name: -(trained[name].mean or 0))

    def draw(axes: Any) -> None:
        for offset, several, colour, word in zip(
            (-0.19, 0.19), (tuned, trained), (SERIES[5], SERIES[0]), words
        ):
            axes.barh(
                [row + offset for row in range(len(names))],
                [100 * (several[name].mean or 0) for name in names],
                height=0.36,
                color=colour,
                label=word,
                xerr=[100 * (several[name].standard_error or 0) for name in names],
                error_kw={"ecolor": INK, "elinewidth": 0.9},
            )
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlabel("test accuracy (%)")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)
        axes.figure.legend(loc="outside lower center", ncols=1, frameon=False)

    numbers = "; ".join(
        f"{name} {100 * (tuned[name].mean or 0):.1f} and {100 * (trained[name].mean or 0):.1f}"
        for name in names
    )
    about = f"Mean test accuracy in percent, {words[0]} and {words[1]}: {numbers}."
    return alone(draw_svg(draw, title, about, rows=len(names) + 3))
