"""What networks for texts share: what they are given, checked before anything is made."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ...data.inputs.tokens import PADDING, Words
from ._catalogue import check_memory
from ._net import Net
from ._widths import whole
from .from_torch import from_torch

SPREAD = 0.1  # of embeddings at the start


def told(name: str, words: Words | None, shape: tuple[int, ...], **options: int) -> Words:
    """``words``, if they are known and every option is a whole number from 1 on.

    Args:
        name: what errors call the network.

    Raises:
        ValueError: they are not.
    """
    if words is None:
        raise ValueError(
            f"{name} takes texts as tokens, and these inputs are {tuple(shape)}; choose another "
            "network, such as mlp."
        )
    for option, value in options.items():
        whole(name, option, value)
    return words


def of_texts(
    name: str,
    make: Callable[[], nn.Module],
    shape: tuple[int, ...],
    classes: int,
    words: Words,
) -> Net:
    """The network of a module for texts; called once more without numbers.

    Raises:
        ValueError: more parameters than fit into the free memory.
    """
    check_memory(name, make)
    return from_torch(make, shape, classes, "head", words)


def embedding(size: int, width: int) -> nn.Embedding:
    """For token numbers 1 to ``size``: normal at the start, narrow, so that it is soon learned."""
    made = nn.Embedding(size + 1, width, padding_idx=PADDING)
    nn.init.normal_(made.weight, std=SPREAD)
    with torch.no_grad():
        made.weight[PADDING] = 0
    return made


def embedded(embedding: nn.Embedding, x: Tensor) -> tuple[Tensor, Tensor]:
    """Embeddings (B, L, e), and where there is a token (B, L).

    Args:
        x: token numbers int64 (B, L); or embeddings (B, L, e + 1) whose last place is above 0
            where there is a token, mixed ones among them.
    """
    if x.is_floating_point():
        return x[..., :-1], x[..., -1] > 0
    return embedding(x), x != PADDING
