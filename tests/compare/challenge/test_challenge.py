"""A whole challenge, with programs whose scores are known by hand: run, killed, resumed, ranked."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from candidly import cli
from candidly.compare.challenge import (
    Baseline,
    Bounds,
    examples_there,
    read_protocol,
    run_challenge,
    score_challenge,
    submissions,
    submit,
)
from candidly.compare.challenge._data import read_truth
from candidly.compare.challenge._result import _notes, _said, _status
from candidly.compare.challenge._run import read_times
from candidly.compare.challenge.confine import ways
from candidly.compare.challenge.document import (
    challenge_document,
    standings_grid,
    write_challenge_report,
)
from candidly.compare.challenge.examples import example
from compare.challenge.challenge_cases import COPY, flagging, knowing, small, submission, timed

ISOLATED = pytest.mark.skipif(
    not {"bubblewrap", "unshare"} & set(ways()), reason="needs bubblewrap or unshare"
)
LIMIT = 1.5  # seconds of a run

OVERRUNS = COPY + "trap '' TERM INT\nsleep 60\n"
CRASHES = COPY + "exit 3\n"
# looks for the truth, another label set and other submissions by their real places, and up the tree
CHEATS = """
for place in {folder}/truth {folder}/data {folder}/submissions {folder} /proc/1/root{folder} \\
    ../../../.. "$4/../hard" "$4/../easy"; do
    find "$place" -maxdepth 3 -name '*.npz' -o -name 'labels.npy' 2>/dev/null |
        grep -v '/data/labels.npy$'
