"""docs/reproduction.md is what the committed results say, and says it right."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

import reproduction
from _reproduction.agreement import beside_published
from _reproduction.numbers import (
    Comparison,
    Published,
    Row,
    Sources,
    Sweep,
    averaged,
    compare,
    paired,
    rank,
    read_explanations,
    read_published,
    read_sources,
    read_sweep,
)
from _reproduction.page import make_page
from _reproduction.validation import validation_study
from _reproduction.variants import variants
from _reproduction.what_was_run import what_was_run
from _reproduction.words import minus
from candidly.stats import Summary
from candidly.sweep.journal import Journal
from candidly.sweep.plan import Facts, Plan, planned_runs, read_plan, write_plan
from candidly.sweep.records import Record
from candidly.sweep.settings import make_settings

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
TABLES = read_published()


# the committed page


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """bench/results as git has it: a sweep may be writing more beside it."""
    results = ROOT / "bench" / "results"
    if not results.exists():
        pytest.skip("this copy comes without bench/results")
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return results
    folder = tmp_path_factory.mktemp("index")
    files = subprocess.run(
        ["git", "ls-files", "-z", "bench/results"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    subprocess.run(
        ["git", "checkout-index", "-z", "--stdin", f"--prefix={folder}/"],
        cwd=ROOT,
        input=files,
        check=True,
    )
    return folder / "bench" / "results"


def test_the_page_is_what_the_committed_results_say(committed):
    page = make_page(read_sources(committed))
    again = "run `python bench/reproduction.py` and commit what it writes"
    assert page.text == (DOCS / "reproduction.md").read_text(encoding="utf-8"), again
    there = {path.name for path in (DOCS / "images").glob("reproduction-*.svg")}
    assert there == set(page.images), again
    tested = re.search(r"matplotlib==(\S+)", (ROOT / "constraints.txt").read_text())[1]
    for name, svg in page.images.items():
        drawn = (DOCS / "images" / name).read_text(encoding="utf-8")
        assert words_in(svg) == words_in(drawn), (name, again)
        if version("matplotlib") == tested:  # another one may place things otherwise
            assert svg == drawn, (name, again)


def words_in(svg: str) -> list[str]:
    """What a figure says to those who cannot see it."""
    return re.findall(r"<(?:title|desc) [^>]*>(.*?)</", svg)


@pytest.mark.parametrize(
    ("dataset", "algorithm", "numbers"),
    [
        ("lost", "PRODEN", "71.33 2.45, 70.09 2.33, 71.33 2.41, 71.33 2.29"),
        ("lost", "CC", "71.33 2.60, 70.62 2.92, 72.57 2.80, 72.21 2.42"),
        ("msrcv2", "PRODEN", "52.50 0.83, 53.41 1.11, 51.82 0.65, 52.39 1.16"),
        ("birdsong", "PRODEN", "71.64 0.61, 70.16 0.88, 71.44 0.65, 72.32 0.89"),
    ],
)
def test_published_tables_are_whole(dataset, algorithm, numbers):
    table = TABLES[dataset]
    assert len(table) == 20 * 4
    row = (table[algorithm, criterion] for criterion in ("CR", "AA", "OA", "OA & ES"))
    assert ", ".join(f"{100 * n.mean:.2f} {100 * n.error:.2f}" for n in row) == numbers


# a small results directory


def make_directory(folder: Path, algorithms, top1, dataset="lost", configs=1, finished=None):
    """A directory of two splits and 3,000 updates, whose test accuracies are ``top1(run, step)``.

    Runs that ``finished(run)`` denies have one record.
    """
    facts = Facts("f" * 64, "Lost", 1122, 108, 16, 100, 113, 3000)
    asked = make_settings(datasets=[dataset], algorithms=algorithms, configs=configs, splits=2)
    folder.mkdir(parents=True)
    write_plan(folder, Plan(asked, {dataset: facts}, dict.fromkeys(algorithms, 1), ()))
    journal = Journal(folder / "journal")
    for run in planned_runs(read_plan(folder)):
        done = finished is None or finished(run)
        for number, step in enumerate(run.record_steps[: None if done else 1]):
            value = top1(run, step)
            criteria = dict.fromkeys(("CR", "AA", "AA:plench", "OA"), 0.5)
            criteria["AA:plench"] = 0.1 * number
            journal.write(
                [
                    Record(
                        key=run.key,
                        step=step,
                        validation=criteria,
                        test={"top1": value, "top5": 1.0, "balanced": value},
                        loss=1.0,
                        seconds=100.0 * (number + 1),
                        memory_bytes=1,
                    )
                ]
            )
    journal.close()
    return read_sweep(folder, dataset)


def row(label: str, accuracies, last=None) -> Row:
    by_split = dict(enumerate(accuracies))
    chosen = dict.fromkeys(("CR", "AA", "AA:plench", "OA", "OA & ES"), by_split)
    return Row(label, 2, 2, 0, 1.0, chosen, dict(enumerate(last or accuracies)))


def sweep_of(*rows: Row) -> Sweep:
    settings = {"configs": 20, "splits": 2, "eval_every": 1000}
    return Sweep({r.label: r for r in rows}, settings, {}, "f" * 64, 10_000, 113, ())


def sources_of(sweep: Sweep, trained: Sweep | None = None, explanations=None) -> Sources:
    sweeps = {"lost": sweep} | ({"lost-train-oracle": trained} if trained else {})
    return Sources(TABLES, sweeps, explanations or {})


def line_of(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


# agreement


def test_agreement_by_hand():
    # published 71.33 ± 2.45; ours 60 and 64: mean 62, population deviation 2, error 2 / √2
    (found,) = [
        c
        for c in compare(TABLES["lost"], sweep_of(row("PRODEN:plench", [0.60, 0.64])))
        if c.criterion == "CR"
    ]
    assert found.difference == pytest.approx(-0.0933)
    assert found.combined == pytest.approx((0.0245**2 + 0.02**2 / 2) ** 0.5)
    assert found.away == pytest.approx(-3.298, abs=1e-3)
    assert not found.agrees


@pytest.mark.parametrize(("ours", "agrees"), [(0.5999, True), (0.6001, False)])
def test_two_combined_standard_errors_are_the_limit(ours, agrees):
    # errors 3 and 4 combine to 5: ten points from 50 are two of them
    summary = Summary(ours, None, 0.03, 5)
    assert Comparison("CC", "CR", Published(0.5, 0.04), summary, 5).agrees is agrees


def test_without_any_spread_only_equality_agrees():
    for ours, agrees in ((0.5, True), (0.51, False)):
        same = Comparison("CC", "CR", Published(0.5, 0.0), Summary(ours, None, None, 1), 1)
        assert same.agrees is agrees


def test_only_the_programs_rows_are_compared_with_its_numbers():
    assert compare(TABLES["lost"], sweep_of(row("PRODEN", [0.6, 0.7]))) == []


def test_aa_is_compared_as_the_program_chose_it(tmp_path):
    # CR and AA are the same at every record, so the first is chosen; the program's AA rises
    sweep = make_directory(tmp_path / "lost", ["CC:plench"], lambda run, step: step / 10_000)
    steps = sorted(read_plan_steps(tmp_path / "lost"))
    last, first = steps[-1] / 10_000, steps[1] / 10_000
    by_program = {c.criterion: c for c in compare(TABLES["lost"], sweep)}
    as_meant = {c.criterion: c for c in compare(TABLES["lost"], sweep, right_aa=True)}
    assert by_program["AA"].ours.mean == pytest.approx(last)
    assert as_meant["AA"].ours.mean == pytest.approx(first)
    assert by_program["CR"].ours.mean == pytest.approx(first)
    text = "\n\n".join(beside_published(sources_of(sweep), "lost", {}))
    table = text[text.index("### Lost, chosen by AA") :]
    shown = [cell.split(" ±")[0] for cell in line_of(table, "| CC |").split(" | ")]
    assert (shown[1], shown[2], shown[5]) == ("70.62", f"{100 * last:.2f}", f"{100 * first:.2f}")


def read_plan_steps(folder: Path) -> tuple[int, ...]:
    return planned_runs(read_plan(folder))[0].record_steps


def test_the_page_counts_what_agrees():
    sweep = sweep_of(
        row("PRODEN:plench", [0.60, 0.64]),  # 3.3 combined standard errors below
        row("CC:plench", [0.70, 0.72]),
        row("LWS:plench", [0.70, 0.72]),
        row("VALEN:plench", [0.10, 0.12]),  # counted apart
    )
    text = "\n\n".join(beside_published(sources_of(sweep), "lost", {}))
    flat = " ".join(text.split())
    assert "2 of 19 rows other than VALEN agree in the CR column" in flat
    assert "1 does not, and 16 have no number yet" in flat
    assert line_of(text, "| CR |").split(" | ")[1:4] == ["2 of 19", "1", "16"]
    assert "disagrees" in line_of(text, "| CR |")
    disagree = text[text.index("numbers that disagree") :]
    assert line_of(disagree, "| PRODEN | CR |").endswith("| **−3.3** | unexplained |")
    assert "| CC |" not in disagree


# incomplete rows


def test_an_incomplete_row_has_no_number(tmp_path):
    sweep = make_directory(
        tmp_path / "lost",
        ["CC:plench", "CC", "PRODEN:plench"],
        lambda run, step: 0.7123,
        configs=2,
        finished=lambda run: run.algorithm != "CC:plench" or run.split == 0,
    )
    page = make_page(sources_of(sweep))
    beside = page.text[page.text.index("### Lost, chosen by CR") :]
    assert "incomplete: 2 of 4 runs" in line_of(beside, "| CC |")
    assert "71.23 ± 0.00" in line_of(beside, "| PRODEN |")
    assert "not run" in line_of(beside, "| LWS |")
    defects = page.text[page.text.index("## What the program's defects change") :]
    assert line_of(defects, "| CC |").count("71.23") == 1  # fixed alone, and no difference
    assert line_of(defects, "| CC |").endswith("|  |  |")
    run = "\n".join(what_was_run(sources_of(sweep)))
    assert "| plench | 1 of 2 | 6 of 8 |" in run
    assert "too early to judge" in run


def test_seconds_are_summed_over_the_journal(tmp_path):
    # four records, the last at 400 s; an unfinished run has one, at 100 s: 3 × 400 + 100
    sweep = make_directory(
        tmp_path / "lost",
        ["CC:plench"],
        lambda run, step: 0.5,
        configs=2,
        finished=lambda run: (run.config, run.split) != (1, 1),
    )
    assert len(read_plan_steps(tmp_path / "lost")) == 4
    assert line_of("\n".join(what_was_run(sources_of(sweep))), "| plench |").endswith(
        "| 1,300 | 0.18 |"
    )


def test_the_promise_is_judged_on_whole_tables_only():
    names = list(dict.fromkeys(name for name, _ in TABLES["lost"]))
    hour = 3600.0

    def said(seconds: float, rows: int) -> str:
        many = [Row(f"{name}:plench", 1, 1, 0, seconds, {}, {}) for name in names[:rows]]
        return " ".join("\n".join(what_was_run(sources_of(sweep_of(*many)))).split())

    assert "whole table holds" in said(0.29 * hour, 20)  # 20 × 0.29 / 2 = 2.9 hours
    assert "whole table does not hold" in said(0.31 * hour, 20)
    assert "too early to judge" in said(0.01 * hour, 19)


def test_without_results_the_page_says_so(tmp_path):
    page = make_page(read_sources(tmp_path))
    assert page.images == {}
    assert page.text.count("not there yet") == 8
    assert "71.33" not in page.text


# explanations

ENTRY = """
[[explanation]]
dataset = "lost"
algorithm = "PRODEN"
criteria = ["CR", "OA"]
text = "Because of
this."
run = "bench/results"
""".replace("of\nthis", "of this")


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "explanations.toml"
    path.write_text(text)
    return path


def test_an_explanation_stands_beside_its_numbers(tmp_path):
    explained = read_explanations(TABLES, write(tmp_path, ENTRY))
    sources = sources_of(sweep_of(row("PRODEN:plench", [0.60, 0.64])), explanations=explained)
    text = "\n\n".join(beside_published(sources, "lost", {}))
    disagree = text[text.index("numbers that disagree") :]
    for criterion in ("CR", "OA"):
        shown = line_of(disagree, f"| PRODEN | {criterion} |")
        assert shown.endswith("| Because of this. (`bench/results`) |")
    assert line_of(disagree, "| PRODEN | AA |").endswith("| unexplained |")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("PRODEN", "PRODENT"), "lost, PRODENT, CR is no published number"),
        (('"OA"', '"OB"'), "lost, PRODEN, OB is no published number"),
        (("bench/results", "bench/nowhere"), "the run 'bench/nowhere' is not there"),
        (("run =", "why ="), "it needs"),
    ],
)
def test_a_wrong_explanation_is_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        read_explanations(TABLES, write(tmp_path, ENTRY.replace(*change)))


def test_an_explanation_of_an_agreement_is_refused():
    sources = sources_of(
        sweep_of(row("PRODEN:plench", [0.70, 0.72])), explanations={("lost", "PRODEN", "CR"): "x"}
    )
    with pytest.raises(ValueError, match=r"explains lost, PRODEN, CR.*agrees \(-0\.1"):
        beside_published(sources, "lost", {})


# rankings


def test_ranks_swaps_and_tau_by_hand():
    level = {"A": 0.9, "B": 0.7, "C": 0.7, "D": 0.1}
    plench = {name: {0: v - 0.01, 1: v + 0.01} for name, v in level.items()}
    fixed = {
        "A": {0: 0.59, 1: 0.61},  # 0.6, behind B by 0.2 on both splits: established
        "B": {0: 0.79, 1: 0.81},
        "C": {0: 0.40, 1: 0.90},  # 0.65, ahead of A, but not on both splits
        "D": {0: 0.09, 1: 0.11},
    }
    found = rank(plench, fixed)
    assert found.plench == {"A": 1, "B": 2.5, "C": 2.5, "D": 4}  # equal means share a rank
    assert found.fixed == {"A": 3, "B": 1, "C": 2, "D": 4}
    assert set(found.swapped) == {("A", "B"), ("A", "C")}
    assert found.sure == (("A", "B"),)
    # concordant AD BD CD; discordant AB AC; BC tied on one side: (3 - 2) / √(5 × 6)
    assert found.tau == pytest.approx(1 / 30**0.5)
    assert found.moved == []


def test_the_page_names_who_moves_and_which_changes_are_established():
    names = ("PRODEN", "CAVL", "POP", "CC")
    levels = {"plench": (0.8, 0.7, 0.6, 0.5), "fixed": (0.4, 0.7, 0.6, 0.5)}
    rows = [
        row(name if variant == "fixed" else f"{name}:plench", [value - 0.01, value + 0.01])
        for variant, values in levels.items()
        for name, value in zip(names, values)
    ]
    images: dict[str, str] = {}
    text = " ".join("\n".join(variants(sources_of(sweep_of(*rows)), images)).split())
    assert "By 3 ranks or more, PRODEN (from 1 to 4) moves." in text
    assert "Of 6 pairs, 3 change order." in text
    assert (
        "for 3 of the 3 (ahead in `plench`, then in `fixed`: PRODEN, CAVL; PRODEN, POP; "
        "PRODEN, CC)" in text
    )
    assert "| PRODEN | 80.00 ± 1.00 | 40.00 ± 1.00 | −40.00 | **−40.00 to −40.00** |" in text
    assert "PRODEN 1 to 4" in words_in(images["reproduction-ranks.svg"])[1]


# what clean validation labels are for


def test_the_study_is_paired_over_splits():
    tuned = sweep_of(row("CC", [0.60, 0.80], last=[0.5, 0.5]), row("LWS", [0.70, 0.72]))
    trained = sweep_of(
        row("CC", [0, 0], last=[0.65, 0.86]),  # + 5 and + 6 points
        row("LWS", [0, 0], last=[0.66, 0.70]),  # − 4 and − 2 points
        Row("PRODEN", 1, 5, 0, 1.0, {}, {}),
    )
    images: dict[str, str] = {}
    text = "\n".join(validation_study(sources_of(tuned, trained), images))
    # mean 5.5 and t(1) = 12.706 standard errors of 0.5 to each side
    assert line_of(text, "| CC |") == (
        "| CC | 70.00 ± 10.00 | 70.00 ± 10.00 | 75.50 ± 10.50 | 50.00 ± 0.00 | +5.50 | "
        "−0.85 to +11.85 |"
    )
    assert "incomplete: 1 of 5 runs" in line_of(text, "| PRODEN |")
    flat = " ".join(text.split())
    assert "the higher mean for 1 of 2 rows (for 0 with an interval that leaves out zero)" in flat
    assert "tuning on them for 1 (0)" in flat
    # by split (5 − 4) / 2 and (6 − 2) / 2: 1.25 on average, 12.706 × 0.75 to each side
    assert "training minus tuning is +1.25 points (95 % interval −8.28 to +10.78)" in flat
    assert "CC 70.0 and 75.5" in words_in(images["reproduction-validation.svg"])[1]


def test_the_study_refuses_other_data_and_other_splits():
    ours = sweep_of(row("CC", [0.6, 0.8]))
    with pytest.raises(ValueError, match="made from other data"):
        validation_study(sources_of(ours, replace(ours, fingerprint="e" * 64)), {})
    with pytest.raises(ValueError, match=r"splits \[0, 1\] cannot be paired with \[0, 1, 2\]"):
        paired({0: 0.5, 1: 0.5}, {0: 0.5, 1: 0.5, 2: 0.5})


def test_averaged_leaves_out_splits_that_lack_a_value():
    assert averaged([{0: 0.5, 1: None}, {0: 0.7, 1: 0.9}]) == {0: pytest.approx(0.6), 1: None}


def test_the_last_record_of_the_defaults_is_what_nothing_chose(tmp_path):
    sweep = make_directory(
        tmp_path / "lost",
        ["CC"],
        lambda run, step: step / 10_000 + run.config,
        configs=2,
    )
    assert sweep.rows["CC"].last == {0: pytest.approx(0.3), 1: pytest.approx(0.3)}


def test_a_directory_of_other_data_is_refused(tmp_path):
    make_directory(tmp_path / "lost", ["CC"], lambda *_: 0.5, dataset="msrcv2")
    with pytest.raises(ValueError, match="holds msrcv2, not lost"):
        read_sweep(tmp_path / "lost", "lost")


# wording and command


def test_zero_has_no_sign():
    assert [minus(x, 1) for x in (-0.04, 0.04, -0.06, 1.0)] == ["0.0", "0.0", "−0.1", "+1.0"]


def command(monkeypatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["reproduction.py", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        reproduction.main()
    return int(ended.value.code or 0)


def test_the_command_writes_checks_and_removes(tmp_path, monkeypatch, capsys):
    results, docs = tmp_path / "results", tmp_path / "docs"
    make_directory(results / "lost", ["CC:plench"], lambda *_: 0.5)
    where = ("--results", results, "--docs", docs)
    assert command(monkeypatch, *where, "--quick") == 0
    assert not docs.exists()
    assert command(monkeypatch, *where, "--check") == 1
    assert "reproduction.md is not up to date" in capsys.readouterr().err
    assert command(monkeypatch, *where) == 0
    assert command(monkeypatch, *where, "--check") == 0
    image = docs / "images" / "reproduction-lost.svg"
    before = image.read_bytes()
    image.write_bytes(before + b" ")
    left_over = image.with_name("reproduction-gone.svg")
    left_over.write_text("")
    assert command(monkeypatch, *where, "--check") == 1
    assert command(monkeypatch, *where) == 0
    assert image.read_bytes() == before  # the same bytes from the same results
    assert not left_over.exists()


def test_the_pictures_are_on_white_paper_and_need_no_page(tmp_path):
    images: dict[str, str] = {}
    beside_published(sources_of(sweep_of(row("CC:plench", [0.7, 0.8]))), "lost", images)
    (svg,) = images.values()
    assert 'fill="#fff"' in svg
    assert "var(" not in svg
    assert "currentColor" not in svg
    assert re.match(r'<svg width="[\d.]+pt" height="[\d.]+pt"', svg)
