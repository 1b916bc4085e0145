"""The hash of an algorithm's code: what moves it, and what a directory says when it has moved."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import candidly
from candidly import benchmark
from candidly.compare.report import accuracy_tables
from candidly.compare.report.gap import gap_tables
from candidly.compare.sweep import code
from candidly.compare.sweep.code import WORDS, code_of
from candidly.compare.sweep.journal import journal_files, read_results
from candidly.compare.sweep.methods import method_of
from candidly.compare.sweep.plan import read_plan
from candidly.compare.sweep.settings import make_settings
from candidly.ground.followed import followed
from candidly.learn.algorithms import ALGORITHMS, Algorithm, pure

from committed import needs_results
from toys import toy

SMALL = {"configs": 2, "splits": 2, "steps": 40, "eval_every": 20, "workers": 1}


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A copy of the algorithms' files, to change."""
    folder = shutil.copytree(code.FOLDER, tmp_path / "algorithms")
    monkeypatch.setattr(code, "FOLDER", folder)
    yield folder
    code._definitions.cache_clear()


def change(folder, file, old, new):
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    code._definitions.cache_clear()


def test_every_algorithm_has_a_place_and_a_hash_of_its_own():
    settings = make_settings(datasets=["toy"], algorithms=["CC"], configs=1, splits=1)
    kept = [method_of(page, settings) for page in ALGORITHMS.values()]
    assert all(page.place and page.code for page in kept)
    assert len({page.code for page in kept}) == len(ALGORITHMS)


def test_what_computes_nothing_moves_no_hash(sources):
    before = code_of("proden:PRODEN")
    text = (sources / "proden.py").read_text()
    unparsed = ast.unparse(ast.parse(text))  # no comment, another layout
    (sources / "proden.py").write_text(unparsed.replace("summary=", "summary='new' + "))
    change(sources, "proden.py", "def ", "def unused():\n    return 3\n\n\ndef ")
    change(sources, "_tensors.py", "import torch", "import torch\n# a comment")
    assert code_of("proden:PRODEN") == before


def test_a_changed_loss_moves_its_own_hash_and_that_of_who_takes_it(sources):
    names = {"cc:CC", "log:LOG", "proden:PRODEN", "ce:CE"}
    before = {place: code_of(place) for place in names}
    change(sources, "cc.py", "logits.logsumexp(-1)", "2 * logits.logsumexp(-1)")
    assert {place for place in names if code_of(place) != before[place]} == {"cc:CC", "log:LOG"}


def test_a_changed_helper_moves_those_that_use_it(sources):
    names = ("proden:PRODEN", "jocor:JOCOR", "apl:NCE_MAE", "apl:NCE_RCE", "cc:CC")
    before = {place: code_of(place) for place in names}

    def moved():
        return {place for place in names if code_of(place) != before[place]}

    change(sources, "_tensors.py", "def masked_softmax(", "def masked_softmax(*, ")
    assert moved() == {"proden:PRODEN"}
    change(sources, "mae.py", "def of_nats(", "def of_nats(*, ")  # taken as mae.of_nats
    assert moved() == {"proden:PRODEN", "apl:NCE_MAE", "apl:NCE_RCE"}
    change(sources, "_selection.py", "def losses(", "def losses(*, ")
    assert "jocor:JOCOR" in moved()


@pytest.mark.parametrize("place", ["", "nothing:CC", "cc:NOTHING", "../plan:CC", "cc"])
def test_there_is_no_hash_of_what_is_not_there(place):
    assert code_of(place) is None


def own_page(body, seen=None):
    """An algorithm as a notebook defines it, without a file."""
    names = {"LIMIT": 5.0, "Algorithm": Algorithm, "pure": pure, "torch": torch} | (seen or {})
    exec(compile(OWN.format(body=body), "<input>", "exec"), names)
    return names["MINE"]


def code_of_own(page):
    return followed(page, words=WORDS["Algorithm"]).digest


OWN = """
def penalty(logits):
    return {body}

def loss(logits, candidates):
    'Some text.'
    scale = 1.0
    return (penalty(logits) * scale).clamp_max(LIMIT)

MINE = Algorithm("mine", pure(loss), summary="{body}")
"""


@pytest.mark.slow
def test_a_page_of_ones_own_has_a_hash_of_what_it_computes():
    first = code_of_own(own_page("logits.logsumexp(-1)"))
    assert code_of_own(own_page("logits.logsumexp(-1)")) == first
    assert code_of_own(own_page("  logits.logsumexp( -1)  # a comment")) == first
    assert code_of_own(own_page("logits.amax(-1)")) != first  # a function that it calls
    assert code_of_own(own_page("2 * logits.logsumexp(-1)")) != first
    assert code_of_own(own_page("logits.logsumexp(-1)", {"LIMIT": 4.0})) != first
    words = [sys.executable, "-c", "import compare.sweep.test_code as t; print(t.printed())"]
    env = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env=env)
    assert done.stdout.strip() == first, done.stderr


def printed():
    return code_of_own(own_page("logits.logsumexp(-1)"))


def test_another_loss_in_a_page_of_ones_own_is_refused(tmp_path, monkeypatch):
    data, out = {"toy": toy()}, tmp_path / "out"
    monkeypatch.setitem(ALGORITHMS, "mine", own_page("logits.logsumexp(-1)"))
    made = benchmark(data, "mine", out=out, **SMALL)
    assert made.notes == ()
    monkeypatch.setitem(ALGORITHMS, "mine", own_page("logits.amax(-1)"))
    with pytest.raises(ValueError, match="other code of mine: its file, or what it uses, has"):
        benchmark(data, "mine", out=out, **SMALL)
    [note] = read_results(out).notes
    assert note.startswith("mine: made with other code")


