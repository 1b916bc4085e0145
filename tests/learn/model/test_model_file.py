"""Model files: the same bits in another process, older files, and whatever else a file may hold."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from candidly.learn.model import Model, fit, load_model
from candidly.learn.model._file import write_model

from toys import toy


@pytest.fixture(scope="module")
def data():
    return toy(n=200)


@pytest.fixture(scope="module")
def model(data):
    return fit(data, "PRODEN", steps=60, batch_size=32)


@pytest.fixture
def saved(model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    return tmp_path / "m.safetensors"


def test_a_fresh_process_predicts_bit_for_bit_the_same(model, saved, data, tmp_path):
    np.save(tmp_path / "x.npy", data.inputs)
    program = (
        "import sys, numpy, torch, candidly\n"
        "model = candidly.load_model(sys.argv[1])\n"
        "x, found = numpy.load(sys.argv[2]), []\n"
        "for threads in (1, 2):\n"
        "    torch.set_num_threads(threads)\n"
        "    found.append(model.predict_logits(x))\n"
        "numpy.save(sys.argv[3], found)\n"
    )
    files = [str(saved), str(tmp_path / "x.npy"), str(tmp_path / "logits.npy")]
    subprocess.run([sys.executable, "-c", program, *files], check=True)
    for found in np.load(tmp_path / "logits.npy"):
        assert found.tobytes() == model.predict_logits(data.inputs).tobytes()


def test_all_that_a_model_is_comes_back(model, saved):
    again = load_model(saved)
    assert again.about == model.about
    assert again.classes == model.classes
    np.testing.assert_array_equal(again.suspicion, model.suspicion)
    with safe_open(saved, "numpy") as file:
        note = json.loads(file.metadata()["candidly"])
    assert note["schema"] == 3
    assert note["classes"] == list(model.classes)


def test_rows_are_predicted_in_pieces_and_none_is_lost(model, data, monkeypatch):
    whole = model.predict_logits(data.inputs)
    monkeypatch.setattr("candidly.learn.model._model.rows_at_once", lambda net: 37)
    np.testing.assert_allclose(model.predict_logits(data.inputs), whole, rtol=1e-5, atol=1e-6)
    broken = np.array(data.inputs)
    broken[100, 0] = np.inf
    with pytest.raises(ValueError, match="not finite at row 100"):
        model.predict(broken)


def test_a_file_from_before_there_were_checksums_is_refused(model, saved, tmp_path):
    with safe_open(saved, "numpy") as file:
        note = json.loads(file.metadata()["candidly"]) | {"schema": 2}
    save_file(load_file(saved), saved, {"candidly": json.dumps(note)})
    with pytest.raises(ValueError, match=r"written before models had a checksum.* Train it again"):
        load_model(saved)
    np.savez(tmp_path / "old.npz", about=np.frombuffer(b'{"schema": 1}', np.uint8))
    with pytest.raises(ValueError, match=r"old.npz is no model"):
        load_model(tmp_path / "old.npz")


def test_one_flipped_bit_is_seen_wherever_it_is(saved):
    whole = saved.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    draw = np.random.default_rng(0)
    places = {
        *range(64),
        *draw.integers(0, 8 * header, 300),
        *draw.integers(0, 8 * len(whole), 300),
    }
    at = whole.index(b'"sha256":"')  # all of the checksum's own
    places |= {*range(8 * at, 8 * (at + 80))}
    for place in sorted(map(int, places)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        saved.write_bytes(flipped)
        with pytest.raises(ValueError, match=r"damaged|checksum"):
            load_model(saved)
    saved.write_bytes(whole)
    load_model(saved)


def test_the_checksum_is_of_the_whole_file_and_others_read_it(saved, model):
    arrays = load_file(saved)
    assert arrays.keys() >= {"shift", "factor"}
    saved.write_bytes(saved.read_bytes() + b"more")
    with pytest.raises(ValueError, match="damaged"):
        load_model(saved)


def test_other_endings_are_refused_before_anything_is_written(model, tmp_path):
    with pytest.raises(ValueError, match=r"m\.npz: .* must end in \.safetensors"):
        model.save(tmp_path / "m.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 torn", b"\x93NUMPY", b"hello", b"a,b\n1,2\n", b"\xff" * 100]
)
def test_files_that_are_no_models(tmp_path, content):
    (tmp_path / "m.safetensors").write_bytes(content)
    with pytest.raises(
        ValueError, match=r"m\.safetensors is no model that Model\.save .*damaged\.$"
    ):
        load_model(tmp_path / "m.safetensors")


def test_other_archives_are_no_models(tmp_path):
    np.savez(tmp_path / "other.npz", x=np.ones(3))
    save_file({"x": np.ones(3)}, tmp_path / "other.safetensors")
    save_file({"x": np.ones(3)}, tmp_path / "noted.safetensors", {"candidly": "[]"})
    for name in ("other.npz", "other.safetensors", "noted.safetensors"):
        with pytest.raises(ValueError, match="is no model"):
            load_model(tmp_path / name)


@pytest.mark.parametrize("kept", [0, 7, 8, 100, 0.5, -1])
def test_torn_files(saved, kept):
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(kept * len(whole)) if isinstance(kept, float) else kept])
    with pytest.raises(ValueError, match=r"is no model that Model.save .* or it is damaged"):
        load_model(saved)


def changed(path, arrays=None, **about):
    """The file with other arrays or another description."""
    with safe_open(path, "numpy") as file:
        note = json.loads(file.metadata()["candidly"])
    arrays = load_file(path) | (arrays or {})
    note = {k: v for k, v in (note | about).items() if v is not ...}
    write_model(path, {name: array for name, array in arrays.items() if array is not None}, note)


@pytest.mark.parametrize(
    ("arrays", "about", "told"),
    [
        ({}, {"schema": 4}, r"another version of candidly \(schema 4, and this one reads 3\)"),
        ({}, {"classes": ...}, "it lacks 'classes'"),
        ({}, {"classes": ["a", "b"]}, r"net/b2 is \(1, 7\), and a network .* 2 classes has \(1, 2"),
        ({}, {"classes": ["a"] * 7}, "has 'a' at position 0 and again"),
        ({}, {"classes": 7}, "`classes` is 7"),
        ({}, {"algorithm": "PRODEM"}, "no algorithm named 'PRODEM'; did you mean 'PRODEN'"),
        ({}, {"algorithm": "bbn"}, "a network of 12 features"),
        ({}, {"net": "mlp:40"}, r"net/b1 is \(1, 500\)"),
        ({}, {"steps": "many"}, "steps are 'many'"),
        ({}, {"trained": {"id": ["a"]}}, r"its id is \['a'\], and no name of a column"),
        ({}, {"trained": {"label": {}}}, "its label is {}, and no name of a column"),
        ({}, {"inputs": 5}, "not say what its inputs are"),
        ({}, {"inputs": {"kind": "table", "names": ["a"], "encoding": None}}, "are 1 numbers"),
        (
            {},
            {"inputs": {"kind": "columns", "names": None, "encoding": "{}"}},
            "no encoding that candidly wrote",
        ),
        ({"shift": np.zeros(3)}, {}, r"scaling has the shapes \(3,\) and \(12,\)"),
        ({"shift": None}, {}, "it lacks 'shift'"),
        ({"shift": np.full(12, np.nan)}, {}, "its shift has a number that is not finite"),
        ({"net/w1": None}, {}, "net/w1 is not there"),
        ({"net/w3": np.ones(2, np.float32)}, {}, r"net/w3 is \(2,\), and .* has none"),
        ({"net/b2": np.full((1, 7), np.inf, np.float32)}, {}, "net/b2 has a number that is not"),
        ({"net/b2": np.zeros((1, 7))}, {}, "net/b2 is float64, not float32"),
    ],
)
def test_whatever_does_not_fit_together_is_one_sentence(saved, arrays, about, told):
    changed(saved, arrays, **about)
    with pytest.raises(ValueError, match=told) as error:
        load_model(saved)
    assert str(saved) in str(error.value)
    assert "\n" not in str(error.value)


def test_measures_are_those_of_the_labels_that_are_there(model, data):
    logits = model.predict_logits(data.inputs)
    guess = logits.argmax(1)
    inside = data.candidates[np.arange(data.n), guess]
    found = model.measure(data)
    assert list(found) == [
        "covering rate",
        "approximated accuracy",
        "given accuracy",
        "answer accuracy",
        "oracle accuracy",
    ]
    assert found["covering rate"] == pytest.approx(inside.mean())
    probs = np.exp(logits.astype(float)) * data.candidates
    shares = inside * probs.max(1) / probs.sum(1)
    assert found["approximated accuracy"] == pytest.approx(shares.mean(), abs=1e-6)
    assert found["given accuracy"] == pytest.approx((guess == data.given).mean())
    named = [[] for _ in guess]
    for row, _, labels in data.votes.rows():
        named[row].append(guess[row] in labels)
    assert found["answer accuracy"] == pytest.approx(np.mean([np.mean(one) for one in named]))
    assert found["oracle accuracy"] == pytest.approx((guess == data.truth).mean())
    alone = replace(data.blind(), candidates=None, votes=None)
    assert list(model.measure(alone)) == ["given accuracy"]
    with pytest.raises(ValueError, match="no labels to measure by"):
        model.measure(replace(alone, given=None))
    with pytest.raises(ValueError, match="the same, in order"):
        model.measure(replace(data, classes=tuple("abcdefg")))


def test_a_model_is_made_of_what_it_says(model):
    assert isinstance(model, Model)
    assert repr(model) == "Model(PRODEN, 12 features, 7 classes, 60 updates)"


def test_a_model_keeps_the_size_of_a_projection(tmp_path):
    """PiCO's network depends on a hyper-parameter, which the file must have as a number."""
    hyper = {"size": 16, "queue": 32, "warm_up": 2, "batch_size": 16}
    model = fit(toy(n=60), "PiCO", steps=4, **hyper)
    path = tmp_path / "pico.safetensors"
    model.save(path)
    rows = toy(n=60).inputs
    assert np.array_equal(load_model(path).predict(rows), model.predict(rows))
