"""Label smoothing of both signs: some of the label is spread over all classes, or taken from them.

A rate r above 0 spreads; below 0 (``label-smoothing:negative``) the loss subtracts what it would
spread, which undoes uniform noise on average, as the inverse of its transition matrix does. It is
then unbounded below and is taken up after a warm-up with cross-entropy.
"""

from __future__ import annotations

from torch import Tensor

from . import ce
from ._algorithm import Algorithm, pure_given, warm_up
from ._space import one_of


def loss(logits: Tensor, given: Tensor, rate: Tensor | float) -> Tensor:
    """-(1 - r) log p_y - (r / q) sum_j log p_j, per example.

    Args:
        logits: float (..., q).
        given: int (...), in 0..q-1.
        rate: r, below 1, of either sign; 0 gives the cross-entropy.

    Returns:
        float (...), in nats; of any sign where r is negative.
    """
    log_all = logits.logsumexp(-1)
    own = logits.gather(-1, given[..., None])[..., 0]
    return log_all - (1 - rate) * own - rate * logits.mean(-1)


STAGES = pure_given(loss, "rate")

LABEL_SMOOTHING = Algorithm(
    "label-smoothing",
    STAGES,
    paper="Lukasik et al., Does label smoothing mitigate label noise?, ICML 2020",
    kind="noisy labels",
    summary="cross-entropy on a label of which some is spread over all classes",
    reads=("given",),
    space={"rate": one_of(0.1, (0.1, 0.2, 0.4, 0.6), within="(-inf, 1)")},
    shortened={"warm_up": 0.2},
    variants={
        "negative": {
            "stages": (warm_up(ce.step), *STAGES),
            "paper": "Wei et al., To smooth or not? When label smoothing meets noisy labels, "
            "ICML 2022",
            "space": {
                "rate": one_of(-0.2, (-0.2, -0.4, -1, -2), within="(-inf, 1)"),
                "warm_up": one_of(0.1, (0.1, 0.2), static=True, within="[0, 1)"),
            },
        }
    },
    differences={
        "negative": "What is spread over all classes is subtracted, after a share `warm_up` of the "
        "updates with cross-entropy; the loss is then unbounded below."
    },
)
