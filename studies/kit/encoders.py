"""Encoders that stand beside the package: ``make`` puts them into ``.venv/encoders``."""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".venv" / "encoders"


def find_encoders() -> None:
    """Let this process and those that it starts find them."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
