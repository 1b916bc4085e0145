"""Pictures mirrored, moved, cropped, sheared and turned, each of a batch by its own amount.

Every operation takes pixels, uint8 (m, C, H, W), and a NumPy array of one amount for each picture,
and gives new pixels of the same shape, contiguous, where the old ones are. All are equal to
Pillow's to the last bit: what Pillow calculates in floating point is calculated so on the host,
the rest on the device in whole numbers. Nothing is read back from the device.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

PILLOW_BITS = 22  # after the binary point, of its weights in resizing
SMALL = 1, 2, 4, 8, 16, 32, 64  # sizes whose weights, times 255, are exact in 16 bits


def mirrored(pixels: Tensor, which: np.ndarray) -> Tensor:
    """Left and right exchanged where ``which``, bool (m,)."""
    nowhere = np.zeros(len(pixels), np.int64)
    return cropped(pixels, nowhere, nowhere, which)


def cropped(
    pixels: Tensor, top: np.ndarray, left: np.ndarray, mirror: np.ndarray | None = None
) -> Tensor:
    """The window of the picture's own size that begins at (top, left); black outside the picture.

    Args:
        pixels: uint8 (m, C, H, W).
        top, left: int64 (m,), of any size and sign.
        mirror: bool (m,), the pictures that are mirrored before.
    """
    m, channels, high, wide = pixels.shape
    top, left = top.clip(-high, high), left.clip(-wide, wide)
    above, before = (int(np.abs(amount).max(initial=0)) for amount in (top, left))
    framed = pixels.new_zeros(m, channels, high + 2 * above, wide + 2 * before)
    inside = framed[:, :, above : above + high, before : before + wide]
    place = np.arange(m)
    if mirror is None:
        inside.copy_(pixels)
    else:  # those that are not mirrored come first
        order, plain = np.argsort(mirror, kind="stable"), m - int(mirror.sum())
        place[order] = np.arange(m)
        ordered = pixels.index_select(0, _sent(order, pixels))
        inside[:plain] = ordered[:plain]
        inside[plain:] = ordered[plain:].flip(-1)
    # windows that overlap: to gather them whole is ten times as fast as pixel by pixel
    size, step, _ = framed.stride()[1:]
    last = 2 * above * step + 2 * before
    count = max((m - 1) * channels * size + last + 1, 0)
    windows = framed.as_strided((count, channels, high, wide), (1, size, step, 1))
    first = place * (channels * size) + (top + above) * step + (left + before)
    return windows.index_select(0, _sent(first, pixels))


def translated_x(pixels: Tensor, fractions: np.ndarray) -> Tensor:
    """Moved to the left by fractions of the width, float (m,), to the nearest pixel.

    Pillow's ``transform(size, AFFINE, (1, 0, fraction * width, 0, 1, 0))``, but where that is less
    than 1e-14 below half a pixel: there Pillow's sum over the columns drifts to the next pixel.
    """
    moved = _whole_pixels(fractions, pixels.shape[3])
    return cropped(pixels, np.zeros_like(moved), moved)


def translated_y(pixels: Tensor, fractions: np.ndarray) -> Tensor:
    """Moved upwards by fractions of the height, float (m,), to the nearest pixel.

    Pillow's ``transform(size, AFFINE, (1, 0, 0, 0, 1, fraction * height))``, but as above.
    """
    moved = _whole_pixels(fractions, pixels.shape[2])
    return cropped(pixels, moved, np.zeros_like(moved))


def sheared_x(pixels: Tensor, factors: np.ndarray) -> Tensor:
    """Row y moved to the left by ``factors`` times y + 1/2, float (m,): about the top-left corner.

    Pillow's ``transform(size, AFFINE, (1, factor, 0, 0, 1, 0))``.
    """
    m, channels, high, wide = pixels.shape
    start, by_row = _fixed(0.5 + factors * 0.5), _fixed(factors)
    left = ((start[:, None] + by_row[:, None] * np.arange(high)) >> 16).clip(-wide, wide)
    gap = int(np.abs(left).max(initial=0))
    step, end = wide + gap, gap + m * channels * high * (wide + gap)
    black = pixels.new_zeros(end + wide)
    black[gap:end].view(m, channels, high, step)[..., :wide] = pixels
    # each row is a window, as in ``cropped``
    rows = gap + step * np.arange(m * channels * high).reshape(m, channels, high)
    windows = black.as_strided((end + 1, wide), (1, 1))
    return windows.index_select(0, _sent((rows + left[:, None]).ravel(), pixels)).view(pixels.shape)


def sheared_y(pixels: Tensor, factors: np.ndarray) -> Tensor:
    """Column x moved upwards by ``factors`` times x + 1/2, float (m,): about the top-left corner.

    Pillow's ``transform(size, AFFINE, (1, 0, 0, factor, 1, 0))``.
    """
    return sheared_x(pixels.transpose(2, 3), factors).transpose(2, 3).contiguous()


def rotated(pixels: Tensor, degrees: np.ndarray) -> Tensor:
    """Turned about the centre by ``degrees``, float (m,), counter-clockwise where positive.

    Pillow's ``rotate(degrees)``.
    """
    _, _, high, wide = pixels.shape
    x, y = wide / 2, high / 2
    # the functions and the rounding that Pillow calls: NumPy's may differ in the last place
    angles = [-math.radians(turn % 360.0) for turn in np.asarray(degrees, float).tolist()]
    cos = np.array([round(math.cos(angle), 15) for angle in angles])
    sin = np.array([round(math.sin(angle), 15) for angle in angles])
    across, down = cos * -x + sin * -y + x, -sin * -x + cos * -y + y
    return _affine(pixels, np.stack([cos, sin, across, -sin, cos, down], 1))


def resized_crop(
    pixels: Tensor,
    top: np.ndarray,
    left: np.ndarray,
    high: np.ndarray,
    wide: np.ndarray,
    mirror: np.ndarray | None = None,
) -> Tensor:
    """A part of each picture, enlarged to the picture's own size by linear interpolation.

    Pillow's ``crop(box).resize(size, BILINEAR)``: columns first, then rows, in fixed point, and
    rounded to whole levels after each. A part never has more rows or columns than the picture, so
    that each new pixel is a mean of two.

    Args:
        pixels: uint8 (m, C, H, W).
        top, left, high, wide: integers (m,); the part lies inside the picture.
        mirror: bool (m,), the pictures that are mirrored afterwards.
    """
    m, channels, rows, columns = pixels.shape
    # what is interpolated comes first, so that rows of bytes are gathered and not single ones
    found = _enlarged(pixels.permute(0, 3, 1, 2).flatten(2), left, wide, mirror)
    found = found.view(m, columns, channels, rows).permute(0, 3, 2, 1)
    found = _enlarged(found.flatten(2), top, high)
    return found.view(m, rows, channels, columns).transpose(1, 2).contiguous()


def _enlarged(
    lines: Tensor, start: np.ndarray, length: np.ndarray, backwards: np.ndarray | None = None
) -> Tensor:
    """As many lines as there are, from ``length`` of them that begin at ``start``.

    Args:
        lines: uint8 (m, size, width).
        start, length: integers (m,).
        backwards: bool (m,), whose new lines are in opposite order.
    """
    m, size, width = lines.shape
    kinds, which = np.unique(length, return_inverse=True)
    kinds = kinds[:, None]
    centre = (np.arange(size) + 0.5) * (kinds / size)
    first = np.maximum(centre - 0.5, 0).astype(np.int64)
    pair = np.stack([first, first + 1])
    weights = np.maximum(1 - np.abs(pair - centre + 0.5), 0)
    weights /= weights.sum(0)
    bits = PILLOW_BITS
    dtype: type[np.signedinteger] = np.int32
    if size in SMALL:  # weights are multiples of 1 / (2 size): the same result, twice as fast
        bits, dtype = size.bit_length(), np.int16
    weights = (weights * 2**bits + 0.5).astype(dtype)[:, which]
    begin = np.arange(0, m * size, size) + start
    places = np.minimum(pair, kinds - 1)[:, which] + begin[:, None]
    if backwards is not None:
        for each in (places, weights):
            each[:, backwards] = each[:, backwards, ::-1]
    found = lines.reshape(m * size, width).index_select(0, _sent(places.ravel(), lines))
    sent = _sent(weights[..., None], lines)
    products = found.view(2, m, size, width).to(sent.dtype).mul_(sent)
    total = products[0].add_(products[1]).add_(1 << bits - 1)
    return total.bitwise_right_shift_(bits).to(torch.uint8)


def _affine(pixels: Tensor, matrix: np.ndarray) -> Tensor:
    """New pixel (x, y) is the nearest to (a x + b y + c, d x + e y + f), black outside.

    In Pillow's fixed point, 16 bits after the point, from the pixels' centres.

    Args:
        pixels: uint8 (m, C, H, W).
        matrix: float64 (m, 6), as Pillow orders it: a, b, c, d, e, f.
    """
    m, channels, high, wide = pixels.shape
    by_x, by_y, start = matrix.reshape(m, 2, 3).transpose(2, 1, 0)
    fixed = _fixed(np.stack([by_x, by_y, start + by_x * 0.5 + by_y * 0.5]))
    fixed[2] += 1 << 16  # of a picture with a black frame, one pixel wide
    by_x, by_y, start = _sent(fixed.astype(np.int32), pixels)[..., None]
    x, y = (torch.arange(n, dtype=torch.int32, device=pixels.device) for n in (wide, high))
    found = (start + by_y * y)[..., None] + (by_x * x)[:, :, None]
    across, down = found.bitwise_right_shift_(16)
    places = across.clamp_(0, wide + 1).add_(down.clamp_(0, high + 1), alpha=wide + 2)
    framed = pixels.new_zeros(m, channels, high + 2, wide + 2)
    framed[:, :, 1:-1, 1:-1] = pixels
    places = places.view(m, 1, high * wide).expand(m, channels, high * wide)
    return framed.flatten(2).gather(2, places).view(pixels.shape)


def _fixed(values: np.ndarray) -> np.ndarray:
    """In units of 2**-16, int64."""
    return np.floor(np.asarray(values) * 65536.0 + 0.5).astype(np.int64)


def _whole_pixels(fractions: np.ndarray, size: int) -> np.ndarray:
    return np.floor(np.asarray(fractions, float) * size + 0.5).astype(np.int64)


def _sent(values: np.ndarray, pixels: Tensor) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).to(pixels.device, non_blocking=True)
