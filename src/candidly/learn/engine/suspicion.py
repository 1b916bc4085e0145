"""How suspicious the label of every training row is when training ends."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from .stack import Stack


def suspicion(stack: Stack, k: int = 0) -> np.ndarray:
    """How likely it is that trial ``k``'s labels are wrong, a number per training row.

    What the algorithm says itself, such as a learned row; else the loss of the label as the trained
    network predicts: -log p_y, for candidate sets -log of the set's probability, for answers of
    several annotators their mean, in nats. It reads the stack and changes nothing.

    Returns:
        float64 (n,), in the order of the trial's rows; higher is likelier wrong. Only the order
        can be compared between algorithms. NaN if the trial diverged.
    """
    if stack.diverged_at[k] is not None:
        return np.full(stack.n, np.nan)
    own = stack.algorithm.suspicion
    with torch.no_grad():
        scores = own(stack, k) if own else label_loss(stack, k)
    return scores.double().cpu().numpy()


def label_loss(stack: Stack, k: int) -> Tensor:
    """-log of the probability that trial ``k`` gives to each row's label or candidates: (n,).

    Of answers, the mean of theirs.
    """
    logits = stack.whole(k).logits.double()
    reads = stack.algorithm.reads
    labels = stack.labels("given" if "given" in reads else reads[0])[k]
    if labels.dim() == 3:  # answers
        there, said = labels[..., 0] >= 0, labels[..., 1].clamp_min(0)
        nats = -logits.log_softmax(-1).gather(-1, said)
        return nats.masked_fill(~there, 0).sum(-1) / there.sum(-1)
    if labels.dim() == 1:  # one label, not a set
        labels = labels[:, None] == torch.arange(stack.q, device=labels.device)
    return logits.logsumexp(-1) - logits.masked_fill(~labels, -torch.inf).logsumexp(-1)
