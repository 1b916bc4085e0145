"""One small file in place of a journal's many: compressed, without repeats, in order.

Up to ``MOST_LINES`` records are lines of text, which anybody can read; more are columns
(``packed``), of which tables read what they need. Every record that readers would use is in the
new file, on the disk and read back, before an old file goes. A kill at any moment leaves files
that read as the same records.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...ground.files import replacing
from ...ground.problem import Refusal
from .journal import journal_files, lines_of, read_file, read_records, sources_of
from .lines import in_columns
from .lock import locked
from .plan import read_plan
from .records import Record, plain_outcomes

NAME = "compact.jsonl.xz"
MOST_LINES = 200_000  # records; compressing that many lines takes a minute
MOST_BYTES = 2**27  # of lines as they are, of fewer records with much beside them


@dataclass(frozen=True)
class Compacted:
    """What became of a journal.

    Attributes:
        records: in the compact file; 0 where there were none, and nothing was changed.
        files_before, bytes_before, bytes_after: of the journal; bytes after include ``kept``.
        kept: names of files that stay because of lines that cannot be read.
        notes: a sentence on each file with such lines.
    """

    records: int
    files_before: int
    bytes_before: int
    bytes_after: int
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def compact(out: Path, force: bool = False) -> Compacted:
    """Rewrite the journal of a results directory as one file. The same records: the same bytes.

    Args:
        out: the results directory.
        force: also delete files with lines that cannot be read. A torn last line is what a kill
            leaves; other such lines may be another version's records.

    Raises:
        FileNotFoundError: ``out`` is no results directory.
        BlockingIOError: a process is at work on it.
        ValueError: the compact file that is there already is damaged, and ``force`` is not given;
            or it holds columns and is damaged, of which nothing can be read.
        OSError: the new file could not be written; every old file is still there.
    """
    if read_plan(out) is None:
        raise FileNotFoundError(f"{out} holds no plan.json: it is no results directory.")
    folder, target = out / "journal", out / "journal" / NAME
    with locked(out):
        for torn in folder.glob(".compact*.part"):  # a kill while one was being written
            torn.unlink()
        files = journal_files(folder)
        if any(map(in_columns, files)) or _size(files) > MOST_BYTES:
            return _as_columns(folder, files, force)
        before = _size(files)
        damaged = {path: note for path in files if (note := read_file(path)[1])}
        if target in damaged and not force:
            raise _unreadable(target, damaged[target])
        found, notes = read_records(folder)
        records = [found[key][step] for key in sorted(found) for step in sorted(found[key])]
        if not records:
            return Compacted(0, len(files), before, before, (), tuple(notes))
        if len(records) > MOST_LINES:
            del found, records
            return _as_columns(folder, files, force)
        _write(target, [_plain(record) for record in records])
        old = [path for path in files if path != target and (force or path not in damaged)]
        return _without(old, folder, target, len(records), files, before, notes)


def _as_columns(folder: Path, files: Sequence[Path], force: bool) -> Compacted:
    """The same as one file of columns; records are read and written piece by piece."""
    from .packed import write_file  # which loads polars

    before, notes = _size(files), list[str]()
    sources = sources_of(files, notes)
    # a note begins with the name of its file
    damaged = [path for path in files if any(n.startswith(f"{path.name}: ") for n in notes)]
    for path in damaged:
        if path.name == NAME and not force:
            raise _unreadable(path, next(n for n in notes if n.startswith(path.name)))
    if not sources:
        return Compacted(0, len(files), before, before, (), tuple(notes))
    target, rows = write_file(folder, sources)
    old = [path for path in files if path != target and (force or path not in damaged)]
    return _without(old, folder, target, rows, files, before, notes)


def _without(
    old: Sequence[Path],
    folder: Path,
    target: Path,
    records: int,
    files: Sequence[Path],
    before: int,
    notes: Sequence[str],
) -> Compacted:
    """What has become of a journal whose records are all in ``target``, once old files are gone."""
    for path in old:
        path.unlink()
    left = journal_files(folder)
    kept = tuple(path.name for path in left if path != target)
    return Compacted(records, len(files), before, _size(left), kept, tuple(notes))


def _unreadable(path: Path, note: str) -> ValueError:
    return Refusal(
        f"{path} cannot be read to its end ({note}), and would be written anew.",
        "restore it from a copy",
        "go on with what can be read by `force=True`",
    )


def _plain(record: Record) -> Record:
    """The record with what is packed open to the compressor: deflated, it is noise to it."""
    outcomes, confusion = (
        None if packed is None else plain_outcomes(packed)
        for packed in (record.outcomes, record.confusion)
    )
    return replace(record, outcomes=outcomes, confusion=confusion)


def _write(target: Path, records: Sequence[Record]) -> None:
    """Write the file, wait until it is on the disk, and read it back."""
    with replacing(target, synced=True, again=True) as file:
        file.write(lzma.compress(lines_of(records), preset=9 | lzma.PRESET_EXTREME))
        file.flush()
        if read_file(Path(file.name)) != (list(records), ""):
            raise OSError(None, "what was written does not read back")


def _size(files: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in files)
