"""What users import: few paths, real files, known to type checkers, loaded on first use."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import candidly

SRC = Path(candidly.__file__).parent
WINGS = ("data", "people", "learn", "errors", "compare")
FACES = ("candidly", *(f"candidly.{wing}" for wing in WINGS))
REFERENCE = Path(__file__).parents[1] / "docs" / "reference"

USERS_FILE = '''
"""The documented imports, as a user writes them."""

import candidly
import candidly.errors
from candidly import Labelled, LabelErrorDetector, NoisyLabelClassifier, PartialLabelClassifier
from candidly import UnknownName, benchmark, check, fit, from_arrays, load, load_model, read
from candidly import criteria, crowd, detectors, examples, imperfect, plugins, report, review
from candidly import sources, stability, stats, validation
from candidly.compare import Criterion, Results, cells, read_results, accuracy_tables, track
from candidly.compare.challenge.entry import read_task
from candidly.compare.stability import mcnemar
from candidly.data import Expected, Process, Source, Votes, match_order, union
from candidly.data.imperfect import flip, lookalike, transition
from candidly.errors import Detector, Issues, Network, cross_validate, find
from candidly.errors.crossval import CrossValidated
from candidly.ground.seeds import words
from candidly.learn import Algorithm, Net, Stage, cross_entropy, epochs, one_of
from candidly.learn.views import PICTURES
from candidly.people import set_figure, web
from candidly.people.crowd import majority
from candidly.show.grid import Grid
from candidly.stats import Metric, compare_all
from candidly.stats.criteria import covering_rate

data: Labelled = load("digits")
issues: Issues = candidly.errors.find([0, 1], [[0.9, 0.1], [0.2, 0.8]])
algorithm: Algorithm = candidly.ALGORITHMS["PRODEN"]
results: Results = benchmark(data, "PRODEN", steps=10)
'''


def imports_of(face: str) -> dict[str, str]:
    """Names that type checkers see in a face -> the module that they are taken from."""
    module = importlib.import_module(face)
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text())
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            for alias in node.names:
                if alias.asname == alias.name:  # the form that means: for others, too
                    relative = "." * node.level + (node.module or "")
                    found[alias.name] = importlib.util.resolve_name(relative, face)
    return found


@pytest.mark.parametrize("face", FACES)
def test_type_checkers_see_what_is_there(face):
    module = importlib.import_module(face)
    seen = imports_of(face)
    assert seen.keys() - {"__version__"} == set(module.__all__) <= set(dir(module))
    for name, holder in seen.items():
        value = getattr(module, name)
        if inspect.ismodule(value) and value.__name__ == f"{holder}.{name}":
            continue
        assert value is getattr(importlib.import_module(holder), name), name
    with pytest.raises(AttributeError, match=f"module '{face}' has no attribute 'benchmrk'"):
        _ = module.benchmrk


@pytest.mark.parametrize("face", FACES)
def test_no_name_hides_behind_a_module(face):
    # importing candidly.benchmark, were there such a module, would replace candidly.benchmark
    module = importlib.import_module(face)
    for name in module.__all__:
        place = Path(module.__file__).with_name(name)
        if place.is_dir() or place.with_suffix(".py").exists():
            assert inspect.ismodule(getattr(module, name)), name


def test_every_public_path_is_on_the_page():
    """The page of the reference lists every module that has a page, and each face."""
    listed = set(re.findall(r"\[(candidly[\w.]*)\]\(", (REFERENCE / "index.md").read_text()))
    described = set()
    for page in REFERENCE.glob("*.md"):
        if page.name != "index.md":
            described.add(page.read_text().partition("\n")[0].removeprefix("# "))
    assert listed == described
    assert set(FACES) <= listed
    for name in listed:
        importlib.import_module(name)


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*words], cwd=folder, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
def test_type_checkers_follow_the_documented_imports(tmp_path, checker):
    (tmp_path / "user.py").write_text(USERS_FILE)
    (tmp_path / "typo.py").write_text(
        "import candidly\nfrom candidly.errors import fnd\ncandidly.chek"
    )
    settings = {"typeCheckingMode": "strict", "reportUnusedImport": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    words = {
        "mypy": ("-m", "mypy", "--strict", "--no-error-summary"),
        "basedpyright": ("-m", "basedpyright", "--level", "error", "--pythonpath", sys.executable),
    }[checker]
    good = run(sys.executable, *words, "user.py", folder=tmp_path)
    assert good.returncode == 0, good.stdout + good.stderr
    bad = run(sys.executable, *words, "typo.py", folder=tmp_path)
    assert bad.returncode == 1
    assert "fnd" in bad.stdout
    assert "chek" in bad.stdout


def test_the_users_file_runs(tmp_path):
    (tmp_path / "user.py").write_text(USERS_FILE.partition("\ndata:")[0])
    done = run(sys.executable, "-W", "error", "user.py", folder=tmp_path)
    assert done.returncode == 0, done.stderr
