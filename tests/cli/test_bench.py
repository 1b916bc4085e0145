"""``candidly bench``, through the same door as a user."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.io import savemat

from candidly import cli
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.lock import locked

SMALL = (
    *("--dataset", "digits", "--labels", "flip:rate=0.3", "--algorithms", "PRODEN,CC"),
    *("--configs", "2", "--splits", "2", "--steps", "40", "--eval-every", "20"),
)
HERE = ("--workers", "1")


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A results directory made by the command, and what the command said."""
    out = tmp_path_factory.mktemp("bench") / "runs"
    words = ["candidly", "bench", "run", *SMALL, *HERE, "--out", str(out)]
    told, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(told), redirect_stderr(errors):
        patched.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            cli.main()
    return out, Done(ended.value.code or 0, told.getvalue(), errors.getvalue())


def lines_of(out):
    return sum(path.read_bytes().count(b"\n") for path in (out / "journal").glob("*.jsonl"))


def test_tables_without_what_was_chosen(finished, candidly):
    out, done = finished
    status, brief, _ = candidly("bench", "table", out, "--brief")
    assert status == 0
    assert "configurations chosen by" not in brief
    assert done.stdout.startswith(brief[: brief.index("Mean test")])
    assert "configurations chosen by" in candidly("bench", "table", out)[1]
    status, again, err = candidly("bench", "run", *SMALL, *HERE, "--out", out, "--brief")
    assert (status, again) == (0, brief), err


# plan


def test_plan_counts_without_training(candidly, tmp_path):
    status, out, err = candidly("bench", "plan", *SMALL, "--no-measure")
    assert (status, err) == (0, "")
    assert "8 runs" in out
    assert "PRODEN, CC" in out
    about = json.loads(candidly("bench", "plan", *SMALL, "--no-measure", "--json")[1])
    assert len(set(about["trials"])) == 8
    [row] = about["datasets"]
    assert (row["train"], row["validation"], row["test"]) == (1456, 161, 180)
    assert row["train"] + row["validation"] + row["test"] == row["n"] == 1797
    assert about["settings"]["labels"] == "flip:rate=0.3"
    assert list(tmp_path.iterdir()) == []


def test_lists_by_commas_or_by_repeating_are_the_same(candidly):
    words = ("--dataset", "digits", "--labels", "flip:rate=0.3", "--configs", "1", "--splits", "1")
    words += ("--no-measure", "--json")
    commas, twice = (
        json.loads(candidly("bench", "plan", *words, *algorithms)[1])
        for algorithms in (
            ("--algorithms", "CC, LWS"),
            ("--algorithms", "CC", "--algorithms", "LWS"),
        )
    )
    assert commas["trials"] == twice["trials"]
    assert commas["settings"] == twice["settings"]


# run


def test_run_prints_tables_to_stdout_and_the_rest_to_stderr(finished):
    out, done = finished
    assert done.returncode == 0, done.stderr
    for criterion in ("CR", "AA", "OA", "OA & ES"):
        assert f"Chosen by {criterion}:" in done.stdout
    assert re.search(r"PRODEN +\d\d\.\d\d ± \d\.\d\d \(2\)", done.stdout)
    assert "% ·" not in done.stdout
    assert f"candidly bench report {out}" in done.stderr
    assert "Traceback" not in done.stderr


def test_progress_without_a_terminal_is_lines_from_the_start_to_the_end(finished):
    _, done = finished
    told = [line for line in done.stderr.splitlines() if "% ·" in line]
    assert all(re.fullmatch(r"\d+ % · \d of 8 runs · \d+:\d\d elapsed", line) for line in told)
    assert told[0] == "0 % · 0 of 8 runs · 0:00 elapsed"
    assert told[-1].startswith("100 % · 8 of 8 runs · ")
    assert "\x1b" not in done.stderr
    assert "\r" not in done.stderr


def test_running_again_trains_nothing_and_prints_the_same(finished, candidly):
    out, done = finished
    before = lines_of(out)
    status, tables, _ = candidly("bench", "run", *SMALL, *HERE, "--out", out)
    assert status == 0
    assert tables == done.stdout
    assert lines_of(out) == before == 8 * 2


