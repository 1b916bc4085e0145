"""The eight ways in which probabilities are not out of sample, each caught; and sound ones not."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from candidly.data.labels.building import from_arrays
from candidly.errors.crossval import (
    CrossValidated,
    Network,
    _duplicates,
    cross_validate,
    make_folds,
)
from candidly.errors.crossval._duplicates import digests, exact_copies, near_copies
from candidly.errors.crossval._job import Job, parts
from candidly.learn.model import fit

from recorders import numbered
from toys import toy


def made(n=120, d=10, q=3, seed=0):
    x, y = numbered(n, d, q, seed)
    return x[:, 1:], y


def said(*arguments, **options):
    """The warnings of a cross-validation, which its result repeats."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        result = cross_validate(*arguments, **options)
    assert [str(w.message) for w in caught] == list(result.warnings)
    return "\n".join(result.warnings)


def test_sound_data_and_classifiers_raise_no_warning():
    for classifier in (GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())):
        assert said(classifier, made(), leak_check=True, calibrate=True) == ""
    assert said(Network("ce", 20, {"batch_size": 32}), toy(d=10), repeats=2) == ""


# 1. copies in different folds


def test_copies_in_other_folds_are_warned_of_and_groups_mend_it():
    x, y = made()
    x[60:70] = x[:10]
    y[60:70] = y[:10]
    folds = np.arange(120) % 5
    folds[60:68] = (folds[:8] + 1) % 5
    folds[68:70] = folds[8:10]
    text = said(GaussianNB(), (x, y), folds)
    assert "16 of 120 examples have an exact copy in another fold, such as rows 0 and 60" in text
    assert "near copy" not in text
    groups = np.unique(x, axis=0, return_inverse=True)[1]
    assert said(GaussianNB(), (x, y), groups=groups) == ""


def test_near_copies_too():
    x, y = made(200, 12)
    x[100:110] = x[:10] + 1e-3 * np.random.default_rng(1).normal(size=(10, 12))
    folds = np.r_[np.zeros(100), np.ones(100)].astype(int)
    assert "20 of 200 examples have a near copy (a cosine of 0.999 or more) in another" in said(
        GaussianNB(), (x, y), folds
    )


def test_near_copies_are_those_of_the_slow_loop(monkeypatch):
    x, y = made(150, 8, seed=3)
    x[75:] = (
        x[:75] + np.random.default_rng(1).normal(size=(75, 8)) * np.geomspace(1e-3, 1, 75)[:, None]
    )
    data, folds = from_arrays(x, y), np.arange(150) % 4
    z = (x - x.mean(0)) / x.std(0)
    cosines = np.array([[a @ b / np.sqrt((a @ a) * (b @ b)) for b in z] for a in z])
    expected = [
        i
        for i in range(150)
        if any(cosines[i, j] >= 0.999 and folds[i] != folds[j] for j in range(150))
    ]
    assert 20 < len(expected) < 150
    found = near_copies(data, folds, 0)
    assert found.rows.tolist() == expected
    monkeypatch.setattr(_duplicates, "BLOCK_BYTES", 4 * 150 * 7)  # blocks of 7 rows
    assert near_copies(data, folds, 0).rows.tolist() == expected
    some = near_copies(data, folds, 0, budget=150 * 8 * 30)
    assert some.looked_at == 30
    assert set(some.rows) <= set(expected)


def test_copies_of_texts_images_and_files_and_what_is_equal(tmp_path):
    texts = [
        "a fine film, well played",
        "dull and long",
        "A fine film. Well played!",
        "dull and long",
    ]
    data = from_arrays(texts, [0, 1, 0, 1])
    folds = np.array([0, 0, 1, 1])
    assert exact_copies(digests(data), folds).rows.tolist() == [1, 3]
    assert near_copies(data, folds, 0).rows.tolist() == [0, 1, 2, 3]
    images = np.zeros((4, 3, 3), np.uint8)
    images[:2] = 7
    pictures = digests(from_arrays(images, [0, 1, 0, 1]))
    assert exact_copies(pictures, folds).rows.tolist() == []
    assert exact_copies(pictures, np.array([0, 1, 0, 0])).pair == (0, 1)
    for name in ("one", "two", "three", "four"):
        (tmp_path / name).write_bytes(b"x" if name in ("one", "four") else name.encode())
    files = from_arrays([tmp_path / name for name in ("one", "two", "three", "four")], [0, 1, 0, 1])
    assert exact_copies(digests(files), folds).rows.tolist() == [0, 3]
    assert near_copies(files, folds, 0).looked_at == 0
    zeros = from_arrays(np.array([[0.0, 1], [-0.0, 1]]), [0, 1])
    assert len(set(digests(zeros).tolist())) == 1


