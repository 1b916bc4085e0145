"""What a reader of logs gives, and what all of them use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .....ground.files import check_content
from .....ground.jsons import from_json
from .....ground.problem import Refusal, within
from ..._packed import check_size


@dataclass(frozen=True)
class LoggedScore:
    """One score of one model on one item.

    Attributes:
        item: its name, which is the same for all models.
        metric: what the score is. score: None where the program has none.
        run: tells the runs of the model on the item apart. slice: a part of the benchmark, or ''.
        content: what the program says of the item's content, such as a digest; '' if nothing.
    """

    item: str
    metric: str
    score: float | None
    run: str = ""
    slice: str = ""
    content: str = ""


@dataclass(frozen=True)
class EvalLog:
    """What one log says.

    Attributes:
        path: the file. model: who answered. setting: what must be the same for two logs of a model
            to be runs of the same evaluation, such as a digest of the prompts.
        answers: in the order of the log.
        lower: metrics of which the program says that a lower value is better.
    """

    path: Path
    model: str
    answers: Sequence[LoggedScore]
    setting: str = ""
    lower: frozenset[str] = frozenset()


@dataclass(frozen=True)
class LogFormat:
    """How logs of a program are known and read.

    Attributes:
        program: its name, for people.
        finds: the logs in a folder, or the file itself; none where this is no such log.
        read: what one of them says of each model.
    """

    program: str
    finds: Callable[[Path], Sequence[Path]]
    read: Callable[[Path], Sequence[EvalLog]]


def json_of(path: Path) -> Any:
    """What a file of JSON says.

    Raises:
        ValueError: none, or a damaged one; names the file and the place.
    """
    check_content(path)
    check_size(path.stat().st_size)
    try:
        return from_json(path.read_bytes())
    except ValueError as error:
        raise within(str(path), error) from None


def has_keys(value: Any, *keys: str) -> bool:
    """Whether it is an object that has all of these keys."""
    return isinstance(value, Mapping) and all(key in value for key in keys)


def begins_with(path: Path, *texts: str, size: int = 1 << 16) -> bool:
    """Whether all texts stand in the first bytes of a file: enough to know a program's log by."""
    try:
        with path.open("rb") as file:
            head = file.read(size)
    except OSError:
        return False
    return all(text.encode() in head for text in texts)


def files_in(place: Path, pattern: str) -> list[Path]:
    """Files below a folder whose names fit; or the file, where ``place`` is one that fits."""
    if place.is_dir():
        return sorted(path for path in place.rglob(pattern) if path.is_file())
    return [place] if place.is_file() and place.match(pattern) else []


def number_of(value: Any, where: str) -> float | None:
    """A score as a number: true is 1; None where there is none.

    Raises:
        Refusal: something else.
    """
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return float(value)
    raise Refusal(f"{where} has the score {str(value)[:60]!r}, which is no number.")


def damaged(path: Path, what: str) -> Refusal:
    """A log that lacks what all logs of its program have."""
    return Refusal(f"{path} {what}.", "write it again with the program that made it")
