"""Classifiers with scikit-learn's methods: checked, copied, fitted to a fold, asked."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.arrays import is_frame
from ._features import Features, Views, plain
from ._job import Fitted, Job, Learner, Tell, parts

SUM_SLACK = 1e-3  # of a row of probabilities
REMEDY = (
    "Wrap it in sklearn.calibration.CalibratedClassifierCV, or take LogisticRegression or a forest."
)


def checked(classifier: Any, name: str) -> Any:
    """The classifier, if it can be fitted and asked for probabilities.

    Raises:
        TypeError: a class, or something that cannot; the message says what to use.
    """
    if inspect.isclass(classifier):
        raise TypeError(f"`classifier` is the class {name}; give an instance, {name}(...).")
    if not hasattr(classifier, "fit"):
        raise TypeError(
            f"`classifier` is {classifier!r}; give a scikit-learn classifier, a name, or a Network."
        )
    if not hasattr(classifier, "predict_proba"):
        raise TypeError(f"{name} has no predict_proba as it is set. {REMEDY}")
    return classifier


def learner(classifier: Any, name: str, seen: Callable[[Views], Features], views: Views) -> Learner:
    """Fits a copy of the classifier to each fold; labels are numbers of classes.

    It sees what ``seen`` takes of the views. An unset ``random_state``, wherever in the classifier,
    is set from the fold's seed. Of tags each is learned by itself, by a copy of its own.
    """

    def learn(job: Job, tell: Tell) -> Iterator[Fitted]:
        if job.each:
            yield from _tag_by_tag(classifier, name, seen(views), job, tell)
            return
        y, q = job.data.given, job.data.q
        if y is None:
            raise ValueError(
                f"{name} learns from one label each, and there are candidate sets alone; take an "
                "algorithm that reads these, such as PRODEN, or give labels."
            )
        features = seen(views)
        make: Maker = _fit
        if job.start is not None:
            make = _started(classifier, name, job, seen)
        for part in parts(job, y >= 0):
            x = features(part.train)
            fresh = _seeded(_copied(classifier), job.seed_of(part.number))
            fitted, shown = make(fresh, of_rows(x, part.train), y[part.train])
            known = np.zeros(q, bool)
            known[shown] = True
            if known.sum() < 2:
                raise ValueError(
                    f"all that fold {part.number} leaves to learn from is of class "
                    f"{job.data.classes[int(shown[0])]!r}; use fewer folds or other groups."
                )
            yield Fitted(part, known, _asking(fitted, x, shown, q, f"{name}, fold {part.number},"))
            tell(part.number + 1)

    return learn


def _tag_by_tag(
    classifier: Any, name: str, features: Features, job: Job, tell: Tell
) -> Iterator[Fitted]:
    """A copy of the classifier for each tag and fold: is it there, or not?

    Raises:
        ValueError: a start, which is of one label each.
    """
    if job.start is not None:
        raise ValueError("`start` is of one label each, and all labels of a row hold here.")
    q = job.data.q
    for part in parts(job, np.ones(job.data.n, bool)):  # no tag is an answer, too
        x, marks = features(part.train), job.marks[part.train]
        models = []
        for tag in range(q):
            fresh = _seeded(_copied(classifier), job.seed_of(part.number))
            models.append(_fit(fresh, x[part.train], marks[:, tag].astype(np.int64)))
            tell(part.number + (tag + 1) / q)
        yield Fitted(part, marks.any(0), _asking_each(models, x, f"{name}, fold {part.number},"))


def _asking_each(
    models: list[tuple[Any, np.ndarray]], x: Any, who: str
) -> Callable[[np.ndarray], np.ndarray]:
    """Probabilities of each tag; 0 or 1 where all examples that were learned from agree."""

    def predict(rows: np.ndarray) -> np.ndarray:
        probs = np.empty((len(rows), len(models)))
        for tag, (fitted, shown) in enumerate(models):
            if len(shown) == 1:
                probs[:, tag] = shown[0]
                continue
            said = fitted.predict_proba(x[rows])
            probs[:, tag] = by_class(fitted, said, len(rows), shown, 2, who)[:, 1]
        return probs

    return predict


def _asking(
    fitted: Any, x: np.ndarray, shown: np.ndarray, q: int, who: str
) -> Callable[[np.ndarray], np.ndarray]:
    def predict(rows: np.ndarray) -> np.ndarray:
        return by_class(fitted, fitted.predict_proba(of_rows(x, rows)), len(rows), shown, q, who)

    return predict


def takes_columns(classifier: Any) -> bool:
    """Whether a classifier has a part that chooses columns by their names."""
    from sklearn.compose import ColumnTransformer

    if inspect.isclass(classifier) or not hasattr(classifier, "get_params"):
        return False
    inside = classifier.get_params(deep=True).values()
    return any(isinstance(part, ColumnTransformer) for part in inside)


def of_rows(x: Any, rows: np.ndarray) -> Any:
    """Some rows of an array, a sparse matrix or a data frame."""
    if not is_frame(x):
        return x[rows]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(x, np.flatnonzero(rows) if rows.dtype == bool else rows)


def by_class(fitted: Any, said: Any, n: int, shown: np.ndarray, q: int, who: str) -> np.ndarray:
    """Probabilities with a column per class, 0 for those that the classifier does not have.

    Columns are told by ``classes_``, and where there is none by the classes ``shown`` in training.

    Raises:
        ValueError: another shape, or rows that are no probabilities.
    """
    said = np.asarray(said, dtype=np.float64)
    columns = np.asarray(getattr(fitted, "classes_", shown))
    if said.shape != (n, len(columns)):
        raise ValueError(
            f"{who} gives probabilities of shape {said.shape}; {(n, len(columns))} is needed, a "
            "column per class that it was shown."
        )
    sound = (said >= 0).all(1) & (np.abs(said.sum(1) - 1) <= SUM_SLACK)  # False for NaN
    if not sound.all():
        row = int(sound.argmin())
        raise ValueError(
            f"{who} gives {said[row][:5].tolist()} for held-out example {row}, which are no "
            "probabilities: they are >= 0 and sum to 1."
        )
    probs = np.zeros((n, q))
    probs[:, columns.astype(np.int64)] = said
    return probs


def _copied(classifier: Any) -> Any:
    """An unfitted copy; what cannot be cloned is copied as it is."""
    from sklearn.base import clone

    return clone(classifier) if hasattr(classifier, "get_params") else copy.deepcopy(classifier)


def _seeded(model: Any, seed: int) -> Any:
    if not hasattr(model, "get_params"):
        return model
    unset = [
        name
        for name, value in model.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return model.set_params(**dict.fromkeys(unset, seed)) if unset else model


Maker = Callable[[Any, np.ndarray, np.ndarray], tuple[Any, np.ndarray]]


def _fit(fresh: Any, x: np.ndarray, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """Fit to a fold, and the classes shown. One class is for the caller to refuse."""
    shown = np.unique(y)
    return (fresh.fit(x, y) if len(shown) > 1 else fresh), shown


# going on from elsewhere


def _started(classifier: Any, name: str, job: Job, seen: Callable[[Views], Features]) -> Maker:
    """Fit to ``job.start`` once; then copies of that go on in each fold.

    In a pipeline the steps before the last are fitted to the start alone.

    Raises:
        ValueError: the start does not fit, or the classifier can neither ``partial_fit`` nor
            ``warm_start``.
    """
    from sklearn.pipeline import Pipeline

    start, q = job.start, job.data.q
    if not isinstance(start, Labelled):
        raise ValueError(f"`start` is a Model, which {name} cannot go on from; give (X, y).")
    if start.kind == "columns" or (start.kind.texts and seen is not plain):
        raise ValueError(
            f"`start` holds {start.kind}, of which {name} would see other numbers than of the data;"
            " give both as tables of numbers."
        )
    if start.given is None:
        raise ValueError(f"`start` has no given labels, and {name} learns from them.")
    labelled = start.given >= 0
    x, y = seen(Views(start))(labelled)[labelled], start.given[labelled]
    whole = _seeded(_copied(classifier), job.seed_of(-1))
    head, last = (whole[:-1], whole[-1]) if isinstance(whole, Pipeline) else (None, whole)
    if head is not None and len(head):
        x = head.fit_transform(x, y)
    else:
        head = None
    go_on = _by_parts(last, x, y, q) if hasattr(last, "partial_fit") else _warm(last, name, x, y)

    def make(fresh: Any, x: np.ndarray, y: np.ndarray) -> tuple[Any, np.ndarray]:
        fitted, shown = go_on(x if head is None else head.transform(x), y)
        if head is not None:
            fitted = _Behind(head, fitted)
        return fitted, shown

    return make


class _Behind:
    """A fitted classifier behind fitted transformers."""

    def __init__(self, head: Any, last: Any):
        self.head, self.last, self.classes_ = head, last, last.classes_

    def predict_proba(self, x: np.ndarray) -> Any:
        return self.last.predict_proba(self.head.transform(x))


GoOn = Callable[[Any, np.ndarray], tuple[Any, np.ndarray]]


def _by_parts(last: Any, x: Any, y: np.ndarray, q: int) -> GoOn:
    last.partial_fit(x, y, classes=np.arange(q))

    def go_on(x: Any, more: np.ndarray) -> tuple[Any, np.ndarray]:
        return copy.deepcopy(last).partial_fit(x, more), np.union1d(y, more)

    return go_on


def _warm(last: Any, name: str, x: Any, y: np.ndarray) -> GoOn:
    if "warm_start" not in last.get_params():
        raise ValueError(
            f"{name} cannot go on from `start`: it has neither partial_fit nor warm_start. Leave "
            "`start` out, or take SGDClassifier(loss='log_loss'), MLPClassifier or a Network."
        )
    last.set_params(warm_start=True).fit(x, y)

    def go_on(x: Any, more: np.ndarray) -> tuple[Any, np.ndarray]:
        if not np.array_equal(np.unique(more), np.unique(y)):
            raise ValueError(
                f"{name} goes on by warm_start, which needs the same classes in `start` and in "
                "every training fold; take a classifier with partial_fit, or fewer folds."
            )
        return _grown(copy.deepcopy(last)).fit(x, more), np.unique(y)

    return go_on


def _grown(model: Any) -> Any:
    """Ensembles go on by adding members: as many again as they have."""
    from sklearn.ensemble import BaseEnsemble, HistGradientBoostingClassifier

    sizes = ((HistGradientBoostingClassifier, "max_iter"), (BaseEnsemble, "n_estimators"))
    for kind, size in sizes:
        if isinstance(model, kind):
            return model.set_params(**{size: 2 * model.get_params()[size]})
    return model
