"""A small convolutional network, for pictures on a CPU."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._catalogue import of_pictures
from ._net import Net

NARROW = 256  # channels of the widest 3 × 3 convolution, up to which ``by_pixel`` saves time
STRIDED = 8  # channels from which a 1 × 1 convolution with a stride may be ``by_pixel``: with 2 to
# 7, oneDNN's AVX2 kernels (torch 2.13) write beyond their memory, and the process crashes


def cnn(shape: tuple[int, ...], classes: int, width: int = 16) -> Net:
    """Four convolutions with batch norm, ``width`` to 8 ``width`` wide, and their mean.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 8.
        width: channels of the first convolution; the cost grows with its square.

    Raises:
        ValueError: ``shape`` is another one, or ``width`` is no whole number from 1 on.
    """
    return of_pictures("cnn", lambda: Cnn(shape[0], classes, width), shape, classes, 8, width)


def by_pixel(x: Tensor) -> Tensor:
    """Pictures (B, C, H, W) with a pixel's channels side by side in memory, on a CPU.

    Narrow convolutions are faster that way: one thread, batch 128, an update takes 0.76 of the time
    in the small network and 0.82 in ResNet-32; ResNet-18 is wide, and takes 1.15. Batch 64 and
    ``width=16``: VGG-16 0.73, ResNet-18 0.88, ResNet-50 0.74 (whole 0.88), PreAct-ResNet-18 0.85;
    Wide-ResNet-28-10 of ``width=4`` 0.90.
    """
    return x.contiguous(memory_format=torch.channels_last) if x.device.type == "cpu" else x


class Cnn(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes).

    The first convolution already halves the map, and pooling comes before norm and ReLU: most of
    the time of a small network goes where the map is large. All starts as torch starts it.
    """

    def __init__(self, channels: int, classes: int, width: int):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 4, 2, 1, bias=False)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, 1, 1, bias=False)
        self.conv3 = nn.Conv2d(2 * width, 4 * width, 3, 1, 1, bias=False)
        self.conv4 = nn.Conv2d(4 * width, 8 * width, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(2 * width)
        self.norm3, self.norm4 = nn.BatchNorm2d(4 * width), nn.BatchNorm2d(8 * width)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(8 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu_(self.norm1(self.conv1(by_pixel(x))))
        x = torch.relu_(self.norm2(self.pool(self.conv2(x))))
        x = torch.relu_(self.norm3(self.pool(self.conv3(x))))
        x = torch.relu_(self.norm4(self.conv4(x)))
        return self.head(x.mean((2, 3)))