def test_a_longer_plan_trains_the_rest_alone(candidly, tmp_path):
    out = tmp_path / "out"
    fewer = (*SMALL, *HERE, "--out", out, "--json")
    candidly("bench", "run", *fewer, "--configs", 1)
    assert lines_of(out) == 4 * 2
    status, more, _ = candidly("bench", "run", *fewer, "--configs", 2)
    assert status == 0
    assert lines_of(out) == 8 * 2
    assert all(trial["complete"] for trial in json.loads(more)["trials"])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("--steps", 60), "was planned with steps = 40, this run says 60"),
        (("--scaling", "none"), "was planned without scaling, this run says none. Leave scaling"),
        (("--hyper", "lr=0.1"), "was planned without hyper, this run says lr=0.1"),
        (("--labels", "flip:rate=0.4"), "labels = flip:rate=0.3, this run says flip:rate=0.4"),
        (("--configs", 1), "configs = 2, this run says 1"),
        (("--variant", "plench"), "variant = fixed, this run says plench"),
    ],
)
def test_a_contradiction_with_the_directory_is_refused(finished, candidly, changed, message):
    out, _ = finished
    before = lines_of(out), (out / "plan.json").read_bytes()
    status, told, err = candidly("bench", "run", *SMALL, *HERE, *changed, "--out", out)
    assert (status, told) == (2, "")
    assert message in err
    assert "use another --out" in err
    assert (lines_of(out), (out / "plan.json").read_bytes()) == before


def test_what_is_left_out_is_not_called_none(finished, candidly):
    out, _ = finished
    words = [word for word in SMALL if word not in ("--labels", "flip:rate=0.3")]
    words[words.index("PRODEN,CC")] = "supervised-oracle,supervised-oracle:plench"
    status, _, err = candidly("bench", "run", *words, *HERE, "--out", out)
    assert status == 2
    assert "labels = flip:rate=0.3, this run leaves it out. Repeat the old value" in err
    assert "None" not in err


