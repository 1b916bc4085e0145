"""One small file in place of a journal's many: compressed, without repeats, in order.

Every record that readers would use is in the new file, on the disk and read back, before an old
file goes. A kill at any moment leaves files that read as the same records.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .._files import replacing
from .journal import journal_files, lines_of, read_file, read_records
from .lock import locked
from .plan import read_plan
from .records import Record, plain_outcomes

NAME = "compact.jsonl.xz"


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
        ValueError: the compact file that is there already is damaged, and ``force`` is not given.
        OSError: the new file could not be written; every old file is still there.
    """
    if read_plan(out) is None:
        raise FileNotFoundError(f"{out} holds no plan.json: it is no results directory.")
    folder, target = out / "journal", out / "journal" / NAME
    with locked(out):
        for torn in folder.glob(f".{NAME}.*.part"):  # a kill while one was being written
            torn.unlink()
        files = journal_files(folder)
        before = _size(files)
        damaged = {path: note for path in files if (note := read_file(path)[1])}
        if target in damaged and not force:
            raise ValueError(
                f"{target} cannot be read to its end ({damaged[target]}), and would be written "
                "anew. Restore it from a copy, or use --force to go on with what can be read."
            )
        found, notes = read_records(folder)
        records = [found[key][step] for key in sorted(found) for step in sorted(found[key])]
        if not records:
            return Compacted(0, len(files), before, before, (), tuple(notes))
        _write(target, [_plain(record) for record in records])
        old = [path for path in files if path != target and (force or path not in damaged)]
        for path in old:
            path.unlink()
        left = journal_files(folder)
        kept = tuple(path.name for path in left if path != target)
        return Compacted(len(records), len(files), before, _size(left), kept, tuple(notes))


def _plain(record: Record) -> Record:
    """The record with what is packed open to the compressor: deflated, it is noise to it."""
    outcomes, confusion = (
        None if packed is None else plain_outcomes(packed)
        for packed in (record.outcomes, record.confusion)
    )
    return replace(record, outcomes=outcomes, confusion=confusion)


def _write(target: Path, records: Sequence[Record]) -> None:
    """Write the file, wait until it is on the disk, and read it back."""
    with replacing(target, synced=True) as file:
        file.write(lzma.compress(lines_of(records), preset=9 | lzma.PRESET_EXTREME))
        file.flush()
        if read_file(Path(file.name)) != (list(records), ""):
            raise OSError(None, "what was written does not read back")


def _size(files: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in files)
