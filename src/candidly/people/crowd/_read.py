"""Answers from tables in files, in one or in parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ...data.ingest import Roles, is_table
from ...data.ingest.answer_parts import read_answer_parts
from ...data.ingest.answers import AnswerTable
from ...data.ingest.answers import read_answers as answers_in
from ...data.ingest.labels import as_labels, class_numbers, shown_classes
from ...data.ingest.shards import is_address
from ...data.ingest.table_checks import about
from ...data.ingest.unused import ANSWERS, parts_read, refuse_unused
from ...ground.arrays import door
from ._answers import Answers

if TYPE_CHECKING:
    import polars as pl

Keep = Literal["first", "last", "all"]  # which of an annotator's answers about one item


@door
def read_answers(
    place: str | Path | Sequence[str | Path],
    *,
    roles: Roles | None = None,
    items: Any = None,
    classes: Sequence[str] | int | None = None,
    workers: int = 1,
    on: str | None = None,
    keep: Keep | None = None,
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
        keep: as of ``answers_of``.
        on: where parts are read: ``processes`` of this machine, ``ray`` or ``ray:ADDRESS``, a Ray
            cluster whose nodes can open them. By default here, one after another.

    Raises:
        FileNotFoundError, ValueError: a part that is missing, damaged, listed twice or has other
            columns; an annotator who answers an item twice, in whatever parts; and what
            ``Answers.from_columns`` refuses. The message names the part, and the row within it.
    """
    files = [place] if isinstance(place, str | Path) else place
    refuse_unused(roles, *(one for file in files for one in parts_read(file, ANSWERS)))
    if isinstance(place, str | Path) and not is_address(place):
        path = Path(place).expanduser()
        if is_table(path) or not path.is_dir():
            return answers_of(answers_in(path, roles), items, classes, keep)
    table = read_answer_parts(place, roles, workers=workers, on=on)
    return answers_of(table, items, classes, keep)


@door
def answers_of(
    table: AnswerTable,
    items: Any = None,
    classes: Sequence[str] | int | None = None,
    keep: Keep | None = None,
) -> Answers:
    """The answers of a table; by default about all its items, with an answer or without.

    Args:
        items, classes: as of ``Answers.from_columns``.
        keep: for several answers of one annotator about one item, the first or the last row, or all
            of them, each of which counts. By default they are refused.

    Raises:
        ValueError: what ``Answers.from_columns`` refuses, with the file or part, and its row.
    """
    if keep is not None and keep not in get_args(Keep):
        raise ValueError(f"`keep` is {keep!r}; choose {', '.join(get_args(Keep))}.")
    frame = table.frame
    answered = frame["label"].is_not_null()
    if items is None and not answered.all():
        items = sorted(frame["item"].unique().to_list())
    said = frame.select("item", "annotator", "label").with_row_index("row").filter(answered)
    if keep in ("first", "last"):
        said = said.unique(["item", "annotator"], keep=keep, maintain_order=True)
    rows = table.called(said["row"].to_numpy())
    columns = (said[name] for name in ("item", "annotator", "label"))
    if classes is None:
        classes = _with_known(said["label"], table)
    with about(table.path):
        return Answers.from_columns(
            *columns,
            items=items,
            classes=classes,
            merge_labels=table.merge,
            rows=rows,
            repeats=keep == "all",
        )


def known_in(table: AnswerTable, answers: Answers) -> np.ndarray | None:
    """The known class of each item, int64 (n,), -1 where none is; None where the table has none.

    Raises:
        ValueError: an item with two known labels, or one that is no class.
    """
    truth = _truth(table)
    if truth is None:
        return None
    place = {str(item): row for row, item in enumerate(answers.items.tolist())}
    found = np.full(answers.n, -1)
    with about(table.path):
        numbers = class_numbers(
            truth["truth"], "column 'truth'", answers.classes, table.merge
        ).tolist()
        for item, number in zip(truth["item"].cast(str), numbers):
            row = place[item]
            if found[row] >= 0 and found[row] != number:
                raise ValueError(
                    f"column 'truth' says of item {item!r} {answers.classes[found[row]]!r} and"
                    " another label, too; an item has one. Correct it, or leave it out with `drop`."
                )
            found[row] = number
    return found


def _truth(table: AnswerTable) -> pl.DataFrame | None:
    """Items whose label is known, and these labels; None where there are none."""
    if "truth" not in table.frame.columns:
        return None
    found = table.frame.select("item", "truth").drop_nulls().unique(maintain_order=True)
    return found if len(found) else None


def _with_known(said: pl.Series, table: AnswerTable) -> tuple[str, ...] | None:
    """The classes of answers and of what is known; None where nothing is."""
    truth = _truth(table)
    if truth is None:
        return None
    columns = {"label": said, "column 'truth'": truth["truth"]}
    return shown_classes([as_labels(column, what, table.merge) for what, column in columns.items()])
