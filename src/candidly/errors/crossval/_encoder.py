"""What makes numbers of inputs, where nobody has named it, and whether what is named can."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...data.ingest.media import decoded
from ...data.inputs.pictures import SIDE, descriptors
from ...data.labels.labelled import Labelled
from ...ground.problem import Refusal
from ...ground.seeds import draw
from ._folds import make_folds

Watch = Callable[[int, int], None]

OWN, SKRUB, NONE = "own", "skrub", "none"
OF_COLUMNS = (OWN, SKRUB, NONE)
ENCODED = "encoded"  # what classifiers with names are told of an encoder's vectors
OF_ENCODERS = ("images", "media", "texts")  # kinds of inputs that a network from elsewhere reads
COMPARED = 1000  # pictures on which an encoder is compared with descriptors
FOLDS = 3


def has_choice(data: Labelled, asked: str | None) -> bool:
    """Whether an encoder of pictures is compared with the descriptors."""
    from ...learn.encoders import installed

    return asked is None and data.kind in ("images", "media") and installed() is not None


def encoder_for(
    data: Labelled,
    asked: str | None,
    strata: np.ndarray | None = None,
    watch: Watch | None = None,
) -> str:
    """The name of what makes numbers of inputs.

    Args:
        asked: of columns ``own``, ``skrub`` or ``none``; of pictures and texts ``own`` or an
            encoder of ``learn.encoders``; None for what suits.
        strata: int (n,), a class for each row, -1 for none. Where there are pictures, an encoder
            is installed and none is named, both it and the descriptors are tried on up to 1,000
            rows, and the one whose held-out predictions agree more often with these is taken.
        watch: called with pictures encoded for that, and in all.

    Raises:
        ValueError: it is not of this kind of inputs.
    """
    if data.kind not in OF_ENCODERS:
        if asked is not None and asked not in OF_COLUMNS:
            raise Refusal(
                f"`encoder` is {asked!r}, and the inputs are of the kind {data.kind}.",
                f"use one of {', '.join(OF_COLUMNS)}",
            )
        return asked or OWN
    if asked in (SKRUB, NONE):
        raise Refusal(
            f"`encoder` is {asked!r}, which is of columns, and the inputs are of the kind"
            f" {data.kind}.",
            "leave it out",
            "use own, or the name of an encoder",
        )
    if strata is None or not has_choice(data, asked):
        return asked or OWN
    from ...learn.encoders import installed

    return _better(data, str(installed()), strata, watch)


def _better(data: Labelled, name: str, strata: np.ndarray, watch: Watch | None) -> str:
    """An encoder or the descriptors: whose held-out predictions agree with more of the labels."""
    from ...learn.classifiers import classifier
    from ...learn.encoders import features

    draws = draw(0, "crossval.encoder")
    rows = np.sort(draws.permutation(np.flatnonzero(strata >= 0))[:COMPARED])
    some, classes = data[rows], strata[rows]
    if len(rows) < FOLDS:
        return name
    folds = make_folds(classes, FOLDS, None, 0)
    shares = {}
    for encoder, kind in ((OWN, data.kind), (name, ENCODED)):
        x = described(some) if encoder == OWN else features(some, encoder, watch=watch)
        right = 0
        for k in range(FOLDS):
            learned = folds != k
            if len(set(classes[learned].tolist())) > 1:
                model = classifier("logistic", kind).fit(x[learned], classes[learned])
                right += int((model.predict(x[~learned]) == classes[~learned]).sum())
        shares[encoder] = right
    return name if shares[name] >= shares[OWN] else OWN


def described(data: Labelled, watch: Watch | None = None) -> np.ndarray:
    """Pictures as descriptors, float32 (n, d)."""
    inputs = np.asarray(data.inputs)
    if data.kind == "images":
        return descriptors(inputs, watch)
    return descriptors(decoded(inputs.tolist(), SIDE, watch))
