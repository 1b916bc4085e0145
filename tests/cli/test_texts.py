"""A table whose columns have names of their own goes from check to benchmark, by its texts."""

from __future__ import annotations

import json
import random
import shlex

import numpy as np
import polars as pl
import pytest

from candidly.data.labels.labelled import Labelled
from candidly.learn.model import load_model

WORDS = {
    "billing": ("invoice", "refund", "charge", "payment", "card"),
    "login": ("password", "account", "reset", "locked", "code"),
    "shipping": ("parcel", "delivery", "late", "address", "courier"),
}
WRONG = set(range(5, 150, 14))
COLUMNS = ("--label", "team", "--text", "message", "--id", "ticket")
SMALL = "--configs 1 --splits 1 --steps 6 --eval-every 3 --workers 1 --hyper batch_size=32"


@pytest.fixture
def tickets(tmp_path):
    draw, names, rows = random.Random(3), list(WORDS), []
    for i in range(150):
        team = names[i % 3]
        message = " ".join([*draw.sample(WORDS[team], 3), f"no. {i}", "café 🙂"])
        rows.append((f"T{i:03}", message, names[(i + 1) % 3] if i in WRONG else team))
    frame = pl.DataFrame(rows, ["ticket", "message", "team"], orient="row")
    frame.write_csv(tmp_path / "tickets.csv")
    return frame


def test_texts_go_from_check_to_benchmark(candidly, tickets, tmp_path):
    def ask(words, *more):
        status, out, err = candidly(*shlex.split(words), *more)
        assert status == 0, err
        return out, err

    told = json.loads(ask("check tickets.csv --json", *COLUMNS)[0])
    assert told["classifier"] == "logistic"
    flagged = pl.read_csv(tmp_path / "tickets-check.csv")
    found = set(flagged["id"])
    assert found <= {f"T{i:03}" for i in WRONG}
    assert len(found) > 8
    assert "--text message" in told["next"][0]  # review new
    out, _ = ask(told["next"][0].removeprefix("candidly "))
    assert f"{len(found)} items" in out

    ask("train tickets.csv --net bilstm:width=8 --steps 6 --out m.safetensors", *COLUMNS)
    ask("predict m.safetensors tickets.csv --top 2 --out p.csv", *COLUMNS[2:])
    predicted = pl.read_csv(tmp_path / "p.csv")
    assert len(predicted) == 150
    assert set(predicted["prediction"]) <= set(WORDS)
    ask("predict m.safetensors tickets.csv --adjusted --probs --out a.csv", *COLUMNS[2:])
    ask("predict m.safetensors tickets.csv --probs --out b.csv", *COLUMNS[2:])
    adjusted, plain = (
        pl.read_csv(tmp_path / f"{n}.csv").select(list(WORDS)).to_numpy() for n in "ab"
    )
    counts = [(tickets["team"] == name).sum() for name in WORDS]
    learned = load_model(tmp_path / "m.safetensors").about["label counts"]
    assert sum(learned) == 135  # a tenth is held out
    assert max(np.abs(np.array(learned) - np.array(counts) * 0.9)) < 10
    wanted = plain / learned
    np.testing.assert_allclose(adjusted, wanted / wanted.sum(1, keepdims=True), rtol=1e-5)

    words = f"bench run --algorithms ce,mixup --net bilstm:width=8 {SMALL} --out runs --dataset"
    status, _, err = candidly(*words.split(), "tickets.csv")
    assert status == 2
    assert "Say which column holds the labels with --label" in err
    ask("data convert tickets.csv tickets.npz", *COLUMNS)
    assert Labelled.load(tmp_path / "tickets.npz").inputs.tolist() == tickets["message"].to_list()
    out, _ = ask(words, "tickets.npz")
    assert "ce" in out
    assert "mixup" in out
