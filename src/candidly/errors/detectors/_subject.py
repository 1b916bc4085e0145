"""What detectors look at: labels, and whatever else they may need, made once and shared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...data.inputs import encoded
from ...data.labels.labelled import Labelled
from ...ground.arrays import as_table, rows_are
from ...ground.numbers import whole
from ._features import checked_table, standardised

if TYPE_CHECKING:
    from ..confident import Evidence
    from ._neighbours import Neighbours
    from ._watch import TrainingDynamics

EPOCHS = 30
K = 10  # neighbours


@dataclass(frozen=True, eq=False)
class Subject:
    """One given label per example, and what else there is.

    Attributes:
        data: with ``given`` on every row, without the truth; training learns from its inputs.
        probs: float (n, q), out of sample, or None.
        places: float (n, d), where the examples lie for nearest neighbours, or None.
        metric: ``cosine`` or ``l2``, between places.
        seed: the seed of everything random.
        epochs: the epochs of every ordinary training.
        runs: trainings with other seeds that ``record`` averages over, as one stack.
        net, recipe: of every training, as ``fit`` takes them.
    """

    data: Labelled
    probs: np.ndarray | None = None
    places: np.ndarray | None = None
    metric: str = "cosine"
    seed: int = 0
    epochs: int = EPOCHS
    runs: int = 1
    net: str | None = None
    recipe: str | None = None

    @property
    def given(self) -> np.ndarray:
        assert self.data.given is not None
        return self.data.given

    @cached_property
    def evidence(self) -> Evidence:
        """What confident learning reads from ``probs``.

        Raises:
            ValueError: there are none, or they are no probabilities.
        """
        from ..confident import examine

        if self.probs is None:
            raise ValueError(
                "there are no `probs`: this detector needs out-of-sample probabilities (n, q), "
                "such as errors.cross_validate makes."
            )
        found = examine(self.given, self.probs)
        if found.m != self.data.q:
            raise ValueError(f"`probs` has {found.m} columns; the data have {self.data.q} classes.")
        return found

    @cached_property
    def record(self) -> TrainingDynamics:
        """Ordinary training on the given labels, watched."""
        from ._watch import record

        return record(
            self.data,
            epochs=self.epochs,
            runs=self.runs,
            seed=self.seed,
            net=self.net,
            recipe=self.recipe,
        )

    @cached_property
    def neighbours(self) -> Neighbours:
        """The ``K`` nearest of every example."""
        from ._neighbours import nearest

        if self.places is None:
            raise ValueError(
                f"the inputs are {self.data.kind}, which have no distances: pass `features`, "
                "numbers (n, d)."
            )
        return nearest(self.places, K, metric=self.metric)


def make_subject(
    data: Labelled,
    probs: np.ndarray | None = None,
    features: np.ndarray | None = None,
    *,
    metric: str = "cosine",
    seed: int = 0,
    epochs: int = EPOCHS,
    runs: int = 1,
    net: str | None = None,
    recipe: str | None = None,
) -> Subject:
    """Checked at the door, and blind to the truth.

    Args:
        data: with ``given``.
        probs: out-of-sample probabilities (n, q).
        features: (n, d), for nearest neighbours; by default the inputs, standardised, if they are
            a table or images.

    Raises:
        ValueError: what is missing or does not fit.
    """
    if data.given is None:
        raise ValueError(f"{data.source or 'the data'} has no `given`: no labels to doubt.")
    if len(bare := np.flatnonzero(data.given < 0)):
        raise ValueError(
            f"row {bare[0]} has no given label; leave such rows out: data[data.given >= 0]."
        )
    if data.q < 2:
        raise ValueError("there is one class; label errors need two.")
    if probs is not None:
        rows_are(probs, data.ids, "probs")
        probs = as_table(probs, "probs", data.classes)
        if probs.ndim != 2 or len(probs) != data.n:
            raise ValueError(f"`probs` has shape {probs.shape}; it must be ({data.n}, {data.q}).")
    epochs, runs = whole(epochs, "epochs", low=1), whole(runs, "runs", low=1)
    seed = whole(seed, "seed", low=0)
    rows_are(features, data.ids, "features")
    places = None if features is None else checked_table(features, data.n)
    if features is None and (data.kind.array or data.kind.named):
        places = standardised(encoded(data.inputs))
    seen = replace(data, truth=None, candidates=None, votes=None)
    return Subject(seen, probs, places, metric, seed, epochs, runs, net, recipe)
