"""Training on what an encoder makes of pictures or texts: encoded once, then a table to all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ...data.labels.describe import with_given_features
from ...data.labels.labelled import Labelled
from ...ground.progress import OnProgress, part
from ..algorithms import Algorithm
from ..classifiers import encoded_logistic
from ..encoders.choice import better_encoder, has_choice
from ..encoders.seen import SeenBy, seen_through
from ._model import Model
from ._reading import Reading

Named = TypeVar("Named", bound=str | Algorithm)


def as_vectors(
    data: Labelled, encoder: str | None = None, watch: OnProgress | None = None
) -> tuple[Labelled, SeenBy]:
    """The same rows and labels, whose inputs are vectors of an encoder, and what made them.

    Args, Raises: see ``encoders.features``.
    """
    vectors, seen = seen_through(data, encoder, watch)
    return of_vectors(data, vectors, seen.name), seen


def of_vectors(data: Labelled, vectors: np.ndarray, encoder: str) -> Labelled:
    """The same rows and labels, whose inputs are these vectors.

    Args:
        vectors: float (n, d). encoder: the name of what made them.
    """
    source = with_given_features(data.source, encoder)
    return replace(data, inputs=vectors, features=None, source=source)


def inputs_to_learn(
    data: Labelled,
    algorithm: Named | None,
    encoder: str | None,
    plain: bool,
    rows: Callable[[], np.ndarray] | None = None,
    watch: OnProgress | None = None,
) -> tuple[Labelled, SeenBy | None, Named | str | None]:
    """What training learns from, what made it of the inputs, and by which algorithm.

    Args:
        algorithm, encoder: as asked for; None where nobody has.
        plain: nothing is said of what learns, nor of how.
        rows: says which are learned from, bool (n,); see ``usual_encoder``.
        watch: called with work done, and in all.

    Returns:
        ``data``, None and ``algorithm`` where no encoder is asked for, nor the usual one; else the
        rows as vectors.
    """
    tell = watch
    if encoder is None and plain and _may_have_usual(data):
        first = None if watch is None else part(watch, 0, 1, 2)
        tell = None if watch is None else part(watch, 1, 2, 2)
        encoder = usual_encoder(data, None if rows is None else rows(), first)
    if encoder is None:
        return data, None, algorithm
    vectors, seen = as_vectors(data, encoder, tell)
    return vectors, seen, default_of_vectors(data) if plain else algorithm


def usual_encoder(
    data: Labelled,
    rows: np.ndarray | None = None,
    watch: OnProgress | None = None,
) -> str | None:
    """The encoder that training takes where neither it nor what learns is named.

    Of pictures with one label a row the installed one, where what it makes tells at least as many
    labels as descriptors do, see ``encoders.choice.better_encoder``; otherwise None.

    Args:
        rows: bool (n,), those that are learned from, whose labels alone are looked at; by default
            all but an official test set.
        watch: called with pictures encoded for that, and in all.
    """
    if data.given is None or not _may_have_usual(data):
        return None
    if rows is None:
        rows = np.ones(data.n, bool) if data.official_test is None else ~data.official_test
    return better_encoder(data, np.where(rows, data.given, -1), watch)


def _may_have_usual(data: Labelled) -> bool:
    return data.given is not None and data.candidates is None and has_choice(data, None)


def default_of_vectors(data: Labelled) -> str | None:
    """What learns from vectors where nothing is named: of one label a row logistic regression.

    None: what suits the labels, as of any table.
    """
    return encoded_logistic() if data.candidates is None and data.given is not None else None


def of_inputs(model: Model, data: Labelled, seen: SeenBy) -> Model:
    """A model of vectors as one of the pictures or texts that these were made of.

    Args:
        model: trained on the vectors; it is changed.
        data: the rows as they were.
    """
    model.reading = Reading(data.kind, data.features, encoder=seen)
    model.about["inputs"] = model.reading.to_json()
    model.about["data"] = data.fingerprint()
    return model
