"""A user's own table: into a review, and back with corrected labels."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

review = pytest.importorskip("candidly.review")

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
    assert "2 items, 1 people each" in out
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
        ("pets.csv", "pets.csv"): "say --overwrite",
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


def test_what_is_exported_goes_on(pets, tmp_path):
    # data, bench and stability take it by the name of the column
    header = "id,kind,size\n"
    rows = [f"{100 + k},{'cat' if k % 2 else 'dog'},{k % 2 + k / 50:.2f}\n" for k in range(40)]
    (tmp_path / "pets.csv").write_text(header + "".join(rows))
    pl.DataFrame({"index": [3], "given": ["cat"], "proposed": ["dog"]}).write_csv("issues.csv")
    assert pets(*NEW, "--people", 1, "--goal", "random")[0] == 0
    answer_all(lambda row: "guessed")
    assert pets(*EXPORT)[0] == 0
    new = ("--label", "kind corrected", "--drop", "kind")
    status, out, err = pets("data", "describe", "out.csv", *new, "--json")
    assert status == 0, err
    assert json.loads(out)["n"] == 40
    assert json.loads(out)["features"] == 1
    pets("review", "export", "p", "--as", "corrected", "--labels", "pets.csv", "--label", "kind")
    (tmp_path / "models").mkdir()
    for name, wrong in (("one", 0), ("two", 9)):
        guess = ["dog" if k in (3, wrong) else line.split(",")[1] for k, line in enumerate(rows)]
        pl.DataFrame({"id": [100 + k for k in range(40)], "prediction": guess}).write_csv(
            tmp_path / "models" / f"{name}.csv"
        )
