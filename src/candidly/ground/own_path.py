"""Where what candidly starts looks for modules: never in the working directory.

Python looks there first of all in a program that is started by ``-m`` or ``-c``, and a file called
``numpy.py`` or ``org.py`` among somebody's data would be run, or break what is started. A program
that uses candidly as a library has the path that it has.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SAFE = "PYTHONSAFEPATH"
PACKAGES = str(Path(__file__).parents[2])  # the folder that candidly itself is in


def is_gone() -> bool:
    """Whether there is no working directory any more: libraries end the program in it."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def leave_working_directory() -> None:
    """Takes it off this program's path, unless somebody named it in ``PYTHONPATH``."""
    here = "" if is_gone() else os.getcwd()
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if here != PACKAGES and (not here or here not in named):
        sys.path[:] = [place for place in sys.path if place not in ("", here)]


@contextmanager
def started_safely() -> Iterator[None]:
    """Python programs that start within do not put the working directory on their path."""
    before = os.environ.get(SAFE)
    os.environ[SAFE] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE, None)
        else:
            os.environ[SAFE] = before
