"""Verdicts and corrected labels from files: the answers, and the labels that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, get_args

import numpy as np

from ...data.ingest import (
    Roles,
    Sheet,
    classes_in,
    corrected_columns,
    ids_in,
    label_column,
    labels_in,
    read_frame,
    write_back,
    write_folder,
)
from ...data.ingest.arrays import check_kind
from ...data.ingest.labels import label_numbers, read_labels, shown_classes
from ...data.ingest.texts import read_json
from ...data.ingest.unused import ANSWERS, LABELS, RolesUsed, as_read, refuse_unused
from ...data.labels.labelled import Labelled
from ...data.sources import load
from ...ground.files import replacing, write_table
from ...ground.names import lookup
from ...ground.progress import OnProgress
from ...stats.checked import RowsToCheck
from ._answers import read_answers
from ._corrected import Corrected, Undecided, corrected
from ._estimate import Missed, missed
from ._released import read_released
from ._totals import Reading
from ._verdicts import Verdicts, judge
from .tally import SetTally, Tally

_OF_FOLDER = ("classes", "merge_labels", "damaged")  # roles that say something of pictures
FORMATS = {"released": True, "long": False}  # of answers: as label-errors has them, or a table


@dataclass(frozen=True, eq=False)
class LabelFile:
    """The labels of a data set, as a file has them.

    Attributes:
        labels: int (n,), places in ``classes`` where these are known.
        classes: their names in order, or None.
        ids: (n,) names of the rows, or None.
        sheet: the table that corrected labels go back into, or None.
        column: the column of the labels in it.
        pictures: the folder of pictures that has the labels, or None.
        merge: classes that were made one.
    """

    labels: np.ndarray
    classes: Sequence[str] | None
    ids: Any = None
    sheet: Sheet | None = None
    column: str = ""
    merge: Any = False
    pictures: Labelled | None = None


@dataclass(frozen=True, eq=False)
class Validation:
    """What answers say.

    Attributes:
        tally, verdicts: of the items that were asked about.
        size: examples of the data set, where that is known; flagged: of these.
        missed: what the unflagged ones may hide; None where ``size`` is not known.
        labels: the labels of the data set, where a file has them.
        reading: what counts as an error, where labels are corrected.
        undecided: whether labels on which people differ are kept or pruned then.
    """

    tally: Tally | SetTally
    verdicts: Verdicts
    size: int | None
    flagged: int | None
    missed: Missed | None
    labels: LabelFile | None
    reading: Reading = "exact"
    undecided: Undecided = "keep"

    @cached_property
    def corrected(self) -> Corrected:
        """The labels to use instead.

        Raises:
            ValueError: no file of labels was read, or they are sets of classes.
        """
        if self.labels is None:
            raise ValueError("`labels` or `into` says which labels are to be corrected.")
        return corrected(self.labels.labels, self.verdicts, self.reading, self.undecided)

    @property
    def correctable(self) -> bool:
        """Whether there are labels to correct, one an example."""
        return self.labels is not None and not isinstance(self.tally, SetTally)

    def write(
        self, out: Path | str, overwrite: bool = False, watch: OnProgress = lambda done, total: None
    ) -> None:
        """Writes corrected labels: beside the old ones in their table, or as a file of their own.

        Args:
            out: ``.npz``, ``.npy``, ``.parquet`` or ``.csv``; of a table what that is.
            overwrite: it may be the table that was read.
            watch: called with pictures copied and in all.

        Raises:
            ValueError: see ``corrected``; what ``ingest.write_back`` refuses.
        """
        made = self.corrected
        assert self.labels is not None
        write_corrected(made, self.labels, Path(out), overwrite, watch)


def read_validation(
    votes: Path | str,
    labels: Path | str | None = None,
    into: Path | str | None = None,
    *,
    votes_format: str | None = None,
    index: Path | str | None = None,
    threshold: int | None = None,
    reading: str = "exact",
    undecided: str = "keep",
    size: int | None = None,
    flagged: int | None = None,
    audited: int = 0,
    audit_errors: int = 0,
    roles: Roles | None = None,
) -> Validation:
    """Verdicts of the answers in a file.

    Args:
        votes: a released ``.json`` file, or a table with an answer a row: ``read_answers``.
        labels: all labels of the data set, a table, an ``.npy``, or a ``.json`` list of names of
            files whose folders are their classes.
        into: the table with these labels, which ``Validation.write`` writes again; or a folder of
            pictures with a subfolder for each class, which it copies.
        votes_format: ``released`` or ``long``; by default what the file's ending says.
        index: a JSON list of file names in order of the data set, of released answers.
        threshold: people that make a verdict, see ``judge``.
        reading: what counts as an error: ``exact`` or ``seen``, see ``corrected``.
        undecided: ``keep`` or ``prune`` labels on which people differ.
        size: examples of the data set; by default the labels.
        flagged: examples that were flagged, where those checked are a random sample.
        audited, audit_errors: unflagged examples that were checked, and errors among these.
        roles: what the columns are called.

    Raises:
        FileNotFoundError, ValueError: what is wrong, by file, row or name; a role that says nothing
            of any of the files.
    """
    roles = roles or Roles()
    read_as, differ = checked_reading(reading), checked_undecided(undecided)
    roles.refuse_several()
    votes, released = Path(votes), _is_released(Path(votes), votes_format)
    of_answers = () if released else [name for name in ANSWERS if name != "label"]
    others = [] if labels is None else [_labels_used(labels)]
    if into is not None:
        others += [
            RolesUsed(f"{into}, a folder of pictures", _OF_FOLDER)
            if Path(into).is_dir()
            else as_read(into, set(LABELS) - {"label_separator"})
        ]
    refuse_unused(roles, as_read(votes, of_answers), *others)
    of_labels = replace(roles, item=None, annotator=None, drop=())
    own: LabelFile | None = None
    if into is not None:
        own = (read_folder if Path(into).is_dir() else read_table)(Path(into), of_labels)
    elif labels is not None:
        own = read_label_file(labels, of_labels)
    classes = roles.declared if own is None or own.classes is None else list(own.classes)
    tally = _tally(votes, released, own, index, classes, replace(roles, label=None, id=None))
    drawn = tally.drawn if isinstance(tally, Tally) else None
    verdicts = judge(tally, threshold)
    size = _size(size, own, flagged, len(tally))
    if drawn is not None:
        _check_drawn(drawn, own, size, flagged, audited)
        size, flagged = int(drawn.sizes.sum()), None
    unflagged = (
        None
        if size is None or drawn is not None
        else size - (len(tally) if flagged is None else flagged)
    )
    if unflagged is None and audited:
        raise ValueError("`audited` is about the unflagged examples; say with `size` how many.")
    about_missed = None if unflagged is None else missed(unflagged, audited, audit_errors)
    return Validation(tally, verdicts, size, flagged, about_missed, own, read_as, differ)


def _labels_used(path: Path | str) -> RolesUsed:
    if Path(path).suffix == ".json":
        return RolesUsed(f"{path}, a list of names of files", ())
    return as_read(path, LABELS)


def _check_drawn(
    drawn: RowsToCheck, own: LabelFile | None, size: int | None, flagged: int | None, audited: int
) -> None:
    """Refuse what is said beside rows that were drawn by strata, and stand for all labels.

    Raises:
        ValueError: something about flagged examples, another number of labels.
    """
    if flagged is not None or audited:
        raise ValueError(
            "the rows were drawn from all labels for a count, flagged or not; leave `flagged` and"
            " `audited` out."
        )
    labelled = int(drawn.sizes.sum())
    there = size if own is None else int(np.count_nonzero(own.labels >= 0))
    if there is not None and there != labelled:
        raise ValueError(f"the rows were drawn from {labelled:,} labels, and there are {there:,}.")


def read_label_file(
    path: Path | str, roles: Roles | None = None, classes: Sequence[str] | None = None
) -> LabelFile:
    """All labels of a data set, one an example, from a table, an array or a list of file names.

    Of names of files in a ``.json`` list, as those of ImageNet's pictures are released, the folder
    that a file is in is its class; a class's number is its folder's place in order of names, as it
    is in the released answers about them.

    Args:
        classes: names in order; by default those that ``roles`` declares, or that labels show.

    Raises:
        FileNotFoundError, ValueError: see ``ingest.labels.read_labels``.
    """
    classes = (roles or Roles()).declared if classes is None else list(classes)
    if Path(path).suffix == ".json":
        return _by_folders(Path(path))
    read = read_labels(path, roles, classes)
    if classes is None and not read.declared and read.values.ndim == 1 and read.odd is not None:
        classes = list(shown_classes([read]))
    labels = label_numbers(read, classes)
    if labels.dtype.kind not in "iu":
        raise ValueError(f"`labels` holds {labels.dtype}; labels are whole numbers, or names.")
    if labels.ndim != 1:
        raise ValueError(f"`labels` has shape {labels.shape}; labels are one an example.")
    return LabelFile(np.asarray(labels), classes, read.ids)


def _by_folders(path: Path) -> LabelFile:
    """Labels by the folders of files.

    Raises:
        ValueError: no list of names, names without a folder, or one folder.
    """
    names = read_json(path)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{path} is no JSON list of names of files, such as ['val/cat/1.png'].")
    folders = [PurePosixPath(name).parent.name for name in names]
    classes = sorted(set(folders))
    if "" in classes or len(classes) < 2:
        raise ValueError(
            f"{path}: the files are in {'no folder' if '' in classes else 'one folder'}, and a"
            " folder is a class here. Give the labels as a table or an .npy."
        )
    places = {name: place for place, name in enumerate(classes)}
    return LabelFile(np.array([places[name] for name in folders]), None, None)


def read_table(path: Path, roles: Roles) -> LabelFile:
    """The labels of a table that corrected ones go back into."""
    sheet = read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads)
    column, merge = label_column(sheet, roles), roles.merge_labels
    classes = roles.declared or classes_in(sheet, column, merge)
    labels, ids = labels_in(sheet, column, classes, merge), ids_in(sheet, roles)
    return LabelFile(labels, classes, ids, sheet, column, merge)


def read_folder(path: Path, roles: Roles) -> LabelFile:
    """The labels of a folder of pictures, which corrected ones make another folder of."""
    own = {name: getattr(roles, name) for name in _OF_FOLDER}
    data = load(path, None, roles=Roles(**own))
    if data.given is None:
        raise ValueError(f"the pictures of {path} have no labels.")
    return LabelFile(np.asarray(data.given), list(data.classes), data.ids, pictures=data)


def write_corrected(
    made: Corrected,
    labels: LabelFile,
    out: Path,
    overwrite: bool = False,
    watch: OnProgress = lambda done, total: None,
) -> None:
    """Corrected labels, into the table that the labels are from or as a file of their own."""
    if labels.pictures is not None:
        if overwrite:
            raise ValueError("`overwrite` is of a table; of a folder, `out` is a new one.")
        write_folder(labels.pictures, made.labels, made.sources, out, watch)
    elif labels.sheet is not None:
        new = corrected_columns(
            labels.sheet,
            labels.column,
            labels.classes or (),
            made.labels,
            made.sources,
            labels.merge,
        )
        write_back(labels.sheet, new, out, labels.column, overwrite)
    elif out.suffix == ".npz":
        made.save(out)
    elif out.suffix == ".npy":
        with replacing(out) as file:
            np.save(file, made.labels, allow_pickle=False)
    else:
        write_table(made.table(labels.ids, labels.classes), out)


def checked_undecided(text: str) -> Undecided:
    """What is to become of labels on which people differ.

    Raises:
        ValueError: something else.
    """
    known: tuple[Undecided, ...] = ("keep", "prune")
    for undecided in known:
        if undecided == text:
            return undecided
    raise ValueError(f"`undecided` is {text!r}; choose {' or '.join(known)}.")


def checked_reading(text: str) -> Reading:
    """What counts as an error: exact or seen.

    Raises:
        ValueError: something else.
    """
    known: tuple[Reading, ...] = get_args(Reading)
    for reading in known:
        if reading == text:
            return reading
    raise ValueError(f"`reading` is {text!r}; choose {' or '.join(known)}.")


def _is_released(path: Path, form: str | None) -> bool:
    """Whether answers are as the researchers of label errors released theirs; else a table."""
    if form is None:
        check_kind(path, ())
    by_ending = "released" if path.suffix.lower() == ".json" else "long"
    return lookup(FORMATS, form or by_ending, "format")[1]


def _tally(
    path: Path,
    released: bool,
    labels: LabelFile | None,
    index: Path | str | None,
    classes: list[str] | None,
    roles: Roles,
) -> Tally | SetTally:
    if released:
        return read_released(path, index)
    if index is not None:
        raise ValueError("`index` is for released files; in a table, item is the row number.")
    own = None if labels is None else labels.labels
    ids = None if labels is None else labels.ids
    return read_answers(path, labels=own, ids=ids, classes=classes, roles=roles)


def _size(size: int | None, own: LabelFile | None, flagged: int | None, checked: int) -> int | None:
    n = None if own is None else len(own.labels)
    if size is not None and n is not None and size != n:
        raise ValueError(f"`size` is {size:,}, but `labels` has {n:,} rows.")
    size = size if n is None else n
    if flagged is not None and size is None:
        raise ValueError("`flagged` is of how many examples? Say with `size`, or give `labels`.")
    for name, number in (("checked", checked), ("`flagged`", flagged)):
        if size is not None and number is not None and number > size:
            raise ValueError(f"{number:,} {name}, but the data set has {size:,} examples.")
    if flagged is not None and flagged < checked:
        raise ValueError(f"`flagged` is {flagged:,}, but {checked:,} were checked.")
    return size
