"""The door by name, edges of all detectors, and the comparison."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from candidly import detectors
from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled
from candidly.errors import cross_validate
from candidly.errors.detectors import DETECTORS, _compare, _cost
from candidly.errors.detectors._table import NEEDS
from own_net import small_pictures, write_net

from histories import small

FAST = {"epochs": 2}


def taken(name, **options):
    """Those of the options that the detector reads."""
    return {option: v for option, v in options.items() if option in DETECTORS[name].takes}


def held_out(data):
    return cross_validate("logistic", data).probs


@pytest.fixture(scope="module")
def data():
    return small(n=120, q=3)


@pytest.fixture(scope="module")
def probs(data):
    return held_out(data)


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_keeps_its_contract(name, data, probs):
    options = taken(name, probs=probs, **FAST)
    found = detectors.detect(data, name, **options)
    assert found.score.shape == (data.n,)
    assert found.score.dtype == np.float64
    assert (found.flagged is not None) == DETECTORS[name].cut
    np.testing.assert_array_equal(found.ids, data.ids)
    again = detectors.detect(data, name.upper().replace("-", " "), **options)
    np.testing.assert_array_equal(again.score, found.score)
    assert set(DETECTORS[name].needs) <= set(NEEDS)
    assert DETECTORS[name].paper
    assert DETECTORS[name].summary


@pytest.mark.parametrize("name", DETECTORS)
def test_the_truth_is_not_looked_at(name, data, probs):
    blind = detectors.detect(data.blind(), name, **taken(name, probs=probs, **FAST))
    seen = detectors.detect(
        replace(data, truth=data.given), name, **taken(name, probs=probs, **FAST)
    )
    np.testing.assert_array_equal(blind.score, seen.score)


@pytest.mark.parametrize("name", DETECTORS)
def test_one_class_and_constant_features(name):
    rng = np.random.default_rng(0)
    n = 40
    same = from_arrays(np.ones((n, 2)), given=np.arange(n) % 2, classes=2)
    alone = from_arrays(rng.normal(size=(n, 2)), given=np.zeros(n, np.int64), classes=2)
    for odd in (same, alone):
        probs = np.tile([0.6, 0.4], (n, 1))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "all labels are the same class")
            found = detectors.detect(odd, name, **taken(name, probs=probs, **FAST))
        assert found.score.shape == (n,)
    if found.flagged is not None and name not in ("aum", "cores2", "incv"):
        assert not found.flagged.any()  # of the one class


@pytest.mark.parametrize("name", DETECTORS)
def test_wrong_labels_are_found_where_it_is_easy(name):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 240)
    inputs = rng.normal(size=(240, 4)) + 4 * np.eye(3, 4)[truth]
    wrong = np.arange(240) < 30
    given = np.where(wrong, (truth + 1) % 3, truth)
    easy = from_arrays(inputs, given=given, truth=truth)
    probs = held_out(easy)
    found = detectors.judge(
        detectors.detect(easy, name, **taken(name, probs=probs, epochs=20)), wrong
    )
    assert found.roc_auc > 0.9
    if found.f1 is not None:
        assert found.f1 > 0.4


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"given": None}, {}, "no `given`"),
        ({"given": np.full(120, -1)}, {}, "row 0 has no given label"),
        ({}, {"epochs": 0}, "epochs is 0"),
        ({}, {"runs": 0}, "runs is 0"),
        ({}, {"seed": -1}, "seed is -1"),
        ({}, {"probs": np.ones(120)}, "must be"),
        ({}, {"features": np.ones((7, 2))}, r"\(120, d\)"),
        ({}, {"features": np.full((120, 2), np.inf)}, "row 0"),
    ],
)
def test_what_the_door_refuses(data, change, options, message):
    with pytest.raises(ValueError, match=message):
        detectors.detect(replace(data, **change), "rank-average", **options)


@pytest.fixture(scope="module")
def others(data):
    """Options with values that make a difference to those that read them."""
    rng = np.random.default_rng(3)
    probs = rng.dirichlet(np.ones(data.q), data.n)
    features = rng.normal(size=(data.n, 3))
    return {"probs": probs, "features": features, "metric": "l2", "epochs": 3, "runs": 2}


@pytest.mark.parametrize("option", ["probs", "features", "metric", "epochs", "runs"])
@pytest.mark.parametrize("name", DETECTORS)
def test_an_option_is_read_or_refused(name, option, data, probs, others):
    options = taken(name, probs=probs, **FAST)
    changed = {**options, option: others[option]}
    if option not in DETECTORS[name].takes:
        for call, which in ((detectors.detect, name), (detectors.compare, [name])):
            with pytest.raises(ValueError, match=f"{option} is not used by {name}. Leave it out"):
                call(data, which, **changed)
        return
    one, two = (detectors.detect(data, name, **each).score for each in (options, changed))
    assert not np.array_equal(one, two)


def test_of_several_detectors_one_is_enough_to_read_an_option(data, probs):
    rows = detectors.compare(data, ["retag", "knn-vote"], probs=probs, metric="l2")
    assert len(rows) == 3
    with pytest.raises(ValueError, match="epochs is not used by retag, knn-vote"):
        detectors.compare(data, ["retag", "knn-vote"], probs=probs, epochs=2)


def test_what_is_missing_is_asked_for(data):
    with pytest.raises(ValueError, match="cross_validate"):
        detectors.detect(data, "loss")
    with pytest.raises(ValueError, match="4 columns"), pytest.warns(UserWarning, match="nobody"):
        detectors.detect(data, "loss", probs=np.full((120, 4), 0.25))
    texts = Labelled(
        inputs=np.array(["a", "b", "c"], object), classes=("x", "y"), given=np.array([0, 1, 1])
    )
    with pytest.raises(ValueError, match="pass `features`"):
        detectors.detect(texts, "knn-vote")
    files = replace(texts, inputs=np.array([Path("a"), Path("b"), Path("c")], object))
    with pytest.raises(ValueError, match="table, images or texts"):
        detectors.detect(files, "aum")
    found = detectors.detect(texts, "knn-vote", features=np.eye(3))
    assert len(found.score) == 3
    with pytest.raises(KeyError, match="did you mean 'knn-vote'"):
        detectors.detect(data, "knn-vot")
    one = from_arrays(np.eye(3), given=[0, 0, 0])
    with pytest.raises(ValueError, match="one class"):
        detectors.detect(one, "knn-vote")


# the comparison


def test_a_comparison_is_its_detections_judged(data, probs):
    names = ["loss", "data-maps", "knn-rank", "data maps"]
    told = []
    rows = detectors.compare(data, names, probs=probs, watch=lambda *w: told.append(w), **FAST)
    assert [row.detector for row in rows] == [*names[:3], _compare.ANCHOR]
    wrong = data.given != data.truth
    for row in rows[:3]:
        alone = detectors.detect(data, row.detector, **taken(row.detector, probs=probs, **FAST))
        assert row.judgement == detectors.judge(alone, wrong)
        assert row.seconds > 0
    everything = rows[-1].judgement
    assert everything.f1 == pytest.approx(2 * wrong.mean() / (1 + wrong.mean()))
    assert told == [(i, 6) for i in range(1, 7)]
    values = rows[0].values()
    assert values["detector"] == "loss"
    assert values["average_precision"] == rows[0].judgement.average_precision


def test_all_detectors_of_probabilities_get_the_same(data, monkeypatch):
    made = []
    original = _compare.cross_validate

    def once(*arguments, **options):
        made.append(original(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(_compare, "cross_validate", once)
    rows = detectors.compare(data, ["cl-noise-rate", "retag", "loss"], seed=2)
    assert len(made) == 1
    own = detectors.retag(data.given, made[0].probs)
    assert rows[1].judgement == detectors.judge(own, data.given != data.truth)


def test_shared_work_is_in_everybodys_bill(data, monkeypatch):
    bills = iter([5.0, 1.0, 2.0, 0.5, 0.25])  # probs, evidence, record; then loss and tracin

    def measured(work):
        return _cost.Measurement(work(), next(bills), 10)

    monkeypatch.setattr(_compare, "measured", measured)
    rows = detectors.compare(data, ["loss", "tracin"], **FAST)
    assert [row.seconds for row in rows] == [6.5, 2.25, 0.0]


def test_a_comparison_needs_the_truth(data):
    with pytest.raises(ValueError, match="no `truth`"):
        detectors.compare(data.blind())


def test_rows_in_another_order_are_judged_the_same(data, probs):
    order = np.random.default_rng(0).permutation(data.n)
    names = ["cl-class", "retag", "margin"]
    one = detectors.compare(data, names, probs=probs)
    two = detectors.compare(data[order], names, probs=probs[order])
    assert [row.judgement.average_precision for row in one] == pytest.approx(
        [row.judgement.average_precision for row in two]
    )


def test_memory_and_time_are_measured():
    def work():
        block = np.ones(6_000_000)  # 48 MB
        return float(block.sum())

    cost = _cost.measured(work)
    assert cost.value == 6_000_000
    assert cost.seconds > 0
    if cost.extra_bytes is not None:
        assert 40e6 < cost.extra_bytes < 90e6


def test_the_room_loads_nothing_heavy():
    code = "import candidly.errors.detectors, sys\nprint([m for m in ('torch', 'numba', 'sklearn', "
    code += "'scipy', 'polars') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_every_public_name_is_there():
    for name in detectors.__all__:
        assert getattr(detectors, name) is not None
    assert set(detectors.__all__) <= set(dir(detectors))
    with pytest.raises(AttributeError, match="no attribute"):
        _ = detectors.compar


@pytest.mark.parametrize(
    "name",
    [
        n
        for n, d in DETECTORS.items()
        if {"record", "training"} & {*d.needs} and "probs" not in d.needs
    ],
)
def test_what_trains_takes_pictures_and_a_network(name, tmp_path):
    pictures = small_pictures(48)
    asked = taken(name, epochs=1, net=write_net(tmp_path), recipe="sgd")
    assert {"net", "recipe"} <= asked.keys()
    found = detectors.detect(pictures, name, **asked)
    assert found.score.shape == (48,)
    other = detectors.detect(pictures, name, **taken(name, epochs=1, net="mlp:4", recipe="sgd"))
    assert (found.score != other.score).any()


def test_a_recipe_that_does_not_suit_is_refused():
    with pytest.raises(ValueError, match="views=weak changes pictures"):
        detectors.detect(small(), "el2n", recipe="adam:views=weak")
