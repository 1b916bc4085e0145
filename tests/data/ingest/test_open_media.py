"""What examples look like: one rule for reports and reviews, and what is let in."""

from __future__ import annotations

import os
import struct
import zlib

import numpy as np
import polars as pl
import pytest
from PIL import Image

from candidly import from_arrays, review
from candidly.data.ingest import media, previews
from candidly.data.ingest.media import FORMATS, File, checked_file, open_media
from candidly.data.ingest.media import _check as check
from telling_files import SOUNDS


def picture(place, shade=0, **more):
    place.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (3, 3), shade).save(place, **more)


def folder_of(place, *names):
    """Pictures, each of the shade of its place among the names."""
    for shade, name in enumerate(names):
        picture(place / name, shade)
    return place


def shade(place):
    with Image.open(place) as image:
        return image.getpixel((0, 0))


def shades(path, n, ids=None):
    """The shade that each row shows; None where a row has nothing."""
    look = open_media(path, n, ids)
    return [None if (seen := look(row)) is None else shade(seen.path) for row in range(n)]


# which file belongs to which example


def test_files_are_the_rows_of_their_numbers(tmp_path):
    names = [f"{k}.png" for k in range(12)]
    assert shades(folder_of(tmp_path / "a", *names), 12) == list(range(12))
    assert shades(folder_of(tmp_path / "b", "x/010.png", "y/2.png"), 11) == [
        *(None, None, 1, *[None] * 7, 0)
    ]


def test_one_other_file_moves_no_row(tmp_path):
    place = folder_of(tmp_path / "a", *(f"{k}.png" for k in range(12)), "cover.png")
    for n in (12, 13, 14, None):
        with pytest.raises(ValueError, match=r"cover.png, which is no row number"):
            open_media(place, n)
    for left_alone in (".DS_Store", "._3.png", "notes.txt", "Thumbs.db", "picture.svg"):
        (place / left_alone).write_text("something else")
    picture(place / ".thumbnails" / "3.png", 99)
    (place / "cover.png").unlink()
    assert shades(place, 12) == list(range(12))


@pytest.mark.parametrize("n", [5, None])
def test_files_that_count_from_1_are_refused(tmp_path, n):
    place = folder_of(tmp_path / "a", *(f"{k}.png" for k in range(1, 6)))
    with pytest.raises(ValueError, match="Rows are counted from 0; if these are counted from 1"):
        open_media(place, n)


def test_reports_and_reviews_show_the_same(tmp_path):
    place = folder_of(tmp_path / "a", *(f"{k}.png" for k in (2, 0, 10, 1)))
    copied = review.looks_of_files(place, tmp_path / "copy")
    page = previews.open_media(place, 11)
    for row, of in ((0, 1), (1, 3), (2, 0), (10, 2)):
        assert shade(tmp_path / "copy" / copied(row).payload) == of
        assert page(row).uri is not None
        assert shades(place, 11)[row] == of
    assert page(3) is None
    with pytest.raises(ValueError, match="has nothing of row 3"):
        copied(3)


def test_files_go_by_the_ids_of_examples(tmp_path):
    place = folder_of(tmp_path / "a", "dog.png", "sub/cat.7.png", "owl.jpeg")
    assert shades(place, 4, ["cat.7", "none", "owl", "dog"]) == [1, None, 2, 0]
    assert shades(place, 3, ["sub/cat.7.png", "owl.jpeg", "dog.png"]) == [1, 2, 0]
    with pytest.raises(ValueError, match=r"holds dog.png, which is the id of no example"):
        open_media(place, 3, ["cat.7", "owl", "cow"])
    numbers = folder_of(tmp_path / "b", "007.png", "300.png")
    assert shades(numbers, 2, [300, 7]) == [1, 0]
    assert shades(numbers, 2, ["300", "007"]) == [1, 0]
    with pytest.raises(ValueError, match="which are both of row"):
        open_media(folder_of(tmp_path / "c", "7.png", "x/7.png"), 2, [7, 8])


def test_files_go_by_row_where_none_is_an_id(tmp_path):
    place = folder_of(tmp_path / "a", "0.png", "1.png")
    assert shades(place, 2, ["cat", "dog"]) == [0, 1]
    shuffled = np.array([1, 0])  # ids come first
    assert shades(place, 2, shuffled) == [1, 0]


