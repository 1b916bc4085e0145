"""Kinds of inputs: what each says of itself, and that whoever asks does not compare names."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from candidly.data.inputs import InputKind, Table, kind_of_inputs

SRC = Path(__file__).parents[3] / "src" / "candidly"
EXAMPLES = {
    "table": np.zeros((2, 3), np.float32),
    "images": np.zeros((2, 4, 4), np.uint8),
    "texts": np.array(["a", "b"], object),
    "media": np.array([Path("a.png"), Path("b.png")], object),
    "columns": Table.of(pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), {}),
}
FACTS = ("array", "pictures", "texts", "files", "named", "pixels", "encoded")
# Files that ask which kind it is, and how often: what is stored, read and fitted for one alone.
# ``planning``, ``_named``, ``pipelines``, ``seen`` and ``views`` have what a network or classifier
# sees, which may be tokens or vectors; ``stack`` and ``batches`` have tables of numbers or none.
ASK = {
    "compare/sweep/planning.py": 2,
    "errors/checking/_opened.py": 1,
    "errors/checking/_result.py": 1,
    "errors/crossval/_classifiers.py": 1,
    "errors/crossval/_named.py": 1,
    "errors/crossval/_networks.py": 1,
    "data/ingest/_examples.py": 1,
    "data/inputs/_arrays.py": 1,
    "data/labels/_stored.py": 4,
    "data/labels/describe.py": 1,
    "data/labels/parts.py": 1,
    "data/sources/_source.py": 1,
    "learn/classifiers/pipelines.py": 4,
    "learn/engine/batches.py": 1,
    "learn/engine/examples.py": 1,
    "learn/engine/stack.py": 1,
    "learn/model/_reading.py": 2,
    "learn/model/measured.py": 1,
    "learn/written/seen.py": 1,
    "learn/written/views.py": 1,
}
COMPARED = re.compile(r"\bkind (?:==|!=|in|not in) \(?\"(?:table|images|texts|media|columns)\"")


@pytest.mark.parametrize("name", EXAMPLES)
def test_inputs_are_recognised_by_name(name):
    kind = kind_of_inputs(EXAMPLES[name])
    assert kind is InputKind(name)
    assert (kind, f"{kind}", json.dumps([kind])) == (name, name, f'["{name}"]')
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_every_kind_has_an_example_and_is_told_from_the_others():
    assert [kind.value for kind in InputKind] == list(EXAMPLES)
    told = {tuple(getattr(kind, fact) for fact in FACTS) for kind in InputKind}
    assert len(told) == len(EXAMPLES)


def test_what_they_are():
    by = {fact: {kind.value for kind in InputKind if getattr(kind, fact)} for fact in FACTS}
    assert by == {
        "array": {"table", "images"},
        "pictures": {"images", "media"},
        "texts": {"texts"},
        "files": {"media"},
        "named": {"table", "columns"},
        "pixels": {"images"},
        "encoded": {"images", "media", "texts"},
    }


def test_names_are_compared_where_one_kind_alone_is_meant():
    found = {}
    for path in SRC.rglob("*.py"):
        count = len(COMPARED.findall(path.read_text()))
        if count and path.parts[-2] != "web":  # which has kinds of files
            found[path.relative_to(SRC).as_posix()] = count
    assert found == ASK


def test_another_name_is_no_kind():
    with pytest.raises(ValueError, match="'sounds' is not a valid InputKind"):
        InputKind("sounds")
