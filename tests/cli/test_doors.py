"""Every command that takes labels reads them by the one rule, and has all options of labels.

A command is a door or it takes no labels: the two lists together are all commands, so that a new
one has to be put into one of them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from candidly import load
from candidly.cli._column_options import CELLS, LABELS
from candidly.data.labels.reading import LabelRule, read_labels
from refusal_words import COMMANDS, OPTIONS

TIMES = 8  # a small column stands in the file so often, for five folds and a test set
WITHOUT = {  # commands that take no labels of a person's file
    "demo", "example", "data list", "data show", "data features", "algorithms list",
    "algorithms show", "algorithms check", "new algorithm", "bench status", "bench table",
    "bench published", "bench records", "bench compare", "bench track", "bench report",
    "bench compact", "cluster check", "challenge new", "challenge example", "challenge submit",
    "challenge run", "challenge score", "challenge rank", "challenge report", "build noisywikihow",
    "build ask", "build demo", "build corpus", "build data", "review serve", "review demo",
    "review gallery", "review status", "review merge", "labels spelling", "rank", "crowd read",
}  # fmt: skip
KNOWN = {"predict", "review export"}  # whose classes are the model's or the project's
ONE_A_ROW = ("stability", "validate", "crowd consensus")
CONTENTS = {  # cells of a column of labels, and the classes that were declared
    "1 to 5": (["1", "2", "3", "4", "5"], None),
    "-1, 0, 1": (["-1", "0", "1"], None),
    "years": (["1999", "2001", "2010"], None),
    "007": (["007", "7", "x"], None),
    "spaces": ([" cat", "cat ", "dog"], None),
    "names with commas": (["cat,dog", "cat"], "names.txt"),
    "declared in another order": (["b", "a", "c"], "c,b,a"),
    "one that nobody gave": (["b", "a"], "a,b,c"),
    "numbers among declared numbers": (["2", "1"], "1,2,3"),
    "places among names": (["0", "1"], "cat,dog"),
    "refused: several in a cell": (["cat,dog", "cat"], None),
    "refused: no class": (["cat", "emu"], "cat,dog"),
    "refused: fractions": (["0.5", "1.5"], None),
}
FAST = ("numbers among declared numbers", "-1, 0, 1")


@pytest.fixture
def column(request, tmp_path):
    """Files with the same labels, and what these are by the rule: classes and names, or None."""
    cells, classes = CONTENTS[request.param]
    cells = cells * TIMES
    declared = ["cat,dog", "cat"] if classes == "names.txt" else classes and classes.split(",")
    try:
        read = read_labels({"given": cells}, LabelRule(declared))
        expected = read.classes, [read.classes[k] for k in read.labels["given"]]
    except ValueError:
        expected = None
    rows = len(cells)
    rng = np.random.default_rng(0)
    numbers = {"x": rng.normal(size=rows).round(4), "y": rng.normal(size=rows).round(4)}
    ids = {"id": [f"r{k}" for k in range(rows)]}
    frame = pl.DataFrame(ids | numbers | {"label": cells})
    frame.write_csv(tmp_path / "t.csv")
    columns = expected[0] if expected else ("a", "b")
    probs = rng.dirichlet(np.ones(len(columns)), rows)
    named = {name: probs[:, k] for k, name in enumerate(columns)}
    pl.DataFrame(ids | named).write_csv(tmp_path / "probs.csv")
    answers = {"item": ids["id"], "annotator": ["ann", "bob"] * (rows // 2) + ["ann"] * (rows % 2)}
    pl.DataFrame(answers | {"label": cells}).write_csv(tmp_path / "answers.csv")
    for model in ("one", "two"):
        (tmp_path / "models").mkdir(exist_ok=True)
        pl.DataFrame(ids | named).write_csv(tmp_path / "models" / f"{model}.csv")
    pl.DataFrame(ids | {"label": cells, "one": cells, "two": cells[::-1]}).write_csv(
        tmp_path / "m.csv"
    )
    said = {"item": [0], "person": ["ann"], "answer": ["given"]}
    said |= {"given": cells[:1], "guessed": cells[-1:]}
    pl.DataFrame(said).write_csv(tmp_path / "votes.csv")
    (tmp_path / "names.txt").write_text("cat,dog\ncat\n")
    return expected, [] if classes is None else ["--classes", classes]


def of_json(*path):
    def classes(out):
        found = json.loads(out)
        for step in path:
            found = found[step]
        return tuple(found)

    return classes


def of_npz(out, name="out.npz"):
    found = load(name)
    return found.classes, [found.classes[k] for k in found.given]


def of_probs(out):
    with np.load("out.npz") as found:
        names = Path("out.classes.txt")
        classes = names.read_text().splitlines() if names.exists() else ["0", "1", "2", "3", "4"]
        return tuple(classes), [classes[k] for k in found["given"]]


def of_health(out):
    return {row["class"] for row in json.loads(out)["classes"]}


def of_project(out):
    from candidly.people.review import open_project

    with open_project("project") as project:
        return tuple(project.rules.classes)


def of_column(out):
    return pl.read_csv("out.csv", infer_schema=False)["label corrected"].to_list()


def of_sheet(out):
    named = re.findall(r"^ *classes +(\d+)$", out, re.MULTILINE)
    return int(named[0])


DOORS = {  # how each command is called, and what it says: classes, or these and each row's
    "check": (["t.csv", "--label", "label", "--id", "id", "--folds", "2", "--json"],
              of_json("classes")),
    "train": (["t.csv", "--label", "label", "--id", "id", "--steps", "1", "--out",
               "m.safetensors", "--json"], of_json("classes")),
    "data describe": (["t.csv", "--label", "label", "--id", "id"], of_sheet),
    "labels describe": (["t.csv", "--label", "label", "--id", "id"], of_sheet),
    "data convert": (["t.csv", "out.npz", "--label", "label", "--id", "id"], of_npz),
    "data join": (["t.csv", "features.npy", "out.npz", "--label", "label", "--drop", "id"], of_npz),
    "labels make": (["t.csv", "symmetric:rate=0", "out.npz", "--truth", "label", "--id", "id"],
                    of_npz),
    "labels narrow": (["t.csv", "out.npz", "--label", "label", "--id", "id", "--label-kind",
                       "one-of", "--by", "probs.csv"], None),  # of sets alone: test_narrow.py
    "bench plan": (["--dataset", "t.csv", "--label", "label", "--id", "id", "--algorithms", "ce",
                    "--no-measure", "--hyper", "batch_size=8", "--configs", "1", "--splits",
                    "1", "--json"],
                   lambda out: json.loads(out)["datasets"][0]["classes"]),
    "bench run": (["--dataset", "t.csv", "--label", "label", "--id", "id", "--algorithms", "ce",
                   "--configs", "1", "--splits", "1", "--steps", "1", "--hyper", "batch_size=8",
                   "--json"],
                  lambda out: None),
    "errors probs": (["t.csv", "--label", "label", "--id", "id", "--folds", "2", "--out",
                      "out.npz"], of_probs),
    "errors find": (["--labels", "t.csv", "--label", "label", "--probs", "probs.csv", "--json"],
                    lambda out: None),
    "errors amount": (["--labels", "t.csv", "--label", "label", "--probs", "probs.csv", "--json"],
                      lambda out: None),
    "errors health": (["--labels", "t.csv", "--label", "label", "--probs", "probs.csv", "--json"],
                      of_health),
    "errors compare": (["t.csv", "--label", "label", "--id", "id", "--detectors", "margin",
                        "--noise", "symmetric:rate=0.2", "--truth", "label", "--seeds", "1"],
                       None),
    "crowd consensus": (["answers.csv", "--by", "majority", "--json"], of_json("classes")),
    "crowd sets": (["answers.csv", "--item", "item", "--annotator", "annotator", "--json"],
                   of_json("classes")),
    "stability": (["--labels", "m.csv", "--predictions", "m.csv", "--label", "label"],
                  lambda out: None),
    "validate": (["--votes", "votes.csv", "--into", "t.csv", "--label", "label", "--out",
                  "out.csv"], of_column),
    "review new": (["project", "t.csv", "--label", "label", "--id", "id", "--preset", "single"],
                   of_project),
}  # fmt: skip


def test_every_command_is_a_door_or_takes_no_labels():
    every = {" ".join(words) for words in COMMANDS}
    assert every == DOORS.keys() | WITHOUT | KNOWN
    assert not DOORS.keys() & WITHOUT


def test_whoever_takes_labels_has_all_options_of_labels_and_tables():
    wanted = {f"--{name.replace('_', '-')}" for name in (*LABELS, *CELLS)}
    for words in COMMANDS:
        if " ".join(words) in DOORS:
            assert wanted <= OPTIONS[words], words


@pytest.mark.parametrize("column", ["years"], indirect=True)
@pytest.mark.parametrize("kind", ["one-of", "all-of"])
@pytest.mark.parametrize("door", ONE_A_ROW)
def test_several_labels_are_refused_where_a_row_has_one(candidly, column, door, kind):
    status, _, err = candidly(*door.split(), *DOORS[door][0], "--label-kind", kind)
    assert status == 2
    assert f"--label-kind is '{kind}', and this takes one label a row" in err


def checked(candidly, column, door):
    expected, declared = column
    words, said = DOORS[door]
    np.save("features.npy", np.eye(8)[np.arange(len(pl.read_csv("t.csv"))) % 8])
    status, out, err = candidly(*door.split(), *words, *declared)
    if expected is None:
        assert status == 2, (out, err)
        return
    unsure = {"-1", "007"} & {*expected[0]}  # it may mean a pruned label, or be a wrong cell
    if door == "stability" and unsure and not declared:
        assert status == 2
        assert "--classes" in err
        return
    assert status == 0, err
    classes, names = expected
    found = said(out)
    if found is None:
        return
    if isinstance(found, int):
        assert found == len(classes)
    elif isinstance(found, set):
        assert found == set(classes)
    elif isinstance(found, list):
        assert found == names
    elif isinstance(found[-1], list):
        assert found == (classes, names)
    else:
        assert found == classes


ASKED = [door for door, (_, said) in DOORS.items() if said is not None]


@pytest.mark.parametrize("column", FAST, indirect=True)
@pytest.mark.parametrize("door", ASKED)
def test_a_command_reads_labels_as_the_rule_does(candidly, column, door):
    checked(candidly, column, door)


@pytest.mark.slow
@pytest.mark.parametrize("column", [one for one in CONTENTS if one not in FAST], indirect=True)
@pytest.mark.parametrize("door", ASKED)
def test_a_command_reads_any_labels_as_the_rule_does(candidly, column, door):
    checked(candidly, column, door)
