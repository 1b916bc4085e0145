"""The wheel in an empty environment, and the two example packages beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from toys import toy

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs" / "examples" / "plugins"
SOURCE = ("pyproject.toml", "README.md", "LICENSE", "src", "tools")


def run(*command, cwd: Path) -> str:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wheel(source: Path, target: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target, cwd=source)
    return max(target.glob("*.whl"), key=lambda path: path.stat().st_mtime_ns)


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Path:
    """Candidly from its wheel, and both examples; what it needs is that of these tests."""
    folder = tmp_path_factory.mktemp("empty")
    copy = folder / "source"
    copy.mkdir()
    for name in SOURCE:
        there = ROOT / name
        (shutil.copytree if there.is_dir() else shutil.copy)(there, copy / name)
    wheels = [wheel(copy, folder / "wheels")]
    for name in ("clpl", "selc"):
        wheels.append(wheel(shutil.copytree(EXAMPLES / name, folder / name), folder / "wheels"))
    home = folder / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=folder)
    python = home / "bin" / "python"
    how = ("--quiet", "--no-index", "--no-deps", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "--python", python, "install", *how, *wheels, cwd=folder)
    packages = Path(run(python, "-c", PURELIB, cwd=folder).strip())
    places = {path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")}
    places.add(sysconfig.get_path("purelib"))
    (packages / "needed.pth").write_text("".join(f"{place}\n" for place in sorted(places)))
    where = run(python, "-c", "import candidly; print(candidly.__file__)", cwd=folder)
    assert Path(where.strip()).is_relative_to(home)
    return home


PURELIB = "import sysconfig; print(sysconfig.get_path('purelib'))"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clpl", "selc"])
def test_an_installed_example_keeps_the_contract(environment, tmp_path, name):
    candidly = environment / "bin" / "candidly"
    assert "kept" in run(candidly, "algorithms", "check", name, cwd=tmp_path)


@pytest.mark.slow
def test_both_examples_in_a_benchmark_with_two_workers_and_its_report(environment, tmp_path):
    candidly = environment / "bin" / "candidly"
    toy().save(tmp_path / "toy.npz")
    asked = ("--import", "clpl", "--import", "selc", "--workers", "2", "--out", "out")
    size = ("--configs", "2", "--splits", "2", "--steps", "60", "--eval-every", "20")
    algorithms = ("--dataset", "toy.npz", "--algorithms", "CLPL,SELC,PRODEN")
    table = run(candidly, "bench", "run", *algorithms, *size, *asked, cwd=tmp_path)
    assert "CLPL" in table
    assert "SELC" in table
    status = run(candidly, "bench", "status", "out", cwd=tmp_path)
    assert "12 of 12 runs complete" in status
    run(candidly, "bench", "report", "out", cwd=tmp_path)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "CLPL" in page
    assert "SELC" in page
    kept = sorted(path.name for path in (tmp_path / "out" / "plugins").glob("*/*"))
    assert kept == ["candidly_clpl.py", "candidly_selc.py"]