def test_tables_and_status_load_no_torch(finished):
    out, _ = finished
    heavy = ("torch", "numba", "sklearn", "matplotlib", "pandas")
    for command in ("table", "status"):
        code = (
            f"import sys; sys.argv = ['candidly', 'bench', {command!r}, {str(out)!r}]\n"
            "from candidly.cli import main\n"
            "try: main()\n"
            "except SystemExit: pass\n"
            f"print([name for name in {heavy} if name in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "PRODEN" in done.stdout, done.stderr
        assert done.stdout.splitlines()[-1] == "[]"


def test_a_directory_at_work_is_refused(finished, candidly):
    out, _ = finished
    with locked(out):
        status, _, err = candidly("bench", "run", *SMALL, *HERE, "--out", out)
        assert status == 2
        assert "another process is at work" in err
        assert json.loads(candidly("bench", "status", out, "--json")[1])["running"] is True
    assert json.loads(candidly("bench", "status", out, "--json")[1])["running"] is False


def test_a_file_of_settings_and_flags_over_it(candidly, tmp_path):
    (tmp_path / "sweep.toml").write_text(
        '[bench]\ndatasets = ["digits"]\nalgorithms = ["CC"]\nlabels = "flip:rate=0.3"\n'
        "configs = 1\nsplits = 1\nsteps = 40\neval_every = 20\n"
    )
    words = ("--settings", "sweep.toml")
    about = json.loads(candidly("bench", "plan", *words, "--json")[1])
    assert (about["settings"]["algorithms"], len(about["trials"])) == (["CC"], 1)
    status, _, err = candidly("bench", "run", *words, "--splits", 2, *HERE)
    assert status == 0, err
    results = read_results(tmp_path / "runs" / "digits")  # where results go by default
    assert [run.complete for run in results.runs] == [True, True]
    (tmp_path / "sweep.toml").write_text('[bench]\ndatasets = ["digits"]\nalgoritms = ["CC"]\n')
    status, _, err = candidly("bench", "plan", *words)
    assert status == 2
    assert "no setting named 'algoritms'; did you mean 'algorithms'?" in err


@pytest.mark.parametrize("form", ["mat", "csv", "npz"])
def test_a_file_of_ones_own(candidly, tmp_path, form):
    g = np.random.default_rng(0)
    truth = g.integers(0, 4, 300)
    inputs = g.normal(size=(300, 6)) + 3 * np.eye(4, 6)[truth]
    sets = (g.random((300, 4)) < 0.3) | (np.arange(4) == truth[:, None])
    if form == "mat":
        arrays = {"data": inputs, "partial_target": sets.T * 1.0, "target": np.eye(4)[:, truth]}
        savemat(tmp_path / "mine.mat", arrays)
    elif form == "npz":
        np.savez(tmp_path / "mine.npz", X=inputs, candidates=sets, truth=truth)
    else:
        rows = [
            [*map(str, x), "|".join(str(j) for j in range(4) if s[j]), str(y)]
            for x, s, y in zip(inputs, sets, truth)
        ]
        head = [*"abcdef", "candidates", "truth"]
        (tmp_path / "mine.csv").write_text("\n".join(map(",".join, [head, *rows])))
    words = ("--algorithms", "CC", "--configs", 1, "--splits", 2, "--steps", 200)
    status, out, err = candidly(
        *("bench", "run", "--dataset", f"mine.{form}", *words, "--eval-every", 100, *HERE, "--json")
    )
    assert status == 0, err
    cell = json.loads(out)["tables"][0]["cells"][0]
    assert (cell["dataset"], cell["algorithm"], cell["count"]) == (f"mine.{form}", "CC", 2)
    assert cell["mean"] > 0.8  # 4 classes, three standard deviations apart
    assert (tmp_path / "runs" / "mine" / "plan.json").exists()


def test_a_file_that_is_not_the_published_one_is_told_in_a_line(candidly, tmp_path):
    arrays = {"data": np.eye(300), "partial_target": 1 - np.eye(2, 300)}
    savemat(tmp_path / "lost.mat", arrays)
    words = ("--algorithms", "CC", "--configs", "1", "--splits", "1", "--no-measure")
    status, _, err = candidly("bench", "plan", "--dataset", "lost", "--data", ".", *words)
    assert status == 0
    assert err.startswith("candidly: warning: lost.mat has SHA-256")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("--algorithms", "PRODENN"), "no algorithm named 'PRODENN'; did you mean 'PRODEN'?"),
        (("--algorithms", "CAVL:plenc"), "did you mean 'plench'?"),
        (("--algorithms", "CC,cc"), "algorithms named twice: CC"),
        (("--dataset", "digit"), "no data set named 'digit'; did you mean 'digits'?"),
        (("--dataset", "mine.csv"), "there is no file mine.csv"),
        (("--labels", "flop:rate=0.3"), "did you mean 'flip'?"),
        (("--algorithms", "ce"), "ce cannot learn from digits: digits + flip(rate=0.3, seed=0)"),
        (("--variant", "plenh"), "--variant is 'plenh'; did you mean 'plench'?"),
        (("--test-share", 0.99), "fewer than a batch of"),
        (("--device", "tpu"), "device 'tpu' is unknown"),
        (("--settings", "none.toml"), "none.toml"),
    ],
)
def test_mistakes_are_one_line_and_status_2(candidly, tmp_path, changed, message):
    status, out, err = candidly("bench", "run", *changed_by(SMALL, changed), *HERE, "--out", "out")
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out" / "journal").exists()


def changed_by(words, changed):
    """``words`` with the flags of ``changed`` in place of its own."""
    flags = dict(zip(words[::2], words[1::2])) | dict(zip(changed[::2], changed[1::2]))
    return [word for pair in flags.items() for word in pair]


def test_nothing_asked_says_what_is_missing(candidly):
    status, _, err = candidly("bench", "run")
    assert status == 2
    assert "say which datasets" in err
    assert "say which algorithms" in err


