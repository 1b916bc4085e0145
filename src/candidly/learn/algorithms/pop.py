"""POP: now and then, take labels that have been unlikely for several epochs out of the sets.

PRODEN over a working candidate set, ``left``. At the end of every epoch the weights are stored in
a ring of ``window`` epochs. Once ``warm_up`` epochs are done, A is the row-normalised mean of the
ring over the working set, a label with A_ij < theta max_k A_ik leaves the set for good, and the
weights become A over what is left. When fewer than 1 in 10,000 entries left, theta (up to 0.4)
grows by the factor 1 + inc. The most likely label always stays.

Departs from common code: the released program refreshes the weights over the original set, so that
removed labels come back at their row's next visit (D-POP-1); what it purifies on a GPU is a copy,
made anew from the original set each time (D-POP-2); and it stores the weights after the first
update of an epoch (D-POP-4). ``plench`` does all three. The paper purifies once per window, not
once per epoch (D-POP-3): ``POP:window``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ._algorithm import Algorithm, Stage
from ._protocol import Batch, OneTrial, Trials
from ._space import one_of, power_of_ten
from ._tensors import masked_softmax, uniform_over
from .proden import step

RING = tuple(f"past{slot}" for slot in range(7))  # 7 is the largest window of the search space
MOST = 0.4  # theta grows no further
FEW = 1e-4  # share of entries


def rows(s: OneTrial):
    weights = uniform_over(s.candidates, s.dtype)
    ring = {slot: torch.zeros_like(weights) for slot in RING}
    return {"weights": weights, "left": s.candidates, **ring}


def memory(s: OneTrial):
    return {"theta": torch.full((1, 1), s.hp.theta, dtype=s.dtype)}


def after(s: Trials, b: Batch):
    return {"weights": masked_softmax(s.net(b.x).logits, b.left)}


def after_plench(s: Trials, b: Batch):
    return {"weights": masked_softmax(s.net(b.x).logits, b.candidates)}


def store(s: Trials, epoch: int) -> dict[str, Tensor]:
    """The weights into slot ``epoch`` mod window of each trial's ring."""
    slots = (epoch % s.hp.window).flatten()
    return {
        name: torch.where((slots == slot)[:, None, None], s.rows["weights"], s.rows[name])
        for slot, name in enumerate(RING)
        if bool((slots == slot).any())
    }


def purify(total: Tensor, sets: Tensor, theta: Tensor, inc: Tensor) -> tuple[Tensor, ...]:
    """Take unlikely labels out of ``sets``.

    Args:
        total: float (..., n, q), the ring's weights added up.
        sets: bool (..., n, q); no row is empty.
        theta, inc: float (..., 1).

    Returns:
        the smaller sets, the weights over them, rows summing to 1, and the next theta.
    """
    likely = total * sets
    left = sets & (likely >= theta[..., None] * likely.amax(-1, keepdim=True))
    weights = likely * left
    removed = (sets ^ left).sum((-2, -1))[..., None]
    calm = (theta < MOST) & (removed < FEW * sets.shape[-2] * sets.shape[-1])
    theta = torch.where(calm, theta * (1 + inc), theta)
    return left, weights / weights.sum(-1, keepdim=True), theta


def _epoch_ended(s: Trials, epoch: int, sets: Tensor, every: Tensor | int = 1) -> dict[str, Tensor]:
    updates = store(s, epoch)
    due = (epoch >= s.hp.warm_up) & (torch.as_tensor(epoch % every) == 0)
    if not bool(due.any()):
        return updates
    total = sum(updates.get(name, s.rows[name]) for name in RING)
    left, weights, theta = purify(total, sets, s.memory["theta"], s.hp.inc)  # type: ignore[arg-type]
    return updates | {
        "left": torch.where(due[..., None], left, s.rows["left"]),
        "weights": torch.where(due[..., None], weights, s.rows["weights"]),
        "theta": torch.where(due, theta, s.memory["theta"]),
    }


def whole(s: Trials):
    return {} if s.t % s.E else _epoch_ended(s, s.epoch, s.rows["left"])


def whole_window(s: Trials):
    return {} if s.t % s.E else _epoch_ended(s, s.epoch, s.rows["left"], s.hp.window)


def whole_plench(s: Trials):
    epoch, done = divmod(s.t - 1, s.E)
    return {} if done else _epoch_ended(s, epoch, s.labels("candidates"))


POP = Algorithm(
    "POP",
    (Stage(step, after, whole),),
    paper="Xu et al., Progressive purification for instance-dependent partial label learning, "
    "ICML 2023",
    kind="identification",
    summary="PRODEN that removes labels which stay unlikely over several epochs",
    rows=rows,
    memory=memory,
    space={
        "window": one_of(5, (3, 4, 5, 6, 7), "rollWindow", within="[1, inf)", whole=True),
        "warm_up": one_of(20, (10, 15, 20), within="[0, inf)", whole=True),
        "theta": power_of_ten(1e-3, -4.5, -2.5),
        "inc": power_of_ten(1e-3, -4.5, -2.5),
    },
    shortened={"warm_up": 1},
    variants={
        "plench": {"stages": (Stage(step, after_plench, whole_plench),)},
        "window": {"stages": (Stage(step, after, whole_window),)},
    },
    differences={
        "plench": "Removed labels regain weight at their row's next visit (D-POP-1); every "
        "purification starts from the original sets (D-POP-2), after an epoch's first update "
        "(D-POP-4).",
        "window": "Purifies once per window, as the paper does, not once per epoch (D-POP-3).",
    },
)
