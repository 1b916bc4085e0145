"""kornia's operations on a batch, for ``views.py``: their time, and whether they equal Pillow's.

Its pictures are float32 from 0 to 1; what it makes is compared after rounding to whole levels.
kornia is no dependency: where it is not installed, these figures are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import kornia.augmentation
import kornia.enhance
import kornia.geometry
import numpy as np
import torch
from torch import Tensor

import _pillow_views as pillow

Compared = tuple[str, Callable[[], Tensor], list | None]  # None: what is drawn cannot be the same


def operations(pixels: np.ndarray, parts: tuple[np.ndarray, ...]) -> Iterator[Compared]:
    """Name, kornia's of a batch, and what Pillow makes of its pictures.

    Args:
        pixels: uint8 (m, H, W, 3).    parts: top, left, height and width, integers (m,) each.
    """
    batch = torch.from_numpy(pixels.transpose(0, 3, 1, 2).copy()).to(torch.float32).div_(255)
    size, g = pixels.shape[1:3], np.random.default_rng(3)
    images = [pillow.picture(each) for each in pixels]

    def by_pillow(name: str, values: np.ndarray) -> list:
        return list(map(pillow.OPERATIONS[name], images, values.tolist()))

    boxes = torch.tensor([corners(*part, *size) for part in zip(*parts)], dtype=torch.float32)
    yield (
        "resized crop",
        lambda: kornia.geometry.crop_and_resize(batch, boxes, size),
        list(map(pillow.resized_crop, images, *(part.tolist() for part in parts))),
    )
    values = g.uniform(-0.3, 0.3, len(pixels))
    sheared = torch.eye(3)[:2].repeat(len(pixels), 1, 1)
    # kornia's matrices lead from the old pixels to the new, and its zero is a pixel's centre
    sheared[:, 0, 1:] = -torch.from_numpy(values)[:, None] * torch.tensor([1, 0.5])
    yield (
        "shear-x, nearest",
        lambda: kornia.geometry.warp_affine(batch, sheared, size, mode="nearest"),
        by_pillow("shear-x", values),
    )
    values = g.uniform(-30, 30, len(pixels))
    degrees = torch.from_numpy(values).to(torch.float32)
    yield (
        "rotate, nearest",
        lambda: kornia.geometry.rotate(batch, degrees, mode="nearest"),
        by_pillow("rotate", values),
    )
    yield "equalize", lambda: kornia.enhance.equalize(batch), by_pillow("equalize", values)
    bits = g.integers(4, 9, len(pixels))
    number = torch.from_numpy(bits)
    yield (
        "posterize",
        lambda: kornia.enhance.posterize(batch, number),
        by_pillow("posterize", bits),
    )
    values = g.uniform(0, 256, len(pixels))
    thresholds = torch.from_numpy(values / 255).to(torch.float32)
    yield (
        "solarize",
        lambda: kornia.enhance.solarize(batch, thresholds),
        by_pillow("solarize", values),
    )
    values = g.uniform(0.05, 0.95, len(pixels))
    factors = torch.from_numpy(values).to(torch.float32)
    yield (
        "sharpness",
        lambda: kornia.enhance.sharpness(batch, factors),
        by_pillow("sharpness", values),
    )
    crop = kornia.augmentation.RandomResizedCrop(size, (0.2, 1.0))
    yield "its RandomResizedCrop", lambda: crop(batch), None
    three = kornia.augmentation.auto.RandAugment(n=3, m=10)
    yield "its RandAugment(3)", lambda: three(batch), None


def corners(
    top: int, left: int, high: int, wide: int, rows: int, columns: int
) -> list[tuple[float, float]]:
    """Where the centres of the new corner pixels are, as (x, y), clockwise from the top left."""
    y = [top + place * high / rows - 0.5 for place in (0.5, rows - 0.5)]
    x = [left + place * wide / columns - 0.5 for place in (0.5, columns - 0.5)]
    return [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])]


def apart(found: Tensor, images: list) -> np.ndarray:
    """Largest difference of a level in each picture, (m,)."""
    levels = found.mul(255).round_().to(torch.int16).permute(0, 2, 3, 1).numpy()
    return np.abs(levels - np.stack([np.asarray(image) for image in images])).max((1, 2, 3))
