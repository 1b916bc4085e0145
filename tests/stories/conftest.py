"""What a person types, in a folder of its own."""

from __future__ import annotations

import shlex
import sys

import pytest

from candidly import cli

from needs import a_browser


@pytest.fixture
def typed(monkeypatch, capsys, tmp_path):
    """Runs a line in ``tmp_path``: (exit status, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")

    def run(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        try:
            cli.main()
            status = 0
        except SystemExit as error:
            status = int(error.code or 0)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture(scope="module")
def chromium():
    """A browser for the people of a story."""
    with a_browser() as browser:
        yield browser
