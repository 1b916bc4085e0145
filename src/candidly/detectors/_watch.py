"""What training says of every example, noted while it goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..batches import Batch
from ..labelled import Labelled
from ..stack import Stack

LATE = 1 / 3  # of the epochs
HELD = 1 << 20  # logits held back before they are worked on together
SUMS = (
    *("visits", "margin", "own", "own_square", "influence"),
    *("right", "forgotten", "late", "late_loss"),
)


@dataclass(frozen=True, eq=False)
class Record:
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


class Watch:
    """A watcher for ``train`` or ``fit`` that keeps statistics of every example.

    Per update it holds on to the logits and takes one norm; everything else is done for many
    updates together. After training, ``record()`` gives what was seen.

    >>> from candidly.sources import load
    >>> from dataclasses import replace
    >>> from candidly import fit
    >>> digits = load("digits")
    >>> data, watch = replace(digits, given=digits.truth), Watch()
    >>> _ = fit(data, "ce", steps=28, watchers=[watch])
    >>> watch.record().margin.shape
    (1, 1797)
    """

    def __init__(self) -> None:
        self.stack: Stack | None = None
        self.held: list[tuple[Any, ...]] = []
        self.size = 0

    def __call__(self, stack: Stack, batch: Batch) -> None:
        if self.stack is not stack:
            self._begin(stack)
        norms = torch.linalg.vector_norm(batch.features, dim=-1)
        epoch = (stack.t - 1) // stack.E
        self.held.append((batch.logits, norms, batch.place, batch.where, epoch))
        self.size += batch.logits.numel()
        if self.size > HELD:
            self._work(stack)

    def _begin(self, stack: Stack) -> None:
        self.held, self.size, self.stack = [], 0, stack
        self.sums = torch.zeros(stack.K * stack.n, len(SUMS), dtype=torch.float64)
        self.was_right = torch.zeros(stack.K * stack.n, dtype=torch.bool)
        rates = torch.tensor([float(h["lr"]) for h in stack.hyper], dtype=torch.float64)
        self.rates = rates.repeat_interleave(stack.n)
        self.late_from = math.floor(round((1 - LATE) * stack.T / stack.E, 6))

    def _work(self, stack: Stack) -> None:
        held, norms, places, wheres, epochs = zip(*self.held)
        logits = torch.cat([part.flatten(0, 1) for part in held]).cpu()
        lengths, rows = torch.cat([part.flatten() for part in norms]), torch.cat(places)
        given = stack.examples.labels["given"][torch.cat(wheres)]
        late = torch.tensor(epochs).repeat_interleave(stack.K * stack.B) >= self.late_from
        self.held, self.size = [], 0
        self._note(logits, lengths.cpu(), given.cpu(), rows.cpu(), late)

    def _note(
        self, logits: Tensor, norms: Tensor, given: Tensor, rows: Tensor, late: Tensor
    ) -> None:
        """Add visits, in the order in which they were made."""
        right = torch.from_numpy(logits.numpy().argmax(1)) == given  # torch's argmax is slower
        logits, at = logits.T.contiguous(), given[None]  # softmax over few classes is slow across
        log_p = logits.log_softmax(0)
        own_log = log_p.gather(0, at)[0].double()
        own = own_log.exp()
        margin = logits.gather(0, at)[0] - logits.scatter(0, at, -torch.inf).amax(0)
        residual = log_p.exp_().square_().sum(0).double() + 1 - 2 * own
        visit = {
            "visits": torch.ones_like(own),
            "margin": margin,
            "own": own,
            "own_square": own.square(),
            "influence": self.rates[rows] * residual.clamp_(min=0) * (1 + norms.double().square()),
            "right": right,
            "forgotten": self._before(rows, right) & ~right,
            "late": late,
            "late_loss": -own_log * late,
        }
        # all columns at once: the calls cost more than the sums
        self.sums.index_add_(0, rows, torch.stack([visit[name].double() for name in SUMS], 1))

    def _before(self, rows: Tensor, right: Tensor) -> Tensor:
        """Whether each visit's row was right at the visit before; remembers the last ones."""
        order = rows.argsort(stable=True)
        row, now = rows[order], right[order]
        again = row[1:] == row[:-1]
        sorted_before = self.was_right[row]
        sorted_before[1:] = torch.where(again, now[:-1], sorted_before[1:])
        before = torch.empty_like(right)
        before[order] = sorted_before
        last = torch.ones_like(now)
        last[:-1] = ~again
        self.was_right[row[last]] = now[last]
        return before

    def record(self) -> Record:
        """What was seen so far.

        Raises:
            ValueError: nothing was.
        """
        if self.stack is None:
            raise ValueError("nothing was watched yet: pass the watch to fit(..., watchers=[...]).")
        if self.held:
            self._work(self.stack)
        shape = (self.stack.K, self.stack.n)
        columns = self.sums.T.clone().numpy()
        seen = {name: column.reshape(shape) for name, column in zip(SUMS, columns)}
        own, square = (_mean(seen[name], seen["visits"]) for name in ("own", "own_square"))
        return Record(
            visits=seen["visits"].astype(np.int64),
            late_loss=_mean(seen["late_loss"], seen["late"]),
            margin=_mean(seen["margin"], seen["visits"]),
            own=own,
            own_deviation=np.sqrt(np.maximum(square - own**2, 0)),
            forgotten=seen["forgotten"].astype(np.int64),
            learned=seen["right"] > 0,
            influence=seen["influence"],
        )

    def visit_the_rest(self) -> None:
        """Visit once more, with the network as it is, what the last epochs left out."""
        stack = self.stack
        assert stack is not None
        if self.held:
            self._work(stack)
        visits = self.sums[:, SUMS.index("late")].view(stack.K, stack.n)
        for k in range(stack.K):
            rest = (visits[k] == 0).nonzero().flatten()
            if len(rest):
                logits, features = (part.cpu()[rest] for part in stack.whole(k))
                given = stack.labels("given")[k].cpu()[rest]
                norms = torch.linalg.vector_norm(features, dim=-1)
                late = torch.ones(len(rest), dtype=torch.bool)
                self._note(logits, norms, given, k * stack.n + rest, late)


def _mean(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def record(data: Labelled, *, epochs: int, runs: int = 1, seed: int = 0) -> Record:
    """Ordinary training on ``data.given``, watched: cross-entropy, K runs as one stack.

    Args:
        epochs: at least 1.
        runs: K.
    """
    from ._train import examples_of, seeds_of, trained

    watch = Watch()
    rows = [np.arange(data.n)] * runs
    trained(examples_of(data), rows, seeds_of("record", seed, runs), epochs, [watch])
    watch.visit_the_rest()
    return watch.record()
