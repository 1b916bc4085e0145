"""Pictures to change and what Pillow makes of them, one at a time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

SHAPES = [(3, 32, 32), (1, 28, 28), (3, 20, 33), (1, 9, 6), (3, 5, 7), (1, 2, 3), (3, 1, 1)]


def pictures(m: int, shape: tuple[int, ...], seed: int = 0) -> Tensor:
    """Random pixels, uint8 (m, C, H, W)."""
    random = np.random.default_rng(seed)
    return torch.from_numpy(random.integers(0, 256, (m, *shape), dtype=np.uint8))


def real_pictures(m: int) -> Tensor:
    """Of CIFAR-10's test set, uint8 (m, 3, 32, 32)."""
    path = Path(os.environ["CANDIDLY_DATA"]) / "cifar10" / "cifar10_small_uint8.npz"
    with np.load(path) as file:
        return torch.from_numpy(np.ascontiguousarray(file["test_images"][:m].transpose(0, 3, 1, 2)))


def to_pillow(picture: np.ndarray) -> Image.Image:
    """Of pixels (C, H, W): "L" of one channel, "RGB" of three."""
    if len(picture) == 1:
        return Image.fromarray(picture[0])
    return Image.fromarray(np.ascontiguousarray(np.moveaxis(picture, 0, 2)))


def by_pillow(change: Callable[..., Image.Image], pixels: Tensor, *values: np.ndarray) -> Tensor:
    """``change(image, value, ...)`` of each picture, uint8 (m, C, H, W)."""
    made: list[Any] = []
    for picture, *own in zip(pixels.numpy(), *values, strict=True):
        found = np.asarray(change(to_pillow(picture), *(value.item() for value in own)))
        made.append(np.moveaxis(np.atleast_3d(found), 2, 0))
    return torch.from_numpy(np.stack(made))
