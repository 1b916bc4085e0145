"""Simple learned features of small images: whitened patches, k-means, soft activations, pooling.

Source: Coates, Ng & Lee, An analysis of single-layer networks in unsupervised feature learning,
AISTATS 2011 ("K-means, triangle"), reduced by principal components. No label is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

SIDE = 6  # of a patch
PATCHES = 100_000
CENTRES = 256
COMPONENTS = 256
AT_ONCE = 200  # images


def features_of(
    images: np.ndarray,
    *,
    centres: int = CENTRES,
    components: int = COMPONENTS,
    seed: int = 0,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> np.ndarray:
    """Features float32 (n, components) of images uint8 (n, h, w, 3)."""
    from sklearn.cluster import MiniBatchKMeans

    rng = np.random.default_rng(seed)
    some = normalised(random_patches(images, PATCHES, rng))
    mean, whiten = whitening(some)
    model = MiniBatchKMeans(centres, random_state=seed, n_init=1, batch_size=4096, max_iter=20)
    codes = model.fit((some - mean) @ whiten).cluster_centers_.astype(np.float32)
    pooled = np.empty((len(images), 4 * centres), np.float32)
    for start in range(0, len(images), AT_ONCE):
        here = slice(start, start + AT_ONCE)
        pooled[here] = [pool(activations(i, mean, whiten, codes)) for i in images[here]]
        watch(min(start + AT_ONCE, len(images)), len(images))
    return principal(pooled, components)


def random_patches(images: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """float32 (count, SIDE * SIDE * 3)."""
    n, height, width, _ = images.shape
    rows = rng.integers(0, n, count)
    tops, lefts = (
        rng.integers(0, height - SIDE + 1, count),
        rng.integers(0, width - SIDE + 1, count),
    )
    patches = [images[i, t : t + SIDE, x : x + SIDE] for i, t, x in zip(rows, tops, lefts)]
    return np.stack(patches).reshape(count, -1).astype(np.float32)


def patches_of(image: np.ndarray) -> np.ndarray:
    """Every patch of an image: float32 (h - SIDE + 1, w - SIDE + 1, SIDE * SIDE * 3)."""
    windows = np.lib.stride_tricks.sliding_window_view(image, (SIDE, SIDE), axis=(0, 1))
    return windows.transpose(0, 1, 3, 4, 2).reshape(*windows.shape[:2], -1).astype(np.float32)


def normalised(patches: np.ndarray) -> np.ndarray:
    """Each patch less its mean, over its deviation."""
    centred = patches - patches.mean(-1, keepdims=True)
    return centred / np.sqrt(centred.var(-1, keepdims=True) + 10)


def whitening(patches: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and the matrix that makes the covariance nearly the identity (ZCA)."""
    mean = patches.mean(0)
    values, vectors = np.linalg.eigh(np.cov((patches - mean).T))
    return mean, ((vectors / np.sqrt(values + 0.1)) @ vectors.T).astype(np.float32)


def activations(
    image: np.ndarray, mean: np.ndarray, whiten: np.ndarray, codes: np.ndarray
) -> np.ndarray:
    """max(0, mean distance - distance) to every centre: (h', w', centres)."""
    patches = (normalised(patches_of(image)) - mean) @ whiten
    square = (patches**2).sum(-1, keepdims=True) + (codes**2).sum(1) - 2 * patches @ codes.T
    distance = np.sqrt(np.maximum(square, 0))
    return np.maximum(distance.mean(-1, keepdims=True) - distance, 0)


def pool(maps: np.ndarray) -> np.ndarray:
    """Sums over the four quarters: (4 * centres,)."""
    half = maps.shape[0] // 2, maps.shape[1] // 2
    return np.concatenate([part.sum((0, 1)) for part in _quarters(maps, *half)])


def _quarters(maps: np.ndarray, row: int, column: int) -> Iterator[np.ndarray]:
    for rows in (slice(0, row), slice(row, None)):
        for columns in (slice(0, column), slice(column, None)):
            yield maps[rows, columns]


def principal(table: np.ndarray, components: int) -> np.ndarray:
    """Standardised columns, projected on their first principal components: float32."""
    spread = table.std(0)
    table = (table - table.mean(0)) / np.where(spread > 0, spread, 1)
    _, vectors = np.linalg.eigh(table.T @ table)
    return (table @ vectors[:, ::-1][:, :components]).astype(np.float32)
