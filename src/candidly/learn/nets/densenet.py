"""Densely connected networks: a layer sees all before it of its block (Huang et al., CVPR 2017).

``densenet22`` is the DenseNet-BC of the partial-label benchmark (Wang et al., ICLR 2025). The
others are the ImageNet networks with the stem that github.com/huyvnphan/PyTorch_CIFAR10 gave them
for small pictures: a 3 x 3 convolution of stride 1 instead of 7 x 7 of stride 2, and the pooling
behind it as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn

from ._catalogue import of_pictures
from ._net import Net
from .cnn import by_pixel


def densenet22(shape: tuple[int, ...], classes: int, growth: int = 12) -> Net:
    """Three blocks of 3 layers: 70,986 parameters without the head, 69 features.

    Convolutions start normal with variance 2 / (k² · channels out), the head uniform in
    ±1/sqrt(fan in), as the benchmark's ResNet-32.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 4.
        growth: channels that a layer adds; the stem has 2 ``growth``, a bottleneck 4 ``growth``.

    Raises:
        ValueError: ``shape`` is another one, or ``growth`` is no whole number from 1 on.
    """
    make = partial(DenseNet, shape[0], classes, (3, 3, 3), growth, False)
    return of_pictures("densenet22", make, shape, classes, 4, growth, "growth")


def densenet121(shape: tuple[int, ...], classes: int, growth: int = 32) -> Net:
    """Blocks of 6, 12, 24 and 16 layers: 6,946,176 parameters without the head, 1,024 features.

    Convolutions start normal with variance 2 / fan in, the head's weights uniform in
    ±1/sqrt(fan in), its biases 0, as the paper's and torchvision's.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 16.
        growth: as for ``densenet22``.

    Raises:
        ValueError: as of ``densenet22``.
    """
    return _pooled("densenet121", shape, classes, (6, 12, 24, 16), growth)


def densenet161(shape: tuple[int, ...], classes: int, growth: int = 48) -> Net:
    """Blocks of 6, 12, 36 and 24 layers: 26,460,480 parameters without the head, 2,208 features.

    Initial numbers, args and errors: as of ``densenet121``.
    """
    return _pooled("densenet161", shape, classes, (6, 12, 36, 24), growth)


def densenet169(shape: tuple[int, ...], classes: int, growth: int = 32) -> Net:
    """Blocks of 6, 12, 32 and 32 layers: 12,476,800 parameters without the head, 1,664 features.

    Initial numbers, args and errors: as of ``densenet121``.
    """
    return _pooled("densenet169", shape, classes, (6, 12, 32, 32), growth)


def _pooled(
    name: str, shape: tuple[int, ...], classes: int, layers: Sequence[int], growth: int
) -> Net:
    make = partial(DenseNet, shape[0], classes, layers, growth, True)
    return of_pictures(name, make, shape, classes, 16, growth, "growth")


class DenseNet(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes); between blocks the map is halved.

    Args:
        layers: in each block.
        pooled: the form of ImageNet: the stem has norm, ReLU and a pooling that halves the map,
            and the initial numbers are others.
    """

    def __init__(
        self, channels: int, classes: int, layers: Sequence[int], growth: int, pooled: bool
    ):
        super().__init__()
        width = 2 * growth
        stem: list[nn.Module] = [nn.Conv2d(channels, width, 3, 1, 1, bias=False)]
        if pooled:
            stem += [nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
        blocks: list[nn.Module] = []
        for number, count in enumerate(layers):
            if number:
                blocks.append(Halving(width, width // 2))
                width //= 2
            for _ in range(count):
                blocks.append(DenseLayer(width, growth))
                width += growth
        self.stem, self.blocks = nn.Sequential(*stem), nn.Sequential(*blocks)
        self.norm, self.head = nn.BatchNorm2d(width), nn.Linear(width, classes)
        for part in self.modules():
            if isinstance(part, nn.Conv2d) and pooled:
                nn.init.kaiming_normal_(part.weight, mode="fan_in", nonlinearity="relu")
            elif isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")
        if pooled:
            nn.init.zeros_(self.head.bias)

    def forward(self, x: Tensor) -> Tensor:
        x = self.blocks(self.stem(by_pixel(x)))  # an update takes 0.68 to 0.83 of the time
        return self.head(torch.relu_(self.norm(x)).mean((2, 3)))


class DenseLayer(nn.Module):
    """Maps (B, before, h, w) with ``growth`` more behind them: norm, ReLU, convolution, twice."""

    def __init__(self, before: int, growth: int):
        super().__init__()
        inner = 4 * growth
        self.norm1, self.conv1 = nn.BatchNorm2d(before), nn.Conv2d(before, inner, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(inner)
        self.conv2 = nn.Conv2d(inner, growth, 3, 1, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv1(torch.relu_(self.norm1(x)))
        return torch.cat([x, self.conv2(torch.relu_(self.norm2(y)))], 1)


class Halving(nn.Module):
    """Norm, ReLU, a 1 x 1 convolution, and the means of 2 x 2 pixels."""

    def __init__(self, before: int, width: int):
        super().__init__()
        self.norm, self.conv = nn.BatchNorm2d(before), nn.Conv2d(before, width, 1, bias=False)
        self.pool = nn.AvgPool2d(2)

    def forward(self, x: Tensor) -> Tensor:
        return self.pool(self.conv(torch.relu_(self.norm(x))))
