"""The one door to the command line."""

from __future__ import annotations

import sys

import pytest

from candidly import cli
from refusal_words import command_in, strange


@pytest.fixture
def candidly(monkeypatch, capsys, tmp_path):
    """Runs a command line in a folder of its own: (exit status, stdout, stderr).

    Whatever it refuses, it names no option that the command lacks.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    monkeypatch.setattr("candidly.data.sources.fetch._cache", lambda: tmp_path / "cache")
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["candidly", *map(str, arguments)])
        try:
            cli.main()
            status = 0
        except SystemExit as error:
            status = error.code or 0
        captured = capsys.readouterr()
        if (command := command_in(arguments)) and status == 2:
            said = captured.err.partition("candidly: error: ")[2]
            assert not (wrong := set(strange(said, command)) - set(arguments)), (wrong, said)
        return status, captured.out, captured.err

    return run