@pytest.mark.parametrize("verb", ["status", "table", "report"])
def test_a_directory_without_results_is_named(candidly, tmp_path, verb):
    status, out, err = candidly("bench", verb, "elsewhere")
    assert (status, out) == (2, "")
    assert "elsewhere holds no plan.json" in err
    assert "candidly bench run" in err
    assert not (tmp_path / "elsewhere").exists()


def test_validation_rows_may_be_trained_on_and_the_table_says_so(candidly):
    words = ("--dataset", "digits", "--labels", "flip:rate=0.3", "--algorithms", "CC")
    words = (*words, "--splits", 1, "--steps", 20, "--validation", "train-oracle")
    status, _, err = candidly("bench", "plan", *words)
    assert (status, err.count("\n")) == (2, 1)
    assert "Use --configs 1." in err
    plan = candidly("bench", "plan", *words, "--configs", 1)[1]
    assert "the validation rows are among the training rows, with their true labels" in plan
    (row,) = json.loads(candidly("bench", "plan", *words, "--configs", 1, "--json")[1])["datasets"]
    assert (row["train"], row["validation"], row["test"]) == (1617, 0, 180)
    assert candidly("bench", "run", *words, *HERE, "--configs", 1, "--out", "out")[0] == 0
    status, told, _ = candidly("bench", "table", "out")
    assert status == 0
    assert told.startswith("Oracle, trained on 161 clean labels of validation rows besides")
    assert re.search(r"^CC +\d\d\.\d\d ± – \(1\)$", told, re.MULTILINE)


# status, table, report


def test_status(finished, candidly):
    out, _ = finished
    status, told, err = candidly("bench", "status", out)
    assert (status, err) == (0, "")
    assert "8 of 8 runs complete" in " ".join(told.split())
    about = json.loads(candidly("bench", "status", out, "--json")[1])
    row = {"complete": 4, "begun": 0, "planned": 4, "diverged": 0, "pruned": 0}
    assert about == {
        "running": False,
        "rows": [{"dataset": "digits", "algorithm": name} | row for name in ("PRODEN", "CC")],
        "notes": [],
    }


def test_status_of_a_directory_that_was_stopped(finished, candidly, tmp_path):
    out, _ = finished
    some = tmp_path / "some"
    (some / "journal").mkdir(parents=True)
    (some / "plan.json").write_bytes((out / "plan.json").read_bytes())
    key = read_results(out).runs[0].key
    lines = [line for path in (out / "journal").iterdir() for line in path.open()]
    first = next(line for line in lines if key in line)
    (some / "journal" / "a.jsonl").write_text(first + '{"torn')
    about = json.loads(candidly("bench", "status", some, "--json")[1])
    assert about["rows"][0] | {"complete": 0, "begun": 1} == about["rows"][0]
    assert about["notes"] == ["a.jsonl: skipped line 2, half-written or unreadable"]
    status, told, _ = candidly("bench", "table", some)
    assert status == 0
    assert "a.jsonl: skipped line 2" in told
    assert "no value yet (0/4 runs) !" in told


def test_table_in_every_form(finished, candidly):
    out, done = finished
    assert candidly("bench", "table", out)[1] == done.stdout
    markdown = candidly("bench", "table", out, "--format", "markdown")[1]
    assert re.search(r"^\| PRODEN \| (\*\*)?\d\d\.\d\d ± ", markdown, re.MULTILINE)
    about = json.loads(candidly("bench", "table", out, "--format", "json")[1])
    assert [table["criterion"] for table in about["tables"]] == ["CR", "AA", "OA", "OA & ES"]
    assert (
        candidly("bench", "table", out, "--json")[1]
        == (candidly("bench", "table", out, "--format", "json")[1])
    )
    # the three say the same
    mean = about["tables"][0]["cells"][0]["mean"]
    assert f"{100 * mean:.2f}" in markdown
    assert f"{100 * mean:.2f}" in done.stdout


