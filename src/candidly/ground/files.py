"""Files that are whole or absent: written beside their place, then renamed. Lines and CSV.

What a command reads it does not write over: while one runs (``keeping_inputs``), Python tells of
each file that is opened, and ``replacing``, through which every output goes, asks.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from .jsons import to_json
from .names import nearest
from .problem import Refusal

if TYPE_CHECKING:
    import polars as pl

# cells that a spreadsheet may compute; also behind apostrophes, so that `raw` undoes `inert`
_FORMULA = re.compile(r"'*[=+\-@＝＋－＠\t\r\n]")


POINTER = b"version https://git-lfs.github.com/spec/"  # how a file of Git LFS begins


def is_pipe(path: Path | str) -> bool:
    """Whether it is a pipe or a socket: reading may wait for ever, and nothing is read twice."""
    try:
        kind = os.stat(path).st_mode
    except (OSError, ValueError):  # not there, or no name of a file
        return False
    return stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)


def check_kind(path: Path | str) -> None:
    """Refuse a pipe and a socket.

    Raises:
        ValueError: it is one. What is not there is nobody's mistake here.
    """
    if is_pipe(path):
        raise Refusal(f"{path} is a pipe, and no file.", "write what it holds to a file")


COMPRESSED = (".gz", ".zip")  # may follow the ending of a name
MODEL = ".safetensors"  # what ``candidly train`` writes


def without_packing(path: Path) -> Path:
    """The name without ``.gz`` or ``.zip`` at its end.

    >>> without_packing(Path("t.csv.gz")).name, without_packing(Path("t.csv")).name
    ('t.csv', 't.csv')
    """
    return Path(path.stem) if path.suffix.lower() in COMPRESSED else path


def wrong_ending(path: Path, endings: Iterable[str], packed: str = "") -> str:
    """What to say of a file whose name has none of the endings.

    Args:
        packed: what may follow one of the endings, to end the sentence with.
    """
    plain = without_packing(path)
    if plain.suffix.lower() == MODEL:
        return (
            f"{path} is a model, not a file of rows. What it says of rows is what candidly predict"
            " writes, and with `probs` the probabilities of all classes."
        )
    listed = f"{path} must end in one of {', '.join(endings)}"
    return f"{listed}{packed}{nearest(plain.suffix, endings)}"


def check_content(path: Path) -> None:
    """Refuse what is no file, holds nothing, or only says where Git LFS keeps what it holds.

    Raises:
        ValueError: the message names the file and what to do.
        OSError: it cannot be opened.
    """
    check_kind(path)
    with open(path, "rb") as file:
        begin = file.read(len(POINTER))
    if not begin:
        raise ValueError(f"{path} is empty.")
    if begin == POINTER:
        raise ValueError(
            f"{path} is a pointer to a file that Git LFS keeps, and not that file: `git lfs pull`"
            " fetches it."
        )


# what makes a folder a directory of candidly's: results, a challenge, a project of reviews
MARKS = ("plan.json", "challenge.json", "review.db", "review.json")
PAGES = (".html", ".htm", ".svg", ".pdf", ".png")  # what such a directory may hold of a user's
_read: list[set[tuple[int, int]]] = []  # device and number of each file; of the command that runs
_written: list[set[tuple[int, int]]] = []
_hooked: list[bool] = []


@contextmanager
def keeping_inputs() -> Iterator[None]:
    """In the block no file that was opened to be read in it is written over (see ``replacing``)."""
    if not _hooked:
        sys.addaudithook(_heard)
        _hooked.append(True)
    _read.append(set())
    _written.append(set())
    try:
        yield
    finally:
        _read.pop()
        _written.pop()


def noted(path: Path) -> Path:
    """The path of a file that is about to be read by what does not open it with Python."""
    if _read and (number := _number(path)):
        _read[-1].add(number)
    return path


def check_output(path: Path | str) -> None:
    """Refuse to write over what was read, what the same command wrote, or what candidly keeps.

    Raises:
        ValueError: says which of them it is.
    """
    if not _read:
        return
    path, number = Path(path), _number(path)
    if number in _read[-1] - _written[-1]:
        raise Refusal(f"{path} is a file that is read; write to another one.")
    if number in _written[-1]:
        raise Refusal(f"{path} was just written by this very command; name a file for each.")
    mark = next((mark for mark in MARKS if (path.parent / mark).exists()), None)
    if mark and path.suffix not in PAGES:
        raise Refusal(
            f"{path} would lie in a directory that candidly keeps (it has {mark}); write to"
            " another one."
        )


def check_folder(folder: Path, *own: str) -> None:
    """Refuse to write into a directory that candidly keeps for something of another kind.

    Args:
        own: marks of the kind that is written there.

    Raises:
        ValueError: says what it has.
    """
    mark = next((mark for mark in MARKS if mark not in own and (folder / mark).exists()), None)
    if mark:
        raise Refusal(
            f"{folder} is a directory that candidly keeps for something else (it has {mark}).",
            "write to another one",
        )


def _heard(event: str, told: tuple[Any, ...]) -> None:
    """Notes each file that Python opens to read it."""
    if event != "open" or not _read:
        return
    path, mode, flags = told
    reads = mode[0] == "r" if isinstance(mode, str) else flags & os.O_ACCMODE == os.O_RDONLY
    if reads and isinstance(path, str | bytes | os.PathLike) and (number := _number(path)):
        _read[-1].add(number)


def _number(path: Any) -> tuple[int, int] | None:
    """What a file is, by whichever name; None of what is no file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


