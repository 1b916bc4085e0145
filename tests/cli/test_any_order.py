"""Rows that have names go by them: a file in another order says the same.

Of every command that puts two files together one is shuffled, with ids that are words and with ids
that are whole numbers, and so could be mistaken for places.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

N, NAMES = 60, ("cat", "dog", "emu")
IDS = {"words": [f"r{k}" for k in range(N)], "numbers": list(range(1, N + 1))}
PEOPLE = ("ann", "bob", "cy")

JOINS = {  # the command, and the files of it that come in another order
    "errors find": (["errors", "find", "--labels", "t.csv", "--probs", "p.csv"], ["p.csv"]),
    "errors amount": (["errors", "amount", "--labels", "t.csv", "--probs", "p.csv"], ["p.csv"]),
    "errors health": (["errors", "health", "--labels", "t.csv", "--probs", "p.csv"], ["p.csv"]),
    "errors probs": (
        ["errors", "probs", "t.csv", "--out", "o.npz", "--groups", "g.csv", "--folds", "2"],
        ["g.csv"],
    ),
    "errors compare": (
        ["errors", "compare", "t.csv", "--probs", "p.csv", "--detectors", "margin", "--truth",
         "truth", "--seeds", "1"],
        ["p.csv"],
    ),
    "errors compare --features": (
        ["errors", "compare", "t.csv", "--features", "f.csv", "--detectors", "knn-vote", "--truth",
         "truth", "--seeds", "1"],
        ["f.csv"],
    ),
    "data join": (["data", "join", "t.csv", "f.csv", "o.npz"], ["f.csv"]),
    "labels narrow": (["labels", "narrow", "s.csv", "o.npz", "--by", "p.csv"], ["p.csv"]),
    "train": (
        ["train", "s.csv", "--narrow", "p.csv", "--steps", "5", "--out", "m.safetensors"],
        ["p.csv"],
    ),
    "stability": (
        ["stability", "--labels", "t.csv", "--label", "label", "--predictions", "models",
         "--corrected", "c.csv", "--resamples", "20", "--checked", "k.csv"],
        ["c.csv", "k.csv", "models/a.csv"],
    ),
    "crowd consensus": (
        ["crowd", "consensus", "a.csv", "--by", "crowdlab", "--probs", "p.csv", "--known", "c.csv"],
        ["a.csv", "p.csv", "c.csv"],
    ),
    "crowd sets": (["crowd", "sets", "a.csv", "--top", str(N)], ["a.csv"]),
    "validate": (["validate", "--votes", "v.csv", "--labels", "t.csv"], ["v.csv", "t.csv"]),
    "validate --into": (
        ["validate", "--votes", "v.csv", "--into", "t.csv", "--label", "label", "--out", "o.csv"],
        ["v.csv", "t.csv"],
    ),
    "rank": (["rank", "r.csv", "--weights", "weight"], ["r.csv"]),
}  # fmt: skip
NOT = {  # places, times, what is drawn for items in their order
    "path", "read", "written", "seconds", "CPU s", "extra MB", "data", "files", "row",
    "fingerprint", "shared_errors",
}  # fmt: skip


@pytest.fixture(params=list(IDS))
def files(request, tmp_path):
    """A file of each kind about the same rows."""
    ids, rng = IDS[request.param], np.random.default_rng(7)
    true = rng.integers(0, 3, N)
    given = np.where(rng.random(N) < 0.2, (true + 1) % 3, true)
    other = (given + 1) % 3
    probs = rng.dirichlet(np.ones(3), N) + 2 * np.eye(3)[true]
    probs /= probs.sum(1, keepdims=True)
    label = [NAMES[k] for k in given]
    x = {"x": (true + rng.normal(size=N)).round(3), "y": rng.normal(size=N).round(3)}
    right = [NAMES[k] for k in true]

    def write(name, columns):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pl.DataFrame(columns).write_csv(path)

    write("t.csv", {"id": ids, **x, "label": label, "truth": right})
    sets = [f"{NAMES[k]}|{NAMES[j]}" for k, j in zip(true, other)]
    write("s.csv", {"id": ids, **x, "candidates": sets})
    write("p.csv", {"id": ids, **dict(zip(NAMES, probs.T))})
    write("f.csv", {"id": ids, "u": x["x"], "v": x["y"]})
    write("g.csv", {"id": ids, "group": [f"g{k % 20}" for k in range(N)]})
    write("c.csv", {"id": ids, "label": right})
    write("k.csv", {"id": ids, "checked": [k % 2 for k in range(N)]})
    for model, share in (("a", 0.1), ("b", 0.3)):
        said = np.where(rng.random(N) < share, other, true)
        write(f"models/{model}.csv", {"id": ids, "prediction": [NAMES[k] for k in said]})
    said = [NAMES[k] if rng.random() < 0.8 else NAMES[(k + 1) % 3] for k in np.repeat(true, 3)]
    who = {"annotator": list(PEOPLE) * N}
    write("a.csv", {"item": [one for one in ids for _ in PEOPLE], **who, "label": said})
    some = [row for row in range(0, N, 2) for _ in PEOPLE]
    answers = [("given", "guessed", "both")[rng.integers(3)] for _ in some]
    write("v.csv", {"name": [ids[row] for row in some], "person": list(PEOPLE) * (N // 2),
                    "answer": answers, "given": [label[row] for row in some],
                    "guessed": [NAMES[other[row]] for row in some]})  # fmt: skip
    write(
        "r.csv", {"item": ids, **{m: rng.integers(0, 2, N) for m in "ab"}, "weight": rng.random(N)}
    )
    return tmp_path


def told(candidly, arguments):
    status, out, err = candidly(*arguments, "--json")
    assert status == 0, err
    return plain(json.loads(out))


def plain(value):
    """Without times and places of files, numbers to nine digits, lists in an order of their own."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        return sorted(map(plain, value), key=json.dumps)
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items() if name not in NOT}
    return value


def differences(one, other, at=""):
    """Where two values differ, and how."""
    if isinstance(one, dict) and isinstance(other, dict) and set(one) == set(other):
        for name in one:
            yield from differences(one[name], other[name], f"{at}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, (mine, its) in enumerate(zip(one, other)):
            yield from differences(mine, its, f"{at}[{k}]")
    elif one != other:
        yield f"{at}: {one!r} and {other!r}"


def shuffled(path: Path) -> None:
    pl.read_csv(path).sample(fraction=1, shuffle=True, seed=3).write_csv(path)


@pytest.mark.parametrize("name", list(JOINS))
def test_a_file_in_another_order_says_the_same(candidly, files, name):
    arguments, others = JOINS[name]
    first = told(candidly, arguments)
    for file in others:
        shuffled(files / file)
        assert list(differences(first, told(candidly, arguments))) == [], file
