"""``sample_weight`` and ``class_weight`` of the network classifiers."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_class_weight

from candidly.learn import NoisyLabelClassifier, PartialLabelClassifier

RNG = np.random.default_rng(0)
Y = np.array(["cat"] * 30 + ["dog"] * 10)
X = RNG.normal(size=(40, 3)) + (Y == "dog")[:, None]
HOW = {"steps": 60, "random_state": 0, "net": "mlp:8"}


def probs(classifier, **how):
    return classifier.fit(X, Y, **how).predict_proba(X)


@pytest.mark.parametrize("stop", [False, True])
def test_class_weights_are_weights_of_rows(stop):
    how = HOW | {"early_stopping": stop}
    weights = dict(zip(("cat", "dog"), compute_class_weight("balanced", classes=np.unique(Y), y=Y)))
    of_rows = np.array([weights[label] for label in Y])
    by_hand = probs(NoisyLabelClassifier("ce", **how), sample_weight=of_rows)
    for said in ("balanced", weights):
        found = probs(NoisyLabelClassifier("ce", class_weight=said, **how))
        np.testing.assert_allclose(found, by_hand, atol=1e-6)
    plain = probs(NoisyLabelClassifier("ce", **how))
    assert by_hand[:, 1].mean() > plain[:, 1].mean() + 0.02
    both = probs(NoisyLabelClassifier("ce", class_weight={"dog": 3}, **how), sample_weight=of_rows)
    three = of_rows * np.where(Y == "dog", 3, 1)
    np.testing.assert_array_equal(
        both, probs(NoisyLabelClassifier("ce", **how), sample_weight=three)
    )


def test_numbers_as_labels_have_weights_by_their_number():
    numbers = np.where(Y == "dog", 7, 3)
    found = NoisyLabelClassifier("ce", class_weight={7: 5.0}, **HOW).fit(X, numbers)
    np.testing.assert_array_equal(
        found.predict_proba(X), probs(NoisyLabelClassifier("ce", class_weight={"dog": 5.0}, **HOW))
    )


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"dgo": 2}, "'dgo', which is none of the labels; did you mean 'dog'"),
        ("equal", "use None, 'balanced' or a dict"),
        ({"dog": -1}, r"class_weight\['dog'\] is -1"),
        ({"dog": float("nan")}, r"class_weight\['dog'\] is nan"),
        ({"dog": "2"}, r"class_weight\['dog'\] is '2'; it is a finite number"),
    ],
)
def test_what_is_no_class_weight_is_refused(weights, said):
    with pytest.raises(ValueError, match=said):
        NoisyLabelClassifier("ce", class_weight=weights, **HOW).fit(X, Y)


def test_sets_of_candidates_take_weights_of_rows():
    sets = [["cat", "dog"] if i % 4 == 0 else [label] for i, label in enumerate(Y)]
    weights = np.where(Y == "dog", 9.0, 1.0)
    plain = PartialLabelClassifier(**HOW).fit(X, sets).predict_proba(X)
    found = PartialLabelClassifier(**HOW).fit(X, sets, sample_weight=weights).predict_proba(X)
    assert found[:, 1].mean() > plain[:, 1].mean() + 0.02


def test_scikit_learn_routes_weights():
    weights = np.where(Y == "dog", 9.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = NoisyLabelClassifier("ce", **HOW).set_fit_request(sample_weight=True)
        asked.set_score_request(sample_weight=True)
        chain = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asked)
        chain.fit(X, Y, sample_weight=weights)
        by_hand = StandardScaler().fit(X).transform(X)
        same = NoisyLabelClassifier("ce", **HOW).fit(by_hand, Y, sample_weight=weights)
        np.testing.assert_array_equal(chain.predict_proba(X), same.predict_proba(by_hand))
        scores = cross_val_score(chain, X, Y, cv=3, params={"sample_weight": weights})
    assert np.isfinite(scores).all()


def test_the_score_is_a_weighted_share():
    weights = np.arange(len(Y))
    found = NoisyLabelClassifier("ce", **HOW).fit(X, Y)
    right = found.predict(X) == Y
    assert found.score(X, Y) == pytest.approx(right.mean())
    weighted = (right * weights).sum() / weights.sum()
    assert found.score(X, Y, sample_weight=weights) == pytest.approx(weighted)
