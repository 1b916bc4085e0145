"""What ``db-out`` of Prodigy writes: a line of JSON for each decision.

Of choices, the answer is what was chosen. A label that was accepted or rejected is an answer,
too: where the file has one label alone, as it and ``not`` it; of several, what was accepted, and
all that a person accepted for an input is one answer. What was ignored is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ._shape import NOBODY, Answer, Export, scalar

QUESTION = "label"
OUT = (
    "id",
    "label",
    "accept",
    "answer",
    "options",
    "config",
    "spans",
    "tokens",
    "priority",
    "score",
)


def is_decisions(first: Mapping[str, Any]) -> bool:
    """Whether this is a task with the decision on it."""
    return "_input_hash" in first and "answer" in first


def read_decisions(rows: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The answers of decisions, by input.

    Raises:
        ValueError: decisions on parts of texts alone.
    """
    left: Counter[str] = Counter()
    alone = {row["label"] for row in rows if "accept" not in row and row.get("label")}
    if not alone and not any("accept" in row for row in rows):
        raise ValueError(
            "its decisions hold no choices and no labels, as of parts of texts; candidly reads"
            " those that label whole inputs."
        )
    answers: list[Answer] = []
    accepted: dict[tuple[Any, str], list[str]] = {}
    for row in rows:
        item = row.get("id", row["_input_hash"])
        about = {
            name: value
            for name, value in row.items()
            if name not in OUT and name[0] != "_" and not str(value).startswith("data:")
        }
        answers.append(Answer(item, about=about))
        who = str(row.get("_annotator_id") or row.get("_session_id") or NOBODY)
        labels, why = _labels(row, alone)
        if not labels:
            left[why] += 1
        elif "accept" not in row and len(alone) > 1 and (item, who) in accepted:
            accepted[item, who] += [one for one in labels if one not in accepted[item, who]]
        else:
            accepted[item, who] = labels
            answers.append(Answer(item, who, {QUESTION: labels}, at=row.get("_timestamp")))
    return Export(answers, left)


def _labels(row: Mapping[str, Any], alone: set[str]) -> tuple[list[str], str]:
    """What was said, or why that is nothing."""
    answer = row["answer"]
    if answer == "ignore":
        return [], "ignored"
    if "accept" in row:
        chosen = scalar(row["accept"])
        return (chosen, "without a choice") if answer == "accept" else ([], "rejected")
    label = row.get("label")
    if label is None:
        return [], "without a label"
    if answer == "accept":
        return [str(label)], ""
    return ([f"not {label}"], "") if len(alone) == 1 else ([], "rejected")
