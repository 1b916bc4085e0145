"""``candidly build``: from a table of events to a benchmark, and what it says on the way."""

from __future__ import annotations

import json
import shlex
from importlib import import_module

import polars as pl
import pytest

from candidly.data.labels.labelled import Labelled


@pytest.fixture
def events(candidly):
    status, out, err = candidly("build", "corpus", "events.csv", "--articles", 400)
    assert status == 0, err
    assert "wrote events.csv and events-keep.txt" in err
    (line,) = (line for line in out.splitlines() if line.startswith("next: candidly "))
    return shlex.split(line.removeprefix("next: candidly "))


def test_a_newcomer_builds_a_benchmark_with_two_commands(candidly, events, tmp_path):
    status, out, err = candidly(*events)
    assert status == 0, err
    assert "sub-categories" in out
    assert "no keyword of its article" in out
    told = json.loads(candidly(*events, "--json")[1])
    assert told == json.loads((tmp_path / "benchmark" / "manifest.json").read_text())
    noisy = pl.read_csv(tmp_path / "benchmark" / "noisy" / "mix_0.4.csv")
    assert 0.35 < (noisy["noisy_id"] != noisy["step_id"]).mean() <= 0.4
    words = "build data benchmark mix.npz --noise mix --rate 0.4"
    status, _, err = candidly(*words.split())
    assert status == 0, err
    data = Labelled.load(tmp_path / "mix.npz")
    assert (data.truth < 0).sum() == (noisy["noisy_id"] != noisy["step_id"]).sum()
    small = "--net mlp:8 --configs 1 --splits 1 --steps 4 --eval-every 2 --workers 1 --out runs"
    words = f"bench run --dataset mix.npz --algorithms ce --split official {small}"
    status, out, err = candidly(*words.split())
    assert status == 0, err
    assert "ce" in out
    dropped = pl.read_csv(tmp_path / "benchmark" / "dropped.csv")
    assert len(dropped) + told["stages"][-1]["events"] == len(pl.read_csv("events.csv"))


def test_a_folder_of_saved_pages_becomes_a_benchmark(candidly, tmp_path):
    status, out, err = candidly("build", "corpus", "pages", "--articles", 200)
    assert status == 0, err
    assert len(list((tmp_path / "pages").glob("*.html"))) == 200
    (line,) = (line for line in out.splitlines() if line.startswith("next: candidly "))
    page = tmp_path / "pages" / "article-0.html"
    page.write_text(page.read_text()[:300])
    status, out, err = candidly(*shlex.split(line.removeprefix("next: candidly ")))
    assert status == 0, err
    assert "cut off: it has no </html>" in out
    told = json.loads((tmp_path / "benchmark" / "manifest.json").read_text())
    assert (told["pages"]["read"], told["articles"]) == (200, 199)
    words = "build noisywikihow pages --out b --event-at h3"
    status, _, err = candidly(*words.split())
    assert (status, "of 199 the reason is 'no steps'" in err) == (2, True), err


def vote(folder, no) -> None:
    """Three people answer everything: no about what ``no`` says, yes about the rest."""
    pytest.importorskip("sqlalchemy")
    from candidly import review

    with review.open_project(folder) as project:
        names = dict(review.votes(project).select("item", "name").iter_rows())
        assert names == {}
        for code in ("ann", "bob", "cy"):
            person = review.add_person(project, code)
            while tasks := review.next_tasks(project, person):
                shown = [json.loads(task.shown.payload) for task in tasks]
                review.answer(
                    project,
                    person,
                    [
                        review.Reply(f"{code}-{one.item:06}", one.item, "no" if no(it) else "yes")
                        for one, it in zip(tasks, shown)
                    ],
                )


def test_people_vote_on_categories_and_on_common_sense(candidly, events, tmp_path):
    size = events[events.index("--more-than") :]
    few = size[:2]
    status, out, err = candidly("build", "ask", "events.csv", "ev", *few)
    assert status == 0, err
    assert "candidly build noisywikihow events.csv --out FOLDER --votes ev" in out
    build = ("build", "noisywikihow", "events.csv", "--out", "voted", *size, "--votes")
    assert "questions lack answers of 3 people" in candidly(*build, "ev")[2]
    kept = {line.split(" > ")[-1] for line in (tmp_path / "events-keep.txt").open()}
    kept = {line.strip() for line in kept}
    vote(tmp_path / "ev", lambda shown: shown["category"] not in kept)
    status, out, err = candidly(*build, "ev")
    assert status == 0, err
    assert "Fleiss' kappa" in out
    there = tmp_path / "voted" / "manifest.json"
    told = json.loads(there.read_text())
    assert told["votes"]["an event"]["kappa"] == 1
    by_list = json.loads(candidly(*events, "--json")[1])
    assert by_list["files"]["train.csv"] == told["files"]["train.csv"]
    table = pl.read_csv(tmp_path / "voted" / "votes.csv")
    assert table.columns == ["asked", "name", "yes", "no", "outcome"]
    assert set(table["outcome"]) == {"kept", "no event"}
    assert candidly("review", "export", "ev", "--out", "ev.csv")[0] == 0
    asked = ("build", "ask", "events.csv", "cs", "--about", "common-sense", *few, "--votes")
    status, out, err = candidly(*asked, "ev.csv")
    assert status == 0, err
    assert f"{told['stages'][-1]['classes']} questions to 3 people" in out
    vote(tmp_path / "cs", lambda shown: shown["above it"].startswith("Travel"))
    told = json.loads(candidly(*build, "ev.csv", "--common-sense", "cs", "--json")[1])
    assert told["sources"][1]["classes"] > 0
    table = pl.read_csv(tmp_path / "voted" / "votes.csv")
    beyond = table.filter(pl.col("outcome") == "beyond common sense")["name"]
    assert len(beyond)
    assert beyond.str.starts_with("Travel > ").all()
    status, _, err = candidly(*asked, "ev.csv")
    assert (status, "cs" in err) == (2, True)


