"""The tutorials, run as their notebooks, and what they print held against what their pages show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest

from notebooks import BLOCK, PAGES, Step, notebook, steps

TUTORIALS = sorted(PAGES.glob("*.md"))
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def alike(shown: str, printed: str) -> bool:
    """Whether a text is what a page shows: the same words, and numbers within 15 %.

    A number depends on the processor in its last digits, and a class of few rows changes by one.
    ``…`` stands for any text.
    """
    pattern = ""
    numbers: list[float] = []
    for part in re.split(rf"({NUMBER.pattern}|…|\s+)", " ".join(shown.split())):
        if part == "…":
            pattern += r".*?"
        elif NUMBER.fullmatch(part):
            numbers.append(value(part))
            pattern += rf"({NUMBER.pattern})"
        else:
            pattern += re.escape(part)
    found = re.fullmatch(pattern, " ".join(printed.split()), re.DOTALL)
    if found is None:
        return False
    there = [value(text) for text in found.groups()]
    return all(abs(a - b) <= max(0.15 * abs(a), 0.011) for a, b in zip(numbers, there, strict=True))


def value(text: str) -> float:
    return float(text.replace(",", ""))


def test_what_is_alike():
    assert alike("3 of 400\n labels", "3 of 410 labels")
    assert alike("row  0.50 x", "row 0.51   x")
    assert alike("a … 1,000 z", "a b c 1,001 z")
    assert not alike("3 of 400", "9 of 400")
    assert not alike("3 of 400 labels", "3 of 400 rows")
    assert not alike("a … z", "a b")


def test_a_page_becomes_steps_and_cells():
    page = (
        "# Title\n\nWords.\n\n```console\n$ candidly a \\\n    --b\n$ candidly c\n```\n\n"
        "```text\nout\n```\n\n```sh\nserver\n```\n\n```python\nx = 1\n```\n"
    )
    code = "$ candidly a \\\n    --b\n$ candidly c"
    assert steps(page) == [
        Step("prose", "# Title\n\nWords."),
        Step("console", code, "out\n"),
        Step("prose", "```sh\nserver\n```"),
        Step("python", "x = 1"),
    ]
    cells = nbformat.reads(notebook(page, "page.md"), as_version=4).cells
    assert [cell.cell_type for cell in cells] == ["markdown", "code", "markdown", "code"]
    assert cells[1].source == "%%bash -e\ncandidly a --b\ncandidly c"
    assert cells[1].outputs[0].text == "out\n"


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_notebook_is_what_its_page_says(page):
    made = notebook(page.read_text(encoding="utf-8"), page.name)
    assert page.with_suffix(".ipynb").read_text(encoding="utf-8") == made, (
        "run `python tools/notebooks.py`"
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_notebook_runs_and_prints_what_it_shows(page, tmp_path, monkeypatch):
    from nbclient import NotebookClient

    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    shown = nbformat.read(page.with_suffix(".ipynb"), as_version=4)
    run = nbformat.read(page.with_suffix(".ipynb"), as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(run, timeout=300, kernel_name="python3", resources=resources).execute()
    for wanted, cell in zip(shown.cells, run.cells, strict=True):
        if wanted.cell_type == "code" and wanted.outputs:
            text = printed(cell)
            assert alike(wanted.outputs[0].text, text), f"{wanted.source}\nprinted\n{text}"
    for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "sh":
            serves(text.strip(), tmp_path)


def printed(cell) -> str:
    """What a cell wrote to stdout, and the value of its last line."""
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            texts.append(output.text)
        elif output.output_type == "execute_result":
            texts.append(output.data["text/plain"])
    return "".join(texts)


def serves(command: str, folder: Path) -> None:
    """Start what a page says, ask for the first address that it prints, and stop it."""
    log = folder / "server.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            ["bash", "-c", f"exec {command} --port 0"], cwd=folder, stdout=out, stderr=out
        )
    try:
        end = time.monotonic() + 60
        while not (found := re.search(r"http://127\.0\.0\.1:[^\s;]+", log.read_text())):
            assert time.monotonic() < end, log.read_text()
            assert server.poll() is None, log.read_text()
            time.sleep(0.2)
        with urllib.request.urlopen(found[0], timeout=30) as answer:
            assert answer.status == 200
    finally:
        server.terminate()
        server.wait(30)
