"""One small file in place of a journal's many: columns (``packed``), without repeats, in order.

Every record that readers would use is in the new file, on the disk and read back, before an old
file goes. A kill at any moment leaves files that read as the same records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .journal import journal_files, sources_of
from .lock import locked
from .plan import read_plan


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
        ValueError: the compact file that is there already is damaged; nothing of it can be read.
        OSError: the new file could not be written; every old file is still there.
    """
    if read_plan(out) is None:
        raise FileNotFoundError(f"{out} holds no plan.json: it is no results directory.")
    folder = out / "journal"
    with locked(out):
        for torn in folder.glob(".compact*.part"):  # a kill while one was being written
            torn.unlink()
        return _compacted(folder, journal_files(folder), force)


def _compacted(folder: Path, files: Sequence[Path], force: bool) -> Compacted:
    """The same of a locked directory; records are read and written piece by piece."""
    from .packed import write_file  # which loads polars

    before, notes = _size(files), list[str]()
    sources = sources_of(files, notes)
    # a note begins with the name of its file
    damaged = [path for path in files if any(n.startswith(f"{path.name}: ") for n in notes)]
    if not any(source.rows for source in sources):
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


def _size(files: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in files)
