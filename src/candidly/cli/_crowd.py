"""What ``candidly crowd`` reads and prints around the consensus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.ingest import Roles
from ..data.ingest.table_checks import listed
from ..show.grid import Grid

if TYPE_CHECKING:
    import polars as pl

    from ..data.ingest.answers import AnswerTable
    from ..data.ingest.prob_rows import ProbRows
    from ..people.crowd import Answers, Consensus


def read_answers(
    what: str,
    probs: Path | None,
    classes: Sequence[str] | None,
    normalise: bool,
    root: Path | None,
    roles: Roles,
    workers: int,
    on: str | None,
    keep: Any = None,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[Answers, np.ndarray | None, np.ndarray | None]:
    """Answers from a table, one or in parts, a saved data set or a known one; probabilities in
    their order; and the known class of each item, -1 where none is, of a table that has some.

    Raises:
        ValueError, FileNotFoundError, KeyError: what is wrong, by name.
    """
    from ..data.ingest import is_table
    from ..data.ingest.answer_parts import read_answer_parts
    from ..data.ingest.answers import read_answers as answers_in
    from ..data.ingest.probabilities import open_source
    from ..data.ingest.shards import is_address
    from ..data.sources import is_known, refuse_root

    beliefs = known = None
    if probs is not None:
        # columns in their own order: which are the classes' is seen with the answers
        beliefs = open_source(
            probs, normalise, roles=Roles(separator=roles.separator, header=roles.header)
        )
        if not beliefs.n or not beliefs.m:
            raise ValueError(f"{probs} has no {'columns beside item' if beliefs.n else 'rows'}.")
    path = Path(what).expanduser()
    in_parts = is_address(what) or (path.is_dir() and not is_table(path) and not is_known(what))
    if in_parts or is_table(path):
        refuse_root(root, what)
    if in_parts:
        place = what if is_address(what) else path
        table = read_answer_parts(place, roles, workers=workers, on=on, watch=watch)
        said, known = _of_table(table, beliefs, classes, keep)
    elif on is not None:
        raise ValueError(
            f"--on {on} is where parts are read; {what} is no folder or address of parts."
        )
    elif is_table(path):
        said, known = _of_table(answers_in(path, roles), beliefs, classes, keep)
    else:
        said = _of_data(what, classes, root, roles.merge_labels)
    if beliefs is None:
        return said, None, known
    return said, _in_order(beliefs, said), known


def _of_table(
    table: AnswerTable, beliefs: ProbRows | None, classes: Sequence[str] | None, keep: Any
) -> tuple[Answers, np.ndarray | None]:
    import polars as pl

    from ..people.crowd import answers_of, known_in

    frame, path = table.frame, table.path
    item, label = frame["item"], frame["label"].drop_nulls()
    items: Any = None
    named: Any = classes
    if beliefs is not None and beliefs.ids is None:
        items = beliefs.n
        if not item.dtype.is_integer():
            raise ValueError(
                f"rows of {beliefs.name} go by number, but items of {path} do not; give the"
                " probabilities a column `item`, as `candidly check --probs FILE.parquet` does."
            )
        if named is None and not label.dtype.is_numeric():
            raise ValueError(
                f"{path} has names of classes; say which column of {beliefs.name} is which with"
                " --classes."
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
    return said, known_in(table, said)


def _check_known(what: str, said: pl.Series, known: Any, where: str, path: Path | str) -> None:
    """Refuse answers about an item, or a class, that the file of probabilities lacks."""
    there = set(known)
    for name in said.unique(maintain_order=True):
        if name not in there:
            raise ValueError(f"{where} lacks the {what} {name!r}, which {path} has.")


def _of_data(what: str, classes: Sequence[str] | None, root: Path | None, merge: Any) -> Answers:
    from ..data.labels.merging import merge_classes
    from ..data.sources import load
    from ..people.crowd import Answers

    data = merge_classes(load(what, root), merge)
    if classes is not None:
        if len(classes) != data.q:
            raise ValueError(f"--classes has {len(classes)} names; {what} has {data.q} classes.")
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


def read_known(path: Path, answers: Answers, roles: Roles) -> np.ndarray:
    """Labels of some items from a table of ids and labels: int64 (n,), -1 where none is known.

    Raises:
        ValueError: no ids, one that is there twice, an item or a class that the answers lack.
    """
    from ..data.ingest.labels import label_numbers, read_labels

    read = read_labels(path, replace(roles, label=None, id=None), answers.classes)
    if read.ids is None:
        raise ValueError(
            f"{path} does not name its items; give it a column `item` (or `id`) beside the labels."
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


def put_into(found: Consensus, path: Path, out: Path, roles: Roles) -> None:
    """Writes a table again, with a column ``consensus`` of the items that its ids name.

    Raises:
        ValueError: no column of ids, an item that it lacks, or what ``ingest.write_back`` refuses.
    """
    from ..data.ingest import one_an_item, read_frame, write_back

    sheet = read_frame(path, roles.separator, roles.table(), roles.sheet, roles.reads)
    sheet = one_an_item(sheet, replace(roles, id=None))
    key = roles.id or next((name for name in ("id", "item") if name in sheet.frame.columns), None)
    if key is None or key not in sheet.frame.columns:
        raise ValueError(
            f"{path} has no column {key or 'id'!r}, but {listed(sheet.frame.columns)}; name the one"
            " of ids with --id."
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
    write_back(sheet, {"consensus": [label_of.get(name) for name in ids]}, out, key)


def summary(found: Consensus, by: str) -> Iterator[str]:
    """Lines on what was read and what came out."""
    from ..people.crowd import Crowdlab, DawidSkene, Majority

    answers = found.answers
    unasked = int((answers.per_item == 0).sum())
    without = f", {unasked:,} of them unanswered" if unasked else ""
    yield (
        f"{len(answers):,} answers about {answers.n:,} items{without} by"
        f" {len(answers.annotators):,} annotators, {answers.m:,} classes"
    )
    known = found.quality[~np.isnan(found.quality)]
    yield f"consensus by {by}: mean quality {known.mean():.3f}"
    if isinstance(found, Majority) and any(found.ties.values()):
        told = ", ".join(f"{count:,} {name}" for name, count in found.ties.items() if count)
        yield f"ties decided by: {told}"
    if isinstance(found, DawidSkene):
        ended = "converged" if found.converged else "not converged"
        rounds = len(found.log_likelihood)
        yield f"{rounds} rounds, {ended}, log-likelihood {found.log_likelihood[-1]:.1f}"
    if isinstance(found, Crowdlab):
        changed = int((found.labels != found.majority).sum())
        yield (
            f"{changed:,} labels differ from the majority; the model weighs"
            f" {found.model_weight:.2f}, an annotator {found.weights.mean():.2f} on average"
        )


def tables(found: Consensus, people: pl.DataFrame, top: int) -> Iterator[Grid | str]:
    """Doubtful items, annotators and what to ask about next, and how much is left out."""
    from ..people.crowd.consensus_page import annotators_grid, doubts_grid, next_grid

    for grid, there, what in (
        (doubts_grid(found, top), found.answers.n, "items"),
        (annotators_grid(people, top), len(people), "annotators"),
        (next_grid(found, top), found.answers.n, "items"),
    ):
        yield grid
        if top < there:
            yield f"the first {top:,} of {there:,} {what}; --top gives more"
