"""The table of classifiers that are no networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ground.spec import begins_with, read
from .pipelines import SINGLE, Options


def _blend(kind: str) -> Any:
    from .blend import Blend  # which brings scikit-learn

    return Blend(kind)


# name -> (kind of inputs, options) -> an unfitted pipeline; and how its options are read
CLASSIFIERS: dict[str, tuple[Callable[..., Any], Options]] = {**SINGLE, "blend": (_blend, {})}


def is_classifier(text: str) -> bool:
    """Whether a text begins with the name of one."""
    return begins_with(text, CLASSIFIERS)


def classifier(text: str, kind: str) -> Any:
    """An unfitted classifier, as ``single``, or a ``Blend``."""
    spec = read(text, "classifier", "logistic")
    _, (make, readers) = spec.lookup(CLASSIFIERS, "classifier")
    return make(kind, **spec.options(readers))
