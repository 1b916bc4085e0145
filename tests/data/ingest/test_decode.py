"""The one decoder: what is in a file, and that everybody who looks is shown the same."""

from __future__ import annotations

import base64
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from candidly.data.ingest.contact_sheet import SIDE, SheetPicture, SheetRow, draw_sheet
from candidly.data.ingest.media import decoded, header_of, open_media, pixels_of
from candidly.data.ingest.previews import preview_of
from candidly.data.labels.building import from_arrays
from candidly.data.sources.pictures import decoded as decoded_rows
from candidly.errors.crossval._duplicates import near_copies
from candidly.people import review
from candidly.people.web._looks import look_in
from odd_pictures import ODD, colour, exif, upright


def in_colour(pixels):
    return pixels if pixels.ndim == 3 else np.repeat(pixels[..., None], 3, 2)


@pytest.mark.parametrize("name", ODD)
def test_every_odd_kind_becomes_the_pixels_that_are_stated(tmp_path, name):
    expected = ODD[name](tmp_path / name)
    found = pixels_of(tmp_path / name)
    assert found.dtype == np.uint8
    # a moving GIF has a palette, of greys here
    assert np.array_equal(in_colour(found), in_colour(expected))
    assert np.array_equal(pixels_of((tmp_path / name).read_bytes()), found)
    assert np.array_equal(pixels_of(tmp_path / name, colour=True), in_colour(expected))
    assert pixels_of(tmp_path / name, colour=False).shape == expected.shape[:2]
    head = header_of(tmp_path / name)
    assert (head.high, head.wide) == expected.shape[:2]


@pytest.mark.parametrize("name", ODD)
def test_everybody_is_shown_the_same(tmp_path, name):
    """A page, a reviewer, a contact sheet, a classifier, and a table of published pictures."""
    place = tmp_path / "in"
    place.mkdir()
    expected = in_colour(ODD[name](place / name))
    high, wide = expected.shape[:2]
    seen = open_media(place, 1)(0)

    page = preview_of(seen).uri.split(",", 1)[1]
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(page))).convert("RGB"))
    assert np.array_equal(shown, expected)

    asked = review.looks_of_files(place, tmp_path / "out", 1)(0)
    copy = tmp_path / "out" / asked.payload
    assert np.array_equal(in_colour(pixels_of(copy)), expected)
    assert header_of(copy).plain  # whatever draws it draws these pixels
    look = look_in(tmp_path / "out", asked, "/")
    assert look.width * high == look.height * wide

    draw_sheet(tmp_path / "s.png", "t", "n", [SheetRow("a", 1, (SheetPicture(place / name),))])
    sheet = np.asarray(Image.open(tmp_path / "s.png").convert("RGB"))
    times = SIDE // max(high, wide)
    large = expected.repeat(times, 0).repeat(times, 1)
    windows = np.lib.stride_tricks.sliding_window_view(sheet, (*large.shape[:2], 3))[:, :, 0]
    assert (windows[:, :, 0, 0] == large[0, 0]).all(-1).any()
    corners = windows[:, :, ::times, ::times]
    assert (corners == expected).all((2, 3, 4)).any()

    square = Image.fromarray(expected).resize((4, 4), Image.Resampling.BOX)
    assert np.array_equal(decoded([place / name], 4)[0], np.asarray(square))

    rows = decoded_rows(place, [(place / name).read_bytes()], "RGB", lambda done, total: None)
    assert np.array_equal(rows[0], expected)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photo_of_a_phone_is_upright_for_the_classifier_and_on_the_page(tmp_path, orientation):
    """A JPEG, which is decoded smaller than it is; reviewers get it upright."""
    photo = np.zeros((300, 400, 3), np.uint8)
    photo[:150] = [220, 30, 30]
    photo[:, :200, 2] = 250
    Image.fromarray(photo).save(tmp_path / "0.jpg", exif=exif(orientation), quality=95)
    wanted = upright(photo, orientation)
    small = Image.fromarray(wanted).resize((32, 32), Image.Resampling.BOX)
    found = decoded([tmp_path / "0.jpg"], 32)[0]
    middle = np.abs(found.astype(int) - np.asarray(small).astype(int)).mean()
    assert middle < 3
    asked = review.looks_of_files(tmp_path, tmp_path / "out", 1)(0)
    shown = pixels_of(tmp_path / "out" / asked.payload)
    assert np.abs(shown.astype(int) - wanted).mean() < 1
    assert not header_of(tmp_path / "out" / asked.payload).turned
    look = look_in(tmp_path / "out", asked, "/")
    assert (look.height, look.width) == wanted.shape[:2]


