"""Encoders of somebody's own: a file that is named, and nothing that is loaded with a model."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import features, fit
from candidly.data.labels.building import from_arrays
from candidly.errors import cross_validate

rng = np.random.default_rng(0)
PICTURES = rng.integers(0, 256, (8, 20, 16, 3), dtype=np.uint8)
MEANS = """
import torch
from torch import nn

class Means(nn.Module):
    {side}
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor({scale}))

    def forward(self, pictures):
        return pictures.float().mean((1, 2)) * self.scale

def make():
    return Means()
"""
TEXTS = """
def make():
    return lambda texts: [[len(text), text.count("a")] for text in texts]
"""


@pytest.fixture(autouse=True)
def kept(monkeypatch, tmp_path):
    monkeypatch.setenv("CANDIDLY_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def written(tmp_path, source, **values):
    path = tmp_path / "mine.py"
    path.write_text(source.format(**values) if values else source)
    return f"{path}:make"


def test_pictures_are_seen_as_the_file_says(tmp_path, kept):
    squares = rng.integers(0, 256, (8, 20, 20, 3), dtype=np.uint8)
    name = written(tmp_path, MEANS, side="side = 20", scale=2.0)
    found = features(squares, name)
    np.testing.assert_allclose(found, 2 * squares.mean((1, 2)), atol=1e-3)
    # other numbers are another encoder, and nothing kept is taken for theirs
    other = written(tmp_path, MEANS, side="side = 20", scale=3.0)
    np.testing.assert_allclose(features(squares, other), 1.5 * found, rtol=1e-5)
    assert len(list(kept.iterdir())) == 2


def test_how_large_pictures_are_seen(tmp_path):
    name = written(tmp_path, MEANS.replace("pictures.float().mean((1, 2)) * self.scale",
                                           "pictures.shape[1] * pictures.float().mean((1, 2)) * 0 "
                                           "+ pictures.shape[1]"), side="", scale=1.0)  # fmt: skip
    assert (features(PICTURES, name) == 96).all()
    assert (features(np.zeros((2, 200, 100, 3), np.uint8), name) == 224).all()
    assert (features(PICTURES, name, side=32) == 32).all()


def test_texts(tmp_path):
    name = written(tmp_path, TEXTS)
    told = []
    found = features(["a cat", "bananas"] * 200, name, watch=lambda *at: told.append(at))
    assert found[:2].tolist() == [[5, 2], [7, 3]]
    assert found.dtype == np.float32
    assert told[-1] == (400, 400)
    with pytest.raises(ValueError, match="by its own code"):
        features(["a cat"], name, precision="bf16")


def test_probabilities_by_an_own_encoder(tmp_path):
    classes = np.repeat([0, 1], 40)
    bright = np.where(classes[:, None, None, None], 180, 60) + rng.integers(-40, 40, (80, 8, 8, 3))
    data = from_arrays(bright.astype(np.uint8), classes)
    name = written(tmp_path, MEANS, side="side = 8", scale=1.0)
    found = cross_validate("logistic", data, encoder=name)
    assert (found.probs.argmax(1) == classes).mean() > 0.95


def test_a_model_file_never_names_a_file_that_is_run(tmp_path):
    data = from_arrays(PICTURES, np.tile([0, 1], 4))
    with pytest.raises(ValueError, match="would run it wherever the model is used"):
        fit(data, encoder=written(tmp_path, MEANS, side="", scale=1.0))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def make():\n    return 3", "gives int, and an encoder of pictures is a torch.nn.Module"),
        ("def make():\n    raise OSError('no weights')", "fails: OSError: no weights"),
        (MEANS.format(side="side = -1", scale=1.0), "is -1; it is a number of pixels"),
        (MEANS.format(side="side = 10**7", scale=1.0), "is 10000000; it is a number of pixels"),
        (MEANS.format(side="", scale="float('nan')"), "is not finite"),
        (
            MEANS.format(side="", scale=1.0).replace(".mean((1, 2))", ""),
            "is \\(2, 96, 96, 3\\) of 2",
        ),
        (MEANS.format(side="", scale=1.0).replace("(1, 2)", "(1, 7)"), "does not see pictures of"),
        ("def other():\n    return 3", "has no function 'make'"),
    ],
)
def test_what_is_no_encoder(tmp_path, source, said):
    with pytest.raises(ValueError, match=said):
        features(PICTURES, written(tmp_path, source))


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        features(PICTURES, f"{tmp_path / 'none.py'}:make")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def make():\n    return 3", "an encoder of texts is a function"),
        ("def make():\n    return lambda texts: [1.0] * len(texts)", "is \\(2,\\) of 2"),
        ("def make():\n    return lambda texts: 1 / 0", "reads no texts: ZeroDivisionError"),
    ],
)
def test_what_reads_no_texts(tmp_path, source, said):
    with pytest.raises(ValueError, match=said):
        features(["a", "b"], written(tmp_path, source))
