"""Answers of one label each: what is read, and what is refused at the door."""

import numpy as np
import polars as pl
import pytest

from candidly.data.labels.building import from_arrays
from candidly.data.labels.votes import Votes
from candidly.people.crowd import (
    METHODS,
    Answers,
    consensus,
    crowdlab,
    dawid_skene,
    glad,
    ibcc,
    kos,
    mace,
    majority,
    opinion_pool,
    ordinal,
    wawa,
    zero_based_skill,
)

ROWS = [("x2", "bob", "dog"), ("x1", "ann", "cat"), ("x2", "ann", "cat"), ("x3", "eve", "dog")]


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("item", "annotator", "label", "items", "annotators", "classes")
    )


def test_columns_are_sorted_and_named():
    found = Answers.from_columns(*zip(*ROWS))
    assert found.items.tolist() == ["x1", "x2", "x3"]
    assert found.annotators == ("ann", "bob", "eve")
    assert found.classes == ("cat", "dog")
    assert found.item.tolist() == [0, 1, 1, 2]
    assert found.annotator.tolist() == [0, 0, 1, 2]
    assert found.label.tolist() == [0, 0, 1, 1]
    assert {found.item.dtype, found.annotator.dtype, found.label.dtype} == {np.dtype(np.int32)}
    assert found.counts.tolist() == [[1, 0], [1, 1], [0, 1]]
    assert found.per_item.tolist() == [1, 2, 1]
    assert found.per_annotator.tolist() == [2, 1, 1]
    assert (len(found), found.n, found.m) == (4, 3, 2)
    assert repr(found) == "Answers(4 about 3 items by 3 annotators, 2 classes)"
    assert same(found, Answers.from_columns(*zip(*ROWS[::-1])))
    frame = pl.DataFrame(ROWS, schema=["item", "annotator", "label"], orient="row")
    assert same(found, Answers.from_columns(*frame))


def test_series_of_text_are_read_as_lists():
    rng = np.random.default_rng(0)
    words = ["é", "e", "Z", "z", "zz", "\U0001f600", "\uffff", "ß", " a", "10", "9"]
    pairs = rng.permutation(len(words) ** 2)[:60]
    columns = [[words[k] for k in column] for column in (*divmod(pairs, len(words)), pairs % 7)]
    columns[2] = [word.strip() for word in columns[2]]
    series = [pl.Series("x", column) for column in columns]
    assert same(Answers.from_columns(*columns), Answers.from_columns(*series))
    items = [*words[::-1], "another"]
    listed = Answers.from_columns(*columns, items=items, classes=sorted({*columns[2], "x"}))
    found = Answers.from_columns(*series, items=items, classes=sorted({*columns[2], "x"}))
    assert same(listed, found)
    for wrong in (None, ""):
        series[1] = pl.Series("x", [*columns[1][:5], wrong, *columns[1][6:]])
        with pytest.raises(ValueError, match=rf"`annotator` is {wrong!r} in row 5, among names"):
            Answers.from_columns(*series)


def test_items_and_classes_may_be_named():
    found = Answers.from_columns(
        *zip(*ROWS), items=["x9", "x3", "x2", "x1"], classes=("dog", "cat", "emu")
    )
    assert found.per_item.tolist() == [0, 1, 2, 1]
    assert found.counts[2].tolist() == [1, 1, 0]
    numbers = Answers.from_columns([5, 2, 5], [1, 1, 2], [0.0, 1.0, 2.0], items=7)
    assert (numbers.n, numbers.m) == (7, 3)
    assert numbers.annotators == ("1", "2")
    assert Answers.from_columns([5, 2], [1, 1], [0, 1]).items.tolist() == [2, 5]


def test_a_matrix_is_the_same():
    matrix = np.array([[1, -1, 0], [-1, -1, -1], [0, 2, -1]])
    found = Answers.from_matrix(matrix)
    rows = [(0, "0", 1), (0, "2", 0), (2, "0", 0), (2, "1", 2)]
    assert same(found, Answers.from_columns(*zip(*rows), items=3))
    assert same(found, Answers.from_matrix(np.where(matrix < 0, np.nan, matrix)))
    with pytest.warns(UserWarning, match="1 of 3 annotators have no answer and are left out: c"):
        found = Answers.from_matrix([[0, 1, -1]], annotators="abc")
    assert found.annotators == ("a", "b")


