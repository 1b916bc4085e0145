"""A study is a folder with a command, a test and results; nobody else knows it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDIES = sorted(path.parent.name for path in (ROOT / "studies").glob("*/__main__.py"))


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_there_are_studies():
    assert len(STUDIES) > 15


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_has_a_test_and_says_what_it_is(study):
    assert (ROOT / "tests" / "studies" / f"test_{study}.py").exists()
    text = (ROOT / "studies" / study / "__main__.py").read_text()
    assert ast.get_docstring(ast.parse(text))


def test_results_lie_with_the_study_that_reads_them():
    for folder in (ROOT / "studies").glob("*/results"):
        assert folder.parent.name in STUDIES, folder


def test_studies_know_of_bench_only_what_is_shared():
    for path in (ROOT / "studies").rglob("*.py"):
        known = {name for name in imported(path) if name.partition(".")[0] == "bench"}
        assert known <= {"bench._bench"}, path


@pytest.mark.parametrize("room", ["bench", "src", "tools"])
def test_nobody_knows_a_study(room):
    for path in (ROOT / room).rglob("*.py"):
        assert not any(name.partition(".")[0] == "studies" for name in imported(path)), path


def test_importing_a_study_changes_nothing():
    """Encoders beside the package are found by the command alone, or tests would find them, too."""
    for path in (ROOT / "studies").rglob("*.py"):
        if path.name != "encoders.py":
            assert "sys.path" not in path.read_text(), path


LONGEST = 75  # words of an answer
PAGES = sorted(set((ROOT / "docs" / "studies").glob("*.md")) - {ROOT / "docs/studies/index.md"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_its_answer(page):
    """Before it says how it was made: a sentence in bold, or with the numbers of the verdicts."""
    shown = re.sub(r"<!--.*?-->", "", page.read_text())
    title, first = shown.split("\n\n")[:2]
    assert title.startswith("# ")
    assert first.lstrip().startswith("**") or page.stem == "claims", first[:80]
    assert re.search(r"\d", first)
    if bold := re.search(r"\*\*(.+?)\*\*", first, re.DOTALL):
        assert len(bold[1].split()) <= LONGEST


def test_a_page_says_what_it_cannot_say():
    heading = re.compile(
        r"^## (What this does not say|What this says, and what it cannot|What may honestly be "
        r"concluded|What does not reproduce|How a verdict is reached)$",
        re.MULTILINE,
    )
    for page in PAGES:  # that on pictures says it in its answer
        assert heading.search(page.read_text()) or page.stem == "images", page.stem


def test_the_words_of_a_page_are_markdown():
    """Whoever mends a sentence looks for it in ``page.md``; parts of guides are made in Python."""
    written = {path.parent.name for path in (ROOT / "studies").glob("*/page.md")}
    for study in STUDIES:
        calls = "".join(path.read_text() for path in (ROOT / "studies" / study).glob("*.py"))
        own = re.search(r'"studies/\w[\w-]*\.md"|"which-algorithm\.md"', calls)
        assert bool(own) <= (study in written), study
        assert (study in written) == ("rendered(" in calls), study


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_no_slot_that_is_empty_or_shows_an_object(page):
    assert not re.search(
        r"\bnan\b|\{\{|\{%|object at 0x|, dtype=|%%| None\b(?! of)", page.read_text()
    )
