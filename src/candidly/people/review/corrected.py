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
from ...ground.progress import OnProgress
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
    those who answered holds. So are yes and no, where a label without enough of the former goes.

    Args:
        data: ``Labelled`` with ``given``, or labels, int (n,).
        reading: ``exact`` or ``seen``. undecided: ``keep`` or ``prune``.

    Raises:
        ValueError: a question about several labels; see ``verdicts`` and ``validation.corrected``.
    """
    if project.rules.asked.several:
        raise Refusal(
            f"the question is {project.rules.question!r}, and sets of labels are no one label of a "
            "row.",
            "correct the table that they came from with `into`",
        )
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
    made = _of_sets(
        project,
        tags,
        "tags",
        lambda before, chosen, said: np.where(2 * chosen == said, before, 2 * chosen > said),
    )
    for row, one in by_row(project).items():
        made.tags[row], made.sources[row] = False, "decided"
        made.tags[row, list(labels_of(one.choice, rules))] = True
    return made


def _of_sets(
    project: Project,
    sets: Any,
    name: str,
    holds: Callable[[np.ndarray, np.ndarray, int], np.ndarray],
) -> CorrectedTags:
    """Sets of labels after people were asked; ``holds`` makes one of what was, who chose which
    label, and how many answered."""
    rules = project.rules
    made = np.array(sets, bool)
    if made.ndim != 2 or made.shape[1] != len(rules.classes):
        raise ValueError(
            f"`{name}` has shape {made.shape}, and the project {len(rules.classes)} classes."
        )
    sources = ["unflagged"] * len(made)
    for row, pattern, said in asked(project):
        if not 0 <= row < len(made):
            raise ValueError(
                f"the project asks about row {row}, and `{name}` has {len(made)} rows."
            )
        if said < rules.people:
            sources[row] = "pending"
            continue
        chosen = np.zeros(len(rules.classes), np.int64)
        for code, people in counts_of(pattern).items():
            chosen[code] = people
        held = holds(made[row], chosen, said)
        sources[row] = "confirmed" if (held == made[row]).all() else "corrected"
        made[row] = held
    return CorrectedTags(made, sources)


@door
def corrected_candidates(project: Project, sets: Any) -> CorrectedTags:
    """Labels of the whole data set that could fit, by what people named so far.

    They are all that anybody named of those who were asked, once all of them have answered.

    Args:
        sets: bool (n, q), as they were: the label, or the candidates.

    Raises:
        ValueError: another question, or sets of other rows or classes than the project's.
    """
    rules = project.rules
    if not rules.asked.several or rules.asked.all_hold:
        raise ValueError(f"the question is {rules.question!r}; only several labels make sets.")
    return _of_sets(project, sets, "sets", lambda before, chosen, said: chosen > 0)


def corrected_folder(
    project: Project,
    data: Labelled,
    out: Path | str,
    reading: Reading = "exact",
    undecided: Undecided = "keep",
    watch: OnProgress = lambda done, total: None,
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
    if project.rules.asked.several:
        raise ValueError("pictures with several labels are in no one class's folder.")
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
    if project.rules.asked.several:
        if (reading, undecided) != ("exact", "keep"):
            raise ValueError(
                "`reading` and `undecided` are about verdicts, and the question is which labels "
                "there are; leave them out."
            )
        separator = BAR if project.origin is None else project.origin.separator
        make = corrected_tags if project.rules.asked.all_hold else corrected_candidates
        tags = make(project, ingest.tags_in(sheet, label, classes, separator, merge))
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
