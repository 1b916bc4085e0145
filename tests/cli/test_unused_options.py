"""An option that a command takes changes what it finds, or is refused: none is passed over.

Each is given a value that cannot be right, such as a column that is not there. Whoever looks at it
refuses it, or finds something else.
"""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest
from PIL import Image

from candidly import from_arrays
from candidly.cli._column_options import OPTIONS as OF_ROLES
from candidly.people.review import open_project
from refusal_words import OPTIONS

CELLS = ["a", "b", "A", "a_b"] * 12
WRONG = {  # for the cells above
    "--label": "nope", "--truth": "nope", "--id": "nope", "--text": "nope", "--image": "nope",
    "--annotator": "nope", "--item": "nope", "--drop": "nope", "--kind": "nope=date",
    "--sheet": "nope", "--separator": "tab", "--header": "no", "--classes": "nope,none",
    "--part": "nope", "--test-file": "nope", "--validation-file": "nope",
    "--merge-labels": "spelling", "--label-separator": "_", "--damaged": "refuse", "--data": "nope",
}  # fmt: skip
MADE = ("out.npz", "out.csv", "out.parquet", "out.xlsx")
CONTENT = {"--label-kind"}  # what several labels in a cell are, where a cell has several
COMMANDS = {  # how each is called; {} is the file or name
    "data describe": ["{}"],
    "data convert": ["{}", "out.npz"],
    "data join": ["{}", "features.npy", "out.npz"],
    "labels make": ["{}", "symmetric:rate=0", "out.npz", "--truth", "label", "--json"],
    "labels describe": ["{}"],
    "labels spelling": ["{}", "--json"],
    "check": ["{}", "--folds", "2", "--json"],
    "train": ["{}", "--steps", "1", "--out", "m.safetensors", "--json"],
    "errors probs": ["{}", "--folds", "2", "--out", "out.npz", "--json"],
    "errors compare": ["{}", "--detectors", "margin", "--noise", "symmetric:rate=0.2", "--seeds",
                       "1", "--truth", "label", "--json"],
    "bench plan": ["--dataset", "{}", "--algorithms", "ce", "--no-measure", "--configs", "1",
                   "--splits", "1", "--hyper", "batch_size=8", "--json"],
    "review new": ["project", "{}", "--preset", "single", "--seed", "0", "--json"],
    "predict": ["m.safetensors", "{}", "--out", "out.csv", "--json"],
}  # fmt: skip
TABLES = {"t.csv", "t.parquet", "t.xlsx", "t.csv.zip"}
ONLY = {  # what some of them take
    "labels make": TABLES, "errors compare": TABLES, "labels spelling": TABLES | {"pictures"},
    "data join": TABLES | {"t.npz"},
    "check": TABLES | {"t.npz", "pictures", "beside"}, "train": TABLES | {"t.npz"},
    "errors probs": TABLES | {"t.npz", "pictures", "beside"}, "bench plan": TABLES | {"t.npz"},
    "predict": TABLES | {"t.npz"},
}  # fmt: skip
SOURCES = ("t.csv", "t.parquet", "t.xlsx", "t.npz", "t.csv.zip", "pictures", "beside", "digits")
WITH_OTHERS = {  # commands that read several files, each by the same options
    "errors find": ["--labels", "{}", "--probs", "probs.{end}", "--json"],
    "errors amount": ["--labels", "{}", "--probs", "probs.{end}", "--json"],
    "errors health": ["--labels", "{}", "--probs", "probs.{end}", "--json"],
    "crowd consensus": ["answers.{end}", "--by", "majority", "--json"],
    "validate": ["--votes", "votes.{end}", "--into", "{}", "--out", "out.{end}", "--json"],
    "stability": ["--labels", "{}", "--predictions", "models.{end}", "--json"],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows, rng = len(CELLS), np.random.default_rng(0)
    ids = {"id": [f"r{k}" for k in range(rows)]}
    numbers = {"x": rng.normal(size=rows).round(4), "y": rng.normal(size=rows).round(4)}
    frame = pl.DataFrame(numbers | {"label": CELLS})
    names = sorted({*CELLS})
    probs = rng.dirichlet(np.ones(len(names)), rows)
    named = pl.DataFrame(ids | {name: probs[:, k] for k, name in enumerate(names)})
    answers = {"item": ids["id"], "annotator": ["ann", "bob"] * (rows // 2), "label": CELLS}
    votes = {"item": [0], "person": ["ann"], "answer": ["given"], "given": ["a"], "guessed": ["b"]}
    models = ids | {"label": CELLS, "one": CELLS, "two": ["A", "b", "a", "a_b"] * 12}
    for name, table in (
        ("t", frame), ("probs", named), ("answers", pl.DataFrame(answers)),
        ("votes", pl.DataFrame(votes)), ("models", pl.DataFrame(models)),
    ):  # fmt: skip
        table.write_csv(f"{name}.csv")
        table.write_parquet(f"{name}.parquet")
        book = openpyxl.Workbook()
        for row in (table.columns, *table.rows()):
            book.active.append(list(row))
        book.save(f"{name}.xlsx")
    (tmp_path / "t.csv.zip").write_bytes(zipped("t.csv"))
    from_arrays(np.column_stack([*numbers.values()]), CELLS).save("t.npz")
    np.save("labels.npy", np.array(CELLS))
    np.save("probs.npy", probs)
    np.save("features.npy", np.eye(8)[np.arange(rows) % 8])
    for name in ("a", "b", "A"):
        (tmp_path / "pictures" / name).mkdir(parents=True)
        for k in range(4):
            pixels = rng.integers(0, 256, (8, 8, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / "pictures" / name / f"{k}.png")
    (tmp_path / "pictures" / "a" / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "beside").mkdir()
    for k in range(12):
        pixels = rng.integers(0, 256, (8, 8, 3), np.uint8)
        Image.fromarray(pixels).save(tmp_path / "beside" / f"{k}.png")
    (tmp_path / "beside" / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    pl.DataFrame(
        {"file": [*(f"{k}.png" for k in range(12)), "torn.png"], "label": [*CELLS[:12], "a"]}
    ).write_csv(tmp_path / "beside" / "labels.csv")


def zipped(name: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.write(name)
    return held.getvalue()


def silent(candidly, command: str, words: list[str]) -> list[str]:
    """Options whose value is not right, and the answer is that without them."""
    before = said(candidly, command, words)
    mine = {f"--{name.replace('_', '-')}" for name in OF_ROLES} | {"--kind", "--data"}
    mine &= OPTIONS[tuple(command.split())]
    assert before[0] == 0, before
    return [
        option
        for option in sorted(mine - CONTENT - {*words})
        if said(candidly, command, [*words, option, WRONG[option]]) == before
    ]


def said(candidly, command, words):
    shutil.rmtree("project", ignore_errors=True)
    for made in map(Path, MADE):
        made.unlink(missing_ok=True)
    status, out, err = candidly(*command.split(), *words)
    written = [made.read_bytes() for made in map(Path, MADE) if made.exists()]
    if Path("project").is_dir():
        with open_project("project") as project:
            written += [project.fingerprint]
    return (status, out, written) if status == 0 else (status, out, err)


@pytest.mark.parametrize("source", SOURCES)
def test_an_option_changes_what_is_read_or_is_refused(candidly, files, source):
    assert silent(candidly, "data describe", [source]) == []


def test_what_several_labels_are_changes_what_is_read(candidly, files):
    pl.DataFrame({"x": [1, 2, 3], "label": ["a|b", "b", "a"]}).write_csv("several.csv")
    words = ["data", "describe", "several.csv", "--label-kind"]
    kinds = ("one-of", "all-of", "single")
    assert len({candidly(*words, kind)[1] for kind in kinds}) == len(kinds)


def test_a_sheet_of_a_workbook_can_be_named(candidly, files):
    assert candidly("data", "describe", "t.xlsx", "--sheet", "Sheet")[0] == 0


def test_files_that_are_read_together_share_the_options(candidly, files):
    words = ["--labels", "t.csv", "--probs", "probs.npy", "--label", "label", "--header", "yes"]
    assert candidly("errors", "find", *words, "--classes", "A,a,a_b,b")[0] == 0
    status, _, err = candidly("errors", "find", *words, "--sheet", "one")
    assert status == 2
    assert "--sheet says nothing of t.csv, a table of text and probs.npy, an array." in err


@pytest.mark.parametrize("end", ["csv", "npy"])
def test_an_option_of_labels_and_probabilities_changes_something_or_is_refused(
    candidly, files, end
):
    words = ["--labels", {"csv": "t.csv", "npy": "labels.npy"}[end], "--probs", f"probs.{end}"]
    words += ["--classes", "A,a,a_b,b"] * (end == "npy")
    assert silent(candidly, "errors health", [*words, "--json"]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "source"),
    [(one, source) for one in COMMANDS for source in SOURCES if source in ONLY.get(one, SOURCES)],
)
def test_an_option_of_any_command_changes_something_or_is_refused(candidly, files, command, source):
    if command == "predict":
        assert candidly("train", "t.csv", "--steps", "1", "--out", "m.safetensors")[0] == 0
    words = [word.format(source) for word in COMMANDS[command]]
    assert silent(candidly, command, words) == []


@pytest.mark.slow
@pytest.mark.parametrize("end", ["csv", "parquet", "xlsx"])
@pytest.mark.parametrize("command", WITH_OTHERS)
def test_an_option_of_commands_that_read_several_files_does_so_too(candidly, files, command, end):
    words = [word.format(f"t.{end}", end=end) for word in WITH_OTHERS[command]]
    assert silent(candidly, command, words) == []
