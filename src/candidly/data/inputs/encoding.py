"""A table's columns as numbers: what is learned of the training rows, as plain values.

Two steps, so that folds are cheap. ``prepare`` does what depends on no other row: cells become
numbers, codes of levels, parts of dates, counts of hashed character n-grams. ``fit_encoding``
learns what is left from the training rows: medians, scales, levels. ``Encoding.encode`` applies
both.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...ground.arrays import door
from ...ground.names import nearest
from ._table import Table

if TYPE_CHECKING:
    import polars as pl

SCHEMA = 1
MOST_KEPT = 40  # levels of a category with a column of their own
LEAST_ROWS = 5  # training rows of such a level
WIDTH = 32  # columns of a text
GRAM = 3  # characters
DAY = 86_400.0  # seconds
PARTS = ("days", "year", "month", "day", "weekday", "hour")  # of a date
POOL = "other"
LARGEST_BYTES = 2**34


@dataclass(frozen=True)
class Numbers:
    """How a column of numbers, or a part of a date, becomes one or two columns.

    Attributes:
        median: the median of the training rows; stands for missing values.
        mean, scale: of the training rows, filled; the scale is 1 where all are equal.
        marked: whether a second column says 1 where the value is missing: where one was in
            training.
    """

    median: float
    mean: float
    scale: float
    marked: bool


@dataclass(frozen=True)
class ColumnEncoding:
    """How one column is encoded.

    Attributes:
        numbers: by part ('' for the column itself), of numbers, dates and texts.
        levels: for a category, those with a column of their own, the most frequent first; None for
            missing values. One more column is for all others: rare ones, and those not seen in
            training.
    """

    name: str
    kind: str
    numbers: Mapping[str, Numbers]
    levels: tuple[str | None, ...] = ()

    @property
    def features(self) -> list[str]:
        """Names of the columns it becomes."""
        if self.kind == "category":
            own = (f"{self.name}={one}" if one else f"{self.name} missing" for one in self.levels)
            return [*own, f"{self.name} {POOL}"]
        found = []
        for part, state in self.numbers.items():
            found.append(f"{self.name} {part}" if part else self.name)
            if state.marked:
                found.append(f"{self.name} missing")
        return found


class Codes(NamedTuple):
    """A category's cells: places among the levels, int64 (n,), -1 for missing; and the levels."""

    codes: np.ndarray
    levels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table's cells as numbers; nothing in it is learned from other rows.

    Attributes:
        n: rows.
        kinds: by column.
        cells: by column, float64 (n, parts) with NaN for missing; ``Codes`` for a category.
    """

    n: int
    kinds: Mapping[str, str]
    cells: Mapping[str, np.ndarray | Codes]

    def __len__(self) -> int:
        return self.n


@dataclass(frozen=True)
class Encoding:
    """How a table becomes numbers: what ``fit_encoding`` learned. Plain values."""

    columns: tuple[ColumnEncoding, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it needs."""
        return tuple(column.name for column in self.columns)

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each; ``Table.of(frame, encoding.kinds)`` reads another frame alike."""
        return {column.name: column.kind for column in self.columns}

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the d columns that come out."""
        return tuple(name for column in self.columns for name in column.features)

    def encode(self, rows: Table | Prepared | pl.DataFrame) -> np.ndarray:
        """Numbers, float32 (n, d).

        Args:
            rows: a table, a data frame of polars or pandas, or what ``prepare`` made of one.
                Columns go by their names, in any order.

        Raises:
            ValueError: a column is missing, or a cell is none of its column's kind.

        Warns:
            UserWarning: columns that were not there in training; they are left out.
        """
        prepared = rows if isinstance(rows, Prepared) else prepare(self._fitting(rows))
        self._check(prepared.kinds)
        d = len(self.features)
        if 4 * d * len(prepared) > LARGEST_BYTES:
            raise ValueError(
                f"the encoded table would be {len(prepared):,} x {d:,} numbers, which takes"
                f" {4e-9 * d * len(prepared):,.0f} GB. Take fewer rows, or drop columns."
            )
        out = np.zeros((len(prepared), d), np.float32)
        at = 0
        for column in self.columns:
            width = len(column.features)
            _write(column, prepared.cells[column.name], out[:, at : at + width])
            at += width
        return out

    def to_json(self) -> str:
        """As text; ``from_json`` reads it."""
        return json.dumps({"schema": SCHEMA, **asdict(self)})

    @classmethod
    def from_json(cls, text: str) -> Encoding:
        """What ``to_json`` wrote.

        Raises:
            ValueError: something else, or of another version.
        """
        try:
            told = json.loads(text)
            schema = told["schema"]
            columns = tuple(
                ColumnEncoding(
                    str(one["name"]),
                    str(one["kind"]),
                    {str(part): Numbers(**state) for part, state in one["numbers"].items()},
                    tuple(one["levels"]),
                )
                for one in told["columns"]
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"this is no encoding that candidly wrote ({error!r}).") from None
        if schema != SCHEMA:
            raise ValueError(
                f"the encoding is of version {schema!r}; this candidly reads {SCHEMA}. Train the"
                " model again."
            )
        return cls(columns)

    def _fitting(self, rows: Any) -> Table:
        """The columns it needs, each of its kind."""
        frame = rows.frame if isinstance(rows, Table) else rows
        if not hasattr(frame, "columns"):
            raise ValueError(
                f"this model takes columns by name ({', '.join(self.names[:5])}, ...), and"
                f" `inputs` is a {type(rows).__name__}. Give a data frame or a Table."
            )
        there = [str(name) for name in frame.columns]
        self._check(there)
        extra = [name for name in there if name not in self.kinds]
        if extra:
            warnings.warn(
                f"not used, as training had no such column: {', '.join(extra[:10])}"
                f"{', ...' if len(extra) > 10 else ''}.",
                stacklevel=3,
            )
            frame = frame[[name for name in frame.columns if str(name) in self.kinds]]
        return Table.of(frame, self.kinds)

    def _check(self, there: Mapping[str, str] | Sequence[str]) -> None:
        missing = [name for name in self.names if name not in there]
        if missing:
            raise ValueError(
                f"`inputs` has no column {missing[0]!r}{nearest(missing[0], list(there))}"
                + (f" {len(missing)} columns of training are missing." if len(missing) > 1 else "")
                + " Columns go by their names; add it, empty where it is not known."
            )