done > /tmp/found
if [ -s /tmp/found ]; then echo "found: $(head -3 /tmp/found)"; exit 9; fi
cp answers/$2/*.npy "$5"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Seven that work, one that crashes, one that overruns, one that cheats: over."""
    at = tmp_path_factory.mktemp("whole")
    folder = at / "challenge"
    protocol = small(folder)
    timed(folder, LIMIT)
    given = [
        knowing(at, "fine", folder, {"easy": 45, "hard": 40}),
        knowing(at, "same-1", folder, {"easy": 40, "hard": 40}),
        knowing(at, "same-2", folder, {"easy": 40, "hard": 30}),
        knowing(at, "low", folder, {"easy": 10, "hard": 5}),
        knowing(at, "partial", folder, {"easy": 48}, COPY + "true\n"),  # nothing for hard
        knowing(at, "crashes", folder, {"easy": 50, "hard": 50}, CRASHES),
        knowing(at, "overruns", folder, {"easy": 20, "hard": 20}, OVERRUNS),
        knowing(at, "cheats", folder, {"easy": 15, "hard": 15}, CHEATS.format(folder=folder)),
    ]
    wrong = {name: read_truth(folder, name).wrong for name in ("easy", "hard")}
    given += [
        flagging(at, "perfect", folder, wrong),
        flagging(at, "flag-all", folder, {name: np.ones(200, bool) for name in wrong}),
    ]
    for one in given:
        submit(folder, protocol, one)
    run_challenge(folder, protocol)
    return folder, score_challenge(folder, protocol)


def contest(run, task):
    return next(one for one in run[1].contests if one.task == task)


@ISOLATED
def test_the_ranking_is_the_one_worked_out_by_hand(run):
    # easy: partial 48, fine 45, same-1 and same-2 40, overruns 20, cheats 15, low 10 of 50;
    # hard: fine and same-1 40, same-2 30, overruns 20, cheats 15, low 5, partial absent;
    # crashes is absent on both, and 8 take part
    by = {one.name: one for one in contest(run, "learning").standings}
    ranks = {name: (one.ranks["easy"], one.ranks["hard"]) for name, one in by.items()}
    assert ranks == {
        "partial": (1, 8),
        "fine": (2, 1),
        "same-1": (3, 1),
        "same-2": (3, 3),
        "overruns": (5, 4),
        "cheats": (6, 5),
        "low": (7, 6),
        "crashes": (8, 8),
    }
    points = {name: (one.points, one.points_absent_0) for name, one in by.items()}
    assert points == {
        "fine": (19, 19),
        "same-1": (18, 18),
        "same-2": (16, 16),
        "partial": (13, 10),
        "overruns": (13, 13),
        "cheats": (11, 11),
        "low": (9, 9),
        "crashes": (6, 0),
    }
    assert [one.place for one in contest(run, "learning").standings] == [1, 2, 3, 4, 4, 6, 7, 8]
    assert by["fine"].scores == pytest.approx({"easy": 0.9, "hard": 0.8})


@ISOLATED
def test_detectors_are_scored_whatever_order_they_answer_in(run):
    found = contest(run, "detection")
    scores = {one.name: one.scores for one in found.standings}
    assert scores["perfect"] == {"easy": 1.0, "hard": 1.0}
    assert scores["flag-all"] == pytest.approx(
        {name: found.anchors[name]["flag every label"] for name in found.sets}
    )


@ISOLATED
def test_each_failure_is_a_result_with_its_reason(run):
    cells = contest(run, "learning").cells
    for name, said in (("crashes", "crashed with exit status 3"), ("partial", "no predictions")):
        [reason] = {one.reason for one in cells[name]["hard"].runs}
        assert said in reason
    late = cells["overruns"]["easy"].runs
    assert {one.status for one in late} == {"time"}
    assert [one.scored.score for one in late] == pytest.approx([0.4, 0.4])
    assert all(LIMIT <= one.seconds < LIMIT + 1 for one in late)


@ISOLATED
def test_who_looks_for_the_truth_or_another_label_set_finds_nothing(run):
    cells = contest(run, "learning").cells["cheats"]
    assert [one.reason for name in ("easy", "hard") for one in cells[name].runs] == [""] * 4


def test_a_run_is_handed_its_own_label_set_and_nothing_else(run):
    folder, _ = run
    for name in ("easy", "hard"):
        shown = folder / "data" / "labels" / name
        names = {"inputs.npy", "test_inputs.npy", "labels.npy", "ids.npy", "task.json"}
        assert {path.name for path in shown.iterdir()} == names
        truth = read_truth(folder, name)
        assert np.array_equal(np.load(shown / "labels.npy"), truth.given)
        for path in shown.glob("*.npy"):
            values = np.load(path)
            assert values.shape != truth.truth.shape or not np.array_equal(values, truth.truth)
        about = json.loads((shown / "task.json").read_text())
        assert not {"seeds", "seed"} & about.keys()


def test_what_is_over_is_not_run_again(run):
    folder, _ = run
    before = {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/*/*/outcome.json")}
    assert len(before) == 40
    told = []
    run_challenge(folder, read_protocol(folder), watch=lambda *state: told.append(state))
    assert told == [(40, 40, "done")]
    after = {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/*/*/outcome.json")}
    assert after == before


def test_near_copies_are_told(run):
    alike = {one.name: one.alike for one in submissions(run[0])}
    assert "fine" in alike["same-1"]  # the same script; they differ in the answers alone
    assert any("nearly identical" in note for note in run[1].notes)


@pytest.mark.slow
def test_a_kill_in_the_middle_costs_one_run(tmp_path):
    folder = tmp_path / "challenge"
    protocol = small(folder, seeds=3)
    timed(folder, 20)
    submit(folder, protocol, knowing(tmp_path, "slow", folder, {"easy": 9, "hard": 8}, SLOW))
    program = f"""
from pathlib import Path
from candidly.compare.challenge import read_protocol, run_challenge
folder = Path({str(folder)!r})
run_challenge(folder, read_protocol(folder))
"""
    child = subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
    there = folder / "runs" / "slow" / "easy" / "0" / "outcome.json"
    deadline = time.monotonic() + 60
    while not there.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)  # in the middle of the next
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    done = sorted(folder.glob("runs/*/*/*/outcome.json"))
    assert 1 <= len(done) < 6
    [unfinished] = score_challenge(folder, protocol).contests
    assert f"Not final: {6 - len(done)} runs" in standings_grid(unfinished).text()
    first = there.stat().st_mtime_ns
    run_challenge(folder, protocol)
    assert there.stat().st_mtime_ns == first
    result = score_challenge(folder, protocol)
    assert result.missing == 0
    assert result.contests[0].standings[0].scores == pytest.approx({"easy": 0.18, "hard": 0.16})


