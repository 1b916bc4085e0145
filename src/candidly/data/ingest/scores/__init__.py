"""Scores of models on items, in tables and in logs of programs that evaluate models."""

from ._checked import CheckedRead, read_checked
from ._places import in_order_of, read_other, read_scores
from ._table import ScoreColumns, ScoreTable
from ._wins import read_wins

__all__ = [
    "CheckedRead",
    "ScoreColumns",
    "ScoreTable",
    "in_order_of",
    "read_checked",
    "read_other",
    "read_scores",
    "read_wins",
]
