"""Every door gives the same classes, labels and refusals for the same content.

A door is a way by which labels come in. The content is a column of cells; ``read_labels`` says what
they mean, and each door has to say the same.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import candidly
from arff_file import write_arff
from candidly.compare.stability import make_case
from candidly.data.ingest import Roles, read
from candidly.data.ingest.labels import class_numbers, label_numbers
from candidly.data.ingest.labels import read_labels as labels_of_file
from candidly.data.labels.reading import LabelRule, read_labels
from candidly.errors.confident._labels import read_given
from candidly.learn.estimators import read_sets
from candidly.people.crowd import Answers

Cells = Sequence[str | None]
Outcome = tuple[tuple[str, ...], tuple[str | None, ...]] | str

WORDS = ("cat", "dog", " cat", "emu ", "Cat", "a b", "größe", "x_1", "true", "None", "N/A", "?")
NUMBERS = ("0", "1", "2", "3", "10", "-1", "+1", "1.0", "2.0", "007", "2001", "nan", "1.5", "1e3")
STRANGE = ("cat|dog", "cat,dog", "[cat]", "a;b", "'cat'", "cat|", "True", "False", "2024-05-01")
EMPTY = ("", " ", None)

cells = st.one_of(
    st.lists(st.sampled_from((*WORDS, *EMPTY)), min_size=2, max_size=9),
    st.lists(st.sampled_from((*NUMBERS, *EMPTY)), min_size=2, max_size=9),
    st.lists(st.sampled_from(("0", "1", "2", "3", "-1")), min_size=2, max_size=9),
    st.lists(st.sampled_from(("1", "2", "3", "4", "5")), min_size=2, max_size=9),
    st.lists(st.sampled_from((*WORDS, *NUMBERS, *STRANGE, *EMPTY)), min_size=2, max_size=9),
)
declared = st.one_of(
    st.none(),
    st.sampled_from(
        [
            ["cat", "dog", "emu"],
            ["1", "2", "3"],
            ["0", "1", "2", "3", "10"],
            ["cat,dog", "cat", "1"],
        ]
    ),
)


def named(classes: Sequence[str], numbers: Any) -> Outcome:
    return tuple(classes), tuple(
        None if k < 0 else classes[k] for k in np.asarray(numbers).tolist()
    )


def of(data: candidly.Labelled) -> Outcome:
    if data.given is None:
        raise ValueError("sets")
    return named(data.classes, data.given)


def by_frame(frame: Any, classes: Any) -> Outcome:
    return of(read(frame, Roles(label="label", classes=classes)))


def in_file(ending: str, write: Callable[[pl.DataFrame, Path], Any]) -> Callable[..., Outcome]:
    def door(column: Cells, classes: Any, folder: Path) -> Outcome:
        frame = pl.DataFrame(
            {"x": np.arange(len(column)) / 2, "label": pl.Series(column, dtype=pl.String)}
        )
        write(frame, folder / f"t{ending}")
        return by_frame(folder / f"t{ending}", classes)

    return door


def by_array(column: Cells, classes: Any, form: Callable[[Any], Any]) -> Outcome:
    data = candidly.from_arrays(
        np.zeros((len(column), 1)), given=form(list(column)), classes=classes
    )
    return named(data.classes, data.given)


def by_npz(column: Cells, classes: Any, folder: Path) -> Outcome:
    texts = np.array(["" if cell is None else cell for cell in column])
    np.savez(folder / "t.npz", X=np.zeros((len(column), 1)), y=texts)
    return of(read(folder / "t.npz", classes=classes))


def by_estimator(column: Cells, classes: Any, folder: Path) -> Outcome:
    found = read_sets(list(column), classes)
    if not found.plain:
        raise ValueError("sets")
    return named(found.names, found.member.argmax(1))


def by_answers(column: Cells, classes: Any, folder: Path) -> Outcome:
    people = ["ann"] * len(column)
    found = Answers.from_columns(list(range(len(column))), people, list(column), classes=classes)
    return named(found.classes, found.label)


def by_errors(column: Cells, classes: Any, folder: Path) -> Outcome:
    names = reference_classes(column, classes)
    numbers = read_given(list(column), len(column), len(names), list(names), unlabelled=True)
    return named(names, numbers)


def by_label_file(column: Cells, classes: Any, folder: Path) -> Outcome:
    names = reference_classes(column, classes)
    frame = pl.DataFrame({"id": range(len(column)), "label": pl.Series(column, dtype=pl.String)})
    frame.write_csv(folder / "labels.csv")
    found = labels_of_file(folder / "labels.csv", Roles(label="label"), list(names))
    return named(names, label_numbers(found, list(names)))


def by_column(column: Cells, classes: Any, folder: Path) -> Outcome:
    names = reference_classes(column, classes)
    return named(names, class_numbers(pl.Series(column, dtype=pl.String), "it", list(names)))


def by_stability(column: Cells, classes: Any, folder: Path) -> Outcome:
    names = reference_classes(column, classes)
    models = {"a": list(column), "b": list(column)}
    found = make_case(list(column), list(column), models, classes=list(names))
    return named(names, found.original)


DOORS: dict[str, Callable[[Cells, Any, Path], Outcome]] = {
    "list": lambda c, classes, _: by_array(c, classes, list),
    "array": lambda c, classes, _: by_array(c, classes, lambda v: np.array(v, object)),
    "pandas": lambda c, classes, _: by_array(c, classes, lambda v: pd.Series(v, dtype=object)),
    "polars": lambda c, classes, _: by_array(c, classes, lambda v: pl.Series(v, dtype=pl.String)),
    "data frame": lambda c, classes, _: by_frame(
        pd.DataFrame({"x": np.arange(len(c)) / 2, "label": pd.Series(list(c), dtype=object)}),
        classes,
    ),
    "csv": in_file(".csv", lambda frame, path: frame.write_csv(path)),
    "tsv": in_file(".tsv", lambda frame, path: frame.write_csv(path, separator="\t")),
    "parquet": in_file(".parquet", lambda frame, path: frame.write_parquet(path)),
    "jsonl": in_file(".jsonl", lambda frame, path: frame.write_ndjson(path)),
    "xlsx": in_file(
        ".xlsx",
        lambda frame, path: pd.DataFrame(frame.to_dict(as_series=False)).to_excel(
            path, index=False
        ),
    ),
    "arff": in_file(".arff", write_arff),
    "npz": by_npz,
    "estimator": by_estimator,
    "answers": by_answers,
    "errors": by_errors,
    "label file": by_label_file,
    "column": by_column,
    "stability": by_stability,
}
EVERY_ROW = {"estimator", "answers", "stability"}  # which take no row without a label
SLOW = {"xlsx"}


def reference_classes(column: Cells, classes: Any) -> tuple[str, ...]:
    return read_labels({"given": list(column)}, LabelRule(classes)).classes


def outcome(door: Callable[[], Outcome]) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return door()
        except ValueError:
            return "refused"


def check(names: Sequence[str], column: Cells, classes: Any, folder: Path) -> None:
    expected = outcome(
        lambda: named(*_read(read_labels({"given": list(column)}, LabelRule(classes))))
    )
    if isinstance(expected, tuple) and (len(expected[0]) < 2 or not any(expected[1])):
        return  # a table says that there is nothing to learn
    for name in names:
        if name in EVERY_ROW and (isinstance(expected, str) or None in expected[1]):
            continue
        assert outcome(lambda: DOORS[name](column, classes, folder)) == expected, name  # noqa: B023


def _read(found: Any) -> tuple[tuple[str, ...], np.ndarray]:
    return found.classes, found.labels["given"]


HEALTH = [HealthCheck.function_scoped_fixture]


@given(cells, declared)
@settings(max_examples=60, suppress_health_check=HEALTH)
def test_every_door_says_the_same(tmp_path, column, classes):
    check([name for name in DOORS if name not in SLOW], column, classes, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1500)
@given(cells, declared)
@settings(max_examples=500, suppress_health_check=HEALTH)
def test_every_door_says_the_same_five_hundred_times(tmp_path, column, classes):
    check([name for name in DOORS if name not in SLOW], column, classes, tmp_path)


@pytest.mark.parametrize(
    ("column", "classes"),
    [
        (["1", "2", "3", "4", "5"], None),
        (["-1", "0", "1"], None),
        (["1", "2", "10"], None),
        (["1", "2"], ["1", "2", "3"]),
        (["0", "1"], ["cat", "dog"]),
        (["cat,dog", "cat"], None),
        (["cat,dog", "cat"], ["cat,dog", "cat"]),
        (["007", "7"], None),
        (["1.0", "2.0", ""], None),
        (["True", "False"], None),
        (["0.5", "1.5"], None),
        ([" cat", "cat", "dog "], None),
    ],
)
def test_what_was_read_by_several_rules(tmp_path, column, classes):
    check([*DOORS], column, classes, tmp_path)


numbers = st.lists(st.sampled_from([0, 1, 2, 3, 5, 10, -1, 2001]), min_size=2, max_size=9)


@given(numbers, declared)
@settings(max_examples=60, suppress_health_check=HEALTH)
def test_numbers_and_their_texts_are_the_same(tmp_path, column, classes):
    texts = [str(number) for number in column]
    forms = (list, np.array, lambda v: np.array(v, np.int16), pd.Series, pl.Series)
    expected = outcome(lambda: by_array(texts, classes, list))
    for form in forms:
        assert outcome(lambda: by_array(column, classes, form)) == expected, form  # noqa: B023
    floats = [float(number) for number in column]
    assert outcome(lambda: by_array(floats, classes, np.array)) == expected
    frame = pl.DataFrame({"x": np.arange(len(column)) / 2, "label": column})
    if isinstance(expected, tuple) and len(expected[0]) > 1 and any(expected[1]):
        assert outcome(lambda: by_frame(frame, classes)) == expected
        frame.write_parquet(tmp_path / "t.parquet")
        assert outcome(lambda: by_frame(tmp_path / "t.parquet", classes)) == expected
        assert outcome(lambda: by_estimator(column, classes, tmp_path)) in (expected, "refused")


def test_a_column_of_categories_is_believed(tmp_path):
    frame = pd.DataFrame({"x": [0.5, 1.5], "label": pd.Categorical(["b", "a"], ["c", "b", "a"])})
    assert read(frame, label="label").classes == ("c", "b", "a")
    (tmp_path / "t.arff").write_text(
        "@relation t\n@attribute x numeric\n@attribute label {c,b,a}\n@data\n0.5,b\n1.5,a\n"
    )
    assert read(tmp_path / "t.arff", label="label").classes == ("c", "b", "a")
    assert json.loads(json.dumps(read(frame, label="label").given.tolist())) == [1, 2]


# ---- a second rule at one door is noticed


def changed(door: Callable[..., Outcome], cell: Callable[[Any], Any]) -> Callable[..., Outcome]:
    """A door that reads each cell in another way first."""
    return lambda column, classes, folder: door([cell(one) for one in column], classes, folder)


def answered(door: Callable[..., Outcome], change: Callable[[Any], Any]) -> Callable[..., Outcome]:
    """A door that says something else of what it has read."""

    def other(column: Cells, classes: Any, folder: Path) -> Outcome:
        return change(door(column, classes, folder))

    return other


def from_one(outcome: Outcome) -> Outcome:
    names, labels = outcome
    return names, tuple(None if one is None else names[names.index(one) - 1] for one in labels)


def ordered_as_text(outcome: Outcome) -> Outcome:
    names, labels = outcome
    return tuple(sorted(names, key=lambda name: (len(name) < 2, name))), labels


def check_all(columns: Sequence[Cells], folder: Path) -> None:
    for column in columns:
        check(["list"], column, None, folder)


LIST = DOORS["list"]
FAULTS = {
    "spaces count": changed(LIST, lambda c: f"{c} " and c and c.replace(" ", "_")),
    "case does not count": changed(LIST, lambda c: c and c.lower()),
    "commas separate": changed(LIST, lambda c: c and c.split(",")[0]),
    "-1 is none": changed(LIST, lambda c: None if c == "-1" else c),
    "nan is a name": changed(LIST, lambda c: "not a number" if c == "nan" else c),
    "N/A is none": changed(LIST, lambda c: None if c == "N/A" else c),
    "007 is 7": changed(LIST, lambda c: c and (c.lstrip("0") or "0")),
    "1.0 is a name": changed(LIST, lambda c: c and c.replace(".0", "·0")),
    "brackets are taken off": changed(LIST, lambda c: c and c.strip("[]'")),
    "empty is a class": changed(LIST, lambda c: c or "empty"),
    "classes as text": answered(
        LIST, lambda o: (tuple(sorted(o[0], key=lambda n: (len(n) < 2, n))), o[1])
    ),
    "numbers from one": answered(LIST, from_one),
    "bars are part of names": changed(LIST, lambda c: c and c.replace("|", "/")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_second_rule_at_one_door_is_noticed(tmp_path, monkeypatch, fault):
    monkeypatch.setitem(DOORS, "list", FAULTS[fault])
    rng = random.Random(0)
    pools = [(*WORDS, *EMPTY), (*NUMBERS, *EMPTY), ("0", "1", "2", "-1"), (*WORDS, *STRANGE)]
    columns = [[rng.choice(pool) for _ in range(rng.randint(2, 6))] for pool in pools * 100]
    with pytest.raises(AssertionError, match="list"):
        check_all(columns, tmp_path)
