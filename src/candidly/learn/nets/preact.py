"""Residual networks with norm and ReLU before each convolution (He et al., ECCV 2016).

For small pictures: no pooling at the start, and the last map is averaged whole. Where a block keeps
its width, the shortcut is the block's input as it is; where it does not, a 1 × 1 convolution,
without norm, of the input after the block's first norm and ReLU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from ._catalogue import of_pictures
from ._net import Net
from .cnn import NARROW, STRIDED, by_pixel
from .resnet import Conv

EIGHTEEN = (2, 1), (2, 2), (2, 4), (2, 8)  # stages of 18 layers, as ``PreAct`` takes them


def preact_resnet18(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """Stages of 2 blocks each, 64 to 512 wide: 11,166,016 parameters without the head.

    The common form for CIFAR, in which no norm follows the last block; the paper's has one.
    Convolutions start as in ``resnet18``, which is what the paper says of its own.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 8.
        width: channels of the first stage; each other has twice as many as the one before.

    Raises:
        ValueError: ``shape`` is another one, or ``width`` is no whole number from 1 on.
    """
    make = partial(PreAct, shape[0], classes, width, EIGHTEEN)
    return of_pictures("preact-resnet18", make, shape, classes, 8, width)


def preact_resnet18_dividemix(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """The form in DivideMix's program: 11,166,144 parameters without the head.

    It differs from ``preact_resnet18`` in three ways. Norm and ReLU follow the first convolution,
    before those of the first block (64 parameters each for scale and shift). The shortcut of a
    block that keeps its width is the input after the block's norm and ReLU, so that nothing passes
    through the network unchanged. Convolutions start as torch starts them.

    Source: github.com/LiJunnan1992/DivideMix, ``PreResNet.py``, for Li et al., ICLR 2020.

    Args and errors: as for ``preact_resnet18``.
    """

    def make() -> nn.Module:
        size = shape[0], classes, width, EIGHTEEN
        return PreAct(*size, first=True, activated=True, conv=_as_torch)

    return of_pictures("preact-resnet18-dividemix", make, shape, classes, 8, width)


def wide_resnet28_10(shape: tuple[int, ...], classes: int, width: int = 16) -> Net:
    """Stages of 4 blocks, 160, 320 and 640 wide: 36,472,784 parameters without the head.

    Zagoruyko & Komodakis, BMVC 2016, without dropout: with 10 classes 36,479,194 parameters, their
    36.5 million. Norm and ReLU follow the last block. Convolutions start as in ``resnet18``, and
    the head's biases with 0, as in their program.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 4.
        width: channels of the first convolution; the stages have 10, 20 and 40 times as many.

    Raises: as for ``preact_resnet18``.
    """

    def make() -> nn.Module:
        module = PreAct(shape[0], classes, width, ((4, 10), (4, 20), (4, 40)), last=True)
        nn.init.zeros_(module.head.bias)
        return module

    return of_pictures("wide-resnet28-10", make, shape, classes, 4, width)


Layer = Callable[[int, int, int, int], nn.Module]  # (channels, channels out, k, stride) -> k × k


def _as_torch(before: int, width: int, k: int, stride: int) -> nn.Module:
    return nn.Conv2d(before, width, k, stride, k // 2, bias=False)


class PreAct(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes); stages after the first halve the map.

    Convolutions have no bias; batch norms start with 1 and 0, the head uniform in ±1/sqrt(fan in).

    Args:
        width: channels of the first convolution.
        stages: number of blocks and, in multiples of ``width``, channels of each.
        first: norm and ReLU follow the first convolution.
        last: norm and ReLU follow the last block.
        activated: shortcuts that change nothing else start behind a block's first norm and ReLU.
    """

    def __init__(
        self,
        channels: int,
        classes: int,
        width: int,
        stages: Sequence[tuple[int, int]],
        first: bool = False,
        last: bool = False,
        activated: bool = False,
        conv: Layer = Conv,
    ):
        super().__init__()
        before = width
        self.narrow = stages[0][1] * width >= STRIDED and stages[-1][1] * width <= NARROW
        self.stem = conv(channels, width, 3, 1)
        self.first = _normed(width) if first else nn.Identity()
        blocks = []
        for number, (count, wider) in enumerate(stages):
            for place in range(count):
                stride = 2 if number and not place else 1
                blocks.append(PreActBlock(before, wider * width, stride, activated, conv))
                before = wider * width
        self.blocks = nn.Sequential(*blocks)
        self.late = f"blocks.{sum(count for count, _ in stages[:-1])}"  # the last stage's first
        self.last = _normed(before) if last else nn.Identity()
        self.head = nn.Linear(before, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(self.stem(by_pixel(x) if self.narrow else x))
        return self.head(self.last(self.blocks(x)).mean((2, 3)))


def _normed(width: int) -> nn.Module:
    return nn.Sequential(nn.BatchNorm2d(width), nn.ReLU(inplace=True))


class PreActBlock(nn.Module):
    """Twice norm, ReLU and a 3 × 3 convolution, beside a shortcut."""

    def __init__(self, before: int, width: int, stride: int, activated: bool, conv: Layer):
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(before), conv(before, width, 3, stride)
        self.norm2, self.conv2 = nn.BatchNorm2d(width), conv(width, width, 3, 1)
        changes = stride > 1 or before != width
        self.shortcut = conv(before, width, 1, stride) if changes else nn.Identity()
        self.activated = activated or changes

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu_(self.norm1(x))
        x = self.shortcut(y if self.activated else x)
        return self.conv2(torch.relu_(self.norm2(self.conv1(y)))) + x
