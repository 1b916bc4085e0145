"""Examples that are there twice, or nearly, in different folds."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data.ingest.media import decoded
from ...data.inputs import Table, encoded
from ...data.inputs.pictures import SIDE
from ...data.labels.labelled import Labelled
from ...ground.seeds import draw

NEAR = 0.999  # cosine of standardised features; 0 to 1 % of the examples of sound tables reach it
NEAR_TEXT = 0.95  # cosine of counts of words
LEAST_FEATURES = 8  # with fewer, neighbours are near by nature
BUDGET = 2e10  # multiply-adds for near-duplicates: a second or so; beyond it a sample is looked at
BLOCK_BYTES = 1 << 26


class Copies(NamedTuple):
    """Examples with a copy in another fold.

    Attributes:
        rows: int64, ascending.
        pair: the first of them and its copy; () when there is none.
        looked_at: how many examples were compared with all others.
    """

    rows: np.ndarray
    pair: tuple[int, ...]
    looked_at: int


def digests(data: Labelled) -> np.ndarray:
    """A 64-bit digest of each example's input, uint64 (n,): equal inputs have equal ones.

    Media are read; a file that is not there counts by its path.
    """
    if isinstance(data.inputs, Table):
        frame = data.inputs.frame
        return np.array(frame.select(sorted(frame.columns)).hash_rows(seed=0).to_numpy())
    if data.kind.texts:
        contents = (str(text).encode("utf-8", "surrogatepass") for text in data.inputs)
    elif data.kind.files:
        contents = (_content(path) for path in data.inputs)
    else:
        table = data.inputs.reshape(data.n, -1)
        if table.dtype.kind == "f":
            table = table.astype(np.float64)  # 0.1 in float32 is another number than in float64
        contents = (np.ascontiguousarray(row + 0).tobytes() for row in table)  # -0.0 + 0 is 0.0
    joined = b"".join(hashlib.blake2b(content, digest_size=8).digest() for content in contents)
    return np.frombuffer(joined, np.uint64)


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else str(path).encode("utf-8", "surrogateescape")


def exact_copies(values: np.ndarray, folds: np.ndarray) -> Copies:
    """Examples whose digest, uint64 (n,), also occurs in another fold."""
    _, number = np.unique(values, return_inverse=True)
    lowest = np.full(number.max() + 1, np.iinfo(np.int64).max)
    highest = np.full(number.max() + 1, -1)
    np.minimum.at(lowest, number, folds)
    np.maximum.at(highest, number, folds)
    rows = np.flatnonzero((lowest < highest)[number])
    if not len(rows):
        return Copies(rows, (), len(folds))
    first = int(rows[0])
    other = np.flatnonzero((number == number[first]) & (folds != folds[first]))[0]
    return Copies(rows, (first, int(other)), len(folds))


def near_copies(data: Labelled, folds: np.ndarray, seed: int, budget: float = BUDGET) -> Copies:
    """Examples of which another fold holds one with nearly the same input.

    Tables and pictures by the cosine of standardised features, from 8 features on, columns of
    different kinds as they are encoded and pictures in files as small squares, upright; texts by
    the cosine of counts of words. Sounds are not compared. Of a table, columns
    that hold two values, such as those of a one-hot encoding, do not count: a category that is rare
    would make all of its rows alike, whatever else they hold. Blocks of rows are compared with all
    others, as many rows, drawn at random, as ``budget`` multiply-adds allow.
    """
    vectors = _vectors(data)
    if vectors is None:
        return Copies(np.zeros(0, np.int64), (), 0)
    least = NEAR_TEXT if data.kind.texts else NEAR
    width = vectors.nnz / data.n if data.kind.texts else vectors.shape[1]
    count = int(min(data.n, max(1, budget / (data.n * max(width, 1)))))
    rows = np.sort(draw(seed, "crossval.copies").permutation(data.n)[:count])
    size = max(1, BLOCK_BYTES // (4 * data.n))
    found: list[np.ndarray] = []
    pair: tuple[int, ...] = ()
    for start in range(0, count, size):
        some = rows[start : start + size]
        likeness = vectors[some] @ vectors.T
        likeness = likeness if isinstance(likeness, np.ndarray) else likeness.toarray()
        likeness[folds[some][:, None] == folds] = -1
        hits = np.flatnonzero(likeness.max(1) >= least)
        if len(hits) and not pair:
            pair = int(some[hits[0]]), int(likeness[hits[0]].argmax())
        found.append(some[hits])
    return Copies(np.concatenate(found), pair, count)


def _vectors(data: Labelled) -> Any:
    """Rows of length 1, float32 (n, d), dense or sparse; None where likeness says nothing."""
    inputs = data.inputs
    if data.kind.files:
        try:
            inputs = decoded(np.asarray(inputs).tolist(), SIDE)
        except (ValueError, OSError):  # sounds, or what somebody's own classifier reads
            return None
    if data.kind.texts:
        from sklearn.feature_extraction.text import HashingVectorizer

        return HashingVectorizer(dtype=np.float32, alternate_sign=False).transform(data.inputs)
    table = encoded(inputs).reshape(data.n, -1)
    if not data.kind.pictures:
        low, high = table.min(0), table.max(0)
        table = table[:, ~((table == low) | (table == high)).all(0)]
    if table.shape[1] < LEAST_FEATURES:
        return None
    spread = table.std(0, dtype=np.float64)
    spread[(table == table[:1]).all(0)] = np.inf  # a constant column says nothing
    spread[spread == 0] = np.inf
    rows = ((table - table.mean(0, dtype=np.float64)) / spread).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)
