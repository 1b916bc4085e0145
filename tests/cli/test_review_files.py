"""A user's own table: into a review, and back with corrected labels."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

review = pytest.importorskip("candidly.people.review")

TEXT = (
    'id,kind,size,price,born,noise\n007,cat,"1,5",1.10,2024-01-05,meow\n008,dog,3,2.00,05.02.2024,\n'
    '009,dog,1,1.20,,"say ""meow"""\n010,,2,,2023-11-30,woof\n011,cat,3,2.5,2023-12-01,woof\n'
)
ISSUES = {"index": [2, 4], "given": ["dog", "cat"], "proposed": ["cat", "dog"]}
NEW = ("review", "new", "p", "pets.csv", "--label", "kind", "--issues", "issues.csv")
EXPORT = ("review", "export", "p", "--as", "corrected", "--into", "pets.csv", "--out", "out.csv")


@pytest.fixture
def pets(candidly, tmp_path):
    (tmp_path / "pets.csv").write_bytes(TEXT.encode())
    pl.DataFrame(ISSUES | {"margin": [-0.2, -0.7]}).write_csv("issues.csv")
    return candidly


def answer_all(say, folder="p", code="ann"):
    """One person says the same about everything; what they were shown, in order."""
    seen = []
    with review.open_project(folder) as project:
        who = review.add_person(project, code)
        while tasks := review.next_tasks(project, who):
            for task in tasks:
                seen.append(task.shown)
                choice = say(json.loads(task.shown.payload))
                reply = review.Reply(f"{code}-{len(seen):08}", task.item, choice, task.repeat)
                review.answer(project, who, [reply])
    return seen


def test_from_a_table_and_back_into_it(pets, tmp_path):
    status, out, err = pets(*NEW, "--people", 1)
    assert status == 0, err
    assert "2 items, 1 person each" in out
    with review.open_project("p") as project:
        names = {card.name for card in review.browse(project, review.ItemFilter()).cards}
        assert names == {"9", "11"} or names == {"009", "011"}
    seen = answer_all(lambda row: "guessed" if row["noise"] == "woof" else "given")
    # most suspicious first; neither the label nor the id is shown; cells as they stand
    assert [list(json.loads(one.payload)) for one in seen[:2]] == [
        ["size", "price", "born", "noise"]
    ] * 2
    assert json.loads(seen[0].payload)["noise"] == "woof"
    assert json.loads(seen[1].payload) == {
        "size": "1", "price": "1.20", "born": None, "noise": 'say "meow"',
    }  # fmt: skip
    status, _, err = pets(*EXPORT)
    assert (status, "wrote out.csv: 5 rows" in err) == (0, True), err
    rows = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [row[:2] + row[4:] for row in rows] == list(csv.reader(io.StringIO(TEXT)))
    assert [row[2:4] for row in rows] == [
        ["kind corrected", "kind corrected by"],
        ["cat", "unflagged"],
        ["dog", "unflagged"],
        ["dog", "confirmed"],
        ["", "unflagged"],
        ["dog", "corrected"],
    ]
    text = (tmp_path / "out.csv").read_text()
    for row in rows:  # taken out again, nothing has changed
        text = text.replace(f",{row[2]},{row[3]}", "", 1)
    assert text == TEXT


