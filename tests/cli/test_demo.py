"""``candidly demo``, with settings small enough for a test."""

from __future__ import annotations

import pytest

from candidly.cli import demo
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.plan import read_plan
from candidly.compare.sweep.planning import facts_of, make_plan
from candidly.compare.sweep.settings import make_settings
from picture_files import ten_binary

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


@pytest.fixture
def few_pictures(monkeypatch):
    """A demo on pictures of a few seconds."""
    few = {"algorithms": ("CC", "supervised-oracle"), "splits": 1, "steps": 6, "eval_every": 3}
    monkeypatch.setattr(demo, "PICTURES", {**demo.PICTURES, **few})


def test_a_demo_on_pictures_without_any_files(candidly, few_pictures, tmp_path):
    status, out, err = candidly("demo", "--images", "--workers", "1")
    assert status == 0, err
    assert "no files of CIFAR-10 or MNIST here: 1,797 handwritten digits" in err
    assert "candidate with probability 0.3. Training 2 networks, each for 6 updates" in err
    assert "supervised-oracle (upper bound)" in out
    folder = tmp_path / "candidly-demo-images"
    assert f"{folder.name}/report.html" in err
    (trial, _) = read_plan(folder).trials
    assert (trial.net, trial.dataset) == ("cnn", "scattered-digits")
    assert "scattered-digits" in (folder / "report.html").read_text()


def test_a_demo_on_pictures_takes_real_ones_where_they_are(
    candidly, few_pictures, monkeypatch, tmp_path
):
    ten_binary(tmp_path / "files" / "cifar-10-batches-bin")
    monkeypatch.setenv("CANDIDLY_DATA", str(tmp_path / "files"))
    monkeypatch.setattr(demo, "MOST", 18)  # of 19
    monkeypatch.setattr(demo, "PICTURES", {**demo.PICTURES, "hyper": {"batch_size": 4}})
    status, _, err = candidly("demo", "--images", "--workers", "1")
    assert status == 0, err
    assert "The first 18 pictures of CIFAR-10; every wrong label" in err
    facts = read_plan(tmp_path / "candidly-demo-images").facts
    assert {name: (f.kind, f.n) for name, f in facts.items()} == {"cifar10 (18)": ("images", 18)}


@pytest.mark.slow
def test_the_demo_on_pictures_ranks_the_oracle_first(candidly, tmp_path, monkeypatch):
    """On one split of the three."""
    monkeypatch.setattr(demo, "PICTURES", demo.PICTURES | {"splits": 1})
    status, _, err = candidly("demo", "--images", "--workers", "2")
    assert status == 0, err
    results = read_results(tmp_path / "candidly-demo-images")
    last = {name: [] for name in demo.PICTURES["algorithms"]}
    for run in results.runs:
        last[run.algorithm].append(run.records[-1].test["top1"])
    mean = {name: sum(values) / len(values) for name, values in last.items()}
    assert len(last["CC"]) == 1
    assert mean["supervised-oracle"] > max(mean["PRODEN"], mean["CC"])
    assert min(mean.values()) > 0.5


def test_a_demo_that_is_stopped_says_how_to_go_on(candidly, reduced, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("candidly.compare.sweep.run.run_plan", stopped)
    status, out, err = candidly("demo")
    assert (status, out) == (130, "")
    assert "the same command goes on" in err


def test_the_full_demo_is_what_its_help_says(digits):
    settings = make_settings(**demo.SETTINGS)
    plan = make_plan(settings, {"digits": (digits, facts_of(digits, settings, None, 1))})
    assert len(plan.trials) == 6 * settings.configs * settings.splits == 72
    told = f"{settings.configs} configurations x {settings.splits} splits x {settings.steps:,} upd"
    assert told in (demo.demo.__doc__ or "")
    few = make_settings(**demo.PICTURES)
    told = f"{few.configs} configuration x {few.splits} splits x {few.steps:,} upd"
    assert told in (demo.demo.__doc__ or "")


@pytest.fixture(scope="module")
def digits():
    from candidly.data.imperfect import apply
    from candidly.data.sources import load

    return apply(load("digits"), "flip:rate=0.7")
