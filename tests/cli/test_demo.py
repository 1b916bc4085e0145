"""``candidly demo``, with settings small enough for a test."""

from __future__ import annotations

import pytest

from candidly.cli import demo
from candidly.sweep.journal import read_results
from candidly.sweep.planning import facts_of, make_plan
from candidly.sweep.settings import make_settings

REDUCED = {"algorithms": ("CC", "supervised-oracle"), "configs": 1, "splits": 2, "steps": 40}


@pytest.fixture
def reduced(monkeypatch):
    """A demo of a few seconds."""
    monkeypatch.setattr(demo, "SETTINGS", demo.SETTINGS | REDUCED | {"eval_every": 20})


def test_the_demo_ends_with_tables_and_a_page(candidly, reduced, tmp_path):
    status, out, err = candidly("demo", "--workers", "1")
    assert status == 0, err
    for criterion in ("CR", "AA", "OA", "OA & ES"):
        assert f"Chosen by {criterion}:" in out
    assert "supervised-oracle (upper bound)" in out
    assert "Training 4 networks, each for 40 updates" in err
    assert "candidly-demo/report.html" in err
    assert "supervised-oracle" in (tmp_path / "candidly-demo" / "report.html").read_text()
    assert all(run.complete for run in read_results(tmp_path / "candidly-demo").runs)


def test_a_second_demo_has_nothing_to_train(candidly, reduced, tmp_path):
    first = candidly("demo", "--workers", "1", "--out", "here")
    journal = sorted((tmp_path / "here" / "journal").iterdir())
    second = candidly("demo", "--workers", "1", "--out", "here")
    assert sorted((tmp_path / "here" / "journal").iterdir()) == journal
    assert second[:2] == first[:2]


def test_a_demo_that_is_stopped_says_how_to_go_on(candidly, reduced, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("candidly.sweep.run.run_plan", stopped)
    status, out, err = candidly("demo")
    assert (status, out) == (130, "")
    assert "the same command goes on" in err


def test_the_full_demo_is_what_its_help_says(digits):
    settings = make_settings(**demo.SETTINGS)
    plan = make_plan(settings, {"digits": (digits, facts_of(digits, settings, None, 1))})
    assert len(plan.trials) == 6 * settings.configs * settings.splits == 72
    told = f"{settings.configs} configurations x {settings.splits} splits x {settings.steps:,} upd"
    assert told in (demo.demo.__doc__ or "")


@pytest.fixture(scope="module")
def digits():
    from candidly.imperfect import apply
    from candidly.sources import load

    return apply(load("digits"), "flip:rate=0.7")