def test_twice_another_file_and_onto_itself_are_refused(pets, tmp_path):
    assert pets(*NEW, "--people", 1)[0] == 0
    answer_all(lambda row: "guessed")
    assert pets(*EXPORT)[0] == 0
    refused = {
        ("out.csv", "twice.csv"): "has a column 'kind corrected' already",
        ("other.csv", "o.csv"): "holds other cells, or rows in another order",
        ("less.csv", "o.csv"): "has 4 rows, but the labels came from pets.csv of 5",
        ("pets.csv", "pets.csv"): "write over it with --overwrite",
        ("pets.csv", "o.txt"): "must end in .csv",
        ("none.csv", "o.csv"): "there is no file none.csv",
    }
    (tmp_path / "other.csv").write_text(TEXT.replace("woof", "Woof"))
    (tmp_path / "less.csv").write_text(TEXT[: TEXT.index("011")])
    for (into, out), match in refused.items():
        status, _, err = pets(*EXPORT[:-3], into, "--out", out)
        assert (status, match in err) == (2, True), err
    assert not (tmp_path / "o.csv").exists()
    assert (tmp_path / "pets.csv").read_text() == TEXT
    assert pets(*EXPORT[:-1], "pets.csv", "--overwrite")[0] == 0
    assert "kind corrected" in (tmp_path / "pets.csv").read_text()


def test_what_is_exported_goes_on_in_data_bench_and_stability(pets, tmp_path):
    kinds = ["cat" if k % 2 else "dog" for k in range(40)]
    rows = [f"{100 + k},{kind},{k % 2 + k / 50:.2f}" for k, kind in enumerate(kinds)]
    (tmp_path / "pets.csv").write_text("\n".join(["id,kind,size", *rows]))
    pl.DataFrame({"index": [3], "given": ["cat"], "proposed": ["dog"]}).write_csv("issues.csv")
    assert pets(*NEW, "--people", 1)[0] == 0
    answer_all(lambda row: "guessed")
    assert pets(*EXPORT)[0] == 0
    labels = ("--labels", "pets.csv", "--label", "kind", "--out", "table.csv")
    status, _, err = pets(*EXPORT[:5], *labels)
    assert status == 0, err
    table = pl.read_csv("table.csv")
    assert table.columns[:3] == ["id", "label", "original"]
    assert table.row(3)[:3] == (103, "dog", "cat")

    new = ("--label", "kind corrected")
    status, out, err = pets("data", "describe", "out.csv", *new, "--json")
    assert status == 0, err
    about = json.loads(out)
    assert (about["n"], about["features"], about["q"]) == (40, 1, 2)
    run = (
        "bench",
        "run",
        "--dataset",
        "out.csv",
        "--algorithms",
        "ce",
        "--out",
        "b",
        *new,
        "--hyper",
        "batch_size=16",
    )
    status, _, err = pets(*run, "--configs", 1, "--splits", 1, "--steps", 20, "--workers", 1)
    assert status == 0, err

    (tmp_path / "models").mkdir()
    for name, wrong in (("one", 3), ("two", 9)):
        guess = ["dog" if k in (3, wrong) else kind for k, kind in enumerate(kinds)]
        columns = {"id": range(100, 140), "prediction": guess}
        pl.DataFrame(columns).write_csv(tmp_path / "models" / f"{name}.csv")
    for corrected in ("out.csv", "table.csv"):
        files = ("--labels", "pets.csv", "--label", "kind", "--corrected", corrected)
        more = ("--predictions", "models", "--classes", "cat,dog", "--resamples", 50, "--json")
        status, out, err = pets("stability", *files, *more)
        assert status == 0, (corrected, err)
        found = {one["model"]: one["top1"] for one in json.loads(out)["standings"]}
        assert found["one"]["corrected"]["share"] == 1
        assert found["one"]["original"]["share"] == 39 / 40


def test_which_rows_are_asked_about(pets, tmp_path):
    single = ("review", "new", "s", "pets.csv", "--label", "kind", "--preset", "single")
    status, out, err = pets(*single, "--rows", "0,4")
    assert status == 0, err
    with review.open_project("s") as project:
        assert project.rules.classes == ("cat", "dog")
        cards = review.browse(project, review.ItemFilter()).cards
        assert sorted(card.name for card in cards) == ["007", "011"]
        assert sorted(card.row for card in cards) == [0, 4]
    (tmp_path / "rows.txt").write_text("1\n\n2\n")
    for folder, more, number in (("t", ("--rows", "rows.txt"), 2), ("u", (), 5)):
        status, out, err = pets(*single[:2], folder, *single[3:], *more, "--json")
        assert (status, json.loads(out)["items"]) == (0, number), err
    status, _, err = pets(*single[:2], "v", *single[3:], "--classes", "owl,dog,cat")
    assert status == 0, err
    with review.open_project("v") as project:
        assert project.rules.classes == ("owl", "dog", "cat")