def test_table_of_other_metrics_and_criteria(finished, candidly):
    out, _ = finished
    words = ("--metric", "balanced", "--criterion", "AA:plench", "--criterion", "cr", "--json")
    about = json.loads(candidly("bench", "table", out, *words)[1])
    assert about["metric"] == "balanced"
    assert [table["criterion"] for table in about["tables"]] == ["AA:plench", "CR"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--format", "markdwn"), "did you mean 'markdown'?"),
        (("--metric", "top2"), "did you mean 'top"),
        (("--criterion", "OA & EZ"), "did you mean 'OA & ES'?"),
    ],
)
def test_table_of_unknown_names(finished, candidly, words, message):
    status, out, err = candidly("bench", "table", finished[0], *words)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_why_a_criterion_is_to_be_trusted(finished, candidly):
    out, _ = finished
    status, told, err = candidly("bench", "table", out, "--why")
    assert (status, err) == (0, "")
    assert told.startswith("digits: choices on 161 validation rows")
    assert "not recorded" not in told
    assert "| PRODEN | AA |" in candidly("bench", "table", out, "--why", "--format", "markdown")[1]
    rows = json.loads(candidly("bench", "table", out, "--why", "--json")[1])["rows"]
    assert [(row["algorithm"], row["criterion"]) for row in rows] == [
        (name, criterion) for name in ("PRODEN", "CC") for criterion in ("CR", "AA")
    ]
    assert all(0 <= row["other"] <= 1 and row["accuracy"] < row["value"] for row in rows[::2])
    status, _, err = candidly("bench", "table", out, "--why", "--criterion", "CR")
    assert (status, err.count("\n")) == (2, 1)
    assert "leave out --criterion" in err


def test_report_is_one_page(finished, candidly, tmp_path):
    out, _ = finished
    status, told, err = candidly("bench", "report", out)
    assert (status, told.strip(), err) == (0, str(out / "report.html"), "")
    page = (out / "report.html").read_text()
    assert "PRODEN" in page
    assert not re.search(r"""(src|href)=["'](?!#|data:|https://)""", page)
    assert candidly("bench", "report", out, "--out", tmp_path / "x.html")[0] == 0
    assert (tmp_path / "x.html").exists()


# a terminal


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.slow
def test_progress_on_a_terminal_is_a_bar(tmp_path):
    ours, theirs = os.openpty()
    seen = bytearray()

    def listen():
        try:
            while chunk := os.read(ours, 4096):
                seen.extend(chunk)
        except OSError:  # the other end is closed
            pass

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    words = [*SMALL, *HERE, "--out", str(tmp_path / "out"), "--configs", "1", "--splits", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "candidly", "bench", "run", *words],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    tables = process.stdout.read()
    process.stdout.close()
    assert process.wait(120) == 0
    listener.join(5)
    os.close(ours)
    text = seen.decode()
    assert "2 of 2 runs" in text
    assert "100 %" in text
    assert "━" in text
    assert "Chosen by CR" in tables
    assert "\x1b" not in tables


# one noisy label an example


@pytest.fixture(scope="module")
def noisy(tmp_path_factory):
    from candidly import benchmark, imperfect, load

    out = tmp_path_factory.mktemp("noisy") / "runs"
    data = imperfect.apply(load("digits"), "pair:rate=0.3")
    small = {"configs": 2, "splits": 2, "steps": 40, "eval_every": 20, "workers": 1}
    benchmark({"digits": data}, "ce", out=out, **small)
    return out


def test_gap_of_a_directory(noisy, candidly):
    status, out, _ = candidly("bench", "table", str(noisy), "--gap")
    assert status == 0
    assert "digits: best, last, and selected by NVA" in out
    text = candidly("bench", "table", str(noisy), "--gap", "--format", "csv")[1]
    assert text.startswith("dataset,algorithm,criterion,runs,updates,epochs,best_test,")
    about = candidly("bench", "table", str(noisy), "--gap", "--json", "--criterion", "OA & ES")[1]
    assert json.loads(about)["rows"][0]["criterion"] == "OA & ES"
    twice = ("--criterion", "OA", "--criterion", "NVA")
    assert candidly("bench", "table", str(noisy), "--gap", *twice)[0] == 2


