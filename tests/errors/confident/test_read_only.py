"""An install that cannot be written to, and a home that cannot either: Numba has no cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import candidly

from needs import program

FIND = """
import numpy as np
import candidly.ground.compiled
from candidly import errors
probs = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9], [0.95, 0.05]])
print(candidly.ground.compiled.__file__)
print(errors.counts(np.array([0, 0, 1, 1, 1]), probs).off_diagonal)
"""


@pytest.mark.slow  # all loops are compiled
def test_label_errors_are_found_without_a_cache(tmp_path):
    source, home = tmp_path / "src", tmp_path / "home"
    shutil.copytree(
        Path(candidly.__file__).parent,
        source / "candidly",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    home.mkdir()
    for folder in (home, source, *(path for path in source.rglob("*") if path.is_dir())):
        folder.chmod(0o555)
    command = [sys.executable, "-c", FIND]
    if os.geteuid() == 0:  # whom permissions do not bind otherwise
        bound = ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override"]
        if program("setpriv") is None:
            pytest.skip("needs setpriv to bind root by permissions")
        command = [*bound, *command]
    keep = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    done = subprocess.run(
        command,
        env={**keep, "HOME": str(home), "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    for folder in (home, source, *(path for path in source.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(source / "candidly" / "ground/compiled.py"), "1"]
    assert not list(source.rglob("__pycache__"))
    assert not list(home.iterdir())
