"""Files as annotation tools and spreadsheets leave them, taken by the commands as they are."""

from __future__ import annotations

import json
import sys

import numpy as np
import openpyxl
import polars as pl
import pytest

import export_files as files
from candidly import cli

WORDS = {"cat": ("purrs", "meows", "whiskers"), "dog": ("barks", "fetches", "wags")}
WRONG = (5, 17)  # of the items of one person


@pytest.fixture
def candidly(monkeypatch, capsys, tmp_path):
    """Runs a command line in a folder of its own: what it prints, and what it says beside."""
    monkeypatch.chdir(tmp_path)

    def run(line: str, status: int = 0) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["candidly", *line.split()])
        try:
            cli.main()
            ended = 0
        except SystemExit as done:
            ended = done.code or 0
        said = capsys.readouterr()
        assert ended == status, said.err
        return said.out, said.err

    return run


def truth(item: int) -> str:
    return ("cat", "dog")[item % 2]


@pytest.fixture
def texts(monkeypatch):
    """Short texts that tell cats from dogs, in place of those that the files hold otherwise."""

    def text(item: int) -> str:
        draw = np.random.default_rng(item)
        return " ".join(["it", *draw.choice(WORDS[truth(item)], 4), f"near house {item}"])

    monkeypatch.setattr(files, "text", text)


def said_by_three(n: int = 40) -> files.Said:
    """Two people who are right, and one who says dog of everything."""
    return {k: {"ann": truth(k), "bob": truth(k), "eve": "dog"} for k in range(n)}


def test_three_people_in_label_studio_and_then_a_check(candidly, texts, tmp_path):
    (tmp_path / "export.json").write_bytes(files.label_studio(said_by_three()))
    # the first try says what to do
    _, err = candidly("check export.json", status=2)
    assert "candidly crowd consensus puts it beside the answers, in a column called consensus" in (
        " ".join(err.split())
    )
    out, err = candidly("crowd consensus export.json --into export.json --out labelled.csv")
    assert "read as: Label Studio export, 3 annotators, 40 items, 120 answers." in err
    assert "warning" not in err
    assert "120 answers about 40 items by 3 annotators, 2 classes" in out
    labelled = pl.read_csv(tmp_path / "labelled.csv")
    assert labelled.columns == ["item", "consensus", "text"]
    assert labelled["consensus"].to_list() == [truth(k) for k in range(40)]

    candidly("check labelled.csv --label consensus --text text --id item")
    assert (tmp_path / "labelled-check.html").exists()


def test_one_person_in_label_studio_is_a_table_of_labels(candidly, texts, tmp_path):
    labels = {k: truth(k + (k in WRONG)) for k in range(60)}
    data = files.label_studio({k: {"ann": label} for k, label in labels.items()})
    (tmp_path / "export.json").write_bytes(data)
    out, _err = candidly("check export.json --json")
    found = json.loads(out)
    flagged = pl.read_csv(tmp_path / "export-check.csv")
    assert set(flagged["id"]) <= set(WRONG)
    assert len(flagged)
    assert any("read as: Label Studio export, 1 annotator" in note for note in found["warnings"])

    out, _ = candidly("data describe export.json")
    assert "examples        60" in out
    assert "texts" in out
    for line in found["next"]:  # what it says to do next is there to be done
        if " serve " not in line:
            candidly(line.removeprefix("candidly "))
    assert len(json.loads((tmp_path / "export-corrected.json").read_text())) == 60


def test_a_pool_of_toloka_with_golden_tasks_and_a_rejected_worker(candidly, tmp_path):
    said = {str(k): {"w1": truth(k), "w2": truth(k), "w3": truth(k + 1)} for k in range(20)}
    rows = pl.read_csv(files.toloka(said), separator="\t", infer_schema=False)
    task, worker = pl.col("ASSIGNMENT:task_id").cast(int), pl.col("ASSIGNMENT:worker_id")
    golden = pl.when(task < 5).then(
        pl.when(task % 2 == 0).then(pl.lit("cat")).otherwise(pl.lit("dog"))
    )
    status = pl.when(worker == "w3").then(pl.lit("REJECTED")).otherwise(pl.lit("APPROVED"))
    rows = rows.with_columns(golden.alias("GOLDEN:result"), status.alias("ASSIGNMENT:status"))
    rows.write_csv(tmp_path / "assignments.tsv", separator="\t")
    out, err = candidly("crowd consensus assignments.tsv --out labels.csv --json")
    found = json.loads(out)
    assert "2 annotators, 20 items, 40 answers; left out: 20 rejected." in err
    assert (found["known"]["right"], found["known"]["n"]) == (5, 5)
    assert {row["annotator"] for row in found["annotators"]} == {"w1", "w2"}


def test_get_another_label_with_answers_given_again(candidly, tmp_path):
    lines = files.get_another_label(said_by_three(10)).decode() + "ann\t3\tcat\nann\t3\tdog\n"
    (tmp_path / "labels.txt").write_text(lines)
    _, err = candidly("crowd consensus labels.txt", status=2)
    assert "'ann' answers item 3 twice" in err
    assert "with --keep: first, last or all" in err
    answers = {}
    for keep in ("first", "last", "all"):
        out, _ = candidly(f"crowd consensus labels.txt --keep {keep} --by majority --json")
        answers[keep] = json.loads(out)["answers"]
    assert answers == {"first": 30, "last": 30, "all": 32}


def test_a_sheet_of_a_workbook_with_a_column_for_each_person(candidly, tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Read me"
    book.active.append(["what", "who"])
    book.active.append(["answers of May", "ann"])
    page = book.create_sheet("Answers")
    page.append(["item", "ann", "bob", "eve"])
    for item, by in said_by_three(12).items():
        page.append([f"q{item}", by["ann"], by["bob"] if item else None, by["eve"]])
    book.create_sheet("old").sheet_state = "hidden"
    book.save(tmp_path / "answers.xlsx")
    _, err = candidly("crowd consensus answers.xlsx", status=2)
    assert "read the sheet 'Read me'; not 'Answers', 'old' (hidden)" in err
    assert "--sheet" in err
    out, err = candidly("crowd consensus answers.xlsx --sheet Answers --top 1")
    assert "35 answers about 12 items by 3 annotators, 2 classes" in out
    assert "answers.xlsx read as: a column for each annotator, 3 annotators" in err


def test_a_table_with_the_labels_and_what_each_model_says(candidly, tmp_path):
    draw = np.random.default_rng(0)
    names = np.array(["cat", "dog", "cow"])
    labels = draw.integers(0, 3, 200)
    columns = {"id": [f"r{k}" for k in range(200)], "label": names[labels]}
    for model, right in {"big": 0.95, "small": 0.7, "old": 0.65}.items():
        guess = draw.integers(0, 3, 200)
        columns[model] = names[np.where(draw.random(200) < right, labels, guess)]
    pl.DataFrame(columns).write_csv(tmp_path / "models.csv")
    out, _ = candidly("stability --labels models.csv --predictions models.csv --resamples 0")
    assert out.startswith("The first place is secure")
    assert "There is one version of the labels." in out
