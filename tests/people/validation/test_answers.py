"""Long tables of answers: counted, and refused at the door."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from candidly.people.validation import ANSWERS, from_answers, judge, read_answers

ITEM = [2, 2, 2, 0, 0, 0]
WHO = ["ann", "bob", "cy", "ann", "bob", "cy"]
SAID = ["given", "both", "skip", "guessed", "guessed", "neither"]


def test_counts_are_a_slow_count():
    rng = np.random.default_rng(1)
    rows = [
        (int(i), f"p{w}", str(rng.choice([*ANSWERS, "skip"])))
        for i in range(40)
        for w in rng.choice(9, rng.integers(1, 8), replace=False)
    ]
    rng.shuffle(rows)
    item, who, said = zip(*rows)
    item = [int(i) for i in item]
    tally = from_answers(item, list(who), list(said))
    slow = Counter(zip(item, said))
    for place, i in enumerate(tally.item.tolist()):
        assert tally.counts[place].tolist() == [slow[i, a] for a in ANSWERS]
        assert tally.skipped[place] == slow[i, "skip"]


def test_items_nobody_answered_are_a_result():
    tally = from_answers(ITEM, WHO, SAID, asked=[0, 2, 5], given=[0] * 6, guessed=[1] * 6)
    assert tally.item.tolist() == [0, 2, 5]
    assert tally.counts.tolist() == [[0, 2, 0, 1, 0], [1, 0, 1, 0, 0], [0] * 5]
    assert tally.skipped.tolist() == [0, 1, 0]
    assert judge(tally).decided.tolist() == [True, False, False]


def test_no_answers_at_all():
    assert len(judge(from_answers([], [], []))) == 0
    assert len(from_answers([], [], [], asked=[3])) == 1


def test_classes_follow_the_item():
    tally = from_answers(ITEM, WHO, SAID, given=[4, 5, 6], guessed=[7, 8, 6])
    assert tally.given.tolist() == [4, 6]
    assert tally.guessed.tolist() == [7, 6]
    assert tally.degenerate.tolist() == [False, True]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"people": ["ann", "bob"]}, "row 2 is by 'cy', who is not among the 2 people"),
        ({"person": ["ann", "ann", *WHO[2:]]}, "'ann' answers about item 2 twice, in rows 0 and 1"),
        ({"item": [2, 2, -2, 0, 0, 0]}, "item in row 2 is -2"),
        ({"given": [0, 0]}, r"item 2 is asked about, but `given` has 2 entries \(0..1\)"),
        ({"asked": [2, 3]}, "row 3 is about item 0, which nobody asked"),
        ({"answer": ["given", "gussed", *SAID[2:]]}, "row 1 is 'gussed'.*did you mean 'guessed'"),
        ({"answer": ["given", None, *SAID[2:]]}, "row 1 is None"),
        ({"offered": ["given", "guessed", "neither"]}, "answer in row 1 is 'both'"),
        ({"offered": ["given", "maybe"]}, "'maybe' cannot be offered"),
        (
            {"guessed": [1, 9, 1], "given": [0] * 3, "classes": ["a"]},
            "guessed class of item 0 is 1",
        ),
        ({"person": WHO[:5]}, "6 items, 5 people and 6 answers"),
        ({"item": [2.5] * 6}, "`item` is float64"),
    ],
)
def test_wrong_tables_are_refused(changes, message):
    columns = {"item": ITEM, "person": WHO, "answer": SAID} | changes
    with pytest.raises(ValueError, match=message):
        from_answers(columns.pop("item"), columns.pop("person"), columns.pop("answer"), **columns)


@pytest.fixture
def file(tmp_path):
    def write(ending="csv", **changes):
        columns = {"item": ITEM, "person": WHO, "answer": SAID} | changes
        table = pl.DataFrame({name: values for name, values in columns.items() if values})
        path = tmp_path / f"answers.{ending}"
        (table.write_csv if ending == "csv" else table.write_parquet)(path)
        return path

    return write


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_are_what_the_columns_are(file, ending):
    tally = read_answers(file(ending, given=[6, 6, 6, 4, 4, 4], guessed=[8, 8, 8, 7, 7, 7]))
    expected = from_answers(ITEM, WHO, SAID, given=[4, -1, 6], guessed=[7, -1, 8])
    for name in ("item", "counts", "given", "guessed", "skipped"):
        assert np.array_equal(getattr(tally, name), getattr(expected, name)), name


def test_names_of_classes_and_labels_from_elsewhere(file):
    names = ["cat", "dog", "emu"]
    path = file(guessed=["dog", "dog", "dog", "emu", "emu", "emu"])
    tally = read_answers(path, labels=np.array([0, 1, 0, 2]), classes=names)
    assert tally.given.tolist() == [0, 0]
    assert tally.guessed.tolist() == [2, 1]
    with pytest.raises(ValueError, match=r"holds names \('dog' at row 0\)"):
        read_answers(path)
    with pytest.raises(ValueError, match="the guessed class has 'emu' at row 3"):
        read_answers(path, classes=names[:2])
    with pytest.raises(ValueError, match=r"item 2 is asked about, but `labels` has 2 entries"):
        read_answers(path, labels=np.array([0, 1]), classes=names)


def test_a_row_without_an_answer_says_that_the_item_was_asked_about(file):
    path = file(item=[*ITEM[:5], 9], answer=[*SAID[:5], None], person=[*WHO[:5], None])
    tally = read_answers(path)
    assert tally.item.tolist() == [0, 2, 9]
    assert tally.counts[2].tolist() == [0] * 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer": []}, "no column 'answer'"),
        ({"item": [*ITEM[:5], None]}, "column 'item' is empty at row 5"),
        ({"item": [*ITEM[:5], -1]}, "item -1 is negative"),
        ({"person": [*WHO[:5], None]}, "column 'person' is empty at row 5"),
        ({"given": [6, 6, 5, 4, 4, 4]}, "item 2 is given class 6 in row 0 and 5"),
    ],
)
def test_wrong_files_are_refused(file, changes, message):
    with pytest.raises(ValueError, match=message):
        read_answers(file(**changes))


def test_files_that_are_no_tables(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_answers(tmp_path / "none.csv")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(ValueError, match="it has no column 'item', but x"):
        read_answers(tmp_path / "a.txt")
    (tmp_path / "a.parquet").write_text("x")
    with pytest.raises(ValueError, match="it is no Parquet file"):
        read_answers(tmp_path / "a.parquet")
