"""``candidly bench plan`` and ``run`` with presets, hours, and data that is not there."""

from __future__ import annotations

import json
import re
import shlex

from candidly.compare.sweep.plan import read_plan
from candidly.compare.sweep.presets import PRESETS

SMALL = (
    *("--dataset", "digits", "--labels", "flip:rate=0.3", "--algorithms", "PRODEN,CC"),
    *("--configs", "1", "--splits", "2", "--steps", "20", "--eval-every", "10"),
)
IMAGES = ("--preset", "plench-images", "--dataset", "cifar10", "--labels", "flip:rate=0.3")
IMAGES += ("--algorithms", "PRODEN,CC")


def test_plan_says_runs_hours_and_the_command_without_the_data(candidly):
    status, out, _ = candidly("bench", "plan", *IMAGES, "--net", "cnn:width=1")
    assert status == 0
    assert out.startswith("120 runs\n")  # 2 x 20 configurations x 3 splits
    assert re.search(r"cifar10 +60000 +3072 +10 +45000 +5000 +10000", out)
    assert "Protocol plench-images" in out
    assert re.search(r"updates +7,200,000\n", out)
    assert re.search(r"update of CC +[\d.]+ m?s for 64, .* examples; cnn:width=1, 3 × 32 × 32", out)
    assert "1.3 times as long (PRODEN)" in out
    assert re.search(r"one worker +[\d,.]+ hours", out)
    assert "cifar10: no file 'cifar-10-python.tar.gz'" in out
    assert out.endswith(
        "Start it with:\n\n  candidly bench run --preset plench-images --dataset cifar10 "
        "--algorithms PRODEN,CC --labels flip:rate=0.3 --net cnn:width=1 --out runs/plench-images\n"
    )


def test_the_whole_image_protocol_is_planned_without_its_files(candidly):
    status, out, _ = candidly("bench", "plan", "--preset", "plench-images", "--no-measure")
    assert status == 0
    assert out.startswith("3,120 runs\n")  # 2 data sets x 26 algorithms x 20 x 3
    for name in ("plcifar10-aggregate", "plcifar10-vaguest"):
        assert re.search(rf"{name} +60000 +3072 +10 +45000 +5000 +10000 +1560\n", out)
        assert f"{name}: no file 'plcifar10.pkl'" in out
    assert "unchanged" in out
    command = "candidly bench run --preset plench-images --out runs/plench-images\n"
    assert out.endswith(command)


def test_run_refuses_data_that_is_missing_before_anything_is_written(candidly, tmp_path):
    status, out, err = candidly("bench", "run", *IMAGES)
    assert (status, out) == (2, "")
    assert "cifar10: no file 'cifar-10-python.tar.gz'" in err
    assert list(tmp_path.iterdir()) == []


def test_json_has_the_same_numbers_and_no_key_of_missing_data(candidly):
    words = (*IMAGES, "--net", "cnn:width=1", "--workers", "2", "--json")
    about = json.loads(candidly("bench", "plan", *words)[1])
    assert about["trials"] == []
    assert list(about["missing"]) == ["cifar10"]
    taken = about["hours"]
    assert (taken["runs"], taken["updates"], taken["workers"]) == (120, 7_200_000, 2)
    assert taken["hours_of_one_worker"] / 2 <= taken["hours"] < taken["hours_of_one_worker"]
    assert {one["batch"] for one in taken["measured"]} == {64, 128, 256}
    assert shlex.split(about["command"])[:4] == ["candidly", "bench", "run", "--preset"]
    assert "plench-images" in about["protocol"]


def test_the_command_runs_what_was_planned(candidly, tmp_path):
    odd = tmp_path / "my runs"
    words = ("bench", "plan", *SMALL, "--hyper", "lr=0.01", "--out", odd, "--workers", "1")
    about = json.loads(candidly(*words, "--json", "--no-measure")[1])
    assert about["hours"] is None
    program, *command = shlex.split(about["command"])
    assert program == "candidly"
    assert not {"--json", "--no-measure"} & set(command)
    status, _, err = candidly(*command)
    assert status == 0, err
    assert [trial.key for trial in read_plan(odd).trials] == about["trials"]
    assert "Everything is trained." in candidly(*words)[1]


def test_without_measuring_there_are_no_hours(candidly):
    status, out, _ = candidly("bench", "plan", *SMALL, "--no-measure", "--device", "cuda:7")
    assert status == 0
    assert "hours" not in out
    assert "--device cuda:7" in out


