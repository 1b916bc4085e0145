"""L-W: cross-entropy on how wrong each class is held to be, with more weight for surer answers.

The complements u = 1 - p go through a softmax of their own. The gradient flows through the weights
too. Averages are over the batch's (example, complementary label) pairs (D-CLL-1). A batch of full
candidate sets has no pair: its loss is 0.
"""

from __future__ import annotations

from torch import Tensor

from ._algorithm import SPELLED, Algorithm, pure_batch, spelled
from ._tensors import pair_mean


def loss(logits: Tensor, candidates: Tensor) -> Tensor:
    """-(1/N) sum over pairs of (1 + u_j / (q - 1)) log softmax(u)_j, with u = 1 - p, per batch.

    Args:
        logits: float (..., B, q).
        candidates: bool (..., B, q).

    Returns:
        float (...), >= 0; 0 when there is no pair (N = 0).
    """
    wrong = 1 - logits.softmax(-1)
    weights = 1 + wrong / max(logits.shape[-1] - 1, 1)
    return pair_mean(-weights * wrong.log_softmax(-1), candidates)


L_W = Algorithm(
    "L-W",
    pure_batch(loss),
    paper="Gao and Zhang, Discriminative complementary-label learning with weighted loss, "
    "ICML 2021",
    kind="complementary",
    summary="weighted cross-entropy on the complements of the probabilities",
    variants={"plench": spelled("L_W")},
    differences={"plench": SPELLED.format("L_W")},
)
