"""Files that are whole or absent: written beside their place, then renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import polars as pl


@contextmanager
def replacing(path: Path | str) -> Iterator[BinaryIO]:
    """A binary file that becomes ``path`` when the block ends well, and leaves nothing otherwise.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            yield file
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OSError(error.errno, f"could not write {path}: {error.strerror or error}") from error
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_table(table: pl.DataFrame, path: Path) -> None:
    """As Parquet, CSV (lists as text) or JSON (a list of rows), by the file's ending."""
    if path.suffix == ".json":
        write_json(table.rows(named=True), path)
        return
    with replacing(path) as file:
        if path.suffix == ".csv":
            joined(table).write_csv(file)
        else:
            table.write_parquet(file)


def joined(table: pl.DataFrame) -> pl.DataFrame:
    """Lists of candidates as text, with bars between them."""
    import polars as pl

    lists = [name for name, kind in table.schema.items() if isinstance(kind, pl.List)]
    return table.with_columns(pl.col(lists).cast(pl.List(pl.String)).list.join("|"))


def write_json(value: Any, path: Path) -> None:
    """As JSON, which has no NaN: such a value is refused."""
    with replacing(path) as file:
        file.write(json.dumps(value, indent=1, allow_nan=False).encode())
