"""How often a model is right on true labels, where only given ones are known."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ...learn.model.measured import Trained

NAMES = ("from", "about", "to")


def on_premise(trained: Trained) -> dict[str, Any] | None:
    """What ``errors.estimate`` says of rows held out that have one given label and no truth.

    None where it says nothing.
    """
    held, probs = trained.held, trained.probs
    if held is None or probs is None or held.given is None or held.truth is not None:
        return None
    if np.count_nonzero(held.given >= 0) == 0:
        return None
    from ...errors.amount import estimate

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what few rows say, the measures tell
        found = estimate(held.given, probs, unlabelled=True)
    if found.why:
        return None
    return {
        "premise": "errors strike clear and unclear rows alike",
        "accuracy": dict(zip(NAMES, found.accuracy)),
        "wrong labels": dict(zip(NAMES, (found.least, found.number, found.most))),
    }
