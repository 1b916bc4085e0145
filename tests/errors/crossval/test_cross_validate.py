"""What may be asked, what comes back and is kept, and what is refused."""

from __future__ import annotations

import doctest
import importlib
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import candidly
from candidly import errors
from candidly.data.labels.building import from_arrays
from candidly.data.labels.folds import make_folds
from candidly.errors import crossval
from candidly.errors.crossval import NAMED, CrossValidated, Network, cross_validate
from candidly.errors.crossval._named import OF_ONE_KIND
from candidly.errors.crossval._validate import named
from candidly.ground.seeds import hashed

from needs import real_files
from recorders import numbered
from toys import toy

MODULES = sorted(path.stem for path in Path(crossval.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = (
        crossval
        if name == "__init__"
        else importlib.import_module(f"candidly.errors.crossval.{name}")
    )
    assert doctest.testmod(module, extraglobs={"np": np}).failed == 0


def test_it_is_offered_with_label_errors():
    assert errors.cross_validate is cross_validate
    assert (errors.CrossValidated, errors.Network) == (CrossValidated, Network)


def test_wrong_labels_are_found_from_its_probabilities():
    digits = candidly.load("digits")
    given = digits.truth.copy()
    wrong = np.random.default_rng(0).choice(1797, 40, replace=False)
    given[wrong] = (given[wrong] + 1) % 10
    result = cross_validate("knn", (digits.inputs, given))
    found = errors.find(given, result.probs, by="margin", count=50).indices
    assert np.isin(wrong, found).sum() >= 37
    assert 0 < result.ece < 0.1


@pytest.mark.parametrize("kind", ["labels", "sets"])
def test_columns_are_classes_and_every_example_is_predicted_once(kind):
    data = toy(n=150)
    if kind == "sets":
        data = from_arrays(data.inputs, data.candidates)
        result = cross_validate(Network("PRODEN", 60, {"batch_size": 32}), data)
        right = data.candidates[np.arange(150), result.probs.argmax(1)]
        assert result.given is None
        assert np.isnan(result.ece)
    else:
        result = cross_validate(GaussianNB(), data)
        right = result.probs.argmax(1) == data.given
        assert np.array_equal(result.given, data.given)
    assert result.probs.shape == (150, 7)
    assert result.probs.dtype == np.float64
    np.testing.assert_allclose(result.probs.sum(1), 1)
    assert result.accuracies == {result.chosen: right.mean()}
    assert result.folds.shape == (150,)
    assert len(result.fold_ece) == 5


def test_sets_of_one_label_are_labels():
    x, y = numbered()
    sets = from_arrays(x, np.eye(3, dtype=bool)[y])
    assert np.array_equal(
        cross_validate(GaussianNB(), sets).probs, cross_validate(GaussianNB(), (x, y)).probs
    )


def test_seldom_candidates_are_spread_over_the_folds():
    data = toy(n=200)
    sets = np.array(data.candidates)
    sets[:, 3] = False
    sets[:, 0] = True
    sets[[5, 6, 7, 8, 9], 3] = True
    result = cross_validate(Network("CC", 2), from_arrays(data.inputs, sets))
    assert sorted(result.folds[5:10].tolist()) == [0, 1, 2, 3, 4]


def test_names_of_classes_are_kept_in_order():
    x, y = numbered()
    words = np.array(["dog", "emu", "cat"])
    result = cross_validate(GaussianNB(), (x, words[y]))
    assert result.classes == ("cat", "dog", "emu")
    numbers = cross_validate(GaussianNB(), (x, np.array([1, 2, 0])[y]))
    np.testing.assert_array_equal(result.probs, numbers.probs)
    again = errors.find(words[y], result.probs, classes=result.classes)
    assert np.array_equal(again.mask, errors.find(numbers.given, numbers.probs).mask)


def test_unlabelled_rows_are_predicted_and_take_no_part():
    x, y = numbered()
    given = np.where(np.arange(90) % 4 == 0, -1, y)
    data = from_arrays(x, given, classes=3)
    result = cross_validate(GaussianNB(), data, repeats=2)
    labelled = given >= 0
    np.testing.assert_allclose(result.probs.sum(1), 1)
    for k in range(5):
        rest, held = (result.folds != k) & labelled, result.folds == k
        alone = GaussianNB().fit(x[rest], given[rest]).predict_proba(x[held])
        np.testing.assert_allclose(result.probs[held], alone)
    right = result.probs.argmax(1) == given
    assert result.accuracies["GaussianNB"] == right[labelled].mean()
    assert np.array_equal(np.isnan(result.variance), ~labelled)
    errors.find(result.given, result.probs, unlabelled=True)


FEW = {"guess": DummyClassifier(), "bayes": GaussianNB(), "line": LogisticRegression()}


def test_each_fold_is_judged_by_the_best_on_its_training_rows():
    x, y = numbered()
    x = x[:, 1:]
    result = cross_validate(FEW, (x, y), repeats=2)
    each = {name: cross_validate(c, (x, y), repeats=2) for name, c in FEW.items()}
    assert result.accuracies == {name: r.accuracy for name, r in each.items()}
    for k, name in enumerate(result.by_fold):
        rows, held = np.flatnonzero(result.folds != k), result.folds == k
        inner = make_folds(y[rows], 5, None, hashed("crossval", 0, k))
        shares = {}
        for candidate, classifier in FEW.items():
            right = np.zeros(len(rows), bool)
            for part in range(5):
                learned = rows[inner != part]
                model = clone(classifier).fit(x[learned], y[learned])
                right[inner == part] = (
                    model.predict(x[rows[inner == part]]) == y[rows][inner == part]
                )
            shares[candidate] = right.mean()
        assert shares[name] == max(shares.values())
        assert np.array_equal(result.probs[held], each[name].probs[held])
        assert np.array_equal(result.variance[held], each[name].variance[held])
    assert result.accuracy == (result.probs.argmax(1) == y).mean()
    assert result.chosen == max(FEW, key=result.by_fold.count)
    assert repr(result).startswith(f"CrossValidated({result.judges}, 90 examples, 3 classes, ")
    assert each["line"].judges == "LogisticRegression"
    mixed = replace(result, by_fold=("line", "bayes", "line"))
    assert mixed.judges == "line (2 of 3 folds) and bayes (1 of 3 folds)"


@pytest.mark.parametrize("tags", [False, True])
def test_the_labels_of_a_fold_have_no_part_in_who_judges_it(tags):
    """So that nobody is chosen for agreeing with the labels that he judges."""
    x, y = numbered()
    fold = make_folds(y, 4)
    g = np.random.default_rng(3)
    few = {"bayes": GaussianNB(), "near": KNeighborsClassifier(3), "line": LogisticRegression()}

    def judged(y):
        if not tags:
            return cross_validate(few, (x, y), fold)
        marks = np.stack([y == 0, y != 2], 1)
        return cross_validate(few, from_arrays(x, tags=marks, classes=["a", "b"]), fold)

    before = judged(y)
    for k in range(4):
        held = fold == k
        other = np.where(held, g.permutation(y), y)
        after = judged(other)
        assert after.by_fold[k] == before.by_fold[k]
        np.testing.assert_array_equal(after.probs[held], before.probs[held])


def test_of_pure_noise_several_classifiers_know_nothing():
    """The best of six of 100 rows agreed with 57 % of labels that nothing predicts."""
    some = ["logistic", "knn", GaussianNB(), DecisionTreeClassifier(max_depth=3)]
    found = []
    for seed in range(30):
        g = np.random.default_rng(seed)
        result = cross_validate(some, (g.normal(size=(60, 3)), np.arange(60) % 2), 3, seed=seed)
        found.append((result.accuracy, max(result.accuracies.values())))
    ours, best = np.mean(found, 0)
    assert ours < 0.51 < 0.52 < best


def test_of_many_rows_a_part_chooses():
    g = np.random.default_rng(0)
    x, y = g.normal(size=(9000, 2)), np.arange(9000) % 2
    told = []
    cross_validate([GaussianNB(), DummyClassifier()], (x, y), watch=lambda *b: told.append(b))
    assert told[-1] == (100 * 2 * 5 * 2,) * 2  # one inner fold, of 1,440 rows, beside each
    with pytest.raises(ValueError, match="training rows of fold 0 are 1 group, too few to choose"):
        cross_validate([GaussianNB(), "knn"], (x, y), 2, groups=np.arange(9000) > 4000)


def test_several_are_told_apart_by_name():
    some = [GaussianNB(), "knn", GaussianNB(), Network("PRODEN"), Network("PRODEN", 5)]
    assert list(named(some)) == [
        "GaussianNB",
        "knn",
        "GaussianNB #2",
        "PRODEN",
        "PRODEN #2",
    ]
    with pytest.raises(ValueError, match="holds none"):
        named([])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("logistic", "images"),
        *((name, kind) for name in NAMED if name not in OF_ONE_KIND for kind in ("table", "texts")),
    ],
)
def test_every_name_learns_from_every_kind(name, kind):
    g = np.random.default_rng(0)
    y = np.arange(60) % 2
    inputs = {
        "table": g.normal(size=(60, 4)) + 3 * y[:, None],
        "images": (100 * g.random((60, 4, 4)) + 120 * y[:, None, None]).astype(np.uint8),
        "texts": [f"{('dull', 'fine')[k]} film number {i} {i % 7}" for i, k in enumerate(y)],
    }[kind]
    result = cross_validate(name, (inputs, np.where(g.random(60) < 0.1, 1 - y, y)), 2)
    assert (result.probs.argmax(1) == y).mean() > 0.8 or name == "boosting"  # needs more rows
    assert (result.chosen, result.probs.shape) == (name, (60, 2))


