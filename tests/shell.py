"""Commands as a person types them, each a process of its own."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path


def run(command: str, folder: Path) -> str:
    """What ``candidly ...`` prints, run in a folder."""
    words = shlex.split(command)
    assert words[0] == "candidly"
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
