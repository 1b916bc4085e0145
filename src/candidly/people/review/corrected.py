"""Labels corrected by the verdicts so far: of a data set, or in the table that they came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...data import ingest
from ...data.ingest import (
    FolderWritten,
    Sheet,
    check_origin,
    columns_of,
    corrected_columns,
    labels_in,
    write_back,
    write_folder,
)
from ...data.labels.labelled import Labelled
from ...data.labels.text import BAR
from ...ground.arrays import door
from ...ground.problem import Refusal
from .. import validation
from ..validation import Corrected, Reading, Undecided
from .deciding import by_row, labels_of
from .project import Project
from .questions import counts_of
from .totals import asked, names_by_row, verdicts


@door
def corrected_labels(
    project: Project, data: Any, reading: Reading = "exact", undecided: Undecided = "keep"
) -> Corrected:
    """Labels of the whole data set, corrected by the verdicts and decisions so far.

    See ``validation.corrected``. Answers to one label are verdicts too: that of more than half of
    those who answered holds.

    Args:
        data: ``Labelled`` with ``given``, or labels, int (n,).
        reading: ``exact`` or ``seen``. undecided: ``keep`` or ``prune``.
    """
    made = verdicts(project)
    return validation.corrected(data, made, reading, undecided, _decided(project))


def _decided(project: Project) -> dict[int, int]:
    """Labels that the organiser decided on, by row; -1 where the row is to go."""
    return {
        row: -1 if one.removes else labels_of(one.choice, project.rules)[0]
        for row, one in by_row(project).items()
    }


@dataclass(frozen=True, eq=False)
class CorrectedTags:
    """Labels of n examples, all of which hold, after some were looked at.

    Attributes:
        tags: bool (n, q), those to use.
        sources: n words: ``unflagged``; ``pending``, too few answers so far, and the tags stay;
            ``confirmed`` or ``corrected``; ``decided`` by the organiser.
    """

    tags: np.ndarray
    sources: list[str]

    def __len__(self) -> int:
        """Number of examples."""
        return len(self.tags)


@door
def corrected_tags(project: Project, tags: Any) -> CorrectedTags:
    """Tags of the whole data set, corrected by the answers so far.

    A tag holds if more than half of those who answered chose it; of as many for as against, it
    stays as it was. An item counts once as many people answered as are asked about it.

    Args:
        tags: bool (n, q), as they were.

    Raises:
        ValueError: another question, or tags of other rows or classes than the project's.
    """
    rules = project.rules
    if not rules.asked.all_hold:
        raise ValueError(f"the question is {rules.question!r}; only all labels make tags.")
    made = np.array(tags, bool)
    if made.ndim != 2 or made.shape[1] != len(rules.classes):
        raise ValueError(
            f"`tags` has shape {made.shape}, and the project {len(rules.classes)} classes."
        )
    sources = ["unflagged"] * len(made)
    for row, pattern, said in asked(project):
        if not 0 <= row < len(made):
            raise ValueError(f"the project asks about row {row}, and `tags` has {len(made)} rows.")
        if said < rules.people:
            sources[row] = "pending"
            continue
        chosen = np.zeros(len(rules.classes), np.int64)
        for code, people in counts_of(pattern).items():
            chosen[code] = people
        held = np.where(2 * chosen == said, made[row], 2 * chosen > said)
        sources[row] = "confirmed" if (held == made[row]).all() else "corrected"
        made[row] = held
    for row, one in by_row(project).items():
        made[row], sources[row] = False, "decided"
        made[row, list(labels_of(one.choice, rules))] = True
    return CorrectedTags(made, sources)


def corrected_folder(
    project: Project,
    data: Labelled,
    out: Path | str,
    reading: Reading = "exact",
    undecided: Undecided = "keep",
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> FolderWritten:
    """Copies the folder of pictures that the items came from, each picture to its right class.

    Args:
        data: that folder, read with the project's classes.
        out, watch: see ``ingest.write_folder``.
        reading, undecided: see ``corrected_labels``.

    Raises:
        ValueError: other pictures than the project asks about; what ``write_folder`` refuses; a
            question whose answers come to no label of an item.
    """
    ids = [str(id) for id in data.ids]
    for row, name in names_by_row(project).items():
        if not 0 <= row < len(ids) or ids[row] != name:
            raise ValueError(
                f"the project asks about {name!r} in row {row}, where {data.source} has"
                f" {ids[row] if 0 <= row < len(ids) else 'nothing'!r}. Give the folder as it was."
            )
    if project.rules.asked.all_hold:
        raise ValueError("pictures of which several labels hold are in no one class's folder.")
    made = corrected_labels(project, data.given, reading, undecided)
    return write_folder(data, made.labels, made.sources, out, watch)


def corrected_file(
    project: Project,
    sheet: Sheet,
    out: Path | str,
    label: str | None = None,
    reading: Reading = "exact",
    overwrite: bool = False,
    undecided: Undecided = "keep",
) -> Corrected | CorrectedTags:
    """Writes the table that the items came from, with corrected labels beside the old ones.

    Args:
        sheet: that table, from ``ingest.read_frame``.
        out: see ``ingest.write_back``, as ``overwrite``.
        label: its column of labels, where the project does not know it.
        undecided: ``keep`` or ``prune`` labels on which people differ.

    Raises:
        ValueError: another table, or the same with other rows; one that was corrected before; more
            than a label in a cell, where one is asked for; a question without verdicts.
    """
    if project.origin is not None:
        check_origin(sheet, project.origin)
        label = project.origin.label
    elif label is None:
        raise Refusal(
            f"nothing says which column of {sheet.path} holds the labels.", "name it with `label`"
        )
    classes = project.rules.classes
    merge = project.origin.merge if project.origin is not None else False
    if project.rules.asked.all_hold:
        if (reading, undecided) != ("exact", "keep"):
            raise ValueError(
                "`reading` and `undecided` are about verdicts, and the question is which labels "
                "hold; leave them out."
            )
        separator = BAR if project.origin is None else project.origin.separator
        tags = corrected_tags(project, ingest.tags_in(sheet, label, classes, separator, merge))
        cells = ingest.corrected_tags(
            sheet, label, classes, tags.tags, tags.sources, separator, merge
        )
        write_back(sheet, cells, out, columns_of(label, sheet.frame.columns)[-1], overwrite)
        return tags
    labels = labels_in(sheet, label, classes, merge)
    made = corrected_labels(project, labels, reading, undecided)
    columns = corrected_columns(sheet, label, classes, made.labels, made.sources, merge)
    write_back(sheet, columns, out, label, overwrite)
    return made
