"""What learners see of inputs: made once for all of them, or of each fold's training rows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest.media import decoded
from ...data.inputs import Table, fit_encoding, prepare
from ...data.inputs.pictures import SIDE, descriptors
from ...data.inputs.texts import dense_counts, gram_counts, word_counts
from ...data.labels.labelled import Labelled
from ._sentences import sentence_vectors

ENCODERS = ("own", "skrub")  # of columns of different kinds

Features = Callable[[np.ndarray], Any]  # (training rows) -> all rows as these alone encode them
Watch = Callable[[int, int], None]


def plain(views: Views) -> Features:
    """For a classifier of somebody's own: inputs as they are, images flattened, columns encoded."""
    return views.plain


def usual(views: Views) -> Features:
    """For the classifiers with names: pictures as descriptors, texts as counts of words."""
    return views.usual


def grams(views: Views) -> Features:
    """For ``fasttext``: counts of words and of pairs of words."""
    return views.grams


def sentences(views: Views) -> Features:
    """For ``sentences``: what a sentence encoder makes of texts."""
    return views.sentences


class Views:
    """The inputs of one data set as learners see them; what depends on no fold is made once.

    Args:
        watch: called with pictures decoded and described, and in all.
        encoder: of columns: candidly's ``own``, or ``skrub``.
    """

    def __init__(self, data: Labelled, watch: Watch | None = None, encoder: str = "own"):
        self.data, self.watch, self.encoder = data, watch, encoder

    @cached_property
    def plain(self) -> Features:
        inputs = self.data.inputs
        if isinstance(inputs, Table):
            return self._columns(inputs)
        if self.data.kind == "images":
            inputs = inputs.reshape(self.data.n, -1).astype(np.float32)
        return lambda rows: inputs

    @cached_property
    def usual(self) -> Features:
        if self.data.kind not in ("images", "media", "texts"):
            return self.plain
        if self.data.kind == "texts":
            counts = word_counts(np.asarray(self.data.inputs).tolist())
            return lambda rows: counts
        return lambda rows: self._described

    @cached_property
    def grams(self) -> Features:
        """Counts of words and pairs of words of texts.

        Raises:
            ValueError: no texts.
        """
        counts = gram_counts(self._texts("fasttext"))
        return lambda rows: counts

    @cached_property
    def sentences(self) -> Features:
        """Vectors of texts by the sentence encoder that is installed.

        Raises:
            ValueError: no texts, or none is installed.
        """
        vectors = sentence_vectors(self._texts("sentences"), watch=self.watch)
        return lambda rows: vectors

    def _texts(self, name: str) -> list[str]:
        if self.data.kind != "texts":
            raise ValueError(
                f"{name} reads texts, and the inputs are {self.data.kind}; take logistic."
            )
        return np.asarray(self.data.inputs).tolist()

    @cached_property
    def dense(self) -> Features:
        """For networks: numbers (n, d), images as their pixels."""
        if self.data.kind == "media":
            return lambda rows: self._described
        if self.data.kind == "texts":
            counts = dense_counts(np.asarray(self.data.inputs).tolist())
            return lambda rows: counts
        return self.plain

    @cached_property
    def pixels(self) -> np.ndarray:
        """Pictures in files, uint8 (n, 32, 32, 3)."""
        return decoded(np.asarray(self.data.inputs).tolist(), SIDE, self.watch)

    @cached_property
    def _described(self) -> np.ndarray:
        inputs = np.asarray(self.data.inputs)
        if self.data.kind == "images":
            return descriptors(inputs, self.watch)
        return descriptors(decoded(inputs.tolist(), SIDE, self.watch))

    def _columns(self, table: Table) -> Features:
        if self.encoder == "skrub":
            return _by_skrub(table)
        prepared = prepare(table)
        return lambda rows: fit_encoding(prepared, rows).encode(prepared)


def _by_skrub(table: Table) -> Features:
    """skrub's TableVectorizer, fitted to the training rows.

    Raises:
        ValueError: skrub is not installed.
    """
    # skrub makes a folder for downloads when it is imported, otherwise in the home folder
    os.environ.setdefault("SKB_DATA_DIRECTORY", str(Path(tempfile.gettempdir()) / "skrub_data"))
    try:
        from skrub import TableVectorizer  # type: ignore[import-untyped]
    except ImportError:
        raise ValueError(
            "encoder='skrub' needs skrub: pip install 'candidly[tables]'. Or leave it out."
        ) from None
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    def features(rows: np.ndarray) -> np.ndarray:
        vectors = TableVectorizer()
        vectors.fit(table.frame[rows])
        fill = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
        numbers = np.asarray(vectors.transform(table.frame).to_numpy(), np.float64)
        return np.asarray(fill.fit(numbers[rows]).transform(numbers), np.float32)

    return features
