"""What is to be cross-validated, fold by fold, whoever learns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...data.labels.folds import make_folds
from ...data.labels.kinds import ALL_OF
from ...data.labels.labelled import Labelled
from ...ground.seeds import hashed
from ..confident import IN_SAMPLE
from ._calibration import temperature, tempered

if TYPE_CHECKING:
    from ...learn.model import Model

INNER_FOLDS = 5  # one of these, of a training fold, is set aside for a temperature
ENOUGH = 1000  # rows that a choice among classifiers is made by, at least where there are so many
LOOKED_AT = 2000  # training rows that the training accuracy is taken of

Tell = Callable[[float], None]


@dataclass(frozen=True)
class Network:
    """A network of candidly's own, as a classifier to cross-validate.

    Attributes:
        algorithm: a name of ``ALGORITHMS``, with a variant after a colon if need be; no oracle.
        steps: updates.
        hyper: hyper-parameters in place of the algorithm's defaults. The default batch size is
            halved until a training fold has a batch.
        scaling: ``train`` standardises by the training rows of each fold; ``none``.
        net: as ``fit`` takes it; by default what suits the inputs.
        recipe: optimiser, schedule, weight decay, precision and views, as ``fit`` takes them; by
            default what suits the inputs.
    """

    algorithm: str = "ce"
    steps: int = 2000
    hyper: Mapping[str, float] = field(default_factory=dict)
    scaling: str = "train"
    net: str | None = None
    recipe: str | None = None


@dataclass(frozen=True)
class Job:
    """One cross-validation with one seed.

    Attributes:
        data: without its truth.
        marks: bool (n, q), the given label of each example, its candidates, or its tags.
        strata: int64 (n,), what folds were stratified by.
        folds: int64 (n,); -1 for rows that are never held out.
        groups: int64 (n,), or None.
        calibrate: set part of each training fold aside, and scale by it.
        start: what a classifier is fitted to before it goes on in each fold.
        unseen: bool (n,), rows that nobody learns from; None for none.
    """

    data: Labelled
    marks: np.ndarray
    strata: np.ndarray
    folds: np.ndarray
    groups: np.ndarray | None
    seed: int
    calibrate: bool = False
    start: Labelled | Model | None = None
    unseen: np.ndarray | None = None

    @property
    def count(self) -> int:
        """Number of folds."""
        return int(self.folds.max()) + 1

    @property
    def each(self) -> bool:
        """Whether each class is learned by itself, there or not: an example may have several."""
        return self.data.label_kind == ALL_OF

    def agreement(self, probs: np.ndarray, marks: np.ndarray) -> float:
        """Share of labelled examples whose prediction is marked; of tags, of all that are there or
        not, those that are predicted so."""
        return float(((probs > 0.5) == marks).mean()) if self.each else accuracy(probs, marks)

    def seed_of(self, fold: int) -> int:
        """The seed of a fold's model."""
        return hashed("crossval", self.seed, fold)


@dataclass(frozen=True)
class Fold:
    """One fold: int64 row numbers to fit to, to find a temperature on, and to predict."""

    number: int
    train: np.ndarray
    calibration: np.ndarray
    held: np.ndarray


class Fitted(NamedTuple):
    """A fold's model.

    Attributes:
        known: bool (q,), classes that it was shown.
        predict: (row numbers) -> probabilities float64 (len(rows), q); of tags each by itself.
    """

    part: Fold
    known: np.ndarray
    predict: Callable[[np.ndarray], np.ndarray]


class Held(NamedTuple):
    """What a fold's model says of the rows it did not see, and how it did on those it saw."""

    part: Fold
    known: np.ndarray
    probs: np.ndarray
    temperature: float
    train_accuracy: float  # NaN where the held-out one raises no suspicion


Learner = Callable[[Job, Tell], Iterator[Fitted]]