def test_a_folder_of_pictures_and_a_column_of_texts(pets, tmp_path):
    from PIL import Image

    for k, kind in enumerate(["cat", "dog"] * 3):
        (tmp_path / "photos" / kind).mkdir(parents=True, exist_ok=True)
        Image.new("L", (8, 8), 40 * k).save(tmp_path / "photos" / kind / f"{k}.png")
    status, _, err = pets("review", "new", "a", "photos", "--preset", "single")
    assert status == 0, err
    with review.open_project("a") as project:
        cards = review.browse(project, review.ItemFilter()).cards
        assert {card.shown.kind for card in cards} == {"image"}
        assert len(list((tmp_path / "a" / "media").iterdir())) == 6
    (tmp_path / "said.jsonl").write_text(
        '{"what": "hello", "kind": "a"}\n{"what": "bye", "kind": "b"}'
    )
    text = ("review", "new", "b", "said.jsonl", "--label", "kind", "--text", "what")
    status, _, err = pets(*text, "--preset", "single")
    assert status == 0, err
    with review.open_project("b") as project:
        cards = review.browse(project, review.ItemFilter()).cards
        assert {(card.shown.kind, card.shown.payload) for card in cards} == {
            ("text", "hello"), ("text", "bye"),
        }  # fmt: skip


def test_a_known_data_set_with_other_names_of_classes(candidly):
    names = ",".join("abcdefghij")
    new = ("review", "new", "p", "digits", "--preset", "single", "--sample", 3, "--classes")
    status, _, err = candidly(*new, names)
    assert status == 0, err
    with review.open_project("p") as project:
        assert project.rules.classes == tuple("abcdefghij")
    status, _, err = candidly(*new[:2], "q", *new[3:], "a,b")
    assert (status, "--classes has 2 names" in err) == (2, True), err


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("pets.csv", "--label", "kind"), "verdicts need guesses: find them with candidly check"),
        (("pets.csv", "--issues", "issues.csv"), "--label"),
        (("pets.csv", "--label", "knd", "--issues", "issues.csv"), "did you mean 'kind'"),
        (("none.csv", "--label", "kind", "--issues", "issues.csv"), "no file none.csv"),
        (("pets.csv", "--label", "kind", "--issues", "none.csv"), "none.csv"),
        (("pets.csv", "--label", "kind", "--issues", "other.csv"), "row 2 has the label cat"),
        (("pets.csv", "--label", "kind", "--issues", "far.csv"), "row 9 is not among the 5"),
        (
            ("pets.csv", "--label", "kind", "--rows", "1,x", "--preset", "single"),
            "row of --rows is 'x'; give a whole",
        ),
        (("pets.csv", "--label", "kind", "--rows", "77", "--preset", "single"), "row 77 is not"),
        (("pets.csv", "--rows", "1", "--issues", "issues.csv"), "--rows say which rows"),
        (("pets.csv", "--data", "digits"), "both say what to ask about"),
        (
            ("--issues", "issues.csv", "--label", "kind"),
            "--label says nothing of issues.csv. Leave it out, or name the table",
        ),
    ],
)
def test_what_is_refused(pets, arguments, match):
    pl.DataFrame(ISSUES | {"given": ["cat", "cat"]}).write_csv("other.csv")
    pl.DataFrame(ISSUES | {"index": [2, 9]}).write_csv("far.csv")
    status, _, err = pets("review", "new", "p", *arguments)
    assert (status, match in err) == (2, True), err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) <= 2
