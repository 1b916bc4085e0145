"""Representations of events, by name: what is near is easily taken for each other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from ...ground.names import lookup
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...ground.seeds import draw
from ...ground.spec import begins_with, halves
from ...learn.written.folders import digest_of_folder, folder_named
from ...learn.written.nets import HF

Embedding = Callable[[Sequence[str], OnProgress], np.ndarray]

DIMENSIONS = 256
BEFORE, BEHIND = 1, 4  # tokens of the window around the verb
PROBED = 100  # events whose vectors are hashed, so that a build says what its noise depends on


def windows(texts: Sequence[str], verbs: Sequence[int]) -> list[str]:
    """The verb of each event and the few tokens around it.

    >>> windows(["then slowly open the small window of the kitchen ."], [2])
    ['slowly open the small window']
    """
    cut = (text.split()[max(0, verb - BEFORE) : verb + BEHIND] for text, verb in zip(texts, verbs))
    return [" ".join(tokens) for tokens in cut]


def of_words(texts: Sequence[str], watch: OnProgress) -> np.ndarray:
    """TF-IDF of words and pairs of words in 256 dimensions, by truncated SVD: float32 (n, d)."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from threadpoolctl import threadpool_limits

    counts = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\S+", dtype=np.float32)
    words = counts.fit_transform(texts)
    d = min(DIMENSIONS, *(size - 1 for size in words.shape))
    if d < 1:
        return words.toarray()
    seed = int(draw(0, "build.embed").integers(2**31))
    # the same sums whatever the number of cores; events that are all alike vary in nothing
    with threadpool_limits(1), np.errstate(divide="ignore", invalid="ignore"):
        found = TruncatedSVD(d, random_state=seed).fit_transform(words)
    watch(len(texts), len(texts))
    return found


def of_sentences(texts: Sequence[str], watch: OnProgress) -> np.ndarray:
    """Vectors of the installed sentence encoder: float32 (n, 384)."""
    from ...learn.encoders import sentence_vectors

    return sentence_vectors(texts, watch=watch)


EMBEDDINGS: Mapping[str, Embedding] = {"words": of_words, "sentences": of_sentences}


def of_folder(place: str, texts: Sequence[str], watch: OnProgress) -> np.ndarray:
    """Vectors of the language model in a folder: float32 (n, d)."""
    from ...learn.encoders import sentence_vectors

    return sentence_vectors(texts, place, watch)


def named(name: str) -> Embedding:
    """The embedding of this name, or ``hf:FOLDER``, the language model in a folder.

    Raises:
        UnknownName (a KeyError): there is none; suggests the nearest.
    """
    if begins_with(name, [HF]):
        return partial(of_folder, halves(name)[1])
    return lookup(EMBEDDINGS, name, "embedding")[1]


def known_by(name: str) -> str:
    """What vectors of an embedding depend on: its name, and of a folder what it holds.

    Raises:
        FileNotFoundError: no such folder.
    """
    if not begins_with(name, [HF]):
        return name
    place = halves(name)[1]
    return f"{name} {digest_of_folder(folder_named(place), place)}"


def checked(vectors: np.ndarray, n: int) -> np.ndarray:
    """The vectors an embedding returned, one for each event.

    Raises:
        ValueError: another number of them, a number that is not finite, or one that is all zeros.
    """
    found = np.asarray(vectors)
    if found.ndim != 2 or len(found) != n:
        raise ValueError(f"the embedding returned shape {found.shape} for {n:,} events.")
    broken = ~np.isfinite(found).all(1)
    if broken.any():
        raise Refusal(
            f"the embedding returned numbers that are not finite for {int(broken.sum()):,} events, "
            f"event {int(broken.argmax())} first.",
            "mend the embedding",
            "take `embedding='words'`",
        )
    return found


def probe_of(vectors: np.ndarray) -> str:
    """A short hash of vectors, rounded so that it is the same on other machines: 16 hex digits."""
    return hashlib.sha256(np.round(np.abs(vectors), 3).astype("<f4").tobytes()).hexdigest()[:16]
