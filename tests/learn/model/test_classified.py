"""Models of classifiers that are no networks: trained, saved, loaded and asked as all models."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from threadpoolctl import threadpool_limits

import candidly
from candidly import fit, fit_and_measure, from_arrays, load_model
from candidly.learn.model import default_algorithm
from candidly.learn.model._file import read_model, write_model
from candidly.stats.shares import share_interval

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "size": RNG.normal(size=240).round(2),
        "colour": RNG.choice(["red", "green", None], 240),
        "seen": RNG.choice(["2024-01-02", "2024-05-06"], 240),
    }
)
KINDS = ["round" if s > 0 else "long" for s in FRAME["size"]]
TEXTS = np.array(
    [f"{w} and {v}" for w, v in zip(RNG.choice(["oak", "elm", "ash"], 120), range(120))], object
)
TREES = [text.split()[0] for text in TEXTS]
PICTURES = RNG.integers(0, 60, (90, 8, 8), np.uint8)
PICTURES[::2, :4] += 120
OF = {
    "columns": (FRAME, KINDS, FRAME[:7]),
    "table": (FRAME.select("size"), KINDS, FRAME[:7].select("size")),
    "texts": (TEXTS, TREES, ["oak", "nothing that was seen", ""]),
    "images": (PICTURES, ["up", "down"] * 45, PICTURES[:5]),
}


@pytest.mark.parametrize("kind", OF)
@pytest.mark.parametrize("name", ["logistic", "forest:leaf=1,trees=40", "blend"])
def test_what_is_loaded_says_what_was_saved(kind, name, tmp_path):
    x, y, new = OF[kind]
    data = from_arrays(x, y)
    assert data.kind == kind
    model = fit(data, name, seed=1)
    model.save(tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(again.predict_logits(new), model.predict_logits(new))
    np.testing.assert_array_equal(again.suspicion, model.suspicion)
    assert again.classes == data.classes
    assert model.measure(data)["given accuracy"] > 0.9
    assert repr(again).startswith(f"Model({name}, ")
    np.testing.assert_allclose(model.predict_proba(new).sum(1), 1, atol=1e-5)


def test_columns_go_by_their_names_and_gaps_and_new_words_are_taken():
    model = fit(from_arrays(FRAME, KINDS), "forest:trees=5")
    turned = FRAME[:9].select("seen", "colour", "size")
    np.testing.assert_array_equal(model.predict(turned), model.predict(FRAME[:9]))
    model.predict(pl.DataFrame({"size": [1.0], "colour": ["violet"], "seen": [None]}))
    with pytest.raises(ValueError, match="no column 'size'"):
        model.predict(FRAME.drop("size"))


def test_rows_without_a_label_are_left_out_and_the_truth_is_not_seen():
    given = np.array([0, 1] * 120)
    given[:5] = -1
    data = from_arrays(FRAME, given=given, truth=1 - np.maximum(given, 0), classes=["a", "b"])
    model = fit(data, "logistic")
    assert model.about["rows"] == 235
    alone = fit(from_arrays(FRAME[5:], given=given[5:], classes=["a", "b"]), "logistic")
    np.testing.assert_array_equal(model.predict_logits(FRAME), alone.predict_logits(FRAME))


def test_a_class_that_nobody_was_given_is_never_predicted():
    data = from_arrays(FRAME, given=np.array([0, 2] * 120), classes=["a", "b", "c"])
    probs = fit(data, "blend").predict_proba(FRAME)
    assert probs[:, 1].max() < 1e-8


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("steps", 5), ("net", "mlp"), ("recipe", "adam"), ("scaling", "none"), ("every", 3)],
        *[("sample_weight", np.ones(240)), ("lr", 0.1), ("watchers", [print])],
        ("each", print),
    ],
)
def test_what_is_of_networks_is_refused(option, value):
    with pytest.raises(ValueError, match=f"{option}.* is not used by logistic, which is no net"):
        fit(from_arrays(FRAME, KINDS), "logistic", **{option: value})


def test_labels_that_cannot_be_learned_are_refused():
    with pytest.raises(ValueError, match="every label is 'a'; to tell classes apart takes two"):
        fit(from_arrays(FRAME, given=np.zeros(240, int), classes=["a", "b"]), "blend")
    sets = from_arrays(FRAME, candidates=np.ones((240, 2), bool), classes=["a", "b"])
    with pytest.raises(ValueError, match="logistic learns from one label a row"):
        fit(sets, "logistic")
    with pytest.raises(KeyError, match=r"named .bosting.; did you mean .boosting."):
        fit(from_arrays(FRAME, KINDS), "bosting")


def test_the_default_is_the_blend_where_nothing_is_said_of_a_network():
    for kind, (x, y, _) in OF.items():
        data = from_arrays(x, y)
        assert default_algorithm(data) == ("ce" if kind == "images" else "blend")
        assert default_algorithm(data, network=True) == "ce"
    data = from_arrays(*OF["table"][:2])
    assert fit(data).about["algorithm"] == "blend"
    assert fit(data, steps=2).about["algorithm"] == "ce"
    assert fit_and_measure(data, steps=2).algorithm == "ce"
    assert fit_and_measure(data, scaling="none").algorithm == "ce"
    sets = from_arrays(FRAME, candidates=np.ones((240, 2), bool), classes=["a", "b"])
    assert default_algorithm(sets) == "PRODEN"


def test_measures_have_intervals():
    found = fit_and_measure(from_arrays(FRAME, KINDS), "logistic", validation=0.25)
    right = (found.model.predict(found.held) == found.held.given).sum()
    assert found.intervals == {
        "given accuracy": tuple(share_interval(np.array(right), found.held.n).tolist())
    }
    either = np.ones((240, 2), bool)
    either[0, 1] = False  # as sets that all hold both classes tell nothing
    sets = from_arrays(FRAME, candidates=either, classes=["a", "b"])
    found = fit_and_measure(sets, steps=2, batch_size=32)
    assert found.intervals["covering rate"][1] > 0.99
    assert found.intervals["approximated accuracy"] is None


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, about: arrays.pop("columns"),
        lambda arrays, about: arrays.pop("classifier/weights"),
        lambda arrays, about: arrays.update({"classifier/0/linear/bias": np.zeros(7)}),
        lambda arrays, about: arrays.update(columns=np.array([2**16])),
        lambda arrays, about: about.pop("features"),
        lambda arrays, about: about.update(features=99),
        lambda arrays, about: about.update(classes=["a"]),
    ],
)
def test_a_changed_file_is_refused(change, tmp_path):
    path = tmp_path / "m.safetensors"
    fit(from_arrays(FRAME, KINDS), "logistic").save(path)
    arrays, about = read_model(path)
    change(arrays, about)
    write_model(path, arrays, about)
    with pytest.raises(ValueError, match=r"damaged model.*Train it again"):
        load_model(path)


def test_a_network_is_not_named_for_one_without():
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        fit(from_arrays(FRAME, KINDS), "logistic").save(f"{folder}/m.safetensors")
        with pytest.raises(ValueError, match="has no network, and `net` names one"):
            load_model(f"{folder}/m.safetensors", "mlp")


def test_a_text_is_read_by_itself():
    model = candidly.fit((TEXTS, TREES), "blend")
    together = model.predict_proba(["oak tree", "elm"])
    np.testing.assert_allclose(together[:1], model.predict_proba(["oak tree"]), atol=1e-7)


def test_the_number_of_threads_changes_nothing():
    x = np.random.default_rng(0).normal(size=(5000, 200))  # enough for sums to be divided
    data = from_arrays(x, (x[:, :5] + np.random.default_rng(1).normal(size=(5000, 5))).argmax(1))
    made = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            model = fit(data, "logistic")
            made.append((model.classifier.arrays(), model.predict_logits(x)))
    (one, of_one), (two, of_two) = made
    np.testing.assert_array_equal(of_one, of_two)
    for name, array in one.items():
        np.testing.assert_array_equal(array, two[name])
