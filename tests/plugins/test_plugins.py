"""Plug-ins: what a file adds, by which rules, and what a results directory knows of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import candidly
from candidly import plugins
from candidly.contract import REACHES, TRAINS, check_plugin, write_new
from candidly.sweep.journal import read_results

HERE = Path(__file__).parent
HEAD = "import candidly\nfrom candidly.algorithms import Algorithm, Stage, pure\n"
LOSS = (
    HEAD
    + "\n\ndef loss(z, c):\n    return -z.masked_fill(~c, -1e3).logsumexp(-1) + z.logsumexp(-1)\n"
)
ADD = "\n\ncandidly.register('algorithm', Algorithm({!r}, {}))\n"


@pytest.fixture(autouse=True)
def _tables_as_they_were():
    before = {kind: dict(one.entries) for kind, one in plugins.KINDS.items()}
    there = set(plugins._LOADED)
    yield
    for digest in set(plugins._LOADED) - there:
        plugins.unload(plugins._LOADED[digest])
    for kind, one in plugins.KINDS.items():
        for name in set(one.entries) - before[kind].keys():
            del one.entries[name]
            plugins._OWNER.pop((kind, name), None)


def written(folder, text, name="own.py"):
    (folder / name).write_text(text)
    return folder / name


def bench(out, name="own", workers=1, **more):
    how = {"configs": 1, "splits": 1, "steps": 4, "eval_every": 4} | more
    return candidly.benchmark(
        "digits", name, labels="flip:rate=0.3", out=out, workers=workers, **how
    )


def test_a_file_is_run_once_for_each_content(tmp_path):
    file = written(tmp_path, LOSS + ADD.format("own", "pure(loss)"))
    first = plugins.load(file)
    assert plugins.load(file) is first
    assert first.added == (("algorithm", "own"),)
    assert candidly.ALGORITHMS["own"].name == "own"
    assert plugins.plugin_of("algorithm", "own") is first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nothing_of_this_name\n", "ModuleNotFoundError"),
        ("x = (\n", "SyntaxError"),
        ("x = 1\n", "candidly.register for nothing"),
        (LOSS + ADD.format("PRODEN", "pure(loss)"), "taken by candidly (PRODEN)"),
        (LOSS + ADD.format("pro-den", "pure(loss)"), "taken by candidly (PRODEN)"),
        (LOSS + ADD.format("a,b", "pure(loss)"), "without spaces, commas"),
        (HEAD + "candidly.register('algorithm', 3)\n", "make it with candidly.algorithms.Alg"),
        (HEAD + "candidly.register('algoritm', 3)\n", "did you mean 'algorithm'"),
        (HEAD + "candidly.register('aggregator', 3, name='x')\n", "give a function"),
    ],
)
def test_what_cannot_be_loaded_names_the_file_and_the_rule(tmp_path, text, said):
    file = written(tmp_path, text)
    with pytest.raises(ValueError, match=r"could not be loaded") as caught:
        plugins.load(file)
    assert str(file) in str(caught.value)
    assert said in str(caught.value)


def test_a_file_that_fails_half_way_adds_nothing(tmp_path):
    file = written(tmp_path, LOSS + ADD.format("own", "pure(loss)") + "\n1 / 0\n")
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        plugins.load(file)
    assert "own" not in candidly.ALGORITHMS


def test_two_files_cannot_have_one_name(tmp_path):
    plugins.load(written(tmp_path, LOSS + ADD.format("own", "pure(loss)")))
    with pytest.raises(ValueError, match=r"taken by own\.py@"):
        plugins.load(written(tmp_path, LOSS + "\n# edited" + ADD.format("own", "pure(loss)")))


def test_a_plan_holds_the_source_and_another_is_refused_by_name(tmp_path):
    text = LOSS + ADD.format("own", "pure(loss)")
    file = written(tmp_path, text)
    first = plugins.load(file)
    out = tmp_path / "out"
    bench(out)
    kept = json.loads((out / "plan.json").read_text())["algorithms"]["own"]["plugin"]
    assert kept == first.text == f"own.py@{first.digest}"
    copy = out / "plugins" / first.digest / "own.py"
    assert copy.read_text() == text
    plugins.unload(first)
    assert read_results(out).runs  # nothing of that name is here, so nothing can differ
    file.write_text(text + "# edited\n")
    second = plugins.load(file)
    for act in (lambda: read_results(out), lambda: bench(out)):
        with pytest.raises(ValueError, match=f"own.*{first.digest}") as caught:
            act()
        assert second.digest in str(caught.value)
        assert str(copy) in str(caught.value)
    plugins.unload(second)
    plugins.load(copy)
    assert bench(out).runs


def test_what_no_file_registered_is_for_one_process(tmp_path):
    from candidly.algorithms import CC, Algorithm  # type: ignore[attr-defined]

    candidly.register("algorithm", Algorithm("loose", CC.stages))
    with pytest.raises(ValueError, match=r"loose was registered by no file"):
        bench(tmp_path / "two", "loose", workers=2)
    assert bench(tmp_path / "one", "loose").runs


# the battery


@pytest.mark.parametrize("name", ["soft_sets", "slow_sets"])
def test_the_examples_keep_the_contract(name):
    findings = check_plugin(plugins.load(HERE / f"{name}.py"))
    assert len(findings) == 8
    assert not [one for one in findings if one.problem]


ROWS = LOSS + "\n\ndef rows(s):\n    return {'w': s.candidates.to(s.dtype)}\n"
STEP = "\n\ndef step(s, b):\n    return loss(s.net(b.x).logits, b.candidates).mean(-1)\n"
NEIGHBOUR = (
    ROWS
    + STEP
    + "\n\ndef after(s, b):\n    s.rows['w'].add_(1)\n    return {'w': b.w}\n"
    + ADD.format("own", "(Stage(step, after),), rows=rows")
)
TRIALS = (
    LOSS
    + "\n\ndef step(s, b):\n    each = loss(s.net(b.x).logits, b.candidates).mean(-1)\n"
    + "    return each + each.mean() * 0.5\n"
    + ADD.format("own", "(Stage(step),)")
)
SHAPE = (
    ROWS
    + STEP
    + "\n\ndef after(s, b):\n    return {'w': b.w[..., :2]}\n"
    + ADD.format("own", "(Stage(step, after),), rows=rows")
)
BRANCH = (
    LOSS
    + "\n\ndef step(s, b):\n    if s.t > 10**6:\n        return s.net(b.x).logits.mean((1, 2))\n"
    + "    return loss(s.net(b.x).logits, b.candidates).mean(-1)\n"
    + ADD.format("own", "(Stage(step),)")
)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (NEIGHBOUR, "rows outside the batch stay as they are"),
        (TRIALS, "a trial ends alone as it does in a stack"),
        (SHAPE, TRAINS),
        (BRANCH, REACHES),
    ],
    ids=["neighbour's rows", "across trials", "shape", "branch"],
)
def test_the_battery_names_the_rule_that_is_broken(tmp_path, text, rule):
    findings = check_plugin(plugins.load(written(tmp_path, text)))
    assert rule in {one.rule for one in findings if one.problem}


def test_a_new_page_keeps_the_contract(tmp_path):
    page, test = write_new("my-method", tmp_path)
    assert (page.name, test.name) == ("my_method.py", "test_my_method.py")
    names = {}
    exec(compile(test.read_text(), str(test), "exec"), names | {"__file__": str(test)}, names)
    assert not [one for one in check_plugin(plugins.load(page)) if one.problem]
    with pytest.raises(FileExistsError, match=r"my_method\.py is there already"):
        write_new("my-method", tmp_path)


@pytest.mark.slow
def test_both_examples_in_a_benchmark_with_two_workers_and_its_report(tmp_path):
    files = [str(HERE / f"{name}.py") for name in ("soft_sets", "slow_sets")]
    asked = [word for file in files for word in ("--import", file)]
    line = "bench run --dataset digits --labels flip:rate=0.3 --algorithms soft-sets,slow-sets "
    line += "--configs 1 --splits 1 --steps 60 --eval-every 30 --workers 2 --out out"
    for words in ([*line.split(), *asked], ["bench", "report", "out"]):
        subprocess.run([sys.executable, "-m", "candidly", *words], cwd=tmp_path, check=True)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "soft-sets" in page
    assert "slow-sets" in page
