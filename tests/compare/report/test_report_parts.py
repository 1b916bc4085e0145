"""Parts of the benchmark's report: cost, importance, what is missing, files of figures."""

from __future__ import annotations

import itertools
import re
import shlex
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from scipy import stats

from candidly.cli.bench.options import command_of
from candidly.compare.report.completeness import completeness_text, missing_grid
from candidly.compare.report.cost import pareto_front
from candidly.compare.report.design import by_split, share_tested
from candidly.compare.report.document import results_document
from candidly.compare.report.importance import groups_of, importances, omega_squared
from candidly.compare.report.ranking import (
    beliefs_text,
    clear_grid,
    pairs_grid,
    pairs_of,
    ranks_of,
    steadiness_of,
    steadiness_text,
)
from candidly.compare.report.ranking_figures import rank_figure
from candidly.compare.report.tables import make_tables
from candidly.compare.sweep.results import Results
from candidly.compare.sweep.select import CRITERIA
from candidly.compare.sweep.select import cells as all_cells
from candidly.compare.sweep.settings import make_settings
from candidly.show.figures import draw_svg, keep_drawings, write_drawings
from candidly.stats import corrected_t
from compare.report.fake_results import change, diverged, make_results, unfinished


def test_nobody_on_the_front_is_beaten_and_everybody_else_is():
    rng = np.random.default_rng(0)
    points = {f"a{k}": tuple(rng.integers(0, 6, 2).astype(float)) for k in range(25)}
    front = pareto_front(points)

    def beaten(one, other):
        (cost, worth), (less, more) = points[one], points[other]
        return less <= cost and more >= worth and (less, more) != (cost, worth)

    for name in points:
        is_beaten = any(beaten(name, other) for other in points)
        alike = any(points[name] == points[one] for one in front)
        assert alike != is_beaten
    costs = [points[name][0] for name in front]
    assert costs == sorted(costs)


def test_omega_squared_by_hand_and_0_on_average_by_chance():
    """Two groups 1, 2, 3 and 5, 6, 7: total 28, inside 4, noise 1: (24 - 1) / 29."""
    values = np.array([1.0, 2, 3, 5, 6, 7])
    assert omega_squared(values, np.array([0, 0, 0, 1, 1, 1])) == pytest.approx(23 / 29)
    assert omega_squared(np.ones(6), np.arange(6) % 2) == 0
    assert omega_squared(values, np.arange(6)) == 0  # nothing is left to tell noise by
    rng = np.random.default_rng(1)
    found = [omega_squared(rng.normal(size=20), rng.integers(0, 4, 20)) for _ in range(300)]
    assert np.mean(found) < 0.08
    assert np.mean([one == 0 for one in found]) > 0.4


def test_equal_values_are_in_one_group_and_many_in_quarters():
    assert groups_of([0.1, 0.2, 0.1]).tolist() == [0, 1, 0]
    found = groups_of([float(k) for k in (5, 1, 9, 3, 7, 2, 8, 4, 1)])
    assert found.max() == 3
    assert found[1] == found[8] == 0


def test_the_hyper_parameter_that_matters_is_found():
    base = make_results(algorithms=("CC", "PRODEN"), configs=12, splits=3)

    def moved(run):
        accuracy = 0.5 + 0.02 * (run.config % 3) + 0.001 * run.split
        records = tuple(
            type(one)(**{**vars(one), "test": {"top1": accuracy}}) for one in run.records
        )
        hyper = {"lr": [0.1, 0.01, 0.001][run.config % 3], "decay": float(run.config % 2), "b": 1}
        return type(run)(**{**vars(run), "records": records, "hyper": hyper})

    found = importances(change(base, moved), "Lost", CRITERIA["CR"])
    assert set(found["CC"]) == {"lr", "decay"}
    assert found["CC"]["lr"] > 0.99
    assert found["CC"]["decay"] < 0.1
    few = make_results(algorithms=("CC",), configs=3)
    assert importances(change(few, moved), "Lost", CRITERIA["CR"]) == {}


def test_what_is_missing_is_listed_with_the_command_that_trains_it():
    base = make_results(("Lost", "MSRCv2"), ("CC", "PRODEN"), configs=2, splits=2)
    results = change(base, lambda r: unfinished(r) if r.key.startswith("MSRCv2-CC-1") else r)
    results = change(results, lambda r: diverged(r) if r.key.startswith("Lost-PRODEN-0-0") else r)
    rows = missing_grid(results).rows
    assert [tuple(row[:5]) for row in rows] == [
        ("Lost", "PRODEN", 4, 4, 1),
        ("MSRCv2", "CC", 4, 2, 0),
    ]
    assert rows[1][5] == "0, 1"
    page = results_document(results, finish=command_of(results.settings, "my runs")).page()
    assert "This trains what is missing" in page
    assert "--out &#x27;my runs&#x27;" in page
    assert missing_grid(base).rows == []
    assert completeness_text(base) == "16 of 16 planned runs are finished; none diverged."
    assert completeness_text(results) == "14 of 16 planned runs are finished; 1 diverged."


