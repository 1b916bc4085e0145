"""Tables in JSON, and the sheets of workbooks."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import candidly
from candidly.data.ingest import Roles, read, read_frame, write_back

FEW = settings(deadline=None, max_examples=40)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
            "size": st.integers(-9, 9) | st.none(),
            "label": st.sampled_from(["cat", "dog"]),
        }
    ),
    min_size=1,
    max_size=6,
)


def written(data: str | bytes, name: str = "t.json") -> Path:
    path = Path(tempfile.mkdtemp(), name)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def shapes(rows):
    """All the ways to write the same rows."""
    names = list(rows[0])
    cells = [[row[name] for name in names] for row in rows]
    yield json.dumps(rows)
    yield json.dumps(rows, indent=2, ensure_ascii=False)
    yield json.dumps({name: [row[name] for row in rows] for name in names})
    yield json.dumps({n: {str(k): row[n] for k, row in enumerate(rows)} for n in names})  # pandas
    yield json.dumps({"columns": names, "index": list(range(len(rows))), "data": cells})
    yield json.dumps({"schema": {"fields": []}, "data": rows})


@FEW
@given(ROWS)
def test_json_in_any_shape_is_the_table_that_its_lines_are(rows):
    lines = "\n".join(map(json.dumps, rows)) + "\n"
    expected = read_frame(written(lines, "t.jsonl")).frame
    for text in shapes(rows):
        assert_frame_equal(read_frame(written(text)).frame, expected)
    assert_frame_equal(read_frame(written(json.dumps(rows), "t.jsonl")).frame, expected)
    if len(rows) > 1:
        assert_frame_equal(read_frame(written(lines)).frame, expected)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"a": 1}, {"a": 2]', "it is no JSON: .* in line 1, column 19. If it was cut off"),
        ("[]", "its list is empty"),
        ('[{"a": 1}, 7]', "entry 1 of its list is no object"),
        ("7", "its JSON is int"),
        ('{"a": [1, 2], "b": [1]}', "its columns differ in length: 'a' has 2, 'b' has 1"),
        ('{"a": {"0": 1}, "b": {"1": 1}}', "its columns name different rows"),
        ('{"columns": ["a", "b"], "data": [[1, 2], [3]]}', "row 1 has 1 cells for 2 columns"),
        ('{"version": 3}', "an object of something else than columns"),
        ('[{"a": {"b": 1}}]', "column 'a' holds objects"),
        ('[{"a": "\\ud83d"}]', "half a character"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_other_json_is_refused(text, words):
    with pytest.raises(ValueError, match=f"t.json.*{words}"):
        read_frame(written(text))


def test_labels_of_json_come_back_as_a_table():
    rows = [{"text": f"text {k}", "label": ("cat", "dog")[k % 2]} for k in range(4)]
    sheet = read_frame(written(json.dumps(rows)))
    assert candidly.read(sheet.path).classes == ("cat", "dog")
    new = {"label corrected": ["dog"] * 4}
    for ending in (".csv", ".tsv", ".parquet", ".json", ".jsonl"):
        out = sheet.path.with_name(f"new{ending}")
        write_back(sheet, new, out, "label")
        assert read_frame(out).frame.columns == ["text", "label", "label corrected"]
    with pytest.raises(ValueError, match=r"must end in .csv or .*: t.json is no table"):
        write_back(sheet, new, out.with_suffix(".xlsx"), "label")
    with pytest.raises(ValueError, match=r"t.json is the file itself"):
        write_back(sheet, new, sheet.path, "label", overwrite=True)


def workbook(*sheets: tuple[str, str, list[list[str]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, state, rows in sheets:
        page = book.create_sheet(name)
        page.sheet_state = state
        for row in rows:
            page.append(row)
    path = Path(tempfile.mkdtemp(), "t.xlsx")
    book.save(path)
    return path


FIRST = [["text", "label"], ["a", "cat"], ["b", "dog"]]
SECOND = [["text", "label"], ["c", "dog"], ["d", "cow"], ["e", "dog"]]


def test_a_sheet_is_read_by_name():
    path = workbook(("One", "visible", FIRST), ("Two & more", "visible", SECOND))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_frame(path, sheet="Two & more").frame) == 3
        assert read(path, Roles(sheet="Two & more")).classes == ("cow", "dog")
    with pytest.raises(ValueError, match=r"no sheet 'Two'.* are One, Two & more"):
        read_frame(path, sheet="Two")


def test_other_sheets_are_said_and_hidden_ones_passed_over():
    path = workbook(
        ("Notes", "hidden", [["x"]]), ("One", "visible", FIRST), ("Two", "veryHidden", SECOND)
    )
    with pytest.warns(UserWarning, match=r"read the sheet 'One'; not 'Notes' \(hidden\), 'Two' "):
        assert len(read_frame(path).frame) == 2
    assert len(read_frame(path, sheet="Two").frame) == 3  # a hidden one is read where it is named


def test_labels_come_back_into_the_sheet_that_was_read():
    path = workbook(("One", "visible", FIRST), ("Two", "visible", SECOND))
    sheet = read_frame(path, sheet="Two")
    out = path.with_name("new.xlsx")
    write_back(sheet, {"new": ["x", "y", "z"]}, out, "label")
    assert read_frame(out, sheet="Two").frame["new"].to_list() == ["x", "y", "z"]
    with pytest.warns(UserWarning, match="read the sheet 'One'"):
        assert read_frame(out).frame.columns == ["text", "label"]


def test_merged_cells_of_another_sheet_are_no_matter():
    path = workbook(("One", "visible", FIRST), ("Two", "visible", SECOND))
    book = openpyxl.load_workbook(path)
    book["Two"].merge_cells("A2:A3")
    book.save(path)
    with pytest.warns(UserWarning, match="not 'Two'"):
        read_frame(path)
    with pytest.raises(ValueError, match="A2:A3 are merged"):
        read_frame(path, sheet="Two")