def test_votes_are_the_same():
    votes = Votes.from_rows([(1, "bob", [1]), (0, "ann", [0]), (1, "ann", [0]), (2, "bob", [])])
    found = Answers.from_votes(votes, 3, ["cat", "dog"])
    rows = [(1, "bob", 1), (0, "ann", 0), (1, "ann", 0)]
    assert same(found, Answers.from_columns(*zip(*rows), items=3, classes=["cat", "dog"]))
    data = from_arrays(np.eye(3), votes=votes, classes=["cat", "dog"], ids=["p", "q", "r"])
    assert Answers.from_labelled(data).items.tolist() == ["p", "q", "r"]
    votes = Votes.from_rows([(0, "ann", [0]), (0, "bob", [])])
    with pytest.warns(UserWarning, match="1 of 2 annotators have no answer and are left out: bob"):
        assert Answers.from_votes(votes, 1, 2).annotators == ("ann",)


def columns(**changes):
    given = {"item": [0, 1], "annotator": ["a", "a"], "label": [0, 1]} | changes
    return Answers.from_columns(**given)


SETS = Votes.from_rows([(0, "a", [0, 1])])
LATE = Votes.from_rows([(3, "a", [0])])
WITHOUT = from_arrays([[0.5]], [0], classes=2, source="mine")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: columns(item=[0, 1, 2]), "3 items, 2 annotators, 2 labels; give one of each"),
        (lambda: columns(item=[], annotator=[], label=[], classes=2), "answers: there is none"),
        (lambda: columns(item=[4, 4]), "'a' answers item 4 twice, in rows 0 and 1. Keep one"),
        (lambda: columns(label=[1, -1], classes=2), "`label` is -1 in row 1, which is no class"),
        (lambda: columns(label=[0, 2], classes=2), "`label` has label 2 at row 1, but there are 2"),
        (lambda: columns(label=[0, 1.5]), "`label` has 1.5 at row 1; labels are names or whole"),
        (lambda: columns(label=[0, np.nan]), "`label` is None in row 1. Leave out rows"),
        (lambda: columns(label=["x", None]), "`label` is None in row 1. Leave out rows"),
        (lambda: columns(label=["x", ""]), "`label` is '' in row 1. Leave out rows"),
        (lambda: columns(label=[[0], [1]]), r"`label` has \[0\] at row 0; it takes one label"),
        (lambda: columns(label=[0, 0]), "there is one class, '0'. Name all.*`classes`"),
        (lambda: columns(label=["x", "x"]), "there is one class, 'x'. Name all"),
        (lambda: columns(classes=1), "has label 1 at row 1, but there is 1 class"),
        (lambda: columns(classes=0), "there must be one at least"),
        (lambda: columns(label=["x", "y"], classes=["x", "z"]), "`label` has 'y' at row 1, which"),
        (lambda: columns(items=1), "`item` is 1 in row 1, which is none of 0"),
        (lambda: columns(items=[1, 0, 1]), "`items` names an item twice"),
        (lambda: columns(classes=["x", "x"]), "`classes` has 'x' at position 0 and again"),
        (lambda: Answers.from_matrix([0, 1]), r"the matrix is int64 of shape \(2,\)"),
        (lambda: Answers.from_matrix([[0, 1]], annotators=["a"]), "1 different annotators named f"),
        (lambda: Answers.from_matrix([[-1, -1]], 2), "there is none"),
        (lambda: Answers.from_votes(SETS, 1, 2), r"answer 0 \(item 0\) holds 2 labels; a cons"),
        (lambda: Answers.from_votes(LATE, 1, 2), "`votes` has item 3"),
        (lambda: Answers.from_labelled(WITHOUT), "mine has no votes"),
    ],
)  # fmt: skip
def test_what_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_every_way_goes_by_its_name():
    rows = [(i, j, (i + (j == 3)) % 2) for i in range(6) for j in range(4)]
    answers = Answers.from_columns(*zip(*rows))
    direct = {
        "opinion-pool": opinion_pool(answers),
        "majority": majority(answers),
        "dawid-skene": dawid_skene(answers),
        "one-coin": dawid_skene(answers, one_coin=True),
        "crowdlab": crowdlab(answers),
        "wawa": wawa(answers),
        "zero-based-skill": zero_based_skill(answers),
        "mace": mace(answers),
        "glad": glad(answers),
        "ibcc": ibcc(answers),
        "kos": kos(answers),
        "ordinal": ordinal(answers),
    }
    assert list(direct) == list(METHODS)
    for name, expected in direct.items():
        found = consensus(answers, name.upper())
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found.posterior, expected.posterior)
    with pytest.raises(KeyError, match="no way to a consensus named 'mayority'; did you mean 'maj"):
        consensus(answers, "mayority")


def test_the_table_begins_with_doubts():
    rows = [(0, "a", 0), (0, "b", 0), (1, "a", 0), (1, "b", 1), (1, "c", 1)]
    table = majority(Answers.from_columns(*zip(*rows), items=3)).table()
    assert table.rows() == [
        (1, "1", 2 / 3, 3, 2 / 3, 1, "untied"),
        (0, "0", 1.0, 2, 1.0, 0, "untied"),
        (2, None, None, 0, None, 2, "no answer"),
    ]
