"""Models of what an encoder sees: trained, saved, loaded, and asked about pictures and texts."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import candidly
from candidly import fit_and_measure
from candidly.data.labels.building import from_arrays
from candidly.learn.encoders import choice
from candidly.learn.model import encoded
from candidly.learn.model.measured import rows_to_learn
from learn.encoders.packages import use_random

NAME = "efficientnet-lite0"
rng = np.random.default_rng(8)
PICTURES = rng.integers(0, 120, (60, 12, 12, 3), dtype=np.uint8)
PICTURES[::2, :6] += 100
Y = np.arange(60) % 2


@pytest.fixture
def package(monkeypatch, tmp_path):
    return use_random(monkeypatch)


@pytest.mark.parametrize("algorithm", [None, "logistic", "ce"])
def test_a_model_of_vectors_is_one_of_pictures(package, tmp_path, algorithm):
    how = {"steps": 40, "batch_size": 16} if algorithm == "ce" else {}
    model = candidly.fit((PICTURES, Y), algorithm, encoder=NAME, **how)
    vectors = candidly.features(PICTURES, NAME)
    table = candidly.fit((vectors, Y), algorithm or "logistic:C=0.001", **how)
    np.testing.assert_allclose(
        model.predict_logits(PICTURES), table.predict_logits(vectors), atol=1e-5
    )
    model.save(tmp_path / "model.safetensors")
    loaded = candidly.load_model(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict(PICTURES), model.predict(PICTURES))
    assert (model.predict(PICTURES) == Y).mean() > 0.9
    assert model.about["data"] == from_arrays(PICTURES, Y).fingerprint()


def encoder_of(model):
    return model.about["inputs"].get("encoder")


def test_an_installed_encoder_is_the_default_of_pictures(package, monkeypatch):
    monkeypatch.setattr("candidly.learn.model._fit.STEPS", 5)
    model = candidly.fit((PICTURES, Y))
    assert encoder_of(model)["name"] == NAME
    assert model.about["algorithm"] == "logistic:C=0.001"
    # what is said of a network is meant
    assert encoder_of(candidly.fit((PICTURES, Y), steps=5, batch_size=8)) is None
    assert encoder_of(candidly.fit((PICTURES, Y), "ce", steps=5)) is None
    # and nothing else has an encoder
    sets = from_arrays(PICTURES, candidates=np.arange(120).reshape(60, 2) > 0)
    assert encoder_of(candidly.fit(sets)) is None


def test_labels_that_are_held_out_choose_nothing(package, monkeypatch):
    """Only rows that are learned from are looked at."""
    seen = {}
    monkeypatch.setattr(
        encoded, "better_encoder", lambda data, strata, watch: seen.update(strata=strata)
    )
    data = from_arrays(PICTURES, Y)
    rows = rows_to_learn(data, 0.2, 3)
    assert rows.sum() == 48
    encoded.usual_encoder(data, rows)
    assert ((seen["strata"] >= 0) == rows).all()
    trained = fit_and_measure(data, "ce", validation=0.2, seed=3, steps=1, batch_size=8)
    assert trained.learned.n == 48
    assert set(trained.learned.ids.tolist()) == set(data.ids[rows].tolist())


@pytest.mark.parametrize("how", [{}, {"algorithm": "logistic", "encoder": NAME}])
def test_rows_held_out_stay_pictures(package, how):
    """What is held out is measured as its vectors, and is what the model predicts of."""
    data = from_arrays(PICTURES, Y)
    reports = []
    trained = fit_and_measure(
        data, validation=0.25, seed=1, watch=lambda *pair: reports.append(pair), **how
    )
    assert trained.encoder == trained.as_dict()["encoder"] == NAME
    assert trained.held.inputs.shape == (15, 12, 12, 3)
    assert {*trained.held.ids.tolist(), *trained.learned.ids.tolist()} == set(range(60))
    np.testing.assert_allclose(
        trained.model.predict_logits(trained.held), trained.logits, atol=1e-4
    )
    assert trained.model.measure(trained.held) == trained.measured
    np.testing.assert_allclose(trained.probs.sum(1), 1, rtol=1e-6)
    assert all(0 <= done <= of for done, of in reports)
    shares = [done / of for done, of in reports if of]
    assert shares == sorted(shares)
    model = fit_and_measure(data, validation=0, **how).model
    assert model.about["data"] == data.fingerprint()


def test_an_encoder_that_tells_fewer_labels_is_no_default(package, monkeypatch):
    """Whatever the picture, this one says the same."""
    monkeypatch.setattr(
        choice, "features", lambda data, name, watch=None: np.ones((data.n, 4), np.float32)
    )
    assert encoded.usual_encoder(from_arrays(PICTURES, Y)) is None
    monkeypatch.setattr(choice, "installed", lambda: None)
    assert encoded.usual_encoder(from_arrays(PICTURES, Y)) is None


def test_files_are_predicted_as_arrays_are(package, tmp_path):
    for row, picture in enumerate(PICTURES):
        folder = tmp_path / "photos" / "ab"[Y[row]]
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(folder / f"{row}.png")
    data = candidly.read(tmp_path / "photos")
    model = candidly.fit(data, encoder=NAME)
    files = [str(one) for one in np.asarray(data.inputs)]
    assert (model.predict(files) == data.given).mean() > 0.9


def test_another_encoder_of_the_name_is_refused(package, tmp_path, monkeypatch):
    candidly.fit((PICTURES, Y), encoder=NAME).save(tmp_path / "model.safetensors")
    use_random(monkeypatch, seed=2)
    model = candidly.load_model(tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match="were seen by efficientnet-lite0 with the digest"):
        model.predict(PICTURES)


def test_larger_pictures_are_seen_as_those_in_training(package):
    """The side is the training's, so that a picture's size does not change what it is seen as."""
    model = candidly.fit((PICTURES, Y), encoder=NAME)
    assert model.reading.encoder.side == 96
    large = PICTURES.repeat(10, 1).repeat(10, 2)
    assert (model.predict(large) == Y).mean() > 0.8


def test_texts_are_seen_by_a_language_model(tmp_path):
    pytest.importorskip("transformers")
    from learn.nets.hf_models import write_tokeniser, written

    folder = written("bert", tmp_path / "bert")
    write_tokeniser(folder)
    texts = [f"w{1 + k % 2} w{3 + k % 2} w{5 + k % 3}" for k in range(40)]
    model = candidly.fit((texts, Y[:40]), "logistic", encoder=f"hf:{folder}")
    assert (model.predict(texts) == Y[:40]).mean() > 0.9
    (folder / "config.json").write_text((folder / "config.json").read_text() + "\n")
    with pytest.raises(ValueError, match="with the digest"):
        model.predict(texts)


def test_a_table_has_no_encoder(package):
    with pytest.raises(ValueError, match="of the kind table"):
        candidly.fit((rng.normal(size=(20, 3)), Y[:20]), encoder=NAME)


class Begun(Exception):
    """A network has begun to learn."""


@pytest.mark.parametrize("said", [{"steps": 60}, {"scaling": "none"}, {"net": "linear"}])
def test_what_is_said_of_a_network_trains_one(package, said):
    """As without an encoder: whatever is said of a network, the default is no classifier."""

    def watch(done: int, total: int) -> None:
        if 2 * done > total:  # behind the encoding
            raise Begun

    with pytest.raises(Begun):
        candidly.fit((PICTURES, Y), encoder=NAME, watch=watch, **said)
    model = candidly.fit((PICTURES, Y), encoder=NAME, watch=watch)
    assert model.about["algorithm"] == "logistic:C=0.001"
