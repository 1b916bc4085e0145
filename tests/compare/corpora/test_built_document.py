"""The page of a built benchmark: what it says is what was built."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest

from candidly.compare.corpora import BuildSettings, build, make_articles, make_corpus, write_pages
from candidly.compare.corpora.builder import chosen_events
from candidly.compare.corpora.built_document import built_document
from candidly.compare.corpora.corpus import UNUSUAL, simulated_votes, wanted
from candidly.compare.corpora.read import read_built
from candidly.compare.corpora.votes import event_questions, sense_questions
from compare.report.fake_results import make_results
from compare.report.test_report_page import Outline

ASKED = BuildSettings(more_than=20, tail_at_most=40, held=3, rates=(0.1, 0.4))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    corpus, out = make_corpus(700, seed=1), tmp_path_factory.mktemp("built")
    events = simulated_votes(event_questions(corpus, chosen_events(corpus, ASKED)[0]))
    sense = simulated_votes(sense_questions(corpus, chosen_events(corpus, ASKED, votes=events)[0]))
    build(corpus, out, ASKED, event_votes=events, sense_votes=sense)
    return out


def texts(page):
    return " ".join(" ".join(Outline(page).texts).split())


def test_the_page_is_whole_self_contained_and_the_same_twice(built, tmp_path):
    page = built_document(read_built(built)).page()
    assert page == built_document(read_built(built)).page()
    outline = Outline(page)
    assert all(link.startswith("#") for link in outline.links)
    assert "script" not in outline.tags
    assert "url(" not in page.replace("url(#", "")
    built_document(read_built(built)).write(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == page


def test_it_says_what_the_manifest_and_the_files_say(built):
    told = json.loads((built / "manifest.json").read_text())
    said = texts(built_document(read_built(built)).page())
    for stage in told["stages"]:
        assert f"{stage['events']:,} events, {stage['classes']:,} categories" in said
    for name, count in told["dropped"].items():
        assert not count or re.search(rf"{name} {count:,}\b", said)
    assert f"{told['votes']['an event']['kappa']:.2f}" in said
    table = pl.read_csv(built / "noisy" / "mix_0.4.csv")
    moved = table.filter(pl.col("noisy_id") != pl.col("step_id"))
    assert f"{len(moved):,} of them at the highest rate, 40 %" in said
    rows = {(one, two) for one, two in moved.select("step", "noisy_step").iter_rows()}
    shown = [(one, two) for one, two in rows if one in said and two in said]
    assert len(shown) >= 15  # five of each source


def test_difficulty_is_of_the_source_and_says_who_is_replaced_first(built):
    found = read_built(built)
    assert sorted(set(found.source.tolist())) == [0, 1, 2]
    moved = {one.chosen for one in found.replaced[0.1]}
    for source in range(3):
        mine = found.source == source
        there = np.isin(found.chosen, list(moved)) & mine
        assert there.sum() == int(0.1 * mine.sum() + 1e-9)
        hardest = np.sort(found.difficulty[mine])[::-1][: there.sum()]
        assert np.sort(found.difficulty[there])[::-1].tolist() == hardest.tolist()


def test_simulated_people_are_wrong_now_and_then(built):
    votes = pl.read_csv(built / "votes.csv")
    events = votes.filter(pl.col("asked") == "an event")
    kept = events.filter(pl.col("outcome") == "kept")["name"]
    assert all(wanted((name.split(" > ")[-1],)) for name in kept)
    assert 0 < (events["yes"] * events["no"] > 0).mean() < 0.2
    beyond = votes.filter(pl.col("outcome") == "beyond common sense")["name"]
    assert len(beyond)
    assert all(name.startswith(UNUSUAL) for name in beyond)


def test_results_of_methods_are_on_it(built):
    page = built_document(read_built(built), make_results()).page()
    assert "What methods make of it" in texts(page)
    assert "What methods make of it" not in texts(built_document(read_built(built)).page())


def test_pages_that_were_left_out_and_odd_names_are_shown_safely(tmp_path):
    steps = [[f"Scrub the <b>sink{k}</b> {n}." for k in range(9)] for n in "abcd"]
    paths = [("Home & <i>", "<u>Sinks"), ("Home & <i>", "<u>Pans"), ("Home & <i>", "Cups"), ("X",)]
    write_pages(make_articles(list("abcd"), paths, steps), tmp_path / "pages")
    (tmp_path / "pages" / "cut.html").write_text("<html>")
    from candidly.compare.corpora import read_pages

    asked = BuildSettings(more_than=2, tail_at_most=2, held=1, rates=(0.5,))
    names = ("<u>Sinks", "<u>Pans")
    out = tmp_path / "out"
    build(read_pages(tmp_path / "pages"), out, asked, keep=lambda path: path[-1] in names)
    page = built_document(read_built(out)).page()
    assert "5 pages were read." in texts(page)
    assert "cut off: it has no </html> 1" in texts(page)
    assert "<u>" not in page
    assert "<u>Sinks" in texts(page)


def test_what_is_no_build_is_refused(built, tmp_path):
    with pytest.raises(FileNotFoundError, match="no finished build is there"):
        built_document(read_built(tmp_path)).write(tmp_path / "p.html")
