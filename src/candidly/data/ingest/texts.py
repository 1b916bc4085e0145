"""Plain text and JSON that people give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...ground.files import check_kind
from ...ground.jsons import from_json
from ...ground.problem import within


def read_text(path: Path | str) -> str:
    """The text of a file in UTF-8, whose line ends become ``\\n``.

    Raises:
        FileNotFoundError, ValueError: no such file, a folder, or another encoding.
    """
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give a file of text.")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}.")
    check_kind(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes().count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path} is no text in UTF-8 (line {line}); save it in that encoding."
        ) from None


def read_json(path: Path | str) -> Any:
    """What a file of JSON holds.

    Raises:
        FileNotFoundError, ValueError: no such file, or no JSON; names the line.
    """
    text = read_text(path)
    try:
        return from_json(text)
    except ValueError as error:
        raise within(str(path), error) from None
