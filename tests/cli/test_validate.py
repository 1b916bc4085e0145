"""``candidly validate``, through the same door as a user."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from PIL import Image

from candidly import validation

GIVEN = np.array([0, 1, 2, 3, 0, 1, 2, 3, 0, 1])
ITEMS = {  # answers of five people, and the guess
    1: (["guessed"] * 4 + ["given"], 2),
    3: (["given"] * 5, 0),
    4: (["both"] * 3 + ["given", "neither"], 1),
    8: (["given", "guessed", "neither", "skip", "both"], 3),
}


@pytest.fixture
def files(tmp_path):
    rows = [
        {"item": item, "person": who, "answer": answer, "guessed": guess}
        for item, (answers, guess) in ITEMS.items()
        for who, answer in zip("abcde", answers)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "answers.csv")
    np.save(tmp_path / "labels.npy", GIVEN)
    (tmp_path / "votes.json").write_text(json.dumps([released(2), released(5)]))
    return ("--votes", "answers.csv", "--labels", "labels.npy")


def released(number):
    return {
        "id": number,
        "url": "x",
        "given_original_label": int(GIVEN[number]),
        "given_original_label_name": "<b>cat",
        "our_guessed_label": 3,
        "our_guessed_label_name": "[bold]dog",
        "mturk": {"given": 1, "guessed": 4, "neither": 0, "both": 0},
    }


def test_json_says_everything(candidly, files):
    status, out, err = candidly("validate", *files, "--json", "--audited", 3)
    assert status == 0, err
    found = json.loads(out)
    assert (found["checked"], found["decided"], found["size"]) == (4, 4, 10)
    numbers = {name: count for name, count in found["categories"].items() if count}
    assert numbers == {"non-error": 1, "correctable": 1, "multi-label": 1, "non-agreement": 1}
    counts = {name: errors["count"] for name, errors in found["errors"].items()}
    assert counts == {"exact": 3, "seen": 2, "confirmed wrong": 1}
    assert found["estimates"]["exact"]["percent"] == 30
    assert found["missed"]["high"] == 3  # 3 of the 6 audited are right
    made = found["corrected"]
    named = ("unflagged", "confirmed", "corrected", "pruned", "undecided")
    assert [made[name] for name in named] == [6, 1, 1, 1, 1]
    assert [s["corrected"] for s in found["settings"]] == [1, 1, 0, 1]
    assert found["agreement"]["kappa"]["items"] == 4


def test_what_is_printed(candidly, files):
    status, out, err = candidly("validate", *files)
    assert status == 0, err
    words = [" ".join(line.split()) for line in out.splitlines()]
    assert words[0] == "4 items checked, 4 decided, decided by 3"
    assert "correctable 1" in words
    assert "exact 3 75.0 30.1 to 95.4 3 30.00 all checked" in words
    assert any(w.startswith("missed errors: nothing is known of the 6 examples") for w in words)
    assert "labels: 6 unflagged, 1 confirmed, 1 corrected, 1 pruned, 1 undecided" in words
    assert "seen at all by 3 1 1 8 11.11 20.00 1" in words


def test_corrected_labels_in_every_form(candidly, files, tmp_path):
    for ending in ("npz", "npy", "parquet", "csv"):
        status, _, err = candidly("validate", *files, "--out", f"c.{ending}")
        assert status == 0, err
        assert f"wrote c.{ending}" in err
    expected = [0, 2, 2, 3, -1, 1, 2, 3, 0, 1]
    made = validation.Corrected.load(tmp_path / "c.npz")
    assert made.labels.tolist() == np.load(tmp_path / "c.npy").tolist() == expected
    assert np.array_equal(made.undo(np.array(expected)), GIVEN)
    for table in (pl.read_parquet(tmp_path / "c.parquet"), pl.read_csv(tmp_path / "c.csv")):
        assert table["label"].fill_null(-1).to_list() == expected
        assert table["provenance"].to_list()[:5] == [
            *("unflagged", "corrected", "unflagged", "confirmed", "pruned")
        ]


def test_into_the_table_with_the_labels(candidly, files, tmp_path):
    names = ("ant", "bee", "cat", "dog")
    rows = [f'{k:03};"{names[k]}";1.10' for k in GIVEN]
    (tmp_path / "in.csv").write_bytes("\r\n".join(["id;kind;x", *rows]).encode())
    into = (*files[:2], "--into", "in.csv", "--label", "kind")
    status, out, err = candidly("validate", *into, "--out", "out.csv")
    assert status == 0, err
    assert "labels: 6 unflagged, 1 confirmed, 1 corrected, 1 pruned, 1 undecided" in out
    lines = (tmp_path / "out.csv").read_bytes().decode().split("\r\n")
    assert lines[0] == "id;kind;kind corrected;kind corrected by;x"
    for k, label in enumerate([0, 2, 2, 3, -1, 1, 2, 3, 0, 1]):
        start, _, end = rows[k].rpartition(";")
        assert lines[k + 1].startswith(f'{start};"{names[label] if label >= 0 else ""}";"')
        assert lines[k + 1].endswith(f'";{end}')
    for more, match in (
        (("--out", "in.csv"), "write over it with --overwrite"),
        ((), "--into in.csv needs --out"),
        (("--labels", "l.npy", "--out", "o.csv"), "leave --labels out"),
        (("--out", "o.txt"), "must end in .csv"),
    ):
        status, _, err = candidly("validate", *into, *more)
        assert (status, match in err) == (2, True), err
    again = (*files[:2], "--into", "out.csv", "--label", "kind", "--out", "o.csv")
    status, _, err = candidly("validate", *again)
    assert (status, "corrected before" in err) == (2, True), err


def test_labels_on_which_people_differ_stay_unless_they_are_to_be_pruned(candidly, files, tmp_path):
    high = (*files, "--threshold", 5, "--out", "c.csv")
    sources = []
    for more in ((), ("--undecided", "prune")):
        status, _, err = candidly("validate", *high, *more)
        assert status == 0, err
        table = pl.read_csv(tmp_path / "c.csv")
        sources.append(table["provenance"].to_list())
        kept = table["provenance"] == "undecided"
        assert (table["label"] == table["original"]).filter(kept).all()
        assert table["label"].null_count() == sources[-1].count("pruned")
    differ = [k for k, one in enumerate(sources[0]) if one == "undecided"]
    assert differ
    assert all(sources[1][k] == "pruned" for k in differ)
    status, _, err = candidly("validate", *high, "--undecided", "drop")
    assert (status, "--undecided is 'drop'; choose keep or prune" in err) == (2, True), err
    status, _, err = candidly("validate", *files[:2], "--undecided", "prune")
    assert (status, "are about corrected labels" in err) == (2, True), err


def test_the_other_reading_and_a_threshold(candidly, files, tmp_path):
    status, _, err = candidly("validate", *files, "--reading", "seen", "--out", "c.npy")
    assert status == 0, err
    assert np.load(tmp_path / "c.npy").tolist() == [0, 2, 2, 3, 0, 1, 2, 3, 0, 1]
    high = ("--threshold", 5, "--undecided", "prune", "--out", "c.npy")
    status, _, err = candidly("validate", *files, *high)
    assert np.load(tmp_path / "c.npy").tolist() == [0, -1, 2, 3, -1, 1, 2, 3, -1, 1]


def test_a_released_file_and_a_sample(candidly, files):
    status, out, err = candidly("validate", "--votes", "votes.json", "--json")
    assert status == 0, err
    found = json.loads(out)
    assert found["categories"]["correctable"] == 2
    assert "size" not in found
    assert "missed" not in found
    _, out, _ = candidly(
        *("validate", "--votes", "votes.json", "--size", 1000, "--flagged", 40, "--json")
    )
    found = json.loads(out)
    assert found["estimates"]["exact"]["total"] == 40
    assert found["settings"][0]["estimated"]


def test_the_page(candidly, files, tmp_path):
    status, _, err = candidly(
        *("validate", "--votes", "votes.json", "--labels", "labels.npy", "--html", "page.html")
    )
    assert status == 0, err
    page = (tmp_path / "page.html").read_text()
    assert "&lt;b&gt;cat" in page
    assert "[bold]dog" in page
    assert "2 of 2 checked labels are wrong" in page


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--votes", "none.json"), "there is no file none.json"),
        (("--votes", "answers.csv", "--votes-format", "relased"), "did you mean 'released'"),
        (("--votes", "answers.csv", "--format", "released"), "give --votes-format released"),
        (("--votes", "votes.json", "--out", "c.npz"), "say with --labels what to correct"),
        (("--votes", "votes.json", "--out", "c.txt"), "must end in .npz or .npy"),
        (
            ("--votes", "votes.json", "--labels", "labels.npy", "--reading", "both"),
            "choose exact or seen",
        ),
        (("--votes", "votes.json", "--audited", 3), "say with --size how many"),
        (("--votes", "votes.json", "--flagged", 3), "how many examples"),
        (("--votes", "votes.json", "--size", 1), "2 checked, but the data set has 1"),
        (("--votes", "votes.json", "--size", 9, "--flagged", 1), "--flagged is 1, but 2 were"),
        (("--votes", "votes.json", "--labels", "labels.npy", "--size", 9), "--labels has 10 rows"),
        (("--votes", "votes.json", "--labels", "none.npy"), "there is no file none.npy"),
        (("--votes", "votes.json", "--threshold", 2), "two answers could reach it"),
        (("--votes", "answers.csv", "--index", "x.json"), "item is the row number"),
        (("--votes", "votes.json", "--labels", "short.npy"), "votes about item 2, but 2 labels"),
        (("--votes", "votes.json", "--size", 9, "--audited", 8), "must not fall"),
    ],
)
def test_what_cannot_be_is_one_sentence(candidly, files, tmp_path, more, message):
    np.save(tmp_path / "short.npy", GIVEN[:2])
    status, out, err = candidly("validate", *more)
    assert status == 2
    assert out == ""
    assert message in " ".join(err.split())
    assert "Traceback" not in err


def test_help_has_examples(candidly):
    status, out, _ = candidly("validate", "--help")
    assert status == 0
    assert out.count("candidly validate --votes") == 4


def test_answers_that_are_too_few_for_a_verdict_say_which_option_decides(candidly, tmp_path):
    rows = [f"{item},{who},guessed,0,1,5" for item in range(4) for who in "ab"]
    (tmp_path / "votes.csv").write_text(
        "\n".join(["item,person,answer,given,guessed,people", *rows])
    )
    status, out, err = candidly("validate", "--votes", str(tmp_path / "votes.csv"))
    assert status == 0, err
    assert "0 decided" in out
    assert "--threshold 2 decides by these" in err
    status, out, _ = candidly(
        "validate", "--votes", str(tmp_path / "votes.csv"), "--threshold", "2"
    )
    assert "4 decided" in out
    # where two were asked, two are enough
    text = (tmp_path / "votes.csv").read_text().replace(",1,5", ",1,2")
    (tmp_path / "votes.csv").write_text(text)
    status, out, err = candidly("validate", "--votes", str(tmp_path / "votes.csv"))
    assert "4 decided" in out
    assert not err


def test_a_folder_of_pictures_is_copied_corrected(candidly, tmp_path):
    for k in range(8):
        folder = tmp_path / "pets" / ("cat", "dog")[k % 2]
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full((20, 20, 3), 20 * k, np.uint8)).save(folder / f"{k}.png")
    said = {0: ("guessed", "cat", "dog"), 5: ("neither", "dog", "cat")}
    rows = [f"{item},{who},{','.join(those)}" for item, those in said.items() for who in "ab"]
    (tmp_path / "votes.csv").write_text("\n".join(["item,person,answer,given,guessed", *rows]))
    line = ["validate", "--votes", tmp_path / "votes.csv", "--into", tmp_path / "pets"]
    line += ["--classes", "cat,dog", "--out", tmp_path / "right"]
    status, out, err = candidly(*map(str, line))
    assert status == 0, err
    assert "1 corrected, 1 pruned" in out
    right = tmp_path / "right"
    files = {p.relative_to(right).as_posix() for p in right.rglob("*.png")}
    moved = {"pictures/dog/0.png", "removed/dog/3.png"}
    assert moved <= files
    assert len(files) == 8
    assert "pictures/cat/0.png" not in files
    status, _, err = candidly(*map(str, line[:-1]), str(tmp_path / "other"), "--overwrite")
    assert status == 2
    assert not (tmp_path / "other").exists()


def test_labels_are_the_folders_of_a_list_of_names(candidly, files, tmp_path):
    names = ("ant", "bee", "cat", "dog")
    index = [f"val/{names[k]}/{place}.png" for place, k in enumerate(GIVEN)]
    (tmp_path / "index.json").write_text(json.dumps(index))
    plain, by_folders = (
        candidly("validate", *files[:2], "--labels", labels, "--out", "c.npy", "--json")
        for labels in (files[3], "index.json")
    )
    assert plain[0] == by_folders[0] == 0, by_folders[2]
    assert json.loads(plain[1])["settings"] == json.loads(by_folders[1])["settings"]
    assert np.load(tmp_path / "c.npy").tolist() == [0, 2, 2, 3, -1, 1, 2, 3, 0, 1]


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (["a.png", "b.png"], "the files are in no folder"),
        (["val/cat/a.png", "val/cat/b.png"], "the files are in one folder"),
        ([1, 2], "is no JSON list of names of files"),
        ({"a": "val/cat/a.png"}, "is no JSON list of names of files"),
    ],
)
def test_lists_of_names_that_say_no_labels(candidly, files, tmp_path, held, said):
    (tmp_path / "index.json").write_text(json.dumps(held))
    status, _, err = candidly("validate", *files[:2], "--labels", "index.json")
    assert status == 2
    assert said in err
    status, _, err = candidly("validate", *files[:2], "--labels", "index.json", "--label", "x")
    assert "index.json, a list of names of files. Leave it out." in err
