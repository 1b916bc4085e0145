"""Contact sheets of ``candidly data describe``: where pictures stand, and what is refused."""

import json

import numpy as np
import pytest
from PIL import Image

from candidly.data.ingest.contact_sheet import GAP, SIDE, SheetPicture, SheetRow, draw_sheet
from candidly.data.labels.building import from_arrays
from candidly.data.labels.votes import Votes
from picture_files import ten_binary

COLOURS = np.array([[200, 0, 0], [0, 150, 0], [0, 0, 220], [250, 200, 0]], np.uint8)


def plain(colours, side=4):
    """A picture of one colour each; uint8 (n, side, side, 3)."""
    return np.repeat(np.repeat(colours[:, None, None], side, 1), side, 2)


def places(path, colour):
    """Where on the sheet a picture of this colour begins, as (x, y), row by row."""
    sheet = np.asarray(Image.open(path))
    mask = (sheet == colour).all(-1)
    above, before = np.pad(mask, ((1, 0), (0, 0)))[:-1], np.pad(mask, ((0, 0), (1, 0)))[:, :-1]
    return [(int(x), int(y)) for y, x in np.argwhere(mask & ~above & ~before)]


def red_pixels(path):
    """Of letters, whose edges are between red and white; no picture is of such a colour."""
    r, g, b = np.asarray(Image.open(path)).astype(int).transpose(2, 0, 1)
    return int(((r - g > 60) & (abs(g - b) < 20) & (g > 0)).sum())


@pytest.fixture
def four(tmp_path):
    """Saves four pictures of one colour each, of the classes a b a b, with some labels."""

    def save(**labels):
        data = from_arrays(plain(COLOURS), classes=["a", "b"], source="four", **labels)
        data.save(tmp_path / "four.npz")
        return "four.npz"

    return save


def test_pictures_are_drawn_as_a_view_has_them(candidly, four, tmp_path):
    asked = ("data", "describe", four(truth=[0, 1, 0, 1]), "--out", tmp_path / "s.png", "--view")
    (tmp_path / "mine.json").write_text('[[{"operation": "invert", "probability": 1}]]')
    status, _, err = candidly(*asked, tmp_path / "mine.json")
    assert status == 0, err
    assert [len(places(tmp_path / "s.png", 255 - colour)) for colour in COLOURS] == [1] * 4
    for view, message in (("strog", "did you mean 'strong'"), ("gone.json", "no file gone.json")):
        status, _, err = candidly(*asked, view)
        assert (status, message in err) == (2, True), err
    status, _, err = candidly(*asked[:3], "--view", "strong")
    assert (status, "--out FILE.png" in err) == (2, True), err


def test_each_picture_stands_in_the_row_of_its_class(candidly, four, tmp_path):
    status, out, err = candidly(
        *("data", "describe", four(truth=[0, 1, 0, 1]), "--out", tmp_path / "s.png")
    )
    assert status == 0
    assert f"wrote {tmp_path / 's.png'}: a contact sheet" in err
    assert "4 x 4 pixels, 3 channels" in out
    ((x0, y0),), ((x1, y1),), ((x2, y2),), ((x3, y3),) = (
        places(tmp_path / "s.png", colour) for colour in COLOURS
    )
    assert y0 == y2 < y1 == y3
    assert x0 == x1
    assert x2 == x3 == x0 + SIDE + GAP
    sheet = Image.open(tmp_path / "s.png")
    assert sheet.getpixel((x3 + SIDE - 1, y3 + SIDE - 1)) == tuple(COLOURS[3])  # 24 times as large


def test_labels_without_the_true_class_are_red(candidly, four, tmp_path):
    pages = {}
    for name, labels in {
        "right": {"given": [0, 1, 0, 1]},
        "wrong": {"given": [0, 1, 1, 1]},
        "none": {"given": [0, 1, -1, 1]},
        "in sets": {"candidates": [[1, 1], [0, 1], [1, 0], [1, 1]]},
        "not in sets": {"candidates": [[1, 1], [0, 1], [0, 1], [1, 1]]},
    }.items():
        out = tmp_path / f"{name}.png"
        file = four(truth=[0, 1, 0, 1], **{k: np.array(v) for k, v in labels.items()})
        assert candidly("data", "describe", file, "--out", out)[0] == 0
        pages[name] = red_pixels(out)
    assert pages["right"] == pages["none"] == pages["in sets"] == 0
    assert min(pages["wrong"], pages["not in sets"]) > 5


@pytest.mark.parametrize(
    ("labels", "rows"),
    [
        ({"given": [0, 1, 1, 1]}, [0, 1, 1, 1]),
        ({"candidates": np.array([[1, 0], [0, 1], [0, 1], [1, 0]])}, [0, 1, 1, 0]),
        ({"tags": np.array([[1, 0], [0, 1], [0, 0], [1, 0]])}, [0, 1, 2, 0]),
        ({"given": [0, 1, -1, 1]}, [0, 1, 2, 1]),
        ({"truth": [-1, 1, -1, 1], "given": [0, 0, 0, 0]}, [2, 1, 2, 1]),
        ({"votes": Votes.from_rows([(0, "x", [1]), (1, "x", [0])])}, [1, 0, 2, 2]),
        ({}, [2, 2, 2, 2]),
    ],
)
def test_without_a_truth_rows_are_what_is_known(candidly, four, tmp_path, labels, rows):
    assert candidly("data", "describe", four(**labels), "--out", tmp_path / "s.png")[0] == 0
    heights = [places(tmp_path / "s.png", colour)[0][1] for colour in COLOURS]
    assert [heights[a] < heights[b] for a in range(4) for b in range(4)] == [
        rows[a] < rows[b] for a in range(4) for b in range(4)
    ]


