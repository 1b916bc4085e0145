"""The documentation, run: python blocks in order, console lines through the command line."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from candidly import cli

import needs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RUN = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("studies/*.md"))]
PAGES = [*RUN, *sorted(set(DOCS.glob("*/*.md")) - set(RUN))]  # tutorials are run as notebooks
LONG = {
    "README.md",
    "benchmark.md",
    "cluster.md",
    "train.md",
    "detectors.md",
    "building.md",
    "estimators.md",
    "extend.md",
    "own-loop.md",
}  # pages whose blocks take more than five seconds


def name_of(page: Path) -> str:
    """Its place in docs."""
    return page.relative_to(DOCS).as_posix() if DOCS in page.parents else page.name


BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.slow) if name_of(p) in LONG else p for p in RUN],
    ids=name_of,
)
def test_every_block_runs(page, tmp_path, monkeypatch, capsys, plugins_as_they_were):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    # the other cores run other tests: a sweep trains here, not in processes that load torch first
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    names: dict[str, object] = {}
    for language, text in BLOCK.findall(page.read_text()):
        if file := re.match(r"# (\w+\.py)\n", text):
            Path(file[1]).write_text(text)
        elif language == "python":
            exec(compile(text, str(page), "exec"), names)
        elif language == "console":
            for line in text.splitlines():
                if line.startswith("$ candidly "):
                    run(line, monkeypatch)
        elif language == "toml":
            Path("sweep.toml").write_text(text)


WITH_FILES = "$ CANDIDLY_DATA=~/data "  # in front of a command that takes real files
BY_FILES = [page for page in RUN if WITH_FILES in page.read_text()]


@needs.real_files
@pytest.mark.slow
@pytest.mark.parametrize("page", BY_FILES, ids=name_of)
def test_every_command_that_takes_real_files_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for language, text in BLOCK.findall(page.read_text()):
        for line in re.sub(r"\\\n\s*", "", text).splitlines() if language == "console" else ():
            if line.startswith(WITH_FILES):
                run(line.replace("~/data", os.environ["CANDIDLY_DATA"])[2:], monkeypatch)


def run(line: str, monkeypatch) -> None:
    words = shlex.split(line, comments=True)
    monkeypatch.setattr(sys, "argv", words[words.index("candidly") :])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code in (0, None), line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_pictures_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def commands(text: str) -> list[list[str]]:
    """The words behind ``candidly`` of each command in a page's blocks, run or not."""
    found = []
    for _, block in re.findall(r"^ *```(\w*)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            if command := re.match(r" *(?:\$ )?(?:CANDIDLY_DATA=~/data )?candidly ([a-z].*)", line):
                words = shlex.split(command[1], comments=True)
                if "--import" in words:  # may stand anywhere on the line
                    at = words.index("--import")
                    del words[at : at + 2]
                found.append(words)
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_that_is_shown_has_these_options(page):
    for noun, *rest in commands(page.read_text()):
        command = cli.command(noun)
        if hasattr(command, "commands"):
            command, rest = command.commands[rest[0]], rest[1:]
        command.make_context(noun, rest)  # reads the options, and does nothing


RUN_WHOLE = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]


@pytest.mark.parametrize("page", RUN_WHOLE, ids=name_of)
def test_the_readme_and_tutorials_show_no_command_that_is_not_run(page):
    blocks = re.findall(r"^ *```(\w*)\n(.*?)^ *```", page.read_text(), re.DOTALL | re.MULTILINE)
    assert {language for language, _ in blocks} <= {"python", "console", "text", "sh"}
    for language, text in blocks:
        if language == "text":  # what a command prints; the two make targets are in CI
            assert not re.findall(r"^(?:\$ |candidly [a-z]).*", text, re.MULTILINE), text


def test_commands_are_found():
    page = "x\n```text\n$ candidly a b \\\n   --c 1\nout\ncandidly --import f.py d  # e\n```\n"
    assert commands(page) == [["a", "b", "--c", "1"]]
    assert commands(page.replace("--import f.py d", "d --import f.py")) == [
        ["a", "b", "--c", "1"],
        ["d"],
    ]


def test_the_two_commands_are_in_the_readme_and_every_make_target_exists():
    text = (ROOT / "README.md").read_text()
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"demo", "test"} <= set(re.findall(r"^make ([a-z-]+)", text, re.MULTILINE))
    for page in PAGES:
        text = page.read_text()
        shown = "\n".join(re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL))
        meant = re.findall(r"^make ([a-z-]+)", shown, re.MULTILINE)  # prose may begin so, too
        for target in [*meant, *re.findall(r"`make ([a-z-]+)", text)]:
            assert target in targets, (page.name, target)


def test_every_algorithm_and_command_is_documented():
    from candidly.learn.algorithms import ALGORITHMS

    text = "\n".join(page.read_text() for page in PAGES)
    for name in ALGORITHMS:
        assert name in text, name
    commands = ("demo", "data", "labels make", "algorithms", "bench run", "bench status")
    commands += (
        "errors probs",
        "errors find",
        "errors health",
        "errors compare",
        "crowd consensus",
        "validate",
        "stability",
    )
    commands += ("review new", "review status", "review export", "review merge", "review serve")
    for command in commands:
        assert f"candidly {command}" in text, command


def shown(page: Path) -> str:
    """What a reader sees of a page: its text without HTML comments."""
    return re.sub(r"<!--.*?-->", "", page.read_text(), flags=re.DOTALL)


def test_every_test_that_a_page_names_is_there():
    defined = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    for page in PAGES:
        for name in re.findall(r"`(test_\w+)`", shown(page)):
            assert f"def {name}(" in defined, (page.name, name)


def test_every_measurement_that_is_named_is_there():
    """Pages, docstrings and studies name scripts, studies and results by their paths."""
    python = (
        path
        for room in ("src", "bench", "studies", "tools")
        for path in (ROOT / room).rglob("*.py")
    )
    path_of = re.compile(r"(?<![\w/.-])((?:bench|studies)/[\w./-]*\w)")
    for place in (*PAGES, ROOT / "CONTRIBUTING.md", *python):
        for named in set(path_of.findall(place.read_text())):
            if "results" in named and not (ROOT / "bench" / "results").exists():
                continue  # the sdist leaves them out
            there = (ROOT / named, DOCS / named, *ROOT.glob(named.replace("NAME", "*")))
            assert any(path.exists() for path in there), (place, named)


def test_every_defect_that_is_named_is_in_the_ledger():
    ledger = (ROOT / "docs" / "defects.md").read_text()
    places = [*PAGES, *(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("test_*.py")]
    text = "\n".join(path.read_text() for path in places)
    for identifier in set(re.findall(r"\bD-[A-Z]+\+?-\d+", text)):
        assert f"{identifier} " in ledger or f"{identifier}," in ledger, identifier
    for name in re.findall(r"def (test_d_[a-z]+_\d\w*)\(", text):
        assert f"`{name}`" in ledger, name
