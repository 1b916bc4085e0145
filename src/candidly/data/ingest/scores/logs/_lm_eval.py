"""lm-evaluation-harness: ``samples_TASK_DATE.jsonl``, a line for each question and filter.

The file does not name the model. It stands in ``results_DATE.json`` beside it, or the folder is
called after it. A score is called ``METRIC`` or ``METRIC,FILTER``, as the program's tables do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from .....ground.files import check_content
from .....ground.jsons import from_json
from .....ground.problem import within
from ..._packed import check_size
from ._log import EvalLog, LogFormat, LoggedScore, begins_with, damaged, files_in, json_of

NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")


def _finds(place: Path) -> list[Path]:
    found = files_in(place, "samples_*.jsonl")
    return [path for path in found if NAME.fullmatch(path.name) and begins_with(path, '"doc_id"')]


def _read(path: Path) -> list[EvalLog]:
    named = NAME.fullmatch(path.name)
    assert named is not None
    task, date = named["task"], named["date"]
    check_content(path)
    check_size(path.stat().st_size)
    answers, prompts = [], sha256()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = from_json(line)
            except ValueError as error:
                raise within(f"{path}, line {number}", error) from None
            if not isinstance(row, Mapping) or "doc_id" not in row:
                raise damaged(path, f"has no question at line {number}")
            prompts.update(str(row.get("prompt_hash", "")).encode())
            answers += _answers(path, number, task, row)
    results = _results(path, date)
    model = results.get("model_name") or path.resolve().parent.name.replace("__", "/")
    return [EvalLog(path, str(model), answers, prompts.hexdigest(), _lower(results, task, answers))]


def _answers(path: Path, number: int, task: str, row: Mapping[str, Any]) -> list[LoggedScore]:
    """One for each of the line's metrics that is a number; others need all questions together."""
    kind = row.get("filter", "none")
    metrics = row.get("metrics") or [k for k, v in row.items() if type(v) is float]
    if not isinstance(metrics, list):
        raise damaged(path, f"has no list of metrics at line {number}")
    return [
        LoggedScore(
            item=f"{task}/{row['doc_id']}",
            metric=metric if kind == "none" else f"{metric},{kind}",
            score=float(row[metric]),
            slice=task,
            content=str(row.get("doc_hash", "")),
        )
        for metric in metrics
        if isinstance(row.get(metric), bool | int | float)
    ]


def _results(path: Path, date: str) -> Mapping[str, Any]:
    """What the file beside it says of the whole evaluation; nothing where there is none."""
    beside = path.with_name(f"results_{date}.json")
    found = json_of(beside) if beside.is_file() else {}
    return found if isinstance(found, Mapping) else {}


def _lower(results: Mapping[str, Any], task: str, answers: Sequence[LoggedScore]) -> frozenset[str]:
    """Metrics of which the evaluation says that lower is better."""
    every = results.get("higher_is_better")
    said = every.get(task) if isinstance(every, Mapping) else None
    said = said if isinstance(said, Mapping) else {}
    names = {one.metric for one in answers}
    return frozenset(name for name in names if said.get(name.split(",")[0]) is False)


LM_EVAL = LogFormat("lm-evaluation-harness", _finds, _read)
