"""The lines of a journal's files: a JSON object each, with a checksum of what stands before it.

A changed digit is found so.
"""

from __future__ import annotations

import base64
import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from operator import attrgetter
from pathlib import Path
from typing import Any

from pydantic_core import from_json  # four times as fast as json, and as exact

from .records import Record

SCHEMA = 2  # of a line; readers refuse what they do not know
CHECKED = re.compile(rb'(.*), "crc32": "([0-9a-f]{8})"\}', re.DOTALL)
Number = (int, float, type(None))
KINDS: dict[str, type | tuple[type, ...]] = {  # of a line's values
    "key": str,
    "step": int,
    "validation": dict,
    "test": dict,
    "loss": Number,
    "seconds": (int, float),
    "memory_bytes": int,
    "diverged_at": (int, type(None)),
    "outcomes": (bytes, type(None)),
    "confusion": (bytes, type(None)),
    "pruned_at": (int, type(None)),
    "right": (bytes, type(None)),
    "warm_up": (bool, type(None)),
}
PACKED = ("outcomes", "confusion", "right")  # deflated, as base64
MOST_PACKED = 2**17  # bytes of any; MOST_OUTCOMES cells of a confusion are 40 kB
fields_of = attrgetter(*KINDS)


def lines_of(records: Iterable[Record]) -> bytes:
    """Records as lines of a journal.

    Raises:
        ValueError: a value is NaN or infinite.
    """
    return b"".join(
        with_checksum(json.dumps({"schema": SCHEMA, **_written(record)}, allow_nan=False))
        for record in records
    )


def with_checksum(text: str) -> bytes:
    """A line: an object as JSON with a checksum of it as its last value.

    >>> with_checksum('{"schema": 2}')
    b'{"schema": 2, "crc32": "3c41be9d"}\\n'
    """
    body = text.removesuffix("}").encode()
    return body + b', "crc32": "%08x"}\n' % zlib.crc32(body)


def _written(record: Record) -> dict[str, Any]:
    """The fields of a line; those that came later are left out where they say nothing."""
    values = asdict(record)
    for name in PACKED:
        if (packed := values[name]) is not None:
            values[name] = base64.b64encode(zlib.compress(packed, 9)).decode()
    for name in ("confusion", "pruned_at", "right", "warm_up"):
        if values[name] is None:
            del values[name]
    return values


def journal_files(folder: Path) -> list[Path]:
    """The files of a journal in order of age: a compact one holds what there was before."""
    kinds = ("compact-*.parquet", "*.jsonl")
    there = [path for kind in kinds for path in sorted(folder.glob(kind))]
    return [path for path in there if path.is_file()]


def in_columns(path: Path) -> bool:
    """Whether a file of a journal has no lines; see ``packed``."""
    return path.suffix == ".parquet"


def read_file(path: Path) -> tuple[list[Record], str]:
    """The readable records of one file in order, and a note on the rest; '' without any.

    Raises:
        FileNotFoundError, ValueError: see ``read_parts``.
    """
    notes: list[str] = []
    records = [record for part in read_parts(path, notes) for record in part]
    return records, "".join(notes)


def read_parts(path: Path, notes: list[str], size: int = 20_000) -> Iterator[list[Record]]:
    """The readable records of one file in order, at most so many at a time.

    Args:
        notes: gets a note on the rest, where there is any, once all is read.

    Raises:
        FileNotFoundError: it is not there any more.
        ValueError: it has no lines, and is damaged; says what to do.
    """
    if in_columns(path):
        from .columns import records_of  # which load polars
        from .packed import opened_file

        whole = opened_file(path)
        yield from (list(records_of(piece)) for piece in whole.pieces(list(whole.columns)))
        return
    bad, part = list[int](), list[Record]()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            record = parsed(line)
            if record is None:
                bad.append(number)
                continue
            part.append(record)
            if len(part) == size:
                yield part
                part = []
    yield part
    if bad:
        notes.append(
            f"{path.name}: skipped {'line' if len(bad) == 1 else 'lines'} "
            f"{', '.join(map(str, bad))}, half-written or unreadable"
        )


def parsed(line: bytes) -> Record | None:
    """The record of a line; None where it cannot be read, or is not what was written."""
    line = line.rstrip(b"\r\n")
    whole = CHECKED.fullmatch(line)
    if whole is None or int(whole[2], 16) != zlib.crc32(whole[1]):
        return None
    try:
        values = from_json(whole[1] + b"}")
        if values.pop("schema") != SCHEMA:
            return None
        for name in PACKED:
            if isinstance(text := values.get(name), str):
                values[name] = _inflated(base64.b64decode(text, validate=True))
        record = Record(**values)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, zlib.error):
        return None
    return record if _plausible(record) else None


def _inflated(packed: bytes) -> bytes:
    """What was deflated, at most ``MOST_PACKED`` bytes: a short line may say that it is gigabytes.

    Raises:
        ValueError: it is longer, or does not come to its end.    zlib.error: it is damaged.
    """
    reader = zlib.decompressobj()
    found = reader.decompress(packed, MOST_PACKED)
    if not reader.eof:
        raise ValueError("packed numbers that are longer than any that are written")
    return found


def _plausible(record: Record) -> bool:
    """Whether values are of the kinds that they should be; a checksum says what was written."""
    if not all(map(isinstance, fields_of(record), KINDS.values())):
        return False
    numbers = [record.loss, *record.validation.values(), *record.test.values()]
    return all(
        isinstance(value, Number) and (value is None or math.isfinite(value)) for value in numbers
    )