SLOW = "sleep 0.4\n" + COPY


@ISOLATED
def test_runs_without_their_packages_are_done_again_where_these_may_be_had(tmp_path):
    folder = tmp_path / "challenge"
    before = os.umask(0o077)  # runs read what they are handed all the same
    try:
        protocol = small(folder, seeds=1)
        reads = 'cat "$4"/* > /dev/null || exit 4\n' + COPY
        made = knowing(tmp_path, "needs", folder, {"easy": 45, "hard": 40}, reads)
        (made / "requirements.txt").write_text("no-such-package-of-candidly==1\n")
        submit(folder, protocol, made)
    finally:
        os.umask(before)
    timed(folder, 20)
    run_challenge(folder, protocol)
    outcome = folder / "runs" / "needs" / "easy" / "0" / "outcome.json"
    assert json.loads(outcome.read_text())["how"] == "environment"
    (folder / "submissions" / "needs" / "files" / "requirements.txt").write_text("# none\n")
    run_challenge(folder, protocol)  # nobody asked for packages: it stays
    assert json.loads(outcome.read_text())["how"] == "environment"
    run_challenge(folder, protocol, install=True)
    scores = score_challenge(folder, protocol).contests[0].standings[0].scores
    assert scores == pytest.approx({"easy": 0.9, "hard": 0.8})


def test_two_at_once_are_refused(tmp_path):
    from filelock import FileLock

    folder = tmp_path / "challenge"
    protocol = small(folder)
    with FileLock(folder / ".lock"), pytest.raises(RuntimeError, match="another process"):
        run_challenge(folder, protocol)
    assert submission(tmp_path, "x", "true").is_dir()


# what is said of it


@ISOLATED
def test_the_page_the_lines_and_the_numbers_say_the_same(run, tmp_path):
    _, result = run
    paths = write_challenge_report(result, tmp_path / "report.html")
    page, lines, numbers = (path.read_text() for path in paths)
    assert page == challenge_document(result).page()
    assert "crashed with exit status 3" in page
    assert "http" not in re.sub(r"http://www\.w3\.org/\S*", "", page)
    assert len(lines.splitlines()) == 41
    found = json.loads(numbers)
    learning = next(one for one in found["contests"] if one["task"] == "learning")
    assert learning["standings"][0]["submission"] == "fine"
    assert learning["scores"]["fine"]["hard"]["score"] == pytest.approx(0.8)


@ISOLATED
def test_what_people_wrote_is_escaped(run):
    _, result = run
    named = replace(result, protocol=replace(result.protocol, title="<script>alert(1)</script>"))
    assert "<script>alert" not in challenge_document(named).page()


