"""scikit-learn's own checks, and what its users do: pipelines, grids, frames, sets of labels."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import candidly
from candidly.errors.crossval import Network
from candidly.errors.estimator import CleanClassifier, LabelErrorDetector
from candidly.ground.arrays import objects
from candidly.learn.estimators import (
    NoisyLabelClassifier,
    PartialLabelClassifier,
    accuracy_scorer,
    candidate_sets,
    covering_rate_scorer,
    read_sets,
)

from toys import toy

NAMES = np.array(["ant", "bee", "cat", "dog", "elk", "fox", "gnu"], object)
QUICK = {"steps": 120, "random_state": 0}

# a row of weight 2 is not drawn as two: test_weighted.py shows both to be the same in one batch
OF_BATCHES = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        LabelErrorDetector(GaussianNB(), random_state=0),
        CleanClassifier(GaussianNB(), random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    """None is expected to fail."""
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        NoisyLabelClassifier(steps=100, random_state=0),
        PartialLabelClassifier(steps=60, random_state=0),
        PartialLabelClassifier("CC", steps=100, early_stopping=True, random_state=0),
        LabelErrorDetector(random_state=0),
    ],
    expected_failed_checks=lambda estimator: dict.fromkeys(OF_BATCHES, "rows are drawn in batches"),
)
def test_scikit_learn_checks_of_the_others(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return toy()


def sets_of(data):
    return [[str(NAMES[k]) for k in np.flatnonzero(row)] for row in data.candidates]


# labels in


def forms(data):
    lists = sets_of(data)
    return {
        "lists": lists,
        "tuples": [tuple(row) for row in lists],
        "sets": [set(row) for row in lists],
        "strings": ["|".join(row) for row in lists],
        "array of strings": np.array(["|".join(row) for row in lists]),
        "array of sets": candidate_sets(lists),
        "series": pd.Series(["|".join(row) for row in lists]),
        "polars series": pl.Series([" | ".join(row) for row in lists]),
        "pandas": pd.DataFrame(data.candidates, columns=NAMES),
        "polars": pl.DataFrame(data.candidates, schema=list(NAMES)),
        "polars numbers": pl.DataFrame(data.candidates.astype(int), schema=list(NAMES)),
    }


def test_sets_in_any_form_are_the_same(data):
    for form, y in forms(data).items():
        sets = read_sets(y)
        assert np.array_equal(sets.member, data.candidates), form
        assert sets.classes.tolist() == NAMES.tolist(), form
        assert not sets.plain, form
    for matrix in (data.candidates, data.candidates.astype(int)):
        for y in (matrix, sparse.csr_matrix(matrix), sparse.csr_array(matrix.astype(float))):
            assert np.array_equal(read_sets(y, classes=NAMES).member, data.candidates)
            assert read_sets(y).classes.tolist() == list(range(7))


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([3, 1, 3], [1, 3]),
        ([-1, 1, 1], [-1, 1]),
        (np.array([True, False]), [False, True]),
        (["b", "a", "b"], ["a", "b"]),
        (np.array([2.0, 0.0]), [0.0, 2.0]),
        (pd.Series(["b", "a"], dtype="category"), ["a", "b"]),
        (pl.Series([5, 7]), [5, 7]),
    ],
)
def test_one_label_a_row_keeps_its_type(y, classes):
    sets = read_sets(y)
    assert sets.plain
    assert sets.classes.tolist() == classes
    assert [classes[k] for k in sets.member.argmax(1)] == list(y)
    found = read_sets([[label] for label in list(y)])
    assert found.classes.tolist() == classes
    assert not found.plain


@pytest.mark.parametrize(
    ("y", "classes", "told"),
    [
        ([["a"], [], ["b"]], None, "no label at row 1"),
        (np.array([[1, 0], [0, 0]]), None, "no label at row 1"),
        (["a|b", "", "b"], None, "no label at row 1"),
        ([["a"], ["c"]], ["a", "b"], "'c' at row 1, which is not among the classes"),
        (["a", "bb"], ["a", "b"], "'bb' at row 1.*did you mean 'b'"),
        ([["a"], [1]], None, "1 .number. at row 1, and 'a' .text. before"),
        (["a", None], None, "no label at row 1"),
        ([["a"], None], None, "no label at row 1"),
        (np.array([[2, 0], [0, 1]]), None, "2 at row 0, column 0"),
        (sparse.csr_matrix(np.array([[1, 0], [0, 3]])), None, "3 at row 1, column 1"),
        (np.array([[1, 0], [0, 1]]), ["a", "b", "c"], "2 columns, and there are 3 classes"),
        (pd.DataFrame({"a": [1], "b": [0]}), ["a", "c"], "column|class"),
        (["a;b", "a|b"], None, "looks like a list in another notation"),
        (["a|b", "['a']"], None, "looks like a list in another notation"),
        (["a||b"], None, "a label has no name"),
        ([0.5, 1.5], None, "Unknown label type: continuous"),
        (["a"], ["a", "a"], "'a' at position 0 and again"),
        (None, None, "the target y is None"),
    ],
)
def test_bad_labels_are_refused_by_row(y, classes, told):
    with pytest.raises(ValueError, match=told):
        read_sets(y, classes)


def test_the_labels_of_a_fold_may_lack_some(data):
    rows = np.flatnonzero(~data.candidates[:, 6])[:60]
    some = [sets_of(data)[row] for row in rows]
    found = PartialLabelClassifier(**QUICK, classes=list(NAMES)).fit(data.inputs[rows], some)
    assert found.classes_.tolist() == NAMES.tolist()
    assert found.predict_proba(data.inputs).shape == (data.n, 7)


# fitting


def test_it_is_the_network_of_fit(data):
    found = PartialLabelClassifier("CC", steps=150, lr=3e-3, random_state=5).fit(
        data.inputs, data.candidates
    )
    both = candidly.from_arrays(np.float64(data.inputs), candidates=data.candidates)
    model = candidly.fit(both, "CC", steps=150, lr=3e-3, seed=5)
    assert np.array_equal(found.predict_proba(data.inputs), model.predict_proba(data.inputs))
    assert np.array_equal(found.predict(data.inputs), model.predict(data.inputs))
    noisy = NoisyLabelClassifier("gce", steps=80, random_state=1, batch_size=32)
    noisy.fit(data.inputs, data.given)
    one = candidly.from_arrays(np.float64(data.inputs), given=data.given, classes=7)
    model = candidly.fit(one, "gce", steps=80, seed=1, batch_size=32)
    assert np.array_equal(noisy.predict_proba(data.inputs), model.predict_proba(data.inputs))


def test_hyper_parameters_of_the_algorithm_reach_it(data):
    gce = NoisyLabelClassifier("gce", **QUICK, hyper={"power": 0.3})
    assert gce.fit(data.inputs, data.given).model_.about["hyper"]["power"] == 0.3
    with pytest.raises(ValueError, match="did you mean 'power'"):
        clone(gce).set_params(hyper={"powr": 0.3}).fit(data.inputs, data.given)


def test_labels_come_back_in_their_type(data):
    truth = data.truth
    for y in (NAMES[truth], truth + 10, truth > 3):
        found = NoisyLabelClassifier(**QUICK).fit(data.inputs, y)
        assert found.classes_.tolist() == sorted(set(y.tolist()))
        assert type(found.predict(data.inputs[:3]).tolist()[0]) is type(y.tolist()[0])
        assert found.score(data.inputs, y) > 0.8


def test_pickled_and_sparse_it_predicts_the_same(data):
    found = PartialLabelClassifier(**QUICK).fit(data.inputs, sets_of(data))
    again = pickle.loads(pickle.dumps(found))
    expected = found.predict_proba(data.inputs)
    assert np.array_equal(again.predict_proba(data.inputs), expected)
    thin = sparse.csr_matrix(data.inputs.astype(np.float64))
    assert np.array_equal(found.predict_proba(thin), expected)
    whole = clone(found).fit(thin, data.candidates)
    assert np.array_equal(whole.predict_proba(data.inputs), expected)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_are_held_to_their_names(data, kind):
    columns = {f"f{k}": data.inputs[:, k] for k in range(12)}
    found = PartialLabelClassifier(**QUICK).fit(kind(columns), sets_of(data))
    assert found.feature_names_in_.tolist() == list(columns)
    assert found.n_features_in_ == 12
    plain = PartialLabelClassifier(**QUICK).fit(data.inputs, sets_of(data))
    expected = plain.predict_proba(data.inputs)
    assert np.abs(found.predict_proba(kind(columns)) - expected).max() < 1e-5
    other = {("x" if name == "f3" else name): column for name, column in columns.items()}
    with pytest.raises(ValueError, match="feature names"):
        found.predict(kind(other))


def test_frames_with_categories_and_gaps_need_no_preparation(data):
    frame = pd.DataFrame(data.inputs[:, :4], columns=list("abcd"))
    frame["kind"] = np.where(data.truth < 3, "low", "high")
    frame.loc[:5, "a"] = np.nan
    found = NoisyLabelClassifier(**QUICK).fit(frame, NAMES[data.truth])
    assert found.score(frame, NAMES[data.truth]) > 0.7


def test_texts_are_inputs_too():
    texts = ["red apple", "green apple", "fast car", "slow car", "ripe apple", "old car"] * 10
    found = NoisyLabelClassifier(**QUICK).fit(texts, ["fruit", "fruit", "car", "car"] * 15)
    assert found.predict(["an apple", "a car"]).shape == (2,)


# early stopping


def test_early_stopping_keeps_the_best_record(data):
    how = {"steps": 200, "eval_every": 20, "validation_fraction": 0.2, "random_state": 3}
    found = PartialLabelClassifier("CC", early_stopping=True, **how)
    found.fit(data.inputs, data.candidates)
    scores = found.validation_scores_
    assert list(scores) == list(range(20, 201, 20))
    best = max(scores, key=lambda step: (scores[step], -step))
    assert found.model_.about["steps"] == best
    both = candidly.from_arrays(np.float64(data.inputs), candidates=data.candidates)
    split = both.split(3, test=0.0, validation=0.2)
    held = both[split.validation]
    rate = found.model_.measure(held)["covering rate"]
    assert rate == scores[best]
    assert found.model_.about["rows"] == len(split.train) == data.n - held.n


def test_each_criterion_is_for_its_labels(data):
    with pytest.raises(ValueError, match="one of CR, AA"):
        PartialLabelClassifier(early_stopping="NVA").fit(data.inputs, data.candidates)
    with pytest.raises(ValueError, match="one of NVA"):
        NoisyLabelClassifier(early_stopping="CR").fit(data.inputs, data.given)
    aa = PartialLabelClassifier(early_stopping="AA", **QUICK).fit(data.inputs, data.candidates)
    nva = NoisyLabelClassifier(early_stopping=True, **QUICK).fit(data.inputs, data.given)
    assert len(aa.validation_scores_) == len(nva.validation_scores_) == 20
    with pytest.raises(ValueError, match="Lower eval_every"):
        clone(nva).set_params(eval_every=500).fit(data.inputs, data.given)


# scoring, and the rest of scikit-learn


def test_scores_are_accuracy_and_covering_rate(data):
    sets, X = sets_of(data), data.inputs
    found = PartialLabelClassifier(**QUICK).fit(X, sets)
    predicted = found.predict(X)
    covered = np.mean([label in one for label, one in zip(predicted, sets)])
    right = np.mean(predicted == NAMES[data.truth])
    assert found.score(X, sets) == covering_rate_scorer(found, X, sets) == covered
    assert found.score(X, NAMES[data.truth]) == right
    assert accuracy_scorer(found, X, NAMES[data.truth]) == right
    assert covered >= right
    with pytest.raises(ValueError, match="covering_rate_scorer"):
        accuracy_scorer(found, X, sets)


@pytest.mark.parametrize(
    "form",
    [
        "array of sets",
        *(pytest.param(f, marks=pytest.mark.slow) for f in ("pandas", "bool matrix")),
    ],
)
def test_cross_validation_takes_candidate_sets(data, form):
    y = {**forms(data), "bool matrix": data.candidates}[form]
    classifier = make_pipeline(StandardScaler(), PartialLabelClassifier(**QUICK))
    scores = cross_val_score(classifier, data.inputs, y, cv=3)
    assert scores.shape == (3,)
    assert scores.min() > 0.6
    again = cross_val_score(classifier, data.inputs, y, cv=3, scoring=covering_rate_scorer)
    assert np.array_equal(again, scores)


def test_probabilities_by_cross_validation_are_of_classes_and_not_of_sets(data):
    classifier = make_pipeline(StandardScaler(), PartialLabelClassifier(**QUICK))
    sets = sets_of(data)
    texts = np.array(["|".join(sorted(map(str, row))) for row in sets])
    wrong = [candidate_sets(sets), texts, objects([frozenset(row) for row in sets])]
    for y in wrong:
        with pytest.raises(ValueError, match=r"read_sets\(y\)\.member"):
            cross_val_predict(classifier, data.inputs, y, cv=2, method="predict_proba")
    matrix = read_sets(sets).member
    assert (matrix == data.candidates).all()
    probs = cross_val_predict(classifier, data.inputs, matrix, cv=2, method="predict_proba")
    assert (probs.argmax(1) == data.truth).mean() > 0.6
    plain = NAMES[data.truth]  # numbers of classes of one label each are as good as these
    probs = cross_val_predict(classifier, data.inputs, plain, cv=2, method="predict_proba")
    assert probs.shape == (data.n, len(NAMES))


@pytest.mark.slow
def test_a_grid_over_algorithms_and_their_settings(data):
    y = candidate_sets(sets_of(data))
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), PartialLabelClassifier(**QUICK)),
        {
            "partiallabelclassifier__algorithm": ["PRODEN", "CC"],
            "partiallabelclassifier__lr": [1e-7, 1e-3],
        },
        cv=2,
        scoring=covering_rate_scorer,
    ).fit(data.inputs, y)
    assert grid.best_params_["partiallabelclassifier__lr"] == 1e-3
    assert len(grid.cv_results_["params"]) == 4
    train, test, sets, kept = train_test_split(data.inputs, y, random_state=0)
    assert grid.best_estimator_.fit(train, sets).score(test, kept) > 0.6


def test_columns_of_different_kinds_in_a_pipeline(data):
    frame = pd.DataFrame(data.inputs[:, :6], columns=list("abcdef"))
    frame["kind"] = np.where(data.truth < 3, "low", "high")
    made = make_column_transformer(
        (OneHotEncoder(), ["kind"]), remainder=StandardScaler(), sparse_threshold=1.0
    )
    found = make_pipeline(made, PartialLabelClassifier(**QUICK)).fit(frame, data.candidates)
    assert found.score(frame, data.candidates) > 0.8


def test_other_classifiers_can_be_scored_by_candidate_sets(data):
    forest = RandomForestClassifier(20, random_state=0).fit(data.inputs, NAMES[data.truth])
    assert covering_rate_scorer(forest, data.inputs, sets_of(data)) == 1.0


def test_sets_are_no_noisy_labels(data):
    with pytest.raises(ValueError, match="Use PartialLabelClassifier"):
        NoisyLabelClassifier().fit(data.inputs, sets_of(data))
    with pytest.raises(ValueError, match="has no candidates"):
        NoisyLabelClassifier("PRODEN", **QUICK).fit(data.inputs, data.given)


# label errors


@pytest.fixture(scope="module")
def flipped():
    data = toy(n=400, spread=4.0)
    wrong = np.zeros(400, bool)
    wrong[::20] = True
    return data.inputs, NAMES[np.where(wrong, (data.truth + 1) % 7, data.truth)], wrong


def test_wrong_labels_are_found_and_left_out(flipped):
    X, y, wrong = flipped
    found = LabelErrorDetector(LogisticRegression(max_iter=1000), random_state=0).fit(X, y)
    assert np.mean(found.flagged_[wrong]) > 0.8
    assert np.mean(found.flagged_[~wrong]) < 0.05
    assert found.issues_.height == found.flagged_.sum()
    first = found.issues_.row(0, named=True)
    assert first["given"] == y[first["index"]]
    kept, labels = found.clean(X, y)
    assert len(kept) == len(labels) == 400 - found.flagged_.sum()
    assert np.array_equal(kept, X[~found.flagged_])
    expected = candidly.errors.find(
        np.searchsorted(found.classes_.tolist(), y), found.probabilities_
    )
    assert np.array_equal(found.flagged_, expected.mask)
    again = pickle.loads(pickle.dumps(found))
    assert again.issues_.equals(found.issues_)


def test_what_is_cleaned_is_what_was_fitted(flipped):
    X, y, _ = flipped
    found = LabelErrorDetector(GaussianNB(), random_state=0).fit(pd.DataFrame(X), pd.Series(y))
    frame, labels = found.clean(pd.DataFrame(X), pd.Series(y))
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(labels, pd.Series)
    with pytest.raises(ValueError, match="fitted on 400"):
        found.clean(X[:10], y[:10])


def test_sets_that_lack_the_truth_are_found(flipped):
    data = toy(n=400, spread=4.0)
    sets = np.array(data.candidates)
    sets[::20] = False
    sets[np.arange(0, 400, 20), (data.truth[::20] + 1) % 7] = True
    found = LabelErrorDetector(Network("CC", steps=300), random_state=0, cv=3).fit(
        data.inputs, sets
    )
    assert np.mean(found.flagged_[::20]) > 0.7


# candidly.fit


def test_fit_takes_what_people_have(data):
    pair = candidly.fit((data.inputs, sets_of(data)), "CC", steps=20)
    assert pair.classes == tuple(NAMES)
    value = candidly.fit((data.inputs, sets_of(data)), candidly.ALGORITHMS["CC"], steps=20)
    assert np.array_equal(pair.predict_proba(data.inputs), value.predict_proba(data.inputs))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (lambda X, y: ((X, y), "CC", {"net": object()}), "net='my_net.py:make'"),
        (lambda X, y: (X, y, {}), r"inputs and labels as two arguments: fit\(\(X, y\)"),
        (lambda X, y: (X, None, {}), "this is a ndarray"),
    ],
)
def test_fit_says_what_to_write(data, arguments, told):
    first, second, how = arguments(data.inputs, data.candidates)
    with pytest.raises(ValueError, match=told):
        candidly.fit(first, second, **how)


def test_fit_says_what_to_do_with_a_module_or_a_page_of_ones_own(data):
    from dataclasses import replace

    import torch

    with pytest.raises(ValueError, match="net is a Linear"):
        candidly.fit(data, "CC", net=torch.nn.Linear(12, 7))
    own = replace(candidly.ALGORITHMS["CC"], name="mine")
    with pytest.raises(ValueError, match="Register it first"):
        candidly.fit(data, own)
    with pytest.raises(ValueError, match="has another algorithm named CC"):
        candidly.fit(data, replace(candidly.ALGORITHMS["CC"], version=99))


# data frames as they are, and what is learned from clean rows


def columns(n=300):
    """A data frame whose label follows from a column of names, a tenth of the labels wrong."""
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], n)
    y = np.where(colour == "red", "warm", "cold").astype(object)
    wrong = rng.random(n) < 0.1
    y[wrong] = np.where(y[wrong] == "warm", "cold", "warm")
    return pd.DataFrame({"colour": colour, "size": rng.normal(size=n)}), y, wrong


def by_columns():
    named = ColumnTransformer([("names", OneHotEncoder(), ["colour"]), ("rest", "drop", ["size"])])
    return make_pipeline(named, LogisticRegression())


@pytest.mark.parametrize("lib", ["pandas", "polars"])
def test_frames_stay_frames_for_who_takes_columns_by_name(lib):
    frame, y, wrong = columns()
    frame = frame if lib == "pandas" else pl.DataFrame(frame.to_dict("list"))
    found = LabelErrorDetector(by_columns(), random_state=0).fit(frame, y)
    assert found.flagged_[wrong].mean() > 0.9
    assert found.flagged_[~wrong].mean() < 0.05
    crossed = candidly.errors.cross_validate(by_columns(), (frame, y))
    plain = candidly.errors.cross_validate(by_columns(), (frame, y), encoder="none")
    np.testing.assert_array_equal(crossed.probs, plain.probs)
    read = candidly.from_arrays(frame, y)  # a container gives the frame back
    np.testing.assert_array_equal(
        candidly.errors.cross_validate(by_columns(), read).probs, crossed.probs
    )


def test_a_clean_classifier_learns_from_what_is_not_flagged():
    frame, y, wrong = columns()
    found = CleanClassifier(by_columns(), random_state=0).fit(frame, y)
    judge = LabelErrorDetector(by_columns(), random_state=0).fit(frame, y)
    np.testing.assert_array_equal(found.flagged_, judge.flagged_)
    again = by_columns().fit(*judge.clean(frame, y))
    np.testing.assert_array_equal(found.predict_proba(frame), again.predict_proba(frame))
    np.testing.assert_array_equal(found.decision_function(frame), again.decision_function(frame))
    assert found.score(frame[~wrong], y[~wrong]) == 1
    assert not hasattr(CleanClassifier(GaussianNB()), "decision_function")


def test_what_each_row_weighs_is_handed_on_for_the_rows_that_are_left():
    frame, y, _ = columns()
    seen = {}

    class Weighed(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            if sample_weight is not None:
                seen["weights"] = sample_weight
            return super().fit(X, y, sample_weight)

    X, weights = frame[["size"]].to_numpy() + (y == "warm")[:, None] * 9.0, np.arange(len(y)) + 1.0
    found = CleanClassifier(Weighed(), random_state=0).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(seen["weights"], weights[~found.flagged_])


def test_a_clean_classifier_keeps_every_class_and_refuses_sets(monkeypatch):
    frame, y, _ = columns(60)
    monkeypatch.setattr(
        "candidly.errors.estimator.find",
        lambda labels, probs, by: SimpleNamespace(mask=labels == 1, table=lambda classes: None),
    )
    found = CleanClassifier(by_columns(), random_state=0).fit(frame, y)
    assert set(found.classifier_.classes_) == {"warm", "cold"}
    with pytest.raises(ValueError, match="CleanClassifier takes one label a row"):
        CleanClassifier(by_columns()).fit(frame, [["warm", "cold"]] * len(y))


@pytest.mark.parametrize("q", [2, 3])
def test_decision_function_agrees_with_what_is_predicted(data, q):
    rows = np.flatnonzero(data.given < q)
    X, y = data.inputs[rows], data.given[rows]
    found = NoisyLabelClassifier(**QUICK).fit(X, y)
    scores = found.decision_function(X)
    assert scores.shape == ((len(X),) if q == 2 else (len(X), q))
    chosen = (scores > 0).astype(int) if q == 2 else scores.argmax(1)
    np.testing.assert_array_equal(found.classes_[chosen], found.predict(X))