@door
def encoded(inputs: np.ndarray | Table) -> np.ndarray:
    """An array as it is, a ``Table`` encoded by all of its rows: for what learns from no label."""
    return fit_encoding(inputs).encode(inputs) if isinstance(inputs, Table) else inputs


def prepare(table: Table) -> Prepared:
    """A table's cells as numbers, each by itself: for several ``fit_encoding`` of its rows."""
    cells = {name: _PREPARE[kind](table.frame[name]) for name, kind in table.kinds.items()}
    return Prepared(len(table), dict(table.kinds), cells)


@door
def fit_encoding(table: Table | Prepared, rows: Any = None) -> Encoding:
    """What training rows say of how columns become numbers.

    Numbers are filled with the median and standardised; where values are missing, a column says so.
    Categories get a column for each of the 40 most frequent levels that 5 rows have, missing being
    one, and a column for all others and those that come later. Dates become days since 1970, year,
    month, day, weekday and hour. Texts become 32 counts of hashed triples of characters.

    Args:
        table: also as ``prepare`` made it.
        rows: the training rows: integer indices or a bool mask (n,); all by default.

    Raises:
        ValueError: no row.
    """
    prepared = table if isinstance(table, Prepared) else prepare(table)
    rows = slice(None) if rows is None else rows
    if not len(np.arange(len(prepared))[rows]):
        raise ValueError("there is no row to learn an encoding from.")
    columns = []
    for name, kind in prepared.kinds.items():
        cells = prepared.cells[name]
        if isinstance(cells, Codes):
            columns.append(ColumnEncoding(name, kind, {}, _kept(cells, rows)))
        else:
            columns.append(ColumnEncoding(name, kind, _states(kind, cells[rows])))
    return Encoding(tuple(columns))


