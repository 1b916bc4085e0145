"""CORES²: what its sieve holds back at an example's last visit; see ``learn/algorithms/cores2.py``.

Source: Cheng et al., Learning with instance-dependent label noise: a sample sieve approach,
ICLR 2021.
"""

from __future__ import annotations

import numpy as np

from ...data.labels.labelled import Labelled
from ._detection import Detection
from ._subject import EPOCHS


def cores2(
    data: Labelled,
    *,
    epochs: int = EPOCHS,
    seed: int = 0,
    net: str | None = None,
    recipe: str | None = None,
) -> Detection:
    """Flags what the sieve holds back at an example's last visit.

    Args:
        data: with ``given`` on every row.
        net, recipe: the network and how it is trained, as ``fit`` takes them.

    Returns:
        score, in nats: -ln p_y less the mean over all labels, at the last visit; above 0 is
        flagged.
    """
    from ...learn.algorithms.cores2 import CORES2
    from ._train import examples_of, seeds_of, trained

    rows, seeds = [np.arange(data.n)], seeds_of("cores2", seed, 1)
    stack = trained(
        examples_of(data, net), rows, seeds, epochs, page=CORES2, net=net, recipe=recipe
    )
    score = stack.rows["sieve"][0].double().cpu().numpy()
    return Detection(score, ~stack.rows["kept"][0].cpu().numpy())
