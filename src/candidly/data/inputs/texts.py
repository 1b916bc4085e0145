"""Texts as counts of words, hashed: each text by itself, without a vocabulary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

SPARSE = 2**16  # columns of the words' counts
PAIRS = 2**18  # with those of pairs of words
DENSE = 1024


def word_counts(texts: Sequence[str]) -> Any:
    """How often each word is in each text: scipy CSR float32 (n, d), of at most 65,536 columns.

    Words are hashed to columns; those that no text needs are left out.
    """
    counts = hashed_words(texts)
    return counts[:, np.flatnonzero(counts.getnnz(0))]


def hashed_words(texts: Sequence[str]) -> Any:
    """The same with all 65,536 columns, so that a text's numbers depend on it alone."""
    return _hashing(SPARSE).transform(texts)


def gram_counts(texts: Sequence[str]) -> Any:
    """How often each word, and each pair of neighbouring words, is in each text.

    Returns:
        scipy CSR float32 (n, d), of at most 262,144 columns, hashed as in ``word_counts``.
    """
    counts = _hashing(PAIRS, (1, 2)).transform(texts)
    return counts[:, np.flatnonzero(counts.getnnz(0))]


def dense_counts(texts: Sequence[str]) -> np.ndarray:
    """float32 (n, 1024): logarithms of counts of hashed words, each text's of a length of 1."""
    counts = _hashing(DENSE).transform(texts).toarray()
    np.log1p(counts, out=counts)
    lengths = np.linalg.norm(counts, axis=1, keepdims=True)
    return np.asarray(counts / np.where(lengths > 0, lengths, 1), np.float32)


def check_told(texts: Sequence[str]) -> None:
    """Refuse texts that are names: they differ, and in their numbers alone.

    Raises:
        ValueError: such texts, as data sets have where their pictures are missing.
    """
    first = texts[0]
    if all(text == first for text in texts):
        return
    if len({re.sub(r"[0-9]+", "", text) for text in texts}) == 1:
        other = next(text for text in texts if text != first)
        raise ValueError(
            f"the texts differ in their numbers alone, such as {first!r} and {other!r}, so nothing"
            " can be learned from them. Give what these names stand for: the texts or the pictures."
        )


def _hashing(width: int, words: tuple[int, int] = (1, 1)) -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(
        n_features=width, alternate_sign=False, norm=None, dtype=np.float32, ngram_range=words
    )
