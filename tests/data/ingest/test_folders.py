"""Folders of pictures: every layout that people have, what is left out, and what is refused."""

from __future__ import annotations

import json
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import candidly
from candidly.data.ingest import pictures_in


def picture(path, level=7, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (5, 4), level).save(path, **how)
    return path


def quiet(place, **how):
    """What is read, without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return candidly.read(place, **how)


def told(place, **how):
    """What is read, and what is said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return candidly.read(place, **how), [str(one.message) for one in caught]


def said(data):
    """The class of each picture by its shade, which tells the pictures apart."""
    shades = [Image.open(path).getpixel((0, 0)) for path in data.inputs]
    return {shade: data.classes[k] if k >= 0 else None for shade, k in zip(shades, data.given)}


# the same labels in every layout


def of_classes(place, labels):
    for shade, label in labels.items():
        picture(place / label / f"{shade}.png", shade)


def of_yolo(place, labels):
    for shade, label in labels.items():
        part = ("train", "val", "train", "test")[shade % 4]
        picture(place / part / label / f"{shade}.png", shade)
    (place / "data.yaml").write_text("names: []")


def of_wrapped(place, labels):
    of_yolo(place / "archive" / "images", labels)


def of_table(place, labels, name="labels.csv", column="picture", where="images"):
    for shade in labels:
        picture(place / where / f"{shade}.png", shade)
    rows = {column: [f"{shade}.png" for shade in labels], "label": list(labels.values())}
    pl.DataFrame(rows).write_csv(place / name)


def of_stems(place, labels):
    """As competitions have them: names without endings, folders beside the table."""
    for shade in labels:
        picture(place / "train" / f"x{shade}.png", shade)
    rows = {"image_id": [f"x{shade}" for shade in labels], "label": list(labels.values())}
    pl.DataFrame(rows).write_csv(place / "train.csv")


def of_imagefolder(place, labels):
    of_table(place, labels, "metadata.csv", "file_name", "")


def of_parts_with_metadata(place, labels):
    for part, odd in (("train", 0), ("test", 1)):
        some = {shade: label for shade, label in labels.items() if shade % 2 == odd}
        for shade in some:
            picture(place / part / f"{shade}.png", shade)
        rows = [{"file_name": f"{s}.png", "label": label} for s, label in some.items()]
        text = "\n".join(json.dumps(row) for row in rows)
        (place / part / "metadata.jsonl").write_text(text)


def coco(labels, names, start=1):
    categories = [{"id": 7 * k + start, "name": name} for k, name in enumerate(names)]
    number = {one["name"]: one["id"] for one in categories}
    images = [{"id": f"i{shade}", "file_name": f"{shade}.png"} for shade in labels]
    boxes = [
        {"id": k, "image_id": f"i{shade}", "category_id": number[label]}
        for k, (shade, label) in enumerate([*labels.items()] * 2)
    ]
    return json.dumps({"images": images, "annotations": boxes, "categories": categories})


def of_coco(place, labels):
    names = sorted(set(labels.values()))
    for part, odd in (("train", 0), ("val", 1)):
        some = {shade: label for shade, label in labels.items() if shade % 2 == odd}
        for shade in some:
            picture(place / f"{part}2017" / f"{shade}.png", shade)
        (place / "annotations").mkdir(parents=True, exist_ok=True)
        (place / "annotations" / f"instances_{part}2017.json").write_text(coco(some, names))


