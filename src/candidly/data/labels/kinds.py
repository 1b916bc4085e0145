"""What several labels of one row say: one of these is right, all of these are, or they are a name.

Nobody can see that of a cell such as ``vegan|spicy``. It is believed where something says it: a
person (``label_kind``), the name of a column (``candidates``) or of an array (``candidates``,
``tags``), or a command that is about one of them. Else who would be wrong about it asks.
"""

from __future__ import annotations

from typing import Any

from ...ground.names import nearest
from ...ground.problem import Refusal, passed

ONE_OF, ALL_OF, SINGLE = "one-of", "all-of", "single"
FIELDS = {SINGLE: "given", ONE_OF: "candidates", ALL_OF: "tags"}  # of ``Labelled``, by kind
SAYS = {"candidates": ONE_OF}  # names of columns that say what several labels in a cell are


def check_kind(kind: str | None) -> None:
    """Refuse what is no kind of labels.

    Raises:
        ValueError: it is neither None nor one of ``FIELDS``.
    """
    if kind is not None and kind not in FIELDS:
        raise ValueError(
            f"`label_kind` is {kind!r}; give one of {', '.join(FIELDS)}{nearest(str(kind), FIELDS)}"
        )


def kind_of(label_kind: str | None, name: str) -> str | None:
    """What is said of several labels in a cell of a column; None: nothing.

    >>> kind_of(None, "candidates"), kind_of("all-of", "candidates"), kind_of(None, "kind")
    ('one-of', 'all-of', None)
    """
    return label_kind or SAYS.get(name)


def several_hold(source: str) -> str:
    """What to say where one true label a row is needed, and several hold."""
    return (
        f"{source or 'the data'} has rows of which several labels hold (tags); this takes one true"
        " class a row."
    )


def nothing_told(candidates: Any, source: str) -> str:
    """What to say where all sets hold every class, so that none tells anything; else nothing.

    Args:
        candidates: bool (n, q); None: there are none, which others say.
    """
    if candidates is None or not len(candidates) or not candidates.all():
        return ""
    return (
        f"every row of {source or 'the data'} has all {candidates.shape[1]} classes as its"
        " candidates, so that nothing tells which is right."
    )


def not_said(what: str, cell: Any, row: Any) -> Refusal:
    """The question, where nothing says what several labels are.

    Args:
        what, row: what a message calls the column and the row. cell: as it stands there.
    """
    return Refusal(
        f"{what} has several labels in a cell, such as {cell!r} at row {row}, and nothing says"
        " whether one of them is right or all are.",
        f"if one of them is right, say {passed('label_kind', ONE_OF)}",
        f"if all of them are, {passed('label_kind', ALL_OF)}",
        f"if such a cell is one name, {passed('label_kind', SINGLE)}",
    )
