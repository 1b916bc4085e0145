"""Sets of classes hold the label as often as was asked for; predictions may be left out."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly import fit_and_measure, from_arrays
from candidly.learn.model.prediction_sets import HELD, least_probability, remembered, sets_of
from candidly.learn.model.predictions import predict_file


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(4, 60), st.sampled_from([0.5, 0.8, 0.9, 0.75]))
def test_it_is_the_conformal_quantile(seed, rows, level):
    own = np.random.default_rng(seed).random(rows)
    if (rows + 1) * (1 - level) < 1 - 1e-9:
        with pytest.raises(ValueError, match=f"sets at {level} need"):
            least_probability(own, level)
        return
    scores = np.sort(1 - own)  # as papers have it: the ⌈(m + 1) level⌉-th smallest score
    place = math.ceil((rows + 1) * level - 1e-9)
    assert 1 - least_probability(own, level) == pytest.approx(scores[place - 1])


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_new_rows_have_their_label_in_the_set_that_often(level):
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(400):  # probabilities that know little of the labels
        probs = rng.dirichlet(np.ones(4), 160)
        labels = np.array([rng.choice(4, p=0.5 * p + 0.125) for p in probs])
        held = from_arrays(np.zeros((80, 1)), given=labels[:80], classes=list("abcd"))
        about = {HELD: remembered(probs[:80], held)}
        found = sets_of(about, probs[80:], level)
        covered.append(found[np.arange(80), labels[80:]].mean())
    assert level - 0.006 < np.mean(covered) < level + 0.02


def test_of_candidate_sets_one_candidate_counts_and_of_no_labels_nothing():
    probs = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    sets = from_arrays(np.zeros((2, 1)), candidates=np.array([[0, 1, 1], [1, 1, 1]], bool))
    assert remembered(probs, sets) == {"of": "candidate", "probabilities": [0.2, 0.6]}
    given = from_arrays(np.zeros((2, 1)), given=np.array([2, -1]), classes=list("abc"))
    assert remembered(probs, given) == {"of": "given label", "probabilities": [0.1]}


@pytest.fixture
def asked(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300).round(3)
    labels = np.where(x + rng.normal(0, 0.7, 300) > 0, "up", "down")
    trained = fit_and_measure(from_arrays(pl.DataFrame({"x": x}), labels), "logistic")
    pl.DataFrame({"x": x[:50]}).write_csv(tmp_path / "new.csv")
    return trained.model, tmp_path


def test_predictions_that_are_too_unsure_are_left_out(asked):
    model, folder = asked
    found = predict_file(model, str(folder / "new.csv"), abstain=0.8)
    unsure = found.probs.max(1) < 0.8
    assert 0 < unsure.sum() < 50
    assert sum(found.counts.values()) == 50 - unsure.sum()
    found.write(folder / "out.csv")
    out = pl.read_csv(folder / "out.csv")["prediction"].fill_null("")
    assert ((out == "").to_numpy() == unsure).all()
    found.write(folder / "out.npz")
    assert ((np.load(folder / "out.npz")["prediction"] == -1) == unsure).all()
    with pytest.raises(ValueError, match="`abstain` is 2"):
        predict_file(model, str(folder / "new.csv"), abstain=2)


def test_sets_are_written_as_candidly_reads_them(asked):
    model, folder = asked
    found = predict_file(model, str(folder / "new.csv"), sets=0.9)
    found.write(folder / "out.csv")
    found.write_beside(folder / "beside.csv")
    found.write(folder / "out.npz")
    texts = pl.read_csv(folder / "out.csv")["set"].to_list()
    assert pl.read_csv(folder / "beside.csv")["set"].to_list() == texts
    order = np.argsort(-found.probs, 1)
    for text, row, there in zip(texts, order, found.in_set):
        assert text.split("|") == [model.classes[k] for k in row if there[k]]
    assert (np.load(folder / "out.npz")["set"] == found.in_set).all()
    assert 1 < found.set_size < 2


def test_sets_without_rows_held_out_or_with_too_few_or_adjusted_are_refused(asked, tmp_path):
    model, folder = asked
    new = str(folder / "new.csv")
    with pytest.raises(ValueError, match=r"sets at 0.99 need 99 rows held out.*has 30"):
        predict_file(model, new, sets=0.99)
    with pytest.raises(ValueError, match="adjusted probabilities are others"):
        predict_file(model, new, sets=0.9, adjusted=True)
    with pytest.raises(ValueError, match="`sets` is 1"):
        predict_file(model, new, sets=1)
    del model.about[HELD]
    with pytest.raises(ValueError, match="does not know how it did on rows held out"):
        predict_file(model, new, sets=0.9)
    model.save(tmp_path / "m.safetensors")
