"""Whole histories of small trainings, to compute by hand what detectors keep sums of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from candidly.data.labels.labelled import Labelled

from toys import toy


def small(n=150, q=4, seed=0) -> Labelled:
    return replace(toy(n=n, d=6, q=q, seed=seed), candidates=None)


@dataclass
class History:
    """A watcher that keeps everything: of every update, per trial, rows, logits and features."""

    updates: list = field(default_factory=list)

    def __call__(self, stack, batch):
        parts = (batch.ids, batch.logits, batch.features, batch.given)
        self.updates.append([part.clone().numpy() for part in parts])

    def visits(self, k, row):
        """What trial k's network said at every visit of a row: (update, logits, features, y)."""
        found = []
        for t, (ids, logits, features, given) in enumerate(self.updates):
            for place in np.flatnonzero(ids[k] == row):
                z, f = logits[k, place].astype(np.float64), features[k, place].astype(np.float64)
                found.append((t, z, f, int(given[k, place])))
        return found


def softmax(z):
    p = np.exp(z - z.max())
    return p / p.sum()


def margin(z, y):
    return z[y] - max(np.delete(z, y))
