"""``candidly crowd sets``, through the same door as a user."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from candidly import crowd, load
from candidly.data.ingest import Roles
from candidly.data.labels.votes import Votes

NAMES = ("cat", "dog", "[bold]emu", "<i>owl")


@pytest.fixture
def table(tmp_path):
    """Answers that are sets: a row each, in answers.csv; and what they do not hold, denied.csv."""
    rng = np.random.default_rng(0)
    rows, left = [], []
    for i in range(60):
        for j in range(4):
            true = NAMES[i % 4]
            rest = rng.permutation([name for name in NAMES if name != true]).tolist()
            said = [true, *rest[: rng.integers(3)]] if rng.random() < 0.9 else rest[:1]
            rows.append((f"p{i:02}", f"w{j}", "|".join(said)))
            left.append((*rows[-1][:2], "|".join(name for name in NAMES if name not in said)))
    for name, made in (("answers", rows), ("denied", left)):
        frame = pl.DataFrame(made, schema=["item", "annotator", "label"], orient="row")
        frame.write_csv(tmp_path / f"{name}.csv")
    return tmp_path


COLUMNS = ("--item", "item", "--annotator", "annotator")


def test_sets_are_what_python_gives(candidly, table):
    status, out, err = candidly("crowd", "sets", "answers.csv", *COLUMNS, "--json", "--top", 60,
                                "--out", "sets.csv", "--mass", 0.9)  # fmt: skip
    assert status == 0, err
    about = json.loads(out)
    with pytest.warns(UserWarning, match="no inputs"):
        data = load("answers.csv", roles=Roles(item="item", annotator="annotator"))
    found = crowd.set_consensus(data.votes, data.n, data.q)
    sets = found.candidates(0.9)
    assert about["size"] == sets.sum(1).mean()
    assert about["annotators"] == dict(zip(found.annotators, found.accuracy.tolist()))
    wanted = {
        str(data.ids[row]): {data.classes[k] for k in np.flatnonzero(sets[row])}
        for row in range(data.n)
    }
    assert {row["item"]: set(row["candidates"].split("|")) for row in about["sets"]} == wanted
    written = pl.read_csv("sets.csv")
    assert written["candidates"].to_list() == [row["candidates"] for row in about["sets"]]
    first = written["weights"].str.split("|").list.first().cast(float)
    np.testing.assert_allclose(first, written["quality"], atol=1e-4)


def test_denials_say_the_same_as_what_they_leave(candidly, table):
    said = [
        json.loads(candidly("crowd", "sets", name, *COLUMNS, *more, "--json", "--top", 60)[1])
        for name, more in (("answers.csv", ()), ("denied.csv", ("--denied",)))
    ]
    assert said[0]["size"] == said[1]["size"]
    pairs = [{row["item"]: row["candidates"] for row in one["sets"]} for one in said]
    assert pairs[0] == pairs[1]


def test_rankings_are_what_python_gives(candidly, tmp_path):
    """Labels in their cells' order; a set of the same labels says less."""
    rng = np.random.default_rng(1)
    rows, said = [], []
    for i in range(80):
        for j in range(3):
            order = rng.permutation(4)
            if rng.random() < 0.8:
                order = np.r_[i % 4, order[order != i % 4]]
            kept = order[: rng.integers(1, 5)].tolist()
            rows.append((f"p{i:02}", f"w{j}", " ~ ".join(NAMES[k] for k in kept)))
            said.append((i, f"w{j}", [sorted(NAMES).index(NAMES[k]) for k in kept]))
    frame = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    frame.write_csv(tmp_path / "orders.csv")
    command = ("crowd", "sets", "orders.csv", *COLUMNS, "--label-separator", "~", "--json")
    status, out, err = candidly(*command, "--ranked", "--top", 80)
    assert status == 0, err
    about = json.loads(out)
    votes = Votes.from_rows(said)
    found = crowd.set_consensus(votes, 80, 4, None, np.ones(len(votes), bool))
    assert about["annotators"] == dict(zip(found.annotators, found.accuracy.tolist()))
    assert about["size"] == found.candidates(0.95).sum(1).mean()
    as_sets = json.loads(candidly(*command)[1])
    assert as_sets["size"] > about["size"]
    assert "not both" in candidly(*command, "--ranked", "--denied")[2]


def test_what_is_printed(candidly, table):
    status, out, err = candidly("crowd", "sets", "answers.csv", *COLUMNS, "--top", 3)
    assert status == 0, err
    assert "240 answers about 60 items by 4 annotators" in out
    assert "candidate sets that hold 95 % of the posterior have" in " ".join(out.split())
    assert "the first 3 of 60 items; --top gives more" in out


def test_a_table_without_answers_is_refused(candidly, tmp_path):
    pl.DataFrame({"x": [1.0, 2.0], "label": ["a", "b"]}).write_csv(tmp_path / "plain.csv")
    status, _, err = candidly("crowd", "sets", "plain.csv")
    assert status == 2
    assert "plain.csv has no answers of people" in err
    status, _, err = candidly("crowd", "sets", "plain.csv", "--mass", 1.5)
    assert status == 2
    assert "--mass" in err
