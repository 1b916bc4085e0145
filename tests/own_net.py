"""A network in a file of a user's own, and pictures for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from candidly.data.labels.labelled import Labelled

FILE = """\
import torch
from torch import nn


class Small(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(channels, 4, 3), nn.BatchNorm2d(4)
        self.fc = nn.Linear(4, classes)

    def forward(self, x):
        return self.fc(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


def make(shape, classes):
    return Small(shape[0], classes)


make.head = "fc"
"""


def write_net(folder: Path, text: str = FILE, name: str = "net.py") -> str:
    """What names the network of a file that is written there."""
    (folder / name).write_text(text)
    return f"{folder / name}:make"


def small_pictures(n: int = 120, side: int = 8, classes: int = 3, seed: int = 0) -> Labelled:
    """Grey pictures, brighter in another part for each class; candidates and given labels."""
    g = np.random.default_rng(seed)
    truth = np.arange(n) % classes
    pixels = g.integers(0, 100, (n, side, side))
    for k in range(classes):
        pixels[truth == k, :, k * 2 : k * 2 + 2] += 120
    candidates = g.random((n, classes)) < 0.2
    candidates[np.arange(n), truth] = True
    return Labelled(
        inputs=pixels.astype(np.uint8),
        classes=tuple("abcdefgh"[:classes]),
        candidates=candidates,
        given=np.where(g.random(n) < 0.1, (truth + 1) % classes, truth),
        truth=truth,
        source="small pictures",
    )
