"""A tiny network that takes texts, and random texts for it."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from candidly.data.inputs.tokens import Tokens, Words
from candidly.learn.nets import Net, from_torch

WORDS = Words(30, unknown=1, special=(29, 30))


class MeanOfWords(nn.Module):
    """The mean of a hidden layer over a text's words, and a linear head."""

    embeds = True

    def __init__(self, size: int, classes: int, drop: float):
        super().__init__()
        self.table = nn.Embedding(size + 1, 8, padding_idx=0)
        self.layer, self.drop = nn.Linear(8, 16), nn.Dropout(drop)
        self.head = nn.Linear(16, classes)

    def forward(self, x, embed=False):
        if not x.is_floating_point():
            x = torch.cat([self.table(x), (x > 0)[..., None].float()], -1)
        if embed:
            return x
        inside = (x[..., -1:] > 0).float()
        hidden = self.drop(torch.relu(self.layer(x[..., :-1])))
        return self.head((hidden * inside).sum(1) / inside.sum(1).clamp(min=1))


def token_net(shape: tuple[int, ...], classes: int, drop: float = 0.0, words: Words = WORDS) -> Net:
    return from_torch(lambda: MeanOfWords(words.size, classes, drop), shape, classes, words=words)


def random_texts(g: np.random.Generator, n: int, longest: int = 9, words: Words = WORDS) -> Tokens:
    lengths = g.integers(1, longest + 1, n)
    starts = np.concatenate([[0], lengths.cumsum()])
    return Tokens(g.integers(1, words.size + 1, starts[-1]), starts, words)
