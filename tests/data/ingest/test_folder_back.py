"""A folder of pictures and its corrected copy: the same pictures, each in its class's folder."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from candidly.data.ingest import write_folder
from candidly.data.sources import load

CLASSES = ("cat", "dog", "red fox")


def a_folder(folder: Path, places) -> Path:
    """A picture at each place, each with a colour of its own."""
    for k, place in enumerate(places):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        pixels = np.full((4, 4, 3), (k % 256, k // 256, 7), np.uint8)
        Image.fromarray(pixels).save(folder / place)
    return folder


def read(folder: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(folder, None)


def by_content(folder: Path) -> dict[bytes, str]:
    """What each picture is -> where it is."""
    return {
        path.read_bytes(): path.relative_to(folder).as_posix() for path in folder.rglob("*.png")
    }


@settings(deadline=None, max_examples=25)
@given(
    labels=st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2)), min_size=6, max_size=20),
    above=st.sampled_from(["", "photos/", "photos/of 2024/"]),
    split=st.booleans(),
)
def test_what_is_read_again_has_the_corrected_labels(tmp_path_factory, labels, above, split):
    """Whatever is moved: every picture is there once, in its class, part and subfolder."""
    folder = tmp_path_factory.mktemp("folder")
    labels = [*((k, k) for k in range(3)), *((k, k) for k in range(3)), *labels]
    parts = ["train/", "test/"] if split else [""]
    names = [  # names come again in other classes, so that moves collide
        f"{above}{parts[k // 3 % len(parts)]}{CLASSES[old]}/{k // 4 % 3}/{k % 2}.png"
        for k, (old, _) in enumerate(labels)
    ]
    wanted = dict(zip(names, (new for _, new in labels)))  # of one place the last
    a_folder(folder / "in", wanted)
    before = by_content(folder / "in")
    data = read(folder / "in")
    new = np.array([wanted[str(id)] for id in data.ids])
    told = write_folder(data, new, ["corrected"] * data.n, folder / "out")
    assert by_content(folder / "in") == before
    pictures = by_content(folder / "out" / "pictures")
    removed = by_content(folder / "out" / "removed")
    assert {*pictures} | {*removed} == {*before}
    assert not {*pictures} & {*removed}
    assert len(told) == data.n == len(before)
    assert told.removed == len(removed) == (new < 0).sum()
    assert told.moved == ((new != data.given) & (new >= 0)).sum()
    moves = {row["picture"]: row for row in csv.DictReader((folder / "out/moves.csv").open())}
    assert len(moves) == told.moved + told.removed
    for content, place in before.items():
        label = wanted[place]
        there = removed[content] if label < 0 else pictures[content]
        top = "removed" if label < 0 else "pictures"
        old = data.classes[data.given[[*data.ids].index(place)]]
        if place in moves:
            assert moves[place]["now"] == f"{top}/{there}"
            assert moves[place]["label"] == old
            assert moves[place]["label corrected"] == ("" if label < 0 else CLASSES[label])
        else:
            assert there == place
        if label >= 0:  # part, subfolder and ending are as they were
            assert there.split("/")[-3] == CLASSES[label]
            assert there.split("/")[:-3] == place.split("/")[:-3]
            assert there.split("/")[-2] == place.split("/")[-2]
    if len({place.split("/")[-3] for place in pictures.values()}) > 1:
        again = read(folder / "out" / "pictures")
        assert again.n == len(pictures)
        for id, label in zip(again.ids, again.given):
            assert again.classes[label] in str(id).split("/")


def test_a_picture_that_is_there_already_is_not_written_over(tmp_path):
    places = ["cat/1.png", "dog/1.png", "dog/1-from-cat.png", "cat/2.png", "dog/2.png"]
    data = read(a_folder(tmp_path / "in", places))
    new = [1 if str(id) == "cat/1.png" else label for id, label in zip(data.ids, data.given)]
    write_folder(data, new, ["corrected"] * 5, tmp_path / "out")
    there = sorted(by_content(tmp_path / "out" / "pictures").values())
    assert there == sorted([*places[1:], "dog/1-from-cat-2.png"])


def test_a_class_without_a_picture_gets_a_folder_and_merged_ones_keep_theirs(tmp_path):
    from candidly.data.ingest import Roles

    folder = a_folder(tmp_path / "in", ["cat/1.png", "Cat/2.png", "dog/3.png", "dog/4.png"])
    roles = Roles(classes=("cat", "dog", "owl"), merge_labels=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = load(folder, None, roles=roles)
    new = {"dog/3.png": 2, "dog/4.png": 0}
    labels = [new.get(str(id), label) for id, label in zip(data.ids, data.given)]
    write_folder(data, labels, ["corrected"] * 4, tmp_path / "out")
    there = sorted(by_content(tmp_path / "out" / "pictures").values())
    assert there == ["Cat/2.png", "cat/1.png", "cat/4.png", "owl/3.png"]


@pytest.mark.parametrize("name", ["../up", "a/b", "..", "."])
def test_a_name_that_leads_out_is_no_folder(tmp_path, name):
    from dataclasses import replace

    data = read(a_folder(tmp_path / "in", ["cat/1.png", "dog/2.png"]))
    data = replace(data, classes=("cat", "dog", name))
    with pytest.raises(ValueError, match="cannot be the name of a folder"):
        write_folder(data, [2, 1], ["corrected"] * 2, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


def test_labels_that_are_no_names_of_folders_are_refused(tmp_path):
    folder = a_folder(tmp_path / "in", ["a/1.png", "a/2.png", "b/3.png", "b/4.png"])
    (folder / "labels.csv").write_text(
        "file,label\na/1.png,cat\na/2.png,dog\nb/3.png,cat\nb/4.png,dog\n"
    )
    data = read(folder)
    with pytest.raises(ValueError, match="not the names of its subfolders"):
        write_folder(data, data.given, ["unflagged"] * 4, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    data = read(a_folder(tmp_path / "in", ["cat/1.png", "dog/2.png"]))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds something already"):
        write_folder(data, data.given, ["unflagged"] * 2, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_of_a_copy_that_breaks_off_nothing_stays(tmp_path):
    data = read(a_folder(tmp_path / "in", ["cat/1.png", "dog/2.png"]))
    (tmp_path / "in" / "dog" / "2.png").unlink()
    with pytest.raises(FileNotFoundError):
        write_folder(data, data.given, ["unflagged"] * 2, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]
