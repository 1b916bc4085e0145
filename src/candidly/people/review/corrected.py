"""Labels corrected by the verdicts so far: of a data set, or in the table that they came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...data.ingest import Sheet, check_origin, corrected_columns, labels_in, write_back
from ...ground.arrays import door
from ...ground.problem import Refusal
from .. import validation
from ..validation import Corrected, Reading
from .project import Project
from .totals import verdicts


@door
def corrected_labels(project: Project, data: Any, reading: Reading = "exact") -> Corrected:
    """Labels of the whole data set, corrected by the verdicts so far; see ``validation.corrected``.

    Args:
        data: ``Labelled`` with ``given``, or labels, int (n,).
        reading: ``exact`` or ``seen``.
    """
    return validation.corrected(data, verdicts(project), reading)


def corrected_file(
    project: Project,
    sheet: Sheet,
    out: Path | str,
    label: str | None = None,
    reading: Reading = "exact",
    overwrite: bool = False,
) -> Corrected:
    """Writes the table that the items came from, with corrected labels beside the old ones.

    Args:
        sheet: that table, from ``ingest.read_frame``.
        out: see ``ingest.write_back``, as ``overwrite``.
        label: its column of labels, where the project does not know it.

    Raises:
        ValueError: another table, or the same with other rows; one that was corrected before; more
            than a label in a cell; a question without verdicts.
    """
    if project.origin is not None:
        check_origin(sheet, project.origin)
        label = project.origin.label
    elif label is None:
        raise Refusal(
            f"nothing says which column of {sheet.path} holds the labels.", "name it with `label`"
        )
    classes = project.rules.classes
    made = corrected_labels(project, labels_in(sheet, label, classes), reading)
    columns = corrected_columns(sheet, label, classes, made.labels, made.sources)
    write_back(sheet, columns, out, label, overwrite)
    return made