def test_the_command_says_every_setting_that_is_not_usual():
    asked = {
        "datasets": ("lost", "b.csv"),
        "algorithms": ("CC", "PRODEN:plench"),
        "configs": 3,
        "validation_share": 0.2,
        "hyper": {"lr": 0.1},
    }
    settings = make_settings(**asked)
    words = shlex.split(command_of(settings.model_dump(mode="json"), "runs/a b"))
    assert words[:3] == ["candidly", "bench", "run"]
    pairs = dict(itertools.batched(words[3:], 2)) if hasattr(itertools, "batched") else {}
    pairs = pairs or dict(zip(words[3::2], words[4::2]))
    assert pairs == {
        "--dataset": "lost,b.csv",
        "--algorithms": "CC,PRODEN:plench",
        "--configs": "3",
        "--validation-share": "0.2",
        "--hyper": "lr=0.1",
        "--out": "runs/a b",
    }


def test_every_figure_is_a_file_in_three_forms_the_same_twice(tmp_path):
    results = make_results(algorithms=("CC",), configs=1, splits=2, steps=2_000)
    results_document(results).write(tmp_path / "p.html", figures_in=tmp_path / "a")
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    page = (tmp_path / "p.html").read_text()
    assert len(files) == 3 * page.count("<svg")
    with keep_drawings() as kept:
        results_document(results).page()
    again = write_drawings(kept[:1], tmp_path / "b")
    assert sorted(path.name for path in again) == files[:3]
    for path in again:
        data = path.read_bytes()
        assert data == (tmp_path / "a" / path.name).read_bytes()
        if path.suffix == ".svg":
            ElementTree.fromstring(data)
        elif path.suffix == ".pdf":
            assert data.startswith(b"%PDF")
        else:
            assert Image.open(path).size[0] > 700


def test_drawings_are_kept_inside_the_block_alone():
    with keep_drawings() as kept:
        draw_svg(lambda axes: None, "one", "")
    draw_svg(lambda axes: None, "two", "")
    assert [one.title for one in kept] == ["one"]


def test_every_choice_has_its_run():
    results = make_results(configs=2, splits=3)
    keys = {run.key for run in results.runs}
    for table in make_tables(results):
        rows = table.configurations("Lost", "top1").rows
        assert {row[-1] for row in rows} <= keys
    assert "What is missing" not in results_document(Results((), {})).page()


def test_pairs_are_tested_on_the_splits_both_have():
    results = make_results(algorithms=("CC", "PRODEN", "supervised-oracle"), configs=2, splits=5)
    cells = [one for one in all_cells(results, ["CR"]) if one.dataset == "Lost"]
    found = pairs_of(cells, results)
    assert found.names == ("CC", "PRODEN")  # an oracle is nobody's rival
    by_name = {cell.algorithm: cell.values("top1") for cell in cells}
    run = results.runs[0]
    share = share_tested(results, "Lost")
    known = replace(run, n_train=900, n_test=100)
    assert share_tested(replace(results, runs=(known,)), "Lost") == pytest.approx(0.1)
    assert run.n_train or share == pytest.approx(0.1 / 0.91)
    assert found.pairs[0].test == corrected_t(by_name["CC"], by_name["PRODEN"], share)
    steady = steadiness_of(cells, results)
    assert steady.rows == 5
    grid = pairs_grid(found, steady, cells, "Lost")
    assert {row[0] for row in grid.rows} == {"CC", "PRODEN"}
    assert all(sum(row[2:6]) == 1 for row in grid.rows)
    assert sum(row[7] for row in grid.rows) == pytest.approx(100)  # first places
    assert "Who is clearly ahead of whom" in results_document(results).page()
    alone = make_results(algorithms=("CC",), configs=1, splits=3)
    assert pairs_of(all_cells(alone, ["CR"]), alone) is None


