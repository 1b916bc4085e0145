"""A whole build of a small corpus: what it says, what it checks, and that a stop costs nothing."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from candidly.compare.corpora import files
from candidly.compare.corpora.builder import (
    BuildSettings,
    build,
    chosen_events,
    class_names,
    fingerprint,
)
from candidly.compare.corpora.corpus import make_corpus, simulated_votes, wanted
from candidly.compare.corpora.embed import known_by
from candidly.compare.corpora.noise import SOURCES
from candidly.compare.corpora.votes import sense_questions

ASKED = BuildSettings(more_than=30, tail_at_most=60, held=5, rates=(0.1, 0.4))
ARTICLES = 700


@pytest.fixture(scope="module")
def corpus():
    return make_corpus(ARTICLES, seed=3)


@pytest.fixture(scope="module")
def built(corpus, tmp_path_factory):
    classes = files.read_categories(run(corpus, tmp_path_factory.mktemp("first")).folder)
    out = tmp_path_factory.mktemp("built")
    return run(corpus, out, beyond=classes[:2])


def run(corpus, out: Path, **more):
    return build(corpus, out, ASKED, keep=wanted, **more)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".build" not in path.parts
    }


def test_the_manifest_accounts_for_every_event(built, corpus):
    told = built.manifest
    assert json.loads((built.folder / "manifest.json").read_text()) == json.loads(json.dumps(told))
    assert told["events"] == len(corpus) == told["stages"][0]["events"]
    left = told["stages"][-1]["events"]
    assert sum(told["dropped"].values()) + left == len(corpus)
    assert sum(one["events"] for one in told["sources"]) == left
    assert [one["source"] for one in told["sources"]] == list(SOURCES)
    assert all(one["classes"] > 0 for one in told["sources"])
    dropped = (built.folder / "dropped.csv").read_text().splitlines()
    assert dropped[0] == "article,category,event,reason"
    assert len(dropped) == 1 + sum(told["dropped"].values())
    assert told["corpus"] == fingerprint(corpus) != fingerprint(make_corpus(ARTICLES, seed=4))
    assert set(told["files"]) == set(contents(built.folder)) - {"manifest.json"}


def test_its_files_are_a_benchmark(built):
    names = files.read_categories(built.folder)
    clean = files.read_table(built.folder / "train.csv", names)
    held = [files.read_table(built.folder / f"{part}.csv", names) for part in ("val", "test")]
    for table in held:
        assert np.bincount(table.labels).tolist() == [5] * len(names)
    everything = [*clean.texts, *held[0].texts, *held[1].texts]
    assert len(set(everything)) == len(everything)
    for rate in ASKED.rates:
        table, texts, given, wrong = files.read_noisy(built.folder, "mix", rate, names)
        assert table.chosen.tolist() == clean.chosen.tolist()
        assert (given == clean.labels).all()
        assert (texts[~wrong] == clean.texts[~wrong]).all()
        assert not set(texts[wrong]) & set(everything)
        assert rate - 0.02 < wrong.mean() <= rate
    _, texts, given, wrong = files.read_noisy(built.folder, "sym", 0.4, names)
    assert (texts == clean.texts).all()
    assert wrong.mean() == pytest.approx(0.4, abs=0.001)
    single = [
        files.read_noisy(built.folder, mode, 0.1, names)[3]
        for mode in ("neighbor", "uncommon", "tail")
    ]
    assert not (single[0] & single[1]).any()
    data = files.as_labelled(built.folder, "mix", 0.4)
    assert data.classes == names
    assert (data.truth < 0).sum() == files.read_noisy(built.folder, "mix", 0.4, names)[3].sum()


def frames(folder: Path) -> tuple[pl.DataFrame, dict[float, pl.DataFrame]]:
    """Training events with their sources, and by rate those with another one in their place."""
    train = pl.read_csv(folder / "train.csv").join(
        pl.read_csv(folder / "difficulty.csv"), on="choosen_id", maintain_order="left"
    )
    rates = json.loads((folder / "manifest.json").read_text())["settings"]["rates"]
    return train, {rate: pl.read_csv(folder / f"noisy/mix_{rate:g}.csv") for rate in rates}


@settings(max_examples=4, phases=(Phase.explicit, Phase.generate))
@given(st.integers(0, 1_000), st.sets(st.sampled_from((0.05, 0.1, 0.25, 0.4, 0.6)), min_size=1))
def test_every_invariant_holds_in_the_files_of_any_build(seed, rates):
    corpus = make_corpus(300, seed=seed)
    asked = BuildSettings(
        more_than=8, tail_at_most=20, held=2, rates=tuple(sorted(rates)), seed=seed
    )
    left, _ = chosen_events(corpus, asked, wanted)
    sense = simulated_votes(sense_questions(corpus, left), seed, error=0.1)
    with tempfile.TemporaryDirectory() as place:
        try:
            folder = build(corpus, place, asked, keep=wanted, sense_votes=sense).folder
        except ValueError as refused:  # small categories may have too few siblings
            assume("too few events outside the benchmark" not in str(refused))
            raise
        train, noisy = frames(folder)
        held = pl.concat([pl.read_csv(folder / f"{part}.csv") for part in ("val", "test")])
    parent = {path[-1]: path[:-1] for path in corpus.categories}
    mine = {*train["step"], *held["step"]}
    assert len(mine) == len(train) + len(held)
    before: dict[int, int] = {}
    for rate, table in sorted(noisy.items()):
        for name in ("choosen_id", "step_id", "cat_id", "step", "cat"):
            assert table[name].to_list() == train[name].to_list()  # labels stay
        moved = table.filter(pl.col("noisy_id") != pl.col("step_id"))
        moved = moved.join(train.select("choosen_id", "source", "difficulty"), on="choosen_id")
        assert not mine & set(moved["noisy_step"])
        assert moved["noisy_id"].n_unique() == len(moved)
        assert set(moved["noisy_label"]) <= {-1}
        for (source,), events in train.group_by("source"):
            those = moved.filter(pl.col("source") == source)
            assert len(those) == math.floor(rate * len(events) + 1e-9)
            hardest = events["difficulty"].sort(descending=True, nulls_last=True)[: len(those)]
            assert those["difficulty"].sort(descending=True).to_list() == hardest.to_list()
        for row in moved.filter(pl.col("source") == "sub-categories").iter_rows(named=True):
            assert parent[row["noisy_cat"]] == parent[row["cat"]]
        now = dict(moved.select("choosen_id", "noisy_id").iter_rows())
        assert before.items() <= now.items()
        before = now


def test_the_same_again_is_the_same_bytes(built, corpus, tmp_path):
    names = files.read_categories(built.folder)
    again = run(corpus, tmp_path, beyond=names[:2])
    assert contents(again.folder) == contents(built.folder)


@pytest.mark.parametrize(
    "stage",
    ["filtering events", "representing events", "looking for what is alike", "writing files"],
)
def test_a_build_stopped_in_each_stage_ends_in_the_same_bytes(stage, built, corpus, tmp_path):
    beyond = files.read_categories(built.folder)[:2]

    def stop(what: str, done: int, total: int) -> None:
        if what == stage and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path, beyond=beyond, watch=stop)
    assert not (tmp_path / "manifest.json").exists()
    run(corpus, tmp_path, beyond=beyond)
    assert contents(tmp_path) == contents(built.folder)


KILLED = """
import os, signal, sys
from candidly.compare.corpora.builder import BuildSettings, build
from candidly.compare.corpora.corpus import make_corpus, wanted

