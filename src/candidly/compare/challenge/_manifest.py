"""What a submission says of itself: ``manifest.json``, and the rule of one set of settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...ground.names import nearest, shortened
from ._protocol import TASKS, TRACKS, Protocol, check_name

FILE = "manifest.json"
SCRIPT = "run.sh"
REQUIREMENTS = "requirements.txt"
KEYS = ("name", "task", "track", "authors", "summary", "hyperparameters", "command", "data_sets")
LARGEST_BYTES = 1 << 20


@dataclass(frozen=True)
class Manifest:
    """A submission's manifest.

    Attributes:
        name: the name of the submission, and of its folder.
        task: ``learning`` or ``detection``.
        track: a track of ``TRACKS``.
        hyperparameters: one table for all label sets; or a table by data set.
        command: what is run besides the script's arguments, for people.
        data_sets: those that it takes part in; empty: all.
    """

    name: str
    task: str
    track: str = "labels"
    authors: str = ""
    summary: str = ""
    hyperparameters: Mapping[str, Any] = None  # type: ignore[assignment]
    command: str = ""
    data_sets: tuple[str, ...] = ()

    def settings_hash(self, data_set: str) -> str:
        """SHA-256 of command and hyper-parameters on a data set: the same for its label sets."""
        table = self.hyperparameters.get(data_set, self.hyperparameters)
        text = json.dumps([self.command, table], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(folder: Path | str) -> Manifest:
    """A submission's manifest, with its form checked.

    Raises:
        ValueError: no submission, or a manifest that says something impossible.
    """
    folder = Path(folder)
    for name in (FILE, SCRIPT):
        if not (folder / name).is_file() or (folder / name).is_symlink():
            raise ValueError(
                f"{folder} is no submission: it has no file {name}. A submission is a folder with "
                f"{SCRIPT}, {FILE} and, if it needs packages of its own, {REQUIREMENTS}."
            )
    path = folder / FILE
    if path.stat().st_size > LARGEST_BYTES:
        raise ValueError(
            f"{path} has {path.stat().st_size:,} bytes; the most is {LARGEST_BYTES:,}."
        )
    try:
        values = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"{path} is no JSON in UTF-8.") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path} holds no table of names and values.")
    for key in values:
        if key not in KEYS:
            raise ValueError(
                f"{path} has {key!r}{nearest(key, KEYS)} Choose from: {', '.join(KEYS)}."
            )
    for key in ("name", "task", "hyperparameters"):
        if key not in values:
            raise ValueError(f"{path} has no {key!r}, which is needed.")
    check_name(values["name"], f"{path}: name")
    _choice(path, values, "task", TASKS)
    _choice(path, values, "track", tuple(TRACKS))
    for key in ("authors", "summary", "command"):
        if not isinstance(values.get(key, ""), str):
            raise ValueError(f"{path}: {key} is {shortened(values[key])}; give a text.")
    if not isinstance(values["hyperparameters"], dict):
        raise ValueError(f"{path}: hyperparameters must be a table of names and values.")
    data_sets = values.pop("data_sets", [])
    if not isinstance(data_sets, list) or not all(isinstance(one, str) for one in data_sets):
        raise ValueError(f"{path}: data_sets is {shortened(data_sets)}; give a list of names.")
    return Manifest(**values, data_sets=tuple(data_sets))


def _choice(path: Path, values: Mapping[str, Any], key: str, known: tuple[str, ...]) -> None:
    value = values.get(key, known[0])
    if value not in known:
        hint = nearest(value, known) if isinstance(value, str) else "."
        raise ValueError(
            f"{path}: {key} is {shortened(value)}{hint} Choose from: {', '.join(known)}."
        )


def check_against(manifest: Manifest, protocol: Protocol) -> None:
    """Refuse a manifest that breaks the rules of a challenge.

    One table of hyper-parameters holds for all label sets of a data set: a table by label set is
    refused wherever it stands.

    Raises:
        ValueError: a track or data set that the challenge lacks, or settings by label set.
    """
    if manifest.track not in protocol.tracks:
        raise ValueError(
            f"{manifest.name} enters the track {manifest.track!r}; this challenge has "
            f"{', '.join(protocol.tracks)}."
        )
    for name in manifest.data_sets:
        if name not in protocol.data_sets:
            raise ValueError(
                f"{manifest.name} names the data set {name!r}"
                f"{nearest(name, protocol.data_sets)} There are: {', '.join(protocol.data_sets)}."
            )
    names = {one.name for one in protocol.sets}
    found = next((key for key in _keys(manifest.hyperparameters) if key in names), None)
    if found is not None:
        raise ValueError(
            f"{manifest.name} has hyper-parameters of its own for the label set {found!r}. One "
            "table holds for all label sets of a data set; what follows from the labels that a run "
            "is given, it may compute itself."
        )


def _keys(value: Any) -> list[str]:
    """Every key of nested tables and lists, however deep."""
    keys: list[str] = []
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            keys += one
            left += one.values()
        elif isinstance(one, list):
            left += one
    return keys


def sets_of(manifest: Manifest, protocol: Protocol) -> list[str]:
    """Label sets that a submission is run on."""
    wanted = manifest.data_sets or tuple(protocol.data_sets)
    return [one.name for one in protocol.sets if one.data_set in wanted]
