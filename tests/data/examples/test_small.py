"""The examples ``pets``, ``steps`` and ``shapes``: as many labels are wrong as is said of them."""

from __future__ import annotations

import re
from pathlib import PurePath

import pytest

from candidly.data.examples import EXAMPLES, pets, shapes, steps


def said(name: str) -> int:
    """How many wrong labels an example is said to have."""
    return int(re.search(r"; (\d+) (?:are|have)", EXAMPLES[name].about)[1])


@pytest.mark.parametrize(("name", "module"), [("pets", pets), ("steps", steps)])
def test_the_wrong_labels_of_a_table_are_counted(name, module, monkeypatch):
    entered = module.rows()
    monkeypatch.setattr(module, "WRONG", {})
    right = module.rows()
    differ = [a for a, b in zip(entered, right, strict=True) if a != b]
    assert len(differ) == said(name)
    assert all(a[:-1] == b[:-1] for a, b in zip(entered, right, strict=True))


def test_the_truth_of_pets_is_what_is_right(monkeypatch):
    monkeypatch.setattr(pets, "WRONG", {})
    labels = [row[-1] for row in pets.rows()]
    assert [kind for kind, label in zip(pets.truth(), labels) if label] == list(
        filter(None, labels)
    )


def test_the_pictures_in_wrong_folders_are_counted(monkeypatch):
    entered = {PurePath(name).name: name for name in shapes.files()}
    monkeypatch.setattr(shapes, "WRONG", {})
    right = {PurePath(name).name: name for name in shapes.files()}
    assert len(entered) == len(right) == 300
    assert sum(entered[file] != right[file] for file in right) == said("shapes")
