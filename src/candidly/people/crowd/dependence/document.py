"""What annotators share, as a section of a page: what is claimed, and who errs with whom."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....show.figures import FAINT, INK, SERIES, draw_svg
from ....show.heat import heat_table
from ....show.pieces import Figure, Figures, Folded, Paragraph, Piece, Section
from ._pool import OpinionPool
from ._shared_errors import SharedErrors
from .summary import pairs_grid, repeating, sharing, what_would_tell

FEW = 20  # annotators up to which there is a map of pairs
LISTED = 100  # pairs in the table
DEEPEST = 10.0  # times the expected number at which the colour is deepest


def sentence(text: str) -> str:
    """A line as a sentence of a page."""
    return f"{text[0].upper()}{text[1:]}."


def shared_section(pool: OpinionPool) -> Section:
    """The section: sentences, a figure of the claim, a map of pairs, the table."""
    shared = pool.shared
    pieces: list[Piece] = [Paragraph(sentence(sharing(pool)))]
    if shared.voices:
        pieces.append(Paragraph(sentence(repeating(shared))))
    pieces.append(Paragraph(sentence(what_would_tell(pool))))
    title = "Labels said to be right, by what is taken for granted"
    below = (
        "The claim, between its ends, and the three parts that are averaged. Single answers: as if "
        "all answers about an item but one were repetitions. At the upper end every answer is new "
        "evidence."
    )
    if pool.compared:
        pieces.append(Figures([Figure(title, below, lambda: claim_figure(pool, title))]))
    number = len(shared.pairs.first)
    if 1 < len(shared.annotators) <= FEW and number:
        pieces.append(_map(shared))
    if number:
        grid = pairs_grid(shared, LISTED)
        pieces.append(Folded(f"{len(grid.rows):,} of {number:,} pairs", (grid,)))
    return Section("Errors that annotators share", tuple(pieces))


def claim_figure(pool: OpinionPool, title: str) -> str:
    """The claim between its ends, as SVG text."""
    right, low, high = (100 * value for value in pool.claim)
    there = pool.labels >= 0
    rows = [
        (name, 100 * float(one[there].max(1).mean()))
        for name, one in (
            ("single answers", pool.single),
            ("votes", pool.votes),
            ("product, weakened", pool.product),
        )
    ]
    rows = [*sorted(rows, key=lambda row: row[1]), ("what is claimed", right)]

    def draw(axes: Any) -> None:
        last = len(rows) - 1
        axes.plot([low, high], [last, last], color=FAINT, lw=3, zorder=1)
        for place, (_, value) in enumerate(rows):
            mark, colour = ("D", INK) if place == last else ("o", SERIES[0])
            axes.plot(value, place, mark, ms=6, color=colour)
        for place, (_, value) in enumerate(rows):
            axes.annotate(
                f"{value:.1f}", (value, place), (0, 7), textcoords="offset points",
                ha="center", fontsize=8, color=INK,
            )  # fmt: skip
        for value, aside, side in ((low, -6, "right"), (high, 6, "left")):
            axes.annotate(
                f"{value:.1f}", (value, last), (aside, 0), textcoords="offset points",
                ha=side, va="center", fontsize=8, color=INK,
            )  # fmt: skip
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(-0.6, last + 0.7)
        axes.set_xlabel("% of the labels that are said to be right")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.margins(x=0.12)

    about = "; ".join(f"{name} {value:.1f} %" for name, value in rows)
    about = f"{about}, between {low:.1f} and {high:.1f} %"
    return draw_svg(draw, title, f"{about}.", width=6.4)


def _map(shared: SharedErrors) -> Piece:
    """How many times the expected wrong answers each pair has in common; those alike are near."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    number = len(shared.annotators)
    pairs = shared.pairs
    times = np.full((number, number), np.nan)
    ratio = pairs.found / np.maximum(pairs.expected, 1e-12)
    times[pairs.first, pairs.second] = times[pairs.second, pairs.first] = ratio
    apart = 1 / (1 + np.nan_to_num(times, nan=1.0))
    np.fill_diagonal(apart, 0)
    order = np.arange(number)
    if number > 2:
        order = leaves_list(linkage(squareform(apart, checks=False), "average", True))
    times = times[np.ix_(order, order)]
    deep = np.clip(np.log(np.maximum(np.nan_to_num(times, nan=1.0), 1)) / np.log(DEEPEST), 0, 1)

    def cell(row: int, column: int) -> str:
        value = times[row, column]
        return "" if np.isnan(value) else f"{value:.1f}"

    names = [shared.annotators[j] for j in order.tolist()]
    caption = "Wrong answers in common, over the number if the two erred independently"
    return heat_table(caption, names, deep, cell)
