"""How labels are written as text: one rule for every file and every string.

A cell holds one label, or several with ``|`` between them; spaces around a label do not count. What
looks like a list in another notation is refused, as it would become a class of that name.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...ground.problem import Refusal, passed
from .kinds import SINGLE

BAR = "|"
NAME_CLASSES = "name all classes with `classes`"  # what to do about a strange name of a class
SEPARATORS = (",", ";", "\t", "\n")  # of other notations
PAIRS = {"[": "]", "{": "}", '"': '"', "'": "'"}  # around lists and quoted names


def labels_in(text: str, what: str, row: Any, classes: Collection[str] = ()) -> list[str]:
    """The labels that a cell holds, as they stand; none in an empty cell.

    Args:
        text: the text of the cell.
        what, row: what a message calls its column, and its row.
        classes: names that somebody wrote down as classes. A cell, or a part of it, that is one of
            these is one label, whatever it looks like.

    Raises:
        ValueError: a label without a name, or another notation.

    >>> labels_in("cat | dog", "`candidates`", 0)
    ['cat', 'dog']
    """
    text = text.strip()
    if not text:
        return []
    if text in classes:
        return [text]
    labels = [label.strip() for label in text.split(BAR)]
    if all(label in classes for label in labels):
        return labels
    if not all(labels):
        raise ValueError(
            f"{what} has {text!r} at row {row}, where a label has no name. Write one {BAR}"
            f" between two labels, such as cat{BAR}dog."
        )
    if _is_foreign(text) or any(_is_foreign(label) for label in labels if label not in classes):
        ways = [f"write {BAR} between two labels, such as cat{BAR}dog, and no brackets or quotes"]
        if mark := _mark(text):
            ways.append(f"say what separates labels with {passed('label_separator', mark)}")
        raise Refusal(
            f"{what} has {text!r} at row {row}, which looks like a list in another notation.",
            *ways,
            f"if it is the name of one class, {NAME_CLASSES}",
            f"say that all cells are names with {passed('label_kind', SINGLE)}",
        )
    return labels


def label_in(text: str, what: str, row: Any, classes: Collection[str] = ()) -> str | None:
    """The one label that a cell holds, None in an empty cell; otherwise as ``labels_in``.

    Raises:
        ValueError: several labels, a label without a name, or another notation.
    """
    labels = labels_in(text, what, row, classes)
    if len(labels) > 1:
        raise Refusal(
            f"{what} has {text!r} at row {row}, which is {len(labels)} labels; it takes one. Sets"
            " of labels are `candidates`.",
            f"if it is the name of one class, {NAME_CLASSES}",
        )
    return labels[0] if labels else None


def check_name(label: str, what: str, row: Any, classes: Collection[str] = ()) -> None:
    """Refuse what cannot be the name of a label that stands alone, as in a list of labels.

    Raises:
        ValueError: no name, or one with a ``|``, which no file could tell from two labels.
    """
    if label in classes:
        return
    if not label.strip():
        raise ValueError(f"{what} has the label {label!r} at row {row}, which is no name.")
    if BAR in label:
        raise ValueError(
            f"{what} has the label {label!r} at row {row}; {BAR} separates labels. Write them one"
            f" by one, or, if it is the name of one class, {NAME_CLASSES}."
        )


def _mark(text: str) -> str:
    """The separator of another notation that stands in a text without brackets."""
    bare = PAIRS.get(text[0]) != text[-1]
    return next((mark for mark in SEPARATORS if bare and mark in text), "")


def _is_foreign(text: str) -> bool:
    wrapped = len(text) > 1 and PAIRS.get(text[0]) == text[-1]
    return wrapped or any(separator in text for separator in SEPARATORS)
