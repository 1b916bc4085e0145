"""EfficientNet-Lite: a small network of ImageNet's classes, and what it makes of a picture.

The EfficientNet of Tan & Le (ICML 2019) without squeeze-and-excitation, with ReLU6 for swish and
with a stem and a last layer of one width, as Google released it in 2020 for small machines.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ...ground.problem import said_of

BLOCKS = (  # how many times as wide inside, channels, blocks, stride of the first, kernel
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)
STEM, FEATURES, CLASSES = 32, 1280, 1000
DIVISOR = 8  # of numbers of channels
EPSILON = 1e-3  # of batch normalisation
MEAN, SPREAD = 127.0, 128.0  # of pixels, as it was trained
NAMED = {  # its convolutions and norms, as the released numbers call them
    "stem": ("_conv_stem", "_bn0"),
    "last": ("_conv_head", "_bn1"),
    "widen": ("_expand_conv", "_bn0"),
    "deep": ("_depthwise_conv", "_bn1"),
    "narrow": ("_project_conv", "_bn2"),
}


class EfficientNetLite(nn.Module):
    """Pictures, uint8 (B, H, W, 3), to features (B, 1280).

    Args:
        width, depth: how many times as wide and as deep as Lite0.
    """

    def __init__(self, width: float = 1.0, depth: float = 1.0):
        super().__init__()
        self.stem = Normed(3, STEM, 3, 2)
        blocks: list[nn.Module] = []
        before = STEM
        for place, (times, channels, count, stride, kernel) in enumerate(BLOCKS):
            ends = place in (0, len(BLOCKS) - 1)
            for number in range(count if ends else math.ceil(depth * count)):
                after = rounded(width * channels)
                blocks.append(LiteBlock(before, times, after, 1 if number else stride, kernel))
                before = after
        self.blocks, self.last = nn.Sequential(*blocks), Normed(before, FEATURES, 1)
        self.head = nn.Linear(FEATURES, CLASSES)

    def forward(self, pixels: Tensor) -> Tensor:
        x = (pixels.permute(0, 3, 1, 2).to(self.head.weight.dtype) - MEAN) / SPREAD
        x = x.contiguous(memory_format=torch.channels_last)
        x = self.blocks(_capped(self.stem(x)))
        return _capped(self.last(x)).mean((2, 3))


class LiteBlock(nn.Module):
    """Wider, convolved channel by channel, and narrow again; with its input where sizes agree."""

    def __init__(self, before: int, times: int, after: int, stride: int, kernel: int):
        super().__init__()
        inner = times * before
        self.widen = None if times == 1 else Normed(before, inner, 1)
        self.deep = Normed(inner, inner, kernel, stride, groups=inner)
        self.narrow = Normed(inner, after, 1)
        self.adds = stride == 1 and before == after

    def forward(self, x: Tensor) -> Tensor:
        y = x if self.widen is None else _capped(self.widen(x))
        y = self.narrow(_capped(self.deep(y)))
        return x + y if self.adds else y


class Normed(nn.Module):
    """A convolution and batch normalisation.

    Where the stride is 2, TensorFlow pads at the right and at the bottom, and the released numbers
    were learned so: with the same padding on all sides logistic regression is right on 66.6 % of
    CIFAR-10's pictures instead of 72.4 % (``bench/encoder_fit.py``).
    """

    def __init__(self, before: int, after: int, kernel: int, stride: int = 1, groups: int = 1):
        super().__init__()
        self.conv = nn.Conv2d(before, after, kernel, stride, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(after, eps=EPSILON)

    def forward(self, x: Tensor) -> Tensor:
        (kernel, _), (stride, _) = self.conv.kernel_size, self.conv.stride
        edges = [_padding(size, kernel, stride) for size in (x.shape[3], x.shape[2])]
        return self.norm(self.conv(F.pad(x, (*edges[0], *edges[1]))))


def _padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Zeros before and behind so many numbers, so that ⌈size / stride⌉ come out."""
    whole = max((math.ceil(size / stride) - 1) * stride + kernel - size, 0)
    return whole // 2, whole - whole // 2


def _capped(x: Tensor) -> Tensor:
    """Numbers kept from 0 to 6, in place."""
    return F.relu6(x, inplace=True)


def rounded(channels: float) -> int:
    """A number of channels that 8 divides, the nearest that is not a tenth less.

    >>> rounded(16), rounded(1.1 * 112), rounded(1.1 * 16)
    (16, 120, 16)
    """
    near = max(DIVISOR, int(channels + DIVISOR / 2) // DIVISOR * DIVISOR)
    return near if near >= 0.9 * channels else near + DIVISOR


def read_into(net: EfficientNetLite, path: Path) -> EfficientNetLite:
    """The network with the numbers of a file, ready for pictures.

    Nothing but tensors is read of it: no code of a pickle is run.

    Raises:
        ValueError: it cannot be read, or holds the numbers of another network.
    """
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(found, Mapping):
            raise TypeError(f"it holds a {type(found).__name__}")
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(
            f"{path} cannot be read ({type(error).__name__}): it is damaged, or holds more than "
            "tensors. Install its package again."
        ) from error
    try:
        net.load_state_dict({name: found[_name(name)] for name in net.state_dict()})
    except (KeyError, RuntimeError) as error:
        raise ValueError(
            f"{path} holds the numbers of another network ({said_of(error)}). Install its package "
            "again."
        ) from error
    return net.eval()


def _name(own: str) -> str:
    """A number's name in the released files.

    >>> _name("blocks.3.widen.conv.weight"), _name("head.bias")
    ('_blocks.3._expand_conv.weight', '_fc.bias')
    """
    if own.startswith("head."):
        return own.replace("head", "_fc", 1)
    *above, part, kind, last = own.split(".")
    released = NAMED[part][kind == "norm"]
    return ".".join(["_blocks", above[1], released, last] if above else [released, last])
