"""Classifiers of texts: fastText's against a slow version, sentence vectors, the real events."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from candidly.data.inputs.texts import gram_counts, word_counts
from candidly.errors import cross_validate
from candidly.errors.crossval._fasttext import FastText
from candidly.errors.crossval._named import by_name

from needs import real_files

TOPICS = (("bread", "oven", "flour"), ("bike", "wheel", "road"), ("sea", "wave", "boat"))


def topics(n: int = 90, seed: int = 0) -> tuple[list[str], np.ndarray]:
    g = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return [" ".join([*g.choice(TOPICS[k], 2), f"x{g.integers(40)}"]) for k in y], y


def slow_fit(counts: np.ndarray, y: np.ndarray, made: FastText) -> tuple[np.ndarray, np.ndarray]:
    """One text at a time in float64, as the paper says."""
    rng = np.random.default_rng(made.random_state or 0)
    n, d = counts.shape
    low = 1 / made.dim
    embeddings = rng.uniform(-low, low, (d, made.dim)).astype(np.float32).astype(np.float64)
    weights = np.zeros((y.max() + 1, made.dim))
    done = 0
    for _ in range(made.epochs):
        for i in rng.permutation(n):
            rate = made.rate * (1 - done / (made.epochs * n))
            done += 1
            if not counts[i].any():
                continue
            shares = counts[i] / counts[i].sum()
            hidden = shares @ embeddings
            p = np.exp(weights @ hidden)
            off = p / p.sum() - np.eye(len(weights))[y[i]]
            moved = weights - rate * np.outer(off, hidden)
            embeddings -= rate * np.outer(shares, off @ weights)
            weights = moved
    return embeddings, weights


def test_fasttext_moves_as_the_slow_version():
    g = np.random.default_rng(1)
    counts = g.poisson(0.4, (40, 15)).astype(np.float32)
    counts[3] = 0
    y = g.integers(0, 3, 40)
    made = FastText(dim=4, epochs=3, random_state=5).fit(csr_matrix(counts), y)
    embeddings, weights = slow_fit(counts, y, made)
    np.testing.assert_allclose(made.embeddings_, embeddings, atol=2e-5)
    np.testing.assert_allclose(made.weights_, weights, atol=2e-5)
    probs = made.predict_proba(csr_matrix(counts))
    np.testing.assert_allclose(probs.sum(1), 1)
    np.testing.assert_allclose(probs[3], 1 / 3)
    again = FastText(dim=4, epochs=3, random_state=5).fit(csr_matrix(counts), y)
    assert np.array_equal(made.embeddings_, again.embeddings_)


def test_pairs_of_words_are_counted_beside_words():
    texts = ["a1 b2 a1", "b2 a1"]
    assert word_counts(texts).sum(1).tolist() == [[3.0], [2.0]]
    assert gram_counts(texts).sum(1).tolist() == [[5.0], [3.0]]
    assert gram_counts(texts).shape[1] == 4  # two words, and two pairs


@pytest.mark.parametrize("name", ["logistic", "fasttext"])
def test_topics_are_told_apart(name):
    texts, y = topics()
    found = cross_validate(name, (texts, y), 3)
    assert (found.probs.argmax(1) == y).mean() > 0.95


@pytest.mark.parametrize("name", ["fasttext", "sentences"])
def test_what_reads_texts_says_so(name):
    y = np.arange(30) % 2
    with pytest.raises(ValueError, match=f"{name} reads texts, and the inputs are table"):
        cross_validate(name, (np.random.default_rng(0).normal(size=(30, 2)), y), 2)


def test_many_classes_of_few_texts_are_learned_from_the_first_step_on():
    """Gradients are small there, and a rough tolerance would stop before the first step."""
    g = np.random.default_rng(0)
    y = np.repeat(np.arange(60), 6)
    texts = [f"topic{k} " + " ".join(f"w{i}" for i in g.integers(0, 500, 6)) for k in y]
    counts = word_counts(texts)
    made = by_name("logistic", "texts").fit(counts[::2], y[::2])
    assert (made.predict(counts[1::2]) == y[1::2]).mean() > 0.8
    vectors = g.normal(size=(60, 32))[y] + 0.3 * g.normal(size=(360, 32))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    made = by_name("sentences", "texts").fit(vectors[::2], y[::2])
    assert (made.predict(vectors[1::2]) == y[1::2]).mean() > 0.8


@pytest.mark.slow
@real_files
def test_on_the_real_events_words_reach_what_is_asked():
    """158 classes, 50 events of each to learn from: 39 % first and 64 % among five."""
    sides = {}
    for name in ("val", "test"):
        path = Path(os.environ["CANDIDLY_DATA"]) / "noisywikihow" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        sides[name] = [row["step"] for row in rows], np.array([int(row["cat_id"]) for row in rows])
    (texts, y), (new, truth) = sides["val"], sides["test"]
    counts = word_counts([*texts, *new])
    made = by_name("logistic", "texts").fit(counts[: len(texts)], y)
    order = np.argsort(-made.predict_proba(counts[len(texts) :]), 1)
    assert (order[:, 0] == truth).mean() >= 0.39
    assert (order[:, :5] == truth[:, None]).any(1).mean() >= 0.64
