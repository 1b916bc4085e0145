"""Records as columns: data frames with a row for each, of sorted sources merged piece by piece.

A million runs have too many records for an object each. A frame has the columns of ``FIXED`` and
one for each measure, ``validation.NAME`` and ``test.NAME``; ``measures`` says, as JSON, which of
these a record has, in which order: a value that is None is not one that is not there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from .records import Record

FIXED: Mapping[str, pl.DataType] = {
    "key": pl.String(),
    "step": pl.Int64(),
    "measures": pl.String(),
    "loss": pl.Float64(),
    "seconds": pl.Float64(),
    "memory_bytes": pl.Int64(),
    "diverged_at": pl.Int64(),
    "pruned_at": pl.Int64(),
    "outcomes": pl.Binary(),
    "confusion": pl.Binary(),
    "right": pl.Binary(),
    "warm_up": pl.Boolean(),
}
ROWS = 2**19  # of a piece: 4 MB a column
Columns = Mapping[str, pl.DataType]


class SortedRows(Protocol):
    """Rows in order of key and step, none twice.

    Attributes:
        columns: that it has.
        rows: how many.
    """

    @property
    def columns(self) -> Columns: ...

    @property
    def rows(self) -> int: ...

    def pieces(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """These columns of its rows, in order, piece by piece."""


@dataclass(frozen=True)
class FrameRows:
    """A frame that is there."""

    frame: pl.DataFrame

    @property
    def columns(self) -> Columns:
        return self.frame.schema

    @property
    def rows(self) -> int:
        return self.frame.height

    def pieces(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        for start in range(0, self.rows, ROWS):
            yield self.frame.select(names).slice(start, ROWS)


@dataclass(frozen=True)
class FileRows:
    """A Parquet file of such a frame."""

    path: Path
    columns: Columns
    rows: int

    def pieces(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        there = pl.scan_parquet(self.path, glob=False).select(names)
        with ThreadPoolExecutor(1) as beside:  # reads the next piece while one is worked on
            coming = beside.submit(there.slice(0, ROWS).collect)
            for start in range(ROWS, self.rows + ROWS, ROWS):
                piece = coming.result()
                coming = beside.submit(there.slice(start, ROWS).collect)
                yield piece


def file_rows(path: Path) -> FileRows:
    """The rows of a Parquet file."""
    rows = pl.scan_parquet(path, glob=False).select(pl.len()).collect().item()
    return FileRows(path, pl.read_parquet_schema(path), rows)


def frame_of(records: Sequence[Record]) -> pl.DataFrame:
    """Records as a frame, in their order."""
    columns: dict[str, pl.Series] = {}
    values: list[Any]
    for name, kind in FIXED.items():
        if name == "measures":
            values = [json.dumps([list(r.validation), list(r.test)]) for r in records]
        else:
            values = [getattr(record, name) for record in records]
        columns[name] = pl.Series(values=values, dtype=kind, strict=False)
    for part in ("validation", "test"):
        measured = [getattr(record, part) for record in records]
        for name in dict.fromkeys(name for one in measured for name in one):
            values = [one.get(name) for one in measured]
            columns[f"{part}.{name}"] = pl.Series(values=values, dtype=pl.Float64, strict=False)
    return pl.DataFrame(columns)


def records_of(frame: pl.DataFrame) -> Iterator[Record]:
    """The rows of a frame as records."""
    columns = {name: frame[name].to_list() for name in frame.columns}
    empty = [None] * frame.height
    outcomes, confusion, right, warm_up = (
        columns.get(name, empty) for name in ("outcomes", "confusion", "right", "warm_up")
    )
    for row, measures in enumerate(columns["measures"]):
        validation, test = names_of(measures)
        yield Record(
            key=columns["key"][row],
            step=columns["step"][row],
            validation={name: columns[f"validation.{name}"][row] for name in validation},
            test={name: columns[f"test.{name}"][row] for name in test},
            loss=columns["loss"][row],
            seconds=columns["seconds"][row],
            memory_bytes=columns["memory_bytes"][row],
            diverged_at=columns["diverged_at"][row],
            outcomes=outcomes[row],
            confusion=confusion[row],
            pruned_at=columns["pruned_at"][row],
            right=right[row],
            warm_up=warm_up[row],
        )


@cache
def names_of(measures: str) -> tuple[list[str], list[str]]:
    """The names of a record's ``validation`` and ``test``."""
    validation, test = json.loads(measures)
    return validation, test


def in_order(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all frames by key and step; of equal ones the first of the first frame."""
    together = pl.concat(frames, how="diagonal")
    once = together.unique(["key", "step"], keep="first", maintain_order=True)
    return once.sort("key", "step")


def columns_of(sources: Iterable[SortedRows]) -> dict[str, pl.DataType]:
    """Every column that any source has: the fixed ones, then measures by name."""
    there = {name: kind for source in sources for name, kind in source.columns.items()}
    return {**FIXED, **{name: there[name] for name in sorted(there.keys() - FIXED.keys())}}


def merged(sources: Sequence[SortedRows], columns: Columns) -> Iterator[pl.DataFrame]:
    """Rows of all sources by key and step, those of a key in one piece; none twice.

    Of rows with equal key and step that of the first source counts. Few rows are in memory at any
    moment: a piece of each source.

    Args:
        columns: the columns of the pieces, ``key`` and ``step`` among them; null where a source
            lacks one.
    """
    flows = [_filled(source, columns) for source in sources]
    held = [next(flow, None) for flow in flows]
    ended = [part is None for part in held]
    while not all(ended):
        there = [part for part in held if part is not None]
        # a source may go on with its last key; whatever has a smaller one is there
        bound = min(
            part["key"][-1] for part, end in zip(held, ended) if part is not None and not end
        )
        counts = [int((part["key"] < bound).sum()) for part in there]
        if any(counts):
            yield _together([part[:count] for part, count in zip(there, counts) if count])
        rests = iter([part[count:] for part, count in zip(there, counts)])
        for at, part in enumerate(held):
            if part is None:
                continue
            rest = next(rests)
            if not ended[at] and (not rest.height or rest["key"][-1] == bound):
                more = next(flows[at], None)
                ended[at] = more is None
                rest = rest if more is None else pl.concat([rest, more])
            held[at] = rest
    last = [part for part in held if part is not None and part.height]
    if last:
        yield _together(last)


def _filled(source: SortedRows, columns: Columns) -> Iterator[pl.DataFrame]:
    there = [name for name in columns if name in source.columns]
    lacking = [pl.lit(None, kind).alias(n) for n, kind in columns.items() if n not in there]
    for piece in source.pieces(there):
        if piece.height:
            yield piece.with_columns(lacking).select(list(columns))


def _together(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return parts[0].rechunk() if len(parts) == 1 else in_order(parts)
