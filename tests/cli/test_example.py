"""``candidly example``: files to try things with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from candidly.data.examples import EXAMPLES, write


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_the_same_each_time(name, tmp_path):
    written = {path: path.read_bytes() for path in write(name, tmp_path)}
    assert written
    assert all(path.is_relative_to(tmp_path) for path in written)
    write(name, tmp_path)  # what is there is equal, so that nothing is refused
    assert written == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_without_a_name_they_are_listed(candidly):
    status, out, _ = candidly("example")
    assert status == 0
    assert all(name in out for name in EXAMPLES)
    assert set(json.loads(candidly("example", "--json")[1])) == set(EXAMPLES)


def test_files_of_ones_own_stay(candidly, tmp_path):
    Path("pets.csv").write_text("mine")
    status, _, err = candidly("example", "pets")
    assert status == 2
    assert "pets.csv is there already" in err
    assert "--into" in err
    assert Path("pets.csv").read_text() == "mine"
    status, out, _ = candidly("example", "pets", "--into", "other", "--json")
    assert json.loads(out) == {"files": [str(Path("other/pets.csv"))]}
    assert candidly("example", "pets", "--overwrite")[0] == 0
    assert Path("pets.csv").read_text().startswith("id,name,")


def test_a_name_that_is_none_is_refused_with_the_nearest(candidly):
    status, _, err = candidly("example", "pet")
    assert status == 2
    assert "did you mean 'pets'" in err
