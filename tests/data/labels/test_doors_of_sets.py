"""Every door gives the same sets, classes and refusals for the same content, of either kind.

The content is a column of cells that may hold several labels, and what somebody says these are:
one of them is right (``one-of``), or all are (``all-of``).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
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
from candidly.data.ingest import Roles, read
from candidly.data.ingest.labels import check_said, label_sets
from candidly.data.ingest.labels import read_labels as labels_of_file
from candidly.data.labels.kinds import ALL_OF, FIELDS, ONE_OF
from candidly.data.labels.reading import LabelRule, read_labels
from candidly.errors.checking._opened import opened
from candidly.learn.estimators import read_sets
from candidly.people.review.new import read_rows

Cells = Sequence[str | None]
Outcome = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | str

ONE = ("cat", " dog", "emu", "a b")
SETS = ("cat|dog", " cat | emu", "dog|cat|emu", "cat|cat", "a b|dog")
NUMBERS = ("1", "2", "10", "1|2", "2 | 10", "-1|1")
STRANGE = ("cat|", "|", "cat,dog", "[cat|dog]", "'cat'|dog", "1|cat")
EMPTY = ("", " ", None)

cells = st.one_of(
    st.lists(st.sampled_from((*ONE, *SETS)), min_size=2, max_size=8),
    st.lists(st.sampled_from((*ONE, *SETS, *EMPTY)), min_size=2, max_size=8),
    st.lists(st.sampled_from((*NUMBERS, *EMPTY)), min_size=2, max_size=8),
    st.lists(st.sampled_from((*ONE, *SETS, *NUMBERS, *STRANGE)), min_size=2, max_size=8),
)
declared = st.one_of(
    st.none(),
    st.sampled_from([["cat", "dog", "emu", "a b"], ["emu", "dog", "cat"], ["10", "2", "1"]]),
)
kinds = st.sampled_from([ONE_OF, ALL_OF])


def named(classes: Sequence[str], sets: Any) -> Outcome:
    rows = np.asarray(sets, bool).tolist()
    return tuple(classes), tuple(
        tuple(name for name, there in zip(classes, row) if there) for row in rows
    )


def of(data: candidly.Labelled, kind: str) -> Outcome:
    sets = getattr(data, FIELDS[kind])
    if sets is None:  # sets of one each are labels, where one of them is right
        assert kind == ONE_OF
        sets = np.eye(data.q, dtype=bool)[data.given]
    return named(data.classes, sets)


def frame_of(column: Cells) -> pl.DataFrame:
    x = np.arange(len(column)) / 2
    return pl.DataFrame({"x": x, "label": pl.Series(column, dtype=pl.String)})


def roles_of(classes: Any, kind: str | None, **more: Any) -> Roles:
    return Roles(label="label", classes=classes, label_kind=kind, **more)


def in_file(ending: str, write: Callable[[pl.DataFrame, Path], Any], **more: Any) -> Any:
    def door(column: Cells, classes: Any, kind: str, folder: Path) -> Outcome:
        if "label_separator" in more:
            column = [
                None if c is None else c.replace("|", more["label_separator"]) for c in column
            ]
        write(frame_of(column), folder / f"t{ending}")
        return of(read(folder / f"t{ending}", roles_of(classes, kind, **more)), kind)

    return door


def by_array(column: Cells, classes: Any, kind: str, form: Callable[[Any], Any]) -> Outcome:
    data = candidly.from_arrays(
        np.zeros((len(column), 1)), classes=classes, **{FIELDS[kind]: form(list(column))}
    )
    return of(data, kind)


def lists(column: Cells) -> list[list[str]]:
    return [[one.strip() for one in (cell or "").split("|") if one.strip()] for cell in column]


def by_lists(ending: str, write: Callable[[pl.DataFrame, Path], Any]) -> Any:
    def door(column: Cells, classes: Any, kind: str, folder: Path) -> Outcome:
        frame = frame_of(column).with_columns(
            label=pl.Series(lists(column), dtype=pl.List(pl.String))
        )
        write(frame, folder / f"lists{ending}")
        return of(read(folder / f"lists{ending}", roles_of(classes, kind)), kind)

    return door


def by_columns(column: Cells, classes: Any, kind: str, folder: Path) -> Outcome:
    """A column of 0 and 1 for each class."""
    names = reference(column, classes, kind)[0]
    rows = [[str(int(name in row)) for name in names] for row in named_sets(column, classes, kind)]
    frame = pl.DataFrame(rows, schema=[f"{name}" for name in names], orient="row")
    frame = frame.with_columns(x=pl.Series(np.arange(len(rows)) / 2))
    frame.write_csv(folder / "columns.csv")
    roles = Roles(label=",".join(names), label_kind=kind, header="yes")
    return of(read(folder / "columns.csv", roles), kind)


def by_estimator(column: Cells, classes: Any, kind: str, folder: Path) -> Outcome:
    found = read_sets(list(column), classes)
    return named(found.names, found.member)


def by_label_file(column: Cells, classes: Any, kind: str, folder: Path) -> Outcome:
    """What ``errors find`` reads; the probabilities name the classes."""
    names = list(reference(column, classes, kind)[0])
    frame_of(column).write_csv(folder / "labels.csv")
    found = labels_of_file(folder / "labels.csv", roles_of(None, kind), names)
    check_said(found)
    return named(names, label_sets(found, names, len(names)))


def by_check(column: Cells, classes: Any, kind: str | None, folder: Path) -> Outcome:
    frame_of(column).write_csv(folder / "t.csv")
    roles = replace(roles_of(classes, kind), ask_kind=True)
    return of(opened(folder / "t.csv", roles, None, lambda *_: None).data, kind or ONE_OF)


def by_review(column: Cells, classes: Any, kind: str | None, folder: Path) -> Outcome:
    frame_of(column).write_csv(folder / "t.csv")
    return of(read_rows(str(folder / "t.csv"), roles_of(classes, kind)).data, kind or ONE_OF)


DOORS: dict[str, Callable[[Cells, Any, str, Path], Outcome]] = {
    "list": lambda c, classes, kind, _: by_array(c, classes, kind, list),
    "array": lambda c, classes, kind, _: by_array(c, classes, kind, lambda v: np.array(v, object)),
    "pandas": lambda c, classes, kind, _: by_array(
        c, classes, kind, lambda v: pd.Series(v, dtype=object)
    ),
    "polars": lambda c, classes, kind, _: by_array(
        c, classes, kind, lambda v: pl.Series(v, dtype=pl.String)
    ),
    "data frame": lambda c, classes, kind, _: of(read(frame_of(c), roles_of(classes, kind)), kind),
    "csv": in_file(".csv", lambda frame, path: frame.write_csv(path)),
    "tsv": in_file(".tsv", lambda frame, path: frame.write_csv(path, separator="\t")),
    "slashes": in_file(".csv", lambda frame, path: frame.write_csv(path), label_separator="/"),
    "parquet": in_file(".parquet", lambda frame, path: frame.write_parquet(path)),
    "jsonl": in_file(".jsonl", lambda frame, path: frame.write_ndjson(path)),
    "arff": in_file(".arff", write_arff),
    "label file": by_label_file,
    "estimator": by_estimator,
    "check": by_check,
    "review": by_review,
}
OF_SOUND = {  # forms that can hold nothing else than labels
    "lists": lambda c, classes, kind, _: by_array(c, classes, kind, lists),
    "sets": lambda c, classes, kind, _: by_array(
        c, classes, kind, lambda v: [set(row) for row in lists(v)]
    ),
    "parquet of lists": by_lists(".parquet", lambda frame, path: frame.write_parquet(path)),
    "jsonl of lists": by_lists(".jsonl", lambda frame, path: frame.write_ndjson(path)),
    "columns": by_columns,
}
EVERY_ROW = {"estimator"}  # which take no row without a label, and know no sets that all hold


def outcome(door: Callable[[], Outcome]) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return door()
        except ValueError:
            return "refused"


def reference(column: Cells, classes: Any, kind: str) -> Any:
    found = read_labels({FIELDS[kind]: list(column)}, LabelRule(classes))
    sets = found.labels[FIELDS[kind]]
    if kind == ONE_OF and not sets.any(1).all():
        raise ValueError("a row without a candidate")
    return named(found.classes, sets)


def named_sets(column: Cells, classes: Any, kind: str) -> Any:
    return reference(column, classes, kind)[1]


def check(column: Cells, classes: Any, kind: str, folder: Path, only: Sequence[str] = ()) -> None:
    expected = outcome(lambda: reference(column, classes, kind))
    sound = isinstance(expected, tuple)
    if sound and (len(expected[0]) < 2 or not any(expected[1])):
        return  # a table says that there is nothing to learn
    if not sound and kind == ONE_OF and any(not (cell or "").strip() for cell in column):
        return  # a table may take sets of one each as labels, of which some lack
    doors = DOORS | (OF_SOUND if sound else {})
    for name in only or doors:
        if name in EVERY_ROW and kind == ALL_OF:
            continue
        said = outcome(lambda: doors[name](column, classes, kind, folder))  # noqa: B023
        assert said == expected, name


HEALTH = [HealthCheck.function_scoped_fixture]


@given(cells, declared, kinds)
@settings(max_examples=60, suppress_health_check=HEALTH)
def test_every_door_says_the_same_of_sets(tmp_path, column, classes, kind):
    check(column, classes, kind, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1500)
@given(cells, declared, kinds)
@settings(max_examples=500, suppress_health_check=HEALTH)
def test_every_door_says_the_same_of_sets_five_hundred_times(tmp_path, column, classes, kind):
    check(column, classes, kind, tmp_path)


@given(cells, declared)
@settings(max_examples=60, suppress_health_check=HEALTH)
def test_who_finds_wrong_labels_asks_where_nothing_says_what_several_are(tmp_path, column, classes):
    several = [c for c in column if len(lists([c])[0]) > 1]
    for door in (by_check, by_review, by_label_file):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if several and isinstance(outcome(lambda: reference(column, classes, ALL_OF)), tuple):
                with pytest.raises(ValueError, match=r"one-of.*all-of.*single"):
                    by_asking(door, column, classes, tmp_path)


def by_asking(door: Any, column: Cells, classes: Any, folder: Path) -> Any:
    if door is not by_label_file:
        return door(column, classes, None, folder)
    frame_of(column).write_csv(folder / "labels.csv")
    return check_said(labels_of_file(folder / "labels.csv", roles_of(classes, None)))


# ---- a second rule at one door is noticed


def changed(change: Callable[[Any], Any]) -> Callable[..., Outcome]:
    """The door of lists, that reads each cell in another way first."""
    return lambda c, classes, kind, f: DOORS["csv"]([change(cell) for cell in c], classes, kind, f)


def check_all(columns: Sequence[Cells], folder: Path) -> None:
    for column in columns:
        check(column, None, ALL_OF, folder, ["list"])


FAULTS = {
    "the first alone": changed(lambda c: c and c.split("|")[0]),
    "commas separate": changed(lambda c: c and c.replace(",", "|")),
    "an empty one counts": changed(lambda c: c or "empty"),
    "what ends in a bar is one": changed(lambda c: c and c.strip("|")),
    "brackets are taken off": changed(lambda c: c and c.strip("[]'")),
    "sorted as text": lambda c, classes, kind, f: (
        tuple(sorted(DOORS["csv"](c, classes, kind, f)[0])),
        DOORS["csv"](c, classes, kind, f)[1],
    ),
    "one of the two kinds is the other": lambda c, classes, kind, f: DOORS["csv"](
        [cell or "cat" for cell in c], classes, kind, f
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_second_rule_for_sets_is_noticed(tmp_path, monkeypatch, fault):
    monkeypatch.setitem(DOORS, "list", FAULTS[fault])
    columns = [
        ["cat|dog", "cat", "emu"], ["cat,dog", "cat"], ["cat|dog", "", "dog"], ["cat|", "dog"],
        ["[cat|dog]", "cat", "dog"], ["1|2", "10", "2"],
    ]  # fmt: skip
    with pytest.raises(AssertionError, match="list"):
        check_all(columns, tmp_path)
