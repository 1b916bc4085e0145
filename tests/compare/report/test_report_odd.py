"""Results that are incomplete, fallen, level everywhere, of many, or from files that went wrong."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import pytest

from candidly.compare.report.document import results_document
from candidly.compare.report.tables import make_tables
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.lines import with_checksum
from compare.report.fake_results import change, diverged, make_results, unfinished

from small_sweeps import make_directory


def level(run, value=0.5):
    test = {"top1": value, "top5": value, "balanced": value}
    validation = dict.fromkeys(("CR", "AA", "AA:plench", "OA"), value)
    records = (replace(r, test=test, validation=validation) for r in run.records)
    return replace(run, records=tuple(records))


def said(page: str) -> str:
    page = re.sub(r"<wbr>|\u200b", "", page)
    return " ".join(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", page, flags=re.S).split())


def test_ties_everywhere_have_no_leader_and_say_so():
    results = change(make_results(algorithms=("CC", "LWS", "PRODEN"), splits=3), level)
    page = results_document(results).page()
    assert "<strong>" not in page
    assert "0 of 3 pairs are clearly apart" in said(page)
    assert "level with" in said(page)
    assert "as good within that with 1.00" in said(page)
    # which configuration was taken is said, with how many were tied
    rows = make_tables(results)[0].configurations("Lost", "top1").rows
    assert {row[3] for row in rows} == {4}


def test_a_lead_that_never_varies_is_not_beyond_chance():
    ends = {"CC": 0.5, "LWS": 0.6}
    results = make_results(algorithms=tuple(ends), splits=3, configs=1)
    page = results_document(change(results, lambda run: level(run, ends[run.algorithm]))).page()
    assert "10.0 points ahead of CC (the same on every split: no interval)" in said(page)
    assert "0 of 1 pairs are clearly apart" in said(page)
    assert "<strong>" not in page


@pytest.mark.parametrize("left", [0, 1, 7])
def test_one_algorithm_and_split_at_any_moment(left):
    one = make_results(algorithms=("CC",), splits=1, configs=1)
    results = change(one, lambda run: unfinished(run, left))
    page = results_document(results, finish="candidly bench run --out there").page()
    assert "0 of 1 planned runs are finished" in said(page)
    assert "candidly bench run --out there" in page
    assert "This trains what is missing" not in results_document(results).page()
    assert "pairs are clearly apart" not in page


def test_everything_that_diverged_leaves_a_page_that_says_so():
    results = change(make_results(algorithms=("CC", "LWS"), splits=2), lambda run: diverged(run, 0))
    text = said(results_document(results).page())
    assert "No algorithm has a value yet" in text or "diverged" in text
    assert "16 diverged" in text


def test_algorithms_without_a_common_split_are_not_compared():
    results = make_results(algorithms=("CC", "LWS"), splits=4, configs=1)
    apart = [run for run in results.runs if (run.algorithm == "CC") == (run.split < 2)]
    text = said(results_document(replace(results, runs=tuple(apart))).page())
    assert "shares no finished split" in text
    assert "0 of 1 pairs are clearly apart" in text


@pytest.mark.slow
def test_two_hundred_algorithms():
    names = tuple(f"method {k}" for k in range(200))
    results = make_results(algorithms=names, splits=3, configs=1, steps=2000)
    page = results_document(results).page()
    assert page.count("method 199") > 5
    assert "of 19,900 pairs are clearly apart" in said(page)
    assert len(page) < 5e6


def test_a_journal_of_lines_twice_half_and_of_another_schema(tmp_path):
    folder = tmp_path / "lost"
    make_directory(folder, ["CC", "LWS"], lambda run, step: 0.5 + run.split / 10 + step / 1e5)
    whole = results_document(read_results(folder)).page()
    [path, *_] = sorted((folder / "journal").glob("*.jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    old = json.loads(lines[0])
    del old["crc32"]
    # twice, one without a checksum, one of a schema to come, NaN, and half a line
    path.write_bytes(
        b"".join(lines)
        + lines[-1]
        + f"{json.dumps(old)}\n".encode()
        + with_checksum(json.dumps({**old, "schema": 99}))
        + with_checksum(json.dumps({**old, "loss": float("nan")}))
        + lines[1][:40]
    )
    results = read_results(folder)
    page = results_document(results).page()
    [note] = [note for note in results.notes if path.name in note]
    number = len(lines)
    assert f"lines {number + 2}, {number + 3}, {number + 4}, {number + 5}" in note
    assert note in said(page)
    unnoted = said(page).split("Settings")[0]
    assert unnoted == said(whole).split("Settings")[0]
    shutil.rmtree(folder / "journal")
    assert "0 of" in said(results_document(read_results(folder)).page())