def test_other_code_is_refused_and_named(sources, tmp_path, monkeypatch):
    data, out = {"toy": toy()}, tmp_path / "out"
    first = benchmark(data, ["PRODEN", "CC"], out=out, **SMALL)
    assert first.notes == ()
    [written] = journal_files(out / "journal")
    before = (out / "plan.json").read_bytes(), written.read_bytes()
    change(sources, "cc.py", "logits.logsumexp(-1)", "2 * logits.logsumexp(-1)")
    more = SMALL | {"splits": 3}
    with pytest.raises(ValueError, match=r"other code of CC: algorithms/cc\.py.*another `out`"):
        benchmark(data, ["PRODEN", "CC"], out=out, **more)
    assert ((out / "plan.json").read_bytes(), written.read_bytes()) == before
    [note] = read_results(out).notes
    assert note.startswith("CC: made with other code of the algorithm")
    for text in (
        accuracy_tables(read_results(out)).render(),
        gap_tables(read_results(out)).render(),
    ):
        assert "other code of the algorithm" in " ".join(text.split())

    grown = benchmark(data, ["PRODEN", "CC"], out=out, accept_code=True, **more)
    assert all(run.complete for run in grown.runs)
    assert len(read_plan(out).methods["CC"].code) == 2
    assert [note.partition(":")[0] for note in grown.notes] == ["CC"]
    again = benchmark(data, ["PRODEN", "CC"], out=out, **more)  # accepted once, it goes on
    assert again.notes == grown.notes
    change(sources, "cc.py", "2 * logits.logsumexp(-1)", "logits.logsumexp(-1)")
    with pytest.raises(ValueError, match="go on with `accept_code=True`"):
        benchmark(data, ["PRODEN", "CC"], out=out, **more)


def test_a_page_of_ones_own_in_its_place_is_refused(tmp_path, monkeypatch):
    data, out = {"toy": toy()}, tmp_path / "out"
    benchmark(data, "CC", out=out, **SMALL)
    monkeypatch.setitem(
        ALGORITHMS, "CC", replace(ALGORITHMS["CC"], stages=ALGORITHMS["LOG"].stages)
    )
    with pytest.raises(ValueError, match=r"other code of CC: it is not that of algorithms/cc\.py"):
        benchmark(data, "CC", out=out, **SMALL)


def test_a_directory_of_ones_own_algorithm_is_read_without_it(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setitem(ALGORITHMS, "mine", replace(ALGORITHMS["CC"], name="mine"))
        made = benchmark({"toy": toy()}, "mine", out=tmp_path / "out", **SMALL)
    assert read_results(tmp_path / "out") == made


def test_another_search_space_is_refused(tmp_path, monkeypatch):
    data, out = {"toy": toy()}, tmp_path / "out"
    benchmark(data, "LWS", out=out, **SMALL)
    page = ALGORITHMS["LWS"]
    beta = replace(page.space["beta"], default=3)
    monkeypatch.setitem(ALGORITHMS, "LWS", replace(page, space={**page.space, "beta": beta}))
    assert all(run.complete for run in read_results(out).runs)  # read as it was made
    with pytest.raises(ValueError, match="other hyper-parameters of LWS"):
        benchmark(data, "LWS", out=out, accept_code=True, **SMALL)


@needs_results
def test_a_directory_without_code_is_read(tmp_path):
    committed = Path(__file__).parents[3] / "studies" / "reproduction" / "results"
    results = read_results(committed / "lost-train-oracle")
    assert results.notes == ()
    plan = read_plan(committed / "lost-train-oracle")
    assert all(page.code == () for page in plan.methods.values())
    assert sum(run.complete for run in results.runs) == len(results.runs)
    # keys of its runs are what they were when it was made
    keys = {trial.key for trial in read_plan(committed / "lost").trials}
    assert {"f65af528ce321edce3c287aa", "fdaaf2150a5a0ceeb24cc596"} <= keys


@pytest.mark.slow
def test_a_loss_that_was_changed_in_the_file_is_refused_by_the_command(tmp_path):
    shutil.copytree(Path(candidly.__file__).parent, tmp_path / "src" / "candidly")
    words = ["--dataset", "digits", "--labels", "flip:rate=0.3", "--algorithms", "CC"]
    words += ["--configs", "1", "--splits", "2", "--steps", "40", "--eval-every", "20"]

    def bench(*command):
        return subprocess.run(
            [sys.executable, "-m", "candidly", "bench", *command],
            capture_output=True,
            text=True,
            env={"PYTHONPATH": str(tmp_path / "src"), "PATH": ""},
        )

    run = ("run", *words, "--workers", "1", "--out", str(tmp_path / "out"))
    first = bench(*run)
    assert first.returncode == 0, first.stderr
    change(tmp_path / "src/candidly/learn/algorithms", "cc.py", "def loss(", "def loss(*, ")
    change(tmp_path / "src/candidly/learn/algorithms", "cc.py", "def loss(*, ", "def loss(")
    assert bench(*run).stdout == first.stdout
    change(
        tmp_path / "src/candidly/learn/algorithms",
        "cc.py",
        "logits.logsumexp(-1)",
        "logits.amax(-1)",
    )
    refused = bench(*run)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "was made with other code of CC" in refused.stderr
    assert "other code of the algorithm" in " ".join(bench("table", run[-1]).stdout.split())