LAYOUTS = (
    of_classes, of_yolo, of_wrapped, of_table, of_stems, of_imagefolder, of_parts_with_metadata,
    of_coco,
)  # fmt: skip
PARTED = {of_yolo: "test", of_wrapped: "test", of_parts_with_metadata: "test", of_coco: "val"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_same_labels_are_read_in_every_layout(tmp_path, layout):
    labels = {shade: ("cat", "dog", "owl")[shade % 3] for shade in range(24)}
    layout(tmp_path / "pets", labels)
    data, notes = told(tmp_path / "pets")
    assert (data.kind, data.n, data.source) == ("media", 24, "pets")
    assert data.classes == ("cat", "dog", "owl")
    assert said(data) == labels
    assert sorted(data.ids) == sorted(
        path.relative_to(tmp_path / "pets").as_posix() for path in data.inputs
    )
    parts = [note for note in notes if "official test set" in note]
    assert len(parts) == (layout in PARTED)
    if layout in PARTED:
        held = {path.as_posix().split("pets")[1] for path in data.inputs[data.official_test]}
        assert held
        assert all(PARTED[layout] in place for place in held)
        rest = {path.as_posix().split("pets")[1] for path in data.inputs[~data.official_test]}
        assert not any(PARTED[layout] in place for place in rest)
    else:
        assert data.official_test is None
    assert len([note for note in notes if "left out" in note]) <= 1


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    names=st.lists(
        st.sampled_from(
            ["0", "1", "2", "10", "007", "cat", "Cat", "train", "test", "-1", "None", "nan", "a|b",
             "a,b", "True", "1e3", "2019-01-01", "images", "ß", "a b"]
        ),
        min_size=2, max_size=5, unique=True,
    ),
    layout=st.sampled_from([of_classes, of_yolo]),
)  # fmt: skip
def test_whatever_a_folder_is_called_is_the_name_of_its_class(tmp_path_factory, names, layout):
    if layout is of_classes and {"train", "test"} & set(names):
        names = [name for name in names if name not in ("train", "test")] + ["more", "others"]
    place = tmp_path_factory.mktemp("named")
    labels = {shade: names[shade // 4 % len(names)] for shade in range(8 * len(names))}
    layout(place, labels)
    data, _ = told(place)
    assert said(data) == labels
    assert set(data.classes) == set(names)


def test_classes_that_are_numbers_are_in_the_order_of_numbers_and_others_by_letters(tmp_path):
    of_classes(tmp_path / "a", {1: "10", 2: "9", 3: "1"})
    assert quiet(tmp_path / "a").classes == ("1", "9", "10")
    of_classes(tmp_path / "b", {1: "10", 2: "9", 3: "cat"})
    assert quiet(tmp_path / "b").classes == ("10", "9", "cat")


def test_classes_that_somebody_wrote_down_keep_their_order_and_the_unused(tmp_path):
    of_classes(tmp_path, {1: "dog", 2: "cat"})
    data = quiet(tmp_path, classes=["owl", "dog", "cat"])
    assert (data.classes, said(data)) == (("owl", "dog", "cat"), {1: "dog", 2: "cat"})
    assert quiet(tmp_path, classes=2).classes == ("cat", "dog")
    with pytest.raises(
        ValueError, match=r"has 'dog' at row 1, which is not among the classes .cat, dug"
    ):
        candidly.read(tmp_path, classes=["cat", "dug"])
    with pytest.raises(ValueError, match=r"says that there are 3, and the labels show 2: cat, dog"):
        candidly.read(tmp_path, classes=3)


def test_categories_keep_their_order_and_the_unused_and_pictures_without_one_stay(tmp_path):
    for shade in (1, 2, 3):
        picture(tmp_path / "images" / f"{shade}.png", shade)
    content = json.loads(coco({1: "owl", 2: "cat"}, ["owl", "none yet", "cat"]))
    content["images"].append({"id": 9, "file_name": "images/3.png"})
    (tmp_path / "labels.json").write_text(json.dumps(content))
    data = quiet(tmp_path)
    assert data.classes == ("owl", "none yet", "cat")
    assert said(data) == {1: "owl", 2: "cat", 3: None}


def test_a_picture_of_two_categories_is_refused_by_name(tmp_path):
    picture(tmp_path / "1.png")
    content = json.loads(coco({1: "owl"}, ["owl", "cat"]))
    content["annotations"].append({"id": 8, "image_id": "i1", "category_id": 8})
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"a\.json has '1\.png' in two categories, owl and cat"):
        candidly.read(tmp_path)


def test_a_folder_is_a_part_only_where_its_siblings_are(tmp_path):
    """Vehicles: a train is a class."""
    of_classes(tmp_path / "a", {1: "train", 2: "car", 3: "bus"})
    assert said(quiet(tmp_path / "a")) == {1: "train", 2: "car", 3: "bus"}
    of_classes(tmp_path / "b", {1: "train", 2: "test"})  # nobody's classes
    with pytest.raises(ValueError, match=r"b holds pictures in test, train, and no classes below"):
        candidly.read(tmp_path / "b")


def test_validation_beside_a_test_part_is_the_validation_set(tmp_path):
    for k, part in enumerate(("Training", "valid", "TEST")):
        for j, label in enumerate("ab"):
            picture(tmp_path / part / label / "x.png", 10 * k + j)
    data, (note,) = told(tmp_path)
    assert "test (2 rows) is the official test set and validation (2) the validation set" in note
    assert note.endswith("rows to learn from: train (2).")
    assert [path.parts[-3] for path in data.inputs[data.official_test]] == ["TEST", "TEST"]
    assert [path.parts[-3] for path in data.inputs[data.official_validation]] == ["valid"] * 2


def test_a_test_part_without_classes_is_left_out_whatever_its_size(tmp_path):
    of_classes(tmp_path / "train", {shade: "ab"[shade % 2] for shade in range(6)})
    for shade in range(40):
        picture(tmp_path / "test" / f"{shade}.png")
    data, (note,) = told(tmp_path)
    assert (data.n, data.official_test) == (6, None)
    assert "40 pictures without a label (test/0.png, test/1.png, test/10.png and 37 more)" in note


# what is left out


@pytest.fixture
def messy(tmp_path):
    """Forty pictures of two classes, and everything that lies about on disks."""
    place = tmp_path / "photos"
    for k in range(40):
        picture(place / ("cat", "dog")[k % 2] / f"{k}.jpg", k)
    for name in ("Thumbs.db", "cat/desktop.ini", ".DS_Store", "cat/._1.jpg", "__MACOSX/cat/._2.jpg",
                 "cat/.ipynb_checkpoints/3.jpg", "~$list.docx"):  # fmt: skip
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"junk")
    for name in ("README.md", "cat/notes.docx", "dog/meow.wav"):
        (place / name).write_bytes(b"x")
    for name in ("fish", "dog/none/none"):
        (place / name).mkdir(parents=True)
    whole = (place / "cat" / "0.jpg").read_bytes()
    (place / "cat" / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    (place / "dog" / "page.png").write_text("<html>")
    (place / "dog" / "none.gif").write_bytes(b"")
    (place / "dog" / "gone.png").symlink_to("nowhere.png")
    picture(tmp_path / "outside.png")
    (place / "dog" / "out.png").symlink_to(tmp_path / "outside.png")
    (place / "linked").symlink_to(tmp_path)
    picture(place / "stray.png")
    return place


def test_a_messy_folder_is_read_and_what_is_left_out_is_said_once(messy):
    data, (note,) = told(messy)
    assert (data.n, data.classes) == (40, ("cat", "dog"))
    assert note.startswith(f"left out of {messy}: ")
    for one in (
        "7 files that are hidden or the desktop's own (__MACOSX/, ",
        "3 files that are no pictures (README.md, cat/notes.docx, dog/meow.wav)",
        "2 folders without a picture (dog/none/, fish/)",
        "1 link to a folder (linked/)",
        "1 picture in no class's folder (stray.png)",
        "5 pictures that cannot be used (cat/cut.jpg cannot be read",
        "dog/gone.png does not exist",
        "dog/none.gif is empty",
        "dog/out.png is a link that leads out of",
        "dog/page.png cannot be read as a picture",
    ):
        assert one in note, note
    assert len(note) < 1000


def test_damaged_pictures_are_refused_where_that_is_asked_for(messy):
    with pytest.raises(ValueError, match=r"cut\.jpg cannot be read"):
        candidly.read(messy, damaged="refuse")
    for name in ("cut.jpg", "page.png", "none.gif", "out.png", "gone.png"):
        for place in ("cat", "dog"):
            (messy / place / name).unlink(missing_ok=True)
    with pytest.raises(ValueError, match=r"1 picture in no class's folder \(stray\.png\).*refuse"):
        candidly.read(messy, damaged="refuse")
    (messy / "stray.png").unlink()
    assert told(messy, damaged="refuse")[0].n == 40
    with pytest.raises(ValueError, match=r"`damaged` is 'never'; give skip"):
        candidly.read(messy, damaged="never")


@settings(deadline=None, max_examples=20)
@given(whole=st.integers(1, 150), lost=st.integers(0, 20), loose=st.integers(0, 5))
def test_ten_pictures_or_one_in_ten_may_be_lost(tmp_path_factory, whole, lost, loose):
    place = tmp_path_factory.mktemp("some")
    content = picture(place / "one" / "0.png").read_bytes()
    (place / "two").mkdir()
    for k in range(1, whole + 1):
        (place / ("one", "two")[k % 2] / f"{k}.png").write_bytes(content)
    for k in range(lost):
        (place / "two" / f"x{k}.png").write_bytes(content[:40])
    for k in range(loose):
        (place / f"{k}.png").write_bytes(content)
    if lost + loose <= max(10, (whole + 1 + lost + loose) // 10):
        assert told(place)[0].n == whole + 1
    else:
        with pytest.raises(ValueError, match=rf"of which {lost + loose} would be left out"):
            candidly.read(place)


def test_pictures_to_predict_for_follow_the_same_rule(messy):
    flat = messy / "cat"
    with pytest.warns(UserWarning, match=r"cut\.jpg cannot be read"):
        found = pictures_in(flat, "skip")
    assert sorted(path.name for path in found) == sorted(f"{k}.jpg" for k in range(0, 40, 2))
    assert pictures_in(messy, "skip") == []
    with pytest.raises(ValueError, match=r"cut\.jpg"):
        pictures_in(flat, "refuse")


# tables


def test_columns_of_a_table_are_named_as_those_of_any_table(tmp_path):
    for shade in range(6):
        picture(tmp_path / "images" / f"{shade}.png", shade)
    (tmp_path / "labels.csv").write_text(
        "id,file,breed,who,truth\n"
        + "".join(
            f"r{k},images\\{k}.png,{'pug|lab'[4 * (k % 2) :][:3]},ann,pug\n" for k in range(6)
        )
    )
    data = quiet(tmp_path, label="breed")
    assert said(data) == {k: ("pug", "lab")[k % 2] for k in range(6)}
    assert data.ids.tolist() == [f"r{k}" for k in range(6)]
    assert (data.truth == data.classes.index("pug")).all()
    with pytest.raises(ValueError, match=r"`label` says nothing of"):
        candidly.read(tmp_path, label="race")


def test_a_table_without_a_line_of_names(tmp_path):
    of_table(tmp_path, {k: "ab"[k % 2] for k in range(6)})
    lines = (tmp_path / "labels.csv").read_text().split("\n")[1:]
    (tmp_path / "labels.csv").write_text("\n".join(lines))
    assert said(quiet(tmp_path)) == {k: "ab"[k % 2] for k in range(6)}


def test_rows_and_pictures_without_each_other_are_said(tmp_path):
    of_table(tmp_path, {k: "ab"[k % 2] for k in range(20)})
    (tmp_path / "images" / "3.png").unlink()
    picture(tmp_path / "images" / "new.png", 99)
    (tmp_path / "images" / "4.png").write_bytes(b"")
    data, (note,) = told(tmp_path)
    assert set(said(data)) == set(range(20)) - {3, 4}
    assert "1 row whose picture is not there (3.png)" in note
    assert "1 picture without a label (images/new.png)" in note
    assert "images/4.png is empty" in note
    with pytest.raises(ValueError, match=r"empty"):
        candidly.read(tmp_path, damaged="refuse")


def test_a_row_that_is_wrong_is_named_by_its_place_in_the_file(tmp_path):
    of_table(tmp_path, {k: "ab"[k % 2] for k in range(6)})
    (tmp_path / "images" / "0.png").unlink()
    text = (tmp_path / "labels.csv").read_text().replace("4.png,a", '4.png,"a|"')
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(ValueError, match=r"labels\.csv.*at row 4"):
        candidly.read(tmp_path)


def test_a_picture_that_two_rows_name_is_refused(tmp_path):
    of_table(tmp_path, {k: "ab"[k % 2] for k in range(6)})
    with (tmp_path / "labels.csv").open("a") as file:
        file.write("images/2.png,b\n")
    with pytest.raises(ValueError, match=r"labels\.csv names images/2\.png twice"):
        candidly.read(tmp_path)


def test_nothing_outside_of_the_folder_is_read(tmp_path):
    picture(tmp_path / "secret.png", 200)
    labels = {k: "ab"[k % 2] for k in range(6)}
    of_table(tmp_path / "in", labels)
    with (tmp_path / "in" / "labels.csv").open("a") as file:
        file.write(f"../secret.png,a\n{tmp_path}/secret.png,a\n")
    data, (note,) = told(tmp_path / "in")
    assert said(data) == labels
    assert "2 rows whose pictures are not there (../secret.png" in note


def test_tables_about_something_else_are_left_alone(tmp_path):
    """What a check wrote into the folder that it checked is no table of labels."""
    of_classes(tmp_path, {k: ("cat", "dog")[k % 2] for k in range(6)})
    (tmp_path / "photos-check.csv").write_text("index,id,given\n0,cat/0.png,dog\n")
    (tmp_path / "metadata.csv").write_text("camera,year\nx,2001\n")
    (tmp_path / "notes.json").write_text('{"images": 3}')
    data, (note,) = told(tmp_path)
    assert said(data) == {k: ("cat", "dog")[k % 2] for k in range(6)}
    assert "3 files that are no pictures (metadata.csv, notes.json, photos-check.csv)" in note


def test_a_column_of_a_folder_without_a_table_is_refused(tmp_path):
    of_classes(tmp_path, {1: "a", 2: "b"})
    with pytest.raises(ValueError, match=r"`label` says nothing of .* without a table"):
        candidly.read(tmp_path, label="kind")


def test_rows_that_can_be_used_are_the_same_for_every_reader(messy):
    """So that what a check flags is what a review asks about."""
    once = told(messy)[0]
    assert once == told(str(messy))[0]
    assert np.array_equal(once.ids, candidly.load(str(messy)).ids)


def test_a_table_that_is_named_itself_finds_its_pictures_in_a_subfolder(tmp_path):
    of_table(tmp_path, {k: "ab"[k % 2] for k in range(6)})
    data = candidly.read(tmp_path / "labels.csv", image="picture")
    assert said(data) == {k: "ab"[k % 2] for k in range(6)}
    picture(tmp_path / "other" / "3.png")  # in two of them
    with pytest.raises(ValueError, match=r"there is no file .*3\.png, which row 3 names\."):
        candidly.read(tmp_path / "labels.csv", image="picture")


def test_pictures_of_one_name_in_two_parts_are_told_apart(tmp_path):
    """As competitions and the hub have them."""
    for k in range(8):
        picture(tmp_path / "a" / "train" / f"{k}.png", k)
        picture(tmp_path / "a" / "test" / f"{k}.png", 100 + k)
        picture(tmp_path / "b" / "train" / f"{k % 4}.png", k % 4)
        picture(tmp_path / "b" / "test" / f"{k % 4}.png", 100 + k % 4)
    rows = "".join(f"{k},{'ab'[k % 2]}\n" for k in range(8))
    (tmp_path / "a" / "train.csv").write_text(f"image_id,label\n{rows}")
    data, (note,) = told(tmp_path / "a")
    assert said(data) == {k: "ab"[k % 2] for k in range(8)}
    assert "8 pictures without a label (test/0.png" in note
    for part, first in (("train", "ab"), ("test", "ba")):
        text = "".join(f"{k}.png,{first[k % 2]}\n" for k in range(4))
        (tmp_path / "b" / part / "metadata.csv").write_text(f"file_name,label\n{text}")
    picture(tmp_path / "b" / "train" / "older" / "0.png", 200)  # the nearer one is meant
    data, _ = told(tmp_path / "b")
    assert said(data) == {k: "ab"[k % 2] for k in range(4)} | {
        100 + k: "ba"[k % 2] for k in range(4)
    }
    assert data.official_test.sum() == 4


def test_pictures_that_nothing_reads_are_lost_and_pointers_say_what_to_do(tmp_path):
    of_classes(tmp_path, {k: "ab"[k % 2] for k in range(6)})
    (tmp_path / "a" / "phone.HEIC").write_bytes(b"x")
    (tmp_path / "b" / "lfs.png").write_text("version https://git-lfs.github.com/spec/v1\noid x\n")
    data, (note,) = told(tmp_path)
    assert data.n == 6
    assert "1 picture in a format that is not read; save it as JPEG or PNG (a/phone.HEIC)" in note
    assert "b/lfs.png is a pointer of Git LFS, and not the picture" in note
    for k in range(10):
        (tmp_path / "a" / f"{k}.heic").write_bytes(b"x")
    with pytest.raises(ValueError, match=r"11 pictures in formats that are not read; save them"):
        candidly.read(tmp_path)
