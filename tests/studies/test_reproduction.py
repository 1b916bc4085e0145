"""docs/studies/reproduction.md is what the committed results say, and says what is missing."""

from __future__ import annotations

import re
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from studies.kit.words import minus
from studies.reproduction import __main__ as reproduction
from studies.reproduction.agreement import beside_published
from studies.reproduction.numbers import Row, read_explanations, read_sources
from studies.reproduction.page import make_page
from studies.reproduction.what_was_run import what_was_run

from committed import committed, needs_results
from small_sweeps import (
    TABLES,
    line_of,
    make_directory,
    read_plan_steps,
    row,
    sources_of,
    sweep_of,
    words_in,
)

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


# the committed page


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return committed("studies/reproduction/results", tmp_path_factory.mktemp("index"))


@pytest.mark.slow
def test_the_page_is_what_the_committed_results_say(results):
    page = make_page(read_sources(results))
    again = "run `python -m studies.reproduction` and commit what it writes"
    assert page.text == (DOCS / "studies" / "reproduction.md").read_text(encoding="utf-8"), again
    there = {path.name for path in (DOCS / "images").glob("reproduction-*.svg")}
    assert there == set(page.images), again
    tested = re.search(r"matplotlib==(\S+)", (ROOT / "constraints.txt").read_text())[1]
    for name, svg in page.images.items():
        drawn = (DOCS / "images" / name).read_text(encoding="utf-8")
        assert words_in(svg) == words_in(drawn), (name, again)
        if version("matplotlib") == tested:  # another one may place things otherwise
            assert svg == drawn, (name, again)


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


@needs_results  # explanations name them
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


@needs_results
def test_an_explanation_stands_beside_its_numbers(tmp_path):
    explained = read_explanations(TABLES, write(tmp_path, ENTRY))
    sources = sources_of(sweep_of(row("PRODEN:plench", [0.60, 0.64])), explanations=explained)
    text = "\n\n".join(beside_published(sources, "lost", {}))
    disagree = text[text.index("numbers that disagree") :]
    for criterion in ("CR", "OA"):
        shown = line_of(disagree, f"| PRODEN | {criterion} |")
        assert shown.endswith("| Because of this. (`bench/results`) |")
    assert line_of(disagree, "| PRODEN | AA |").endswith("| unexplained |")


@needs_results
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


# wording and command


def test_zero_has_no_sign():
    assert [minus(x, 1) for x in (-0.04, 0.04, -0.06, 1.0)] == ["0.0", "0.0", "−0.1", "+1.0"]


def command(monkeypatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["reproduction.py", *map(str, arguments)])
    try:
        reproduction.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@needs_results
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
