"""Messages and pages name a way to install that works."""

from __future__ import annotations

import re
from pathlib import Path

import candidly
from candidly.ground import extras

ROOT = Path(candidly.__file__).parents[2]


def test_the_way_works_from_a_clone_and_from_a_wheel(monkeypatch, tmp_path):
    assert extras.install("review") == f"pip install -e '{ROOT}[review]'"
    assert (ROOT / "pyproject.toml").is_file()
    monkeypatch.setattr(extras, "SOURCES", tmp_path)
    assert extras.install("review").startswith("pip install 'PATH/candidly-")
    assert extras.install("review").endswith("-py3-none-any.whl[review]'")


def test_nobody_advises_a_name_that_is_on_no_index():
    pages = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    wrong = [page for page in pages if re.search(r"['\" ]candidly\[", page.read_text())]
    assert wrong == []
