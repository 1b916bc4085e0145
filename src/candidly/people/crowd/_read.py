"""Answers from tables in files, in one or in parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest import Roles, is_table
from ...data.ingest.answer_parts import read_answer_parts
from ...data.ingest.answers import AnswerTable
from ...data.ingest.answers import read_answers as answers_in
from ...data.ingest.shards import is_address
from ...data.ingest.table_checks import about
from ._answers import Answers


def read_answers(
    place: str | Path | Sequence[str | Path],
    *,
    roles: Roles | None = None,
    items: Any = None,
    classes: Sequence[str] | int | None = None,
    workers: int = 1,
    on: str | None = None,
) -> Answers:
    """The answers of a table with columns item, annotator and label, or of many such tables.

    Items, annotators and labels go by their names: an item in several parts is one item. What is
    found is the same however the answers are cut into parts, and whatever their order.

    Args:
        place: of a table; a folder or an address such as ``s3://bucket/answers`` of tables that
            are parts of one; or a list of these tables.
        roles: what the columns are called (``ingest.Roles``).
        items, classes: as of ``Answers.from_columns``.
        workers: how many parts are read at the same time, where ``on`` says where.
        on: where parts are read: ``processes`` of this machine, ``ray`` or ``ray:ADDRESS``, a Ray
            cluster whose nodes can open them. By default here, one after another.

    Raises:
        FileNotFoundError, ValueError: a part that is missing, damaged, listed twice or has other
            columns; an annotator who answers an item twice, in whatever parts; and what
            ``Answers.from_columns`` refuses. The message names the part, and the row within it.
    """
    if isinstance(place, str | Path) and not is_address(place):
        path = Path(place).expanduser()
        if is_table(path) or not path.is_dir():
            return answers_of(answers_in(path, roles), items, classes)
    return answers_of(read_answer_parts(place, roles, workers=workers, on=on), items, classes)


def answers_of(
    table: AnswerTable, items: Any = None, classes: Sequence[str] | int | None = None
) -> Answers:
    """The answers of a table; by default about all its items, with an answer or without.

    Raises:
        ValueError: what ``Answers.from_columns`` refuses, with the file or part, and its row.
    """
    frame = table.frame
    answered = frame["label"].is_not_null()
    if items is None and not answered.all():
        items = sorted(frame["item"].unique().to_list())
    rows = np.flatnonzero(answered.to_numpy())
    columns = (frame[name].filter(answered) for name in ("item", "annotator", "label"))
    with about(table.path):
        return Answers.from_columns(*columns, items=items, classes=classes, rows=table.called(rows))
