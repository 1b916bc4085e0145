"""``candidly check``, through the same door as a user."""

from __future__ import annotations

import csv
import json
import os
import shlex
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from candidly.data.examples import EXAMPLES, write


@pytest.fixture
def pets(tmp_path):
    write("pets", tmp_path)
    return tmp_path


def asked(candidly, *words):
    status, out, err = candidly("check", *words, "--json")
    assert status == 0, err
    return json.loads(out)


def test_the_example_gives_most_of_its_wrong_labels_and_says_what_it_did(candidly, pets):
    status, out, err = candidly("check", "pets.csv", "--label", "kind", "--top", 5)
    assert status == 0, err
    text = " ".join(out.split())
    rows = list(csv.DictReader((pets / "pets.csv").open(encoding="utf-8")))
    kinds = [row["kind"] for row in rows if row["kind"]]
    most = max(sorted(set(kinds)), key=kinds.count)
    for said in (
        "rows 400",
        "labels kind: 3 classes (cat, dog, rabbit), 4 rows without a label",
        "id row's name",
        "weight_kg number",
        "fee number",
        "arrived date",
        "kind label",
        f"always saying {most!r} would agree with {kinds.count(most) / len(kinds):.1%}",
        "fitted to the other folds (5 in all)",
        "expected calibration error",
        "of 396 labels are wrong",
    ):
        assert said in text, said
    for path in ("pets-check.csv", "pets-check.html"):
        assert f"wrote {path}" in err
        assert (pets / path).exists()
    assert (pets / "pets.csv").read_bytes() == EXAMPLES["pets"].files()["pets.csv"]
    table = pl.read_csv(pets / "pets-check.csv")
    wrong = set(range(9, 400, 21))
    assert len(wrong & set(table["index"].to_list())) >= 0.7 * len(wrong)
    assert table["id"].to_list()[0] == table["id (own)"].to_list()[0]
    for row in table.iter_rows(named=True):
        assert rows[row["index"]]["remark"] == (row["remark"] or "")
        assert rows[row["index"]]["kind"] == row["given"]


def test_the_next_commands_work_as_they_are_printed(candidly, pets):
    status, out, err = candidly("check", "pets.csv", "--label", "kind", "--classifier", "logistic")
    assert status == 0, err
    lines = [line.strip() for line in out.splitlines() if line.startswith("  candid")]
    new, serve, export, count, _, told = lines
    status, out, err = candidly(*shlex.split(new)[1:])
    assert status == 0, err
    assert shlex.split(serve)[-1] == "pets-review"
    status, out, err = candidly(*shlex.split(export)[1:])
    assert status == 0, err
    assert (pets / "pets-corrected.csv").exists()
    status, out, err = candidly(*shlex.split(count)[1:])
    assert status == 0, err
    assert out.startswith("pets-count: 100 items")
    status, out, err = candidly(*shlex.split(told)[1:])
    assert status == 0, err


