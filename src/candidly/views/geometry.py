"""Pictures mirrored, moved, cropped, sheared and turned, each of a batch by its own amount.

Every operation takes pixels, uint8 (m, C, H, W), and a NumPy array of one amount for each picture,
and gives new pixels of the same shape where the old ones are. All are equal to Pillow's to the
last bit: what Pillow calculates in floating point is calculated so on the host, the rest on the
device in whole numbers.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

BITS = 22  # after the binary point, of Pillow's weights in resizing


def mirrored(pixels: Tensor, which: np.ndarray) -> Tensor:
    """Left and right exchanged where ``which``, bool (m,)."""
    turned = pixels.clone()
    rows = _sent(np.flatnonzero(which), pixels)
    return turned.index_copy_(0, rows, pixels.index_select(0, rows).flip(-1))


def cropped(pixels: Tensor, top: np.ndarray, left: np.ndarray) -> Tensor:
    """The window of the picture's own size that begins at (top, left); black outside the picture.

    Args:
        pixels: uint8 (m, C, H, W).
        top, left: integers (m,), of any size and sign.
    """
    m, _, high, _ = pixels.shape
    rows = np.asarray(top, np.int64)[:, None] + np.arange(high)
    return _rows_from(pixels, rows, np.broadcast_to(np.asarray(left, np.int64)[:, None], (m, high)))


def translated_x(pixels: Tensor, fractions: np.ndarray) -> Tensor:
    """Moved to the left by fractions of the width, float (m,), to the nearest pixel.

    Pillow's ``transform(size, AFFINE, (1, 0, fraction * width, 0, 1, 0))``.
    """
    moved = _whole(fractions, pixels.shape[3])
    return cropped(pixels, np.zeros_like(moved), moved)


def translated_y(pixels: Tensor, fractions: np.ndarray) -> Tensor:
    """Moved upwards by fractions of the height, float (m,), to the nearest pixel.

    Pillow's ``transform(size, AFFINE, (1, 0, 0, 0, 1, fraction * height))``.
    """
    moved = _whole(fractions, pixels.shape[2])
    return cropped(pixels, moved, np.zeros_like(moved))


def sheared_x(pixels: Tensor, factors: np.ndarray) -> Tensor:
    """Row y moved to the left by ``factors`` times y, float (m,): about the top-left corner.

    Pillow's ``transform(size, AFFINE, (1, factor, 0, 0, 1, 0))``.
    """
    m, _, high, _ = pixels.shape
    step, start = _fixed(factors)[:, None], _fixed(0.5 + np.asarray(factors) * 0.5)[:, None]
    rows = np.arange(high)
    return _rows_from(pixels, np.broadcast_to(rows, (m, high)), (start + rows * step) >> 16)


def sheared_y(pixels: Tensor, factors: np.ndarray) -> Tensor:
    """Column x moved upwards by ``factors`` times x, float (m,): about the top-left corner.

    Pillow's ``transform(size, AFFINE, (1, 0, 0, factor, 1, 0))``.
    """
    matrix = np.zeros((len(factors), 6))
    matrix[:, 0] = matrix[:, 4] = 1
    matrix[:, 3] = factors
    return _affine(pixels, matrix)


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
    pixels: Tensor, top: np.ndarray, left: np.ndarray, high: np.ndarray, wide: np.ndarray
) -> Tensor:
    """A part of each picture, enlarged to the picture's own size by linear interpolation.

    Pillow's ``crop(box).resize(size, BILINEAR)``: columns first, then rows, in fixed point, and
    rounded to whole levels after each. A part never has more rows or columns than the picture, so
    that each new pixel is a mean of two.

    Args:
        pixels: uint8 (m, C, H, W).
        top, left, high, wide: integers (m,); the part lies inside the picture.
    """
    m, channels, rows, columns = pixels.shape
    lines = m * channels * rows
    places, weights = _between(left, wide, columns)
    flat = pixels.reshape(m, channels * rows, columns)
    near, far = _sent(places, pixels)[:, :, None].expand(2, *flat.shape)
    found = _mean(flat.gather(2, near), flat.gather(2, far), _sent(weights[:, :, None], pixels))
    places, weights = _between(top, high, rows)
    first = np.arange(0, lines, rows).reshape(m, channels, 1)
    near, far = _sent((first + places[:, :, None]).reshape(2, lines), pixels)
    flat = found.view(lines, columns)
    pair = (flat.index_select(0, at).view(m, channels, rows, columns) for at in (near, far))
    return _mean(next(pair), next(pair), _sent(weights[:, :, None, :, None], pixels))


def _between(start: np.ndarray, length: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Of which two source pixels each of ``size`` new ones is the mean: places and weights.

    Returns:
        int64 (2, m, size), and int32 (2, m, size) in units of 2**-22.
    """
    start, length = np.asarray(start)[:, None], np.asarray(length)[:, None]
    centre = (np.arange(size) + 0.5) * (length / size)
    first = np.maximum(centre - 0.5, 0).astype(np.int64)
    near = np.stack([first, first + 1])
    weights = np.maximum(1 - np.abs(near - centre + 0.5), 0) * (near < length)
    weights /= weights.sum(0)
    fixed = (weights * 2**BITS + 0.5).astype(np.int32)
    return start + np.minimum(near, length - 1), fixed


