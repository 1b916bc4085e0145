"""docs/studies/building.md is what the committed results say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from candidly.stats import summarise
from studies.building.events import TAIL_AT_MOST, Noise, beyond, built, made
from studies.building.numbers import beside_zero, read_study
from studies.building.page import PAGE, make_page
from studies.building.runs import BASE, RUNS, SIZES, Run, Sizes, keys, read, trained, write
from studies.kit.pages import differing

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "building" / "results"
DOCS = ROOT / "docs"

committed = pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results")


@committed
def test_the_page_of_sources_is_what_the_committed_results_say():
    assert not differing({DOCS / PAGE: make_page(read_study(RESULTS)).encode()})


@committed
def test_accuracies_are_those_of_the_tables():
    study = read_study(RESULTS)
    runs = {run.key: run for run in read(RESULTS / RUNS, Run)}
    sizes = {one.corpus: one for one in read(RESULTS / SIZES, Sizes)}
    assert len(study.sizes) >= 5
    last = study.sizes[-1].corpus
    none, noisy = runs[last, "none", -1, 0, BASE], runs[last, "replaced", 2, 40, BASE]
    lost = (none.tail - noisy.tail) / sizes[last].tested_tail
    assert study.lost("replaced", 2, 40)[-1] == pytest.approx(lost)
    every = sum(noisy.right) / sum(sizes[last].tested)
    assert study.accuracy(("replaced", 2, 40, BASE))[-1] == pytest.approx(every)
    tenth = sum(sizes[last].learned) // 10 / sizes[last].learned_sub
    assert study.local_rates(0)[-1] == pytest.approx(tenth)


def test_corpora_without_all_runs_are_left_out(tmp_path):
    runs = [Run(*key, 1, 2, 3) for corpus in range(2) for key in keys(corpus)]
    sizes = Sizes(0, 1, 1, 1, 10, 20, 30, 4, 4, 4, 100)
    write(tmp_path / RUNS, runs[:-1])
    write(tmp_path / SIZES, [sizes, replace(sizes, corpus=1)])
    study = read_study(tmp_path)
    assert [one.corpus for one in study.sizes] == [0]
    assert study.accuracy(("mix", -1, 10, "elr"), 1) == [0.5]


def test_what_is_clear_is_what_the_interval_leaves_no_doubt_of():
    assert beside_zero(summarise([0.1, 0.12, 0.1])) == 1
    assert beside_zero(summarise([-0.1, -0.12, -0.1])) == -1
    assert beside_zero(summarise([-0.1, 0.2, 0.1])) == 0
    assert beside_zero(summarise([0.1])) == 0


def test_half_of_the_large_classes_are_beyond_and_the_halves_change():
    sizes = np.array([500, TAIL_AT_MOST, 400, 300, 200, 90])
    assert sorted(beyond(sizes, 0)) == [2, 3]
    assert sorted(beyond(sizes, 1)) == [0, 4]


@pytest.mark.slow
@committed
def test_a_run_can_be_repeated():
    of = built(0)
    inputs, given, rate = made(of, Noise("flipped", 1, 40))
    assert rate == pytest.approx(0.4, abs=1e-3)
    assert (inputs == of.train).all()
    assert (given != of.events.labels).sum() == round(0.4 * (of.events.event_source == 1).sum())
    run = trained(of, Noise("replaced", 0, 20), BASE)
    there = next(one for one in read(RESULTS / RUNS, Run) if one.key == run.key)
    assert np.allclose(run.right, there.right, atol=8)  # rounding differs from machine to machine
