"""The bytes of a file, unpacked: plain, ``.gz``, or the one table in a ``.zip``."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ...ground.files import COMPRESSED, check_content, wrong_ending

NO_WORKBOOK = "it is no .xlsx workbook, or a damaged one. Save it again, or as .csv."
MOST_BYTES = 2**34  # of any unpacked file
SURELY_FINE = 2**26  # up to here a file may unpack to any multiple of its size
MOST_TIMES = 100  # and beyond to this one; tables of text pack 3 to 50 times
MOST_COLUMNS = 2**30  # bytes of columns that are packed by repetition
MAGIC = {  # how files begin that are often named otherwise
    b"PK\x03\x04": "a zip archive or a workbook (.zip, .xlsx)",
    b"\x1f\x8b": "a gzip file (.gz)",
    b"PAR1": "a Parquet file (.parquet)",
    b"ARROW1": "an Arrow file (.arrow)",
    b"\x93NUMPY": "a NumPy file (.npy)",
    b"\xd0\xcf\x11\xe0": "an old Excel file (.xls), which has to be saved as .xlsx",
}


@dataclass(frozen=True)
class Content:
    """What a file holds: bytes, the ending of their kind, and how they were packed."""

    data: bytes
    ending: str
    compression: str = ""
    member: str = ""


def read_content(path: Path, endings: Sequence[str]) -> Content:
    """The bytes of a file whose name, without ``.gz`` or ``.zip``, has one of the endings.

    Raises:
        FileNotFoundError: no such file.
        ValueError: a folder, another ending, an empty or damaged file, an archive of no or several
            tables, or one that unpacks to far more than a table would.
    """
    compression = path.suffix.lower() if path.suffix.lower() in COMPRESSED else ""
    inner = Path(path.stem).suffix.lower() if compression else path.suffix.lower()
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give a file that ends in {', '.join(endings)}.")
    if inner not in endings and compression != ".zip":
        raise ValueError(wrong_ending(path, endings, ", and after it .gz or .zip if packed"))
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    check_content(path)
    size = path.stat().st_size
    if compression == ".zip":
        return _from_zip(path, size, endings)
    data = _from_gzip(path, size) if compression else path.read_bytes()
    if not data:
        raise ValueError(f"{path} is empty.")
    return Content(data, inner, compression)


def inner_ending(path: Path, endings: Sequence[str]) -> str:
    """The ending of a file's kind, below ``.gz`` and ``.zip``; of a ``.zip``, as far as it shows.

    >>> inner_ending(Path("pets.CSV.gz"), (".csv",))
    '.csv'
    """
    ending = path.suffix.lower()
    inner = Path(path.stem).suffix.lower()
    if ending not in COMPRESSED:
        return ending
    if ending == ".zip" and inner not in endings and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            members = [Path(name).suffix.lower() for name in archive.namelist()]
        inner = next((each for each in members if each in endings), inner)
    return inner


def check_no_other_kind(data: bytes) -> None:
    """Refuse text that is none, by how it begins."""
    for start, what in MAGIC.items():
        if data.startswith(start):
            raise ValueError(f"by its content it is {what}; give it that ending.")


def check_workbook_size(data: bytes) -> None:
    """Refuse a workbook, a zip of XML, that unpacks to far too much.

    Raises:
        ValueError: that, or no workbook.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            total = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        raise ValueError(NO_WORKBOOK) from None
    if total > _allowed(len(data)):
        raise _bomb(len(data))


def unreadable(error: Exception, what: str) -> ValueError:
    """What to say of a file of columns, such as a Parquet file, that cannot be read."""
    if type(error).__name__ == "DuplicateError":
        name = re.search(r"'([^']*)'", str(error))
        called = f" {name[1]!r}" if name else ""
        return ValueError(f"two of its columns have one name{called}. Rename or drop one of them.")
    return ValueError(f"it is no {what}, or a damaged one. Write it again.")


def check_unpacked(size: int, packed: int) -> None:
    """Refuse columns that repeat one value so often that they would fill the memory.

    Raises:
        ValueError: ``packed`` bytes that become more than 1 GiB, and 1,000 times as many.
    """
    if size > max(MOST_COLUMNS, 1000 * packed):
        raise ValueError(
            f"its {packed:,} bytes become columns of {size:,}; take the rows and columns that you"
            " need, and write these."
        )


def _from_gzip(path: Path, size: int) -> bytes:
    try:
        with gzip.open(path) as file:
            return _read(file, size)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ValueError(
            f"{path} is no gzip file, or a damaged one. If it is not packed, take .gz off its name."
        ) from None


def _from_zip(path: Path, size: int, endings: Sequence[str]) -> Content:
    try:
        with zipfile.ZipFile(path) as archive:
            files = [
                entry
                for entry in archive.infolist()
                if not entry.is_dir()
                and not entry.filename.startswith("__MACOSX/")
                and not Path(entry.filename).name.startswith(".")
            ]
            tables = [e for e in files if Path(e.filename).suffix.lower() in endings]
            if len(tables) != 1:
                names = ", ".join(entry.filename for entry in (tables or files)[:5]) or "nothing"
                raise ValueError(
                    f"{path} holds {len(tables) or 'no'} table{'' if len(tables) == 1 else 's'}"
                    f" ({names}); pack exactly one, or give the table itself."
                )
            entry = tables[0]
            if entry.flag_bits & 1:
                raise ValueError(f"{path} is encrypted; unpack it first.")
            if entry.file_size > _allowed(size):  # said before anything is unpacked
                raise _bomb(size)
            with archive.open(entry) as file:
                data = _read(file, size)
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError):
        raise ValueError(f"{path} is no zip archive, or a damaged one. Pack it again.") from None
    if not data:
        raise ValueError(f"{path} holds an empty {entry.filename}.")
    return Content(data, Path(entry.filename).suffix.lower(), ".zip", entry.filename)


def _read(file: IO[bytes] | gzip.GzipFile, packed: int) -> bytes:
    data = file.read(_allowed(packed) + 1)
    if len(data) > _allowed(packed):
        raise _bomb(packed)
    return data


def check_size(size: int, packed: int | None = None) -> int:
    """Refuse what unpacks to far more than anybody wrote, or is too large to hold.

    Args:
        size: bytes in all. packed: what they were packed in; by default they are not.

    Returns:
        The bytes that are allowed.
    """
    allowed = MOST_BYTES if packed is None else _allowed(packed)
    if size > allowed:
        raise _bomb(size if packed is None else packed)
    return allowed


def _allowed(packed: int) -> int:
    return min(MOST_BYTES, max(SURELY_FINE, MOST_TIMES * packed))


def _bomb(packed: int) -> ValueError:
    return ValueError(
        f"its {packed:,} bytes unpack to more than {_allowed(packed):,}, which is no table anybody"
        " wrote. Unpack it yourself, if you trust it, and give the file."
    )
