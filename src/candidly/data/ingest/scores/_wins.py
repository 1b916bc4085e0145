"""Comparisons of two models: which table has them, and what each says."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from ....ground.problem import Refusal
from .._columns import missing_column, read_columns, texts_of
from .._roles import Roles
from ..table_checks import listed
from ..unused import BESIDE, as_read, refuse_unused

COMPARED = (("first", "second"), ("model_a", "model_b"))  # the latter are Chatbot Arena's
WINNER = "winner"
TIES = ("tie", "tie (bothbad)")


def compared_in(columns: Collection[str]) -> tuple[str, str] | None:
    """The columns that name the two models, where these are of comparisons."""
    return next((pair for pair in COMPARED if {*pair, WINNER} <= {*columns}), None)


def read_wins(
    path: Path | str, roles: Roles | None = None, groups: str | None = None
) -> dict[str, Any]:
    """Comparisons of two models, as ``ranking.make_wins`` takes them.

    Args:
        path: a table with columns first, second and winner, or model_a, model_b and winner: names
            of two models, and the name of the better one, or of its column, or tie.
        roles: ``drop``, ``separator``, ``header`` and ``sheet``.
        groups: the column of what comparisons have in common, such as the question.

    Raises:
        FileNotFoundError, ValueError: a column that is not there, another winner; names the row.
    """
    path = Path(path)
    refuse_unused(roles, as_read(path, [role for role in BESIDE if role != "id"]))
    frame = read_columns(path, roles, ids=()).frame
    pair = compared_in(frame.columns) or COMPARED[0]
    for name in (*pair, WINNER):
        if name not in frame.columns:
            raise Refusal(
                f"{path} has no column {name!r}; comparisons have first, second and winner (or "
                f"model_a, model_b and winner), and its columns are {listed(frame.columns)}.",
                "rename them",
            )
    if groups is not None and groups not in frame.columns:
        raise ValueError(missing_column(path, frame.columns, groups, "groups"))
    first, second, winner = (texts_of(path, frame[name]) for name in (*pair, WINNER))
    won = np.full(len(first), np.nan)
    won[np.isin(winner, TIES)] = 0.5
    for said, value in ((pair[1], 0.0), (pair[0], 1.0), (second, 0.0), (first, 1.0)):
        won[winner == said] = value
    if np.isnan(won).any():
        row = int(np.flatnonzero(np.isnan(won))[0])
        raise ValueError(
            f"{path} has the winner {str(winner[row])!r} at row {row}; it is {str(first[row])!r}, "
            f"{str(second[row])!r}, {pair[0]}, {pair[1]} or tie."
        )
    shared = None if groups is None else texts_of(path, frame[groups])
    return {"first": first, "second": second, "won": won, "groups": shared}
