"""Residual networks for small pictures: no pooling at the start (He et al., CVPR 2016).

``resnet32`` is the network of the partial-label benchmark (Wang et al., ICLR 2025), ``resnet34``
that of the noisy-label challenge. In all a shortcut between two widths is a 1 × 1 convolution with
batch norm, and the pictures' last map is averaged whole: the 8 × 8 pooling of the benchmark and the
4 × 4 of the challenge where pictures are 32 × 32. ``resnet50`` has the stride in its 3 × 3
convolutions, as torchvision's.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ._catalogue import of_pictures
from ._net import Net
from .cnn import NARROW, STRIDED, by_pixel


def resnet32(shape: tuple[int, ...], classes: int, width: int = 16) -> Net:
    """Stages of 5, 5 and 5 blocks, 16, 32 and 64 wide: 466,256 parameters without the head.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 4.
        width: channels of the first stage; each other has twice as many as the one before.

    Raises:
        ValueError: ``shape`` is another one, or ``width`` is no whole number from 1 on.
    """
    return _resnet("resnet32", shape, classes, (5, 5, 5), width)


def resnet18(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """Stages of 2 blocks each, 64 to 512 wide: 11,168,832 parameters without the head.

    Args and errors: as for ``resnet32``; H, W >= 8.
    """
    return _resnet("resnet18", shape, classes, (2, 2, 2, 2), width)


def resnet34(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """Stages of 3, 4, 6 and 3 blocks, 64 to 512 wide: 21,276,992 parameters without the head.

    Args and errors: as for ``resnet32``; H, W >= 8.
    """
    return _resnet("resnet34", shape, classes, (3, 4, 6, 3), width)


def resnet50(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """Stages of 3, 4, 6 and 3 bottlenecks, 64 to 512 wide: 23,500,352 parameters without the head.

    Args and errors: as for ``resnet32``; H, W >= 8.
    """
    return _resnet("resnet50", shape, classes, (3, 4, 6, 3), width, bottlenecks=True)


def _resnet(
    name: str,
    shape: tuple[int, ...],
    classes: int,
    blocks: Sequence[int],
    width: int,
    bottlenecks: bool = False,
) -> Net:
    wider = [2**stage for stage in range(len(blocks))]
    block = Bottleneck if bottlenecks else BasicBlock

    def make() -> nn.Module:
        return ResNet(shape[0], classes, blocks, [width * more for more in wider], block)

    return of_pictures(name, make, shape, classes, wider[-1], width)


class ResNet(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes); stages after the first halve the map.

    Convolutions have no bias and start normal with variance 2 / (k² · channels out), batch norms
    with 1 and 0, the head uniform in ±1/sqrt(fan in).

    Args:
        blocks: in each stage.
        widths: channels of each stage; the stem has those of the first.
    """

    def __init__(
        self,
        channels: int,
        classes: int,
        blocks: Sequence[int],
        widths: Sequence[int],
        block: type[BasicBlock] | type[Bottleneck] | None = None,
    ):
        super().__init__()
        block = block or BasicBlock
        narrow = widths[-1] <= NARROW or block is Bottleneck
        self.narrow = narrow and widths[0] >= STRIDED
        self.stem, self.norm = Conv(channels, widths[0]), nn.BatchNorm2d(widths[0])
        stages, before = [], widths[0]
        for number, (count, width) in enumerate(zip(blocks, widths)):
            for place in range(count):
                stages.append(block(before, width, 2 if number and not place else 1))
                before = block.wider * width
        self.stages = nn.Sequential(*stages)
        self.late = f"stages.{sum(blocks[:-1])}"  # the last stage's first block
        self.head = nn.Linear(before, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = by_pixel(x) if self.narrow else x
        x = torch.relu_(self.norm(self.stem(x)))
        return self.head(self.stages(x).mean((2, 3)))


class BasicBlock(nn.Module):
    """Two 3 × 3 convolutions beside a shortcut."""

    wider = 1  # channels that it makes for one of its width

    def __init__(self, before: int, width: int, stride: int):
        super().__init__()
        self.conv1, self.norm1 = Conv(before, width, 3, stride), nn.BatchNorm2d(width)
        self.conv2, self.norm2 = Conv(width, width), nn.BatchNorm2d(width)
        self.shortcut = _shortcut(before, width, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu_(self.norm1(self.conv1(x)))
        return torch.relu_(self.norm2(self.conv2(y)) + self.shortcut(x))


class Bottleneck(nn.Module):
    """1 × 1, 3 × 3 with the stride, and 1 × 1 convolutions beside a shortcut."""

    wider = 4

    def __init__(self, before: int, width: int, stride: int):
        super().__init__()
        after = self.wider * width
        self.conv1, self.norm1 = Conv(before, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.norm2 = Conv(width, width, 3, stride), nn.BatchNorm2d(width)
        self.conv3, self.norm3 = Conv(width, after, 1), nn.BatchNorm2d(after)
        self.shortcut = _shortcut(before, after, stride)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu_(self.norm1(self.conv1(x)))
        y = torch.relu_(self.norm2(self.conv2(y)))
        return torch.relu_(self.norm3(self.conv3(y)) + self.shortcut(x))


def _shortcut(before: int, after: int, stride: int) -> nn.Module:
    if stride == 1 and before == after:
        return nn.Identity()
    return nn.Sequential(Conv(before, after, 1, stride), nn.BatchNorm2d(after))


class Conv(nn.Conv2d):
    """A k × k convolution without bias that keeps the map's size, or divides it by the stride."""

    def __init__(self, before: int, width: int, k: int = 3, stride: int = 1):
        super().__init__(before, width, k, stride, k // 2, bias=False)

    def reset_parameters(self) -> None:
        nn.init.kaiming_normal_(self.weight, mode="fan_out", nonlinearity="relu")
