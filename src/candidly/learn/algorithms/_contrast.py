"""What contrastive methods share: a queue of features, class prototypes, and their losses.

Features have length 1 and are compared by their products over a temperature. A batch's own
features are moved by gradient; the momentum network's (keys) and the queue's are constants. A queue
is a ring: an update writes over its oldest slots.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from ..nets import Module, Net, with_projection
from ._algorithm import Slots
from ._space import Number, Setting, one_of

UNSET = -1  # label of a slot that holds no feature yet
LOG2_E = math.log2(math.e)

# of every method with a queue; `text` is the released program's name
SPACE: Mapping[str, Setting] = {
    "size": one_of(128, (64, 128, 256), "feat_dim", static=True, within="[1, 4096]", whole=True),
    "queue": one_of(
        8192, (4096, 8192), "moco_queue", static=True, within="[1, 1048576]", whole=True
    ),
}


def warm_up_of(default: int, values: Sequence[int]) -> Setting:
    """The updates before prototypes and pseudo-labels are used."""
    return one_of(default, values, "prot_start", static=True, within="[0, inf)", whole=True)


def projected(net: Net, classes: int, hyper: Mapping[str, Number]) -> Net:
    """The network with a projection to ``size`` features beside its logits."""
    return with_projection(net, int(hyper["size"]))


def features_of(module: Module, x: Tensor) -> Tensor:
    """A network's projected features of inputs, without gradient: (K, B, m), of length 1."""
    with torch.no_grad():
        return module.head(module.trunk(x), "projection")


def followed(momentum: Tensor, follower: Module, leader: Module) -> Tensor:
    """Flat parameters momentum · follower + (1 - momentum) · leader: (K, P)."""
    # lerp with a weight per trial has no vectorised loop
    return follower.flat.sub(leader.flat).mul_(momentum).add_(leader.flat)


# the queue


def slots(s: Any) -> Tensor:
    """Where this update's rows go in a queue: int64 (min(B, queue),)."""
    start = s.seen
    return torch.arange(start, start + min(s.B, s.hp.queue), device=s.device) % s.hp.queue


def pushed(s: Any, rows: Mapping[str, Tensor]) -> dict[str, Slots]:
    """Updates that put a batch's rows, (K, B, ...) each, over the oldest of queues by name."""
    at = slots(s)
    return {name: Slots(at, values[:, -len(at) :]) for name, values in rows.items()}


def held(s: Any, name: str) -> Tensor:
    """A queue's slots that have been written: (K, min(s.seen, queue), ...)."""
    return s.memory[name][:, : min(s.seen, s.hp.queue)]


# prototypes


def best_of(logits: Tensor, sets: Tensor) -> Tensor:
    """The class of the largest logit within each set: (..., q), bool (..., q) -> int64 (...)."""
    return logits.masked_fill(~sets, -torch.inf).argmax(-1)


def moved_prototypes(prototypes: Tensor, features: Tensor, labels: Tensor, momentum: Tensor):
    """Each row in turn pulls its class's prototype; then all have length 1, or are 0 as before.

    mu_c becomes momentum · mu_c + (1 - momentum) · h_i, in the batch's order, in closed form: with
    r rows of class c, momentum^r mu_c + (1 - momentum) sum_k momentum^(r - k) h_k.

    Args:
        prototypes: (K, q, m).
        features: (K, B, m).
        labels: int64 (K, B); rows of ``UNSET`` pull none.
        momentum: (K, 1).

    Returns:
        (K, q, m).
    """
    classes = torch.arange(prototypes.shape[-2], device=labels.device)
    mine = labels[:, None, :] == classes[:, None]  # (K, q, B)
    count = mine.sum(-1, keepdim=True)
    later = count - mine.cumsum(-1)
    share = (1 - momentum[..., None]) * torch.xlogy(later, momentum[..., None]).exp() * mine
    kept = torch.xlogy(count, momentum[..., None]).exp()
    return normalize(kept * prototypes + share.to(features.dtype) @ features, dim=-1)


# losses


def exp2_(x: Tensor) -> Tensor:
    """2^x in place, (K, ...): a processor's vectors have a loop for it, unlike for e^x.

    There one trial at a time: what is left over behind the last whole vector is rounded otherwise.
    """
    for one in x if x.is_cpu else x[None]:
        one.exp2_()
    return x


def log_of_sum(*logs: Tensor) -> Tensor:
    """log of the sum of what these are logarithms of, (K, B) each.

    Rounded alike wherever in a stack a trial lies, unlike ``logaddexp``.
    """
    return torch.stack(logs, -1).logsumexp(-1)


class _LogSum(torch.autograd.Function):
    """log sum_a exp(f · r_a / T); the softmax that its gradient needs is kept, unnormalised.

    As features are no longer than 1, no product exceeds 1 / T, and this in place of each row's
    maximum keeps sums finite.
    """

    @staticmethod
    def forward(ctx, features, rows, temperature):
        scale = LOG2_E / temperature
        powers = exp2_(torch.bmm(features * scale, rows.transpose(1, 2)).sub_(scale))
        total = powers.sum(-1)
        ctx.save_for_backward(powers, rows, total, temperature)
        return total.log() + 1 / temperature[..., 0]

    @staticmethod
    def backward(ctx, grad):
        powers, rows, total, temperature = ctx.saved_tensors
        share = (grad / total)[..., None] / temperature
        return torch.bmm(powers, rows) * share, None, None