def parts(job: Job, usable: np.ndarray) -> list[Fold]:
    """The folds; rows that are not ``usable``, bool (n,), are predicted but not learned from.

    Raises:
        ValueError: a fold leaves too little to learn from.
    """
    found = []
    seen = np.ones(len(usable), bool) if job.unseen is None else ~job.unseen
    for k in range(job.count):
        held = job.folds == k
        train = np.flatnonzero(~held & usable & seen)
        aside = np.zeros(0, np.int64)
        if job.calibrate:
            train, aside = _set_aside(job, train, k)
        if not len(train):
            raise ValueError(
                f"fold {k} leaves no labelled example to learn from; use other folds or groups."
            )
        found.append(Fold(k, train, aside, np.flatnonzero(held)))
    return found


def within(job: Job, k: int) -> Job:
    """The same on the training rows of a fold alone, divided again, for a choice of who judges it.

    Of many rows a part of the inner folds is enough to be judged by (``ENOUGH``).

    Raises:
        ValueError: the training rows cannot be divided.
    """
    rows = np.flatnonzero(job.folds != k)
    inner = _divided(job, rows, k, "", "choose among classifiers; name one classifier")
    enough = int(np.searchsorted(np.bincount(inner).cumsum(), ENOUGH)) + 1
    folds = np.full(len(job.folds), -1)
    folds[rows] = np.where(inner < enough, inner, -1)
    return replace(job, folds=folds, calibrate=False, unseen=job.folds == k)


def _divided(job: Job, rows: np.ndarray, k: int, who: str, what: str) -> np.ndarray:
    """Inner folds of some training rows of a fold; ``who`` and ``what`` are for a refusal."""
    groups = None if job.groups is None else job.groups[rows]
    most = len(rows) if groups is None else len(np.unique(groups))
    if most < 2:
        unit = "example" if groups is None else "group"
        raise ValueError(
            f"{who}the training rows of fold {k} are {most} {unit}, too few to {what}."
        )
    return make_folds(job.strata[rows], min(INNER_FOLDS, most), groups, job.seed_of(k))


def _set_aside(job: Job, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows without, and the rows of, an inner fold; no class is lost to it."""
    inner = _divided(job, rows, k, "calibrate: ", "set a part aside")
    aside = (inner == 0) & job.marks[rows].any(1)
    only = ~job.marks[rows[~aside]].any(0)
    aside &= ~job.marks[rows][:, only].any(1)
    if not aside.any():
        raise ValueError(
            f"calibrate: fold {k} has no example to spare for a temperature; leave it out."
        )
    return rows[~aside], rows[aside]


def held_out(job: Job, fitted: Fitted) -> Held:
    """Predict a fold, scaled by its own temperature if that is asked for."""
    part, known, predict = fitted
    probs = limited(predict(part.held), known)
    t = 1.0
    if len(part.calibration):
        assert job.data.given is not None
        aside = limited(predict(part.calibration), known)
        t = temperature(aside, job.data.given[part.calibration])
        probs = tempered(probs, t, known)
    on_train = float("nan")
    if job.agreement(probs, job.marks[part.held]) > IN_SAMPLE:
        some = part.train[:: -(-len(part.train) // LOOKED_AT)]
        on_train = job.agreement(limited(predict(some), known), job.marks[some])
    return Held(part, known, probs, t, on_train)


def limited(probs: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Probability 0 for classes that are not known, and rows that sum to 1 all the same."""
    if not probs[:, ~known].any():
        return probs
    inside = np.where(known, probs, 0)
    sums = inside.sum(1, keepdims=True)
    return np.where(sums > 0, inside / np.where(sums > 0, sums, 1), known / known.sum())


def accuracy(probs: np.ndarray, marks: np.ndarray) -> float:
    """Share of labelled examples whose prediction is marked; NaN without one."""
    labelled = marks.any(1)
    right = marks[np.arange(len(probs)), probs.argmax(1)][labelled]
    return float(right.mean()) if len(right) else float("nan")
