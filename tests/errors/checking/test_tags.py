"""Rows of which several labels hold: learned tag by tag, judged, shown."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import candidly
from candidly import errors
from candidly.errors.checking import CheckedTags
from candidly.errors.crossval import cross_validate
from dishes import TAGS, cells, dishes, table


@pytest.fixture(scope="module")
def menu():
    return dishes(500, 40)


@pytest.fixture(scope="module")
def found(menu):
    texts, given, _ = menu
    return candidly.check(table(texts, given), "tags", label_kind="all-of", folds=3)


def test_wrong_tags_are_flagged_with_what_is_missing_and_too_much(menu, found):
    _, given, right = menu
    wrong = np.flatnonzero((given != right).any(1))
    assert isinstance(found, CheckedTags)
    assert np.isin(wrong, found.issues.indices).mean() > 0.6
    rows = found.table()
    assert rows.columns[:7] == [
        *("index", "id", "given", "proposed", "missing", "too much", "self-confidence"),
    ]
    for row in rows.iter_rows(named=True):
        index = row["index"]
        parts = {
            name: set(filter(None, row[name].split("|")))
            for name in ("given", "proposed", "missing", "too much")
        }
        assert parts["given"] == {t for t, there in zip(TAGS, given[index]) if there}
        assert parts["proposed"] == (parts["given"] | parts["missing"]) - parts["too much"]
        assert parts["missing"] or parts["too much"]
        assert row["tags"] == cells(given[index : index + 1])[0]
    assert rows["self-confidence"].is_sorted()
    by_tag = found.by_tag()
    assert by_tag["missing"].sum() + by_tag["too much"].sum() == found.issues.by_tag.sum()
    counts = dict(zip(by_tag["tag"], by_tag["given"]))
    assert counts == dict(zip(TAGS, given.sum(0).tolist()))


def test_what_is_said_of_it(menu, found, tmp_path):
    _, given, _ = menu
    shares = given.mean(0)
    assert found.guess == pytest.approx(np.maximum(shares, 1 - shares).mean())
    assert found.accuracy == pytest.approx(((found.judged.probs > 0.5) == given).mean())
    assert not found.useless
    assert f"contradicts the tags of {found.flagged:,} of 500 rows" in found.headline()
    assert "tags that all hold" in found.read()["labels"]
    assert ("tags", "labels, all right") in [row[:2] for row in found.read_as()]
    found.document().write(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "http" not in re.sub(r"http://www\.w3\.org\S*", "", page)
    assert "Too much: rows from which it would take it away" in page


def test_columns_of_a_row_are_shown_without_what_is_usual(tmp_path):
    draw = np.random.default_rng(0)
    x = draw.normal(size=(200, 2))
    tags = x + 0.1 * draw.normal(size=x.shape) > 0
    tags[::20, 0] ^= True
    frame = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "tags": cells2(tags)})
    result = candidly.check(frame, "tags", label_kind="all-of", folds=3)
    assert np.isin(np.arange(0, 200, 20), result.issues.indices).mean() > 0.5
    result.document().write(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "this row" in page
    assert "usual for" not in page


def cells2(tags):
    return ["|".join(np.array(["left", "right"])[row]) for row in tags]


def test_tags_are_learned_one_by_one_without_the_rows_that_are_judged():
    draw = np.random.default_rng(1)
    x = draw.normal(size=(120, 3))
    tags = np.column_stack([x[:, 0] > 0, x[:, 1] > 0.5, np.zeros(120, bool)])
    data = candidly.from_arrays(x, tags=tags, classes=["a", "b", "never"])
    result = cross_validate(LogisticRegression(), data, 4, seed=3)
    for fold in range(4):
        held = result.folds == fold
        for tag in range(2):
            model = LogisticRegression(random_state=0).fit(data.inputs[~held], tags[~held, tag])
            own = model.predict_proba(data.inputs[held])[:, 1]
            np.testing.assert_allclose(result.probs[held, tag], own, rtol=1e-6)
    assert (result.probs[:, 2] == 0).all()
    assert result.accuracies["LogisticRegression"] == ((result.probs > 0.5) == tags).mean()
    best = cross_validate([LogisticRegression(), RandomForestClassifier(5)], data, 3)
    assert best.accuracy == ((best.probs > 0.5) == tags).mean()


def test_tags_that_cannot_be_learned():
    x = np.random.default_rng(0).normal(size=(30, 2))
    data = candidly.from_arrays(x, tags=np.ones((30, 2), bool), classes=["a", "b"])
    with pytest.raises(ValueError, match="there in some rows and not in others"):
        cross_validate(LogisticRegression(), data)
    data = candidly.from_arrays(x, tags=x > 0, classes=["a", "b"])
    with pytest.raises(ValueError, match="`classifier` one of logistic"):
        cross_validate("ce", data)
    with pytest.raises(ValueError, match="one given label each"):
        cross_validate(LogisticRegression(), data, calibrate=True)
    with pytest.raises(ValueError, match="all labels of a row hold"):
        cross_validate(LogisticRegression(), data, start=(x, (x[:, 0] > 0).astype(int)))


def test_a_file_of_tags_and_its_probabilities(menu, found, tmp_path):
    texts, given, _ = menu
    order = np.random.default_rng(0).permutation(500)
    table(texts, given).select(id="dish", label="tags").write_csv(tmp_path / "tags.csv")
    probs = pl.DataFrame(found.judged.probs, schema=list(TAGS), orient="row")
    probs = probs.insert_column(0, pl.Series("id", [f"dish {k}" for k in range(500)]))
    shuffled = probs[order.tolist()].select("id", *reversed(TAGS))
    shuffled.write_parquet(tmp_path / "probs.parquet")
    again = errors.find_multilabel(
        tmp_path / "tags.csv", tmp_path / "probs.parquet", classes=list(TAGS)
    )
    assert (again.by_tag == found.issues.by_tag).all()
    assert again.table(TAGS)["id"][0] == f"dish {again.indices[0]}"
