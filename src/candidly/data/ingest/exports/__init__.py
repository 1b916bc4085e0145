"""Exports of annotation tools, recognised by what they hold, as tables with an answer a row.

``EXPORTS`` lists what is known, each with what recognises it by its first record and what reads it.
To add a tool, add a file with the two functions and a line to the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ....ground.numbers import count_of
from ._argilla import (
    is_classified,
    is_feedback,
    is_records,
    is_rows,
    read_classified,
    read_feedback,
    read_records,
    read_rows,
)
from ._doccano import is_texts, read_texts
from ._label_studio import ANSWER, ITEM, is_short, is_tasks, read_short, read_tasks
from ._prodigy import is_decisions, read_decisions
from ._shape import Export, table_of
from ._toloka import is_assignments, read_assignments

if TYPE_CHECKING:
    import polars as pl

Record = Mapping[str, Any]


class Kind(NamedTuple):
    """A format: its name, what recognises it by its first record, and what reads it.

    ``read`` takes all records and the file's name without its ending.
    """

    name: str
    fits: Callable[[Record], bool]
    read: Callable[[Sequence[Record], str], Export]


EXPORTS = (
    Kind("Label Studio export", is_tasks, read_tasks),
    Kind("Label Studio export, short form", is_short, read_short),
    Kind("Argilla records", is_records, read_records),
    Kind("Argilla data set", is_rows, read_rows),
    Kind("Argilla feedback data set", is_feedback, read_feedback),
    Kind("Argilla text classification", is_classified, read_classified),
    Kind("Prodigy decisions", is_decisions, read_decisions),
    Kind("doccano export", is_texts, read_texts),
    Kind("Toloka assignments", is_assignments, read_assignments),
)


_HEADER = re.compile(rb"ASSIGNMENT:worker_id|\bannotator\b.*\bannotation_id\b")


class ReadAs(UserWarning):
    """What a file was taken for: said once, and nothing to worry about."""


def is_export_header(line: bytes) -> bool:
    """Whether the first line of a table of text is an export's names of columns."""
    return _HEADER.search(line) is not None


def kind_of(first: Record) -> Kind | None:
    """The format whose first record this is; None for a plain table."""
    return next((kind for kind in EXPORTS if kind.fits(first)), None)


def read_export(kind: Kind, records: Sequence[Record], stem: str) -> tuple[pl.DataFrame, str]:
    """The table of an export, and a line that says what it was taken for.

    Raises:
        ValueError: it holds no answers that are labels; see the readers.
    """
    try:
        export = kind.read(records, stem)
    except (AttributeError, KeyError, TypeError):
        raise ValueError(
            f"it begins like {kind.name}, and holds something else further on; export it again."
        ) from None
    frame = table_of(export)
    return frame, told(kind.name, frame, export.left_out)


def told(name: str, frame: pl.DataFrame, left_out: Mapping[str, int] | None = None) -> str:
    """What a table of answers was taken for, in a line."""
    people, items = frame["annotator"].drop_nulls().n_unique(), frame["item"].n_unique()
    answers = len(frame) - frame["annotator"].null_count()
    counts = [(people, "annotator"), (items, "item"), (answers, "answer")]
    line = f"read as: {name}, " + ", ".join(count_of(n, what) for n, what in counts)
    out = ", ".join(f"{count:,} {why}" for why, count in (left_out or {}).items())
    return f"{line}; left out: {out}" if out else line


__all__ = [
    "ANSWER",
    "EXPORTS",
    "ITEM",
    "Kind",
    "ReadAs",
    "is_export_header",
    "kind_of",
    "read_export",
    "told",
]