def test_classes_beyond_common_sense_are_named_in_a_file(candidly, events, tmp_path):
    (tmp_path / "beyond.txt").write_text("Cleaning Sleds\n")
    status, _, err = candidly(*events, "--beyond", "beyond.txt")
    assert (status, "'Cleaning Sleds' is to be beyond common sense and is no class" in err) == (
        2,
        True,
    )
    candidly(*events)
    classes = pl.read_csv(next((tmp_path / "benchmark").glob("cat*.csv")))
    tail = classes.filter(pl.col("steps") <= 20)["category"].to_list()
    name = next(name for name in classes["category"] if name not in tail)
    (tmp_path / "beyond.txt").write_text(f"{name}\n\n")
    told = json.loads(candidly(*events, "--beyond", "beyond.txt", "--json")[1])
    assert [one["classes"] for one in told["sources"]][1] == 1
    assert (tmp_path / "benchmark" / "noisy" / "uncommon_0.1.csv").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("build noisywikihow events.csv", "say where to write: --out FOLDER"),
        ("build noisywikihow events.csv --out b --rate-of all", "it is source or train"),
        ("build noisywikihow other.csv --out b", "other.csv"),
        ("build noisywikihow events.csv --out b", "at least two classes, and none is left"),
        ("build noisywikihow events.csv --out b --keep none.txt", "none.txt"),
        ("build noisywikihow events.csv --out b --embedding spacy", "embedding"),
        ("build noisywikihow events.csv --out b --rate 1.5", "give a number above 0 and below 1"),
        ("build noisywikihow events.csv --out b --event-at h3", "--event-at is about pages"),
        ("build noisywikihow . --out b", "has no page in it"),
        ("build ask events.csv p", "no category has more than 300 events"),
        ("build ask events.csv p --about sense", "it is events or common-sense"),
        ("build ask events.csv p --votes v.csv", "leave it out with events"),
        ("build noisywikihow events.csv --out b --votes v.csv", "v.csv"),
        ("build noisywikihow events.csv --out b --votes .", "review"),
        ("build corpus events.xlsx", "events.xlsx"),
        ("build corpus .", "not an empty folder"),
    ],
)
def test_what_cannot_be_built_is_said(candidly, events, words, message):
    more = events[events.index("--keep") :] if "--embedding" in words or "--rate" in words else []
    status, _, err = candidly(*words.split(), *(more if "--rate-of" not in words else []))
    assert (status, message in err) == (2, True), err


def test_categories_that_are_kept_are_those_of_the_table(candidly, events, tmp_path):
    (tmp_path / "keep.txt").write_text("Gardens>Hedges > Cleaning Hedges\nAir > Nowhere\n")
    status, _, err = candidly(*events, "--keep", "keep.txt")
    assert (status, "lists 'Air > Nowhere', a category that no article has" in err) == (2, True)


@pytest.mark.slow
def test_the_demo_ends_in_a_page_with_results(candidly, tmp_path, monkeypatch):
    demo = import_module("candidly.cli.build.demo")

    few = {"algorithms": ("ce", "co-teaching"), "net": "encoder:width=16,layers=1", "steps": 4}
    monkeypatch.setattr(demo, "METHODS", {**demo.METHODS, **few, "eval_every": 2})
    for name, value in {"ARTICLES": 500, "MORE_THAN": 15, "TAIL": 30, "HELD": 3}.items():
        monkeypatch.setattr(demo, name, value)
    status, out, err = candidly("build", "demo", "--out", "demo", "--workers", 1)
    assert status == 0, err
    assert "Training 6 networks" in err
    assert "40 % replaced" in out
    page = (tmp_path / "demo" / "page.html").read_text()
    assert "What methods make of it" in page
    status, out, err = candidly("build", "demo", "--out", "demo", "--workers", 1)
    assert status == 0, err
    assert (tmp_path / "demo" / "page.html").read_text() == page  # nothing is trained again


def test_a_build_has_a_page(candidly, events, tmp_path):
    status, _, err = candidly(*events, "--html", "page.html")
    assert status == 0, err
    assert "wrote benchmark and page.html" in err
    assert "What the filters leave" in (tmp_path / "page.html").read_text()
