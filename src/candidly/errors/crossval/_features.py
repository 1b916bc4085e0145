"""What learners see of inputs: made once for all of them, or of each fold's training rows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest.media import decoded
from ...data.inputs import Table, fit_encoding, prepare
from ...data.inputs.pictures import SIDE, descriptors
from ...data.inputs.texts import dense_counts, gram_counts, word_counts
from ...data.labels.labelled import Labelled
from ...ground.extras import install
from ._sentences import sentence_vectors

ENCODERS = ("own", "skrub", "none")  # of columns of different kinds

Features = Callable[[np.ndarray], Any]  # (training rows) -> all rows as these alone encode them
Watch = Callable[[int, int], None]


def plain(views: Views) -> Features:
    """For a classifier of somebody's own: inputs as they are, images flattened, columns encoded."""
    return views.plain


def framed(views: Views) -> Features:
    """For a classifier that takes columns by name: the data frame."""
    return views.framed


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
        encoder: the encoder of columns: candidly's ``own``, ``skrub``, or ``none``.
        frame: the data frame that the inputs were; made of them by default.
    """

    def __init__(
        self,
        data: Labelled,
        watch: Watch | None = None,
        encoder: str = "own",
        frame: Any = None,
    ):
        self.data, self.watch, self.encoder, self.frame = data, watch, encoder, frame

    @cached_property
    def plain(self) -> Features:
        inputs = self.data.inputs
        if isinstance(inputs, Table):
            return self._columns(inputs)
        if self.data.kind == "images":
            inputs = inputs.reshape(self.data.n, -1).astype(np.float32)
        return lambda rows: inputs

    @cached_property
    def framed(self) -> Features:
        """The data frame: that of a person, or one made of a table.

        Raises:
            ValueError: the inputs are no table.
        """
        frame = self.frame
        if frame is None:
            if self.data.kind not in ("table", "columns"):
                raise ValueError(
                    f"the classifier takes columns by name, and the inputs are {self.data.kind}; "
                    "give a data frame."
                )
            frame = _frame_of(self.data)
        return lambda rows: frame

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


def _frame_of(data: Labelled) -> Any:
    """A data frame of the inputs: of pandas where that is installed, as most classifiers want."""
    import polars as pl

    frame = (
        data.inputs.frame
        if isinstance(data.inputs, Table)
        else pl.DataFrame(np.asarray(data.inputs), list(data.features or ()) or None)
    )
    return frame.to_pandas() if find_spec("pandas") and find_spec("pyarrow") else frame


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
            f"encoder='skrub' needs skrub: {install('tables')}. Or leave it out."
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
