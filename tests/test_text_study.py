"""docs/text.md is what the committed results say."""

from __future__ import annotations

from pathlib import Path

import pytest

from _pages import differing
from _studies import files_of
from _text_study.numbers import read_study
from _text_study.page import IMAGE, PAGE, make_page

from committed import journal_of

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results" / "text_study"
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="comes without bench/results")


@pytest.fixture(scope="module")
def study():
    return read_study(RESULTS)


def test_the_page_of_texts_is_what_the_committed_results_say(study):
    there = (DOCS / "images").glob(f"{IMAGE}*.svg")
    assert not differing(files_of(make_page(study), PAGE, DOCS), there)


def test_three_epochs_are_those_of_the_journal(study):
    runs = journal_of(RESULTS / "clean-0-few")
    rows = study.main["clean", 0].values()
    found = {(b, s, e) for row in rows for b, s, e in zip(row.best, row.selected, row.last)}
    assert runs
    for records in runs.values():
        steps = sorted(records)
        tests = [records[step]["test"]["top1"] for step in steps]
        noisy = [records[step]["validation"]["NVA"] for step in steps]
        assert (max(tests), tests[noisy.index(max(noisy))], tests[-1]) in found