def test_the_vocabulary_is_made_inside_the_folds():
    texts = [f"word{i} {'good' if i % 2 else 'bad'}" for i in range(40)]
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
    seen = []
    vectoriser = pipeline[0]
    original = type(vectoriser).fit_transform

    class Noted(type(vectoriser)):
        def fit_transform(self, raw, y=None):
            seen.append(set(raw))
            return original(self, raw, y)

    pipeline.steps[0] = ("words", Noted())
    result = cross_validate(pipeline, (texts, np.arange(40) % 2))
    for k, words in enumerate(seen):
        assert words == {text for text, f in zip(texts, result.folds) if f != k}


def test_names_are_suggested_and_files_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(KeyError, match="did you mean 'logistic'"):
        cross_validate("logstic", numbered())
    files = from_arrays([tmp_path / str(k) for k in range(20)], np.arange(20) % 2)
    with pytest.raises(ValueError, match="is no image or sound; known endings"):
        cross_validate("forest", files)


def test_progress_only_grows_and_ends_at_its_total():
    told = []
    some = [GaussianNB(), Network("ce", 120, {"batch_size": 32})]
    cross_validate(
        some, toy(n=150), 3, repeats=2, leak_check=True, watch=lambda *both: told.append(both)
    )
    done, totals = zip(*told)
    assert set(totals) == {100 * 3 * (2 * 2 + 1 + 2 * 5)}  # five inner folds choose each judge
    assert list(done) == sorted(done)
    assert (done[0], done[-1]) == (0, totals[0])
    assert len(set(done)) > 3 * 5  # a network says more than once per fold


