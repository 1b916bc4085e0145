"""Numbers and dates as people write them: thousands, decimal commas, currencies, percent, zones.

A column is read by one convention, which its cells have to prove: ``1.234,5`` says what a point and
a comma are in ``1.234`` below it. Where none proves it, or two prove the opposite, it is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MISSING = ("", "na", "n/a", "nan", "null", "none", "?", "-")  # cells among numbers and dates
TRIED_FIRST = 100  # cells
MONEY = r"(?:€|\$|£|¥|CHF|EUR|USD|GBP|JPY|Fr\.)"
APART = r"['’\x{00a0}\x{202f}\x{2009} ]"  # what only divides thousands
BARE = rf"^([+-]?)\s*{MONEY}?\s*([+-]?\d.*?)(?:\.[–-])?\s*(?:{MONEY}|%)?$"
SHAPE = (
    r"^[+-]?(?:\d+(?:[.,]\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?"
    rf"|\d{{1,3}}(?:{APART}\d{{3}})+(?:[.,]\d+)?)$"
)
EITHER = r"^[+-]?[1-9]\d{0,2}MARK\d{3}$"  # a thousand or so, or three decimals
ONE = r"^[^.,]*MARK\d+$"  # the one mark, and the last
GROUPS = r"MARK\d{3}(?:MARK|OTHER)"  # one more mark behind it
DAY_FORMS = ("%d/%m/%Y", "%m/%d/%Y")
ZONED = ("%Y-%m-%dT%H:%M:%S%.f%:z", "%Y-%m-%d %H:%M:%S%.f%:z", "%Y-%m-%dT%H:%M%:z")
DATES = (  # none of which can be read in two ways, where a year has four digits
    "%Y-%m-%d",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
)
LONG_YEAR = r"(?:^|[./])\d{4}(?:$|[-/ T])"
SHORT = r"^\d{1,2}[./]\d{1,2}[./]\d{2}$"
SLASHED = r"^\d{1,2}/\d{1,2}/\d{4}$"


def missing(column: pl.Series) -> pl.Series:
    """Where a column of text has no value."""
    return column.is_null() | column.str.strip_chars().str.to_lowercase().is_in(list(MISSING))


def numerals(column: pl.Series) -> pl.Series | None:
    """A column of text as Float64 where every cell is a number as people write them, or missing.

    Plain numbers, such as -1.5e3, are for others.

    Raises:
        ValueError: what a comma or a point is cannot be told, or differs between cells, as do
            percent and currencies; the message names column and row.
    """
    import polars as pl

    there = ~missing(column)
    cells = column.filter(there).str.strip_chars().str.replace("−", "-", literal=True)
    if not len(cells) or not cells.head(TRIED_FIRST).str.contains(r"^[^0-9]{0,5}\d").all():
        return None
    bare = cells.str.replace(BARE, "$1$2")
    if not bare.head(TRIED_FIRST).str.contains(SHAPE).all() or not bare.str.contains(SHAPE).all():
        return None
    if bare.str.contains(r"^[+-]?0\d").any():
        return None  # codes, as of places
    rows = there.arg_true()
    _check_units(column, cells, rows)
    comma, point = _marks(column, bare, rows)
    plain = bare.str.replace_all(APART, "")
    for mark, what in ((",", comma), (".", point)):
        if what == "thousands":
            plain = plain.str.replace_all(mark, "", literal=True)
    plain = plain.str.replace(",", ".", literal=True)
    found = pl.Series(column.name, [None], pl.Float64).new_from_index(0, len(column))
    return found.scatter(rows, plain.cast(pl.Float64))


def looks_like_number(cells: pl.Series) -> pl.Series:
    """Where a cell is a number as people write them, by itself."""
    return cells.str.strip_chars().str.replace(BARE, "$1$2").str.contains(SHAPE)


def check_thousands(column: pl.Series) -> None:
    """Refuse 1.234 beside 987: thousands as in German, or three decimals.

    Raises:
        ValueError: the message names column and row.
    """
    some = column.head(TRIED_FIRST).drop_nulls()
    parted = some.str.contains(".", literal=True)
    if not parted.any() or parted.all() or not _parted_alike(some.filter(parted)):
        return
    cells = column.drop_nulls().str.strip_chars()
    parted = cells.str.contains(".", literal=True)
    small = cells.filter(~parted).str.contains(r"^[+-]?\d{1,3}$").all()
    if small and _parted_alike(cells.filter(parted)):
        row = int(column.str.contains(".", literal=True).arg_max() or 0)
        raise _either(column, row)


def _parted_alike(cells: pl.Series) -> bool:
    return bool(cells.str.strip_chars().str.contains(EITHER.replace("MARK", r"\.")).all())


def _check_units(column: pl.Series, cells: pl.Series, rows: pl.Series) -> None:
    """Refuse percent beside plain numbers, and two currencies."""
    percent = cells.str.ends_with("%")
    if percent.any() and not percent.all():
        row = int(rows[int((percent != percent[0]).arg_max() or 0)])
        raise ValueError(
            f"column {column.name!r} has {column[row]!r} at row {row}, and others with or without"
            " percent. Write all cells alike."
        )
    money = cells.str.extract(rf"({MONEY})")
    first = money.drop_nulls().head(1)
    if len(first) and (other := (money != first[0]).fill_null(False)).any():
        row = int(rows[int(other.arg_max() or 0)])
        raise ValueError(
            f"column {column.name!r} has {column[row]!r} at row {row}, and {first[0]} elsewhere."
            " Write all amounts in one currency."
        )


def _marks(column: pl.Series, bare: pl.Series, rows: pl.Series) -> tuple[str, str]:
    """What a comma is and what a point is: ``decimal`` or ``thousands``.

    Raises:
        ValueError: it cannot be told, or cells say the opposite of each other.
    """
    says: dict[tuple[str, str], int] = {}  # the first row that proves it
    apart = bare.str.contains(APART)
    for mark, other in ((",", "."), (".", ",")):
        m, o = ("\\" + mark, "\\" + other)
        one = bare.str.contains(ONE.replace("MARK", m))
        both = bare.str.contains(GROUPS.replace("MARK", m).replace("OTHER", o))
        last = one & (~bare.str.contains(EITHER.replace("MARK", m)) | apart)
        behind = bare.str.contains(rf"{o}\d{{3}}{m}\d+$")
        for what, proof in (("decimal", last | behind), ("thousands", both)):
            if proof.any():
                says[mark, what] = int(rows[int(proof.arg_max() or 0)])
    for mark in (",", "."):
        pairs = [((mark, "decimal"), (mark, "thousands"))]
        pairs += [((mark, what), (".,"[mark == "."], what)) for what in ("decimal", "thousands")]
        for one_way, other_way in pairs:
            if one_way in says and other_way in says:
                row = max(says[one_way], says[other_way])
                rest = min(says[one_way], says[other_way])
                raise ValueError(
                    f"column {column.name!r} has {column[row]!r} at row {row}, and"
                    f" {column[rest]!r} at row {rest}: points and commas mean different things."
                    " Write all cells alike."
                )
    opposite = {"decimal": "thousands", "thousands": "decimal"}
    found = dict(says.keys())
    for mark, other in ((",", "."), (".", ",")):
        if mark not in found and other in found:
            found[mark] = opposite[found[other]]
    comma = bare.str.contains(",", literal=True)
    if "," not in found and comma.any():
        raise _either(column, int(rows[int(comma.arg_max() or 0)]))
    return found.get(",", "thousands"), found.get(".", "decimal")


def _either(column: pl.Series, row: int) -> ValueError:
    return ValueError(
        f"column {column.name!r} has {column[row]!r} at row {row}, which is a thousand or so, or a"
        " number with three decimals. Write it without the mark, or with all decimals alike."
    )


def dates(column: pl.Series) -> pl.Series | None:
    """A column of text as Datetime in microseconds where every cell is a date, or missing.

    Times with a zone become UTC. Years of two digits are 1970 to 2069. Where day and month are
    divided by slashes, cells have to prove which comes first.

    Raises:
        ValueError: day and month cannot be told apart, cells prove the opposite of each other, or
            some have a zone and others none; the message names column and row.
    """
    import polars as pl

    there = ~missing(column)
    cells = column.filter(there).str.strip_chars()
    first = cells.head(TRIED_FIRST)
    if not len(cells) or not first.str.contains(r"^\d{1,4}[-./]\d{1,2}[-./]\d").all():
        return None
    rows = there.arg_true()
    short = cells.str.contains(SHORT)
    if short.any():
        if not short.all():
            raise _mixed(column, rows, short)
        year = cells.str.slice(-2).cast(pl.Int64)
        century = pl.select(pl.when(year < 70).then(2000).otherwise(1900)).to_series()
        cells = cells.str.head(-2) + (century + year).cast(pl.String)
    if cells.str.contains(SLASHED).any():
        found = _slashed(column, cells, rows)
    else:
        zone = cells.str.contains(r"\d(?:Z|[+-]\d\d:?\d\d)$") & cells.str.contains(":")
        if zone.any() and not zone.all():
            raise _mixed(column, rows, zone)
        forms = ZONED if zone.any() else DATES
        if zone.any():
            cells = cells.str.replace("Z$", "+00:00").str.replace(r"(\d\d)(\d\d)$", "$1:$2")
        elif not cells.str.contains(LONG_YEAR).all():
            return None
        found = next((one for form in forms if (one := _read(cells, form)) is not None), None)
    if found is None:
        return None
    empty = pl.Series(column.name, [None], pl.Datetime("us")).new_from_index(0, len(column))
    return empty.scatter(rows, found)


def _read(cells: pl.Series, form: str) -> pl.Series | None:
    """All cells by one form, without a zone; None where one is of another."""
    some = cells.head(TRIED_FIRST).str.to_datetime(form, strict=False, time_unit="us")
    if some.null_count():
        return None
    found = cells.str.to_datetime(form, strict=False, time_unit="us")
    return None if found.null_count() else found.dt.replace_time_zone(None)


def _slashed(column: pl.Series, cells: pl.Series, rows: pl.Series) -> pl.Series | None:
    import polars as pl

    if not (slashed := cells.str.contains(SLASHED)).all():
        raise _mixed(column, rows, slashed)
    day, month = (_read(cells, form) for form in DAY_FORMS)
    if day is None and month is None:
        parts = [cells.str.split("/").list.get(k).cast(pl.Int64) for k in (0, 1)]
        proof = [int((part > 12).arg_max() or 0) for part in parts if (part > 12).any()]
        if len(proof) < 2:
            return None
        row = int(rows[max(proof)])
        raise ValueError(
            f"column {column.name!r} has {column[row]!r} at row {row}, and"
            f" {column[int(rows[min(proof)])]!r} at row {int(rows[min(proof)])}: the day comes"
            " first here and the month there. Write 2024-05-31."
        )
    if day is not None and month is not None and (other := day != month).any():
        row = int(rows[int(other.arg_max() or 0)])
        raise ValueError(
            f"column {column.name!r} has {column[row]!r} at row {row}, and no cell says whether the"
            " day or the month comes first. Write 2024-05-31."
        )
    return day if day is not None else month


def _mixed(column: pl.Series, rows: pl.Series, some: pl.Series) -> ValueError:
    row = int(rows[int((some != some[0]).arg_max() or 0)])
    return ValueError(
        f"column {column.name!r} has {column[row]!r} at row {row}, and {column[int(rows[0])]!r} at"
        f" row {int(rows[0])}: dates of two kinds. Write all alike, such as 2024-05-31."
    )