def test_different_ids_that_are_one_number_stay_apart(tmp_path):
    place = folder_of(tmp_path / "a", "7.png", "007.png")
    assert shades(place, 2, ["007", "7"]) == [1, 0]


def test_two_files_of_one_row_are_refused(tmp_path):
    for k, names in enumerate((("1.png", "01.png"), ("a/1.png", "b/1.png"), ("1.png", "1.jpg"))):
        with pytest.raises(ValueError, match="which are both of row 1"):
            open_media(folder_of(tmp_path / str(k), *names), 3)


def test_an_order_of_names_must_be_plain_to_see(tmp_path):
    place = folder_of(tmp_path / "a", "b/x.png", "a/y.png", "a/x.png")
    assert shades(place, 3) == [2, 1, 0]
    with pytest.raises(ValueError, match="holds 3 images; there are 4 examples"):
        open_media(place, 4)
    with pytest.raises(ValueError, match="files cannot go by order"):
        open_media(place)
    padded = folder_of(tmp_path / "b", *(f"img{k:02}.png" for k in range(12)))
    assert shades(padded, 12) == list(range(12))
    bare = folder_of(tmp_path / "c", *(f"img{k}.png" for k in range(12)))
    with pytest.raises(ValueError, match=r"img10.png and img2.png, which swap places"):
        open_media(bare, 12)


ODD = ["one\u2028still one", "two\x85\x0b", "three\x0c\x1c\x1e", "\r in the middle", "", "six"]


def test_lines_of_text_end_at_line_feeds_alone(tmp_path):
    for end in ("\n", "\r\n"):
        for last in ("", end):
            place = tmp_path / "t.txt"
            place.write_bytes(("\ufeff" + end.join(ODD) + last).encode())
            look = open_media(place, len(ODD))
            assert [look(row) for row in range(len(ODD))] == ODD
            copied = review.looks_of_files(place, tmp_path)
            assert [copied(row).payload for row in range(len(ODD))] == ODD
            page = previews.open_media(place, len(ODD))
            assert [page(row).text for row in range(len(ODD))] == ODD


def test_texts_of_tables_go_by_id_or_row(tmp_path):
    texts = [text for text in ODD if text != ""]
    table = pl.DataFrame({"id": ["b", "a", "e", "d", "c"], "said": texts})
    want = [texts[k] for k in (1, 0, 4, 3, 2)]
    for name in ("t.csv", "t.parquet"):
        (table.write_csv if name == "t.csv" else table.write_parquet)(tmp_path / name)
        look = open_media(tmp_path / name, 5, ["a", "b", "c", "d", "e"])
        assert [look(row) for row in range(5)] == want
        with pytest.raises(ValueError, match="the id 'b', which is no example's"):
            open_media(tmp_path / name, 5)
    rows = pl.DataFrame({"id": [4, 1, 0], "text": texts[:3]})
    rows.write_csv(tmp_path / "r.csv")
    look = open_media(tmp_path / "r.csv")
    assert [look(row) for row in range(5)] == [texts[2], texts[1], None, None, texts[0]]
    for bad, match in (([0, 0, 1], "both of row 0"), ([0, 1, 3], "there is no row 3")):
        rows.with_columns(id=pl.Series(bad)).write_csv(tmp_path / "r.csv")
        with pytest.raises(ValueError, match=match):
            open_media(tmp_path / "r.csv", 3)