def test_tables_at_a_budget(noisy, candidly):
    whole = json.loads(candidly("bench", "table", str(noisy), "--json")[1])
    assert whole["tables"][0]["criterion"] == "NVA"
    assert {trial["updates_of_networks"] for trial in whole["trials"]} == {40}
    words = ("--json", "--criterion", "last", "--budget")
    cut = json.loads(candidly("bench", "table", str(noisy), *words, "39")[1])
    assert {c["step"] for c in cut["tables"][0]["cells"][0]["choices"]} == {20}
    same = json.loads(candidly("bench", "table", str(noisy), *words, "common")[1])
    assert {c["step"] for c in same["tables"][0]["cells"][0]["choices"]} == {40}
    for wrong in ("0", "many", "19"):
        status, _, err = candidly("bench", "table", str(noisy), "--budget", wrong)
        assert status == 2
        assert "budget" in err


def test_corrected_by_a_matrix_or_by_probabilities(noisy, candidly, tmp_path):
    matrix = 0.7 * np.eye(10) + 0.3 * np.roll(np.eye(10), 1, 1)
    np.savetxt(tmp_path / "T.csv", matrix, delimiter=",")
    words = ("--json", "--transition")
    text = candidly("bench", "table", str(noisy), *words, f"{tmp_path}/T.csv")[1]
    [table] = json.loads(text)["tables"]
    assert table["criterion"] == "NVA:corrected"
    choices = table["cells"][0]["choices"]
    assert all(choice["error"] > 0.02 for choice in choices)
    named = candidly("bench", "table", str(noisy), *words, f"digits={tmp_path}/T.csv")[1]
    assert named == text
    probs = ("errors", "probs", "digits", "--labels", "pair:rate=0.3", "--out", "probs.npz")
    assert candidly(*probs)[0] == 0
    found = json.loads(candidly("bench", "table", str(noisy), *words, "probs.npz")[1])
    # pair noise cannot be told from overlap: what is estimated is the identity, and its interval
    np.savetxt(tmp_path / "none_wrong.csv", np.eye(10), delimiter=",")
    text = candidly("bench", "table", str(noisy), *words, f"{tmp_path}/none_wrong.csv")[1]
    known = json.loads(text)["tables"][0]["cells"][0]["choices"]
    for one, other in zip(found["tables"][0]["cells"][0]["choices"], known):
        assert (one["value"], one["step"]) == (other["value"], other["step"])
        assert one["error"] > other["error"]  # the matrix has one
    np.savetxt(tmp_path / "flat.csv", np.full((10, 10), 0.1), delimiter=",")
    out = candidly("bench", "table", str(noisy), "--transition", f"{tmp_path}/flat.csv")[1]
    assert "has no inverse" in " ".join(out.split())
    for wrong in ("none.csv", "dogits=T.csv", "T.txt"):
        status, _, err = candidly("bench", "table", str(noisy), "--transition", wrong)
        assert status == 2, err


def test_why_stands_alone(noisy, candidly):
    status, _, err = candidly("bench", "table", str(noisy), "--why", "--gap")
    assert status == 2
    assert "leave out" in err


def test_hyper_parameters_are_named_and_numbers(candidly):
    what = ("bench", "plan", "--dataset", "digits", "--labels", "symmetric:rate=0.4")
    what += ("--algorithms", "co-teaching", "--configs", "1", "--splits", "1", "--json")
    free = json.loads(candidly(*what)[1])
    fixed = json.loads(candidly(*what, "--hyper", "noise_rate=0.4,batch_size=32")[1])
    assert fixed["settings"]["hyper"] == {"noise_rate": 0.4, "batch_size": 32}
    assert fixed["trials"] != free["trials"]
    for wrong, said in (
        ("noise_rate", "noise_rate has no value"),
        ("noise_rate=some", "noise_rate is 'some'; give a number, such as 0.4"),
        ("=0.4", "no key stands in front of ="),
    ):
        status, _, errors = candidly(*what, "--hyper", wrong)
        assert status == 2
        assert said in errors
