"""``candidly crowd consensus`` of answers in parts: the same bytes however they are cut."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from candidly import crowd

N, J = 30, 5
NAMES = ("cat", "dog", "emu")


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    return [
        (f"p{i}", f"w{j}", NAMES[i % 3 if rng.random() < 0.7 else rng.integers(3)])
        for i in range(N)
        for j in range(J)
        if rng.random() < 0.7
    ]


def cut(folder, rows, number, seed, end="csv"):
    folder.mkdir()
    order = np.random.default_rng(seed).permutation(len(rows))
    for k, some in enumerate(np.array_split(order, number)):
        frame = pl.DataFrame(
            [rows[i] for i in some], schema=["item", "annotator", "label"], orient="row"
        )
        path = folder / f"part-{k}.{end}"
        (frame.write_csv if end == "csv" else frame.write_parquet)(path)


@pytest.mark.parametrize("by", list(crowd.METHODS))
def test_any_parts_and_workers_give_the_same_bytes(candidly, rows, tmp_path, by):
    names = ("1", "2", "3") if by == "ordinal" else NAMES
    rows = [(item, who, names[NAMES.index(label)]) for item, who, label in rows]
    items = [f"p{i}" for i in range(N)]
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), N)
    columns = {"item": items} | {name: probs[:, k] for k, name in enumerate(names)}
    pl.DataFrame(columns).write_csv(tmp_path / "probs.csv")
    found = set()
    for number, workers, end in ((1, 1, "csv"), (2, 3, "csv"), (11, 2, "parquet")):
        cut(tmp_path / f"{number}", rows, number, number, end)
        outputs = "--out", "labels.csv", "--annotators", "people.csv"
        how = f"{number}", "--by", by, "--workers", workers, *outputs
        how += () if by in crowd.WITHOUT_MODEL else ("--probs", "probs.csv")
        status, out, err = candidly("crowd", "consensus", *how, "--json")
        assert status == 0, err
        files = [(tmp_path / name).read_bytes() for name in ("labels.csv", "people.csv")]
        found.add((out, *files))
    assert len(found) == 1
    told = json.loads(found.pop()[0])
    alone = by in crowd.WITHOUT_MODEL  # items are then in the order of their names
    answers = crowd.Answers.from_columns(*zip(*rows), items=None if alone else items, classes=names)
    mine = crowd.consensus(answers, by, None if alone else probs)
    assert told["consensus"] == mine.table().head(10).rows(named=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["parts", "--on", "processes", "--workers", 0],
            "it is '0'; give a whole number from 1 to 10,000",
        ),
        (["parts", "--on", "yarn"], "no place to work named 'yarn'"),
        (["one.csv", "--on", "processes"], "one.csv is no folder or address of parts"),
        (["empty"], "empty holds no .parquet or .csv"),
        (["memory://nowhere"], "memory://nowhere does not exist"),
        (["nowhere://x"], "nowhere://x cannot be reached"),
        (["twice"], "'w' answers item a twice, in rows 0 of twice/1.csv and 0 of twice/2.csv."),
        (["parts", "--item", "name"], "parts/part-0.csv has no column 'name'"),
        (["parts", "--probs", "p.npy"], "go by number, but items of parts do not"),
    ],
)
def test_what_is_refused(candidly, rows, tmp_path, arguments, message):
    cut(tmp_path / "parts", rows, 2, 0)
    (tmp_path / "empty").mkdir()
    (tmp_path / "twice").mkdir()
    for name in ("one.csv", "twice/1.csv", "twice/2.csv"):
        (tmp_path / name).write_text("item,annotator,label\na,w,x\n" + f"b,{name[-5]},y\n")
    np.save(tmp_path / "p.npy", np.full((2, 2), 0.5))
    status, out, err = candidly("crowd", "consensus", *arguments)
    assert (status, out) == (2, "")
    assert message in " ".join(err.split())
