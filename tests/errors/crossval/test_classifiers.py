"""Classifiers of scikit-learn's kind: what reaches them, and what is made of their answers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from candidly.data.labels.building import from_arrays
from candidly.errors.crossval import cross_validate

import recorders
from recorders import Recorder, Scaler, numbered


@pytest.mark.parametrize("calibrate", [False, True])
def test_no_held_out_row_reaches_fit(calibrate):
    recorders.cleared()
    x, y = numbered()
    pipeline = make_pipeline(Scaler(), Recorder())
    result = cross_validate(pipeline, (x, y), 5, calibrate=calibrate)
    assert [who for who, _ in recorders.fitted] == ["scaler", "classifier"] * 5
    for number, (_, rows) in enumerate(recorders.fitted):
        held = np.flatnonzero(result.folds == number // 2)
        assert not np.isin(rows, held).any()
        others = np.setdiff1d(np.arange(90), held)
        if calibrate:  # a fifth is for the temperature: it reaches predict_proba, never fit
            assert len(rows) == len(others) - len(recorders.asked[2 * (number // 2) + 1])
            assert np.isin(recorders.asked[2 * (number // 2) + 1], others).all()
            assert not np.isin(recorders.asked[2 * (number // 2) + 1], rows).any()
        else:
            assert np.array_equal(np.sort(rows), others)


@pytest.mark.parametrize(
    "classifier",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        KNeighborsClassifier(5),
        RandomForestClassifier(7, random_state=3),
        GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-1]}, cv=3),
    ],
    ids=lambda c: type(c).__name__,
)
def test_it_is_what_scikit_learn_computes_from_the_same_folds(classifier):
    x, y = numbered(150)
    x = x[:, 1:]
    result = cross_validate(classifier, (x, y))
    theirs = cross_val_predict(
        classifier, x, y, cv=PredefinedSplit(result.folds), method="predict_proba"
    )
    np.testing.assert_allclose(result.probs, theirs, atol=1e-12)
    assert result.accuracies[result.chosen] == (theirs.argmax(1) == y).mean()


def test_an_unset_random_state_follows_the_seed_and_a_set_one_stays():
    x, y = numbered()
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    one, same, other = (cross_validate(forest, (x, y), seed=s).probs for s in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    fixed = RandomForestClassifier(5, random_state=0)
    folds = np.arange(90) % 3
    set_ = [cross_validate(fixed, (x, y), folds, seed=s).probs for s in (0, 1)]
    assert np.array_equal(*set_)


class Broken(ClassifierMixin, BaseEstimator):
    """Says the same row of probabilities of every example."""

    def __init__(self, row=(0.5, 0.5, 0.0)):
        self.row = row

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, x):
        return np.tile(np.asarray(self.row, float), (len(x), 1))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((0.5, 0.5), r"of shape \(18, 2\); \(18, 3\) is needed"),
        ((0.5, 0.6, 0.0), "no probabilities"),
        ((np.nan, 0.5, 0.5), "no probabilities"),
        ((1.2, -0.2, 0.0), "no probabilities"),
    ],
)
def test_answers_that_are_no_probabilities_are_refused(row, message):
    with pytest.raises(ValueError, match=message):
        cross_validate(Broken(row), numbered())


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        (LinearSVC(), "LinearSVC has no predict_proba.*CalibratedClassifierCV"),
        (make_pipeline(StandardScaler(), RidgeClassifier()), "RidgeClassifier has no predict_p"),
        (SVC(), "SVC has no predict_proba"),
        (SGDClassifier(), "SGDClassifier has no predict_proba"),
        (Perceptron(), "Perceptron has no predict_proba"),
        (LogisticRegression, "give an instance, LogisticRegression"),
        (3, "`classifier` is 3"),
    ],
)
def test_who_cannot_give_probabilities_is_refused(classifier, message):
    with pytest.raises(TypeError, match=message):
        cross_validate(classifier, numbered())


# going on from elsewhere


@pytest.fixture
def two():
    """A start and data: numbered rows, the start's from 1000 on."""
    x, y = numbered(240)
    x0 = x[120:] + np.r_[1000, np.zeros(3)]
    return (x0, y[120:]), (x[:120], y[:120])


