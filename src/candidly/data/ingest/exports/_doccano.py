"""What doccano exports for classification of texts: a line of JSON a text, a file a person.

A file bears the name of the person whose labels it holds; ``all`` holds those of everybody, of whom
it does not say who said what. Old versions number people and labels within each line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ._shape import Answer, Export, scalar

QUESTION = "label"
OUT = ("id", "label", "labels", "annotations", "annotation_approver", "Comments", "comments")
_MARKS = {"Comments", "comments", "annotation_approver", "annotations"}


def is_texts(first: Mapping[str, Any]) -> bool:
    """Whether this is a text and its labels, as doccano writes them."""
    texts = "text" in first or "data" in first
    said = [first[name] for name in ("label", "labels", "annotations") if name in first]
    return (
        "id" in first
        and texts
        and bool(said)
        and isinstance(said[0], list)
        and (bool(_MARKS & {*first}))
    )


def read_texts(rows: Sequence[Mapping[str, Any]], stem: str) -> Export:
    """The labels of texts.

    Raises:
        ValueError: labels of parts of texts.
    """
    answers = []
    for place, row in enumerate(rows):
        about = {name: value for name, value in row.items() if name not in OUT and value != {}}
        item = row.get("id", place)
        answers.append(Answer(item, about=about))
        said: dict[str, list[str]] = {}
        for one in row.get("annotations") or ():
            said.setdefault(str(one.get("user")), []).extend(scalar(one.get("label")))
        if labels := row.get("label", row.get("labels")):
            said[stem] = scalar(labels)
        if any(isinstance(one, list) for one in labels or ()) or _spans(row):
            raise ValueError(
                f"line {place + 1} has labels of parts of its text; candidly reads projects that"
                " label whole texts."
            )
        answers += [Answer(item, who, {QUESTION: one}) for who, one in said.items() if one]
    return Export(answers, Counter())


def _spans(row: Mapping[str, Any]) -> bool:
    return any("start_offset" in one for one in row.get("annotations") or ())
