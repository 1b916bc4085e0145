"""EvalPlus: ``eval_results.json``, every attempt at every task by the old and the new tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ._log import EvalLog, LogFormat, LoggedScore, begins_with, damaged, files_in, has_keys, json_of

PASS, NAME = "pass", "eval_results"


def _finds(place: Path) -> list[Path]:
    found = files_in(place, f"*{NAME}.json")
    return [path for path in found if begins_with(path, '"eval"', '"base_status"')]


def _read(path: Path) -> list[EvalLog]:
    found = json_of(path)
    if not has_keys(found, "eval") or not isinstance(found["eval"], Mapping):
        raise damaged(path, "has no results of tasks")
    answers = []
    for task, attempts in found["eval"].items():
        for run, attempt in enumerate(attempts):
            if not has_keys(attempt, "base_status"):
                raise damaged(path, f"does not say what became of {task}")
            base = attempt["base_status"] == PASS
            kinds = {"base": base}
            if attempt.get("plus_status") is not None:
                kinds["plus"] = base and attempt["plus_status"] == PASS
            answers += [
                LoggedScore(task, kind, float(passed), str(run), content=str(found.get("hash", "")))
                for kind, passed in kinds.items()
            ]
    name = path.stem.removesuffix(NAME).rstrip("_-.")
    return [EvalLog(path, name or path.resolve().parent.name, answers)]


EVALPLUS = LogFormat("EvalPlus", _finds, _read)
