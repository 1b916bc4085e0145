"""Classifiers that learn from candidate sets or from labels that may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ...data.labels.building import from_numbers
from ...data.labels.labelled import Labelled
from ...ground.arrays import door, is_frame, objects
from ...ground.names import nearest
from ...ground.numbers import whole
from ...stats.criteria import accuracy, approximated_accuracy, covering_rate
from ..model import Model, fit, row_weights
from ._labels import LabelSets, read_sets
from ._scorers import covered

RECORDS = 20  # looks at the held-out rows, where nobody says how many updates lie between them
MEASURES = {
    "CR": lambda logits, data: covering_rate(logits, data.candidates),
    "AA": lambda logits, data: approximated_accuracy(logits, data.candidates),
    "NVA": lambda logits, data: accuracy(logits, data.given),
}


class _NetworkClassifier(ClassifierMixin, BaseEstimator):
    """What both classifiers do; each says which labels it takes."""

    _criteria: tuple[str, ...]

    @door
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train a network on all rows.

        Args:
            X: (n, d) numbers, dense or sparse; a data frame of pandas or polars, also with
                categories, dates and missing values; texts, (n,); or uint8 pictures (n, h, w[, c]).
            y: labels, see ``estimators.read_sets``.
            sample_weight: how much each row counts, (n,), see ``candidly.fit``.

        Returns:
            the estimator.

        Raises:
            ValueError: labels or inputs that the algorithm cannot learn from; names the row.
            FloatingPointError: training diverged.
        """
        inputs = inputs_of(self, X, reset=True)
        sets = self._read(y)
        check_consistent_length(inputs, sets.member)
        data = self._data(inputs, sets)
        self.classes_ = sets.classes
        weights = self._weights(sets, sample_weight)
        self.model_ = self._trained(data, seed_of(self.random_state), weights)
        return self

    def _weights(self, sets: LabelSets, sample_weight: Any) -> np.ndarray | None:
        return None if sample_weight is None else row_weights(sample_weight, len(sets.member))

    def _read(self, y: Any) -> LabelSets:
        return read_sets(y, self.classes)

    def _data(self, inputs: Any, sets: LabelSets) -> Labelled:
        raise NotImplementedError

    def _trained(self, data: Labelled, seed: int, weights: np.ndarray | None) -> Model:
        how = {
            name: getattr(self, name)
            for name in ("lr", "weight_decay", "batch_size")
            if getattr(self, name) is not None
        }
        how |= dict(self.hyper or {})
        steps = whole(self.steps, "steps", low=1)
        how |= {"steps": steps, "seed": seed, "net": self.net, "recipe": self.recipe}
        how |= {"device": self.device, "scaling": self.scaling}
        if not self.early_stopping:
            return fit(data, self.algorithm, sample_weight=weights, **how)
        if weights is not None:  # rows that do not count are not looked at, either
            counted = weights.nonzero()[0]
            data, weights = data[counted], weights[counted]
        name = self._criterion()
        if data.n < 2:
            raise ValueError(
                f"n_samples = {data.n}: early stopping holds out rows, and needs 2 at least."
            )
        share = max(self.validation_fraction, 1 / data.n)  # a row at least
        split = data.split(seed, test=0.0, validation=share)
        held, kept = data[split.validation], _Best()
        every = max(1, steps // RECORDS) if self.eval_every is None else self.eval_every

        def look(model: Model, done: int) -> None:
            kept.look(model, done, MEASURES[name](model.predict_logits(held), held))

        how["sample_weight"] = None if weights is None else weights[split.train]
        fit(data[split.train], self.algorithm, every=every, each=look, **how)
        self.validation_scores_ = dict(kept.scores)
        if kept.model is None:
            raise ValueError(
                f"eval_every is {every}, and training ends after {steps} updates: there is no "
                "record to choose. Lower eval_every."
            )
        return kept.model

    def _criterion(self) -> str:
        name = self._criteria[0] if self.early_stopping is True else self.early_stopping
        if name not in self._criteria:
            raise ValueError(
                f"early_stopping is {name!r}; use True, False, or one of "
                f"{', '.join(self._criteria)}."
            )
        return name

    @door
    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of each row, (n,), in the type that labels were given in."""
        check_is_fitted(self)
        return self.classes_[self.model_.predict(inputs_of(self, X, reset=False))]

    @door
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities float32 (n, q), in the order of ``classes_``; rows sum to 1."""
        check_is_fitted(self)
        return self.model_.predict_proba(inputs_of(self, X, reset=False))

    @door
    def decision_function(self, X: Any) -> np.ndarray:
        """Logits (n, q), in the order of ``classes_``; of two classes, (n,): above 0 the second."""
        check_is_fitted(self)
        logits = self.model_.predict_logits(inputs_of(self, X, reset=False))
        return logits[:, 1] - logits[:, 0] if logits.shape[1] == 2 else logits

    @door
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose predicted label is their label, or one of their candidates.

        That is accuracy for one label a row, and the covering rate for candidate sets.

        Args:
            X, y: as for ``fit``.
            sample_weight: how much each row counts, (n,); None: all the same.
        """
        return covered(read_sets(y), self.predict(X), sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class PartialLabelClassifier(_NetworkClassifier):
    """Learns from a set of candidate labels for each row, of which one is right.

    Args:
        algorithm: a name of ``candidly.ALGORITHMS`` that reads candidate sets.
        classes: the labels, in order, where not all of them need to occur; by default those that
            occur, sorted, or the columns of a matrix.
        lr, weight_decay, batch_size: in place of the algorithm's defaults; None leaves these.
        hyper: its other hyper-parameters, by name.
        net, recipe, scaling, device: see ``candidly.fit``.
        steps: updates.
        early_stopping: whether to keep the network from the record with the highest value of a
            criterion on held-out rows, the earliest among equals, as the benchmark does: True for
            the covering rate ``CR``, or ``AA``, approximated accuracy. Neither needs a true label.
        validation_fraction: of the rows, held out for that; they are not trained on.
        eval_every: updates between looks at them; by default a twentieth of all.
        random_state: of initialisation, order and held-out rows. An integer is the ``seed`` of
            ``candidly.fit``, which gives the same network.

    Attributes:
        classes_: (q,), the labels in their own type.
        model_: the ``candidly.Model``.
        validation_scores_: with early stopping, the criterion by updates done.
        n_features_in_, feature_names_in_: of tables, as in scikit-learn.

    Source: see ``candidly.algorithms`` for each algorithm's.

    >>> X = [[0.0], [0.1], [0.9], [1.0]]
    >>> y = [["cat", "dog"], ["cat"], ["dog"], ["cat", "dog"]]
    >>> PartialLabelClassifier(steps=50, random_state=0).fit(X, y).predict([[0.05], [0.95]])
    array(['cat', 'dog'], dtype=object)
    """

    _criteria = ("CR", "AA")

    def __init__(
        self,
        algorithm: str = "PRODEN",
        *,
        classes: Sequence[Any] | None = None,
        lr: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        hyper: Mapping[str, float] | None = None,
        net: str | None = None,
        recipe: str | None = None,
        scaling: str = "train",
        device: str = "cpu",
        steps: int = 10_000,
        early_stopping: bool | str = False,
        validation_fraction: float = 0.1,
        eval_every: int | None = None,
        random_state: Any = None,
    ):
        self.algorithm = algorithm
        self.classes = classes
        self.lr = lr
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.hyper = hyper
        self.net = net
        self.recipe = recipe
        self.scaling = scaling
        self.device = device
        self.steps = steps
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.eval_every = eval_every
        self.random_state = random_state

    def _data(self, inputs: Any, sets: LabelSets) -> Labelled:
        given = sets.member.argmax(1) if sets.plain else None
        return from_numbers(inputs, sets.names, candidates=sets.member, given=given)


class NoisyLabelClassifier(_NetworkClassifier):
    """Learns from one label a row, some of which are wrong.

    Args:
        algorithm: a name of ``candidly.ALGORITHMS`` that reads given labels.
        class_weight: how much the rows of each given label count: None, all the same; ``balanced``,
            each label as much as every other; or a dict, label to weight, 1 where it has none. A
            row's weight is this times its ``sample_weight``.
        early_stopping: True or ``NVA``: the accuracy on the given labels of held-out rows, which
            are as noisy as the others.
        classes, lr, weight_decay, batch_size, hyper, net, recipe, scaling, device, steps,
            validation_fraction, eval_every, random_state: as for ``PartialLabelClassifier``.

    Attributes:
        classes_, model_, validation_scores_, n_features_in_, feature_names_in_: as there.

    >>> X = [[0.0], [0.1], [0.9], [1.0]]
    >>> NoisyLabelClassifier(steps=50, random_state=0).fit(X, [7, 7, 9, 9]).predict([[0.05]])
    array([7])
    """

    _criteria = ("NVA",)

    def __init__(
        self,
        algorithm: str = "elr",
        *,
        classes: Sequence[Any] | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        lr: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        hyper: Mapping[str, float] | None = None,
        net: str | None = None,
        recipe: str | None = None,
        scaling: str = "train",
        device: str = "cpu",
        steps: int = 10_000,
        early_stopping: bool | str = False,
        validation_fraction: float = 0.1,
        eval_every: int | None = None,
        random_state: Any = None,
    ):
        self.algorithm = algorithm
        self.classes = classes
        self.class_weight = class_weight
        self.lr = lr
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.hyper = hyper
        self.net = net
        self.recipe = recipe
        self.scaling = scaling
        self.device = device
        self.steps = steps
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.eval_every = eval_every
        self.random_state = random_state

    def _data(self, inputs: Any, sets: LabelSets) -> Labelled:
        if not sets.plain:
            raise ValueError(
                "`y` holds sets of candidates, and NoisyLabelClassifier takes one label a row. Use "
                "PartialLabelClassifier."
            )
        return from_numbers(inputs, sets.names, given=sets.member.argmax(1))

    def _weights(self, sets: LabelSets, sample_weight: Any) -> np.ndarray | None:
        weights = super()._weights(sets, sample_weight)
        if self.class_weight is None:
            return weights
        by_class = _by_class(self.class_weight, sets)[sets.member.argmax(1)]
        return by_class if weights is None else by_class * weights


def _by_class(class_weight: Any, sets: LabelSets) -> np.ndarray:
    """The weight of each class, float64 (q,).

    Raises:
        ValueError: no such way, or weights of labels that do not occur; names the first.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = sets.member.sum(0)
        return counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1))
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight is {class_weight!r}; use None, 'balanced' or a dict, label to weight."
        )
    labels = list(sets.classes)
    for label, weight in class_weight.items():
        if label not in labels:
            raise ValueError(
                f"class_weight has {label!r}, which is none of the labels"
                f"{nearest(str(label), map(str, labels))}"
            )
        if not (isinstance(weight, Real) and 0 <= float(weight) < np.inf):
            raise ValueError(
                f"class_weight[{label!r}] is {weight!r}; it is a finite number from 0 on."
            )
    return np.array([float(class_weight.get(label, 1.0)) for label in labels])


class _Best:
    """The model of the highest score, the earliest among equals."""

    def __init__(self) -> None:
        self.model: Model | None = None
        self.scores: dict[int, float] = {}

    def look(self, model: Model, done: int, score: Any) -> None:
        value = float(score)
        if self.model is None or value > max(self.scores.values()):
            self.model = model
        self.scores[done] = value


def seed_of(random_state: Any) -> int:
    """An integer as it is; else one drawn from what scikit-learn makes of it."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


@door
def inputs_of(estimator: Any, X: Any, reset: bool) -> Any:
    """Inputs as candidly reads them; numbers are checked as scikit-learn checks them."""
    if is_frame(X):
        validate_data(estimator, X, skip_check_array=True, reset=reset)
        return X
    if _is_text(X):
        return objects(list(X))
    if isinstance(X, np.ndarray) and X.ndim > 2 and X.dtype == np.uint8:
        return X
    return validate_data(
        estimator, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset
    )


def _is_text(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.dtype.kind in "OUT" and len(X) > 0 and isinstance(X[0], str)
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], str)
