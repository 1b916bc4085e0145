"""Inspect: ``.eval``, a zip of JSON with a file for each sample, and the same as one ``.json``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .....ground.problem import Refusal
from ._archive import members_of
from ._log import (
    EvalLog,
    LogFormat,
    LoggedScore,
    begins_with,
    damaged,
    files_in,
    has_keys,
    json_of,
    number_of,
)

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer


def _finds(place: Path) -> list[Path]:
    whole = [
        path
        for path in files_in(place, "*.json")
        if begins_with(path, '"version"', '"status"', '"eval"', '"task_id"')
    ]
    return sorted([*files_in(place, "*.eval"), *whole])


def _read(path: Path) -> list[EvalLog]:
    header, samples = _packed(path) if path.suffix == ".eval" else _plain(path)
    if not has_keys(header, "eval", "status") or not has_keys(header["eval"], "model", "task"):
        raise damaged(path, "does not say which model answered which task")
    if header["status"] != "success":
        raise Refusal(
            f"{path} is a log of an evaluation that did not end well: its status is "
            f"{header['status']!r}.",
            "run it to its end with inspect eval-retry",
            "leave the log out",
        )
    of = header["eval"]
    answers = [one for sample in samples for one in _answers(path, str(of["task"]), sample)]
    setting = repr((of.get("task_args"), of.get("model_args"), of.get("model_generate_config")))
    return [EvalLog(path, str(of["model"]), answers, setting)]


def _plain(path: Path) -> tuple[Any, Iterator[Any]]:
    found = json_of(path)
    return found, iter(found.get("samples") or [] if isinstance(found, Mapping) else [])


def _packed(path: Path) -> tuple[Any, Iterator[Any]]:
    members = members_of(path, lambda name: name == "header.json" or name.startswith("samples/"))
    header = [value for name, value in members if name == "header.json"]
    if not header:
        raise Refusal(
            f"{path} has no header.json, so the evaluation broke off before its end.",
            "run it to its end with inspect eval-retry",
            "leave the log out",
        )
    return header[0], (value for name, value in members if name.startswith("samples/"))


def _answers(path: Path, task: str, sample: Any) -> Iterator[LoggedScore]:
    if not has_keys(sample, "id", "epoch"):
        raise damaged(path, "has a sample without an id or an epoch")
    item, where = f"{task}/{sample['id']}", f"{path}, sample {sample['id']!r},"
    scores = sample.get("scores") or {}
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        parts = value.items() if isinstance(value, Mapping) else [("", value)]
        for part, one in parts:
            yield LoggedScore(
                item=item,
                metric=f"{scorer}/{part}" if part else scorer,
                score=GRADES[one] if one in GRADES else number_of(one, where),
                run=str(sample["epoch"]),
                slice=task,
            )


INSPECT = LogFormat("Inspect", _finds, _read)