def log_sum(features: Tensor, rows: Tensor, temperature: Tensor) -> Tensor:
    """log of the sum of exp(product over temperature) with constant rows.

    Args:
        features: (K, B, m), no longer than 1, with gradient.
        rows: (K, N, m), no longer than 1, constants; none gives -inf.
        temperature: (K, 1, 1), at least 0.025, or float32 loses small terms.

    Returns:
        (K, B).
    """
    if rows.shape[1] == 0:
        return features.new_full(features.shape[:2], -torch.inf)
    return _LogSum.apply(features, rows, temperature)


def similarities(features: Tensor, temperature: Tensor) -> Tensor:
    """Products of a batch's features with each other, over the temperature: (K, B, B)."""
    return features @ features.transpose(1, 2) / temperature


def log_pool(similar: Tensor, features: Tensor, rest: Sequence[Tensor], temperature: Tensor):
    """log of the sum over the pool: the batch's other rows, and constant rows; (K, B).

    Args:
        similar: (K, B, B), as ``similarities`` gives it; a row itself is left out.
        rest: constant rows (K, N, m), such as keys and a queue.
    """
    itself = torch.eye(similar.shape[-1], dtype=torch.bool, device=similar.device)
    sums = [similar.masked_fill(itself, -torch.inf).logsumexp(-1)]
    return log_of_sum(*sums, *(log_sum(features, rows, temperature) for rows in rest))


def info_nce(features: Tensor, keys: Tensor, queue: Tensor, temperature: Tensor) -> Tensor:
    """-log of the key's share among key and queue, per row: (K, B), >= 0, in nats.

    Args:
        features, keys: (K, B, m); a row's own key is its only positive.
        queue: (K, N, m), the negatives; without one the loss is 0.
    """
    positive = (features * keys).sum(-1) / temperature[..., 0]
    return log_of_sum(positive, log_sum(features, queue, temperature)) - positive


def same_label(
    labels: Tensor,
    keys: Tensor,
    queue: Tensor,
    queue_labels: Tensor,
    classes: int,
    counted: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Equal weights on the pool's rows of a row's own label, itself left out.

    Args:
        labels: int64 (K, B), of features and keys.
        keys: (K, B, m).
        queue, queue_labels: (K, N, m), int64 (K, N); ``UNSET`` is nobody's.
        counted: bool (K, B): the others have no positive but their own key, and are nobody's; None:
            all are counted.

    Returns:
        (K, B, B), weights of the batch's rows, and (K, B, m), the weighted sum of all others.
    """
    alike = labels[:, :, None] == labels[:, None, :]
    itself = torch.eye(labels.shape[-1], dtype=torch.bool, device=labels.device)
    if counted is not None:
        alike = alike & counted[:, :, None] & counted[:, None, :] | itself
    same = alike.to(keys.dtype)
    numbers = torch.arange(classes, device=labels.device)[:, None]
    of_class = (queue_labels[:, None] == numbers).to(keys.dtype)  # (K, q, N)
    count, total = of_class.sum(-1).gather(-1, labels), _of(of_class @ queue, labels)
    if counted is not None:
        count, total = count * counted, total * counted[..., None]
    own = same - itself.to(same)
    number = own.sum(-1) + same.sum(-1) + count  # its key at least
    return own / number[..., None], (same @ keys + total) / number[..., None]


def _of(values: Tensor, labels: Tensor) -> Tensor:
    """Each row's class's values: (K, q, m), int64 (K, B) -> (K, B, m)."""
    return values.gather(1, labels[..., None].expand(-1, -1, values.shape[-1]))


def contrast(
    features: Tensor,
    rest: Sequence[Tensor],
    own: Tensor,
    toward: Tensor,
    temperature: Tensor,
) -> Tensor:
    """-sum_a w_ia log softmax_{a != i}(f_i · F_a / T) per row i: (K, B), in nats.

    The pool F is the batch's features and constant rows; of the weights on the latter, only the
    sum of what they weigh is asked for, and that each row's weights sum to 1.

    Args:
        features: (K, B, m), of length 1.
        rest: constant rows (K, N, m).
        own: (K, B, B), weights of the batch's rows, 0 on the diagonal.
        toward: (K, B, m), sum over constant rows of w_ia F_a.
        temperature: (K, 1, 1).

    Source: Khosla et al., Supervised contrastive learning, NeurIPS 2020.
    """
    similar = similarities(features, temperature)
    near = nearness(similar, features, own, toward, temperature)
    return log_pool(similar, features, rest, temperature) - near


def nearness(similar: Tensor, features: Tensor, own: Tensor, toward: Tensor, temperature: Tensor):
    """The weighted similarity of each row to its positives, arguments as for ``contrast``: (K, B).

    Losses with the same pool and other positives differ in this alone.
    """
    return (own * similar).sum(-1) + (features * toward).sum(-1) / temperature[..., 0]
