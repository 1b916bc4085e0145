"""Pictures as a few hundred numbers each: in which directions they change, where, and how bright.

Nothing is learned, and nothing is downloaded: a picture's numbers depend on it alone.
"""

from __future__ import annotations

import numpy as np

from ...ground.progress import OnProgress

SIDE = 32  # pixels; larger pictures are made as small before
ORIENTATIONS = 8  # of 180 degrees
GRID = 7  # cells on a side, for directions
COLOUR_GRID = 4  # cells on a side, for brightness or colour
GREY = np.array([0.299, 0.587, 0.114], np.float32)  # ITU-R BT.601
CHUNK = 512  # pictures at a time, to stay in the cache


def descriptors(images: np.ndarray, watch: OnProgress | None = None) -> np.ndarray:
    """Histograms of oriented gradients in 7 x 7 cells, and mean brightness or colour in 4 x 4.

    Pictures with a longer side than 32 pixels are made smaller. A gradient's length is shared
    between the two nearest of 8 directions and four cells; each cell's histogram is divided by the
    length of its own and its neighbours', and of the quotients the square root is taken, so that
    neither light nor contrast counts.

    Args:
        images: uint8 (n, h, w) or (n, h, w, c), with 1, 3 or 4 channels; of 4 the last, which is
            transparency, is left out.
        watch: called with pictures done and in all.

    Returns:
        float32 (n, d), in [0, 1]; d is 408 for grey pictures and 440 for those in colour.

    Source: Dalal & Triggs, "Histograms of oriented gradients for human detection", CVPR 2005, with
    cells normalised over 3 x 3 of them and not by blocks, which would make four times as many
    numbers.
    """
    n = len(images)
    found = [np.zeros((0, _width(images)), np.float32)]
    for start in range(0, n, CHUNK):
        some = _small(images[start : start + CHUNK])
        found.append(
            np.concatenate(
                [
                    _directions(some.mean(-1) if some.shape[-1] == 1 else some @ GREY),
                    _colours(some),
                ],
                1,
            )
        )
        if watch is not None:
            watch(min(start + CHUNK, n), n)
    return np.concatenate(found)


def _width(images: np.ndarray) -> int:
    channels = 1 if images.ndim == 3 or images.shape[3] == 1 else 3
    return ORIENTATIONS * GRID**2 + channels * COLOUR_GRID**2


def _small(images: np.ndarray) -> np.ndarray:
    """float32 (n, h, w, 1 or 3) in [0, 1], of at most 32 pixels on a side: means of pixels."""
    found = (images[..., None] if images.ndim == 3 else images[..., :3]).astype(np.float32) / 255
    high, wide = found.shape[1:3]
    if max(high, wide) > SIDE:
        found = np.einsum("hy,nyxc->nhxc", _means(high), found, optimize=True)
        found = np.einsum("wx,nhxc->nhwc", _means(wide), found, optimize=True)
    return found


def _means(length: int) -> np.ndarray:
    """(SIDE, length) weights: each of the new pixels is the mean of what it covers."""
    ends = np.linspace(0, length, min(SIDE, length) + 1)
    low, high = ends[:-1, None], ends[1:, None]
    pixel = np.arange(length)
    covered = np.clip(np.minimum(high, pixel + 1) - np.maximum(low, pixel), 0, None)
    return (covered / covered.sum(1, keepdims=True)).astype(np.float32)


def _directions(grey: np.ndarray) -> np.ndarray:
    """Histograms of directions, (n, h, w) -> (n, 8 * 7 * 7)."""
    n, high, wide = grey.shape
    padded = np.pad(grey, ((0, 0), (1, 1), (1, 1)), mode="edge")
    dx = padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2]
    dy = padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]
    length = np.hypot(dx, dy)
    at = np.arctan2(dy, dx) * (ORIENTATIONS / np.pi) % ORIENTATIONS
    low = at.astype(np.int64) % ORIENTATIONS
    share = (at - np.floor(at)).astype(np.float32)
    spread = np.zeros((n, high, wide, ORIENTATIONS), np.float32)
    flat = spread.reshape(-1, ORIENTATIONS)
    pixel = np.arange(len(flat))
    flat[pixel, low.ravel()] = (length * (1 - share)).ravel()
    flat[pixel, (low.ravel() + 1) % ORIENTATIONS] += (length * share).ravel()
    rows, columns = _cells(high, GRID), _cells(wide, GRID)
    cells = rows @ spread.reshape(n, high, -1)
    cells = cells.reshape(n, GRID, wide, ORIENTATIONS).transpose(0, 2, 1, 3)
    cells = (columns @ cells.reshape(n, wide, -1)).reshape(n, GRID, GRID, ORIENTATIONS)
    cells = cells.transpose(0, 2, 1, 3)  # rows first
    energy = np.pad((cells**2).sum(-1), ((0, 0), (1, 1), (1, 1)))
    near = sum(energy[:, y : y + GRID, x : x + GRID] for y in range(3) for x in range(3))
    return np.sqrt(cells / (np.sqrt(near)[..., None] + 1e-2)).reshape(n, -1)


def _cells(length: int, cells: int) -> np.ndarray:
    """(cells, length) weights: each pixel is shared between the two nearest centres of cells."""
    place = (np.arange(length) + 0.5) * cells / length - 0.5
    return np.maximum(0, 1 - np.abs(place - np.arange(cells)[:, None])).astype(np.float32)


def _colours(pictures: np.ndarray) -> np.ndarray:
    n, high, wide = pictures.shape[:3]
    rows, columns = _cells(high, COLOUR_GRID), _cells(wide, COLOUR_GRID)
    rows, columns = rows / rows.sum(1, keepdims=True), columns / columns.sum(1, keepdims=True)
    return np.einsum("ay,bx,nyxc->nabc", rows, columns, pictures, optimize=True).reshape(n, -1)
