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
from ...data.inputs.pictures import SIDE
from ...data.inputs.texts import dense_counts, gram_counts, word_counts
from ...data.labels.kinds import ALL_OF
from ...data.labels.labelled import Labelled
from ...ground.extras import install
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...learn.encoders.choice import ENCODED, described
from ._encoder import OWN, SKRUB, encoder_for

Features = Callable[[np.ndarray], Any]  # (training rows) -> all rows as these alone encode them


def plain(views: Views) -> Features:
    """For a classifier of somebody's own: inputs as they are, images flattened, columns encoded."""
    return views.plain


def framed(views: Views) -> Features:
    """For a classifier that takes columns by name: the data frame."""
    return views.framed


def usual(views: Views) -> Features:
    """For the classifiers with names: pictures as an encoder's vectors or as descriptors, texts
    as counts of words."""
    return views.usual


def grams(views: Views) -> Features:
    """For ``fasttext``: counts of words and of pairs of words."""
    return views.grams


def sentences(views: Views) -> Features:
    """For ``sentences``: what a sentence encoder makes of texts."""
    return views.sentences


def named_classes(views: Views) -> Features:
    """For ``zero-shot``: how well each class's name fits a picture."""
    return views.named_classes


class Views:
    """The inputs of one data set as learners see them; what depends on no fold is made once.

    Args:
        watch: called with pictures decoded and described, and in all.
        encoder: what makes numbers of inputs; see ``encoder_for``.
        frame: the data frame that the inputs were; made of them by default.
        strata: int (n,), the class by which an encoder of pictures is compared with descriptors
            where none is named, -1 for none.
    """

    def __init__(
        self,
        data: Labelled,
        watch: OnProgress | None = None,
        encoder: str | None = None,
        frame: Any = None,
        strata: np.ndarray | None = None,
    ):
        self.data, self.watch, self.frame = data, watch, frame
        self.asked, self.strata = encoder, strata
        if encoder is not None:
            encoder_for(data, encoder)  # what cannot be is refused at once

    @cached_property
    def encoder(self) -> str:
        """What makes numbers of the inputs."""
        return encoder_for(self.data, self.asked, self.strata, self.watch)

    @property
    def decided(self) -> str:
        """The encoder that made the numbers; ``own`` where nobody looked at any."""
        return self.encoder if "encoder" in vars(self) else OWN

    @property
    def seen(self) -> np.ndarray | None:
        """What an encoder has made of pictures, float32 (n, d); None where nobody asked it."""
        made = "vectors" in vars(self) and self.data.kind.pictures
        return self.vectors(np.arange(0)) if made else None

    @property
    def kind(self) -> str:
        """What classifiers with names are given: the kind of inputs, or ``encoded``."""
        return ENCODED if self.encodes else self.data.kind

    @property
    def encodes(self) -> bool:
        """Whether pictures or texts are seen by an encoder that was trained elsewhere."""
        return self.data.kind.encoded and self.encoder != OWN

    @property
    def named(self) -> bool:
        """Whether somebody has named an encoder of pictures or texts, which networks see, too."""
        return self.asked is not None and self.encodes

    @cached_property
    def plain(self) -> Features:
        inputs = self.data.inputs
        if isinstance(inputs, Table):
            return self._columns(inputs)
        if self.data.kind.pixels:
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
            if not self.data.kind.named:
                raise ValueError(
                    f"the classifier takes columns by name, and the inputs are {self.data.kind}; "
                    "give a data frame."
                )
            frame = _frame_of(self.data)
        return lambda rows: frame

    @cached_property
    def usual(self) -> Features:
        if not self.data.kind.encoded:
            return self.plain
        if self.encodes:
            return self.vectors
        if self.data.kind.texts:
            counts = word_counts(np.asarray(self.data.inputs).tolist())
            return lambda rows: counts
        return lambda rows: self._descriptors

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
        from ...learn.encoders import sentence_vectors

        vectors = sentence_vectors(self._texts("sentences"), watch=self.watch)
        return lambda rows: vectors

    @cached_property
    def named_classes(self) -> Features:
        """Scores of pictures for the names of classes; no label is looked at.

        Raises:
            ValueError: no pictures, tags, or no encoder that reads texts, too.
        """
        if not self.data.kind.pictures or self.data.label_kind == ALL_OF:
            what = "tags" if self.data.label_kind == ALL_OF else self.data.kind
            raise ValueError(
                f"zero-shot tells one class of a picture by its name, and these are {what}; take "
                "logistic."
            )
        if not self.named:
            raise Refusal(
                "zero-shot needs a model of pictures and texts.",
                "name its folder with `encoder`, such as hf:clip-vit-base-patch32",
            )
        from ...learn.encoders import zero_shot

        found = zero_shot(self.data, self.encoder, watch=self.watch)
        return lambda rows: found

    @cached_property
    def vectors(self) -> Features:
        """What the encoder makes of pictures or texts."""
        from ...learn.encoders import features  # which brings torch

        found = features(self.data, self.encoder, watch=self.watch)
        return lambda rows: found

    def _texts(self, name: str) -> list[str]:
        if not self.data.kind.texts:
            raise ValueError(
                f"{name} reads texts, and the inputs are {self.data.kind}; take logistic."
            )
        return np.asarray(self.data.inputs).tolist()

    @cached_property
    def dense(self) -> Features:
        """For networks: numbers (n, d), images as their pixels unless an encoder was named."""
        if self.named or (self.data.kind.files and self.encodes):
            return self.vectors
        if self.data.kind.files:
            return lambda rows: self._descriptors
        if self.data.kind.texts:
            counts = dense_counts(np.asarray(self.data.inputs).tolist())
            return lambda rows: counts
        return self.plain

    @cached_property
    def pixels(self) -> np.ndarray:
        """Pictures in files, uint8 (n, 32, 32, 3)."""
        return decoded(np.asarray(self.data.inputs).tolist(), SIDE, self.watch)

    @cached_property
    def _descriptors(self) -> np.ndarray:
        return described(self.data, self.watch)

    def _columns(self, table: Table) -> Features:
        if self.encoder == SKRUB:
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
