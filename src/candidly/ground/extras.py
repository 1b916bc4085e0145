"""How to install what an extra brings: candidly is on no index, so a name alone is not enough."""

from __future__ import annotations

import shlex
from pathlib import Path

from .version import __version__

SOURCES = Path(__file__).resolve().parents[3]  # where candidly runs from a clone


def install(extra: str) -> str:
    """The command that brings an extra: from the clone that this is, or from a wheel.

    >>> install("review").startswith("pip install ")
    True
    """
    if (SOURCES / "pyproject.toml").is_file():
        return f"pip install -e {shlex.quote(f'{SOURCES}[{extra}]')}"
    return f"pip install 'PATH/candidly-{__version__}-py3-none-any.whl[{extra}]'"
