"""Several classifiers as one: their probabilities, weighted by labels that they did not see."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ...ground.seeds import draw, hashed
from .pipelines import POOL, TREE_ROWS, single

FOLDS = 4
JUDGED_ROWS = 20_000  # of more, the classifiers are judged on one part of so many
LEAST = 1e-6  # of a probability, before its logarithm
LEAST_WEIGHT = 0.02  # of a classifier that stays
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

    A linear opinion pool. Rows with equal inputs are held out together. Those of little weight are
    left out.

    Args:
        kind: of inputs; see ``Labelled``.
        members: texts that ``single`` reads; None: ``POOL[kind]``.
        random_state: integer; None: 0.
        watch: called with classifiers fitted and in all.

    Attributes:
        classes_: labels that were shown, in order.
        judged_: a ``Judged`` for each member, the likeliest first.
        agreement_, loss_: the same of the blend, by weights that these very labels have chosen.
        members_, weights_: the fitted members that stay, and their weights.

    Source: Yao, Vehtari, Simpson & Gelman, "Using stacking to average Bayesian predictive
    distributions", Bayesian Analysis 2018.
    """

    def __init__(
        self,
        kind: str = "table",
        members: tuple[str, ...] | None = None,
        random_state: int | None = None,
        watch: Callable[[int, int], None] | None = None,
    ):
        self.kind, self.members = kind, members
        self.random_state, self.watch = random_state, watch

    def fit(self, x: Any, y: Any) -> Blend:
        """Learn from numbers (n, d), or sparse counts of words, and labels (n,)."""
        self.classes_, labels = np.unique(np.asarray(y), return_inverse=True)
        names, seed = self.members or POOL[self.kind], self.random_state or 0
        folds = _folds(x, labels, seed)
        judged_by = sorted(set(folds[folds >= 0].tolist()))
        done, total = 0, len(names) * (len(judged_by) + 1)

        def tell(more: int = 1) -> None:
            nonlocal done
            done += more
            if self.watch is not None:
                self.watch(done, total)

        rows = np.flatnonzero(folds >= 0)
        held = np.zeros((len(names), len(labels), len(self.classes_)), np.float32)
        for k in judged_by:
            out = folds == k
            for number, name in enumerate(names):
                model = self._fitted(name, x[~out], labels[~out], seed, k)
                held[number, out] = _probs(model, x[out], len(self.classes_))
                tell()
        own = held[:, rows, labels[rows]].T if len(rows) else np.ones((1, len(names)))
        weights = pooled(np.maximum(own, LEAST))
        if len(rows):
            right = (held[:, rows].argmax(2) == labels[rows]).mean(1)
            losses = -np.log(np.maximum(own, LEAST)).mean(0)
            numbers = (right.tolist(), losses.tolist(), weights.tolist())
            told = (Judged(*each) for each in zip(names, *numbers))
            self.judged_ = sorted(told, key=lambda each: each.loss)
            mixed = np.tensordot(weights, held[:, rows], 1)
            self.agreement_ = float((mixed.argmax(1) == labels[rows]).mean())
            self.loss_ = float(-np.log(np.maximum(own @ weights, LEAST)).mean())
        else:
            self.judged_, self.agreement_, self.loss_ = [], np.nan, np.nan
        stay = np.flatnonzero(weights >= min(LEAST_WEIGHT, weights.max()))
        self.weights_ = weights[stay] / weights[stay].sum()
        tell(len(names) - len(stay))
        self.members_ = []
        for name in np.array(names)[stay].tolist():
            self.members_.append(self._fitted(name, x, labels, seed, -1))
            tell()
        return self

    def _fitted(self, name: str, x: Any, y: np.ndarray, seed: int, fold: int) -> Any:
        model = single(name, self.kind)
        asked = model.get_params(deep=True)
        if "randomforestclassifier" in asked and len(y) > TREE_ROWS:
            model.set_params(randomforestclassifier__max_samples=TREE_ROWS)
        states = [key for key in asked if key.rpartition("__")[2] == "random_state"]
        its = hashed("blend", name, seed, fold) % 2**32
        return model.set_params(**dict.fromkeys(states, its)).fit(x, y)

    def predict_proba(self, x: Any) -> np.ndarray:
        """Probabilities float64 (n, classes)."""
        each = (_probs(model, x, len(self.classes_)) for model in self.members_)
        return np.asarray(sum(weight * probs for weight, probs in zip(self.weights_, each)))

    def predict(self, x: Any) -> np.ndarray:
        """The most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(x).argmax(1)])


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
