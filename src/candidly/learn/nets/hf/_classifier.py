"""A language model under a head, as a torch module for token numbers."""

from __future__ import annotations

from operator import attrgetter

import torch
from torch import Tensor, nn

from .._lookup import lookup
from ._families import Family, Pooled


class TextClassifier(nn.Module):
    """Logits (B, classes) of texts, int64 (B, L) of token numbers + 1 with 0 behind each text.

    Args:
        model: transformers' model, without a head.
        head: what makes logits of the state that ``pooled`` gives.

    Attributes:
        late: dotted name of the model's last block.
    """

    embeds = True

    def __init__(
        self, model: nn.Module, head: nn.Module, family: Family, pooled: Pooled, late: str
    ):
        super().__init__()
        self.model, self.head = model, head
        self.pooled, self.late = pooled, late
        self.embedding = attrgetter(family.words)

    def embedded(self, ids: Tensor) -> Tensor:
        """What the model's own part makes of its numbers; BART's multiplies them."""
        part = self.embedding(self.model)
        rows, scale = lookup(part.weight, ids), getattr(part, "embed_scale", 1.0)
        return rows if scale == 1 else rows * scale

    def forward(self, x: Tensor, embed: bool = False) -> Tensor:
        """Logits.

        Args:
            x: token numbers; or float (B, L, e + 1), embeddings and what is above 0 where a token
                is.
            embed: return these of token numbers, a 1 behind each token's, and zeros behind texts.
        """
        if x.is_floating_point():
            e, mask = x[..., :-1], x[..., -1] > 0
        else:
            e, mask = self.embedded((x - 1).clamp_min(0)), x > 0
        if embed:
            inside = mask[..., None].to(e.dtype)
            return torch.cat([e * inside, inside], -1)
        return self.head(self.pooled(self.model, e, mask))
