"""``candidly data features``: texts through a language model on disk, to a table by ``join``."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from candidly.data.labels.labelled import Labelled
from candidly.learn.encoders import sentence_vectors

ROWS = [(f"t{i}", f"w{i % 7} w{i % 4} w{i}", "tea" if i % 7 < 3 else "bees") for i in range(8)]


@pytest.fixture
def notes(tmp_path):
    place = tmp_path / "notes.csv"
    with place.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("name", "note", "topic"), *ROWS])
    return str(place)


@pytest.fixture
def model(tmp_path):
    pytest.importorskip("transformers")
    from learn.nets.hf_models import write_tokeniser, written

    folder = written("bert", tmp_path / "bert")
    write_tokeniser(folder)
    return str(folder)


COLUMNS = ("--label", "topic", "--text", "note", "--id", "name")


def test_texts_become_vectors_that_join_reads_by_ids(candidly, tmp_path, notes, model):
    made, probe = str(tmp_path / "vectors.npz"), str(tmp_path / "probe.npz")
    status, _, err = candidly("data", "features", notes, made, *COLUMNS, "--encoder", model)
    assert status == 0, err
    vectors = sentence_vectors([text for _, text, _ in ROWS], model)
    assert f"wrote {made}: 8 x {vectors.shape[1]} features" in err
    held = np.load(made)
    np.testing.assert_array_equal(held["features"], vectors)
    assert held["ids"].tolist() == [name for name, _, _ in ROWS]
    assert str(held["made_by"]) == model
    backwards = {name: held[name][::-1] for name in ("features", "ids")}
    np.savez(made, **backwards)  # ids count, not places
    status, _, err = candidly("data", "join", notes, made, probe, *COLUMNS)
    assert status == 0, err
    joined = Labelled.load(probe)
    np.testing.assert_array_equal(joined.inputs, vectors.astype(np.float64))
    assert [joined.classes[k] for k in joined.given] == [topic for _, _, topic in ROWS]
    assert joined.ids.tolist() == [name for name, _, _ in ROWS]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("digits", "v.npz"), "of the kind table. Of a table, name the column of the texts"),
        (("digits", "v.csv"), "OUT"),
    ],
)
def test_what_has_no_texts_or_no_place_is_a_sentence(candidly, words, message):
    status, out, err = candidly("data", "features", *words)
    assert (status, out, message in err) == (2, "", True), err


def test_an_encoder_that_is_not_there_is_a_sentence_and_nothing_is_written(
    candidly, tmp_path, notes
):
    made = tmp_path / "vectors.npz"
    words = ("data", "features", notes, str(made), *COLUMNS, "--encoder", str(tmp_path / "none"))
    status, out, err = candidly(*words)
    assert (status, out, "there is no sentence encoder" in err) == (2, "", True), err
    assert not made.exists()
