"""Residual networks for small pictures: no pooling at the start (He et al., CVPR 2016).

``resnet32`` is the network of the partial-label benchmark (Wang et al., ICLR 2025), ``resnet34``
that of the noisy-label challenge. In both a shortcut between two widths is a 1 × 1 convolution with
batch norm, and the pictures' last map is averaged whole: the 8 × 8 pooling of the benchmark and the
4 × 4 of the challenge where pictures are 32 × 32.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ._net import Net
from ._refusals import needs_pictures
from .cnn import by_pixel
from .from_torch import from_torch


def resnet32(shape: tuple[int, ...], classes: int) -> Net:
    """Stages of 5, 5 and 5 blocks, 16, 32 and 64 wide: 466,256 parameters without the head.

    Args:
        shape: of a picture, (C, H, W) with any C and H, W >= 4.

    Raises:
        ValueError: ``shape`` is another one.
    """
    return _resnet("resnet32", shape, classes, (5, 5, 5), (16, 32, 64))


def resnet18(shape: tuple[int, ...], classes: int) -> Net:
    """Stages of 2 blocks each, 64 to 512 wide: 11,168,832 parameters without the head.

    Args and errors: as for ``resnet32``; H, W >= 8.
    """
    return _resnet("resnet18", shape, classes, (2, 2, 2, 2), (64, 128, 256, 512))


def resnet34(shape: tuple[int, ...], classes: int) -> Net:
    """Stages of 3, 4, 6 and 3 blocks, 64 to 512 wide: 21,276,992 parameters without the head.

    Args and errors: as for ``resnet32``; H, W >= 8.
    """
    return _resnet("resnet34", shape, classes, (3, 4, 6, 3), (64, 128, 256, 512))


def _resnet(
    name: str, shape: tuple[int, ...], classes: int, blocks: Sequence[int], widths: Sequence[int]
) -> Net:
    needs_pictures(name, shape, 2 ** (len(widths) - 1))
    return from_torch(lambda: ResNet(shape[0], classes, blocks, widths), shape, classes)


class ResNet(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes); stages after the first halve the map.

    Convolutions have no bias and start normal with variance 2 / (k² · channels out), batch norms
    with 1 and 0, the head uniform in ±1/sqrt(fan in).

    Args:
        blocks: in each stage.
        widths: channels of each stage; the stem has those of the first.
    """

    def __init__(self, channels: int, classes: int, blocks: Sequence[int], widths: Sequence[int]):
        super().__init__()
        self.narrow = widths[-1] <= 64  # see by_pixel
        self.stem, self.norm = Conv(channels, widths[0]), nn.BatchNorm2d(widths[0])
        stages, before = [], widths[0]
        for number, (count, width) in enumerate(zip(blocks, widths)):
            for place in range(count):
                stages.append(BasicBlock(before, width, 2 if number and not place else 1))
                before = width
        self.stages = nn.Sequential(*stages)
        self.head = nn.Linear(before, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = by_pixel(x) if self.narrow else x
        x = torch.relu_(self.norm(self.stem(x)))
        return self.head(self.stages(x).mean((2, 3)))


class BasicBlock(nn.Module):
    """Two 3 × 3 convolutions beside a shortcut."""

    def __init__(self, before: int, width: int, stride: int):
        super().__init__()
        self.conv1, self.norm1 = Conv(before, width, 3, stride), nn.BatchNorm2d(width)
        self.conv2, self.norm2 = Conv(width, width), nn.BatchNorm2d(width)
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or before != width:
            conv = Conv(before, width, 1, stride)
            self.shortcut = nn.Sequential(conv, nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu_(self.norm1(self.conv1(x)))
        return torch.relu_(self.norm2(self.conv2(y)) + self.shortcut(x))


class Conv(nn.Conv2d):
    """A k × k convolution without bias that keeps the map's size, or divides it by the stride."""

    def __init__(self, before: int, width: int, k: int = 3, stride: int = 1):
        super().__init__(before, width, k, stride, k // 2, bias=False)

    def reset_parameters(self) -> None:
        nn.init.kaiming_normal_(self.weight, mode="fan_out", nonlinearity="relu")