def test_pairs_that_are_clearly_apart_are_listed_with_the_better_one_first():
    names = ("CC", "PRODEN", "LWS")
    ends = {"CC": 0.5, "PRODEN": 0.9, "LWS": 0.895}
    wobble = {"CC": (0, 2, 1, 3, 0), "PRODEN": (1, 0, 2, 1, 1), "LWS": (0, 1, 0, 2, 3)}

    def told(run):
        top1 = ends[run.algorithm] + wobble[run.algorithm][run.split] / 100
        return replace(run, records=tuple(replace(r, test={"top1": top1}) for r in run.records))

    results = change(make_results(algorithms=names, configs=1, splits=5), told)
    cells = [one for one in all_cells(results, ["CR"]) if one.dataset == "Lost"]
    found = pairs_of(cells, results)
    rows = {row[:2]: row for row in clear_grid(found, "Lost").rows}
    assert set(rows) == {("PRODEN", "CC"), ("LWS", "CC")}
    assert rows["PRODEN", "CC"][2] == pytest.approx(39.8)
    low, high = map(float, rows["PRODEN", "CC"][3].split(" to "))
    assert low < 39.8 < high
    share = share_tested(results, "Lost")
    said = beliefs_text(cells, results)
    # half of a two-sided p, as there is no other prior; by a point more
    d = np.array([0.01, -0.01, 0.02, -0.01, -0.02]) + 0.005
    scale = d.std(ddof=1) * np.sqrt(1 / 5 + share / (1 - share))
    better = stats.t.sf((0.01 - d.mean()) / scale, 4)
    assert (
        f"PRODEN is better than LWS, the next, by more than 1 point with probability {better:.2f}"
        in said
    )
    steady = steadiness_of(cells, results)
    assert {one.name: one.first for one in steady.algorithms}["CC"] == 0
    assert "one half of the 5 splits" in steadiness_text(steady, by_split(cells, results).design)
    page = results_document(results).page()
    assert "The pairs that are clearly apart" in page
    # every link leads somewhere
    ids = set(re.findall(r'<details id="([^"]+)"', page))
    assert ids
    assert set(re.findall(r'<a href="#([^"]+)"', page)) == ids


def test_a_diagram_of_ranks_names_everybody_and_joins_what_is_alike():
    ranks = {"CC": 1.5, "PRODEN": 2.0, "<b>": 2.5, "GA": 4.0}
    svg = rank_figure(ranks, [["CC", "PRODEN", "<b>"], ["GA"]], 1.2, "Ranks")
    root = ElementTree.fromstring(svg)
    assert "Not told apart: CC, PRODEN, <b>." in root[1].text
    said = " ".join(text for text in root.itertext())
    for name, rank in ranks.items():
        assert f"{name}  {rank:.2f}" in said
    assert "critical difference 1.20" in said
    assert "critical difference" not in rank_figure({"a": 1.0}, [], None, "One")


def test_ranks_over_data_sets_are_those_of_the_means():
    results = make_results(("Lost", "MSRCv2", "Birdsong"), ("CC", "PRODEN", "NN"), 1, 3)
    cells = all_cells(results, ["CR"])
    found, apart, steady = ranks_of(cells)
    means = {(one.algorithm, one.dataset): one.summary["top1"].mean for one in cells}
    for name, rank in zip(apart.names, apart.ranks):
        places = [
            1 + sum(means[other, one] > means[name, one] for other in apart.names)
            for one in ("Lost", "MSRCv2", "Birdsong")
        ]
        assert rank == pytest.approx(np.mean(places))
    assert apart.critical_difference > 1
    assert found.rows == 3
    page = results_document(results).page()
    assert "Average ranks over 3 data sets" in page
    # CC or PRODEN is first on each data set; drawn again, the shares are those of all 27 draws
    ranked = {name: [] for name in apart.names}
    sets = ("Lost", "MSRCv2", "Birdsong")
    for one in sets:
        for name in apart.names:
            mine = means[name, one]
            ranked[name].append(1 + sum(means[other, one] > mine for other in apart.names))
    won = dict.fromkeys(apart.names, 0.0)
    for drawn in itertools.product(range(3), repeat=3):
        sums = {name: sum(places[k] for k in drawn) for name, places in ranked.items()}
        best = [name for name in sums if sums[name] == min(sums.values())]
        for name in best:
            won[name] += 1 / len(best) / 27
    shares = {one.name: one.first for one in steady.algorithms}
    assert shares == pytest.approx(won, abs=0.04)
    assert "With data sets drawn again from these, the first place goes to" in page
    assert ranks_of([one for one in cells if one.dataset != "Lost"]) is None


def test_only_a_lead_beyond_chance_stands_out():
    results = make_results(algorithms=("CC", "PRODEN", "supervised-oracle"), configs=1, splits=5)

    def lifted(by):
        def edit(run):
            if run.algorithm != "CC":
                return run
            more = by + 0.002 * (run.split % 2)
            records = tuple(
                replace(one, test={k: v + more for k, v in one.test.items()}) for one in run.records
            )
            return replace(run, records=records)

        return change(results, edit)

    def stands_out(found):
        (row, *_), *_ = [table.grid("top1").rows for table in make_tables(found, ["CR"])]
        return row[1].best

    assert stands_out(lifted(0.5))
    rows = make_tables(results, ["CR"])[0].grid("top1").rows
    assert not any(row[1].best for row in rows if row[0].value == "supervised-oracle")
    alike = change(results, lambda run: replace(run, algorithm=run.algorithm))
    tables = make_tables(alike, ["CR"])[0]
    cells = [tables.cells[name, "Lost"] for name in ("CC", "PRODEN")]
    test = corrected_t(*(one.values("top1") for one in cells), share_tested(results, "Lost"))
    clear = test.p is not None and test.p <= 0.05
    assert any(row[1].best for row in tables.grid("top1").rows) == clear
