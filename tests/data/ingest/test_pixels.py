"""Files of pictures as pixels of one size, from real files of every odd kind."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from candidly.data.ingest.media import decoded_pictures

G = np.random.default_rng(0)


def save(path, pixels, mode=None, **how):
    image = Image.fromarray(pixels)
    (image if mode is None else image.convert(mode)).save(path, **how)
    return path


def colour(high=6, wide=8):
    return G.integers(0, 256, (high, wide, 3), dtype=np.uint8)


@pytest.fixture
def two(tmp_path):
    pixels = [colour(), colour()]
    return [save(tmp_path / f"{k}.png", each) for k, each in enumerate(pixels)], pixels


def test_pixels_come_back_in_order_with_progress(two):
    files, pixels = two
    told = []
    found = decoded_pictures(files[::-1], watch=lambda done, total: told.append((done, total)))
    assert found.dtype == np.uint8
    assert np.array_equal(found, np.stack(pixels[::-1]))
    assert told == [(2, 2), (2, 2)]


def test_grey_pictures_alone_have_one_channel(tmp_path):
    pixels = [G.integers(0, 256, (5, 4), dtype=np.uint8) for _ in range(2)]
    files = [save(tmp_path / f"{k}.png", each) for k, each in enumerate(pixels)]
    assert np.array_equal(decoded_pictures(files)[..., 0], np.stack(pixels))


def test_grey_among_colour_is_made_colour_and_counted(tmp_path, two):
    files, pixels = two
    grey = G.integers(0, 256, (6, 8), dtype=np.uint8)
    more = save(tmp_path / "grey.png", grey)
    with pytest.warns(UserWarning, match=r"1 of 3 pictures are grey, among them .*grey\.png"):
        found = decoded_pictures([*files, more])
    assert np.array_equal(found[2], np.repeat(grey[..., None], 3, 2))
    assert np.array_equal(found[:2], np.stack(pixels))


def test_several_sizes_are_refused_by_name_unless_one_is_given(tmp_path, two):
    files, pixels = two
    odd = save(tmp_path / "odd.png", np.full((12, 4, 3), 90, np.uint8))
    with pytest.raises(ValueError, match=r"odd\.png has 4 x 12 pixels, and .*0\.png has 8 x 6"):
        decoded_pictures([*files, odd])
    with pytest.raises(ValueError, match=r"size=\(6, 8\)"):
        decoded_pictures([*files, odd])
    found = decoded_pictures([*files, odd], size=(6, 8))
    assert np.array_equal(found[0], pixels[0])
    assert (found[2] == 90).all()
    assert decoded_pictures(files, size=(3, 5)).shape == (2, 3, 5, 3)


def test_cmyk_palettes_and_transparency_become_red_green_and_blue(tmp_path):
    red = np.tile(np.array([200, 30, 40], np.uint8), (6, 8, 1))
    files = [
        save(tmp_path / "cmyk.jpg", red, "CMYK", quality=95),
        tmp_path / "palette.png",
        save(tmp_path / "alpha.png", np.dstack([red, np.full((6, 8), 10, np.uint8)])),
        save(tmp_path / "cmyk.tif", red, "CMYK"),
    ]
    Image.fromarray(red).quantize(4).save(files[1])
    found = decoded_pictures(files).astype(int)
    assert found.shape == (4, 6, 8, 3)
    assert np.abs(found[0] - red).max() < 12  # of JPEG
    assert np.array_equal(found[1:], np.stack([red] * 3))


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_sixteen_bits_are_scaled_to_eight(tmp_path, ending):
    deep = np.array([[0, 128, 129, 257, 32896, 65535]], np.uint16)
    found = decoded_pictures([save(tmp_path / f"deep.{ending}", deep)])
    assert found.ravel().tolist() == (deep / 257).round().astype(int).ravel().tolist()
    assert found.max() == 255


def test_more_than_sixteen_bits_are_refused(tmp_path):
    file = save(tmp_path / "deeper.tif", np.array([[0, 70000]], np.int32))
    with pytest.raises(ValueError, match=r"deeper\.tif has pixels from 0 to 70000"):
        decoded_pictures([file])


@pytest.mark.parametrize("ending", ["png", "jpg"])
def test_a_truncated_file_is_refused_by_name(tmp_path, two, ending):
    whole = save(tmp_path / f"whole.{ending}", colour(60, 80))
    cut = tmp_path / f"cut.{ending}"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(ValueError, match=rf"cut\.{ending} cannot be"):
        decoded_pictures([cut])


def test_of_moving_pictures_the_first_is_taken_with_a_warning(tmp_path):
    frames = [Image.fromarray(np.full((6, 8, 3), level, np.uint8)) for level in (0, 255)]
    file = tmp_path / "moving.gif"
    frames[0].save(file, save_all=True, append_images=frames[1:])
    with pytest.warns(UserWarning, match=r"1 of 1 files hold several pictures.*moving\.gif"):
        found = decoded_pictures([file])
    assert not found.any()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_upright(tmp_path, orientation):
    """Against the definition of EXIF: where the stored row 0 and column 0 are on the picture."""
    pixels = colour(6, 8)
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = save(tmp_path / "turned.png", pixels, exif=exif.tobytes())
    upright = {
        1: pixels,
        2: pixels[:, ::-1],
        3: pixels[::-1, ::-1],
        4: pixels[::-1],
        5: pixels.transpose(1, 0, 2),
        6: pixels.transpose(1, 0, 2)[:, ::-1],
        7: pixels.transpose(1, 0, 2)[::-1, ::-1],
        8: pixels.transpose(1, 0, 2)[::-1],
    }[orientation]
    assert np.array_equal(decoded_pictures([file])[0], upright)


def test_turned_and_upright_pictures_of_one_shown_size_go_together(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    files = [
        save(tmp_path / "turned.jpg", colour(6, 8), exif=exif.tobytes()),
        save(tmp_path / "upright.jpg", colour(8, 6)),
    ]
    assert decoded_pictures(files).shape == (2, 8, 6, 3)


@pytest.mark.parametrize("address", ["https://x.org/a.png", "s3://bucket/a.png", "http:/x.org/a"])
def test_addresses_are_refused_without_asking_the_network(two, address):
    with pytest.raises(ValueError, match=r"row 2 is .*an address.*Download"):
        decoded_pictures([*two[0], address])


def test_what_is_no_picture_is_refused_by_name(tmp_path, two):
    text = tmp_path / "page.png"
    text.write_text("<html>")
    with pytest.raises(ValueError, match=r"page\.png cannot be read as a picture"):
        decoded_pictures([*two[0], text])
    with pytest.raises(ValueError, match="no pictures"):
        decoded_pictures([])