def kill(what, done, total):
    if what == "writing files" and done == 3:
        os.kill(os.getpid(), signal.SIGKILL)

asked = BuildSettings(more_than=30, tail_at_most=60, held=5, rates=(0.1, 0.4))
build(make_corpus(700, seed=3), sys.argv[1], asked, keep=wanted, watch=kill)
"""


@pytest.mark.slow
def test_a_killed_build_goes_on(corpus, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    done = subprocess.run([sys.executable, "-c", KILLED, str(one)], timeout=120, check=False)
    assert done.returncode == -9
    kept = {path.name: path.stat().st_mtime_ns for path in (one / ".build").iterdir()}
    assert set(kept) == {"vectors.npz", "neighbours.npz"}
    run(corpus, one)
    assert kept == {path.name: path.stat().st_mtime_ns for path in (one / ".build").iterdir()}
    run(corpus, other)
    assert contents(one) == contents(other)


def test_files_of_an_earlier_build_make_room(corpus, tmp_path):
    run(corpus, tmp_path)
    (tmp_path / "mine.txt").write_text("kept")
    one = BuildSettings(more_than=30, tail_at_most=60, held=5, rates=(0.2,))
    build(corpus, tmp_path, one, keep=wanted)
    there = set(contents(tmp_path))
    assert {"noisy/mix_0.2.csv", "mine.txt"} < there
    assert not {"noisy/mix_0.1.csv", "noisy/sym_0.4.csv"} & there


def test_an_embedding_of_ones_own_and_what_is_none(corpus, tmp_path):
    def of_length(texts, watch):
        return np.array([[len(text), text.count("e"), 1.0] for text in texts])

    told = build(corpus, tmp_path, ASKED, keep=wanted, embed=of_length).manifest["embedding"]
    assert told["dimensions"] == 3

    def broken(texts, watch):
        found = of_length(texts, watch)
        found[7] = np.nan
        return found

    with pytest.raises(ValueError, match="not finite for 1 events, event 7 first"):
        build(corpus, tmp_path, ASKED, keep=wanted, embed=broken)
    with pytest.raises(ValueError, match="returned shape"):
        build(corpus, tmp_path, ASKED, keep=wanted, embed=lambda texts, watch: np.ones((3, 2)))

    def empty(texts, watch):
        found = of_length(texts, watch)
        found[::2] = 0
        return found

    told = build(corpus, tmp_path, ASKED, keep=wanted, embed=empty).manifest["embedding"]
    assert told["events without any"] > 100


def test_a_language_model_in_a_folder(corpus, tmp_path):
    pytest.importorskip("transformers")
    from learn.nets.hf_models import write_tokeniser, written

    folder = written("bert", tmp_path / "bert")
    write_tokeniser(folder)
    asked = replace(ASKED, embedding=f"hf:{folder}")
    told = build(corpus, tmp_path / "built", asked, keep=wanted).manifest["embedding"]
    assert told["name"] == f"hf:{folder}"
    by_words = build(corpus, tmp_path / "words", ASKED, keep=wanted).manifest["embedding"]
    assert told["hash of the first events"] != by_words["hash of the first events"]
    # another model of this name is another embedding, and nothing kept is taken for it
    before = known_by(asked.embedding)
    (folder / "config.json").write_text((folder / "config.json").read_text() + " ")
    assert known_by(asked.embedding) != before
    with pytest.raises(FileNotFoundError):
        build(corpus, tmp_path, replace(ASKED, embedding="hf:nowhere"), keep=wanted)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"keep": lambda path: False}, "at least two classes, and none is left"),
        ({"beyond": ("Flying",)}, "'Flying' is to be beyond common sense and is no class"),
        ({"keep": lambda path: True}, "its sibling categories have too few events outside"),
    ],
)
def test_what_cannot_be_built_is_refused(corpus, tmp_path, more, message):
    with pytest.raises(ValueError, match=message):
        build(corpus, tmp_path, ASKED, **{"keep": wanted, **more})


def test_classes_of_one_name_have_their_paths():
    paths = [("A", "Grooming"), ("B", "Grooming"), ("B", "Feeding")]
    assert class_names(paths) == ("A > Grooming", "B > Grooming", "Feeding")


def test_the_corpus_has_what_the_funnel_is_there_for(corpus, built):
    assert fingerprint(make_corpus(ARTICLES, seed=3)) == fingerprint(corpus)
    missing = {name for name, count in built.manifest["dropped"].items() if not count}
    assert missing <= {"nothing but stop words"}
    sizes = np.sort(np.bincount(corpus.event_category))[::-1]
    assert sizes[0] > 10 * np.median(sizes)
    assert {len(path) for path in corpus.categories} == {3}
    with pytest.raises(ValueError, match="at least one article, and 0 are asked for"):
        make_corpus(0)
