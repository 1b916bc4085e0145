"""SWE-bench: the report of a run, ``MODEL.RUN.json``, which lists instances by their outcome."""

from __future__ import annotations

from pathlib import Path

from ._log import EvalLog, LogFormat, LoggedScore, begins_with, damaged, files_in, has_keys, json_of

LISTS = ("submitted_ids", "resolved_ids")
EVERYTHING = 1 << 24  # lists of names are short


def _finds(place: Path) -> list[Path]:
    keys = [f'"{key}"' for key in LISTS]
    found = files_in(place, "*.json")
    return [path for path in found if begins_with(path, *keys, size=EVERYTHING)]


def _read(path: Path) -> list[EvalLog]:
    report = json_of(path)
    if not has_keys(report, *LISTS) or not all(isinstance(report[key], list) for key in LISTS):
        raise damaged(path, "has no lists of submitted and resolved instances")
    submitted, resolved = (set(map(str, report[key])) for key in LISTS)
    beyond = sorted(resolved - submitted)
    if beyond:
        raise damaged(path, f"resolved {beyond[0]!r}, which was not submitted")
    absent = {str(name): None for name in report.get("incomplete_ids", [])}
    scores = {**absent, **{name: float(name in resolved) for name in submitted}}
    answers = [
        LoggedScore(item=name, metric="resolved", score=score, slice=_repository(name))
        for name, score in sorted(scores.items())
    ]
    return [EvalLog(path, path.stem.rpartition(".")[0] or path.stem, answers)]


def _repository(name: str) -> str:
    """The repository of an instance.

    >>> _repository("django__django-11422")
    'django/django'
    """
    return name.rpartition("-")[0].replace("__", "/")


SWE_BENCH = LogFormat("SWE-bench", _finds, _read)
