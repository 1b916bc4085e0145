"""Pictures that an encoder sees as nearly the same."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import candidly
from candidly import from_arrays
from candidly.errors.checking import _seen_alike
from candidly.errors.checking._seen_alike import NEARER, TENTH, nearest_pairs

from .test_look_alikes import photo

MIRRORED = '''
import torch
from torch import nn


class Both(nn.Module):
    """Sees a picture and its mirror image alike."""

    side = 32

    def forward(self, x):
        x = x.float().permute(0, 3, 1, 2) / 255
        return nn.functional.avg_pool2d(x + x.flip(3), 4).flatten(1)


def make():
    return Both()
'''


def slow(vectors: np.ndarray) -> list[list[int]]:
    """Pair by pair, in float64, without leaving out a direction."""
    unit = vectors.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    found = set()
    for row, mine in enumerate(unit):
        apart = np.linalg.norm(unit - mine, axis=1)
        apart[row] = np.inf
        order = np.argsort(apart)
        if apart[order[0]] <= NEARER * apart[order[TENTH - 1]]:
            found.add(tuple(sorted((row, int(order[0])))))
    return sorted(map(list, found))


def made(seed: int, n: int, copies: int, width: int = 24) -> np.ndarray:
    """Vectors, the last few of which are nearly the first few."""
    draws = np.random.default_rng(seed)
    first = draws.normal(size=(n, width))
    last = first[:copies] + draws.normal(size=(copies, width)) * draws.uniform(0, 0.8, (copies, 1))
    return np.concatenate([first, last]).astype(np.float32)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60), st.integers(0, 12), st.floats(0.1, 100))
def test_pairs_against_a_slow_comparison(seed, n, copies, scale):
    vectors = made(seed, n, min(copies, n))
    pairs, looked_at = nearest_pairs(vectors * np.float32(scale))
    assert pairs.tolist() == (slow(vectors) if len(vectors) > TENTH else [])
    assert looked_at == len(vectors)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_rows_says_nothing(seed):
    vectors = made(seed, 40, 8)
    order = np.random.default_rng(seed).permutation(len(vectors))
    pairs, _ = nearest_pairs(vectors[order])
    again = {tuple(sorted(pair)) for pair in order[pairs].tolist()}
    assert again == {tuple(pair) for pair in nearest_pairs(vectors)[0].tolist()}


def test_pieces_and_a_sample_of_rows(monkeypatch):
    vectors = made(3, 60, 10)
    whole, _ = nearest_pairs(vectors)
    monkeypatch.setattr(_seen_alike, "BLOCK_BYTES", 4 * 70 * 7)
    told = []
    pieces, _ = nearest_pairs(vectors, watch=lambda done, total: told.append((done, total)))
    assert pieces.tolist() == whole.tolist()
    assert told[-1] == (70, 70)
    assert len(told) == 10
    some, looked_at = nearest_pairs(vectors, budget=35 * 70 * 24)
    assert looked_at == 35
    assert 0 < len(some) <= len(whole)
    assert {tuple(pair) for pair in some.tolist()} <= {tuple(pair) for pair in whole.tolist()}


def test_wide_vectors_keep_the_directions_in_which_they_differ():
    """Of 300 numbers those that hardly vary are left out; the pairs are the same."""
    draws = np.random.default_rng(5)
    vectors = np.concatenate([made(5, 60, 10, 40), draws.normal(0, 1e-3, (70, 260))], 1)
    assert nearest_pairs(vectors.astype(np.float32))[0].tolist() == slow(vectors)


def test_a_vector_of_zeros_and_what_is_there_twelve_times():
    vectors = made(1, 40, 0)
    vectors[3] = 0
    assert nearest_pairs(vectors)[1] == 40
    twelve = np.concatenate([vectors[4:], vectors[:1].repeat(12, 0)])
    assert not set(range(36, 48)) & set(nearest_pairs(twelve)[0].ravel().tolist())
    assert not len(nearest_pairs(np.ones((40, 24), np.float32))[0])  # an encoder that sees nothing


def test_check_names_mirrored_pictures_and_those_with_two_labels(tmp_path):
    own = tmp_path / "mirrored.py"
    own.write_text(MIRRORED)
    photos = tmp_path / "photos"
    for k in range(40):
        folder = photos / ("cat" if k % 2 else "dog")
        folder.mkdir(parents=True, exist_ok=True)
        image = Image.fromarray(photo(k, 64))
        image.save(folder / f"{k:02}.png")
        if k < 5:
            other = photos / ("dog" if k in (1, 3) else folder.name)
            image.transpose(Image.Transpose.FLIP_LEFT_RIGHT).save(other / f"{k:02}-mirrored.png")
        if k == 5:
            image.save(folder / f"{k:02}-again.png", optimize=True)
    with pytest.warns(UserWarning, match="nearly the same to") as told:
        found = candidly.check(photos, classifier="logistic", encoder=f"{own}:make")
    ids = found.data.ids
    pairs = [{str(ids[row])[4:6] for row in pair} for pair in found.seen_alike.pairs]
    assert sorted(next(iter(pair)) for pair in pairs) == ["00", "01", "02", "03", "04"]
    assert all(len(pair) == 1 for pair in pairs)
    apart = {str(ids[rows[0]])[4:6] for rows in found.seen_alike.apart}
    assert apart == {"01", "03"}
    said = [str(one.message) for one in told]
    assert any("2 pairs of pictures are nearly the same" in one for one in said)
    assert any("5 pairs of pictures are nearly the same" in one for one in said)
    assert [len(rows) for rows in found.alike.groups] == [2]  # by pixels, told there
    lines = found.seen_alike.grid().text().split("\n")
    marked = [k for k, line in enumerate(lines) if "cat, dog" in line or "dog, cat" in line]
    of_pairs = [k for k, line in enumerate(lines) if "-mirrored" in line]
    assert marked == of_pairs[:2]
    assert "sees as nearly the same" in found.document().page()
    assert len(json.loads(json.dumps(found.as_dict(3)))["seen alike"]) == 5
    assert found.judged.vectors is None


def test_without_an_encoder_nothing_is_said():
    data = from_arrays(np.stack([photo(k, 32) for k in range(30)]), np.arange(30) % 2)
    found = candidly.check(data, classifier="logistic", encoder="own")
    assert found.seen_alike is None
