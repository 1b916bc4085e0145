"""Labels that confident learning flags, as estimators: found, and left out of what is learned."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..data.labels.building import from_numbers
from ..ground.arrays import door, is_frame
from ..learn.estimators import inputs_of, read_sets, seed_of
from .confident import find
from .crossval import cross_validate

LEAST = 2  # rows
CHOSEN = {True: "noise rate", False: "margin"}  # how labels are flagged: one a row, or sets


class LabelErrorDetector(BaseEstimator):
    """Finds labels that confident learning flags, and candidate sets that may lack the truth.

    A flag is a reason to look: classes that overlap are flagged like errors. How many labels are
    wrong, ``candidly.errors.estimate(y, detector.probabilities_)`` says.

    It cannot stand inside a ``Pipeline``: what it changes is which rows and labels there are, and
    a pipeline hands on inputs alone. Fit it before the pipeline, and fit that on ``clean(X, y)``.

    Args:
        classifier: what is cross-validated: a scikit-learn classifier, the name of an algorithm,
            ...; see ``candidly.errors.cross_validate``. None: what suits the inputs.
        by: how labels are flagged, see ``candidly.errors.find``; None: ``noise rate``, and
            ``margin`` for candidate sets.
        cv: folds, at least 2, or the fold of each row, int (n,).
        random_state: the seed of folds and models.
        encoder: what makes numbers of pictures; see ``candidly.errors.cross_validate``.

    Attributes:
        issues_: a polars data frame with a line for each flagged row, the most suspicious first:
            its index, the labels by name, and scores (``candidly.errors.Issues.table``).
        flagged_: bool (n,), the flagged rows.
        probabilities_: float (n, q), out of sample, in the order of ``classes_``.
        classes_: (q,), the labels in their own type.

    Source: Northcutt, Jiang & Chuang, JAIR 2021; see ``docs/label-errors.md``.
    """

    def __init__(
        self,
        classifier: Any = None,
        *,
        by: str | None = None,
        cv: Any = 5,
        random_state: Any = None,
        encoder: str | None = None,
    ):
        self.classifier = classifier
        self.by = by
        self.cv = cv
        self.random_state = random_state
        self.encoder = encoder

    @door
    def fit(self, X: Any, y: Any, groups: Any = None) -> LabelErrorDetector:
        """Predict every row by a model that did not learn from it, and find what contradicts.

        Args:
            X: as for ``PartialLabelClassifier``.
            y: one label a row, or candidate sets; see ``estimators.read_sets``.
            groups: (n,): rows of one group stay in one fold.

        Raises:
            ValueError: labels or inputs that nothing can be learned from; names the row.
        """
        inputs = inputs_of(self, X, reset=True)
        sets = read_sets(y)
        check_consistent_length(inputs, sets.member)
        if len(sets.member) < LEAST:
            raise ValueError(
                f"n_samples = {len(sets.member)}: rows are predicted by models that learn from "
                f"others, so there have to be {LEAST} at least."
            )
        labels = sets.member.argmax(1) if sets.plain else sets.member
        given, candidates = (labels, None) if sets.plain else (None, labels)
        data = from_numbers(inputs, sets.names, given=given, candidates=candidates)
        frame = inputs if is_frame(inputs) else None
        crossed = cross_validate(
            self.classifier,
            data,
            self.cv,
            groups,
            seed_of(self.random_state),
            encoder=self.encoder,
            frame=frame,
        )
        by: Any = CHOSEN[sets.plain] if self.by is None else self.by
        self.classes_ = sets.classes
        self.probabilities_ = crossed.probs
        found = find(labels, crossed.probs, by)
        self.issues_, self.flagged_ = found.table(classes=sets.names), found.mask
        return self

    @door
    def clean(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows that are not flagged, of the inputs and labels that it was fitted on.

        Args:
            X, y: in the order of ``fit``, in any form that scikit-learn can index.

        Raises:
            ValueError: another number of rows.
        """
        check_is_fitted(self)
        check_consistent_length(X, y)
        if len(self.flagged_) != _rows(y):
            raise ValueError(
                f"`y` has {_rows(y)} rows, and the detector was fitted on {len(self.flagged_)}. "
                "Clean what it was fitted on."
            )
        kept = np.flatnonzero(~self.flagged_)
        return _safe_indexing(X, kept), _safe_indexing(y, kept)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


class CleanClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier that is fitted to the rows whose labels confident learning does not flag.

    Every row is judged by a model that did not learn from it, as by ``LabelErrorDetector``; what is
    flagged is left out, and the classifier is fitted to the rest. A class keeps its rows where all
    of them are flagged.

    Args:
        classifier: of scikit-learn, with ``predict_proba``, perhaps at the end of a ``Pipeline``;
            None: logistic regression on standardised features.
        by, cv, random_state: as for ``LabelErrorDetector``.

    Attributes:
        classifier_: the one that was fitted.
        issues_, flagged_, probabilities_, classes_: as of ``LabelErrorDetector``.
        n_features_in_, feature_names_in_: of tables, as in scikit-learn.

    Source: Northcutt, Jiang & Chuang, JAIR 2021; see ``docs/label-errors.md``.
    """

    def __init__(
        self,
        classifier: Any = None,
        *,
        by: str | None = None,
        cv: Any = 5,
        random_state: Any = None,
    ):
        self.classifier = classifier
        self.by = by
        self.cv = cv
        self.random_state = random_state

    @door
    def fit(self, X: Any, y: Any, groups: Any = None, **of_rows: Any) -> CleanClassifier:
        """Find labels that confident learning flags, and fit to the rows without them.

        Args:
            X, groups: as for ``LabelErrorDetector``.
            y: one label a row.
            of_rows: what else the classifier's ``fit`` takes for each row, such as
                ``sample_weight``; the models that judge labels do without.

        Raises:
            ValueError: labels or inputs that nothing can be learned from; names the row.
        """
        inputs = inputs_of(self, X, reset=True)
        labels = read_sets(y)
        if not labels.plain:
            raise ValueError(
                "`y` holds sets of candidates, and CleanClassifier takes one label a row. Use "
                "LabelErrorDetector, or PartialLabelClassifier."
            )
        seed = seed_of(self.random_state)
        made = _usual() if self.classifier is None else self.classifier
        judge = LabelErrorDetector(made, by=self.by, cv=self.cv, random_state=seed)
        judge.fit(inputs, y, groups)
        for name in ("issues_", "flagged_", "probabilities_", "classes_"):
            setattr(self, name, getattr(judge, name))
        number = labels.member.argmax(1)
        kept = ~judge.flagged_
        kept |= ~np.isin(number, number[kept])
        rows = np.flatnonzero(kept)
        beside = {name: _safe_indexing(value, rows) for name, value in of_rows.items()}
        own = labels.classes[number[rows]]
        self.classifier_ = clone(made).fit(_safe_indexing(inputs, rows), own, **beside)
        return self

    @door
    def predict(self, X: Any) -> np.ndarray:
        """The label of each row, (n,), in the type that labels were given in."""
        return self._asked("predict", X)

    @door
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities (n, q), in the order of ``classes_``."""
        return self._asked("predict_proba", X)

    @available_if(lambda self: hasattr(self.classifier or _usual(), "decision_function"))
    @door
    def decision_function(self, X: Any) -> np.ndarray:
        """What the classifier's ``decision_function`` says."""
        return self._asked("decision_function", X)

    def _asked(self, what: str, X: Any) -> np.ndarray:
        check_is_fitted(self)
        found: np.ndarray = getattr(self.classifier_, what)(inputs_of(self, X, reset=False))
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inside = _usual() if self.classifier is None else self.classifier
        tags.input_tags.sparse = get_tags(inside).input_tags.sparse
        return tags


def _usual() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(with_mean=False), LogisticRegression(max_iter=1000))


def _rows(values: Any) -> int:
    return values.shape[0] if hasattr(values, "shape") else len(values)
