"""What Label Studio exports: JSON, and its short forms (JSON-MIN, CSV), an annotation a row.

Answers are choices, taxonomies, ratings and pairs; regions of texts and pictures are none. Who
answered is in ``completed_by``. In files that ``candidly review export`` wrote it is the note
beside the choice, which stays when Label Studio has read them and gives all to one person.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from ._shape import NOBODY, Answer, Export, scalar

ANSWER, ITEM = "answer", "item"  # what candidly calls the question and what it is about
SHORT = {"annotation_id", "annotator", "lead_time"}  # columns of the short forms
_LOCAL = re.compile(r"/data/local-files/\?d=(.*)")


def _joined(paths: Sequence[Any]) -> list[str]:
    """Labels, of a tree the whole way to each."""
    return [" / ".join(map(str, one)) if isinstance(one, list) else str(one) for one in paths]


KINDS: dict[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "choices": lambda value: _joined(value.get("choices") or []),
    "taxonomy": lambda value: _joined(value.get("taxonomy") or []),
    "rating": lambda value: scalar(value.get("rating")),
    "pairwise": lambda value: scalar(value.get("selected")),
}


def is_tasks(first: Mapping[str, Any]) -> bool:
    """Whether this is a task with its annotations."""
    return isinstance(first.get("data"), dict) and bool({"annotations", "completions"} & {*first})


def read_tasks(tasks: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The answers of tasks.

    Cancelled annotations are left out. An annotation marked as ground truth is what is known of
    the item, where others answered as well.

    Raises:
        ValueError: a task without data, or no question that has labels as answers.
    """
    answers: list[Answer] = []
    left: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for place, task in enumerate(tasks):
        data = task.get("data")
        if not isinstance(data, dict):
            raise ValueError(f"task {place} has no `data`; export it from Label Studio again.")
        item = _name(task, data, place)
        about = {name: _local(value) for name, value in data.items()}
        said, known = [], {}
        annotations = task.get("annotations", task.get("completions")) or []
        for annotation in annotations:
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                left["cancelled"] += 1
                continue
            results = annotation.get("result") or []
            labels = _choices(results, others)
            if not labels:
                left["without a choice"] += 1
                continue
            at = annotation.get("created_at")
            answer = Answer(item, _who(annotation, results), labels, about, at=at)
            said.append((answer, bool(annotation.get("ground_truth"))))
        if any(true for _, true in said) and not all(true for _, true in said):
            known = {q: one for answer, true in said if true for q, one in answer.labels.items()}
            left["marked as ground truth"] += sum(true for _, true in said)
            said = [(answer, true) for answer, true in said if not true]
        answers += [answer for answer, _ in said]
        answers.append(Answer(item, about=about, known=known))
    if others and not any(answer.labels for answer in answers):
        raise ValueError(
            f"its annotations are of the kinds {', '.join(others)}, which label parts of texts and"
            f" pictures; candidly reads {', '.join(KINDS)}, which label the whole."
        )
    return Export(answers, left)


def is_short(first: Mapping[str, Any]) -> bool:
    """Whether this is a row of the short forms."""
    return {*first} >= SHORT


def read_short(rows: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The answers of rows: the questions stand between ``id`` and ``annotator``."""
    answers = []
    left: Counter[str] = Counter()
    for place, row in enumerate(rows):
        names = list(row)
        after = names.index("id") + 1 if "id" in row else names.index("annotator")
        asked = names[after : names.index("annotator")]
        about = {name: _local(row[name]) for name in names[: max(after - 1, 0)]}
        labels = {name: found for name in asked if (found := _short(row[name]))}
        left["without a choice"] += not labels
        who = str(row["annotator"]) if row["annotator"] not in (None, "") else NOBODY
        item = row.get("id", place)
        answers.append(Answer(item, who, labels, about, at=row.get("created_at")))
    return Export(answers, +left)


def _short(value: Any) -> list[str]:
    if isinstance(value, str) and value.startswith(("{", "[")):
        try:
            value = json.loads(value)
        except ValueError:
            return [value]
    if isinstance(value, dict):
        return next((read(value) for kind, read in KINDS.items() if kind in value), [])
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return []  # regions
    return scalar(value)


def _name(task: Mapping[str, Any], data: Mapping[str, Any], place: int) -> Any:
    return next((one["id"] for one in (task, data) if "id" in one), data.get("name", place))


def _local(value: Any) -> Any:
    """A file of a local folder by its path in it; other values as they are."""
    found = _LOCAL.fullmatch(value) if isinstance(value, str) else None
    return unquote(found[1]) if found else value


def _choices(results: Sequence[Mapping[str, Any]], others: Counter[str]) -> dict[str, list[str]]:
    """Labels by question; kinds of results that hold none are counted in ``others``."""
    labels: dict[str, list[str]] = {}
    for result in results:
        read = KINDS.get(kind := str(result.get("type")))
        if read is None:
            others[kind] += 1
        elif found := read(result.get("value") or {}):
            labels.setdefault(str(result.get("from_name")), []).extend(found)
    return labels


def _who(annotation: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> str:
    for result in results:
        note = scalar((result.get("meta") or {}).get("text"))
        if (result.get("from_name"), result.get("to_name")) == (ANSWER, ITEM) and note:
            return note[0]
    who = annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    return NOBODY if who is None else str(who)
