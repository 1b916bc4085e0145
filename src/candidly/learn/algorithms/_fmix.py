"""FMix: which pixels of a picture come from another, as patches of any form.

Source: Harris et al., FMix: Enhancing mixed sample data augmentation, arXiv 2002.12047, 2020.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

DECAY = 3  # power of the frequency that amplitudes fall with


def drawn_mask(rng: np.random.Generator, sides: tuple[int, int]) -> tuple[float, np.ndarray]:
    """A share l ~ U(0, 1), and a mask with as many ones: where a grey picture is brightest.

    Args:
        sides: height and width, H and W.

    Returns:
        l, and float64 (H, W) of 0 and 1, l H W of them 1, rounded up or down with even chances.
    """
    share, up = rng.random(), rng.random() < 0.5
    size = share * math.prod(sides)
    ones = math.ceil(size) if up else math.floor(size)
    brightest = np.argsort(-low_frequencies(rng, sides).ravel(), kind="stable")[:ones]
    mask = np.zeros(math.prod(sides))
    mask[brightest] = 1
    return share, mask.reshape(sides)


def drawn_masks(
    generators: Sequence[np.random.Generator], copies: int, sides: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """Shares (K, copies) and masks (K, copies, H, W), ``copies`` of each generator; float64."""
    drawn = [drawn_mask(generator, sides) for generator in generators for _ in range(copies)]
    lead = len(generators), copies
    shares = torch.tensor([share for share, _ in drawn], dtype=torch.float64)
    masks = torch.from_numpy(np.stack([mask for _, mask in drawn]))
    return shares.view(lead), masks.view(*lead, *sides)


def low_frequencies(rng: np.random.Generator, sides: tuple[int, int]) -> np.ndarray:
    """A random grey picture (H, W): normal amplitudes over the cube of their frequency."""
    high, wide = sides
    frequencies = np.hypot(np.fft.fftfreq(high)[:, None], np.fft.rfftfreq(wide))
    scale = np.maximum(frequencies, 1 / max(sides)) ** -DECAY
    real, imaginary = rng.standard_normal((2, *frequencies.shape))
    return np.fft.irfft2(scale * (real + 1j * imaginary), sides)
