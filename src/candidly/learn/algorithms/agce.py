"""AGCE: asymmetric generalised cross-entropy, with its own minimum for enough clean labels."""

from __future__ import annotations

from torch import Tensor

from . import ce
from ._algorithm import Algorithm, pure_given
from ._space import one_of


def loss(logits: Tensor, given: Tensor, shift: Tensor | float, power: Tensor | float) -> Tensor:
    """((a + 1)^g - (a + p_y)^g) / g, per example.

    Args:
        logits: float (..., q).
        given: int (...), in 0..q-1.
        shift: a, above 0; towards 0 the loss becomes the generalised cross-entropy.
        power: g, above 0; at 1 the loss is half the absolute error, whatever the shift.

    Returns:
        float (...), >= 0; 0 at p_y = 1.
    """
    likely = (-ce.loss(logits, given)).exp()
    return ((shift + 1) ** power - (shift + likely) ** power) / power


AGCE = Algorithm(
    "agce",
    pure_given(loss, "shift", "power"),
    paper="Zhou et al., Asymmetric loss functions for learning with noisy labels, ICML 2021",
    kind="noisy labels",
    summary="a bounded loss that is right as long as each class's true label is its commonest",
    reads=("given",),
    space={
        "shift": one_of(0.6, (0.6, 1.8, 4, 6), within="(0, inf)"),
        "power": one_of(0.6, (0.2, 0.6, 1.5, 3), within="(0, inf)"),
    },
)
