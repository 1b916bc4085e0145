"""What Toloka exports: a table of assignments, an answer a row.

Columns ``GOLDEN:`` hold what is known of control tasks. Tasks with a ``HINT:`` are of trainings,
whose answers were given with help, and are left out, like assignments that were rejected or not
handed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ._shape import NOBODY, Answer, Export, scalar

INPUT, OUTPUT, GOLDEN, HINT = "INPUT:", "OUTPUT:", "GOLDEN:", "HINT:"
WORKER, TASK, STATUS = "ASSIGNMENT:worker_id", "ASSIGNMENT:task_id", "ASSIGNMENT:status"
LANGUAGE = "default_language"  # of a hint, which stands there without one, too
HANDED_IN = ("APPROVED", "ACCEPTED", "SUBMITTED", "", "None")


def is_assignments(first: Mapping[str, Any]) -> bool:
    """Whether this is a row of assignments."""
    return WORKER in first and any(name.startswith(OUTPUT) for name in first)


def read_assignments(rows: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The answers of assignments."""
    answers = []
    left: Counter[str] = Counter()
    for row in rows:
        if any(filled and not name.endswith(LANGUAGE) for name, filled in _of(row, HINT).items()):
            left["of trainings"] += 1
            continue
        about = _of(row, INPUT)
        item = row.get(TASK) or " ".join(str(value) for value in about.values())
        known = _labels(row, GOLDEN)
        status = str(row.get(STATUS) or "").upper()
        why = status.lower() if status not in HANDED_IN else ""
        if row.get("ACCEPT:verdict") == "-":
            why = "rejected"
        labels = _labels(row, OUTPUT)
        if why or not labels:
            left[why or "without an answer"] += 1
            labels = {}
        who = str(row.get(WORKER) or NOBODY)
        at = row.get("ASSIGNMENT:submitted")
        answers.append(Answer(item, who, labels, about, known, at))
    return Export(answers, left)


def _of(row: Mapping[str, Any], start: str) -> dict[str, Any]:
    return {
        name.removeprefix(start).strip(): value
        for name, value in row.items()
        if name.startswith(start)
    }


def _labels(row: Mapping[str, Any], start: str) -> dict[str, list[str]]:
    return {name: found for name, value in _of(row, start).items() if (found := scalar(value))}
