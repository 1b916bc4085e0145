"""VGG with batch norm, for small pictures (Simonyan & Zisserman, ICLR 2015).

The convolutions and the classifier are those of torchvision's networks; the map behind the last
pooling is averaged whole, to 1 × 1 in place of ImageNet's 7 × 7, so that the classifier begins
512 wide. They are so in github.com/huyvnphan/PyTorch_CIFAR10, a collection of the thirteen networks
that the label-error study ranked (Northcutt et al., NeurIPS 2021, Table S2); it lists 28.150,
28.334, 33.647 and 38.959 million parameters with 10 classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn

from ._catalogue import of_pictures
from ._net import Net
from .cnn import NARROW, by_pixel

WIDER = (1, 2, 4, 8, 8)  # channels of each stage, for one of the first


def vgg11(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """Stages of 1, 1, 2, 2 and 2 convolutions: 28,108,544 parameters without the head.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 16.
        width: channels of the first stage; the others, up to 8 ``width``, and the classifier's two
            hidden layers of 64 ``width`` follow.

    Raises:
        ValueError: ``shape`` is another one, or ``width`` is no whole number from 1 on.
    """
    return _vgg("vgg11", shape, classes, (1, 1, 2, 2, 2), width)


def vgg13(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """Stages of 2 convolutions each: 28,293,440 parameters without the head.

    Args and errors: as for ``vgg11``.
    """
    return _vgg("vgg13", shape, classes, (2, 2, 2, 2, 2), width)


def vgg16(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """Stages of 2, 2, 3, 3 and 3 convolutions: 33,605,696 parameters without the head.

    Args and errors: as for ``vgg11``.
    """
    return _vgg("vgg16", shape, classes, (2, 2, 3, 3, 3), width)


def vgg19(shape: tuple[int, ...], classes: int, width: int = 64) -> Net:
    """Stages of 2, 2, 4, 4 and 4 convolutions: 38,917,952 parameters without the head.

    Args and errors: as for ``vgg11``.
    """
    return _vgg("vgg19", shape, classes, (2, 2, 4, 4, 4), width)


def _vgg(name: str, shape: tuple[int, ...], classes: int, layers: Sequence[int], width: int) -> Net:
    smallest = 2 ** (len(layers) - 1)
    make = partial(Vgg, shape[0], classes, layers, width)
    return of_pictures(name, make, shape, classes, smallest, width)


class Vgg(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes).

    Every 3 × 3 convolution is followed by batch norm and ReLU, and every stage by pooling that
    halves the map; an odd side is rounded up, so that 28 × 28 pictures reach the end, too. Dropout
    of one half follows both hidden layers of the classifier. As in torchvision, convolutions start
    normal with variance 2 / (9 · channels out), linear layers with deviation 0.01, batch norms with
    1 and 0, biases with 0.

    Args:
        layers: convolutions in each stage.
        width: channels of the first stage.
    """

    def __init__(self, channels: int, classes: int, layers: Sequence[int], width: int):
        super().__init__()
        self.narrow = WIDER[-1] * width <= NARROW
        stages: list[nn.Module] = []
        before = channels
        for count, wider in zip(layers, WIDER, strict=True):
            for _ in range(count):
                conv = _started(nn.Conv2d(before, wider * width, 3, padding=1))
                stages += [conv, nn.BatchNorm2d(wider * width), nn.ReLU(inplace=True)]
                before = wider * width
            stages.append(nn.MaxPool2d(2, ceil_mode=True))
        self.stages = nn.Sequential(*stages)
        hidden = 64 * width
        self.hidden1 = _started(nn.Linear(before, hidden))
        self.hidden2 = _started(nn.Linear(hidden, hidden))
        self.dropout = nn.Dropout(0.5)
        self.head = _started(nn.Linear(hidden, classes))

    def forward(self, x: Tensor) -> Tensor:
        x = self.stages(by_pixel(x) if self.narrow else x).mean((2, 3))
        x = self.dropout(torch.relu_(self.hidden1(x)))
        x = self.dropout(torch.relu_(self.hidden2(x)))
        return self.head(x)


def _started(layer: nn.Conv2d | nn.Linear) -> nn.Module:
    if isinstance(layer, nn.Conv2d):
        nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
    else:
        nn.init.normal_(layer.weight, 0, 0.01)
    assert layer.bias is not None
    nn.init.zeros_(layer.bias)
    return layer
