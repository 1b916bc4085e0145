"""People tick all labels that hold; what they ticked goes back into the file."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import candidly
from candidly import review
from candidly.data.ingest import check_origin, origin_of, read_frame

from review_cases import some_items, team, work_through

TAGS = ("a", "b", "c")


@pytest.fixture
def asked(make):
    """Three people about four items, rows 10 to 13."""
    return make(items=some_items(4), question="all labels", threshold=None, people=3)


def ticked(project, *said):
    """Each person's answers by item."""
    places = {card.id: int(card.name[1:]) for page in review.all_cards(project) for card in page}
    for who, words in zip(team(project, len(said)), said):
        work_through(project, who, lambda task, w=words: w[places[task.item]])


def test_a_tag_holds_where_most_people_say_so(asked):
    ticked(
        asked,
        ["0 1", "none", "0", "skip"],
        ["0", "none", "1", "0"],
        ["0 2", "1", "2", "0 1"],
    )
    before = np.zeros((20, 3), bool)
    before[10] = True, False, False
    before[11] = True, True, False
    made = review.corrected_tags(asked, before)
    assert made.tags[10].tolist() == [True, False, False]
    assert made.tags[11].tolist() == [False, False, False]
    assert made.tags[12].tolist() == [False, False, False]
    assert made.sources[10:15] == ["confirmed", "corrected", "confirmed", "pending", "unflagged"]
    assert (made.tags[13] == before[13]).all()
    words = {(v["name"], v["answer"]): v["labels"] for v in review.votes(asked).to_dicts()}
    assert words["i1", "none"] == ""
    assert words["i0", "0 1"] == "cat|dog"


def test_as_many_for_as_against_leaves_a_tag(make):
    project = make(items=some_items(1), question="all labels", threshold=None, people=2)
    ticked(project, ["0"], ["1"])
    before = np.zeros((11, 3), bool)
    before[10] = True, False, True
    assert review.corrected_tags(project, before).tags[10].tolist() == [True, False, False]


def test_what_people_cannot_say(asked, make):
    who = team(asked, 1)[0]
    for wrong, match in (("none 0", "class numbers"), ("", "class numbers"), ("7", "0 to 2")):
        with pytest.raises(ValueError, match=match):
            work_through(asked, who, lambda task, w=wrong: w)
    with pytest.raises(ValueError, match="3 classes"):
        review.corrected_tags(asked, np.zeros((20, 2), bool))
    with pytest.raises(ValueError, match="has 5 rows"):
        review.corrected_tags(asked, np.zeros((5, 3), bool))
    other = make(2)
    with pytest.raises(ValueError, match="only all labels make tags"):
        review.corrected_tags(other, np.zeros((20, 3), bool))


FORMS = {
    "t.csv": ("a, b", "a", None, "c ,a"),
    "t.tsv": ("a|b", "a", None, "c|a"),
    "t.parquet": (["a", "b"], ["a"], None, ["c", "a"]),
    "t.jsonl": (["a", "b"], ["a"], [], ["c", "a"]),
}


@pytest.mark.parametrize("name", FORMS)
def test_cells_come_back_as_they_were(tmp_path, name):
    kind = pl.String if isinstance(FORMS[name][0], str) else pl.List(pl.String)
    tags = pl.Series([*FORMS[name]], dtype=kind)
    frame = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "tags": tags})
    path = tmp_path / name
    writers = {
        ".csv": frame.write_csv, ".tsv": lambda p: frame.write_csv(p, separator="\t"),
        ".parquet": frame.write_parquet, ".jsonl": frame.write_ndjson,
    }  # fmt: skip
    writers[path.suffix](path)
    separator = "," if name == "t.csv" else "|"
    sheet = read_frame(path)
    data = candidly.read(path, label="tags", label_kind="all-of", label_separator=separator)
    items = review.items_of_data(data)
    rules = review.Rules(
        question="all labels", classes=data.classes, people=1, gold_every=0, repeat_every=0
    )
    origin = origin_of(sheet, "tags", separator)
    said = ["0 1", "0 2", "1", "none"]  # as it was, one more, the first, none
    with review.make_project(tmp_path / "p", items, rules, origin=origin) as project:
        ticked_by_row(project, said)
        made = review.corrected_file(project, sheet, tmp_path / f"out{path.suffix}")
    assert made.sources == ["confirmed", "corrected", "corrected", "corrected"]
    after = read_frame(tmp_path / f"out{path.suffix}").frame
    cells = after["tags corrected"].to_list()
    expected = {
        ",": ["a, b", "a, c", "b", None],
        "|": ["a|b", "a|c", "b", None],
    }[separator]
    if kind != pl.String:
        expected = [["a", "b"], ["a", "c"], ["b"], []]
    assert [cell if isinstance(cell, list) else cell or None for cell in cells] == expected
    assert after["tags"].to_list() == frame["tags"].to_list()
    check_origin(sheet, json_again(origin))


def json_again(origin):
    text = origin.to_json()
    old = {name: value for name, value in json.loads(text).items() if name != "separator"}
    assert type(origin).from_json(json.dumps(old)).separator == "|"  # of projects made before
    return type(origin).from_json(text)


def ticked_by_row(project, said):
    who = team(project, 1)[0]
    rows = {card.id: card.row for page in review.all_cards(project) for card in page}
    work_through(project, who, lambda task: said[rows[task.item]])


def test_the_issues_are_of_these_tags(tmp_path):
    x = np.zeros((3, 1))
    data = candidly.from_arrays(x, tags=[["a", "b"], ["b"], []], classes=TAGS, source="s")
    path = tmp_path / "issues.csv"
    path.write_text("index,given,self-confidence\n2,,0.1\n0,b|a,0.2\n")
    items = review.items_of_tags(path, data)
    assert [(one.row, one.name, one.score) for one in items] == [(2, "2", 0.1), (0, "0", 0.2)]
    path.write_text("index,given\n1,a\n")
    with pytest.raises(ValueError, match="other tags of row 1"):
        review.items_of_tags(path, data)
    path.write_text("index,given\n7,a\n")
    with pytest.raises(ValueError, match="row 7 is not among"):
        review.items_of_tags(path, data)