def test_an_example_stands_under_each_candidate(candidly, four, tmp_path):
    sets = np.array([[1, 1], [0, 1], [1, 0], [1, 1]])
    assert candidly("data", "describe", four(candidates=sets), "--out", tmp_path / "s.png")[0] == 0
    assert [len(places(tmp_path / "s.png", colour)) for colour in COLOURS] == [2, 1, 1, 2]


def test_files_of_pictures(candidly, tmp_path):
    """Of several sizes and colours, from a folder and from a column of paths."""
    for name, size, mode in (
        ("a/1.png", (300, 30), "RGB"),
        ("a/2.jpg", (8, 8), "CMYK"),
        ("b/1.png", (5, 9), "L"),
        ("b/2.png", (96, 96), "P"),
    ):
        path = tmp_path / "pets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new(mode, size, None).save(path)
    status, out, err = candidly("data", "describe", "pets", "--out", "s.png")
    assert (status, err) == (0, "wrote s.png: a contact sheet\n")
    assert "5 to 300 pixels wide, 8 to 96 high; CMYK, colour, grey, palette" in out
    (tmp_path / "t.csv").write_text("path,label\npets/a/1.png,x\npets/b/1.png,y\n")
    status, out, err = candidly("data", "describe", "t.csv", "--out", "t.png")
    assert (status, err) == (0, "wrote t.png: a contact sheet\n")
    found = json.loads(candidly("data", "describe", "t.csv", "--json")[1])
    assert found["pictures"] == "5 to 300 pixels wide, 9 to 30 high; colour, grey"
    cut = (tmp_path / "pets" / "a" / "1.png").read_bytes()[:60]
    (tmp_path / "pets" / "a" / "1.png").write_bytes(cut)
    status, out, _ = candidly("data", "describe", "t.csv")
    assert status == 0
    assert "1 that cannot be read, the first pets/a/1.png" in out
    status, _, err = candidly("data", "describe", "t.csv", "--out", "t.png")
    assert status == 2
    assert "a/1.png cannot be read" in err.splitlines()[-1]


@pytest.mark.filterwarnings("ignore")
def test_known_pictures_say_their_official_test_rows(candidly, tmp_path):
    ten_binary(tmp_path / "ten")
    status, out, err = candidly(
        *("data", "describe", "cifar10", "--data", "ten", "--labels", "flip:rate=0.3"),
        *("--out", "s.png"),
    )
    assert status == 0
    assert "official test  " in out
    assert "60000" in out  # beside 19
    assert "warning: ten/data_batch_1.bin: n is 19, not 60000." in err
    assert (tmp_path / "s.png").stat().st_size > 5000
    found = json.loads(candidly("data", "describe", "cifar10", "--data", "ten", "--json")[1])
    assert found["official_test"] == 4
    assert found["pictures"] == "32 x 32 pixels, 3 channels"


def test_what_is_no_picture_is_refused(candidly, tmp_path):
    def refused(*arguments):
        status, out, err = candidly("data", "describe", *arguments)
        assert (status, out) == (2, "")
        return err

    assert "the inputs of digits are a table" in refused("digits", "--out", "s.png")
    (tmp_path / "t.csv").write_text("text,label\nhello,x\nthere,y\n")
    assert "are texts" in refused("t.csv", "--out", "s.png")
    assert "--out is s.jpg; it must end in .png" in refused("digits", "--out", "s.jpg")
    assert "there is no folder none" in refused("digits", "--out", "none/s.png")
    assert not list(tmp_path.glob("*.png"))


def test_many_classes_stand_in_columns(tmp_path):
    pictures = plain(np.random.default_rng(0).integers(0, 250, (31, 3), dtype=np.uint8))
    rows = [
        SheetRow(f"class {k}", 1, (SheetPicture(picture),)) for k, picture in enumerate(pictures)
    ]
    draw_sheet(tmp_path / "s.png", "many", "note", rows)
    sheet = np.asarray(Image.open(tmp_path / "s.png")).astype(int) @ [1, 256, 65536]
    colours, first = np.unique(sheet, return_index=True)
    wanted = pictures[:, 0, 0].astype(int) @ [1, 256, 65536]
    y, x = np.divmod(first[np.searchsorted(colours, wanted)], sheet.shape[1])
    assert len(set(x)) == 3
    assert sorted(zip(x, y)) == list(zip(x, y))  # column by column
    assert y.max() + SIDE <= sheet.shape[0]
    assert x.max() + SIDE <= sheet.shape[1]
