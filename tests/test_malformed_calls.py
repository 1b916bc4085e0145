"""Calls with what nobody meant to pass: a sentence each, and no internals."""

from __future__ import annotations

import datetime
import re

import numpy as np
import pandas
import pytest

from candidly import crowd, load, validation
from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import given_to_candidates
from candidly.data.labels.votes import Votes, union, votes_to_given

X = [[0.0], [1.0], [2.0]]
DATA = from_arrays(X, [0, 1, 0])
VOTES = Votes.from_rows([(0, "a", [1])])
SAID = crowd.Answers.from_columns([0, 0, 1], ["a", "b", "a"], ["x", "y", "x"])
INTERNALS = re.compile(
    r"dtype:|np\.|ufunc|object has no attribute|iteration|unpack|not supported between|invalid"
    r" literal|array\(\["
)

ARRAYS = {
    "nothing": (lambda: from_arrays(None, [0, 1]), "`inputs` is of the type NoneType; give"),
    "a path": (lambda: from_arrays("file.csv", [0, 1]), r"candidly.load\(\) reads files"),
    "a number": (lambda: from_arrays(5, [0]), "`inputs` is of the type int"),
    "a mapping": (lambda: from_arrays({"a": [1]}, [0]), "`inputs` is of the type dict"),
    "ragged rows": (lambda: from_arrays([[1, 2], [3]], [0, 1]), "1 numbers at row 1, and 2"),
    "words": (lambda: from_arrays([[1, "a"], [2, "b"]], [0, 1]), "`inputs` holds 'a' at row 0"),
    "None": (lambda: from_arrays([[1, None], [2, 3]], [0, 1]), "`inputs` holds None at row 0"),
    "three axes": (lambda: from_arrays(np.ones((2, 2, 2)), [0, 1]), r"shape \(2, 2, 2\)"),
    "lists in a column": (
        lambda: from_arrays(pandas.DataFrame({"t": [[1]]}), [0]),
        "a column 't' of List.*; columns hold numbers",
    ),
    "a column": (lambda: from_arrays(np.ones((3, 0)), [0, 1, 0]), "nothing in an example"),
    "label text": (lambda: from_arrays(X, "cat"), "`y` is 'cat', of the type str"),
    "label number": (lambda: from_arrays(X, 3), "`y` is 3, of the type int"),
    "label scalar": (lambda: from_arrays(X, np.array(3)), "`y` is array.3., of the type ndarray"),
    "label mapping": (lambda: from_arrays(X, {0: 1}), "`y` is {0: 1}, of the type dict"),
    "no labels": (lambda: from_arrays(X, [None] * 3), "no labels to tell the classes from"),
    "halves": (lambda: from_arrays(X, np.array([1.5, 0, 1])), "labels are names or whole numbers"),
    "dates": (lambda: from_arrays(X, [datetime.date(2024, 1, 1)] * 3), r"\(date\) at row 0"),
    "negative": (lambda: from_arrays(X, [0, -3, 1], classes=2), "label -3 at row 1, but there are"),
    "nested": (lambda: from_arrays(X, [[[0]], [1], [0]]), r"\(list\) at row 0"),
    "short": (lambda: from_arrays(X, ["a", "b"]), "`inputs` has 3 rows"),
    "empty set": (lambda: from_arrays(X, [set(), {0}, {1}]), "no label at row 0"),
    "not 0 or 1": (lambda: from_arrays(X, np.full((3, 2), 2)), "has 2 at row 0, column 0"),
    "table as truth": (lambda: from_arrays(X, [0, 1, 0], truth=pandas.DataFrame({"a": [1]})),
                       "it takes one label a row"),
    "classes None": (lambda: from_arrays(X, [0, 1, 0], classes=[None, "a"]), "None at position 0"),
    "classes True": (lambda: from_arrays(X, [0, 0, 0], classes=True), "`classes` is True"),
    "classes 0": (lambda: from_arrays(X, [0, 1, 0], classes=0), "there must be one at least"),
    "ids": (lambda: from_arrays(X, [0, 1, 0], ids=[1.5, 2, 3]), "`ids` has 1.5 at row 0"),
    "votes": (lambda: from_arrays(X, [0, 1, 0], votes=[1]), "`votes` is a list"),
    "load": (lambda: load(3), "load takes a name or a path, and this is of the type int"),
    "load nothing": (lambda: load(""), "name of the data set is empty"),
    "share": (lambda: DATA.split(0, test="a"), "`test` is 'a'; give a share"),
    "seed": (lambda: DATA.split("a"), "seed is 'a', but must be a whole number"),
    "row": (lambda: DATA["a"], "index with a slice, integers"),
    "candidates": (lambda: given_to_candidates(["a"], 2), "it needs integers|give integers"),
}  # fmt: skip