def test_a_copy_that_was_turned_and_written_again_is_found_in_another_fold(tmp_path):
    files = []
    for k in range(40):
        picture = Image.fromarray(colour(k, 6, 8)).resize((320, 240), Image.Resampling.BICUBIC)
        picture.save(tmp_path / f"{k}.png")
        files.append(tmp_path / f"{k}.png")
    picture.transpose(Image.Transpose.ROTATE_90).save(
        tmp_path / "copy.jpg", exif=exif(6), quality=95
    )
    data = from_arrays([*files, tmp_path / "copy.jpg"], np.arange(41) % 2)
    found = near_copies(data, np.arange(41) % 3, 0)
    assert found.rows.tolist() == [39, 40]
    assert len(near_copies(data, np.zeros(41, int), 0).rows) == 0


def written(kind):
    """Bytes of a small whole picture."""
    file = io.BytesIO()
    Image.fromarray(colour(3, 40, 30)).save(file, kind)
    return file.getvalue()


WHOLE = {kind: written(kind) for kind in ("png", "jpeg", "gif", "bmp", "webp", "tiff")}


def read(place, content):
    """The pixels, or None where the file is refused by name."""
    file = place / "p.png"
    file.write_bytes(content)
    try:
        return pixels_of(file)
    except ValueError as error:
        told = str(error)
    assert str(file) in told
    return None


@pytest.mark.parametrize("kind", WHOLE)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_a_file_that_is_cut_off_is_refused_by_name_or_whole(tmp_path_factory, kind, data):
    place = tmp_path_factory.getbasetemp()
    whole = WHOLE[kind]
    cut = data.draw(st.integers(0, len(whole) - 1))
    found = read(place, whole[:cut])
    if found is not None:  # what was cut off is behind the picture
        assert np.array_equal(found, pixels_of(whole))
        assert len(whole) - cut < 30


@pytest.mark.parametrize("kind", WHOLE)
@settings(deadline=None, max_examples=60)
@given(changes=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1))
def test_whatever_is_in_a_file_it_is_a_picture_or_refused_by_name(tmp_path_factory, kind, changes):
    content = bytearray(WHOLE[kind])
    for place, byte in changes:
        content[int(place * place * len(content))] = byte  # more of them in the head
    found = read(tmp_path_factory.getbasetemp(), bytes(content))
    assert found is None or found.dtype == np.uint8


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(width=32) | st.floats(0, 1, width=32), min_size=1, max_size=30),
    st.booleans(),
)
def test_floats_keep_their_order(values, whole):
    array = np.array([values], np.float32)
    if whole:
        array = np.clip(np.nan_to_num(array), -1e9, 1e9).astype(np.int32)
    file = io.BytesIO()
    Image.fromarray(array).save(file, "tiff")
    found = pixels_of(file.getvalue())[0].astype(int)
    there = np.isfinite(array[0])
    order = np.argsort(array[0][there], kind="stable")
    assert (np.diff(found[there][order]) >= 0).all()
    assert not found[~there].any()
    low, high = (array[0][there].min(), array[0][there].max()) if there.any() else (0, 0)
    if whole or low < 0 or high > 1:
        assert set(found[there]) >= ({0, 255} if low < high else {0})
    else:
        assert np.array_equal(found[there], np.rint(255 * array[0][there].astype(float)))


def test_colours_that_nothing_here_converts_are_refused_by_name(tmp_path):
    Image.new("LAB", (4, 4)).save(tmp_path / "lab.tif")
    with pytest.raises(ValueError, match=r"lab\.tif has its colours as LAB.*red, green and blue"):
        pixels_of(tmp_path / "lab.tif")


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked(tmp_path):
    def chunk(kind, body):
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    head = struct.pack(">IIBBBBB", 9000, 9000, 1, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    (tmp_path / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    with pytest.raises(ValueError, match=r"bomb\.png has 9,000 x 9,000 pixels"):
        pixels_of(tmp_path / "bomb.png")
