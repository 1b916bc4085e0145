"""Where errors go: ways to move labels off their class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

EVENLY, OUT_OF, INTO, PAIR = "evenly", "out of", "into", "pair"


class Move(NamedTuple):
    """A share of labels that is moved.

    Attributes:
        kind: ``evenly``: of every class to all others; ``out of``: of one class to all others;
            ``into``: of all others to one; ``pair``: of one to one.
        a: the class; of a pair the true one.
        b: of a pair the given one.
    """

    kind: str
    a: int = -1
    b: int = -1


def matrix(moves: Sequence[Move], shares: np.ndarray, q: int) -> np.ndarray:
    """P(given | true), float64 (q, q) as [true, given], with these shares of each move."""
    off = np.zeros((q, q))
    for move, share in zip(moves, shares):
        kind, a, b = move
        if kind == EVENLY:
            off += share / (q - 1)
        elif kind == OUT_OF:
            off[a] += share / (q - 1)
        elif kind == INTO:
            off[:, a] += share
        else:
            off[a, b] += share
    np.fill_diagonal(off, 0)
    np.fill_diagonal(off, 1 - off.sum(1))
    return off


def slopes(moves: Sequence[Move], by: np.ndarray) -> np.ndarray:
    """Derivatives by the moves' shares, from those by the entries of the matrix."""
    q = len(by)
    diagonal = np.diag(by)
    found = np.empty(len(moves))
    for i, (kind, a, b) in enumerate(moves):
        if kind == EVENLY:
            found[i] = (by.sum() - diagonal.sum()) / (q - 1) - diagonal.sum()
        elif kind == OUT_OF:
            found[i] = (by[a].sum() - by[a, a]) / (q - 1) - by[a, a]
        elif kind == INTO:
            found[i] = (by[:, a].sum() - by[a, a]) - (diagonal.sum() - by[a, a])
        else:
            found[i] = by[a, b] - by[a, a]
    return found


def share_moved(move: Move, prior: np.ndarray) -> float:
    """How much of all labels a whole move takes, where classes are as frequent as ``prior``."""
    if move.kind == EVENLY:
        return 1.0
    if move.kind == INTO:
        return float(1 - prior[move.a])
    return float(prior[move.a])
