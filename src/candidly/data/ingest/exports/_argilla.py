"""What Argilla exports: records as JSON, and data sets as Parquet or lines of JSON, of 1 and 2.

A response counts where it was submitted; drafts and discarded ones are left out. Suggestions are a
model's, and no answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._shape import NOBODY, Answer, Export, scalar

RESPONSES, USERS, STATUS = ".responses", ".responses.users", ".responses.status"
SUGGESTED = "-suggestion"  # of version 1, behind the name of a question
SUBMITTED = ("submitted", None)
META = ("id", "_server_id", "status", "external_id", "metadata", "inserted_at", "updated_at")

Response = tuple[Any, Any, Any]  # value, user, status


def is_records(first: Mapping[str, Any]) -> bool:
    """Whether this is a record with its responses."""
    return isinstance(first.get("fields"), dict) and "responses" in first


def read_records(records: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The answers of records, as ``records.to_json`` and ``candidly review export`` write them."""

    def responses(record: Mapping[str, Any]) -> Iterator[tuple[str, list[Response]]]:
        for question, given in (record["responses"] or {}).items():
            yield question, [_response(one) for one in given or ()]

    return _read(records, responses, lambda record: record.get("fields") or {})


def is_rows(first: Mapping[str, Any]) -> bool:
    """Whether this is a row of a data set of version 2."""
    return any(name.endswith(USERS) for name in first)


def read_rows(rows: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The answers of rows, with columns such as ``label.responses`` and who gave them."""
    asked = [name.removesuffix(USERS) for name in rows[0] if name.endswith(USERS)]

    def responses(row: Mapping[str, Any]) -> Iterator[tuple[str, list[Response]]]:
        for question in asked:
            values = row.get(question + RESPONSES) or []
            users = row.get(question + USERS) or [None] * len(values)
            status = row.get(question + STATUS) or [None] * len(values)
            yield question, list(zip(values, users, status))

    def about(row: Mapping[str, Any]) -> dict[str, Any]:
        ours = tuple(f"{name}." for name in {*asked, *_suggested(row)})
        return {name: value for name, value in row.items() if not name.startswith(ours)}

    return _read(rows, responses, about)


def is_feedback(first: Mapping[str, Any]) -> bool:
    """Whether this is a row of a feedback data set of version 1."""
    return any(name + SUGGESTED in first for name in first)


def read_feedback(rows: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The answers of rows, with a column of responses for each question."""
    asked = [name for name in rows[0] if name + SUGGESTED in rows[0]]

    def responses(row: Mapping[str, Any]) -> Iterator[tuple[str, list[Response]]]:
        for question in asked:
            given = row[question] or []
            if isinstance(given, dict):  # lists by name
                columns = (given.get(name) or [] for name in ("value", "user_id", "status"))
                yield question, list(zip(*columns))
            else:
                yield question, [_response(one) for one in given]

    def about(row: Mapping[str, Any]) -> dict[str, Any]:
        ours = tuple(f"{name}-" for name in asked)
        return {k: v for k, v in row.items() if k not in asked and not k.startswith(ours)}

    return _read(rows, responses, about)


def is_classified(first: Mapping[str, Any]) -> bool:
    """Whether this is a record of text classification of version 1."""
    return {"annotation", "annotation_agent", "prediction_agent"} <= {*first}


def read_classified(rows: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The answers of records of text classification, at most one each."""

    def responses(row: Mapping[str, Any]) -> Iterator[tuple[str, list[Response]]]:
        status = "discarded" if row.get("status") == "Discarded" else None
        if scalar(row["annotation"]):
            yield "annotation", [(row["annotation"], row["annotation_agent"], status)]

    def about(row: Mapping[str, Any]) -> dict[str, Any]:
        inputs = row.get("inputs")
        if isinstance(inputs, dict):
            return {name: value for name, value in inputs.items() if value is not None}
        return {"text": row.get("text") or inputs}

    return _read(rows, responses, about)


def _read(rows: Sequence[Mapping[str, Any]], responses: Any, about: Any) -> Export:
    answers = []
    left: Counter[str] = Counter()
    for place, row in enumerate(rows):
        item = next((row[name] for name in ("id", "external_id") if row.get(name)), place)
        shown = {name: value for name, value in about(row).items() if name not in META}
        answers.append(Answer(item, about=shown))
        said: dict[str, dict[str, list[str]]] = {}
        for question, given in responses(row):
            for value, user, status in given:
                if status not in SUBMITTED:
                    left[str(status)] += 1
                elif labels := scalar(value):
                    who = NOBODY if user is None else str(user)
                    said.setdefault(who, {})[question] = labels
        answers += [Answer(item, who, labels) for who, labels in said.items()]
    return Export(answers, left)


def _response(one: Mapping[str, Any]) -> Response:
    return one.get("value"), one.get("user_id"), one.get("status")


def _suggested(row: Mapping[str, Any]) -> set[str]:
    """Questions that a model answered and perhaps nobody else."""
    return {name.partition(".suggestion")[0] for name in row if ".suggestion" in name}
