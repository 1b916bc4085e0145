"""Columns are what they hold, whatever they are called; and a message is found by itself."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest

import candidly

N = 300


def tickets(seed: int = 0) -> pl.DataFrame:
    """Messages of three kinds, with a number, a date and a priority that say nothing."""
    draw = random.Random(seed)
    words = {
        "billing": ["invoice", "charged", "twice", "refund", "card", "payment", "price", "bill"],
        "login": ["password", "reset", "account", "locked", "code", "email", "sign", "cannot"],
        "delivery": ["parcel", "late", "courier", "address", "broken", "box", "arrived", "waiting"],
    }
    rest = ["please", "help", "me", "with", "this", "today", "the", "and", "my", "is", "since"]
    rows = []
    for row in range(N):
        kind = draw.choice(list(words))
        said = draw.sample(words[kind], 4) + draw.sample(rest, 5)
        draw.shuffle(said)
        day = f"2024-0{draw.randint(1, 9)}-{draw.randint(10, 28)}"
        rows.append((f"T-{row * 37 % 1000:04}", day, " ".join(said), draw.randint(1, 3), kind))
    return pl.DataFrame(
        rows, schema=["ticket", "opened", "message", "priority", "category"], orient="row"
    )


def test_the_message_is_found_by_itself(typed, tmp_path):
    tickets().write_csv("tickets.csv")
    status, out, err = typed("candidly check tickets.csv --label category --json")
    assert status == 0, err
    told = json.loads(out)
    assert max(told["accuracies"].values()) > 0.9
    assert told["read"]["texts"] == "message"
    assert told["read"]["ids"] == "ticket"
    status, out, err = typed("candidly check tickets.csv --label category --text none --json")
    assert status == 0, err
    told = json.loads(out)
    assert "texts" not in told["read"] or told["read"]["texts"].startswith("1:")
    assert told["read"]["numbers"] == "1: priority"


@pytest.mark.parametrize(
    "name", ["text", "path", "image", "item", "group", "truth", "given", "candidates", "label"]
)
def test_a_feature_may_be_called_anything(tmp_path, name):
    """A column of numbers, and one of other words, are features under the names of roles."""
    draw = random.Random(1)
    kinds = ["ham" if draw.random() < 0.5 else "spam" for _ in range(100)]
    for cells in ([draw.random() for _ in range(100)], [draw.choice("uvw") for _ in range(100)]):
        frame = pl.DataFrame({name: cells, "size": range(3, 403, 4), "kind": kinds})
        frame.write_csv(tmp_path / "t.csv")
        read = candidly.read(tmp_path / "t.csv", label="kind")
        assert read.inputs.shape == (100, 2)
        assert read.classes == ("ham", "spam")
        found = candidly.check(tmp_path / "t.csv", "kind", folds=2)
        assert list(found.kinds) == [name, "size"]


def test_another_column_of_the_same_labels_is_no_feature(tmp_path):
    kinds = ["ham", "spam", "ham", "ham"] * 30
    frame = pl.DataFrame({"size": [k * 0.7 for k in range(120)], "given": kinds, "kind": kinds})
    frame = frame.with_columns(truth=pl.Series(kinds[::-1]))
    frame.write_csv(tmp_path / "t.csv")
    with pytest.warns(UserWarning, match="column 'given' holds labels, too"):
        read = candidly.read(tmp_path / "t.csv", label="kind")
    assert read.inputs.shape == (120, 1)
    assert read.truth is not None


def test_what_a_column_is_can_be_said(tmp_path, typed):
    """A postcode is no quantity, and one wrong cell does not make words of a column of ages."""
    rows = ["zip,age,shop,label"]
    for k in range(120):
        zip_ = ("10115", "20095", "80331")[k % 3]
        age = "old" if k == 7 else str(20 + k % 50)
        rows.append(f"{zip_},{age},{'ab'[k % 2]},{'yes' if k % 3 == 1 else 'no'}")
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    refused = {
        "": ("numbers but for 1 cell, such as 'old' at row 7", "--kind age=category"),
        "--kind age=number": ("has 'old' at row 7",),
        "--kind ago=number": ("no input; did you mean 'age'",),
    }
    for options, said in refused.items():
        status, _, err = typed(f"candidly check t.csv {options}")
        assert status == 2
        assert all(one in err for one in said), err
    (tmp_path / "t.csv").write_text("\n".join(rows).replace("old", "27") + "\n")

    def read_as(options):
        status, out, err = typed(f"candidly check t.csv {options} --json")
        assert status == 0, err
        return {one["column"]: one["as"] for one in json.loads(out)["read as"]}

    assert read_as("")["zip"] == "number"
    said = read_as("--kind zip=category,shop=text")
    assert (said["zip"], said["age"], said["shop"]) == ("category", "number", "text, 32 numbers")
    data = candidly.read(tmp_path / "t.csv", label="label", kinds={"zip": "category"})
    assert data.inputs.kinds == {"zip": "category", "age": "number", "shop": "category"}
    plain = candidly.read(tmp_path / "t.csv", drop=["shop"], kinds={"age": "number"})
    assert plain.kind == "table"  # an array, as without it
