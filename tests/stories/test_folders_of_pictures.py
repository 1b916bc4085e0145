"""Folders of pictures as people have them: read at the first try, and what was left out is said."""

from __future__ import annotations

import csv
import json
import shlex
import sys

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from candidly import cli

DIGITS = load_digits()
NAMES = {0: "zero", 1: "one", 4: "four"}
TURN = {6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270, 3: Image.Transpose.ROTATE_180}


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    """What a command prints and says, run in a folder; it has to end well unless said otherwise."""

    def run(command: str, status: int = 0) -> tuple[str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "1000")
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        ended = 0
        try:
            cli.main()
        except SystemExit as error:
            ended = int(error.code or 0)
        told = capsys.readouterr()
        assert ended == status, told.err
        return told.out, told.err

    return run


def shots(count=60, first=0):
    """Rows of digits 0, 1 and 4, and the pictures of them in colour."""
    rows = [k for k in range(len(DIGITS.target)) if DIGITS.target[k] in NAMES][first:][:count]
    for row in rows:
        pixels = np.kron((DIGITS.images[row] * 15).astype(np.uint8), np.ones((5, 5), np.uint8))
        yield row, NAMES[int(DIGITS.target[row])], Image.fromarray(pixels).convert("RGB")


def as_a_phone(picture, orientation):
    """How a phone that was held so stores it: on its side, with a word in EXIF."""
    exif = Image.Exif()
    if orientation == 1:
        return picture, exif
    exif[0x0112] = orientation
    return picture.transpose(TURN[orientation]), exif