class Going(GaussianNB):
    """Naive Bayes in parts, which notes the rows."""

    def partial_fit(self, x, y, classes=None):
        recorders.fitted.append(("part", x[:, 0].round().astype(int)))
        return super().partial_fit(x, y, classes=classes)


def test_a_start_is_fitted_once_and_goes_on_in_each_fold(two):
    recorders.cleared()
    start, data = two
    result = cross_validate(make_pipeline(Scaler(), Going()), data, 4, start=start)
    (first, rows0), (then, same), *parts = recorders.fitted
    assert (first, then) == ("scaler", "part")
    assert rows0.min() >= 1000
    assert np.array_equal(rows0, same)
    assert [who for who, _ in parts] == ["part"] * 4  # what is before the last stays as it was
    for k, (_, rows) in enumerate(parts):
        assert np.array_equal(rows, np.flatnonzero(result.folds != k))


def test_going_on_in_parts_is_fitting_both(two):
    # naive Bayes in two parts equals naive Bayes of all rows
    (x0, y0), (x, y) = two
    result = cross_validate(GaussianNB(var_smoothing=0), (x, y), 4, start=(x0, y0))
    for k in range(4):
        rest = result.folds != k
        both = GaussianNB(var_smoothing=0).fit(np.r_[x0, x[rest]], np.r_[y0, y[rest]])
        np.testing.assert_allclose(result.probs[~rest], both.predict_proba(x[~rest]), atol=1e-8)


@pytest.mark.parametrize(
    ("classifier", "size"),
    [
        (RandomForestClassifier(6), lambda m: len(m.estimators_)),
        (BaggingClassifier(n_estimators=4), lambda m: len(m.estimators_)),
        (GradientBoostingClassifier(n_estimators=5), lambda m: len(m.estimators_)),
        (HistGradientBoostingClassifier(max_iter=5), lambda m: m.n_iter_),
    ],
    ids=lambda c: type(c).__name__,
)
def test_ensembles_go_on_by_as_many_members(two, classifier, size):
    from candidly.errors.crossval._classifiers import _warm

    (x0, y0), (x, y) = two
    go_on = _warm(classifier, "it", x0, y0)
    before = size(classifier)
    fitted, shown = go_on(x, y)
    assert size(fitted) == 2 * before
    assert size(classifier) == before  # each fold goes on from a copy
    assert shown.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(max_iter=500),
        RandomForestClassifier(10),
        MLPClassifier((8,), max_iter=30),
        make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss")),
    ],
    ids=lambda c: type(c).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_those_that_can_go_on_do(two, classifier):
    start, data = two
    probs = cross_validate(classifier, data, 3, start=start).probs
    np.testing.assert_allclose(probs.sum(1), 1)


def test_those_that_cannot_go_on_are_refused_by_name(two):
    start, data = two
    with pytest.raises(ValueError, match="KNeighborsClassifier cannot go on from `start`"):
        cross_validate(KNeighborsClassifier(), data, start=start)
    (x0, y0), (x, y) = two
    with pytest.raises(ValueError, match="needs the same classes"):
        cross_validate(LogisticRegression(), data, start=(x0[y0 < 2], y0[y0 < 2]))
    with pytest.raises(ValueError, match="must be alike"):
        cross_validate(GaussianNB(), data, start=(x0[:, :2], y0))
    named = from_arrays(x0, [("a", "b", "c")[k] for k in y0])
    with pytest.raises(ValueError, match="must be the same, in order"):
        cross_validate(GaussianNB(), from_arrays(x, y), start=named)


def test_a_class_of_the_start_alone_is_known_and_named(two):
    (x0, y0), (x, y) = two
    some = y < 2
    result = cross_validate(GaussianNB(), (x[some], y[some]), 3, start=(x0, y0))
    assert result.classes == ("0", "1", "2")
    assert not any("probability 0" in sentence for sentence in result.warnings)
    words = np.array(["cat", "dog", "emu"])
    named = cross_validate(GaussianNB(), (x[some], words[y[some]]), 3, start=(x0, words[y0]))
    assert named.classes == ("cat", "dog", "emu")
    np.testing.assert_array_equal(named.probs, result.probs)