ANSWERS = {
    "no rows": (lambda: Votes.from_rows(None), "holds no rows"),
    "a pair": (lambda: Votes.from_rows([(0, "a")]), r"write \(item, annotator, labels\)"),
    "one label": (lambda: Votes.from_rows([(0, "a", None)]), "Write a list"),
    "a far item": (lambda: Votes.from_rows([(10**30, "a", [1])]), "is too large"),
    "union": (lambda: union([1], 1, 2), "`votes` is a list"),
    "many": (lambda: votes_to_given(VOTES, 10**7, 10**7), "takes 800,000 GB"),
    "columns": (lambda: crowd.Answers.from_columns(None, None, None), "`item` has shape"),
    "half": (lambda: crowd.Answers.from_columns([0.5], ["a"], [0]), "`item` is 0.5 in row 0"),
    "items": (lambda: crowd.Answers.from_columns([0], ["a"], [0], items=10**13, classes=2),
              "80,000 GB"),
    "labelled": (lambda: crowd.Answers.from_labelled(None), "make it with candidly.from_arrays"),
    "consensus": (lambda: crowd.consensus([1, 2]), "make it with crowd.Answers.from_columns"),
    "by": (lambda: crowd.consensus(SAID, None), "way to a consensus is a NoneType"),
    "probs": (lambda: crowd.consensus(SAID, "crowdlab", probs="x"), "`probs` has shape"),
    "rounds": (lambda: crowd.dawid_skene(SAID, rounds="a"), "rounds is 'a', but must be"),
    "alpha": (lambda: crowd.dawid_skene(SAID, alpha="a"), "`alpha` is 'a'"),
    "majority": (lambda: crowd.majority(None), "answers is a NoneType"),
    "annotators": (lambda: crowd.annotators(SAID), "make it with crowd.consensus"),
    "next": (lambda: crowd.next_items(crowd.majority(SAID), count="a"), "count is 'a'"),
    "some": (lambda: crowd.some_answers(VOTES, "a"), "k is 'a', but must be"),
    "tally": (lambda: validation.from_answers(None, None, None), "`item` is object"),
    "counts": (lambda: validation.from_counts("abc"), "whole numbers"),
    "judge": (lambda: validation.judge(None), "tally is a NoneType; make it with"),
    "threshold": (lambda: validation.judge(validation.from_counts([[1, 0, 0, 0]]), "a"),
                  "threshold is 'a'"),
    "corrected": (lambda: validation.corrected([0, 1], None), "make it with validation.judge"),
    "estimate": (lambda: validation.estimate("a", 1), "found is 'a'"),
    "missed": (lambda: validation.missed(None), "unflagged is None"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "message"), [*ARRAYS.values(), *ANSWERS.values()],
                         ids=[*ARRAYS, *ANSWERS])  # fmt: skip
def test_a_call_that_cannot_be_is_a_sentence(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
    assert not INTERNALS.search(str(error.value))


def test_tensors_are_arrays():
    torch = pytest.importorskip("torch")
    data = from_arrays(torch.ones(3, 2), torch.tensor([0, 1, 0]))
    assert data == from_arrays(np.ones((3, 2), np.float32), [0, 1, 0])
