"""Cells put into text: what was there stays, to the byte; Python's own reader finds both."""

from __future__ import annotations

import csv
import io
import json
import random

import pytest

from candidly.data.ingest._cells import with_cells, with_entries

NAMES = ("L corrected", "L corrected by")
NASTY = ["", "007", "1.10", "a,b", 'say "hi"', "two\nlines", "x;y", " padded ", "=1+1", "Ünï", '"']


def a_table(seed: int, separator: str, end: str, quoting: int) -> tuple[str, list[list[str]]]:
    draw = random.Random(seed)
    width, n = draw.randint(2, 5), draw.randint(1, 8)
    rows = [[f"column {k}" for k in range(width)]]
    rows += [[draw.choice(NASTY) for _ in range(width)] for _ in range(n)]
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
    return file.getvalue(), rows


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("seed", range(12))
def test_pythons_reader_finds_old_and_new(seed, separator, end, quoting):
    text, rows = a_table(seed, separator, end, quoting)
    if seed % 3 == 0:
        text = text.removesuffix(end)  # the last line need not end
    if seed % 4 == 0:
        text = "\ufeff" + text
    place = seed % len(rows[0])
    known = [row[place] or None for row in rows[1:]]
    more = [(f"new {k}", NASTY[k % len(NASTY)].lstrip("=")) for k in range(len(known))]
    made = with_cells(text, separator, place, known, NAMES, more)
    found = list(csv.reader(io.StringIO(made.lstrip("\ufeff"), newline=""), delimiter=separator))
    assert [row[: place + 1] + row[place + 3 :] for row in found] == rows
    assert [tuple(row[place + 1 : place + 3]) for row in found] == [NAMES, *more]
    rest = iter(made)
    assert all(character in rest for character in text)  # what was there, in order


def test_to_the_byte():
    text = 'id,"L",d\r\n007,"cat", 1.10\r\n\r\n008, dog ,"a ""b"",\r\nc"\r\n'
    made = with_cells(text, ",", 1, ["cat", "dog"], NAMES, [("dog", "corrected"), (None, "x")])
    assert made == (
        'id,"L","L corrected","L corrected by",d\r\n007,"cat","dog","corrected", 1.10\r\n\r\n'
        '008, dog ,,x,"a ""b"",\r\nc"\r\n'
    )


def test_odd_texts():
    one = with_cells("L\na\n\nb", ",", 0, ["a", None, "b"], ["M"], [("x",), ("y",), ("z",)])
    assert one == "L,M\na,x\n,y\nb,z"
    old = with_cells("a,L\r1,x\r2,y\r", ",", 1, ["x", "y"], ["M"], [("p",), ("q",)])
    assert old == "a,L,M\r1,x,p\r2,y,q\r"
    inside = with_cells('a,L\n5" pipe,x\n', ",", 1, ["x"], ["M"], [("p",)])
    assert inside == 'a,L,M\n5" pipe,x,p\n'


def test_cells_put_in_are_no_formulas_and_the_others_stay():
    rows = [("=1+1", "-1"), ("@a", "+2.5"), ("'=b", "-a")]
    made = with_cells("a,L\n=2,x\n-3,y\n+a,z\n", ",", 1, ["x", "y", "z"], ["=M", "N"], rows)
    assert made.splitlines() == [
        "a,L,'=M,N", "=2,x,'=1+1,-1", "-3,y,'@a,+2.5", "+a,z,''=b,'-a"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["L,a\nx,1\n", "L,a\nx,1\ny,2\nz,3\n", "L,a\nx,1\nz,2\n", 'L,a\nx,1\n"y,2\n', "", "\n"]
)
def test_another_text_is_refused(text):
    with pytest.raises(ValueError, match="at row"):
        with_cells(text, ",", 0, ["x", "y"], ["M"], [("1",), ("2",)])


def test_lines_of_json():
    text = '{"L": "a", "n": 1.10}\r\n\n{"L":"b"}\n{}'
    made = with_entries(text, NAMES, [("b", "corrected"), (None, "pending"), ("c", "x")])
    lines = made.split("\n")
    assert lines[0] == '{"L": "a", "n": 1.10, "L corrected": "b", "L corrected by": "corrected"}\r'
    assert lines[1] == ""
    assert json.loads(lines[2]) == {"L": "b", NAMES[0]: None, NAMES[1]: "pending"}
    assert json.loads(lines[3]) == {NAMES[0]: "c", NAMES[1]: "x"}
    for other in ('{"L": 1}\n', text + "\n{}", "[]\n{}\n{}"):
        with pytest.raises(ValueError, match="at row"):
            with_entries(other, NAMES, [("b", "x")] * 3)


def test_many_short_rows_come_back_whole():
    n = 100_000
    text = "id,L,x\n" + "".join(f"{k},cat,{k / 7:.3f}\n" for k in range(n))
    made = with_cells(text, ",", 1, ["cat"] * n, NAMES, [("dog", "corrected")] * n)
    assert made.count(",dog,corrected,") == n
