"""``labels narrow``: by probabilities in any order, by the names of classes, and refused."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from candidly import load
from candidly.data import narrowed


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """A table with candidate sets and the truth, and probabilities in another order."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 40)
    inside = rng.random((40, 3)) < 0.6
    inside[np.arange(40), truth] = True
    names = np.array(["ash", "elm", "oak"])
    cells = ["|".join(names[row]) for row in inside]
    ids = [f"r{k}" for k in range(40)]
    x = rng.normal(size=40)
    rows = {"id": ids, "x": x, "candidates": cells, "truth": names[truth]}
    pl.DataFrame(rows).write_csv("sets.csv")
    probs = rng.dirichlet(np.ones(3), 40)
    order = rng.permutation(40)
    columns = {name: probs[order, k] for k, name in enumerate(names)}
    pl.DataFrame({"id": np.array(ids)[order]} | columns).write_csv("probs.csv")
    np.save("probs.npy", probs)
    return inside, probs, truth


@pytest.mark.parametrize("file", ["probs.csv", "probs.npy"])
def test_sets_are_narrowed_row_for_row(candidly, sets, file):
    inside, probs, truth = sets
    status, _, err = candidly(
        "labels", "narrow", "sets.csv", "out.npz", "--by", file, "--mass", 0.8
    )
    assert status == 0, err
    wanted = narrowed(inside, probs, 0.8)
    found = load("out.npz")
    assert (found.candidates == wanted).all()
    assert found.source == f"sets.csv + narrowed({file}, mass=0.8)"
    assumed = "row k of the one was taken to be row k of the other" in err
    assert assumed == (file == "probs.npy")  # which does not name its rows, as the table does
    there = wanted[np.arange(40), truth].sum()
    fewer = (wanted.sum(1) < inside.sum(1)).sum()
    assert f"{fewer} of 40 sets are smaller" in err
    assert f"the truth is in {there} of 40, before in 40." in err


def test_as_json_and_trained_on(candidly, sets):
    inside, probs, truth = sets
    words = ("sets.csv", "out.npz", "--by", "probs.csv", "--json")
    status, out, err = candidly("labels", "narrow", *words)
    assert status == 0, err
    about = json.loads(out)
    wanted = narrowed(inside, probs)
    assert about["labels a row"] == {"before": inside.sum(1).mean(), "after": wanted.sum(1).mean()}
    assert about["rows with the truth"]["after"] == wanted[np.arange(40), truth].sum()
    status, _, err = candidly("train", "out.npz", "--steps", 2, "--out", "m.safetensors")
    assert status == 0, err


def measured(candidly, *words) -> dict:
    """What ``train --json`` says."""
    status, out, err = candidly(
        "train", *words, "--steps", 20, "--validation", 0.3, "--out", "m.safetensors", "--json"
    )
    assert status == 0, err
    return json.loads(out)


def test_a_model_learns_from_smaller_sets_and_is_measured_by_those_that_were_given(candidly, sets):
    inside, probs, _ = sets
    assert (
        candidly("labels", "narrow", "sets.csv", "out.npz", "--by", "probs.csv", "--mass", 0.6)[0]
        == 0
    )
    wide = measured(candidly, "sets.csv")
    within = measured(candidly, "sets.csv", "--narrow", "probs.csv", "--mass", 0.6)
    before = measured(candidly, "out.npz")
    assert within["measured"]["oracle accuracy"] == before["measured"]["oracle accuracy"]
    assert within["measured"]["covering rate"] > before["measured"]["covering rate"]
    assert within["measured"] != wide["measured"]
    narrow = narrowed(inside, probs, 0.6)
    assert within["narrowed"]["by"] == "probs.csv"
    assert within["narrowed"]["labels a row"]["after"] == narrow.sum(1).mean()
    _, out, _ = candidly(
        "train", "sets.csv", "--narrow", "probs.csv", "--steps", 1, "--out", "m.safetensors"
    )
    assert "sets are smaller" in out


def test_a_mass_without_what_narrows_and_an_algorithm_for_other_labels_are_refused(candidly, sets):
    status, _, err = candidly("train", "sets.csv", "--mass", 0.5, "--out", "m.safetensors")
    assert status == 2
    assert "Name a file with --narrow, or leave out --mass" in err
    none = ("train", "sets.csv", "--narrow", "probs.csv", "--mass", 0, "--out", "m.safetensors")
    status, _, err = candidly(*none)
    assert status == 2
    assert "--mass is 0.0; it is a share" in err
    words = ("--narrow", "probs.csv", "--algorithm", "PRODEN", "--against", "ce", "--steps", 1)
    status, _, err = candidly("train", "sets.csv", *words, "--out", "m.safetensors")
    assert status == 2
    assert "ce learns from one label a row, and what was narrowed are candidate sets" in err


def test_data_without_sets_and_probabilities_of_others_are_refused(candidly, sets):
    status, _, err = candidly("labels", "narrow", "digits", "out.npz", "--by", "probs.npy")
    assert status == 2
    assert "digits has no candidate sets to narrow" in err
    np.save("few.npy", np.ones((3, 3)))
    status, _, err = candidly("labels", "narrow", "sets.csv", "out.npz", "--by", "few.npy")
    assert status == 2
    assert "few.npy has 3 rows of 3 classes, and sets.csv has 40 rows of 3" in err


def test_a_set_that_names_no_such_encoder_is_refused(candidly, sets):
    status, _, err = candidly("labels", "narrow", "sets.csv", "out.npz", "--by", "hf:nowhere")
    assert status == 2
    assert "nowhere" in err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_predictions_without_the_probabilities_of_all_classes_are_refused(candidly, sets, ending):
    frame = pl.DataFrame({"id": ["r0"], "prediction": ["ash"], "probability": [0.9]})
    getattr(frame, f"write_{ending}")(f"predictions.{ending}")
    words = ("sets.csv", "out.npz", "--by", f"predictions.{ending}")
    status, _, err = candidly("labels", "narrow", *words)
    assert status == 2
    assert "says what was predicted, and has no probabilities of the other classes" in err


def test_what_a_model_of_few_true_labels_predicts_narrows_the_sets_of_all(candidly, sets):
    rows = pl.read_csv("sets.csv")
    rows.head(20).select("id", "x", label="truth").write_csv("known.csv")
    known = ("known.csv", "--label", "label", "--validation", 0, "--out", "known.safetensors")
    for words in (
        ("train", *known),
        ("predict", "known.safetensors", "sets.csv", "--out", "found.csv", "--probs"),
        ("labels", "narrow", "sets.csv", "out.npz", "--by", "found.csv"),
    ):
        status, _, err = candidly(*words)
        assert status == 0, err
    probs = pl.read_csv("found.csv").select("ash", "elm", "oak").to_numpy()
    assert (load("out.npz").candidates == narrowed(sets[0], probs)).all()