def test_what_is_saved_is_read_again(tmp_path):
    x, y = numbered()
    words = np.array(["a b", "[c]d", "ü"])
    asked = {"repeats": 2, "calibrate": True, "leak_check": True}
    result = replace(cross_validate([GaussianNB(), "knn"], (x, words[y]), **asked), encoder="one")
    result.save(tmp_path / "probs.npz")
    again = CrossValidated.load(tmp_path / "probs.npz")
    for name in {each.name for each in fields(result)} - {"vectors"}:
        np.testing.assert_array_equal(getattr(again, name), getattr(result, name), name)
        assert getattr(result, name) is not None, name
    repeated = cross_validate(GaussianNB(), (x, words[y]), again.folds)
    assert np.array_equal(repeated.folds, result.folds)
    result.save(tmp_path / "probs.npy")
    result.save(tmp_path / "probs.parquet")
    assert np.array_equal(np.load(tmp_path / "probs.npy"), result.probs)
    table = pl.read_parquet(tmp_path / "probs.parquet")
    assert tuple(table.columns) == result.classes
    assert np.array_equal(table.to_numpy(), result.probs)
    mask = errors.find(result.given, result.probs).mask
    for probs in ("probs.npz", "probs.npy", "probs.parquet"):
        found = errors.find(tmp_path / "probs.npz", tmp_path / probs)
        assert np.array_equal(found.mask, mask)


