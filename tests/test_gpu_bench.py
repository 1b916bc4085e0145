"""``bench/gpu.py``: without a GPU, and how it goes on, stops and fails part by part."""

from __future__ import annotations

import json

import pytest
import torch

import gpu
from _gpu.run import Part, is_done, run_parts

STAMP = {"code": "abc", "device": "a device"}

GOOD = """
from _bench import Claim, at_most
def measure(where):
    assert (where.device, where.quick) == ("cpu", True)
    print("chatter")  # of a library: no answer
    yield Claim("one", 1.5)
    yield "a note"
    yield at_most("two", 3, 2)
"""
FAILS = """
from _bench import Claim
def measure(where):
    yield Claim("before", 1)
    raise ArithmeticError("no such sum")
"""
HANGS = """
import time
from _bench import Claim
def measure(where):
    yield Claim("before", 1)
    time.sleep(600)
"""
DIES = "import os\ndef measure(where):\n    os._exit(7)\n"


@pytest.fixture
def part(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def made(name, text, limit=30.0, packages=()):
        (tmp_path / f"part_{name}.py").write_text(text)
        return Part(name, f"part_{name}", limit, packages)

    return made


def run(parts, done=None, again=(), total=60.0):
    said = []
    found = run_parts(parts, ("cpu", "quick"), STAMP, done or {}, again, total, said.append)
    return dict(found), said


@pytest.mark.slow
def test_a_part_that_fails_hangs_or_dies_does_not_stop_the_rest(part):
    parts = [
        part("fails", FAILS),
        part("hangs", HANGS, limit=4.0),
        part("dies", DIES),
        part("lacks", GOOD, packages=("torch", "no_such_package")),
        part("good", GOOD),
    ]
    found, said = run(parts)
    errors = {name: result.error for name, result in found.items()}
    assert "ended with status 1: " in errors["fails"]
    assert "ArithmeticError: no such sum" in errors["fails"]
    assert errors["hangs"] == "stopped after 4 s, which is its limit"
    assert errors["dies"].startswith("ended with status 7")
    assert errors["lacks"] == "needs no_such_package, which this Python does not have"
    assert errors["good"] == ""
    for name in ("fails", "hangs"):  # what they had found is kept
        assert [claim["name"] for claim in found[name].claims] == ["before"]
    good = found["good"]
    assert [(c["name"], c["value"], c["holds"]) for c in good.claims] == [
        ("one", 1.5, None),
        ("two", 3.0, False),
    ]
    assert (good.notes, good.code, good.device) == (["a note"], "abc", "a device")
    assert any("[5/5] good" in line and "s left" in line for line in said)


def test_no_time_is_left_for_a_part_behind_the_limit_of_all(part):
    found, _ = run([part("good", GOOD)], total=0.0)
    assert found["good"].error == "no time was left; the same command goes on with it"


def test_what_is_done_with_the_same_code_and_device_is_not_repeated(part):
    (tried,) = run([part("good", GOOD)])[0].values()
    done = vars(tried)
    assert is_done(done, STAMP)
    assert not is_done(done | {"error": "stopped"}, STAMP)
    assert not is_done(done, STAMP | {"code": "other"})
    assert not is_done(done, STAMP | {"device": "other"})
    assert not is_done(None, STAMP)
    found, said = run([part("good", FAILS)], {"good": done})
    assert found == {}
    assert said == ["good: done before; --again good repeats it"]
    found, _ = run([part("good", FAILS)], {"good": done}, again=["good"])
    assert found["good"].error
    found, _ = run([part("good", FAILS)], {"good": done | {"code": "of another edition"}})
    assert found["good"].error


def test_without_a_gpu_it_says_so_and_writes_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(gpu, "RESULTS", tmp_path)
    for how in ([], ["--quick"], ["--device", "cuda:1"], ["--again", "views"]):
        assert gpu.main(how) == 0
        assert capsys.readouterr().out == (
            "There is no GPU here (this torch finds no CUDA): nothing was measured or written.\n"
        )
    assert gpu.main(["--device", "cpu"]) == 2
    assert "--quick tries this" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_results_are_written_part_by_part_and_gone_on_with(part, monkeypatch, tmp_path, capsys):
    """As on a GPU, whose place the processor takes."""
    results = tmp_path / "results"
    parts = [part("one", GOOD.replace("True", "False")), part("two", FAILS)]
    monkeypatch.setattr(gpu, "RESULTS", results)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(gpu, "facts", lambda device: {"device": "a device", "torch": "2"})
    asked = []

    def as_on_a_gpu(parts, how, *rest):
        asked.append(how)
        return run_parts(parts, ("cpu", how[1]), *rest)

    monkeypatch.setattr(gpu, "run_parts", as_on_a_gpu)
    assert gpu.main([], parts) == 1
    written = json.loads((results / "gpu.json").read_text())
    assert written["about"] == {"device": "a device", "torch": "2"}
    assert list(written["parts"]) == ["one", "two"]
    assert [claim["name"] for claim in written["parts"]["one"]["claims"]] == ["one", "two"]
    assert written["parts"]["one"]["code"] == gpu.digest()
    assert "no such sum" in written["parts"]["two"]["error"]
    capsys.readouterr()
    first = written["parts"]["one"]
    parts[1] = part("two", GOOD.replace("True", "False").replace("3, 2", "1, 2"))
    assert gpu.main([], parts) == 1  # a target of the first is missed, as it was
    printed = capsys.readouterr()
    assert "one: done before" in printed.err
    assert "MISSED" in printed.out
    written = json.loads((results / "gpu.json").read_text())
    assert written["parts"]["one"] == first
    assert written["parts"]["two"]["error"] == ""
    assert asked == [("cuda", "full")] * 2
    assert [path.name for path in results.iterdir()] == ["gpu.json"]


def test_the_parts_end_within_twenty_minutes():
    assert sum(part.limit for part in gpu.PARTS) <= gpu.TOTAL == 1200
    assert len({part.name for part in gpu.PARTS}) == len(gpu.PARTS) == 8


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_part_has_been_run_on_the_processor(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gpu, "RESULTS", tmp_path)
    status = gpu.main(["--device", "cpu", "--quick"])
    printed = capsys.readouterr().out
    assert status == 0, printed
    assert list(tmp_path.iterdir()) == []
    for part in gpu.PARTS:
        assert f"\n{part.name}, " in printed
    assert "left out" not in printed
