"""Near copies of pictures, and pictures of one colour."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.ndimage import gaussian_filter

import candidly
from candidly import from_arrays
from candidly.errors.checking import _look_alikes
from candidly.errors.checking._look_alikes import CELLS, NEAR, look_alikes


def photo(seed: int, side: int = 64) -> np.ndarray:
    """A picture with large and small shapes in colour, as photographs have."""
    noise = np.random.default_rng(seed).normal(size=(side, side, 3))
    found = sum(gaussian_filter(noise, (s, s, 0)) * s for s in (2, 6, 12))
    low, high = found.min(), found.max()
    return ((found - low) / (high - low) * 255).astype(np.uint8)


def slow(images: np.ndarray) -> set[frozenset[int]]:
    """Groups of pictures, pair by pair."""
    cells = []
    for image in images:
        grey = image[..., :3] @ np.array([0.299, 0.587, 0.114])
        size = len(grey) // CELLS
        cells.append(grey.reshape(CELLS, size, CELLS, size).mean((1, 3)))
    groups = [{k} for k in range(len(images))]
    for i in range(len(images)):
        for j in range(i):
            if np.abs(cells[i] - cells[j]).max() <= NEAR:
                a, b = (next(g for g in groups if k in g) for k in (i, j))
                if a is not b:
                    groups.remove(b)
                    a |= b
    return {frozenset(g) for g in groups if len(g) > 1}


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(-12, 12), st.sampled_from([0, 0, 40])),
        min_size=2,
        max_size=14,
    )
)
def test_groups_against_a_slow_comparison(made):
    """The same picture a little lighter is near, and one with a spot is not."""
    made_so = []
    for k, light, spot in made:
        image = photo(k, 32) * 0.8 + 25 + light
        image[8:10, 8:10] += spot
        made_so.append(np.clip(image, 0, 255).astype(np.uint8))
    images = np.stack(made_so)
    data = from_arrays(images, np.arange(len(made)) % 2, classes=["a", "b"])
    found = look_alikes(data)
    assert {frozenset(rows.tolist()) for rows in found.groups} == slow(images)
    assert all((np.diff(rows) > 0).all() for rows in found.groups)
    labels = [{k % 2 for k in rows.tolist()} for rows in found.groups]
    assert len(found.apart) == sum(len(these) > 1 for these in labels)


def test_what_was_saved_again_is_found_and_nothing_else(tmp_path):
    """Smaller, in another format, in grey and compressed: the pictures of a folder."""
    ways = {
        "small.png": lambda image: image.resize((48, 48), Image.Resampling.LANCZOS),
        "again.jpg": lambda image: image,
        "grey.png": lambda image: image.convert("L"),
    }
    for k in range(40):
        folder = tmp_path / ("cat" if k % 2 else "dog")
        folder.mkdir(exist_ok=True)
        image = Image.fromarray(photo(k, 96))
        image.save(folder / f"{k:02}.png")
        if k < 6:
            name, make = list(ways.items())[k % 3]
            other = tmp_path / ("dog" if k in (1, 3) else folder.name)
            other.mkdir(exist_ok=True)
            make(image).save(other / f"{k:02}-{name}")
    Image.new("RGB", (90, 90), (200, 10, 10)).save(tmp_path / "cat" / "red.png")
    Image.new("RGB", (90, 90), (10, 200, 10)).save(tmp_path / "dog" / "green.png")
    with pytest.warns(UserWarning, match="their groups have different labels") as told:
        found = candidly.check(tmp_path, classifier="logistic")
    ids = found.data.ids
    groups = {frozenset(str(ids[row])[4:6] for row in rows) for rows in found.alike.groups}
    assert groups == {frozenset([f"{k:02}"]) for k in range(6)}
    assert {str(ids[row]) for row in found.alike.plain} == {"cat/red.png", "dog/green.png"}
    apart = {str(ids[rows[0]])[4:6] for rows in found.alike.apart}
    assert apart == {"01", "03"}
    said = " ".join(str(one.message) for one in told)
    assert "12 pictures are near copies of another one, in 6 groups" in said
    assert "2 pictures are of one colour" in said
    assert "01-" in found.alike.grid().text()
    page = found.document().render("html", 100)
    assert "<h2>Near copies</h2>" in found.document().page()
    assert "near copies" in page


def test_of_other_data_and_of_tiny_pictures_nothing_is_said():
    labels = ["a", "b", "a", "b"]
    assert look_alikes(from_arrays(np.zeros((4, 3)), labels)) is None
    assert look_alikes(from_arrays(np.array(["one two"] * 4, object), labels)) is None
    assert look_alikes(from_arrays(np.zeros((4, 8, 8), np.uint8), labels)) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert look_alikes(candidly.load("digits")) is None


def test_of_a_film_the_first_pairs_are_compared_and_it_is_said(monkeypatch):
    images = np.stack([photo(k // 20, 32) for k in range(60)])  # three scenes of twenty pictures
    data = from_arrays(images, np.zeros(60, int), classes=["a", "b"])
    whole = look_alikes(data)
    assert whole.whole
    assert [len(rows) for rows in whole.groups] == [20, 20, 20]
    assert whole.sentences()[0].startswith("60 pictures are near copies")
    monkeypatch.setattr(_look_alikes, "ROWS", 10)
    monkeypatch.setattr(_look_alikes, "MOST_PAIRS", 200)
    some = look_alikes(data)
    assert not some.whole
    assert [len(rows) for rows in some.groups] == [20]
    assert some.sentences()[0].startswith("At least 20 pictures are near copies")
