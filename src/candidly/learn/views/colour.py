"""Colours of pictures: operations on a batch that equal Pillow's to the last bit.

Each takes uint8 (m, C, H, W) on any device, leaves it as it is, and returns a new uint8 (m, C, H,
W). What differs from picture to picture comes as an array (m,) on the host. The arithmetic is
Pillow's own (libImaging and ``PIL.ImageOps``), worked out from what it returns: blends in float32
that are cut off, not rounded; brightness of a colour in fixed point with 16 bits.

Pillow knows pictures of one channel and of three. With another number of channels, ``color`` leaves
a picture as it is, and the grey of ``contrast`` is the mean of all channels.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

LUMA = (19595, 38470, 7471)  # of red, green and blue, in units of 2**-16: Pillow's mode L
HALF = 1 << 15


def brightness(pixels: Tensor, factors: np.ndarray) -> Tensor:
    """Towards black: ``ImageEnhance.Brightness(picture).enhance(factor)``."""
    return _cut(pixels.float().mul_(_sent(factors, pixels)))


def color(pixels: Tensor, factors: np.ndarray) -> Tensor:
    """Towards shades of grey: ``ImageEnhance.Color(picture).enhance(factor)``."""
    if pixels.shape[1] != len(LUMA):
        return pixels.clone()
    return _blend(_luma(pixels).float(), pixels, factors)


def contrast(pixels: Tensor, factors: np.ndarray) -> Tensor:
    """Towards the grey of its mean: ``ImageEnhance.Contrast(picture).enhance(factor)``."""
    grey = _luma(pixels) if pixels.shape[1] == len(LUMA) else pixels
    count = grey.shape[1:].numel()
    total = grey.sum((1, 2, 3), keepdim=True)
    # whole numbers, so that a mean of exactly so many and a half is rounded up as by Pillow
    mean = torch.div(2 * total + count, 2 * count, rounding_mode="floor")
    return _blend(mean.float(), pixels, factors)


def sharpness(pixels: Tensor, factors: np.ndarray) -> Tensor:
    """Towards a smooth one: ``ImageEnhance.Sharpness(picture).enhance(factor)``.

    The outermost pixels stay as they are, and so does all of a picture with a side below 3.
    """
    high, wide = pixels.shape[2:]
    if min(high, wide) < 3:
        return pixels.clone()
    # all pictures as one long row, so that neighbours are slices that lie together; what this
    # mixes up at the edges is put right below
    row = pixels.short().flatten()
    three = row[:-2] + row[1:-1]
    three += row[2:]
    nine = three[: -2 * wide] + three[wide:-wide]
    nine += three[2 * wide :]
    smooth = row.float()
    inner = smooth[wide + 1 : -wide - 1]
    # thirteenths are never halfway between whole numbers
    inner.mul_(4).add_(nine).div_(13).round_()
    out = _blend(smooth.view(pixels.shape), pixels, factors)
    for edge in (0, -1):
        out[:, :, edge] = pixels[:, :, edge]
        out[:, :, :, edge] = pixels[:, :, :, edge]
    return out


def auto_contrast(pixels: Tensor) -> Tensor:
    """Each channel stretched over 0 to 255: ``ImageOps.autocontrast(picture)``."""
    planes = pixels.flatten(2)
    low, high = planes.amin(2, keepdim=True).double(), planes.amax(2, keepdim=True).double()
    flat = high <= low
    # 255.0 / span would be the reciprocal times 255, with another last bit
    scale = torch.full_like(low, 255.0).div_((high - low).masked_fill_(flat, 255.0))
    ramp = torch.arange(256, dtype=torch.float64, device=pixels.device)
    table = (ramp * scale).add_((-low * scale).masked_fill_(flat, 0.0))
    return _cut(table).gather(2, planes.long()).view(pixels.shape)


def equalize(pixels: Tensor) -> Tensor:
    """Each channel's values as even as may be: ``ImageOps.equalize(picture)``."""
    at = pixels.flatten(2).long()
    one = torch.ones(1, dtype=torch.int32, device=pixels.device).expand(at.shape)
    counts = one.new_zeros(*pixels.shape[:2], 256).scatter_add_(2, at, one)
    below = counts.cumsum(2, dtype=torch.int32).sub_(counts)
    # as many pixels as are darker than the brightest, on 255 values
    step = below.gather(2, at.amax(2, keepdim=True)).div_(255, rounding_mode="floor")
    below += step // 2
    table = below.double().div_(step.clamp(min=1)).floor_()
    ramp = torch.arange(256, dtype=torch.float64, device=pixels.device)
    table = torch.where(step > 0, table, ramp)
    return _cut(table).gather(2, at).view(pixels.shape)


def posterize(pixels: Tensor, bits: np.ndarray) -> Tensor:
    """The highest 1 to 8 bits of each value: ``ImageOps.posterize(picture, bits)``."""
    masks = 256 - (1 << (8 - np.asarray(bits, np.int64)))
    return pixels & _sent(masks, pixels, np.uint8)


def solarize(pixels: Tensor, thresholds: np.ndarray) -> Tensor:
    """Values from a threshold on inverted: ``ImageOps.solarize(picture, threshold)``."""
    last_kept = _sent(np.ceil(thresholds) - 1, pixels, np.int16)
    # the sign, spread over all bits: comparing bytes is ten times as slow
    return (
        (last_kept - pixels.short()).bitwise_right_shift_(15).to(torch.uint8).bitwise_xor_(pixels)
    )


def invert(pixels: Tensor) -> Tensor:
    """The negative: ``ImageOps.invert(picture)``."""
    return ~pixels


def _sent(values: np.ndarray, pixels: Tensor, kind: type = np.float32) -> Tensor:
    """A number of each picture, where the pixels are: (m, 1, 1, 1)."""
    return (
        torch.from_numpy(np.asarray(values).astype(kind))
        .to(pixels.device, non_blocking=True)
        .view(-1, 1, 1, 1)
    )


def _luma(pixels: Tensor) -> Tensor:
    """int32 (m, 1, H, W), of pictures of three channels."""
    red, green, blue = pixels.int().split(1, dim=1)
    sum_ = red.mul_(LUMA[0]).add_(green, alpha=LUMA[1]).add_(blue, alpha=LUMA[2])
    return sum_.add_(HALF).bitwise_right_shift_(16)


def _blend(of: Tensor, pixels: Tensor, factors: np.ndarray) -> Tensor:
    """``Image.blend`` of whole numbers in float32 with the pixels: at 1 it is these."""
    # two roundings, one after the product: a fused multiplication and addition has only one
    return _cut(pixels.float().sub_(of).mul_(_sent(factors, pixels)).add_(of))


def _cut(numbers: Tensor) -> Tensor:
    """Without what is behind the point, and at most 255: floating -> uint8."""
    # by way of int16, which is three times as fast as straight to uint8
    return numbers.clamp_(0, 255).to(torch.int16).to(torch.uint8)
