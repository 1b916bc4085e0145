"""Files of a user's own networks: a results directory keeps a copy of each, for its workers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from .._files import replacing
from .._net_text import NetText, digest_of, read_net
from ..nets import function_of, loaded_source, neighbours_of, network
from .facts import Facts
from .trial import Trial

FOLDER = "nets"


def check_net(facts: Facts, asked: str | None) -> None:
    """Refuse a network that these inputs cannot have, or whose file does not stand alone.

    Args:
        asked: as a person wrote it; None: the default.

    Raises:
        ValueError, KeyError, FileNotFoundError: as ``nets.network``; or the file imports another
            beside it.
    """
    text = asked or facts.net
    file = read_net(text).file
    network(text, facts.input_shape, facts.q)
    if file is not None and (beside := neighbours_of(file)):
        raise ValueError(
            f"{file} imports {beside[0]}, which lies beside it, and a results directory keeps a "
            f"copy of {file.name} alone. Put what it needs into the file, or install {beside[0]}."
        )


def keep_copies(out: Path, trials: Iterable[Trial]) -> None:
    """Write the files that these trials' networks are from, and that are loaded, below ``out``."""
    for text in {trial.net for trial in trials}:
        asked = read_net(text)
        if asked.file is None:
            continue
        copy = _copy(out, asked)
        if copy.is_file() and digest_of(copy) == asked.digest:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        with replacing(copy, synced=True) as file:
            file.write(loaded_source(asked.digest))


def open_copy(out: Path, text: str) -> None:
    """Load the copy of the file that a trial's network is from, if it is from one.

    Raises:
        FileNotFoundError, ValueError: it is gone, was edited, or cannot be run.
    """
    asked = read_net(text)
    if asked.file is not None:
        function_of(replace(asked, file=_copy(out, asked)))


def _copy(out: Path, asked: NetText) -> Path:
    assert asked.file is not None
    return out / FOLDER / asked.digest / asked.file.name