@contextmanager
def replacing(
    path: Path | str, synced: bool = False, private: bool = False, again: bool = False
) -> Iterator[BinaryIO]:
    """A binary file that becomes ``path`` when the block ends well, and leaves nothing otherwise.

    Args:
        again: it may be a file that was read or written before: of a record that candidly keeps
            for itself, and where a person has asked for it.
        synced: wait until file and name are on the disk, so that a power cut leaves the old file
            or the new one. Without, it may leave the name of an empty file.
        private: readable by its owner alone.

    Raises:
        ValueError: see ``check_output``.
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    path = Path(path)
    if not again:
        check_output(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(beside, "wb", opener=_private if private else None) as file:
            yield file
            if synced:
                file.flush()
                os.fsync(file.fileno())
        beside.replace(path)
        if _written and not again and (number := _number(path)):
            _written[-1].add(number)
        if synced:
            sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):  # it may not be there, and nothing be to remove in such a folder
            beside.unlink()
        raise OSError(error.errno, f"could not write {path}: {error.strerror or error}") from error
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def undone(folder: Path | str, kinds: type[Exception] = Exception) -> Iterator[None]:
    """What the block makes in a folder is gone when it fails; what was there before stays.

    Args:
        kinds: the kinds of failures. An interruption is none: what was made can be gone on with.
    """
    folder = Path(folder)
    before = set(folder.rglob("*"))
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        yield
    except kinds:
        for path in sorted(set(folder.rglob("*")) - before, reverse=True):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for one in made:
            if one.is_dir():
                one.rmdir()
        raise


def sync_folder(folder: Path) -> None:
    """Wait until the names of a folder's files are on the disk, where its kind can do that."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # of some network disks
            raise
    finally:
        os.close(handle)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def write_table(table: pl.DataFrame, path: Path) -> None:
    """As Parquet, CSV (see ``write_csv``) or JSON (a list of rows), by the file's ending."""
    if path.suffix == ".json":
        write_json(table.rows(named=True), path)
        return
    with replacing(path) as file:
        if path.suffix == ".csv":
            write_csv(table, file)
        else:
            table.write_parquet(file)


def write_csv(table: pl.DataFrame, file: BinaryIO, separator: str = ",") -> None:
    """As CSV that a spreadsheet can open: lists as text, and no text that it would compute.

    Names of columns and cells of text are ``inert``; numbers are as they are. ``ingest.read_frame``
    reads the same texts back.
    """
    import polars as pl

    texts = pl.col(pl.String, pl.Categorical, pl.Enum).cast(pl.String)
    plain = joined(table).with_columns(texts.str.replace(f"^({_FORMULA.pattern})", "'$1"))
    plain.rename(inert).write_csv(file, separator=separator)


def inert(cell: str) -> str:
    """The text with an apostrophe before ``=``, ``+``, ``-``, ``@``, a tab or the end of a line.

    A spreadsheet takes it for text then, and not for a formula. ``raw`` is the inverse.

    >>> inert("=1+1"), inert("'=1"), inert("1-1")
    ("'=1+1", "''=1", '1-1')
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def raw(cell: str) -> str:
    """The text without the apostrophe that ``inert`` has put before it.

    >>> raw("'=1+1"), raw("''=1"), raw("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell, 1) else cell


def lines_of(path: Path | str) -> list[str]:
    """Lines of a text file in UTF-8. They end at ``\\n`` or ``\\r\\n``, and at nothing else.

    ``str.splitlines`` would also end them at U+2028, U+0085, vertical tabs and form feeds, which
    stand inside texts, and give every line after them another number.

    Raises:
        ValueError: another encoding. OSError: it cannot be read.
    """
    check_kind(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text in UTF-8.") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def joined(table: pl.DataFrame) -> pl.DataFrame:
    """Lists of candidates as text, with bars between them."""
    import polars as pl

    lists = [name for name, kind in table.schema.items() if isinstance(kind, pl.List)]
    return table.with_columns(pl.col(lists).cast(pl.List(pl.String)).list.join("|"))


def write_json(value: Any, path: Path, again: bool = False) -> None:
    """As JSON, which has no NaN: it becomes null. See ``replacing``."""
    with replacing(path, again=again) as file:
        file.write(to_json(value).encode())
