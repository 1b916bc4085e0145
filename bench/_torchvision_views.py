"""The four views by torchvision's transforms, for ``views.py``: as the benchmark's loader has them.

They draw from torch's and Python's generators, so that their pictures are like ours, not the same.
torchvision is no dependency: where it is not installed, these figures are left out.
"""

from __future__ import annotations

import random

import numpy as np
import torch
from PIL import Image
from torchvision import transforms

import _pillow_views as pillow

SIDE, HOLE = 32, 16


def operations(image: Image.Image) -> Image.Image:
    """Three of RandAugment, and the grey square."""
    for name, low, high in random.choices(pillow.RANDAUGMENT, k=3):
        image = pillow.OPERATIONS[name](image, random.uniform(low, high))
    return pillow.grey_square(image, [random.getrandbits(32) for _ in range(3)])


def cutout(picture: torch.Tensor) -> torch.Tensor:
    mask = np.ones((SIDE, SIDE), np.float32)
    y, x = random.randrange(SIDE), random.randrange(SIDE)
    top, left = max(y - HOLE // 2, 0), max(x - HOLE // 2, 0)
    mask[top : y + HOLE // 2, left : x + HOLE // 2] = 0
    return picture * torch.from_numpy(mask)


part = transforms.RandomResizedCrop(SIDE, (0.2, 1.0))
mirror = transforms.RandomHorizontalFlip()
numbers = transforms.ToTensor()
normalise = transforms.Normalize(pillow.MEAN.ravel().tolist(), pillow.STD.ravel().tolist())
padded = transforms.RandomCrop(SIDE, SIDE // 8)

VIEWS = {
    "plain": transforms.Compose([numbers, normalise]),
    "weak": transforms.Compose([numbers, mirror, padded, normalise]),
    "strong": transforms.Compose([part, mirror, operations, numbers, normalise]),
    "distill": transforms.Compose([part, mirror, numbers, cutout, normalise]),
}
