"""Answers in parts: several tables that are one, in a folder, at an address, or in a list.

All answers are read before anything is made of them, and what is made goes by names of items,
people and labels. So it does not depend on how they were cut into parts, or on the order in which
these were read.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...ground.problem import Refusal, problem_of
from ...ground.progress import OnProgress
from ...ground.spread import place_of, spread
from ._roles import Roles
from .answers import AnswerTable, raw_answers, typed_answers
from .shards import by_number, fetched, is_address, parts_in
from .table_checks import about, listed

if TYPE_CHECKING:
    import polars as pl

TABLES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".arrow", ".feather")
PART_ENDINGS = (*TABLES, ".csv.gz", ".tsv.gz", ".jsonl.gz", ".ndjson.gz")
WARNED = 5  # warnings of parts that are passed on
NAMES = ("item", "annotator", "label")
KNOWN = "truth"  # what is known of items, in some parts or in all

Place = str | Path


class _Part(NamedTuple):
    """A part to read."""

    part: Place
    roles: Roles
    names: Sequence[str]


class _Read(NamedTuple):
    """What a part holds: the three columns as they stand, the names of all, and warnings."""

    frame: pl.DataFrame
    called: tuple[str, str, str]
    columns: frozenset[str]
    warned: list[str]


def read_answer_parts(
    place: Place | Sequence[Place],
    roles: Roles | None = None,
    names: Sequence[str] = NAMES,
    workers: int = 1,
    on: str | None = None,
    watch: OnProgress | None = None,
) -> AnswerTable:
    """The answers of all parts, as one table of three columns, and what is known of items.

    Args:
        place: a folder or an address of fsspec, whose tables (``PART_ENDINGS``) are the parts; or a
            list of paths and addresses of tables.
        roles, names: as of ``answers.read_answers``; each part has the same columns.
        on: where parts are read, ``processes``, ``ray`` or ``ray:ADDRESS``; by default here, one
            after another. On a cluster the nodes open the parts, so they need to see the folder.
        workers: how many parts are read at the same time there.
        watch: called with parts read and in all.

    Returns:
        Rows by part, parts in the order of their names, part-2 before part-10.

    Raises:
        FileNotFoundError: no such folder or part.
        ValueError: no part, one that is listed twice, damaged or with other columns than the
            first, or a column that is text in one and numbers in another. The message names parts.
    """
    import polars as pl

    parts = _listed_parts(place)
    where = str(place) if isinstance(place, str | Path) else f"{len(parts)} parts"
    tasks = [_Part(_from_anywhere(part), roles or Roles(), names) for part in parts]
    read: list[_Read] = []
    for found in map(_read, tasks) if on is None else spread(_read, tasks, workers, place_of(on)):
        read.append(found)
        if watch is not None:
            watch(len(read), len(tasks))
    _warn(parts, read)
    with about(where):
        _check_alike(parts, read)
    whole = pl.concat([part.frame for part in read], how="diagonal_relaxed")
    sizes = [(str(part), len(found.frame)) for part, found in zip(parts, read)]
    merge = roles.merge_labels if roles else False
    return AnswerTable(where, typed_answers(whole), read[0].called, tuple(sizes), merge)


def _from_anywhere(part: Place) -> Place:
    """A part as a worker finds it, which may be in another folder."""
    return part if is_address(part) else Path(part).expanduser().absolute()


def _listed_parts(place: Place | Sequence[Place]) -> list[Place]:
    """Parts in order of their names, each once.

    Raises:
        FileNotFoundError, ValueError: see ``read_answer_parts``.
    """
    if isinstance(place, str | Path):
        parts = parts_in(place, PART_ENDINGS)
    else:
        parts = sorted(place, key=lambda part: by_number(str(part)))
        if not parts:
            raise ValueError("answers: there is no part; give the paths of some tables.")
    first: dict[str, Place] = {}
    for part in parts:
        file = str(part) if is_address(part) else str(Path(part).expanduser().resolve())
        if not is_address(part) and not Path(file).is_file():
            raise FileNotFoundError(f"there is no file {part}.")
        stem = file
        while stem.endswith(PART_ENDINGS):  # part-1.csv.gz and part-1.parquet are one part
            stem = stem.rpartition(".")[0]
        if stem in first:
            raise ValueError(
                f"answers: {part} is listed twice."
                if str(first[stem]) == str(part)
                else f"answers: {first[stem]} and {part} are the same part; keep one of the two."
            )
        first[stem] = part
    return parts


def _read(task: _Part) -> _Read:
    import polars as pl

    with warnings.catch_warnings(record=True) as caught, fetched(task.part) as path:
        warnings.simplefilter("always", UserWarning)
        try:
            frame, called = raw_answers(path, task.roles, task.names)
        except ValueError as error:  # of a copy, which nobody has heard of
            problem, own = problem_of(error), (str(path), str(task.part))
            told = replace(
                problem, what=problem.what.replace(*own), where=problem.where.replace(*own)
            )
            raise Refusal(told) from None
    names = pl.col(pl.Categorical, pl.Enum).cast(pl.String)
    columns = frozenset((*called, *frame.columns[len(NAMES) :])) - {KNOWN}
    warned = [str(one.message).replace(str(path), str(task.part)) for one in caught]
    kept = [*NAMES, *({KNOWN} & {*frame.columns})]
    return _Read(frame[kept].with_columns(names), called, columns, warned)


def _warn(parts: Sequence[Place], read: Sequence[_Read]) -> None:
    texts = [f"{part}: {text}" for part, found in zip(parts, read) for text in found.warned]
    if len(texts) > WARNED:
        texts[WARNED:] = [f"there are {len(texts) - WARNED:,} more warnings of this kind."]
    for text in texts:
        warnings.warn(text, stacklevel=3)


def _check_alike(parts: Sequence[Place], read: Sequence[_Read]) -> None:
    """Refuse parts that have other columns than the first, or text where others have numbers."""
    first = read[0]
    for part, found in zip(parts, read):
        if found.columns != first.columns:
            lacks, more = first.columns - found.columns, found.columns - first.columns
            told = [f"lacks {listed(sorted(lacks))}"] if lacks else []
            told += [f"has {listed(sorted(more))} besides"] if more else []
            raise ValueError(
                f"{part} has other columns than {parts[0]}: it {' and '.join(told)}. All parts"
                " have the same."
            )
    for role, name in zip(NAMES, first.called):
        kinds: dict[str, Place] = {}
        for part, found in zip(parts, read):
            kinds.setdefault(_kind(found.frame[role].dtype), part)
        kinds.pop("", None)
        if len(kinds) > 1:
            (one, here), (other, there), *_ = kinds.items()
            raise ValueError(
                f"column {name!r} holds {one} in {here} and {other} in {there}; write it the same"
                " way in all parts."
            )


def _kind(dtype: pl.DataType) -> str:
    import polars as pl

    if dtype == pl.Null:  # no cell is filled in
        return ""
    return "text" if dtype == pl.String else "numbers" if dtype.is_numeric() else str(dtype)
