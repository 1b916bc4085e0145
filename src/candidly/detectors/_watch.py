"""What training says of every example, noted while it goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..batches import Batch
from ..labelled import Labelled
from ..stack import Stack

LATE = 1 / 3  # of the epochs
HELD = 1 << 22  # logits held back before they are worked on together
SUMS = ("late_loss", "late", "margin", "own", "own_square", "influence")
COUNTS = ("visits", "forgotten", "was_right", "learned")


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

    Per update it holds on to the logits and takes one norm; everything else is done once per
    epoch, for all its batches together. After training, ``record()`` gives what was seen.

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
        self.tables: dict[str, Tensor] = {}
        self.held: list[tuple[Tensor, ...]] = []
        self.size = 0

    def __call__(self, stack: Stack, batch: Batch) -> None:
        if self.stack is not stack:
            self._begin(stack)
        norms = torch.linalg.vector_norm(batch.features, dim=-1)
        self.held.append((batch.logits, norms, batch.place, batch.where))
        self.size += batch.logits.numel()
        # a row comes once per epoch, so that within one no visit depends on another
        if stack.t % stack.E == 0 or stack.t == stack.T or self.size > HELD:
            self._work(stack)

    def _begin(self, stack: Stack) -> None:
        shape = stack.K * stack.n
        self.tables = {name: torch.zeros(shape, dtype=torch.float64) for name in SUMS}
        self.tables |= {name: torch.zeros(shape, dtype=torch.int64) for name in COUNTS}
        self.held, self.size, self.stack = [], 0, stack
        self.late_from = math.floor(round((1 - LATE) * stack.T / stack.E, 6))
        rates = torch.tensor([float(h["lr"]) for h in stack.hyper], dtype=torch.float64)
        self.rates = rates.repeat_interleave(stack.n)

    def _work(self, stack: Stack) -> None:
        held, norms, places, wheres = zip(*self.held)
        logits = torch.cat([part.flatten(0, 1) for part in held])
        given = stack.examples.labels["given"][torch.cat(wheres)]
        lengths, rows = torch.cat([part.flatten() for part in norms]), torch.cat(places)
        self.held, self.size = [], 0
        self._note(logits.cpu(), lengths.cpu(), given.cpu(), rows.cpu(), stack.t)

    def _note(self, logits: Tensor, norms: Tensor, given: Tensor, rows: Tensor, t: int) -> None:
        """Add a visit to each of ``rows``, which differ."""
        assert self.stack is not None
        at = given[:, None]
        log_p = logits.log_softmax(-1)
        own_log = log_p.gather(1, at)[:, 0].double()
        own = own_log.exp()
        margin = logits.gather(1, at) - logits.scatter(1, at, -torch.inf).amax(1, keepdim=True)
        residual = log_p.exp().square().sum(1).double() + 1 - 2 * own
        right = logits.argmax(1) == given
        add = {
            "visits": torch.ones_like(rows),
            "margin": margin[:, 0].double(),
            "own": own,
            "own_square": own.square(),
            "influence": self.rates[rows] * residual.clamp(min=0) * (1 + norms.double().square()),
            "forgotten": ((self.tables["was_right"][rows] == 1) & ~right).long(),
        }
        if (t - 1) // self.stack.E >= self.late_from:
            add |= {"late_loss": -own_log, "late": torch.ones_like(own)}
        for name, values in add.items():
            self.tables[name].index_add_(0, rows, values)
        self.tables["was_right"][rows] = right.long()
        self.tables["learned"][rows] |= right.long()

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
        seen = {name: table.view(shape).clone().numpy() for name, table in self.tables.items()}
        own, square = (_mean(seen[name], seen["visits"]) for name in ("own", "own_square"))
        return Record(
            visits=seen["visits"],
            late_loss=_mean(seen["late_loss"], seen["late"]),
            margin=_mean(seen["margin"], seen["visits"]),
            own=own,
            own_deviation=np.sqrt(np.maximum(square - own**2, 0)),
            forgotten=seen["forgotten"],
            learned=seen["learned"].astype(bool),
            influence=seen["influence"],
        )

    def visit_the_rest(self) -> None:
        """Visit once more, with the network as it is, what the last epochs left out."""
        stack = self.stack
        assert stack is not None
        late = self.tables["late"].view(stack.K, stack.n)
        for k in range(stack.K):
            rest = (late[k] == 0).nonzero().flatten()
            if len(rest):
                logits, features = (part.cpu()[rest] for part in stack.whole(k))
                given = stack.labels("given")[k].cpu()[rest]
                norms = torch.linalg.vector_norm(features, dim=-1)
                self._note(logits, norms, given, k * stack.n + rest, stack.T)


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