def test_files_that_are_something_else_are_refused(tmp_path):
    result = cross_validate(GaussianNB(), numbered())
    with pytest.raises(ValueError, match=r"must end in \.npz, \.npy, \.parquet"):
        result.save(tmp_path / "probs.csv")
    np.savez(tmp_path / "other.npz", x=np.ones(3))
    with pytest.raises(ValueError, match="no cross-validated probabilities"):
        CrossValidated.load(tmp_path / "other.npz")
    with pytest.raises(ValueError, match="no array 'probs'"):
        errors.find([0, 1, 0], tmp_path / "other.npz")
    for content in (b"nothing", b"", (tmp_path / "other.npz").read_bytes()[:60]):
        (tmp_path / "torn.npz").write_bytes(content)
        with pytest.raises(ValueError, match=r"no array 'given'|is empty"):
            errors.find(tmp_path / "torn.npz", np.eye(3))
    np.save(tmp_path / "one.npy", np.ones(3))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    with pytest.raises(ValueError, match="no array 'given'"):
        errors.find(tmp_path / "one.npz", np.eye(3))
    with pytest.raises(FileNotFoundError):
        CrossValidated.load(tmp_path / "nowhere.npz")


X, Y = numbered(40)
HOLES = np.where(np.arange(40)[:, None] == 7, np.nan, X)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (((HOLES, Y),), {}, "nan at row 7, column 0"),
        (((X, Y),), {"groups": np.zeros(39)}, r"`groups` has shape \(39,\), but there are 40"),
        (((X, Y),), {"groups": np.arange(40) % 4}, "folds is 5, but there are 4 groups"),
        (((X, Y),), {"folds": 1}, "at least 2"),
        (((X, Y),), {"folds": 41}, "there are 40 examples"),
        (((X, Y),), {"repeats": 0}, "repeats is 0"),
        (((X, Y[:30]),), {}, "30"),
        (((X, np.zeros(40, int)),), {"classes": 2}, "all labels are '0'; two classes"),
        (((X, np.full(40, -1)),), {"classes": 2}, "nothing is labelled"),
        (((X, np.r_[np.zeros(20, int), np.ones(20, int)]),), {"folds": np.arange(40) // 20},
         "all that fold 0 leaves to learn from is of class '1'"),
        (((X, Y),), {"start": (X, Y, Y)}, r"`start` is tuple; give a Labelled or \(X, y\)"),
        ((X,), {}, r"`data` is ndarray; give a Labelled or \(X, y\)"),
        ((from_arrays(X, Y),), {"classes": 5}, "`classes` goes with"),
        ((from_arrays(X, truth=Y),), {}, "no given labels, candidates or tags"),
        ((toy(n=40),), {"folds": np.arange(40) // 20, "groups": np.arange(40) // 20,
                        "calibrate": True}, "calibrate: the training rows of fold 0 are 1 group"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(arguments, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        cross_validate(GaussianNB(), *arguments, **options)


def test_candidate_sets_alone_go_to_algorithms_that_read_them():
    sets = from_arrays(toy(n=60).inputs, toy(n=60).candidates)
    with pytest.raises(ValueError, match="candidate sets alone; take an algorithm"):
        cross_validate(GaussianNB(), sets)
    with pytest.raises(ValueError, match="calibrate needs one given label"):
        cross_validate("PRODEN", sets, calibrate=True)


@real_files
def test_the_known_duplicates_of_a_real_file_are_told():
    data = candidly.load("msrcv2")  # 5 rows repeat others
    with pytest.warns(UserWarning, match="an exact copy in another fold"):
        result = cross_validate(Network("PRODEN", 100), data)
    assert result.accuracies["PRODEN"] > 0.5
    assert result.probs.shape == (1758, 23)
