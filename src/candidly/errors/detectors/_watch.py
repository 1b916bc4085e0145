"""What training says of every example, noted while it goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...data.labels.labelled import Labelled
from ...ground.compiled import compiler
from ...ground.problem import Refusal
from ...learn.engine.batches import StackBatch
from ...learn.engine.stack import Stack

LATE = 1 / 3  # of the epochs
HELD = 1 << 18  # logits held back before they are worked on together
# columns of a watch's table, a row per training and example
VISITS, MARGIN, OWN, SQUARE, INFLUENCE, RIGHT, FORGOTTEN, LATE_VISITS, LATE_LOSS, WAS_RIGHT = range(
    10
)


@dataclass(frozen=True, eq=False)
class TrainingDynamics:
    """Means over an example's visits, of K trainings: float64 (K, n) unless said otherwise.

    A visit is the network's answer just before the update that the example is part of: one per
    epoch, and none in an epoch whose last, incomplete batch it falls into.

    Attributes:
        visits: int64.
        late_loss: -ln p_y, over the last ``LATE`` of the epochs.
        margin: z_y less the largest of the other logits.
        own, own_deviation: mean and standard deviation of p_y.
        forgotten: int64, how often it was right at a visit and wrong at the next.
        learned: bool, whether it was ever right.
        influence: the sum of lr |p - e_y|² (1 + |f|²), the squared gradient of the last layer.
        probs_margin: ln of the mean p_y less ln of the largest mean of another class; None where
            the watch kept no probabilities.

    A mean is NaN where there was no visit.
    """

    visits: np.ndarray
    late_loss: np.ndarray
    margin: np.ndarray
    own: np.ndarray
    own_deviation: np.ndarray
    forgotten: np.ndarray
    learned: np.ndarray
    influence: np.ndarray
    probs_margin: np.ndarray | None = None


class Watch:
    """A watcher that keeps statistics of every example: for ``fit``, or for a loop of one's own.

    There it is ``watch = method.watch(Watch())``, of what ``candidly.attach`` gives.

    Per update it holds on to the logits and takes one norm; everything else is done for many
    updates together. After training, ``record()`` gives what was seen.

    Args:
        probs: keep the sums of every class's probability, too, for ``probs_margin``: 4 q bytes
            an example and training.

    >>> from candidly.data.sources import load
    >>> from dataclasses import replace
    >>> from candidly import fit
    >>> digits = load("digits")
    >>> data, watch = replace(digits, given=digits.truth), Watch()
    >>> _ = fit(data, "ce", steps=28, watchers=[watch])
    >>> watch.record().margin.shape
    (1, 1797)
    """

    def __init__(self, *, probs: bool = False) -> None:
        self.probs = probs
        self.stack: Stack | None = None
        self.held: list[tuple[Any, ...]] = []
        self.size = 0

    def __call__(self, stack: Stack, batch: StackBatch) -> None:
        if self.stack is not stack:
            self._begin(stack)
        norms = torch.linalg.vector_norm(batch.features, dim=-1)
        epoch = (stack.t - 1) // stack.E
        self.held.append((batch.logits, norms, batch.table_rows, batch.data_rows, epoch))
        self.size += batch.logits.numel()
        if self.size > HELD:
            self._work(stack)

    def _begin(self, stack: Stack) -> None:
        if "given" not in stack.examples.labels:
            raise Refusal(
                f"{stack.algorithm.label} learns from no single label a row; margins are of one."
            )
        self.held, self.size, self.stack = [], 0, stack
        self.table = np.zeros((stack.K * stack.n, WAS_RIGHT + 1))
        self.sums = np.zeros((stack.K * stack.n if self.probs else 0, stack.q), np.float32)
        self.rates = np.repeat([float(h["lr"]) for h in stack.hyper], stack.n)
        self.late_from = math.floor(round((1 - LATE) * stack.T / stack.E, 6))

    def _work(self, stack: Stack) -> None:
        held, norms, places, wheres, epochs = zip(*self.held)
        given = stack.examples.labels["given"][torch.cat(wheres)]
        rows = [part.shape[0] * part.shape[1] for part in held]  # batches may differ in length
        late = np.repeat(np.array(epochs) >= self.late_from, rows)
        logits, lengths = ([part.flatten(0, 1) for part in parts] for parts in (held, norms))
        self.held, self.size = [], 0
        self._note(torch.cat(logits), torch.cat(lengths), given, torch.cat(places), late)

    def _note(
        self, logits: Tensor, norms: Tensor, given: Tensor, rows: Tensor, late: np.ndarray
    ) -> None:
        """Add visits, in the order in which they were made."""
        z, f, y, at = (tensor.cpu().numpy() for tensor in (logits, norms, given, rows))
        _visit(z, f, y, at, late, self.rates, self.table, self.sums)

    def record(self) -> TrainingDynamics:
        """What was seen so far.

        Raises:
            ValueError: nothing was.
        """
        if self.stack is None:
            raise ValueError(
                "nothing was watched yet: pass the watch to fit(..., watchers=[...]), or to "
                "method.watch(...)."
            )
        if self.held:
            self._work(self.stack)
        seen = self.table.T.reshape(-1, self.stack.K, self.stack.n)
        own, square = (_mean(seen[column], seen[VISITS]) for column in (OWN, SQUARE))
        return TrainingDynamics(
            visits=seen[VISITS].astype(np.int64),
            late_loss=_mean(seen[LATE_LOSS], seen[LATE_VISITS]),
            margin=_mean(seen[MARGIN], seen[VISITS]),
            own=own,
            own_deviation=np.sqrt(np.maximum(square - own**2, 0)),
            forgotten=seen[FORGOTTEN].astype(np.int64),
            learned=seen[RIGHT] > 0,
            influence=seen[INFLUENCE].copy(),
            probs_margin=self._probs_margin() if self.probs else None,
        )

    def _probs_margin(self) -> np.ndarray:
        assert self.stack is not None
        given = self.stack.labels("given").cpu().numpy().ravel()
        own, other = _own_and_other(self.sums, given)
        with np.errstate(divide="ignore", invalid="ignore"):  # no visit: NaN
            return (np.log(own) - np.log(other)).reshape(self.stack.K, self.stack.n)

    def visit_the_rest(self) -> None:
        """Visit once more, with the network as it is, what the last epochs left out."""
        stack = self.stack
        assert stack is not None
        if self.held:
            self._work(stack)
        late_visits = self.table[:, LATE_VISITS].reshape(stack.K, stack.n).copy()
        for k in range(stack.K):
            rest = torch.from_numpy(np.flatnonzero(late_visits[k] == 0))
            if len(rest):
                logits, features = (part[rest] for part in stack.whole(k))
                given = stack.labels("given")[k][rest]
                norms = torch.linalg.vector_norm(features, dim=-1)
                late = np.ones(len(rest), dtype=bool)
                self._note(logits, norms, given, k * stack.n + rest, late)


@compiler()
def _own_and_other(sums, given):
    """Of each row the label's number and the largest of the others, at least 1e-37: float64 (v,).

    NaN where a row is all 0.
    """
    own, other = np.full(len(given), np.nan), np.full(len(given), np.nan)
    for i in range(len(given)):
        if sums[i].max() > 0:
            own[i] = other[i] = 1e-37
            for j in range(sums.shape[1]):
                if j == given[i]:
                    own[i] = max(own[i], float(sums[i, j]))
                else:
                    other[i] = max(other[i], float(sums[i, j]))
    return own, other


@compiler()
def _visit(logits, norms, given, rows, late, rates, table, sums):
    """Add visits to the table, one after the other.

    Args:
        logits: float (v, q); norms: float (v,), of the features; given: int (v,), labels.
        rows: int (v,), of the table; late: bool (v,).
        rates: float64, the learning rate for each row of the table.
        table: float64, written in place.
        sums: float32, of probabilities, a row for each of the table's, written in place; or none.
    """
    parts = np.empty(logits.shape[1])
    for i in range(len(rows)):
        label, z = given[i], logits[i]
        top, best, other = z[0], 0, -np.inf
        for j in range(len(z)):
            if z[j] > top:
                top, best = z[j], j
            if j != label and z[j] > other:
                other = z[j]
        total, squares = 0.0, 0.0
        for j in range(len(z)):
            parts[j] = math.exp(z[j] - top)
            total += parts[j]
            squares += parts[j] ** 2
        own = parts[label] / total
        residual = max(0.0, squares / total**2 + 1 - 2 * own)  # |p - e_y|²
        right = best == label
        row = table[rows[i]]
        row[VISITS] += 1
        row[MARGIN] += z[label] - other
        row[OWN] += own
        row[SQUARE] += own * own
        row[INFLUENCE] += rates[rows[i]] * residual * (1 + float(norms[i]) ** 2)
        row[RIGHT] += right
        row[FORGOTTEN] += row[WAS_RIGHT] > 0 and not right
        row[WAS_RIGHT] = right
        if late[i]:
            row[LATE_VISITS] += 1
            row[LATE_LOSS] += math.log(total) + top - z[label]
        if len(sums):
            for j in range(len(z)):
                sums[rows[i], j] += parts[j] / total


def _mean(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def record(
    data: Labelled,
    *,
    epochs: int,
    runs: int = 1,
    seed: int = 0,
    net: str | None = None,
    recipe: str | None = None,
) -> TrainingDynamics:
    """Ordinary training on ``data.given``, watched: cross-entropy, K runs as one stack.

    Args:
        epochs: at least 1.
        runs: K.
        net, recipe: the network and how it is trained, as ``fit`` takes them.
    """
    from ._train import examples_of, seeds_of, trained

    watch = Watch(probs=True)
    rows = [np.arange(data.n)] * runs
    seeds = seeds_of("record", seed, runs)
    trained(examples_of(data, net), rows, seeds, epochs, [watch], net=net, recipe=recipe)
    watch.visit_the_rest()
    return watch.record()
