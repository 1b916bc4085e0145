"""What answers are about: rows by their names or their numbers, with the labels of today."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.people.validation import read_answers
from candidly.people.validation.files import read_validation

PEOPLE = ("ann", "bob", "cy")


def written(folder, labels, ids, rows, **columns):
    """A table of labels with ids, and answers of three people about some rows."""
    pl.DataFrame({"id": ids, "label": labels}).write_csv(folder / "t.csv")
    of = np.repeat(rows, len(PEOPLE))
    said = ["given", "guessed", "given"] * len(rows)
    people = list(PEOPLE) * len(rows)
    found = {name: [values[row] for row in of] for name, values in columns.items()}
    pl.DataFrame({**found, "person": people, "answer": said}).write_csv(folder / "v.csv")
    return folder / "v.csv", folder / "t.csv"


LABELS = ["cat", "dog", "cat", "emu", "dog", "cat"]
OTHER = ["dog", "cat", "emu", "cat", "cat", "dog"]


@settings(max_examples=30, deadline=None)
@given(
    ids=st.one_of(
        st.permutations([f"r{k}" for k in range(6)]),
        st.permutations(range(6)),
        st.lists(st.integers(0, 10**9), min_size=6, max_size=6, unique=True),
    ),
    rows=st.lists(st.integers(0, 5), min_size=1, unique=True),
)
def test_names_lead_to_the_rows_that_have_them(tmp_path_factory, ids, rows):
    folder = tmp_path_factory.mktemp("answers")
    by_name, table = written(folder, LABELS, ids, rows, name=ids, guessed=OTHER, given=LABELS)
    for place in ("labels", "into"):
        tally = read_validation(by_name, **{place: table}).tally
        assert tally.item.tolist() == sorted(rows)
        assert [tally.classes[k] for k in tally.given] == [LABELS[row] for row in sorted(rows)]
        assert [tally.classes[k] for k in tally.guessed] == [OTHER[row] for row in sorted(rows)]


def test_a_column_item_holds_row_numbers_where_it_can(tmp_path):
    far = [100, 101, 102, 103, 104, 105]
    votes, table = written(tmp_path, LABELS, far, [1, 3], item=far, guessed=OTHER)
    assert read_validation(votes, table).tally.item.tolist() == [1, 3]
    near = [1, 2, 3, 4, 5, 6]
    votes, table = written(tmp_path, LABELS, near, [1, 3], item=near, guessed=OTHER)
    with pytest.warns(UserWarning, match="2 is the row that the labels call 3") as told:
        assert read_validation(votes, table).tally.item.tolist() == [2, 4]
    assert "call it 'name'" in str(told[0].message)
    words = ["r0", "r1", "r2", "r3", "r4", "r5"]
    votes, table = written(tmp_path, LABELS, words, [0, 5], item=words, guessed=OTHER)
    assert read_validation(votes, table).tally.item.tolist() == [0, 5]
    with pytest.raises(ValueError, match="which is no number"):  # nobody said what rows are called
        read_answers(votes)


def test_an_item_that_is_no_row_is_refused(tmp_path):
    words = ["r0", "r1", "r2", "r3", "r4", "r5"]
    votes, table = written(tmp_path, LABELS, words, [0, 5], item=[*words[:5], "r9"], guessed=OTHER)
    with pytest.raises(ValueError, match="the item in row 3 is 'r9', and no row of the labels"):
        read_validation(votes, table)


def test_labels_that_were_sorted_otherwise_are_refused(tmp_path):
    words = ["r0", "r1", "r2", "r3", "r4", "r5"]
    same = ["cat", "dog", "emu", "emu", "dog", "cat"]  # from behind, too: labels do not tell
    votes, table = written(
        tmp_path, same, words, [0, 5], item=list(range(6)), name=words, guessed=OTHER
    )
    assert read_validation(votes, table, roles=None).tally.item.tolist() == [0, 5]
    pl.read_csv(table)[::-1].write_csv(table)
    with pytest.raises(ValueError, match="called 'r0', and the labels have this name at row 5"):
        read_validation(votes, table)


@pytest.mark.parametrize("place", ["labels", "into"])
def test_answers_about_another_label_are_refused(tmp_path, place):
    numbers = list(range(6))
    was = [*LABELS[:5], "emu"]
    votes, table = written(
        tmp_path, LABELS, numbers, [1, 5], item=numbers, given=was, guessed=OTHER
    )
    with pytest.raises(ValueError, match="at 1 of 2 rows, such as row 5"):
        read_validation(votes, **{place: table})
    votes, table = written(tmp_path, LABELS, numbers, [1, 5], item=numbers, guessed=OTHER)
    assert read_validation(votes, **{place: table}).tally.item.tolist() == [1, 5]
