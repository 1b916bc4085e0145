"""An encoder of pictures or candidly's own descriptors, where nobody has said which."""

from __future__ import annotations

import numpy as np

from ...data.ingest.media import decoded
from ...data.inputs.pictures import SIDE, descriptors
from ...data.labels.folds import make_folds
from ...data.labels.labelled import Labelled
from ...ground.progress import OnProgress
from ...ground.seeds import draw
from ..classifiers import classifier
from ._features import features
from ._named import installed

ENCODED = "encoded"  # what classifiers with names are told of an encoder's vectors
COMPARED = 1000  # pictures on which an encoder is compared with descriptors
FOLDS = 3


def has_choice(data: Labelled, asked: str | None) -> bool:
    """Whether an encoder of pictures is compared with the descriptors."""
    return asked is None and data.kind.pictures and installed() is not None


def better_encoder(
    data: Labelled, strata: np.ndarray, watch: OnProgress | None = None
) -> str | None:
    """The installed encoder, if what it makes tells labels at least as well as descriptors do.

    Both are tried on up to 1,000 rows, by logistic regression in three folds.

    Args:
        data: pictures, where ``has_choice``.
        strata: int (n,), a class for each row, -1 for none.
        watch: called with pictures encoded for that, and in all.

    Returns:
        Its name; None where the descriptors' held-out predictions agree with more labels.
    """
    name = str(installed())
    draws = draw(0, "crossval.encoder")
    rows = np.sort(draws.permutation(np.flatnonzero(strata >= 0))[:COMPARED])
    some, classes = data[rows], strata[rows]
    if len(rows) < FOLDS:
        return name
    folds = make_folds(classes, FOLDS, None, 0)
    shares = []
    for kind in (data.kind, ENCODED):
        x = features(some, name, watch=watch) if kind == ENCODED else described(some)
        right = 0
        for k in range(FOLDS):
            learned = folds != k
            if len(set(classes[learned].tolist())) > 1:
                model = classifier("logistic", kind).fit(x[learned], classes[learned])
                right += int((model.predict(x[~learned]) == classes[~learned]).sum())
        shares.append(right)
    return name if shares[1] >= shares[0] else None


def described(data: Labelled, watch: OnProgress | None = None) -> np.ndarray:
    """Pictures as descriptors, float32 (n, d)."""
    inputs = np.asarray(data.inputs)
    if data.kind.pixels:
        return descriptors(inputs, watch)
    return descriptors(decoded(inputs.tolist(), SIDE, watch))
