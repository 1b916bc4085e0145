"""Classifiers as arrays say what scikit-learn's own say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.data.inputs.texts import word_counts
from candidly.learn.classifiers import classifier, frozen, thawed

OF_TABLES = ("logistic", "logistic:C=0.03", "forest:leaf=3,trees=20", "boosting", "blend")
OF_TEXTS = ("logistic", "bayes", "bayes:alpha=1", "forest:trees=20", "blend")
WORDS = np.array(["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"])


def made(kind, q, seed, n=160):
    rng = np.random.default_rng(seed)
    if kind == "texts":
        rows = rng.integers(0, len(WORDS), (n, 5))
        x = word_counts([" ".join(WORDS[row]) for row in rows])
        return x, rows[:, 0] % q
    x = rng.normal(size=(n, 5)).round(1)  # ties, so that rows lie on thresholds
    return x, (x[:, :q].argmax(1) + (rng.random(n) < 0.1)) % q


@pytest.mark.parametrize(
    ("kind", "name"), [*(("table", n) for n in OF_TABLES), *(("texts", n) for n in OF_TEXTS)]
)
@pytest.mark.parametrize("q", [2, 4])
def test_probabilities_are_those_of_scikit_learn(kind, name, q):
    x, y = made(kind, q, 0)
    fitted = classifier(name, kind).fit(x[:110], y[:110])
    shown = np.array([1, 3, 4, 6])[:q]  # the classes of the data are more
    found = frozen(fitted, shown, x.shape[1], 8)
    again = thawed(found.arrays(), x.shape[1], 8)
    for made_of in (found, again):
        probs = np.exp(made_of.log_probs(x))
        np.testing.assert_allclose(probs[:, shown], fitted.predict_proba(x), atol=3e-6)
        assert probs[:, [0, 2, 5, 7]].max() < 1e-8


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["forest:leaf=1,trees=3", "boosting:leaves=4"]))
def test_every_row_comes_to_its_leaf(seed, name):
    x, y = made("table", 3, seed, n=60)
    fitted = classifier(name, "table").fit(x, y)
    found = frozen(fitted, np.arange(3), 5, 3)
    np.testing.assert_allclose(np.exp(found.log_probs(x)), fitted.predict_proba(x), atol=3e-6)


def test_boosting_of_texts_sees_the_words_that_it_kept():
    x, y = made("texts", 3, 1)
    fitted = classifier("boosting", "texts").set_params(selectkbest__k=4).fit(x, y)
    found = frozen(fitted, np.arange(3), x.shape[1], 3)
    assert len(found.parts[0].kept) == 4
    np.testing.assert_allclose(np.exp(found.log_probs(x)), fitted.predict_proba(x), atol=3e-6)


@pytest.mark.parametrize(
    ("array", "change", "words"),
    [
        ("0/trees/left", lambda a: np.zeros_like(a), "lead nowhere"),  # a walk without an end
        ("0/trees/right", lambda a: a + 10_000, "lead nowhere"),
        ("0/trees/feature", lambda a: np.where(a >= 0, 99, a), "lead nowhere"),
        ("0/trees/first", lambda a: a - 1, "lead nowhere"),
        ("0/trees/column", lambda a: a + 3, "lead nowhere"),
        ("0/trees/threshold", lambda a: a[:-1], "threshold is"),
        ("0/trees/value", lambda a: a[:-1], "value is"),
        ("0/shown", lambda a: a + 9, "other classes"),
        ("0/kept", lambda a: np.array([7]), "other features"),
        ("0/idf", lambda a: np.ones(3), "idf is"),
        ("weights", lambda a: a[:0], "weights are none"),
        ("0/trees/feature", lambda a: a.astype(float), "is no int64"),
        ("0/trees/value", lambda a: a * np.nan, "not finite"),
        ("temperatures", lambda a: a - 1, "temperatures are none"),
    ],
)
def test_arrays_that_no_classifier_has_are_refused(array, change, words):
    x, y = made("table", 3, 2)
    arrays = frozen(classifier("boosting", "table").fit(x, y), np.arange(3), 5, 3).arrays()
    arrays[array] = change(arrays[array])
    with pytest.raises(ValueError, match=words):
        thawed(arrays, 5, 3)


def test_other_features_are_refused():
    x, y = made("table", 2, 3)
    found = frozen(classifier("logistic", "table").fit(x, y), np.arange(2), 5, 2)
    with pytest.raises(ValueError, match="there are 4 features; this classifier has 5"):
        found.log_probs(x[:, :4])


def test_bayes_reads_texts_alone():
    with pytest.raises(ValueError, match="bayes reads texts, and the inputs are table"):
        classifier("bayes", "table")
