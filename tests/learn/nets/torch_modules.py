"""Small torch modules for tests: what a network may do, and what it may not."""

from __future__ import annotations

import torch
from torch import Tensor, nn

CLASSES = 3
SHAPE = (1, 6, 6)


class Tiny(nn.Module):
    """Convolution, batch norm with its statistics and integer counter, and a linear head."""

    def __init__(self, shape=SHAPE, classes=CLASSES, width=5):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(shape[0], width, 3), nn.BatchNorm2d(width)
        self.fc = nn.Linear(width, classes)

    def features(self, x: Tensor) -> Tensor:
        return torch.relu(self.norm(self.conv(x))).mean((2, 3))

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(self.features(x))


class Dropped(Tiny):
    """With dropout before its head."""

    def features(self, x):
        return nn.functional.dropout(super().features(x), 0.4, self.training)


class Tied(nn.Module):
    """Two layers of one weight, and a bias that only one has."""

    def __init__(self, shape=SHAPE, classes=CLASSES):
        super().__init__()
        size = shape[0] * shape[1] * shape[2]
        self.first, self.second = nn.Linear(size, size), nn.Linear(size, size, bias=False)
        self.second.weight = self.first.weight
        self.norm, self.again = nn.BatchNorm1d(size), nn.BatchNorm1d(size, affine=False)
        self.again.running_mean = self.norm.running_mean
        self.fc = nn.Linear(size, classes)

    def forward(self, x):
        x = self.norm(torch.relu(self.first(x.flatten(1))))
        return self.fc(self.again(torch.tanh(self.second(x))))


class Counting(Tiny):
    """Buffers that are replaced and not written: an integer one, and one that decides."""

    def __init__(self, *args):
        super().__init__(*args)
        self.register_buffer("seen", torch.zeros((), dtype=torch.int64))
        self.register_buffer("scale", torch.ones(1))
        self.register_buffer("mask", torch.tensor([True, False, True, True, True]))

    def features(self, x):
        if self.training:
            self.seen = self.seen + len(x)
            self.scale = self.scale * 0.9 + 0.1 * x.detach().abs().mean()
        return super().features(x) * self.scale * self.mask / (1 + self.seen.log1p())


class Frozen(Tiny):
    """A convolution that is not trained."""

    def __init__(self, *args):
        super().__init__(*args)
        self.conv.requires_grad_(False)


class Recurrent(nn.Module):
    """Rows of a picture one after the other; torch keeps an LSTM's weights a second time."""

    def __init__(self):
        super().__init__()
        self.recurrent, self.fc = nn.LSTM(6, 5, batch_first=True), nn.Linear(5, CLASSES)

    def forward(self, x):
        return self.fc(self.recurrent(x[:, 0])[0][:, -1])


class Unwell(Tiny):
    """NaN as soon as an input is above 100."""

    def features(self, x):
        return super().features(x) * torch.where((x > 100).any(), torch.nan, 1.0)


class Rooted(Tiny):
    """Infinite gradients in the end, finite outputs: sqrt at 0, for inputs above 100."""

    def features(self, x):
        x, big = super().features(x), (x > 100).any()
        return x + torch.where(big, x - x, 0 * x + 1).sqrt() - torch.where(big, 0.0, 1.0)