def test_tables_and_reports_say_the_protocol(candidly, tmp_path):
    words = (*SMALL, "--preset", "plench-tables", "--workers", "1")
    assert candidly("bench", "run", *words)[0] == 0
    folder = tmp_path / "runs" / "plench-tables"
    for command in ("table", "status"):
        _, out, err = candidly("bench", command, folder)
        assert "Protocol plench-tables" in " ".join((out + err).split())
    assert candidly("bench", "report", folder)[0] == 0
    assert "Protocol plench-tables" in (folder / "report.html").read_text()


def test_what_a_directory_was_made_with_is_known_when_the_data_is_gone(candidly, tmp_path):
    rows = ["a,b,label", *(f"{i % 7},{i % 3},{i % 2}" for i in range(400))]
    (tmp_path / "mine.csv").write_text("\n".join(rows))
    words = ("--dataset", "mine.csv", "--label", "label", "--algorithms", "ce")
    words += ("--configs", "1", "--splits", "1", "--steps", "20", "--out", "runs/mine")
    assert candidly("bench", "run", *words, "--workers", "1")[0] == 0
    (tmp_path / "mine.csv").unlink()
    status, out, _ = candidly("bench", "plan", *words)
    assert status == 0
    assert "Everything is trained." in out
    assert "mine.csv" in out


def test_help_names_every_preset_and_an_unknown_one_is_refused(candidly):
    helped = " ".join(candidly("bench", "plan", "--help")[1].replace("│", " ").split())
    assert all(re.sub(r"-\d+$", "-40", name) in helped for name in PRESETS)
    assert "candidly bench plan --preset plench-images" in helped
    status, _, err = candidly("bench", "plan", "--preset", "plench-image")
    assert status == 2
    assert "--preset is 'plench-image'; did you mean 'plench-images'?" in err
    assert all(name in err for name in PRESETS)


BURNT = 0.02  # seconds that an update of it takes at least
PLUG_IN = f"""
import time
from candidly import register
from candidly.learn.algorithms import Algorithm, pure

def slow(logits, candidates):
    until = time.process_time() + {BURNT}
    while time.process_time() < until:
        pass
    return logits.logsumexp(-1) - (logits.masked_fill(~candidates, -1e3)).logsumexp(-1)

register("algorithm", Algorithm("slow", pure(slow)))
"""


def test_a_plug_in_is_measured_itself_and_imported_in_the_command(
    candidly, tmp_path, plugins_as_they_were
):
    (tmp_path / "my slow.py").write_text(PLUG_IN)
    small = [word.replace("PRODEN,CC", "slow,CC") for word in SMALL]
    words = ("bench", "plan", "--import", "my slow.py", *small, "--workers", "1")
    about = json.loads(candidly(*words, "--json")[1])
    timed = {one["algorithm"]: one for one in about["hours"]["measured"]}
    assert timed.keys() == {"slow", "CC"}
    of_stack = timed["slow"]["seconds"] * timed["slow"]["trials"]
    assert of_stack >= BURNT  # of the processor's time, which is what is measured
    assert about["hours"]["multiples"] == {}
    command = shlex.split(about["command"])
    assert command[:5] == ["candidly", "bench", "run", "--import", "my slow.py"]
    status, _, err = candidly(*command[1:], "--workers", "1")
    assert status == 0, err
    [folder] = (tmp_path / "runs").iterdir()
    assert candidly("bench", "report", folder)[0] == 0
    assert "update of slow" in candidly(*words)[1] or "Everything is trained" in candidly(*words)[1]


def test_the_command_that_finishes_a_directory_imports_its_plug_ins(
    candidly, tmp_path, plugins_as_they_were
):
    (tmp_path / "mine.py").write_text(PLUG_IN)
    small = [word.replace("PRODEN,CC", "slow,CC") for word in SMALL]
    out = ("--out", "out", "--workers", "1")
    assert candidly("bench", "run", "--import", "mine.py", *small, *out)[0] == 0
    for file in (tmp_path / "out" / "journal").iterdir():
        file.unlink()
    assert candidly("bench", "report", "out")[0] == 0
    [copy] = (tmp_path / "out" / "plugins").glob("*/mine.py")
    page = (tmp_path / "out" / "report.html").read_text()
    assert f"--import {copy.relative_to(tmp_path)}" in page
