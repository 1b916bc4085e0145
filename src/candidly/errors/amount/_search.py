"""Which errors there are: moves are added while the likelihood is worth it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._likelihood import Fit, Likelihood, Spread
from ._moves import EVENLY, INTO, OUT_OF, PAIR, Move
from ._softmax import compiled, room, softmax

EVEN = Move(EVENLY)
TRIED = 1  # moves that are fitted before one is added
FAILURES = 2  # additions in a row that are not worth it
MOST_MOVES = 24
FEWEST = 1e-9  # information below which a score says nothing


@dataclass(frozen=True)
class Searched:
    """What the search ended with.

    Attributes:
        none: no errors.
        even: errors that strike every class alike.
        best: what is worth its parameters.
        spread: how far labels lie from their probabilities, beside what chance has.
    """

    none: Fit
    even: Fit
    best: Fit
    spread: Spread


def search(likelihood: Likelihood) -> Searched:
    """None, even errors, or these and others, by a criterion of information.

    A first move costs log n, another log n + 2 log(how many there are to choose from): BIC,
    extended by how many were looked at (Chen & Chen, Biometrika 2008). Where labels are spread
    about their probabilities c times as far as chance has it, so are gains: then they cost c times
    as much (quasi-likelihood, as QAIC of Lebreton et al., 1992).
    """
    n, q = likelihood.rows.total, likelihood.rows.q
    none = likelihood.fit(())
    even = likelihood.fit((EVEN,), none)
    further = np.log(n) + (2 * np.log(2 * q + q * (q - 1)) if q > 2 else 0.0)

    def score(fit: Fit, spread: float = 1.0) -> float:
        evenly = EVEN in fit.moves
        price = np.log(n) * evenly + further * (len(fit.moves) - evenly)
        return -2 * fit.loglik + spread * price

    seen = [none, even]
    best = min(seen, key=score)
    if q == 2:
        first, second = Move(PAIR, 0, 1), Move(PAIR, 1, 0)
        for moves in ((first,), (second,), (EVEN, first), (EVEN, second)):
            seen += [likelihood.fit(moves, start) for start in (None, even)]
        best = min(seen, key=score)
    now, failures = best, 0
    while q > 2 and failures < FAILURES and len(now.moves) < min(2 * q, MOST_MOVES):
        promising = _promising(likelihood, now)
        tried = [likelihood.fit((*now.moves, move), now) for move in promising]
        now = max(tried, key=lambda fit: fit.loglik)
        failures = failures + 1 if score(now) >= score(best) else 0
        seen.append(now)
        best = min(best, now, key=score)
    if best.moves and EVEN not in best.moves:
        seen.append(likelihood.fit((EVEN, *best.moves), None))
        best = min(best, seen[-1], key=score)
    spread = likelihood.spread(best)
    best = min(seen, key=lambda fit: score(fit, spread.factor))
    return Searched(none, even, best, spread)


def _choice(number: int, q: int) -> Move:
    """One of the moves beside the even one: out of each class, into each, and of every pair."""
    kind, a = divmod(number, q)
    if kind < 2:
        return Move((OUT_OF, INTO)[kind], a)
    a, b = divmod(number - 2 * q, q - 1)
    return Move(PAIR, a, b + (b >= a))


def _promising(likelihood: Likelihood, fit: Fit) -> list[Move]:
    """The moves whose score test is largest: slope by their share over its standard deviation."""
    rows, q = likelihood.rows, likelihood.rows.q
    transition = 0.99 * fit.transition + 0.01 / q
    by, squares = np.zeros((q, q)), np.zeros((q, q))
    into, into_squares = np.zeros(q), np.zeros(q)
    _scores(
        *(rows.logs, rows.given, rows.weights, fit.t, fit.b),
        *(np.ascontiguousarray(transition.T), *room(q), by, squares, into, into_squares),
    )
    by, squares = by.T, squares.T  # as [true, given]
    diagonal, own = np.diag(by), np.diag(squares)
    others, more = by.sum(1) - diagonal, squares.sum(1) - own
    out = others / (q - 1) - diagonal
    slopes = np.concatenate([out, into, _off(by - diagonal[:, None])])
    spread = np.concatenate([more / (q - 1) ** 2 + own, into_squares, _off(squares + own[:, None])])
    strength = slopes / np.sqrt(np.maximum(spread, FEWEST))
    there = set(fit.moves)
    order = np.argsort(-strength, kind="stable")[: TRIED + len(there)]
    return [move for i in order.tolist() if (move := _choice(i, q)) not in there][:TRIED]


def _off(matrix: np.ndarray) -> np.ndarray:
    """What is off the diagonal, row by row."""
    return matrix[~np.eye(len(matrix), dtype=bool)]


@compiled
def _scores(logs, given, weights, t, b, likely, h, bits, powers, by, squares, into, into_squares):
    """Slopes of the log-likelihood by the entries of T, [given, true], and their squares' sums.

    Of moves into one class, whose slope in a row takes all true classes together: ``into`` and
    ``into_squares``, float64 (q,).
    """
    n, q = logs.shape
    kept, kept_squares = 0.0, 0.0
    for i in range(n):
        s, w = given[i], weights[i]
        if w == 0:
            continue
        for k in range(q):
            h[k] = t * logs[i, k] + b[k]
        softmax(h, bits, powers)
        m = 0.0
        for k in range(q):
            m += h[k] * likely[s, k]
        m = max(m, 1e-9)
        for k in range(q):
            r = h[k] / m
            by[s, k] += w * r
            squares[s, k] += w * r * r
        own, every = h[s] / m, 1 / m
        kept += w * own
        kept_squares += w * own * own
        into[s] += w * every  # all that are of other classes gain, and all other rows lose
        into_squares[s] += w * ((every - own) * (every - own) - own * own)
    for s in range(q):
        into[s] -= kept
        into_squares[s] += kept_squares
