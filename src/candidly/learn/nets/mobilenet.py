"""MobileNet-V2: wide maps convolved channel by channel, narrow ones kept (Sandler et al., 2018)."""

from __future__ import annotations

from functools import partial

from torch import Tensor, nn

from ._catalogue import of_pictures
from ._net import Net
from ._widths import in_proportion
from .cnn import by_pixel

BLOCKS = (  # how many times as wide inside, channels, blocks, stride of the first
    (1, 16, 1, 1),
    (6, 24, 2, 1),  # stride 2 for ImageNet
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
WIDTH = 32  # of the stem, which has stride 2 for ImageNet


def mobilenet_v2(shape: tuple[int, ...], classes: int, width: int = WIDTH) -> Net:
    """Seventeen blocks, and 1,280 features, a fifth of which are dropped in training.

    2,223,872 parameters without the head. The paper's table (CVPR 2018) with the strides of
    github.com/huyvnphan/PyTorch_CIFAR10: the map is halved three times instead of five.
    Convolutions start normal with variance 2 / (k² · channels out), the head with standard
    deviation 0.01 and biases 0, as torchvision's.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 8.
        width: channels of the first convolution; all others in proportion, the features, too.

    Raises:
        ValueError: ``shape`` is another one, or ``width`` is no whole number from 1 on.
    """
    make = partial(MobileNet, shape[0], classes, width)
    return of_pictures("mobilenet-v2", make, shape, classes, 8, width)


class MobileNet(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes)."""

    def __init__(self, channels: int, classes: int, width: int):
        super().__init__()
        of = in_proportion(width, WIDTH)
        self.stem = _normed(channels, width, 3)
        blocks, before = [], width
        for times, published, count, stride in BLOCKS:
            for place in range(count):
                by = 1 if place else stride
                blocks.append(Inverted(before, times, of(published), by, place > 0))
                before = of(published)
        self.blocks, self.last = nn.Sequential(*blocks), _normed(before, of(1280), 1)
        self.dropout, self.head = nn.Dropout(0.2), nn.Linear(of(1280), classes)
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")
        nn.init.normal_(self.head.weight, 0, 0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, x: Tensor) -> Tensor:
        x = by_pixel(x)  # an update takes 0.63 to 0.77 of the time
        x = self.blocks(_capped(self.stem(x)))
        return self.head(self.dropout(_capped(self.last(x)).mean((2, 3))))


class Inverted(nn.Module):
    """A block that widens, convolves each channel alone, and narrows again without a ReLU.

    Args:
        times: how many times as wide it is inside.
        adds: the block's input is added to what it makes.
    """

    def __init__(self, before: int, times: int, width: int, stride: int, adds: bool):
        super().__init__()
        inner = times * before
        self.widen = None if times == 1 else _normed(before, inner, 1)
        self.deep = _normed(inner, inner, 3, stride, groups=inner)
        self.narrow = _normed(inner, width, 1)
        self.adds = adds

    def forward(self, x: Tensor) -> Tensor:
        y = x if self.widen is None else _capped(self.widen(x))
        y = self.narrow(_capped(self.deep(y)))
        return x + y if self.adds else y


def _normed(before: int, width: int, k: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(before, width, k, stride, k // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(width))


def _capped(x: Tensor) -> Tensor:
    """Numbers kept from 0 to 6, in place."""
    return nn.functional.relu6(x, inplace=True)
