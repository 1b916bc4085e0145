"""A bidirectional LSTM for texts, trained from scratch (Hochreiter & Schmidhuber, 1997).

Two layers, each of which reads a text from its beginning and from its end, and the largest of what
they say at any token, place by place (Conneau et al., EMNLP 2017, found the maximum better than
the mean and than the last states).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ...data.inputs.tokens import Words
from ._net import Net
from ._texts import embedded, embedding, of_texts, told

DROPOUT = 0.3
LAYERS = 2


def bilstm(
    shape: tuple[int, ...], classes: int, words: Words | None = None, width: int = 128
) -> Net:
    """Embeddings, two layers of an LSTM in both directions, and the maximum over tokens.

    Args:
        shape: the shape of the longest text, ``(L,)``.
        words: what is known of token numbers.
        width: of embeddings, and of the states of each direction: the features are ``2 * width``.

    Raises:
        ValueError: the inputs are no tokens; ``width`` is no whole number from 1 on; or it does not
            fit into the free memory.
    """
    known = told("bilstm", words, shape, width=width)
    return of_texts("bilstm", lambda: BiLSTM(known.size, classes, width), shape, classes, known)


class BiLSTM(nn.Module):
    """Token numbers (B, L), 0 behind each text's end, to logits (B, classes).

    Padding stands behind a text alone, where the direction from the beginning comes last; the other
    direction is given the text turned round within its length. So padding changes nothing, and on a
    GPU nobody waits for lengths, as with packed sequences.

    Embeddings start normal with a spread of 0.1; weights of an LSTM uniform in ±1/sqrt(width), its
    biases 0 but for the forget gates', which are 1; the head uniform in ±1/sqrt(2 width). Dropout
    of 0.3 in front of each layer and of the head.

    Args:
        size: token numbers are 1 to ``size``.
    """

    embeds = True
    late = f"layers.{LAYERS - 1}"

    def __init__(self, size: int, classes: int, width: int):
        super().__init__()
        self.embedding = embedding(size, width)
        inputs = (width, *[2 * width] * (LAYERS - 1))
        self.layers = nn.ModuleList(BothWays(before, width) for before in inputs)
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x: Tensor, embed: bool = False) -> Tensor:
        """Args: ``x``: int64 (B, L), or what ``embed=True`` returned, mixed or not."""
        values, inside = embedded(self.embedding, x)
        if embed:
            return torch.cat([values, inside[..., None].to(values.dtype)], -1)
        turned = backwards(inside)
        for layer in self.layers:
            values = layer(F.dropout(values, DROPOUT, self.training), turned)
        largest = values.masked_fill(~inside[..., None], -torch.inf).amax(1)
        largest = largest.masked_fill(~inside.any(1, keepdim=True), 0.0)
        return self.head(F.dropout(largest, DROPOUT, self.training))


class BothWays(nn.Module):
    """(B, L, before) to (B, L, 2 width): states from the beginning, and from the end."""

    def __init__(self, before: int, width: int):
        super().__init__()
        self.forth, self.back = OneWay(before, width), OneWay(before, width)

    def forward(self, x: Tensor, turned: Tensor) -> Tensor:
        back = self.back(turn(x, turned))
        return torch.cat([self.forth(x), turn(back, turned)], -1)


class OneWay(nn.Module):
    """One direction of an LSTM: (B, L, before) to its states (B, L, width), from 0 on.

    torch's own module keeps its weights in a list, too, where a trial's numbers do not reach them.
    Gates in torch's order: input, forget, cell, output.
    """

    def __init__(self, before: int, width: int):
        super().__init__()
        self.of_inputs = nn.Parameter(torch.empty(4 * width, before))
        self.of_states = nn.Parameter(torch.empty(4 * width, width))
        self.bias = nn.Parameter(torch.zeros(4 * width))
        for weight in (self.of_inputs, self.of_states):
            nn.init.uniform_(weight, -1 / math.sqrt(width), 1 / math.sqrt(width))
        nn.init.ones_(self.bias[width : 2 * width])

    def forward(self, x: Tensor) -> Tensor:
        start = x.new_zeros(1, len(x), self.of_states.shape[1])
        weights = [self.of_inputs, self.of_states, self.bias, torch.zeros_like(self.bias)]
        states, _, _ = torch.lstm(
            x, (start, start), weights, True, 1, 0.0, self.training, False, True
        )
        return states


def backwards(inside: Tensor) -> Tensor:
    """int64 (B, L): which place stands at each once a text is turned round; padding stays."""
    lengths = inside.sum(1, keepdim=True)
    places = torch.arange(inside.shape[1], device=inside.device).expand(inside.shape)
    return torch.where(places < lengths, lengths - 1 - places, places)


def turn(values: Tensor, places: Tensor) -> Tensor:
    """Values (B, L, e) in another order of each row's places (B, L)."""
    return values.gather(1, places[..., None].expand(values.shape))
