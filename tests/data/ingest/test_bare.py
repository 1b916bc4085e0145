"""What leaves of a picture or a sound: what is seen or heard, and nothing else."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from candidly.data.ingest.media import bare, checked_file, header_of, pixels_of
from candidly.data.ingest.media._bare_sounds import _checked, _sum_of
from telling_files import FRAME, PICTURES, SECRET, SOUND, SOUNDS, XMP, jpeg, pixels, told_by

# what browsers draw as the decoder does keeps its own data; the others are written anew
KEPT = ("plain.jpg", "grey.jpg", "progressive.jpg", "plain.png", "palette.png", "grey.png",
        "bits.png", "plain.webp", "lossless.webp")  # fmt: skip
NEW_JPEG = tuple(name for name in PICTURES if name.startswith("turned-"))


SAYS_NOTHING = {
    *("jfif", "jfif_version", "jfif_unit", "jfif_density", "dpi", "adobe", "adobe_transform"),
    *("progressive", "progression", "loop", "timestamp", "duration", "background"),
}


@pytest.fixture(params=PICTURES)
def picture(request, tmp_path):
    path = tmp_path / request.param
    PICTURES[request.param](path)
    assert told_by(path.read_bytes())
    return path


def test_nothing_is_told_and_the_picture_is_the_same(picture, tmp_path):
    content, format = bare(picture)
    assert told_by(content) == []
    assert b"Exif" not in content
    assert b"ICC" not in content
    out = tmp_path / f"out{format.ending}"
    out.write_bytes(content)
    before, after = pixels_of(picture), pixels_of(out)
    if picture.name in NEW_JPEG:
        assert after.shape == before.shape
        assert np.abs(after.astype(int) - before).mean() < 1
    else:
        np.testing.assert_array_equal(after, before)
    head = header_of(out)
    assert (head.plain, head.turned) == (True, False)  # so that browsers draw it as it is
    assert (head.wide, head.high) == (header_of(picture).wide, header_of(picture).high)


def test_what_leaves_holds_nothing_that_could_be_taken_away(picture, tmp_path):
    content, format = bare(picture)
    (tmp_path / f"out{format.ending}").write_bytes(content)
    again, same = bare(tmp_path / f"out{format.ending}")
    assert (again == content, same) == (True, format)
    with Image.open(io.BytesIO(content)) as opened:
        opened.load()
        assert set(opened.info) <= SAYS_NOTHING


def test_data_are_kept_bit_by_bit_where_they_can_be(picture):
    content, format = bare(picture)
    kept = format.ending == picture.suffix and len(content) < len(picture.read_bytes())
    if picture.name in KEPT:
        assert kept
        tail = content[-200:-12]  # of the data of the picture itself
        assert picture.name.endswith(".png") or tail in picture.read_bytes()
    elif picture.name in NEW_JPEG:
        assert format.ending == ".jpg"
    else:
        assert format.ending == ".png"


def test_a_jpeg_in_which_something_else_stands_is_written_anew(tmp_path):
    jpeg(tmp_path / "whole.jpg")
    whole = (tmp_path / "whole.jpg").read_bytes()
    start = whole.index(b"\xff\xdb")
    odd = tmp_path / "odd.jpg"
    odd.write_bytes(whole[:start] + SECRET.encode() + whole[start:])
    try:
        before = pixels_of(odd)
    except ValueError:
        pytest.skip("this decoder does not read it")
    content, _ = bare(odd)
    assert told_by(content) == []
    odd.write_bytes(content)
    assert np.abs(pixels_of(odd).astype(int) - before).mean() < 2


def test_a_jpeg_without_an_end_takes_nothing_along(tmp_path):
    file = io.BytesIO()
    Image.fromarray(pixels()).save(file, "JPEG")
    path = tmp_path / "cut.jpg"
    path.write_bytes(file.getvalue()[:-2] + SECRET.encode())
    try:
        pixels_of(path)
    except ValueError:
        with pytest.raises(ValueError, match=r"cut\.jpg"):
            bare(path)
    else:
        assert told_by(bare(path)[0]) == []


@pytest.mark.parametrize("kind", SOUNDS)
def test_sounds_are_what_is_heard(kind, tmp_path):
    path = tmp_path / kind
    SOUNDS[kind](path)
    assert told_by(path.read_bytes())
    content, format = bare(path)
    assert format.ending == path.suffix
    assert told_by(content) == []
    assert (FRAME * 5 if kind == "plain.mp3" else SOUND) in content
    out = tmp_path / f"out{path.suffix}"
    out.write_bytes(content)
    assert checked_file(out) == format
    assert bare(out)[0] == content
    if path.suffix == ".ogg":  # of which the checksums are right
        assert _checked(bytearray(content), range(len(content))) == content
        assert len(content) == len(path.read_bytes()) - len(SECRET)
    if path.suffix == ".m4a":  # of which data stay where they were
        assert content.index(SOUND) == path.read_bytes().index(SOUND)


def test_checksums_of_ogg():
    # of the Ogg framing specification's polynomial, bit by bit
    def slow(content: bytes) -> int:
        value = 0
        for byte in content:
            value ^= byte << 24
            for _ in range(8):
                value = (value << 1) ^ (0x04C11DB7 if value >> 31 else 0)
                value &= 0xFFFFFFFF
        return value

    assert _sum_of(XMP) == slow(XMP)


@pytest.mark.parametrize(
    "content",
    [b"", b"RIFF\0\0\0\0WAVE", b"fLaC", b"OggS" + bytes(40), b"ID3\4\0\0\0\0\0\0", b"\xff\xfb"],
)
@pytest.mark.parametrize("ending", [".wav", ".mp3", ".jpg", ".m4a"])
def test_what_is_none_does_not_leave(content, ending, tmp_path):
    path = tmp_path / f"0{ending}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"0\.\w+ cannot be read"):
        bare(path)
