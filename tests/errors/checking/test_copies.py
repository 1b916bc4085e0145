"""Equal texts and pictures with different labels."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly import check, from_arrays
from candidly.errors.checking._copies import contradiction

ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 2)), min_size=1, max_size=30)


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_it_is_what_a_slow_count_says(rows):
    texts = np.array([f"text number {text} of some" for text, _ in rows], object)
    labels = np.array([label for _, label in rows])
    data = from_arrays(texts, given=labels, classes=list("abc"))
    groups = defaultdict(list)
    for row, (text, label) in enumerate(rows):
        if label >= 0:
            groups[text].append((row, label))
    mixed = [g for g in groups.values() if len({label for _, label in g}) > 1]
    found = contradiction(data)
    if not mixed:
        assert found is None
        return
    assert found.rows.tolist() == sorted(row for g in mixed for row, _ in g)
    counts = [np.bincount([label for _, label in g]) for g in mixed]
    assert found.least == sum(c.sum() - c.max() for c in counts)
    one, other = found.pair
    assert rows[one][0] == rows[other][0]
    assert labels[one] != labels[other]


def test_what_is_said():
    texts = np.array(["one", "two", "one", "two", "one"], object)
    data = from_arrays(texts, ["a", "b", "a", "a", "b"])
    assert str(contradiction(data)) == (
        "5 rows hold the same text as another row with another label, such as rows 0 and 4: where "
        "one label is right, at least 2 of these are wrong."
    )


def test_of_tables_and_sets_nothing_is_said():
    assert contradiction(from_arrays(np.zeros((4, 2)), ["a", "b", "a", "b"])) is None
    sets = from_arrays(np.array(["t"] * 3, object), candidates=np.ones((3, 2), bool))
    assert contradiction(sets) is None


def test_check_says_it_before_anything_else(tmp_path):
    rng = np.random.default_rng(0)
    words = {"sea": ["wave", "tide", "salt", "foam"], "wood": ["oak", "fern", "moss", "bark"]}
    labels = rng.choice(list(words), 80)
    texts = [f"{' '.join(rng.choice(words[label], 6))} {row}" for row, label in enumerate(labels)]
    texts[5] = texts[3]
    labels[5] = "sea" if labels[3] == "wood" else "wood"
    pl.DataFrame({"text": texts, "label": labels}).write_csv(tmp_path / "t.csv")
    with pytest.warns(UserWarning, match="hold the same text"):
        found = check(tmp_path / "t.csv", label="label")
    assert found.notes[0] == (
        "2 rows hold the same text as another row with another label, such as rows 3 and 5: where "
        "one label is right, at least 1 of these is wrong."
    )
