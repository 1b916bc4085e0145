"""DeepEval: the JSON of a test run, one model a file, with the metrics of every test case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


def _finds(place: Path) -> list[Path]:
    found = files_in(place, "*.json")
    return [path for path in found if begins_with(path, '"testCases"')]


def _read(path: Path) -> list[EvalLog]:
    found = json_of(path)
    run = found.get("testRunData", found) if isinstance(found, Mapping) else found
    if not has_keys(run, "testCases") or not isinstance(run["testCases"], list):
        raise damaged(path, "has no test cases")
    cases = [*run["testCases"], *(run.get("conversationalTestCases") or [])]
    answers = [one for case in cases for one in _answers(path, case)]
    return [EvalLog(path, path.stem, answers)]


def _answers(path: Path, case: Any) -> list[LoggedScore]:
    if not has_keys(case, "name"):
        raise damaged(path, "has a test case without a name")
    item = str(case["name"])
    where = f"{path}, {item},"
    content = repr((case.get("input"), case.get("expectedOutput")))
    return [
        LoggedScore(
            item, str(metric["name"]), number_of(metric.get("score"), where), content=content
        )
        for metric in case.get("metricsData") or []
        if has_keys(metric, "name")
    ]


DEEPEVAL = LogFormat("DeepEval", _finds, _read)
