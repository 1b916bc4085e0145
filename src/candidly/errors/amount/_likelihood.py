"""The likelihood of given labels under errors, as the labels and probabilities have it.

A row's true class is k with probability h_k = softmax(t log p + b)_k, and its label s with
probability T[k, s] then. What is maximised is Σ_i w_i log Σ_k h_ik T[k, s_i].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.stats import chi2

from ._moves import Move, matrix, share_moved, slopes
from ._softmax import compiled, room, softmax

LEAST = 1e-12  # probability of a label, below which its logarithm is cut
SHIFT = 0.01  # a shift costs that times its square: without it, a class nobody has shifts for ever
STAYS = 0.3  # least share of a class that keeps its label, or the classes' names could be swapped
STAYS_OF_TWO = 0.52
BEYOND = 1e4  # what falling short of that costs, times its square
LOG_T = (-3.0, 4.6)  # bounds of log t
SHIFTS = (-4.0, 4.0)
MOST = 0.9  # of a move
STEPS = 200
CAUTION = 1.5  # chosen on made-up sets: classifiers miss more than the test below sees
TESTED = 1_000_000  # entries that the test of fit takes
EDGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)  # quantiles
MAKE = 0.02  # a move that has not been fitted yet starts there


@dataclass(frozen=True)
class Rows:
    """What the likelihood is of.

    Attributes:
        logs: float (n, q), log-probabilities.
        given: int64 (n,).
        weights: float64 (n,), how often each row counts.
    """

    logs: np.ndarray
    given: np.ndarray
    weights: np.ndarray

    @property
    def q(self) -> int:
        return self.logs.shape[1]

    @property
    def total(self) -> float:
        """What the weights add up to."""
        return float(self.weights.sum())


@dataclass(frozen=True)
class Fit:
    """A maximum.

    Attributes:
        moves: where errors go.
        moved: float64 (moves,), how much of a class each takes, at least 0.
        t: what log-probabilities are multiplied by.
        b: float64 (q,), what is added to them.
        loglik: at the maximum, the shifts' cost taken off.
        transition: float64 (q, q), T.
        wrong: the share of labels that is moved, where classes are as frequent as was told.
    """

    moves: tuple[Move, ...]
    moved: np.ndarray
    t: float
    b: np.ndarray
    loglik: float
    transition: np.ndarray
    wrong: float


@compiled
def evaluate(logs, given, weights, t, b, likely, h, bits, powers, slope_b, slope_likely, sums):
    """One look at all rows.

    Args:
        logs, given, weights: see ``Rows``.
        likely: float64 (q, q), [s, k]: the probability of label s where k is true.
        h, bits, powers: see ``room``.
        slope_b: out, float64 (q,), the derivative by b; zeros before.
        slope_likely: out, float64 (q, q), by ``likely``; zeros before. None with shape (0, 0).
        sums: out, float64 (2,): the log-likelihood and its derivative by t.
    """
    n, q = logs.shape
    total, by_t = 0.0, 0.0
    moved = slope_likely.shape[0] > 0
    for i in range(n):
        s, w = given[i], weights[i]
        if w == 0:
            continue
        for k in range(q):
            h[k] = t * logs[i, k] + b[k]
        softmax(h, bits, powers)
        m = 0.0
        row = likely[s]
        for k in range(q):
            m += h[k] * row[k]
        m = max(m, 1e-12)
        total += w * np.log(m)
        slope = 0.0
        for k in range(q):
            z = h[k] * (row[k] / m - 1.0)  # the posterior less the prior
            slope_b[k] += w * z
            slope += z * logs[i, k]
        by_t += w * slope
        if moved:
            out = slope_likely[s]
            for k in range(q):
                out[k] += w * h[k] / m
    sums[0], sums[1] = total, by_t


@compiled
def look(logs, given, weights, t, b, likely, h, bits, powers, chance, right, mass):
    """Each row's chance that its label is wrong, given the label, and the true classes' shares.

    Args:
        h, bits, powers: see ``room``.
        chance: out, float64 (n,).
        right: out, float64 (n,), the chance that the likeliest class by ``logs`` is the true one.
        mass: out, float64 (q,), weights by true class before the label is seen; zeros before.
    """
    n, q = logs.shape
    for i in range(n):
        s = given[i]
        for k in range(q):
            h[k] = t * logs[i, k] + b[k]
        softmax(h, bits, powers)
        m, first = 0.0, 0
        for k in range(q):
            m += h[k] * likely[s, k]
            mass[k] += weights[i] * h[k]
            if logs[i, k] > logs[i, first]:
                first = k
        right[i] = h[first] * likely[s, first] / max(m, 1e-300)
        chance[i] = min(max(1.0 - h[s] * likely[s, s] / max(m, 1e-300), 0.0), 1.0)


@dataclass(frozen=True)
class Spread:
    """How far labels lie from their probabilities.

    Attributes:
        factor: the variance beside what chance has, at least 1, times ``CAUTION``.
        p_value: of a test that chance is all.
    """

    factor: float
    p_value: float


@dataclass
class Likelihood:
    """Maximises; ``evaluations`` counts the looks at all rows."""

    rows: Rows
    evaluations: int = 0

    def __post_init__(self) -> None:
        rows = self.rows
        q = rows.q
        self._room = room(q)
        self._counts = np.bincount(rows.given, rows.weights, q)
        # a step of 1 in each direction should change the likelihood by about 1
        self._unit_b = 1 / np.sqrt(np.maximum(self._counts * (1 - self._counts / rows.total), 1))
        self._unit_t = 1 / np.sqrt(rows.total)

    def fit(
        self,
        moves: tuple[Move, ...],
        start: Fit | None = None,
        *,
        tilt: float = 0.0,
        shares: np.ndarray | None = None,
        steps: int = STEPS,
    ) -> Fit:
        """The maximum with these moves.

        Args:
            start: where to begin; its moves come first.
            tilt: the log-likelihood is raised by that for each row that is expected to be wrong.
            shares: float64 (q,), of the true classes, for that; by default of the labels.
            steps: of the search at most.
        """
        rows, q = self.rows, self.rows.q
        prior = self._counts / rows.total if shares is None else shares
        worth = np.array([share_moved(move, prior) for move in moves])
        free = len(moves)
        unit_w = 1 / np.sqrt(rows.total)
        units = np.concatenate([[self._unit_t], self._unit_b, np.full(free, unit_w)])
        least = STAYS_OF_TWO if q == 2 else STAYS

        def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
            v = x * units
            t, b = float(np.exp(v[0])), v[1 : 1 + q]
            parts = v[1 + q :]
            transition = matrix(moves, parts, q)
            slope_b = np.zeros(q)
            slope_likely = np.zeros((q, q) if free else (0, 0))
            sums = np.empty(2)
            likely = np.ascontiguousarray(transition.T)
            evaluate(
                *(rows.logs, rows.given, rows.weights, t, b, likely),
                *(*self._room, slope_b, slope_likely, sums),
            )
            self.evaluations += 1
            value = sums[0] - SHIFT * float(b @ b)
            slope = np.concatenate([[t * sums[1]], slope_b - 2 * SHIFT * b, np.zeros(free)])
            short = np.maximum(least - np.diag(transition), 0)
            value -= BEYOND * float(short @ short)
            if free:
                by = slope_likely.T
                by[np.diag_indices(q)] += 2 * BEYOND * short
                slope[1 + q :] = slopes(moves, by) + tilt * rows.total * worth
                value += tilt * rows.total * float(worth @ parts)
            return -value, -slope * units

        v = np.zeros(1 + q + free)
        v[0] = 0.2
        v[1 + q :] = MAKE
        if start is not None:
            v[0], v[1 : 1 + q] = np.log(start.t), start.b
            known = min(free, len(start.moved))
            v[1 + q : 1 + q + known] = start.moved[:known]
        bounds = [LOG_T, *[SHIFTS] * q, *[(0.0, MOST)] * free]
        scaled = [(low / unit, high / unit) for (low, high), unit in zip(bounds, units)]
        found = minimize(
            loss,
            v / units,
            jac=True,
            method="L-BFGS-B",
            bounds=scaled,
            options={"maxiter": steps, "maxcor": 20, "ftol": 1e-10, "gtol": 1e-3},
        )
        v = found.x * units
        t, b, parts = float(np.exp(v[0])), v[1 : 1 + q], v[1 + q :]
        moved = float(worth @ parts) if free else 0.0
        loglik = -float(found.fun) - tilt * rows.total * moved
        return Fit(moves, parts, t, b, loglik, matrix(moves, parts, q), moved)

    def of_rows(self, fit: Fit) -> tuple[np.ndarray, np.ndarray]:
        """Each row's chance of a wrong label, (n,), and the shares of the true classes, (q,)."""
        rows = self.rows
        chance, right, mass = np.empty(len(rows.given)), np.empty(len(rows.given)), np.zeros(rows.q)
        likely = np.ascontiguousarray(fit.transition.T)
        about = rows.logs, rows.given, rows.weights, fit.t, fit.b, likely
        look(*about, *self._room, chance, right, mass)
        return chance, mass / mass.sum()

    def spread(self, fit: Fit) -> Spread:
        """How far labels lie from what a fit expects, in groups of like probabilities."""
        rows = self.rows
        some = slice(0, max(1, TESTED // rows.q))
        logs, given = rows.logs[some], rows.given[some]
        weights = np.repeat(rows.weights[some], rows.q)
        h = fit.t * logs + fit.b
        h = np.exp(h - h.max(1, keepdims=True))
        h /= h.sum(1, keepdims=True)
        expected = h @ fit.transition
        there = np.zeros(expected.shape)
        there[np.arange(len(given)), given] = 1
        edges = np.unique(np.quantile(expected, EDGES))
        group = np.searchsorted(edges, expected.ravel())
        chance = expected.ravel()
        wanted = np.bincount(group, weights * chance, len(edges) + 1)
        variance = np.bincount(group, weights**2 * chance * (1 - chance), len(edges) + 1)
        seen = np.bincount(group, weights * there.ravel(), len(edges) + 1)
        used = variance > 2
        statistic = float((((seen - wanted) ** 2)[used] / variance[used]).sum())
        freedom = max(int(used.sum()) - 3, 1)
        p_value = float(chi2.sf(statistic, freedom))
        return Spread(CAUTION * max(statistic / freedom, 1.0), p_value)
