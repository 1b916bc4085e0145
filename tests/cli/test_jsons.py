"""JSON and TOML in candidly's words."""

from __future__ import annotations

import json

import pytest

from candidly.data.ingest import Roles, read_frame
from candidly.ground.files import write_json
from candidly.ground.jsons import from_json, from_toml, to_json
from candidly.ground.problem import Refusal

OTHERS = ("recursion", "Exceeds the limit", "Out of range", "codec", "Expecting value: line")
DEEP = "[" * 100_000 + "]" * 100_000
LONG = "1" * 5000


@pytest.mark.parametrize(
    ("read", "text", "told"),
    [
        (from_json, DEEP, "its JSON is nested too deeply"),
        (from_json, LONG, "a number of thousands of digits"),
        (from_json, b"\xff", "its text is not UTF-8"),
        (from_json, "[1,", "it is no JSON: Expecting value in line 1, column 4"),
        (from_toml, f"a = {DEEP}".encode(), "its TOML is nested too deeply"),
        (from_toml, f"a = {LONG}".encode(), "a number of thousands of digits"),
        (from_toml, b"\xff", "its text is not UTF-8"),
        (from_toml, b"a = ", "it is no TOML: "),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(read, text, told):
    with pytest.raises(Refusal, match=told) as caught:
        read(text)
    assert not [words for words in OTHERS if words in str(caught.value)]


@pytest.mark.parametrize(
    "line",
    [
        "bench plan --settings {}.toml",
        "validate --votes {}.json",
        "data describe {}.json",
        "data describe {}.jsonl",
        "check {}.json",
        "train digits --out m.safetensors --net hf:{}",
    ],
)
@pytest.mark.parametrize("what", [DEEP, LONG], ids=["deep", "long"])
def test_every_door_says_so(candidly, tmp_path, line, what):
    (tmp_path / "it.toml").write_text(f"a = {what}")
    (tmp_path / "it.json").write_text(f'[{{"x": {what}}}]')
    (tmp_path / "it.jsonl").write_text(f'{{"x": {what}}}\n')
    (tmp_path / "it").mkdir()
    (tmp_path / "it" / "config.json").write_text(what)
    status, out, err = candidly(*line.format("it").split())
    assert (status, out) == (2, "")
    assert "has no name" not in err
    assert not [words for words in OTHERS if words in err]


def test_numbers_that_json_lacks_become_null(tmp_path):
    value = {"a": [float("nan"), float("-inf"), 1.5], 2: (float("inf"),)}
    assert json.loads(to_json(value)) == {"a": [None, None, 1.5], "2": [None]}
    write_json(value, tmp_path / "it.json")
    assert json.loads((tmp_path / "it.json").read_text()) == json.loads(to_json(value))


def lines(tmp_path, *rows):
    path = tmp_path / "it.jsonl"
    path.write_text("\n".join(rows))
    return path


def test_nan_as_python_writes_it_is_an_empty_cell(tmp_path):
    frame = read_frame(lines(tmp_path, '{"x": NaN, "y": "a"}', '{"x": 1.5, "y": "b"}')).frame
    assert frame.rows() == [(None, "a"), (1.5, "b")]
    with pytest.raises(ValueError, match="column 'x' has inf at row 1; JSON has no such number"):
        read_frame(lines(tmp_path, '{"x": 1}', '{"x": Infinity}'))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (('{"x": ["a"]}', '{"x": "a"}'), "has a list at row 0 and a text or a number at row 1"),
        (('{"x": "a"}', '{"x": ["a"]}'), "has a text or a number at row 0 and a list at row 1"),
        (('{"x": 1}', '{"x": true}'), "has a text or a number at row 0 and true or false at row 1"),
        (('{"x": null}', '{"x": {"a": 1}}'), r"holds objects \(\{...\}\), as at row 1"),
        (('{"x": [1]}', '{"x": [[1]]}'), "has lists of several kinds"),
    ],
)
def test_values_of_several_kinds_name_column_and_row(tmp_path, rows, told):
    path = lines(tmp_path, *rows)
    with pytest.raises(ValueError, match=f"column 'x' {told}"):
        read_frame(path)
    roles = Roles(drop=("x",))
    assert read_frame(path, read=roles.reads).frame.rows() == [(None,), (None,)]