def test_a_first_line_is_a_name_where_that_can_be_told(tmp_path):
    (tmp_path / "t.csv").write_text("review\none\ntwo\n")
    assert open_media(tmp_path / "t.csv", 2)(1) == "two"
    assert open_media(tmp_path / "t.csv", 3)(1) == "one"
    with pytest.raises(ValueError, match="whether the first line"):
        open_media(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("text\none\ntwo\n")
    assert open_media(tmp_path / "t.csv")(1) == "two"
    with pytest.raises(ValueError, match="holds 2 examples; there are 3"):
        open_media(tmp_path / "t.csv", 3)


def test_arrays_go_by_row(tmp_path):
    pixels = np.arange(2 * 4 * 5 * 3, dtype=np.uint8).reshape(2, 4, 5, 3)
    np.save(tmp_path / "i.npy", pixels)
    look = open_media(tmp_path / "i.npy", 2)
    assert np.array_equal(look(1), pixels[1])
    assert open_media(tmp_path / "i.npy")(2) is None
    shown = review.looks_of_files(tmp_path / "i.npy", tmp_path / "copy")(1)
    assert np.array_equal(np.asarray(Image.open(tmp_path / "copy" / shown.payload)), pixels[1])
    with pytest.raises(ValueError, match="holds 2 examples; there are 3"):
        open_media(tmp_path / "i.npy", 3)
    for shape in ((2, 4, 5, 2), (2, 0, 5), (2, 4)):
        np.save(tmp_path / "i.npy", np.zeros(shape, np.uint8))
        with pytest.raises(ValueError, match=r"images are uint8|let in"):
            review.looks_of_files(tmp_path / "i.npy", tmp_path / "copy")


# what is let in


def bomb(wide, high):
    """A small, valid PNG of very many pixels."""

    def chunk(kind, body):
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", wide, high, 1, 0, 0, 0, 0)
    data = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>alert(1)</script>"
BAD = {
    "empty": (b"", "is empty"),
    "html": (HTML, "cannot be read as a"),
    "svg": (SVG, "cannot be read as a"),
    "gif that is html": (b"GIF89a" + HTML, "cannot be read as a"),
    "program": (b"\x7fELF" + bytes(100), "cannot be read as a"),
    "bomb": (bomb(9000, 9000), "9,000 x 9,000 pixels|cannot be read as a"),
    "huge bomb": (bomb(60000, 60000), "pixels|cannot be read as a"),
}


@pytest.mark.parametrize("name", ["0.png", "0.jpg", "0.gif", "0.webp", "0.wav", "0.mp3", "0.m4a"])
@pytest.mark.parametrize("what", BAD)
def test_what_is_no_picture_or_sound_is_refused_at_each_door(tmp_path, name, what):
    content, match = BAD[what]
    place = tmp_path / "in" / name
    place.parent.mkdir()
    place.write_bytes(content)
    data = from_arrays([place], [0], classes=["a", "b"])
    doors = (
        lambda: open_media(place.parent, 1)(0),
        lambda: previews.open_media(place.parent, 1)(0),
        lambda: review.looks_of_files(place.parent, tmp_path / "out")(0),
        lambda: review.looks_of(data, tmp_path / "out")(0),
    )
    for door in doors:
        with pytest.raises(ValueError, match=match) as refused:
            door()
        assert str(place) in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_damaged_pictures_are_refused(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (50, 50), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "0.png")
    whole = (tmp_path / "0.png").read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    for content in (whole[: len(whole) // 2], bytes(changed)):
        (tmp_path / "0.png").write_bytes(content)
        with pytest.raises(ValueError, match="damaged"):
            checked_file(tmp_path / "0.png")


def test_files_that_are_too_large_are_refused(tmp_path, monkeypatch):
    picture(tmp_path / "0.png")
    size = (tmp_path / "0.png").stat().st_size
    monkeypatch.setattr(check, "MOST_BYTES", size)
    assert checked_file(tmp_path / "0.png") == FORMATS["PNG"]
    monkeypatch.setattr(check, "MOST_BYTES", size - 1)
    with pytest.raises(ValueError, match=f"has {size:,} bytes; at most {size - 1:,}"):
        checked_file(tmp_path / "0.png")


def sounds(place):
    """One small file of each format, named after it."""
    place.mkdir()
    for name, write in SOUNDS.items():
        kind = name.partition(".")[2]
        write(place / f"{kind}.{kind}")
    (place / "bare.mp3").write_bytes(b"\xff\xfb\x90\x00" + bytes(100))


def test_every_format_is_known_by_its_content(tmp_path):
    kinds = {"PNG": "png", "JPEG": "jpg", "GIF": "gif", "BMP": "bmp", "WEBP": "webp", "TIFF": "tif"}
    for name, ending in kinds.items():
        picture(tmp_path / f"a.{ending}")
        assert checked_file(tmp_path / f"a.{ending}") == FORMATS[name]
        (tmp_path / f"a.{ending}").rename(tmp_path / "a.png")  # whatever its name says
        assert checked_file(tmp_path / "a.png") == FORMATS[name]
    sounds(tmp_path / "sounds")
    for file in (tmp_path / "sounds").iterdir():
        assert checked_file(file).ending == file.suffix
    assert {*kinds, "WAV", "MP3", "OGG", "FLAC", "M4A"} == set(FORMATS)


def test_a_copy_has_the_ending_of_what_it_is(tmp_path):
    picture(tmp_path / "in" / "0.png", 9, format="JPEG")
    picture(tmp_path / "in" / "1.tif", 7)
    look = review.looks_of_files(tmp_path / "in", tmp_path / "out")
    assert look(0) == review.Shown("image", "0.jpg")
    assert look(1) == review.Shown("image", "1.png")  # browsers show no TIFF
    with Image.open(tmp_path / "out" / "1.png") as image:
        assert (image.format, image.getpixel((0, 0))) == ("PNG", 7)


def test_sounds_are_heard_in_reviews_and_named_in_reports(tmp_path):
    sounds(tmp_path / "in")
    ids = sorted(file.stem for file in (tmp_path / "in").iterdir())
    look = review.looks_of_files(tmp_path / "in", tmp_path / "out", 6, ids)
    assert {look(row).kind for row in range(6)} == {"audio"}
    assert "is a sound" in previews.open_media(tmp_path / "in", 6, ids)(0).missing


@pytest.mark.parametrize("relative", [True, False])
def test_links_are_followed_inside_the_folder_alone(tmp_path, relative):
    picture(tmp_path / "outside.png", 1)
    picture(tmp_path / "in" / "store" / "9.png", 2)
    inside = "../store/9.png" if relative else tmp_path / "in" / "store" / "9.png"
    outside = "../../outside.png" if relative else tmp_path / "outside.png"
    (tmp_path / "in" / "sub").mkdir()
    (tmp_path / "in" / "sub" / "0.png").symlink_to(inside)
    (tmp_path / "in" / "sub" / "1.png").symlink_to(outside)
    look = open_media(tmp_path / "in", 10)
    assert shade(look(0).path) == 2
    with pytest.raises(ValueError, match=r"1.png is a link that leads out of .*Put a copy"):
        look(1)
    (tmp_path / "whole").symlink_to(tmp_path / "in")  # which somebody named
    assert shade(open_media(tmp_path / "whole", 10)(0).path) == 2
    (tmp_path / "in" / "folder").symlink_to(tmp_path)  # not gone into
    with pytest.raises(ValueError, match="leads out of"):
        checked_file(tmp_path / "in" / "sub" / "1.png", tmp_path / "in")
    assert shade(open_media(tmp_path / "in", 10)(9).path) == 2


def test_links_to_nothing_and_odd_files_are_refused(tmp_path):
    (tmp_path / "0.png").symlink_to("none.png")
    with pytest.raises(FileNotFoundError, match=r"0.png does not exist"):
        checked_file(tmp_path / "0.png")
    os.mkfifo(tmp_path / "1.png")
    with pytest.raises(ValueError, match=r"1.png is no plain file"):
        checked_file(tmp_path / "1.png")


def test_a_file_is_what_the_rule_gives(tmp_path):
    picture(tmp_path / "0.png")
    assert open_media(tmp_path, 1)(0) == File(tmp_path / "0.png", FORMATS["PNG"])
    with pytest.raises(FileNotFoundError):
        open_media(tmp_path / "none")
    with pytest.raises(ValueError, match=r"no \.csv, .*\.npy file of examples"):
        open_media(tmp_path / "0.png")
    assert media.ENDINGS[".jpeg"] == FORMATS["JPEG"]


def test_a_ragged_table_of_texts_is_refused_by_line(tmp_path):
    for text, line in (("id,text\n0,a\n1\n", "line 3 has 1 cell"), ("a\nb,c\n", "line 2 has 2")):
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(ValueError, match=f"t.csv: {line}"):
            open_media(tmp_path / "t.csv", 2)
