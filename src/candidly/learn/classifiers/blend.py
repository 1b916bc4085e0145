"""Several classifiers as one: their probabilities, weighted by labels that they did not see."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ...ground.progress import OnProgress
from ...ground.seeds import draw, hashed
from .frozen import LEAST, at_temperature
from .pipelines import POOL, TREE_ROWS, single

FOLDS = 4
JUDGED_ROWS = 20_000  # of more, the classifiers are judged on one part of so many
LEAST_WEIGHT = 0.02  # of a classifier that stays
TEMPERATURES = (0.1, 10.0)
ROUNDS = 500  # of the weights' fixed point


@dataclass(frozen=True)
class Judged:
    """How a classifier did on rows that it had not learned from.

    Attributes:
        name: as ``single`` reads it.
        agreement: the share of rows whose given label it predicted.
        loss: the mean of -ln p of the given label, in nats.
        weight: its share in the blend.
    """

    name: str
    agreement: float
    loss: float
    weight: float


class Blend(ClassifierMixin, BaseEstimator):
    """The mean of several classifiers' probabilities, with the weights that make held-out labels
    most likely.

    A linear opinion pool of what each says at the temperature at which held-out labels are most
    likely: forests are too unsure, and boosting is too sure. Rows with equal inputs are held out
    together. Those of little weight are left out.

    Args:
        kind: of inputs; see ``Labelled``.
        members: texts that ``single`` reads; None: ``POOL[kind]``.
        random_state: integer; None: 0.
        watch: called with classifiers fitted and in all.

    Attributes:
        classes_: labels that were shown, in order.
        judged_: a ``Judged`` for each member, the likeliest first.
        members_, weights_, temperatures_: the fitted members that stay, their weights, and what
            their logarithms are divided by.

    Source: Yao, Vehtari, Simpson & Gelman, "Using stacking to average Bayesian predictive
    distributions", Bayesian Analysis 2018.
    """

    def __init__(
        self,
        kind: str = "table",
        members: tuple[str, ...] | None = None,
        random_state: int | None = None,
        watch: OnProgress | None = None,
    ):
        self.kind, self.members = kind, members
        self.random_state, self.watch = random_state, watch

    def fit(self, x: Any, y: Any) -> Blend:
        """Learn from numbers (n, d), or sparse counts of words, and labels (n,)."""
        self.classes_, labels = np.unique(np.asarray(y), return_inverse=True)
        names = self.members or POOL[self.kind]
        folds = _folds(x, labels, self.random_state or 0)
        counted = _Counted(self.watch, len(names) * (len(set(folds[folds >= 0])) + 1))
        if (folds < 0).all():
            self.judged_: list[Judged] = []
            scales = np.ones(len(names))
            weights = np.full(len(names), 1 / len(names))
        else:
            scales, weights = self._judge(names, x, labels, folds, counted)
        stay = np.flatnonzero(weights >= min(LEAST_WEIGHT, weights.max()))
        self.weights_ = weights[stay] / weights[stay].sum()
        self.temperatures_ = scales[stay]
        counted(len(names) - len(stay))
        self.members_ = []
        for name in np.array(names)[stay].tolist():
            self.members_.append(self._fitted(name, x, labels, -1))
            counted()
        return self

    def _judge(
        self, names: Sequence[str], x: Any, labels: np.ndarray, folds: np.ndarray, counted: _Counted
    ) -> tuple[np.ndarray, np.ndarray]:
        """Each member's temperature and weight, by labels that it did not see."""
        rows = np.flatnonzero(folds >= 0)
        y, numbers = labels[rows], np.arange(len(rows))
        held = np.zeros((len(names), len(rows), len(self.classes_)), np.float32)
        for k in np.unique(folds[rows]):
            out = folds == k
            for probs, name in zip(held, names):
                model = self._fitted(name, x[~out], labels[~out], k)
                probs[folds[rows] == k] = _probs(model, x[out], len(self.classes_))
                counted()
        scales = np.array([likeliest_temperature(probs, y) for probs in held])
        for probs, scale in zip(held, scales):
            probs[:] = at_temperature(probs, scale)
        own = np.maximum(held[:, numbers, y], LEAST)
        weights = pooled(own.T)
        right = (held.argmax(2) == y).mean(1)
        each = zip(names, right.tolist(), (-np.log(own)).mean(1).tolist(), weights.tolist())
        self.judged_ = sorted((Judged(*one) for one in each), key=lambda one: one.loss)
        return scales, weights

    def _fitted(self, name: str, x: Any, y: np.ndarray, fold: int) -> Any:
        model = single(name, self.kind)
        asked = model.get_params(deep=True)
        if "randomforestclassifier" in asked and len(y) > TREE_ROWS:
            model.set_params(randomforestclassifier__max_samples=TREE_ROWS)
        states = [key for key in asked if key.rpartition("__")[2] == "random_state"]
        its = hashed("blend", name, self.random_state or 0, int(fold)) % 2**32
        return model.set_params(**dict.fromkeys(states, its)).fit(x, y)

    def predict_proba(self, x: Any) -> np.ndarray:
        """Probabilities float64 (n, classes)."""
        total = np.zeros((x.shape[0], len(self.classes_)))
        for model, weight, t in zip(self.members_, self.weights_, self.temperatures_):
            total += weight * at_temperature(_probs(model, x, len(self.classes_)), t)
        return total

    def predict(self, x: Any) -> np.ndarray:
        """The most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(x).argmax(1)])


class _Counted:
    """Hands on how many classifiers are fitted, and of how many."""

    def __init__(self, watch: OnProgress | None, total: int):
        self.watch, self.done, self.total = watch, 0, total

    def __call__(self, more: int = 1) -> None:
        self.done += more
        if self.watch is not None:
            self.watch(self.done, self.total)


def pooled(own: np.ndarray) -> np.ndarray:
    """The weights w, w >= 0 with the sum 1, that maximise Σ_i ln Σ_m w_m p_m(y_i).

    Args:
        own: float (n, m) above 0, the labels' probabilities by each of m classifiers.

    >>> pooled(np.array([[0.9, 0.1], [0.9, 0.1]])).round(3)
    array([1., 0.])
    """
    weights = np.full(own.shape[1], 1 / own.shape[1])
    for _ in range(ROUNDS):
        shares = own * weights
        weights = (shares / shares.sum(1, keepdims=True)).mean(0)
    return weights


def likeliest_temperature(probs: np.ndarray, labels: np.ndarray) -> float:
    """The T in ``TEMPERATURES`` at which the labels (n,) are most likely by probabilities (n, q).

    Source: Guo, Pleiss, Sun & Weinberger, "On calibration of modern neural networks", ICML 2017.
    """
    from scipy.optimize import minimize_scalar

    rows = np.arange(len(labels))

    def loss(log_t: float) -> float:
        own = at_temperature(probs, np.exp(log_t))[rows, labels]
        return float(-np.log(np.maximum(own, LEAST)).mean())

    found = minimize_scalar(loss, bounds=np.log(TEMPERATURES), method="bounded")
    return float(np.exp(found.x))


def _probs(model: Any, x: Any, q: int) -> np.ndarray:
    probs = np.zeros((x.shape[0], q))
    probs[:, model.classes_] = model.predict_proba(x)
    return probs


def _folds(x: Any, labels: np.ndarray, seed: int) -> np.ndarray:
    """The fold of each row, int64 (n,), -1 for none; equal rows and each class's are spread evenly.

    Of a class with one row, and of too few rows, none is held out.
    """
    rng = draw(seed, "blend.folds")
    _, first, groups = np.unique(_keys(x), return_index=True, return_inverse=True)
    kind = labels[first]
    fold = np.empty(len(first), np.int64)
    fold[np.lexsort((rng.random(len(first)), kind))] = np.arange(len(first)) % FOLDS
    if len(labels) > JUDGED_ROWS * FOLDS:
        some = np.zeros(len(first), bool)
        some[rng.permutation(len(first))[:JUDGED_ROWS]] = True
        fold = np.where(some, 0, -1)
    rare = np.bincount(kind, minlength=labels.max() + 1) < 2
    fold[rare[kind]] = -1
    enough = len(np.unique(kind[fold != 0])) > 1 and len(first) >= 2 * FOLDS
    return fold[groups] if enough else np.full(len(labels), -1)


def _keys(x: Any) -> np.ndarray:
    """What tells rows apart, of an array or a sparse matrix."""
    if not hasattr(x, "indptr"):
        rows = np.ascontiguousarray(x)
        return np.array([hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows])
    ends = zip(x.indptr[:-1], x.indptr[1:])
    parts = (x.indices[a:b].tobytes() + x.data[a:b].tobytes() for a, b in ends)
    return np.array([hashlib.blake2b(part, digest_size=16).digest() for part in parts])