# cells, each by itself


def _prepare_numbers(column: pl.Series) -> np.ndarray:
    return column.to_numpy().astype(np.float64).reshape(-1, 1)


def _prepare_levels(column: pl.Series) -> Codes:
    import polars as pl

    levels = column.drop_nulls().unique().sort().to_list()
    codes = column.replace_strict(
        levels, list(range(len(levels))), default=-1, return_dtype=pl.Int64
    )
    return Codes(codes.fill_null(-1).to_numpy(), tuple(levels))


def _prepare_dates(column: pl.Series) -> np.ndarray:
    import polars as pl

    date = column.dt
    parts = (
        column.to_physical().cast(pl.Float64) / (DAY * 1e6),
        date.year(),
        date.month(),
        date.day(),
        date.weekday(),
        date.hour(),
    )
    return np.column_stack([part.cast(pl.Float64).to_numpy() for part in parts])


def _prepare_text(column: pl.Series) -> np.ndarray:
    """Counts of hashed n-grams of a length of 1; rows of NaN where there is no text."""
    from sklearn.feature_extraction.text import HashingVectorizer

    hashing = HashingVectorizer(
        analyzer="char_wb", ngram_range=(GRAM, GRAM), n_features=WIDTH, dtype=np.float64
    )
    codes = _prepare_levels(column)
    counts = np.full((len(codes.levels) + 1, WIDTH), np.nan)  # the last is what -1 finds
    if codes.levels:
        counts[:-1] = hashing.transform(codes.levels).toarray()
    return counts[codes.codes]


_PREPARE: dict[str, Any] = {
    "number": _prepare_numbers,
    "category": _prepare_levels,
    "date": _prepare_dates,
    "text": _prepare_text,
}


# what training rows say


def _kept(cells: Codes, rows: Any) -> tuple[str | None, ...]:
    levels = (*cells.levels, None)  # the last is what -1 finds
    counts = np.bincount(cells.codes[rows] % len(levels), minlength=len(levels))
    order = sorted(range(len(levels)), key=lambda code: (-counts[code], levels[code] or ""))
    return tuple(levels[k] for k in order[:MOST_KEPT] if counts[k] >= LEAST_ROWS)


def _states(kind: str, cells: np.ndarray) -> dict[str, Numbers]:
    gone = np.isnan(cells)
    names = _parts(kind, cells.shape[1])
    found = {}
    for place, part in enumerate(names):
        known = cells[~gone[:, place], place]
        median = float(np.median(known)) if len(known) else 0.0
        filled = np.where(gone[:, place], median, cells[:, place])
        constant = bool((filled == filled[0]).all())
        scale = 1.0 if constant else float(filled.std()) or 1.0
        mean = float(filled[0]) if constant else float(filled.mean())
        marked = place == 0 and bool(gone[:, 0].any())  # a cell is missing in all of its parts
        found[part] = Numbers(median, mean, scale, marked)
    return found


def _parts(kind: str, width: int) -> Sequence[str]:
    if kind == "date":
        return PARTS
    return [str(place) for place in range(width)] if kind == "text" else [""]


def _write(column: ColumnEncoding, cells: np.ndarray | Codes, out: np.ndarray) -> None:
    """The encoded column, into float32 (n, its features), which is 0."""
    if isinstance(cells, Codes):
        place = {level: at for at, level in enumerate(column.levels)}
        pool = len(column.levels)
        places = np.array([place.get(level, pool) for level in (*cells.levels, None)])
        out[np.arange(len(out)), places[cells.codes]] = 1
        return
    at = 0
    for number, state in enumerate(column.numbers.values()):
        values = cells[:, number]
        gone = np.isnan(values)
        out[:, at] = (np.where(gone, state.median, values) - state.mean) / state.scale
        at += 1
        if state.marked:
            out[:, at] = gone
            at += 1