def test_a_messy_folder_of_photos_to_those_in_the_wrong_subfolder(typed, tmp_path):
    """A quarter of them were turned by EXIF, which the classifier did not see once."""
    wrong = set()
    for k, (row, name, picture) in enumerate(shots(150)):
        stored, exif = as_a_phone(picture, (1, 6, 1, 8, 1, 3, 1, 1)[k % 8])
        if k % 30 == 7:
            wrong.add(row)
            name = {"zero": "one", "one": "four", "four": "zero"}[name]
        place = tmp_path / "photos" / name
        place.mkdir(parents=True, exist_ok=True)
        stored.save(place / f"p{row}.jpg", exif=exif.tobytes(), quality=90)
    photos = tmp_path / "photos"
    for junk in ("Thumbs.db", "one/desktop.ini", ".DS_Store", "one/._p1.jpg", "README.txt"):
        (photos / junk).write_text("x")
    (photos / "__MACOSX").mkdir()
    (photos / "new folder").mkdir()
    whole = next((photos / "one").glob("p*.jpg")).read_bytes()
    (photos / "one" / "half.jpg").write_bytes(whole[: len(whole) // 2])

    out, _ = typed("candidly check photos --json --top 150")
    about = json.loads(out)
    assert about["rows"] == 150
    assert about["classes"] == ["four", "one", "zero"]
    (note,) = [note for note in about["warnings"] if note.startswith("left out of photos")]
    assert "one/half.jpg cannot be read to its end" in note
    assert "5 files that are hidden or the desktop's own" in note
    assert "README.txt" in note
    assert "new folder/" in note
    flagged = {int(one["id"].split("/p")[1].partition(".")[0]) for one in about["issues"]}
    assert len(flagged & wrong) >= 0.8 * len(wrong)
    assert len(flagged) <= 2 * len(wrong)

    new, _serve, export = about["next"]
    assert f"{len(flagged)} items, 1 person each" in typed(new)[0]
    typed(export)
    assert (tmp_path / "photos-corrected" / "pictures" / "one").is_dir()


def test_a_folder_that_is_to_be_whole(typed, tmp_path):
    for row, name, picture in shots(12):
        (tmp_path / "photos" / name).mkdir(parents=True, exist_ok=True)
        picture.save(tmp_path / "photos" / name / f"{row}.png")
    (tmp_path / "photos" / "one" / "half.png").write_bytes(b"\x89PNG")
    _, err = typed("candidly data describe photos --damaged refuse", status=2)
    assert "half.png cannot be read as a picture" in err
    _, err = typed("candidly data describe photos")
    assert "1 picture that cannot be used (one/half.png cannot be read as a picture)" in err
    (tmp_path / "photos" / "one" / "half.png").unlink()
    assert typed("candidly data describe photos --damaged refuse")[1] == ""


def test_train_val_and_test_above_classes_that_are_numbers(typed, tmp_path):
    """As YOLO has them; and a folder of new pictures, one of them damaged."""
    for k, (row, name, picture) in enumerate(shots(90)):
        part = "test" if k % 6 == 0 else "val" if k % 6 == 1 else "train"
        number = str({"zero": 0, "one": 1, "four": 10}[name])
        place = tmp_path / "digits-yolo" / part / number
        place.mkdir(parents=True, exist_ok=True)
        picture.save(place / f"{row}.png")
    (tmp_path / "digits-yolo" / "data.yaml").write_text("nc: 3")
    out, err = typed("candidly train digits-yolo --out m.safetensors --steps 200")
    assert "updates on 60 rows" in out
    assert "15 rows of the validation set: not used, as nothing was to be chosen" in out
    assert "on 15 rows held out" in out
    assert "test (15 rows) is the official test set and validation (15) the validation set" in err
    assert "rows to learn from: train (60)" in err
    assert "candidly predict m.safetensors FOLDER" in out

    new = tmp_path / "new"
    new.mkdir()
    for row, _, picture in shots(12, 90):
        picture.save(new / f"{row}.png")
    (new / "Thumbs.db").write_text("x")
    (new / "half.png").write_bytes(b"\x89PNG")
    _, err = typed("candidly predict m.safetensors new --out p.csv")
    assert "half.png" in err
    with (tmp_path / "p.csv").open() as file:
        said = {row["id"]: row["prediction"] for row in csv.DictReader(file)}
    right = [said[f"{row}.png"] == str({"zero": 0, "one": 1, "four": 10}[name])
             for row, name, _ in shots(12, 90)]  # fmt: skip
    assert len(said) == 12
    assert sum(right) >= 10


def test_a_table_beside_images_then_the_same_in_the_forms_of_others(typed, tmp_path):
    rows = []
    for place in ("pets/images", "hub", "coco/train"):
        (tmp_path / place).mkdir(parents=True)
    for row, name, picture in shots(60):
        rows.append((f"{row}.png", name))
        for place in ("pets/images", "hub", "coco/train"):
            picture.save(tmp_path / place / f"{row}.png")
    with (tmp_path / "pets" / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("filename", "species"), *rows])
    lines = [json.dumps({"file_name": file, "label": name}) for file, name in rows]
    (tmp_path / "hub" / "metadata.jsonl").write_text("\n".join(lines))
    names = sorted(NAMES.values())
    told = {
        "images": [{"id": k, "file_name": file} for k, (file, _) in enumerate(rows)],
        "categories": [{"id": k + 1, "name": name} for k, name in enumerate(names)],
        "annotations": [
            {"id": k, "image_id": k, "category_id": names.index(name) + 1}
            for k, (_, name) in enumerate(rows)
        ],
    }
    (tmp_path / "coco" / "train" / "_annotations.coco.json").write_text(json.dumps(told))
    shown = {}
    for place in ("pets", "hub", "coco"):
        out, err = typed(f"candidly data describe {place} --json --out {place}.png")
        assert err.strip() == f"wrote {place}.png: a contact sheet"
        about = json.loads(out)
        shown[place] = (about["n"], about["q"], about["pictures"])
    assert shown["pets"] == shown["hub"] == shown["coco"]
    out, _ = typed("candidly review new ask pets --label species --preset single --sample 10")
    assert "10 items, 3 people each" in out
    out, _ = typed("candidly check pets --label species --json")
    assert json.loads(out)["rows"] == 60
