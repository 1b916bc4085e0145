"""A file of tickets in which people wrote the classes in several ways."""

from __future__ import annotations

import json
import random
import sys

import polars as pl
import pytest

from candidly import cli

CLASSES = ("Billing", "Refund request", "Login", "Shipping", "Bug report")
WAYS = (str.lower, str.upper, lambda s: f" {s} ", lambda s: s.replace(" ", "  "), lambda s: s + ".")
FILE = ("tickets.csv", "--label", "category")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    def run(*words: str) -> tuple[str, str]:
        """What a command prints, and what it says besides."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["candidly", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        assert not ended.value.code, err
        return out, err

    return run


def tickets(path, n=1200):
    """Tickets of five classes of which 3 % are written in another way."""
    rng = random.Random(0)
    kinds = [rng.choice(CLASSES) for _ in range(n)]
    written = [rng.choice(WAYS)(kind) if rng.random() < 0.03 else kind for kind in kinds]
    words = [f"{kind.split()[0]} please {k % 7}" for k, kind in enumerate(kinds)]
    pl.DataFrame({"text": words, "category": written}).write_csv(path)


def test_classes_that_are_spelled_in_several_ways_are_found_and_merged(run, tmp_path):
    tickets(tmp_path / "tickets.csv")
    out, err = run("data", "describe", *FILE, "--json")
    assert json.loads(out)["q"] > len(CLASSES)
    assert "these look like one class" in err
    assert "'Billing' (" in err
    run("labels", "spelling", *FILE, "--out", "merge.csv")
    assert set(pl.read_csv(tmp_path / "merge.csv")["new"]) == set(CLASSES)
    for how in ("spelling", "merge.csv"):
        out, err = run("data", "describe", *FILE, "--merge-labels", how, "--json")
        assert json.loads(out)["q"] == len(CLASSES)
        assert "look like one class" not in err
    out, _ = run("check", *FILE, "--text", "text", "--merge-labels", "merge.csv", "--json")
    assert sorted(json.loads(out)["classes"]) == sorted(CLASSES)
