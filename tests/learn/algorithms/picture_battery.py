"""Every algorithm on pictures, with a small network that has norms, a counter and two heads."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from torch import nn

from candidly.data.labels.labelled import Labelled
from candidly.learn.algorithms import algorithm
from candidly.learn.engine.examples import make_examples
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.stack import Stack
from candidly.learn.engine.start import start
from candidly.learn.nets import Net, from_torch, with_projection

from toys import member, toy

SIDE, CHANNELS, STEPS, BATCH = 8, 2, 24, 16


class Tiny(nn.Module):
    """A convolution with batch norm, and a counter of its own; the head is a linear layer."""

    def __init__(self, classes: int):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(CHANNELS, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        if self.training:
            self.calls += 1
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)).repeat(1, 4).tanh())


@cache
def tiny(classes: int) -> Net:
    """With a projection beside the logits."""
    made = from_torch(lambda: Tiny(classes), (CHANNELS, SIDE, SIDE), classes)
    return with_projection(made, size=3)


@cache
def pictures(n: int = 84, seed: int = 8) -> Labelled:
    """Labels of the toy, and a bright patch whose place and colour tell the class."""
    labels = toy(n=n, seed=seed)
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 90, (n, SIDE, SIDE, CHANNELS), dtype=np.uint8)
    for row, y in enumerate(labels.truth):
        pixels[row, y : y + 2, :, y % CHANNELS] += 120
    return Labelled(
        inputs=pixels,
        classes=labels.classes,
        candidates=labels.candidates,
        given=labels.given,
        truth=labels.truth,
        votes=labels.votes,
        source="bright rows",
    )


def stack_of(
    name: str, trials=(0, 1, 2), dtype=torch.float32, views="weak", n=84, **hyper
) -> Stack:
    data, page = pictures(n), algorithm(name)
    examples = make_examples(data, page.reads, dtype=dtype)
    members = [member(data, k, page, examples, batch=BATCH, **hyper) for k in trials]
    how = recipe(f"adam:views={views}")
    return start(page, tiny(data.q), examples, members, STEPS, how)