def _mean(first: Tensor, second: Tensor, weights: Tensor) -> Tensor:
    """Two pictures' mean under weights of ``BITS`` bits, int32, rounded."""
    total = first * weights[0]
    total.addcmul_(second, weights[1]).add_(1 << BITS - 1)
    return total.bitwise_right_shift_(BITS).to(torch.uint8)


def _rows_from(pixels: Tensor, rows: np.ndarray, left: np.ndarray) -> Tensor:
    """Each picture's row j is its row ``rows[:, j]`` read from column ``left[:, j]`` on.

    One gather of whole rows, which overlap, from pictures with black between them: ten times as
    fast as one of single pixels.

    Args:
        pixels: uint8 (m, C, H, W).
        rows, left: int64 (m, H), of any size and sign; black outside.
    """
    m, channels, high, wide = pixels.shape
    left = left.clip(-wide, wide)
    gap = int(np.abs(left).max(initial=0))
    count, step = m * channels * high, wide + gap
    flat = pixels.new_zeros(gap + count * step + wide)
    flat[gap:-wide].view(m, channels, high, step)[..., :wide] = pixels
    black = gap + count * step
    inside = (rows >= 0) & (rows < high)
    # a channel is as many windows further, a row outside as many as there are to the black end
    first = gap + (np.arange(m)[:, None] * (channels * high) + rows) * step + left
    places = first[:, None] + np.arange(channels)[:, None] * (high * step)
    places = np.where(inside[:, None], places, black)
    windows = flat.as_strided((len(flat) - wide + 1, wide), (1, 1))
    return windows.index_select(0, _sent(places.ravel(), pixels)).view(pixels.shape)


def _affine(pixels: Tensor, matrix: np.ndarray) -> Tensor:
    """New pixel (x, y) is the nearest to (a x + b y + c, d x + e y + f), black outside.

    In Pillow's fixed point, 16 bits after the point, from the pixels' centres.

    Args:
        pixels: uint8 (m, C, H, W).
        matrix: float64 (m, 6), as Pillow orders it: a, b, c, d, e, f.
    """
    m, channels, high, wide = pixels.shape
    matrix = matrix.copy()
    matrix[:, 2] += matrix[:, 0] * 0.5 + matrix[:, 1] * 0.5
    matrix[:, 5] += matrix[:, 3] * 0.5 + matrix[:, 4] * 0.5
    a, b, c, d, e, f = _sent(_fixed(matrix).astype(np.int32).T, pixels)[:, :, None]
    x, y = (torch.arange(n, dtype=torch.int32, device=pixels.device) for n in (wide, high))
    across = (((c + b * y)[:, :, None] + (a * x)[:, None]) >> 16).clamp_(-1, wide)
    down = (((f + e * y)[:, :, None] + (d * x)[:, None]) >> 16).clamp_(-1, high)
    places = (down.add_(1).mul_(wide + 2).add_(across).add_(1)).view(m, 1, high * wide)
    framed = pixels.new_zeros(m, channels, high + 2, wide + 2)
    framed[:, :, 1:-1, 1:-1] = pixels
    found = framed.view(m, channels, -1).gather(2, places.expand(m, channels, high * wide))
    return found.view(pixels.shape)


def _fixed(values: np.ndarray) -> np.ndarray:
    """In units of 2**-16, int64."""
    return np.floor(np.asarray(values) * 65536.0 + 0.5).astype(np.int64)


def _whole(fractions: np.ndarray, size: int) -> np.ndarray:
    return np.floor(np.asarray(fractions, float) * size + 0.5).astype(np.int64)


def _sent(values: np.ndarray, pixels: Tensor) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).to(pixels.device)
