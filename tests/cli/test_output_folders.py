"""What makes a folder does not write into one that candidly keeps for something else."""

from __future__ import annotations

import json

import pytest

from candidly.ground.files import MARKS

RUN = "bench run --dataset digits --labels flip:rate=0.3 --algorithms CC --configs 1 --splits 1"
MAKES = {  # each command that makes a folder of its own, and the marks of such a folder
    f"{RUN} --steps 2 --eval-every 2 --workers 1 --out it": {"plan.json"},
    "demo --out it": {"plan.json"},
    "build demo --out it": set(),
    "review new it own.csv --preset single": {"review.db", "review.json"},
    "challenge new it --set given.csv --test test.csv": {"challenge.json"},
    "challenge example sop it": set(),
}
SAID = ("is a directory that candidly keeps for", "is there already", "holds something already")
CASES = [(line, mark) for line, own in MAKES.items() for mark in MARKS if mark not in own]


@pytest.fixture
def own(tmp_path):
    rows = [f"{i},{i % 7},{'cat' if i % 2 else 'dog'}" for i in range(40)]
    for name in ("own.csv", "given.csv", "test.csv"):
        (tmp_path / name).write_text("\n".join(["a,b,label", *rows]) + "\n")
    return tmp_path


@pytest.mark.parametrize(("line", "mark"), CASES)
def test_a_folder_of_another_kind_is_refused_and_stays(candidly, own, line, mark):
    (own / "it").mkdir()
    (own / "it" / mark).write_text(json.dumps({"kept": 1}))
    status, _, err = candidly(*line.split())
    assert status == 2
    assert any(f"it {said}" in err for said in SAID), err
    assert [path.name for path in (own / "it").iterdir()] == [mark]
