"""Answers of people from files, with what a model says of the items and what is known of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest import Roles, is_table, one_an_item, read_frame, write_back
from ...data.ingest.answer_parts import read_answer_parts
from ...data.ingest.answers import read_answers
from ...data.ingest.labels import label_numbers, read_labels
from ...data.ingest.probabilities import open_source
from ...data.ingest.shards import is_address
from ...data.ingest.table_checks import listed, typed
from ...data.ingest.unused import (
    ANSWERS,
    LABELS,
    OF_CELLS,
    RolesUsed,
    as_read,
    parts_read,
    refuse_unused,
)
from ...data.labels.merging import merge_classes
from ...data.sources import is_known, load, refuse_root
from ...ground.names import made_by
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ._answers import Answers
from ._consensus import Consensus
from ._read import Keep, answers_of, known_in

if TYPE_CHECKING:
    import polars as pl

    from ...data.ingest.answers import AnswerTable
    from ...data.ingest.prob_rows import ProbRows


ISO = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}|$)"  # a text that sorts by time


@dataclass(frozen=True, eq=False)
class CrowdRead:
    """What was read.

    Attributes:
        answers: the answers of people.
        probs: float (n, m), a model's probabilities in the order of the items and classes; or None.
        known: int64 (n,), the class of items whose class is known, -1 for others; None where no
            file says any.
        when: (answers,), when each was given, as ``drift`` takes it; None where no column says so.
    """

    answers: Answers
    probs: np.ndarray | None = None
    known: np.ndarray | None = None
    when: np.ndarray | None = None


def read_crowd(
    answers: Path | str,
    *,
    probs: Path | str | None = None,
    known: Path | str | None = None,
    into: Path | str | None = None,
    normalise: bool = False,
    keep: Keep | None = None,
    time: str | None = None,
    root: Path | str | None = None,
    roles: Roles | None = None,
    workers: int = 1,
    on: str | None = None,
    watch: OnProgress | None = None,
) -> CrowdRead:
    """The answers of a table, of one in parts, of a saved data set or of a known one.

    Args:
        answers: a table with an answer a row; a folder or an address of such tables; a saved
            ``.npz`` with votes; or the name of a known data set.
        probs: a model's out-of-sample probabilities: a table with a column ``item`` (or ``id``) and
            one per class, or numbers alone whose rows are items 0, 1, 2 and so on.
        known: items whose class is known: a table of item and label; by default the column
            ``truth`` of the answers.
        into: the table that ``put_into`` will write again, for which ``roles`` may say something.
        normalise: divide each row of probabilities by its sum first.
        keep: for several answers of one annotator about one item, see ``answers_of``.
        time: the column of the answers that says when each was given.
        root: where the files of known data sets are looked for first.
        roles: what the columns are called.
        workers, on: see ``read_answers``.
        watch: called with parts read and in all.

    Raises:
        ValueError, FileNotFoundError, UnknownName: what is wrong, by name; a role that says nothing
            of any of the files.
    """
    if normalise and probs is None:
        raise Refusal("`normalise` is of probabilities, and there are none.", "give `probs`")
    roles = roles or Roles()
    what = str(answers)
    roles.refuse_several()
    refuse_unused(roles, *_files(what, probs, known, into))
    classes, answered = roles.declared, replace(roles, id=None)
    beliefs = truth = when = None
    if probs is not None:
        # columns in their own order: which are the classes' is seen with the answers
        of_cells = Roles(separator=roles.separator, header=roles.header)
        beliefs = open_source(probs, normalise, roles=of_cells)
        if not beliefs.n or not beliefs.m:
            raise ValueError(f"{probs} has no {'columns beside item' if beliefs.n else 'rows'}.")
    path = Path(what).expanduser()
    in_parts = is_address(what) or (path.is_dir() and not is_table(path) and not is_known(what))
    if in_parts or is_table(path):
        refuse_root(root, what)
    if in_parts:
        place = what if is_address(what) else path
        table = read_answer_parts(place, answered, workers=workers, on=on, watch=watch)
        said, truth, when = _of_table(table, beliefs, classes, keep, time)
    elif on is not None:
        raise ValueError(
            f"`on` is {on!r}, where parts are read; {what} is no folder or address of parts."
        )
    elif is_table(path):
        table = read_answers(path, answered)
        said, truth, when = _of_table(table, beliefs, classes, keep, time)
    elif time is not None:
        raise Refusal(f"{what} does not say when answers were given.", "leave out `time`")
    else:
        said = _of_data(what, classes, root, roles.merge_labels)
    if known is not None:
        truth = _known(Path(known), said, answered)
    return CrowdRead(said, None if beliefs is None else _in_order(beliefs, said), truth, when)


def _files(
    answers: str,
    probs: Path | str | None,
    known: Path | str | None,
    into: Path | str | None,
) -> Iterator[RolesUsed]:
    """What is read, and which roles say something of each file."""
    path = Path(answers).expanduser()
    if is_address(answers) or is_table(path) or (path.is_dir() and not is_known(answers)):
        yield from parts_read(answers, ANSWERS)
    else:
        yield RolesUsed(answers, ("classes", "merge_labels"))
    if probs is not None:
        yield as_read(probs, ("separator", "header"))
    if known is not None:
        yield as_read(known, [name for name in LABELS if name not in ("label", "id")])
    if into is not None:
        yield as_read(into, ("id", *OF_CELLS))


def _of_table(
    table: AnswerTable,
    beliefs: ProbRows | None,
    classes: Sequence[str] | None,
    keep: Keep | None,
    time: str | None,
) -> tuple[Answers, np.ndarray | None, np.ndarray | None]:
    import polars as pl

    frame, path = table.frame, table.path
    item, label = frame["item"], frame["label"].drop_nulls()
    items: Any = None
    named: Any = classes
    if beliefs is not None and beliefs.ids is None:
        items = beliefs.n
        if not item.dtype.is_integer():
            raise ValueError(
                f"rows of {beliefs.name} go by number, but items of {path} do not; give the"
                " probabilities a column called item, as those have that candidly check writes."
            )
        if named is None and not label.dtype.is_numeric():
            raise ValueError(
                f"{path} has names of classes; say which column of {beliefs.name} is which with"
                " `classes`."
            )
        named = named or beliefs.m
    elif beliefs is not None and beliefs.ids is not None:
        items, named = beliefs.ids.tolist(), named or beliefs.columns
        if item.dtype.is_integer() and all(name.isdecimal() for name in items):
            items = [int(name) for name in items]
        else:
            item = item.cast(str)
            table = replace(table, frame=frame.with_columns(pl.col("item").cast(pl.String)))
        _check_known("item", item, items, beliefs.name, path)
        if classes is None and not label.dtype.is_numeric() and not table.merge:
            _check_known("class", label.str.strip_chars(), named, beliefs.name, path)
    said = answers_of(table, items, named, keep)
    return said, known_in(table, said), None if time is None else _times(table, said, time, keep)


def _times(table: AnswerTable, said: Answers, time: str, keep: Keep | None) -> np.ndarray:
    """When each answer was given, in the order of ``said``: (answers,).

    Raises:
        ValueError: no such column, an answer without a time.
    """
    import polars as pl

    if time not in table.frame.columns:
        raise Refusal(
            f"{table.path} has no column {time!r}; its columns are {listed(table.frame.columns)}.",
            "say with `time` which one says when an answer was given",
        )
    if keep == "all":
        raise Refusal(
            "Of several answers of one annotator about an item nobody can say which is which.",
            "leave out `time`",
            "take `keep='last'`",
        )
    names = ["item", "annotator"]
    frame = table.frame.filter(pl.col("label").is_not_null())
    if keep is not None:
        frame = frame.unique(names, keep=keep, maintain_order=True)
    frame = frame.select(*(pl.col(name).cast(pl.String) for name in names), time=pl.col(time))
    of = pl.DataFrame(
        {
            "item": [str(name) for name in said.items[said.item].tolist()],
            "annotator": [said.annotators[j] for j in said.annotator.tolist()],
        }
    )
    when = of.join(frame, on=names, how="left", maintain_order="left")["time"]
    if when.has_nulls():
        row = of.row(int(when.is_null().arg_max() or 0))
        raise Refusal(
            f"{table.path}, column {time!r}, says no time of the answer of {row[1]!r} about "
            f"{row[0]!r}.",
            "leave such rows out",
        )
    return _sorting(when, table.path)


def _sorting(when: pl.Series, path: Path | str) -> np.ndarray:
    """Times that sort: numbers, dates, or texts that begin with year, month and day."""
    import polars as pl

    when = typed(when)
    if when.dtype == pl.String:
        odd = (~when.str.contains(ISO)).arg_true()
        if len(odd):
            raise Refusal(
                f"{path}, column {when.name!r}, has {when[odd[0]]!r}, which does not sort by time.",
                "write times as numbers, or as 2026-01-31 or 2026-01-31T09:30",
            )
    return when.to_numpy()


def _check_known(what: str, said: pl.Series, known: Any, where: str, path: Path | str) -> None:
    """Refuse answers about an item, or a class, that the file of probabilities lacks."""
    there = set(known)
    for name in said.unique(maintain_order=True):
        if name not in there:
            raise ValueError(f"{where} lacks the {what} {name!r}, which {path} has.")


def _of_data(
    what: str, classes: Sequence[str] | None, root: Path | str | None, merge: Any
) -> Answers:
    data = merge_classes(load(what, root), merge)
    if classes is not None:
        if len(classes) != data.q:
            raise ValueError(f"`classes` has {len(classes)} names; {what} has {data.q} classes.")
        data = replace(data, classes=tuple(classes))
    return Answers.from_labelled(data)


def _in_order(beliefs: ProbRows, said: Answers) -> np.ndarray:
    """Rows as the items, columns as the classes."""
    values = beliefs.read(0, beliefs.n)
    if beliefs.ids is None or beliefs.columns is None:
        return values  # by number; the shape is checked with the rest
    rows = _places("item", beliefs.name, beliefs.ids.tolist(), said.items)
    columns = _places("class", beliefs.name, list(beliefs.columns), said.classes)
    return values[rows][:, columns]


def _places(what: str, path: str, there: list[str], wanted: Any) -> list[int]:
    place = {name: number for number, name in enumerate(there)}
    names = [str(name) for name in wanted]
    for name in names:
        if name not in place:
            raise ValueError(f"{path} lacks the {what} {name!r}.")
    if len(there) > len(names):
        other = next(name for name in there if name not in set(names))
        raise ValueError(f"{path} has the {what} {other!r}, which is not among the answers.")
    return [place[name] for name in names]


def _known(path: Path, answers: Answers, roles: Roles) -> np.ndarray:
    """Labels of some items from a table of ids and labels: int64 (n,), -1 where none is known.

    Raises:
        ValueError: no ids, one that is there twice, an item or a class that the answers lack.
    """
    read = read_labels(path, replace(roles, label=None, id=None), answers.classes)
    if read.ids is None:
        raise ValueError(
            f"{path} does not name its items; give it a column called item or id beside the labels."
        )
    place = {str(item): row for row, item in enumerate(answers.items.tolist())}
    known = np.full(answers.n, -1)
    for name, label in zip(read.ids.tolist(), label_numbers(read, answers.classes).tolist()):
        if name not in place:
            raise ValueError(f"{path} has the item {name!r}, which is not among the answers.")
        if label >= answers.m:
            raise ValueError(
                f"{path} has the label {label} of {name}; there are {answers.m} classes."
            )
        known[place[name]] = label
    return known


def put_into(
    found: Consensus, path: Path | str, out: Path | str, roles: Roles | None = None
) -> None:
    """Writes a table again, with a column ``consensus`` of the items that its ids name.

    Args:
        roles: ``id``, by default the column that is called as ``item`` of the answers; and how
            cells are read. The others are not about this table.

    Raises:
        ValueError: no column of ids, an item that it lacks, or what ``ingest.write_back`` refuses.
    """
    made_by(found, Consensus, "found", "crowd.consensus")
    roles = roles or Roles()
    usual = [name for name in (roles.item, "id", "item") if name is not None]
    roles = replace(roles, label=None, annotator=None, annotators=(), item=None, drop=())
    path = Path(path)
    sheet = read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads)
    sheet = one_an_item(sheet, replace(roles, id=None))
    key = roles.id or next((name for name in usual if name in sheet.frame.columns), None)
    if key is None or key not in sheet.frame.columns:
        raise ValueError(
            f"{path} has no column {key or 'id'!r}, but {listed(sheet.frame.columns)}; name the one"
            " of ids with `id`."
        )
    classes = found.answers.classes
    label_of = {
        str(item): classes[label] if label >= 0 else None
        for item, label in zip(found.answers.items.tolist(), found.labels.tolist())
    }
    ids = [str(name) for name in sheet.frame[key].to_list()]
    there = set(ids)
    for item in label_of:
        if item not in there:
            raise ValueError(f"{path}, column {key!r}, lacks the item {item!r} of the answers.")
    write_back(sheet, {"consensus": [label_of.get(name) for name in ids]}, Path(out), key)
