"""``--net``, ``--recipe`` and ``--device`` wherever a network can be named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import candidly as library
from candidly.learn.model import load_model
from own_net import FILE, small_pictures, write_net

STEPS = ("--steps", 4, "--hyper", "batch_size=16")


@pytest.fixture
def folder(candidly, tmp_path):
    """The command line in a folder with ``pictures.npz`` and ``net.py``."""
    small_pictures().save("pictures.npz")
    write_net(tmp_path)
    return candidly


def test_a_file_trains_a_model_that_predicts_with_it(folder):
    out = ("--out", "m.safetensors")
    asked = ("--net", "net.py:make", "--algorithm", "ce")
    status, said, err = folder("train", "pictures.npz", *asked, *STEPS, *out)
    assert status == 0, err
    assert "--net net.py:make" in said.splitlines()[-1]
    predict = ("predict", "m.safetensors", "pictures.npz", "--out", "p.csv")
    status, _, err = folder(*predict)
    assert (status, "--net net.py:make" in err) == (2, True)
    status, _, err = folder(*predict, "--net", "net.py:make")
    assert status == 0, err
    assert len(Path("p.csv").read_text().splitlines()) == 121
    Path("net.py").write_text(FILE + "#")
    status, _, err = folder(*predict, "--net", "net.py:make")
    assert (status, "edited since" in err, err.count("\n")) == (2, True, 1)


def test_pictures_in_a_folder_train_a_network_and_are_predicted(candidly, tmp_path):
    data = small_pictures(24)
    for row, pixels in enumerate(data.inputs):
        place = tmp_path / "photos" / data.classes[data.truth[row]] / f"{row}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(place)
    out = ("--net", "cnn:width=2", "--recipe", "adam", "--out", "m.safetensors")
    status, said, err = candidly("train", "photos", *out, "--json", *STEPS)
    assert status == 0, err
    assert json.loads(said)["net"] == "cnn:width=2"
    assert load_model("m.safetensors").shape == (3, 32, 32)
    status, _, err = candidly("predict", "m.safetensors", "photos/a", "--out", "p.csv")
    assert status == 0, err


def test_bench_runs_a_file_and_says_so(folder):
    asked = ("--dataset", "pictures.npz", "--algorithms", "CC", "--net", "net.py:make")
    asked += ("--configs", 1, "--splits", 1, "--eval-every", 4, *STEPS, "--out", "runs")
    status, said, err = folder("bench", "plan", *asked)
    assert status == 0, err
    assert re.search(r"^net: net\.py:make@[0-9a-f]{16} for pictures\.npz$", said, re.MULTILINE)
    status, said, err = folder("bench", "run", *asked, "--workers", 1)
    assert status == 0, err
    status, _, err = folder("bench", "run", *asked[:4], *asked[6:], "--workers", 1)
    assert (status, "with net = net.py:make@" in err, "says cnn" in err) == (2, True, True)


def test_probabilities_and_checks_by_a_network_that_is_named(folder):
    asked = ("--net", "net.py:make", "--recipe", "adam", "--folds", 2)
    status, _, err = folder(
        "errors", "probs", "pictures.npz", "--classifier", "ce", "--steps", 4, *asked,
        "--out", "p.npz",
    )  # fmt: skip
    assert status == 0, err
    assert np.load("p.npz")["probs"].shape == (120, 3)
    status, _, err = folder("errors", "probs", "pictures.npz", *asked, "--out", "p.npz")
    assert (status, "--net is not used by logistic" in err) == (2, True)
    status, _, err = folder("check", "pictures.npz", *asked)
    assert (status, "Give --classifier an algorithm" in err) == (2, True)
    data = library.load("pictures.npz")
    found = library.check(data, classifier="ce", net="mlp:4", recipe="adam", folds=2)
    assert found.judged.chosen == "ce"


@pytest.mark.parametrize(
    "command",
    [
        ("train", "pictures.npz", "--out", "m.safetensors"),
        ("bench", "run", "--dataset", "pictures.npz", "--algorithms", "CC", "--workers", 1),
        ("errors", "probs", "pictures.npz", "--classifier", "ce", "--out", "p.npz"),
        ("errors", "compare", "pictures.npz", "--detectors", "el2n", "--seeds", 1),
        ("check", "pictures.npz", "--classifier", "ce"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
@pytest.mark.parametrize(
    ("net", "said"),
    [
        ("cnm", "no network named 'cnm'; did you mean 'cnn'?"),
        ("gone.py:make", "there is no file gone.py"),
        ("net.py:mak", "net.py has no function 'mak'; it has Small, make."),
        ("resnet18:depth=3", "has no option 'depth'"),
    ],
)
def test_no_network_is_the_same_sentence_everywhere(folder, command, net, said):
    status, _, err = folder(*command, "--net", net)
    assert (status, said in err, err.count("\n")) == (2, True, 1), err


def test_no_cuda_is_the_same_sentence_everywhere(folder, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    said = set()
    for command in (
        ("train", "pictures.npz", "--out", "m.safetensors"),
        ("bench", "run", "--dataset", "pictures.npz", "--algorithms", "CC"),
    ):
        status, _, err = folder(*command, *STEPS, "--device", "cuda")
        assert (status, err.count("\n")) == (2, 1)
        said.add(err)
    assert said == {
        "candidly: error: device 'cuda' is not there: this torch finds no CUDA. This machine has: "
        "cpu.\n"
    }


def test_several_devices_are_for_a_sweep(folder, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    both = ("--device", "cuda:0,cuda:1")
    status, _, err = folder("train", "pictures.npz", "--out", "m.safetensors", *STEPS, *both)
    assert (status, err.count("\n")) == (2, 1)
    assert "device 'cuda:0,cuda:1' names several, and one network trains on one" in err
    sweep = ("bench", "run", "--dataset", "pictures.npz", "--algorithms", "CC", *STEPS)
    status, _, err = folder(*sweep, *both, "--workers", "1")
    assert (status, err.count("\n")) == (2, 1)
    assert "workers is 1, and 2 devices are named" in err


def test_tf32_on_a_cpu_is_the_same_sentence_everywhere(folder):
    said = set()
    for command in (
        ("train", "pictures.npz", "--out", "m.safetensors", *STEPS),
        ("bench", "run", "--dataset", "pictures.npz", "--algorithms", "CC", *STEPS),
        ("errors", "probs", "pictures.npz", "--classifier", "ce", "--out", "p.npz"),
    ):
        status, _, err = folder(*command, "--recipe", "sgd:precision=tf32")
        assert (status, err.count("\n")) == (2, 1), err
        said.add(err)
    assert said == {
        "candidly: error: recipe sgd:precision=tf32: precision=tf32 is how an NVIDIA GPU rounds, "
        "and this is trained on a CPU. Leave precision out, or train on such a "
        "GPU.\n"
    }


def test_a_network_too_large_for_memory_is_refused_before_it_is_made(folder):
    for command in (
        ("train", "pictures.npz", "--algorithm", "ce", "--out", "m.safetensors"),
        ("errors", "probs", "pictures.npz", "--classifier", "ce", "--out", "p.npz"),
    ):
        for net in ("mlp:999999999", "cnn:width=999999"):
            status, _, err = folder(*command, "--net", net)
            assert (status, "Take a smaller network" in err, err.count("\n")) == (2, True, 1), err
