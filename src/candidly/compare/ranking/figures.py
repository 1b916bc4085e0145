"""Figures of a ranking: scores with their intervals, and the places that tests leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...show.intervals import ForestPoint, ForestRow, forest_plot

if TYPE_CHECKING:
    from . import Ranking

SHOWN = 40  # models that a figure has


def score_figure(found: Ranking) -> str:
    """Every model's score with its own interval, the best first; SVG text.

    Args:
        found: from ``ranking.rank``. Beyond the first 40 models a figure would not be read.
    """
    scale = _scale(found)
    rows = [
        ForestRow(one.model, [ForestPoint(*(scale * v for v in (one.score, one.low, one.high)))])
        for one in found.models[:SHOWN]
    ]
    return forest_plot(rows, "Scores of the models", _label(found), digits=2)


def place_figure(found: Ranking) -> str:
    """The places that each model may have, the best first; SVG text.

    A model with a short bar is settled; models whose bars overlap may be in another order.

    Args:
        found: from ``ranking.rank``.
    """
    rows = [
        ForestRow(one.model, [ForestPoint(one.rank, *one.possible)]) for one in found.models[:SHOWN]
    ]
    return forest_plot(rows, "Possible places of the models", "possible places", digits=0)


def _scale(found: Ranking) -> float:
    """Scores between 0 and 1 are shown in percent."""
    return 100.0 if found.between == (0.0, 1.0) else 1.0


def _label(found: Ranking) -> str:
    if found.kind == "wins":
        return "strength (log-odds)"
    return "score (%)" if _scale(found) == 100 else "score"
