"""Files in the folder where a command is started are data: nothing that is started imports them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import candidly
from candidly.compare.challenge import submit
from candidly.ground.own_path import leave_working_directory, started_safely
from compare.challenge.challenge_cases import COPY, knowing, small
from planted_modules import OWN, PLANTED, planted


def start(folder: Path, *words: str, flags=(), **more) -> subprocess.Popen:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return subprocess.Popen(
        [sys.executable, *flags, "-m", "candidly", *words],
        cwd=folder,
        env=env | more.pop("env", {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def run(folder: Path, *words: str, **more) -> str:
    told = planted(folder)
    with start(folder, *words, **more) as process:
        out, err = process.communicate()
    assert not told.exists(), told.read_text()
    assert process.returncode == 0, err
    return out


@pytest.fixture
def table(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 80)
    rows = [f"{x:.3f},{'ab'[label]}" for x, label in zip(rng.normal(3 * labels, 1), labels)]
    (tmp_path / "table.csv").write_text("\n".join(["x,label", *rows]) + "\n")
    return tmp_path


def test_check(table):
    run(table, "check", "table.csv", "--label", "label", "--classifier", "logistic")


FIND = ("errors", "find", "--labels", "labels.npy", "--probs", "probs.npy", "--workers", "2")


@pytest.fixture
def arrays(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "labels.npy", rng.integers(0, 3, 400))
    np.save(tmp_path / "probs.npy", rng.dirichlet(np.ones(3), 400))
    return tmp_path


@pytest.mark.slow
def test_processes_that_share_the_work(arrays):
    run(arrays, *FIND, "--on", "processes", "--out", "found.csv")


SWEEP = "bench run --dataset digits --labels flip:rate=0.3 --algorithms CC --configs 1 --splits 1"
SHORT = "--steps 5 --eval-every 5 --workers 2 --out results"


@pytest.mark.slow
def test_a_sweep(tmp_path):
    run(tmp_path, *SWEEP.split(), *SHORT.split())


@pytest.mark.slow
def test_a_sweep_on_ray(tmp_path):
    pytest.importorskip("ray")
    run(tmp_path, *SWEEP.split(), *SHORT.split(), "--on", "ray")


@pytest.mark.slow
def test_a_challenge(tmp_path):
    """Whose programs see no more of it than the rest, wherever it is run."""
    folder = tmp_path / "challenge"
    protocol = small(folder, seeds=1)
    program = "cd / && python -c 'import numpy' || exit 4\n" + COPY
    submit(folder, protocol, knowing(tmp_path, "fine", folder, {"easy": 45, "hard": 40}, program))
    out = run(tmp_path, "challenge", "run", "challenge", "--json")
    assert "fine" in out


def test_as_a_library_what_is_started_has_it_not_either(table):
    """A program elsewhere, on whose own path the working directory is not."""
    told = planted(table)
    elsewhere = table / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "program.py").write_text(
        "import numpy as np\n"
        "from candidly.ground.spread import spread\n"
        "import beside\n"
        "if __name__ == '__main__':\n"
        "    print(sum(spread(beside.half, [2, 4, 6], on='processes', workers=2)))\n"
    )
    (elsewhere / "beside.py").write_text("def half(x):\n    return x // 2\n")
    done = subprocess.run(
        [sys.executable, elsewhere / "program.py"], cwd=table, capture_output=True, text=True
    )
    assert not told.exists(), told.read_text()
    assert done.stdout.strip() == "6", done.stderr  # what lies beside the program is found


@pytest.mark.slow
def test_without_the_first_folder_nothing_of_ours_is_taken(table):
    told = planted(table, OWN + PLANTED)
    with start(table, "check", "table.csv", "--label", "label", flags=["-P"]) as process:
        _, err = process.communicate()
    assert not told.exists(), told.read_text()
    assert process.returncode == 0, err


@pytest.mark.slow
def test_the_installed_command(table):
    program = Path(sys.executable).with_name("candidly")
    if not program.is_file():
        pytest.skip("needs the installed command")
    told = planted(table, OWN + PLANTED)
    done = subprocess.run(
        [program, "check", "table.csv", "--label", "label"],
        cwd=table,
        capture_output=True,
        text=True,
    )
    assert not told.exists(), told.read_text()
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("named", [True, False])
def test_who_names_it_means_it(monkeypatch, tmp_path, named):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(
        "PYTHONPATH", f"{tmp_path}:/x" if named else ":/x"
    )  # an empty one is no name
    monkeypatch.setattr(sys, "path", [str(tmp_path), "", "/x"])
    leave_working_directory()
    assert sys.path == ([str(tmp_path), "", "/x"] if named else ["/x"])


def test_a_folder_that_is_gone(monkeypatch, tmp_path):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setattr(sys, "path", ["", "/x"])
    leave_working_directory()
    assert sys.path == ["/x"]
    monkeypatch.chdir(tmp_path)


def test_a_folder_that_is_gone_is_told(tmp_path):
    (tmp_path / "gone").mkdir()
    line = f"cd gone && rmdir ../gone && {sys.executable} -m candidly algorithms list"
    env = os.environ | {"PYTHONPATH": str(Path(candidly.__file__).parents[1])}
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "candidly: error: the folder that you are in is gone.\n"


@pytest.mark.parametrize("before", [None, "", "1"])
def test_what_is_set_for_the_start_is_as_it_was(monkeypatch, before):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    with started_safely():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before