def test_json_says_the_same_and_the_places(candidly, pets):
    words = ("pets.csv", "--label", "kind", "--classifier", "logistic", "--folds", 3)
    about = asked(candidly, *words, "--probs", "p.npz", "--out", "x.parquet", "--html", "x.html")
    assert about["written"] == {
        "table": "x.parquet",
        "page": "x.html",
        "probabilities": "p.npz",
        "sample": "pets-sample.csv",
    }
    assert about["flagged"] == len(pl.read_parquet(pets / "x.parquet"))
    assert about["folds"] == 3
    assert about["classifier"] == "logistic"
    assert about["largest class"]["name"] == "cat"
    with np.load(pets / "p.npz") as file:
        assert file["probs"].shape == (400, 3)
    assert shlex.split(about["next"][0])[-4:] == ["--issues", "x.parquet", "--people", "1"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing.csv",), "nothing.csv"),
        (("pets.csv", "--label", "kin"), "did you mean 'kind'"),
        (("pets.csv", "--label", "kind", "--out", "pets.csv"), "is pets.csv, and so is FILE"),
        (("pets.csv", "--label", "kind", "--out", "x.txt"), "must end in .csv"),
        (("pets.csv", "--label", "kind", "--html", "no/x.html"), "no folder no"),
        (("pets.csv", "--label", "kind", "--by", "guess"), "way to find label errors"),
        (("pets.csv", "--label", "kind", "--folds", "1"), "whole number"),
        (("pets.csv", "--label", "kind", "--classifier", "forrest"), "forest"),
        (("pets.csv", "--label", "kind", "--group", "kinds"), "--group"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_writes_nothing(candidly, pets, words, said):
    status, _, err = candidly("check", *words)
    assert status == 2
    assert said in err
    assert "Traceback" not in err
    assert [path.name for path in pets.iterdir()] == ["pets.csv"]


@pytest.mark.slow
def test_ctrl_c_ends_in_a_sentence_and_leaves_nothing(tmp_path):
    g = np.random.default_rng(0)
    x = pl.DataFrame(g.normal(size=(20_000, 60)), schema=[f"c{k}" for k in range(60)])
    y = pl.Series("label", [f"class {k}" for k in g.integers(0, 8, 20_000)])
    x.with_columns(y).write_parquet(tmp_path / "big.parquet")
    command = [sys.executable, "-m", "candidly", "check", "big.parquet"]
    command += ["--classifier", "forest", "--label", "label"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        assert process.stderr is not None
        assert "%" in process.stderr.readline()  # it is at work
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    # a shell sees 130 either way: Python may end by the signal that it has handled
    assert process.returncode in (130, -signal.SIGINT), err
    assert "stopped; nothing was written." in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["big.parquet"]


def test_probabilities_name_their_rows_so_that_answers_about_these_find_them(candidly, tmp_path):
    write("answers", tmp_path)
    words = ("crowd", "consensus", "answers.csv", "--top", 1)
    candidly(*words, "--by", "majority", "--into", "leaves.csv", "--out", "majority.csv")
    found = asked(candidly, "majority.csv", "--label", "consensus", "--probs", "probs.parquet")
    table = pl.read_parquet("probs.parquet")
    assert table.columns == ["id", *found["classes"]]
    assert table["id"].to_list() == pl.read_csv("leaves.csv")["id"].to_list()
    status, out, err = candidly(*words, "--by", "crowdlab", "--probs", "probs.parquet")
    assert status == 0, err
    assert "the model weighs" in out
    asked(candidly, "majority.csv", "--label", "consensus", "--probs", "probs.npy")
    status, _, err = candidly(*words, "--probs", "probs.npy")
    assert status == 2
    assert "a column called item, as those have that candidly check writes" in err


def test_a_class_called_id_leaves_that_name_to_it(candidly, tmp_path):
    rows = [f"r{k},{k % 2 + k % 7 / 50},{('id', 'visa')[k % 2]}" for k in range(60)]
    (tmp_path / "cards.csv").write_text("\n".join(["name,size,kind", *rows]))
    asked(candidly, "cards.csv", "--label", "kind", "--id", "name", "--probs", "p.parquet")
    assert pl.read_parquet("p.parquet").columns == ["item", "id", "visa"]


def marked(pets, wrong=lambda row: row % 21 == 9, first=60):
    """The drawn rows with a column ``wrong``, as a person fills it in; where it is."""
    table = pl.read_csv(pets / "pets-sample.csv")
    cells = ["yes" if wrong(row) else "no" for row in table["index"].to_list()]
    cells[first:] = [""] * (len(cells) - first)
    table.with_columns(pl.Series("wrong", cells)).write_csv(pets / "marked.csv")
    return pets / "marked.csv"


def test_marks_in_the_drawn_rows_make_a_count(candidly, pets):
    words = ("pets.csv", "--label", "kind", "--classifier", "logistic")
    before = asked(candidly, *words)
    assert before["counted"] is None
    assert len(pl.read_csv(pets / "pets-sample.csv")) == 396
    about = asked(candidly, *words, "--checked", marked(pets))
    counted = about["counted"]
    assert about["headline"] == counted["headline"]
    assert counted["checked"] == 60
    assert counted["labelled"] == 396
    assert counted["from"] <= 18 <= counted["to"]
    assert "sample" not in about["written"]
    assert about["to count"] == []
    status, out, err = candidly("check", *words, "--checked", marked(pets))
    assert status == 0, err
    assert counted["headline"] in " ".join(out.split())
    assert "expected by what people said of the rows that they checked" in " ".join(out.split())
    page = (pets / "pets-check.html").read_text()
    assert counted["headline"] in page
    listed = pl.read_csv(pets / "pets-check.csv")
    judged = pl.read_csv(pets / "marked.csv")["index"][:60].to_list()
    assert not [row for row in listed["index"] if row in judged and row % 21 != 9]


def test_answers_about_another_file_or_this_before_it_changed_are_refused(candidly, pets):
    words = ("--label", "kind", "--classifier", "logistic")
    asked(candidly, "pets.csv", *words)
    made = ("--issues", "pets-sample.csv", "--sample", 20, "--people", 1)
    status, _, err = candidly("review", "new", "count", "pets.csv", "--label", "kind", *made)
    assert status == 0, err
    marks, lines = marked(pets), (pets / "pets.csv").read_text().splitlines()
    row = pl.read_csv(marks)["index"][0] + 1
    kind = next(k for k in ("cat", "dog", "rabbit") if k not in lines[row])
    old = next(k for k in ("cat", "dog", "rabbit") if k in lines[row])
    other = [*lines[:row], lines[row].replace(old, kind), *lines[row + 1 :]]
    (pets / "other.csv").write_text("\n".join(other))
    (pets / "short.csv").write_text("\n".join(lines[:300]))
    for checked, file, said in (
        (marks, "other.csv", f"says that the label of row {row - 1} is"),
        (marks, "short.csv", "drawn from 396 labels, and short.csv has"),
        ("count", "other.csv", "pets.csv"),
        ("count", "pets.csv", "says of 0 of 20 drawn rows whether"),
        ("pets.csv", "pets.csv", "it needs item, person, answer"),
        ("nowhere", "pets.csv", "nowhere does not exist"),
    ):
        status, out, err = candidly("check", file, *words, "--checked", checked)
        assert (status, out) == (2, ""), checked
        assert said in err


def test_a_count_is_of_one_label_a_row(candidly, pets, tmp_path):
    asked(candidly, "pets.csv", "--label", "kind", "--classifier", "logistic")
    lines = [f"{k},{'a|b' if k % 3 else 'a'}" for k in range(60)]
    (tmp_path / "tags.csv").write_text("\n".join(["size,tags", *lines]))
    words = ("--label", "tags", "--label-kind", "all-of", "--checked", marked(pets))
    status, out, err = candidly("check", "tags.csv", *words)
    assert (status, out) == (2, "")
    assert "one label a row" in err