@ISOLATED
@pytest.mark.parametrize("verb", ["score", "rank"])
def test_tables_and_json_on_the_command_line(run, verb, monkeypatch, capsys):
    for more in ([], ["--json"], ["--format", "markdown"]):
        monkeypatch.setattr(sys, "argv", ["candidly", "challenge", verb, str(run[0]), *more])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code in (0, None)
        printed = capsys.readouterr().out
        assert "overruns" in printed
        if more == ["--json"]:
            json.loads(printed)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"rate": 0.25}', {"rate": 0.25}),
        ('{"rate": 1e999}', {}),
        ('{"rate": NaN}', {}),
        ("[1]", {}),
        ("[" * 100_000, {}),
        ("\udcff", {}),
    ],
)
def test_what_a_run_says_of_itself_cannot_spoil_the_results(tmp_path, text, read):
    (tmp_path / "notes.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert _said(tmp_path / "notes.json") == read


@pytest.mark.parametrize(
    ("how", "code", "expected", "said"),
    [
        ("ended", 0, "ok", ""),
        ("ended", 1, "failed", "crashed with exit status 1"),
        ("ended", 137, "failed", "crashed with exit status 137"),
        ("time", None, "time", "time was up after 9.0 s"),
        ("memory", None, "failed", "more memory than allowed"),
        ("processes", None, "failed", "more processes than allowed"),
        ("output", None, "failed", "wrote more than allowed"),
        ("environment", None, "failed", "environment could not be made: no pip"),
    ],
)
def test_each_end_of_a_run_is_a_status(how, code, expected, said):
    outcome = {"how": how, "code": code, "limit": 9.0, "reason": "no pip"}
    status, reason = _status(outcome)
    assert status == expected
    assert said in reason


FORKS = COPY + "bomb() { bomb | bomb & }; bomb; sleep 30\n"


@ISOLATED
def test_a_fork_bomb_is_a_failed_run_and_the_next_is_none(tmp_path):
    folder = tmp_path / "challenge"
    protocol = small(folder, seeds=1, bounds=Bounds(processes=10))
    timed(folder, 5)
    submit(folder, protocol, knowing(tmp_path, "bomb", folder, {"easy": 50, "hard": 50}, FORKS))
    submit(folder, protocol, knowing(tmp_path, "fine", folder, {"easy": 45, "hard": 40}))
    run_challenge(folder, protocol)
    by = {one.name: one.scores for one in score_challenge(folder, protocol).contests[0].standings}
    assert by == {
        "fine": pytest.approx({"easy": 0.9, "hard": 0.8}),
        "bomb": dict.fromkeys(by["bomb"]),
    }


def test_weak_confinement_is_said():
    made = SimpleNamespace(way="limits alone", submission="a", label_set="x", settings="1")
    protocol = SimpleNamespace(sets=[SimpleNamespace(name="x", data_set="d")])
    [note] = _notes(protocol, [], [made])
    assert "were not out of their reach" in note


@pytest.mark.slow
@pytest.mark.timeout(1200)
@ISOLATED
def test_every_example_enters_and_answers(tmp_path):
    folder = tmp_path / "challenge"
    baseline = Baseline(net="mlp:32", epochs=400, repeats=1)
    protocol = small(folder, seeds=1, sets=("easy",), baseline=baseline)
    for name in examples_there():
        submit(folder, protocol, example(name))
    timed(folder, 120)  # a busy machine is no reason to stop one
    run_challenge(folder, protocol)
    result = score_challenge(folder, protocol)
    runs = [
        r for c in result.contests for by in c.cells.values() for s in by.values() for r in s.runs
    ]
    assert [run.reason for run in runs] == [""] * 9
    for contest_of in result.contests:
        best = max(contest_of.anchors["easy"].values())
        for one in contest_of.standings:
            assert one.scores["easy"] > best + 0.2, one.name


@pytest.mark.slow
@ISOLATED
def test_the_baseline_is_timed_alone_without_its_start(tmp_path):
    folder = tmp_path / "challenge"
    protocol = small(folder, seeds=1, baseline=Baseline(net="mlp:32", epochs=40, repeats=2))
    submit(folder, protocol, knowing(tmp_path, "fine", folder, {"easy": 45, "hard": 40}))
    run_challenge(folder, protocol)
    [time_of] = read_times(folder).values()
    assert len(time_of.training) == len(time_of.starting) == 2
    assert min(time_of.starting) > max(time_of.training) / 10  # imports are no training
    limit = 2 * np.median(time_of.starting) + 10 * np.median(time_of.training)
    outcome = json.loads((folder / "runs" / "fine" / "easy" / "0" / "outcome.json").read_text())
    assert outcome["limit"] == pytest.approx(limit)


def test_a_submission_that_is_nowhere_is_said_so(tmp_path, monkeypatch, capsys):
    small(tmp_path / "c")
    monkeypatch.setattr(
        sys, "argv", ["candidly", "challenge", "submit", str(tmp_path / "c"), "elrr"]
    )
    with pytest.raises(SystemExit):
        cli.main()
    said = capsys.readouterr().err
    assert "there is no folder elrr" in said
    assert "did you mean 'elr'" in said
