"""Networks of lines of convolutions side by side: GoogLeNet and Inception-v3 (Szegedy et al.).

Both as github.com/huyvnphan/PyTorch_CIFAR10 has them for small pictures: one 3 x 3 convolution in
place of the stem for ImageNet, which divides the map by 8, and no classifiers halfway. Every
convolution has batch norm (epsilon 0.001) and a ReLU.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from ._catalogue import of_pictures
from ._net import Net
from ._widths import in_proportion
from .cnn import by_pixel

WIDTH = 192  # of the stem, in both
Scale = Callable[[int], int]  # published channels -> channels


def googlenet(shape: tuple[int, ...], classes: int, width: int = WIDTH) -> Net:
    """Nine modules of four lines, and 1,024 features, a fifth of which are dropped in training.

    5,480,736 parameters without the head. The table is the paper's (CVPR 2015); torchvision's
    3 x 3 convolutions stand where the paper has 5 x 5, and all starts as torch starts it.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 4.
        width: channels of the first convolution; all others in proportion, the features, too.

    Raises:
        ValueError: ``shape`` is another one, or ``width`` is no whole number from 1 on.
    """
    make = partial(GoogLeNet, shape[0], classes, width)
    return of_pictures("googlenet", make, shape, classes, 4, width)


def inception_v3(shape: tuple[int, ...], classes: int, width: int = WIDTH) -> Net:
    """Eleven modules, and 2,048 features, half of which are dropped in training.

    21,618,464 parameters without the head. The table is torchvision's, of the paper of CVPR 2016;
    weights start normal with standard deviation 0.1, cut at two of them.

    Args:
        shape: the shape of a picture, (C, H, W) with any C and H, W >= 7.
        width: as for ``googlenet``.

    Raises:
        ValueError: as of ``googlenet``.
    """
    make = partial(Inception, shape[0], classes, width)
    return of_pictures("inception-v3", make, shape, classes, 7, width)


class Line(nn.Sequential):
    """Steps one after the other; ``width`` channels come out.

    Args:
        steps: modules that keep the channels; and convolutions, (published channels, high, wide)
            that keep the map's size, or (..., stride) that take no pixels from beyond the border.
    """

    def __init__(self, before: int, of: Scale, *steps: nn.Module | tuple[int, ...]):
        super().__init__()
        for step in steps:
            if isinstance(step, nn.Module):
                self.append(step)
                continue
            published, high, wide, *stride = step
            by, around = (stride[0], (0, 0)) if stride else (1, (high // 2, wide // 2))
            width = of(published)
            self.append(nn.Conv2d(before, width, (high, wide), by, around, bias=False))
            self.append(nn.BatchNorm2d(width, eps=0.001))
            self.append(nn.ReLU(inplace=True))
            before = width
        self.width = before


class Abreast(nn.Module):
    """Lines side by side, which all get the same maps; their ``width`` channels are joined."""

    def __init__(self, *lines: Line):
        super().__init__()
        self.lines, self.width = nn.ModuleList(lines), sum(line.width for line in lines)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([line(x) for line in self.lines], 1)


class GoogLeNet(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes); the map is halved twice."""

    TABLE = (  # channels of each module: 1 x 1; 1 x 1 and 3 x 3, twice; behind the pooling
        ((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64)),
        (
            (192, 96, 208, 16, 48, 64),
            (160, 112, 224, 24, 64, 64),
            (128, 128, 256, 24, 64, 64),
            (112, 144, 288, 32, 64, 64),
            (256, 160, 320, 32, 128, 128),
        ),
        ((256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)),
    )

    def __init__(self, channels: int, classes: int, width: int):
        super().__init__()
        of = in_proportion(width, WIDTH)
        parts: list[nn.Module] = [stem := Line(channels, of, (WIDTH, 3, 3))]
        before = stem.width
        for number, stage in enumerate(self.TABLE):
            if number:
                parts.append(nn.MaxPool2d(3, 2, 1))
            for one, inner, three, thin, other, behind in stage:
                module = Abreast(
                    Line(before, of, (one, 1, 1)),
                    Line(before, of, (inner, 1, 1), (three, 3, 3)),
                    Line(before, of, (thin, 1, 1), (other, 3, 3)),
                    Line(before, of, nn.MaxPool2d(3, 1, 1), (behind, 1, 1)),
                )
                parts.append(module)
                before = module.width
        self.parts, self.dropout = nn.Sequential(*parts), nn.Dropout(0.2)
        self.head = nn.Linear(before, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = by_pixel(x)  # an update takes 0.51 to 0.81 of the time
        return self.head(self.dropout(self.parts(x).mean((2, 3))))


class Inception(nn.Module):
    """Pictures (B, channels, H, W) to logits (B, classes); the map is halved twice."""

    def __init__(self, channels: int, classes: int, width: int):
        super().__init__()
        of = in_proportion(width, WIDTH)
        parts: list[Line | Abreast] = [Line(channels, of, (WIDTH, 3, 3))]
        for behind in (32, 64, 64):
            parts.append(_square(parts[-1].width, of, behind))
        parts.append(_halving(parts[-1].width, of))
        for inner in (128, 160, 160, 192):
            parts.append(_crossed(parts[-1].width, of, inner))
        parts.append(_crossed_halving(parts[-1].width, of))
        for _ in range(2):
            parts.append(_forked(parts[-1].width, of))
        self.parts, self.dropout = nn.Sequential(*parts), nn.Dropout(0.5)
        self.head = nn.Linear(parts[-1].width, classes)
        for part in self.modules():
            if isinstance(part, nn.Conv2d | nn.Linear):
                nn.init.trunc_normal_(part.weight, 0, 0.1, -0.2, 0.2)

    def forward(self, x: Tensor) -> Tensor:
        x = by_pixel(x)  # an update takes 0.60 to 0.90 of the time
        return self.head(self.dropout(self.parts(x).mean((2, 3))))


def _square(before: int, of: Scale, behind: int) -> Abreast:
    return Abreast(
        Line(before, of, (64, 1, 1)),
        Line(before, of, (48, 1, 1), (64, 5, 5)),
        Line(before, of, (64, 1, 1), (96, 3, 3), (96, 3, 3)),
        Line(before, of, _mean(), (behind, 1, 1)),
    )


def _halving(before: int, of: Scale) -> Abreast:
    return Abreast(
        Line(before, of, (384, 3, 3, 2)),
        Line(before, of, (64, 1, 1), (96, 3, 3), (96, 3, 3, 2)),
        Line(before, of, nn.MaxPool2d(3, 2)),
    )


def _crossed(before: int, of: Scale, inner: int) -> Abreast:
    flat, tall = (inner, 1, 7), (inner, 7, 1)
    return Abreast(
        Line(before, of, (192, 1, 1)),
        Line(before, of, (inner, 1, 1), flat, (192, 7, 1)),
        Line(before, of, (inner, 1, 1), tall, flat, tall, (192, 1, 7)),
        Line(before, of, _mean(), (192, 1, 1)),
    )


def _crossed_halving(before: int, of: Scale) -> Abreast:
    return Abreast(
        Line(before, of, (192, 1, 1), (320, 3, 3, 2)),
        Line(before, of, (192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3, 2)),
        Line(before, of, nn.MaxPool2d(3, 2)),
    )


def _forked(before: int, of: Scale) -> Abreast:
    def fork(*steps: tuple[int, ...]) -> Line:
        line = Line(before, of, *steps)
        flat, tall = (Line(line.width, of, (384, *kernel)) for kernel in ((1, 3), (3, 1)))
        line.append(both := Abreast(flat, tall))
        line.width = both.width
        return line

    return Abreast(
        Line(before, of, (320, 1, 1)),
        fork((384, 1, 1)),
        fork((448, 1, 1), (384, 3, 3)),
        Line(before, of, _mean(), (192, 1, 1)),
    )


def _mean() -> nn.Module:
    """Of 3 x 3 pixels, those beyond the border counted as 0."""
    return nn.AvgPool2d(3, 1, 1)