def test_groups_split_by_given_folds_are_warned_of():
    x, y = made()
    text = said(GaussianNB(), (x, y), np.arange(120) % 3, np.arange(120) // 2)
    assert "60 groups lie in more than one of the given `folds`" in text


# 2. what was fitted before


def test_a_fitted_classifier_or_step_is_warned_of():
    x, y = made()
    assert "already fitted: GaussianNB" in said(GaussianNB().fit(x, y), (x, y))
    pipeline = make_pipeline(StandardScaler().fit(x), GaussianNB())
    assert "already fitted: StandardScaler. It is fitted afresh" in said(pipeline, (x, y))


def test_what_stays_fitted_in_every_fold_is_warned_of():
    x, y = made()
    frozen = pytest.importorskip("sklearn.frozen").FrozenEstimator(StandardScaler().fit(x))
    text = said(make_pipeline(frozen, GaussianNB()), (x, y))
    assert "keeps in every fold what was fitted before (StandardScaler)" in text
    assert "already fitted" not in text

    class Plain:  # no get_params: it cannot be cloned
        def fit(self, x, y):
            self.model_ = GaussianNB().fit(x, y)
            self.classes_ = self.model_.classes_
            return self

        def predict_proba(self, x):
            return self.model_.predict_proba(x)

    assert "every fold starts from what it has learned" in said(Plain().fit(x, y), (x, y))
    assert said(Plain(), (x, y)) == ""
    nested = CalibratedClassifierCV(GaussianNB(), cv=3)
    assert said(nested, (x, y)) == ""


class Peeking(ClassifierMixin, BaseEstimator):
    """Knows all labels of the data it finds in ``told``, whatever it is fitted to."""

    told: tuple = ()

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        Peeking.told = (*Peeking.told, (x.copy(), y.copy()))
        return self

    def predict_proba(self, x):
        probs = np.full((len(x), len(self.classes_)), 0.01)
        for rows, labels in Peeking.told:
            at = (x[:, None] == rows[None]).all(-1)
            probs[at.any(1)] = 0.01 + np.eye(len(self.classes_))[labels[at.argmax(1)][at.any(1)]]
        return probs / probs.sum(1, keepdims=True)


def test_a_classifier_that_sees_held_out_labels_is_found_by_permuting_them():
    x, y = made()
    Peeking.told = ()
    assert "on permuted labels" in said(Peeking(), (x, y), leak_check=True)


def test_permuting_labels_seldom_alarms_without_reason():
    for seed in range(8):
        x, y = made(80, 3, seed=seed)
        tree = DecisionTreeClassifier(max_depth=3)
        assert "permuted" not in said(tree, (x, y), 4, seed=seed, leak_check=True)


def test_what_permuted_labels_showed_is_told_and_kept(tmp_path):
    x, y = made(200, 3)
    found = cross_validate(DecisionTreeClassifier(max_depth=3), (x, y), 4, leak_check=True)
    agrees, chance = found.permuted
    assert abs(agrees - chance) < 0.15
    assert found.accuracy > agrees
    found.save(tmp_path / "p.npz")
    assert CrossValidated.load(tmp_path / "p.npz").permuted == found.permuted
    assert cross_validate(DecisionTreeClassifier(max_depth=3), (x, y), 4).permuted is None


# 3. choices made on the held-out fold: see test_classifiers, test_no_held_out_row_reaches_fit


def test_candidlys_own_networks_have_no_held_out_row_in_any_batch(monkeypatch):
    from candidly.learn.engine import stack

    shown = []
    original = stack.Stack.next_batches

    def noted(self):
        batches = original(self)
        shown.extend(batch.data_rows.view(self.K, self.B) for batch in batches)
        return batches

    monkeypatch.setattr(stack.Stack, "next_batches", noted)
    data = toy(n=203)
    result = cross_validate(Network("PRODEN", 30, {"batch_size": 32}), data, 4, calibrate=True)
    sizes = np.bincount(result.folds)
    for place, fold in enumerate(np.lexsort((np.arange(4), sizes)).tolist()):
        rows = np.unique(np.concatenate([each[place].numpy() for each in shown]))
        assert not np.isin(rows, np.flatnonzero(result.folds == fold)).any()
        assert len(rows) <= 0.85 * (203 - sizes[fold])  # a fifth is for the temperature


# 4. backbones that were trained on the examples


def test_pretraining_on_the_examples_is_warned_of():
    x, y = made()
    data = from_arrays(x, y, ids=[f"image {k}" for k in range(120)])
    other = from_arrays(np.r_[x[:30], x[30:60] + 1], y[:60])
    assert "30 of 120 examples are among those that the model behind the features" in said(
        GaussianNB(), data, pretrained_on=other
    )
    assert "2 of 120" in said(GaussianNB(), data, pretrained_on=["image 3", "image 119", "cat"])
    assert "120 of 120" in said(GaussianNB(), data, pretrained_on=data.fingerprint())
    assert said(GaussianNB(), data, pretrained_on=["cat"]) == ""
    assert said(GaussianNB(), data, pretrained_on=other[30:]) == ""
    with pytest.raises(TypeError, match="`pretrained_on` is float"):
        cross_validate(GaussianNB(), data, pretrained_on=0.5)


def test_a_start_that_holds_the_examples_is_warned_of():
    x, y = made()
    other, labels = made(seed=9)
    assert said(GaussianNB(), (x, y), start=(other, labels)) == ""
    assert "5 of 120 examples are among those that `start`" in said(
        GaussianNB(), (x, y), start=(np.r_[other, x[:5]], np.r_[labels, y[:5]])
    )
    data = toy(n=100)
    model = fit(data, "ce", steps=2, batch_size=32)
    assert "100 of 100" in said(Network("ce", 3), data, start=model)
    assert said(Network("ce", 3), toy(n=100, seed=5), start=model) == ""


# 5. a class absent from a training fold


@pytest.mark.parametrize(
    "classifier", [GaussianNB(), Network("ce", 20, {"batch_size": 32})], ids=["sklearn", "network"]
)
def test_an_absent_class_gets_0_and_the_rest_stay_in_their_columns(classifier):
    x, y = made(100, 10, 4)
    y[y == 1] = 0
    y[[10, 20]] = 1
    folds = np.arange(100) % 4
    folds[[10, 20]] = 2
    text = said(classifier, (x, y), folds)
    assert "absent from the training rows of fold 2: class 1. Their probability there is 0" in text
    assert "fewer examples than folds (4): class 1." in text
    result = cross_validate(classifier, (x, y), folds)
    assert (result.probs[folds == 2, 1] == 0).all()
    assert (result.probs[folds != 2, 1] > 0).all()
    np.testing.assert_allclose(result.probs.sum(1), 1)
    if not isinstance(classifier, Network):
        rest = folds != 2
        alone = GaussianNB().fit(x[rest], y[rest])
        np.testing.assert_allclose(
            result.probs[np.ix_(~rest, [0, 2, 3])], alone.predict_proba(x[~rest])
        )


def test_a_class_that_nobody_was_given_is_told():
    x, y = made()
    text = said(GaussianNB(), (x, y), classes=5)
    assert "no example to learn from, so probability 0: classes 3, 4." in text


def test_the_column_of_a_class_that_was_not_shown_is_emptied_even_where_one_is_given():
    class Eager(GaussianNB):  # has columns for classes that it was never shown
        def fit(self, x, y):
            return self.partial_fit(np.r_[x, x[:1]], np.r_[y, y[:1]], classes=np.arange(3))

        def predict_proba(self, x):
            probs = np.nan_to_num(super().predict_proba(x)) + 0.1
            return probs / probs.sum(1, keepdims=True)

    x, y = made()
    keep = y < 2
    probs = cross_validate(Eager(), (x[keep], y[keep]), classes=3).probs
    assert (probs[:, 2] == 0).all()
    np.testing.assert_allclose(probs.sum(1), 1)


# 6. folds of different calibration


def test_a_temperature_per_fold_brings_the_folds_together():
    g = np.random.default_rng(0)
    x = g.normal(size=(1500, 3))
    y = (g.random(1500) < 1 / (1 + np.exp(-2 * x[:, 0]))).astype(int)

    class Sharp(ClassifierMixin, BaseEstimator):
        """Right odds, to a power that differs from fit to fit."""

        powers = iter(())

        def fit(self, x, y):
            self.classes_ = np.array([0, 1])
            self.power_ = next(Sharp.powers)
            return self

        def predict_proba(self, x):
            p = 1 / (1 + np.exp(-2 * self.power_ * x[:, 0]))
            return np.stack([1 - p, p], 1)

    powers = (0.3, 1.0, 3.0, 6.0)
    Sharp.powers = iter(powers)
    plain = cross_validate(Sharp(), (x, y), 4)
    Sharp.powers = iter(powers)
    scaled = cross_validate(Sharp(), (x, y), 4, calibrate=True)
    np.testing.assert_allclose(scaled.temperatures[0] / powers, 1, atol=0.35)
    assert (plain.temperatures == 1).all()
    assert plain.fold_ece.max() > 0.15
    assert scaled.fold_ece.max() < 0.08
    assert scaled.ece < plain.ece / 2


@pytest.mark.parametrize("seed", range(6))
def test_no_class_is_lost_to_the_rows_that_are_set_aside(seed):
    x, y = made(60, 4)
    y[y == 1] = 0
    y[[3, 50]] = 1  # in other folds: each is all that most training folds have of it
    data = from_arrays(x, y)
    marks = np.eye(3, dtype=bool)[y]
    job = Job(data, marks, y, np.arange(60) % 4, None, seed, calibrate=True)
    for part in parts(job, y >= 0):
        rows = np.r_[part.train, part.calibration]
        assert np.array_equal(np.sort(rows), np.flatnonzero(job.folds != part.number))
        assert set(y[part.train]) == set(y[rows])
        assert 0.1 * len(rows) < len(part.calibration) < 0.3 * len(rows)


# 7. one seed's accidents


def test_repeats_are_averaged_and_their_variance_is_told():
    x, y = made()
    tree = DecisionTreeClassifier(max_features=2)
    result = cross_validate(tree, (x, y), seed=5, repeats=3)
    each = [cross_validate(tree, (x, y), result.folds, seed=s).probs for s in (5, 6, 7)]
    np.testing.assert_allclose(result.probs, np.mean(each, 0))
    own = np.array(each)[:, np.arange(120), y]
    np.testing.assert_allclose(result.variance, own.var(0, ddof=1))
    assert result.temperatures.shape == (3, 5)
    assert result.warnings == ()


def test_repeats_that_change_nothing_are_told():
    text = said(GaussianNB(), made(), repeats=2)
    assert "the repeats agree exactly: GaussianNB does not depend on the seed" in text


# 8. in-sample probabilities


def test_agreement_as_good_as_in_sample_is_warned_of():
    x, y = made()
    holding = np.column_stack([x, 100 * y])  # the label is among the features
    text = said(KNeighborsClassifier(1), (holding, y))
    assert "100.00% of the held-out predictions agree with the labels, as on the train" in text
    rare = (np.arange(120) % 20 == 0).astype(int)  # agreement without the feature is 95 %
    assert said(KNeighborsClassifier(1), (np.column_stack([x, 100 * rare]), rare)) == ""


def test_a_perfect_held_out_score_with_errors_in_training_is_no_memory():
    class Lucky(ClassifierMixin, BaseEstimator):
        """Right about the rows it was not fitted to, and wrong about the others."""

        def fit(self, x, y):
            self.classes_, self.rows_ = np.unique(y), set(x[:, 0].tolist())
            return self

        def predict_proba(self, x):
            right = np.eye(2)[(x[:, 1] > 0).astype(int)]
            seen = [row in self.rows_ for row in x[:, 0].tolist()]
            return np.where(np.array(seen)[:, None], 1 - right, right)

    x = np.random.default_rng(0).normal(size=(60, 2))
    assert said(Lucky(), (x, (x[:, 1] > 0).astype(int))) == ""


def test_constant_features_are_told():
    x, y = made(60)
    text = said(LogisticRegression(), (np.ones_like(x), y))
    assert "all features are constant" in text
    assert "60 of 60 examples have an exact copy" in text
    some = np.column_stack([np.ones(60), x])
    assert said(make_pipeline(StandardScaler(), LogisticRegression()), (some, y)) == ""
    network = Network("ce", 20, {"batch_size": 16})
    data = replace(toy(n=60), inputs=np.column_stack([np.ones(60), toy(n=60).inputs]))
    assert np.isfinite(cross_validate(network, data).probs).all()


@pytest.mark.parametrize("numbers", [0, 1, 7, 12])
def test_rows_of_one_rare_category_are_no_near_copies(numbers):
    # standardised, a category of two rows in 1,000 outweighs all that tells its rows apart
    rng = np.random.default_rng(numbers)
    kinds, sides = rng.permutation(1000) // 2, rng.integers(0, 2, 1000)
    x = np.hstack([np.eye(500)[kinds], np.eye(2)[sides], rng.normal(size=(1000, numbers))])
    data = from_arrays(x, rng.integers(0, 2, 1000))
    folds = make_folds(data.given, 5)
    copies = exact_copies(digests(data), folds).rows
    near = near_copies(data, folds, 0).rows
    assert not set(near.tolist()) - set(copies.tolist())
    if numbers == 12:  # what is near in the numbers is found, whatever its category
        x[:20, 502:] = x[980:, 502:] + 1e-4
        again = from_arrays(x, data.given)
        apart = np.arange(1000) % 2 + 2 * (np.arange(1000) >= 980)
        assert near_copies(again, apart, 0).rows.tolist() == [*range(20), *range(980, 1000)]
