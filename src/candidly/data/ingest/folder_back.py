"""A folder of pictures, copied with every picture in the folder of its right class.

``OUT/pictures`` is the folder as it was, with the corrected ones moved; ``OUT/removed`` holds those
that have no right label; ``OUT/moves.csv`` says what went where, and why. The folder that was read
stays as it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ...ground.files import write_table
from ...ground.names import shortened
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...ground.whole import whole_folder
from ..labels.labelled import Labelled

PICTURES, REMOVED, MOVES = "pictures", "removed", "moves.csv"
TOLD_EVERY = 200  # pictures


@dataclass(frozen=True)
class FolderWritten:
    """What was written: pictures that stayed, were moved and were removed."""

    stayed: int
    moved: int
    removed: int

    def __len__(self) -> int:
        """Pictures in all."""
        return self.stayed + self.moved + self.removed


def write_folder(
    data: Labelled,
    labels: Any,
    sources: Sequence[str],
    out: Path | str,
    watch: OnProgress = lambda done, total: None,
) -> FolderWritten:
    """Copies the pictures of a folder, each to the folder of its corrected class.

    Where a picture of that name is there already, the moved one is called ``NAME-from-CLASS``.

    Args:
        data: from ``ingest.read`` of a folder with a subfolder for each class.
        labels: int (n,), the corrected labels; -1 for a picture that is removed.
        sources: n words, where each label comes from.
        out: made; must be empty or not there.
        watch: called with pictures copied and in all.

    Raises:
        ValueError: a folder whose labels are not the names of its subfolders, a class whose name
            cannot be that of a folder, or an ``out`` with something in it. OSError: a picture
            cannot be read or written; nothing is left in ``out``.
    """
    given, pictures = _given(data), _pictures(data)
    depth = _depth(pictures, data)
    if depth is None:
        raise Refusal(
            f"the labels of {data.source} are not the names of its subfolders, so no picture can be"
            " put into the folder of its right class.",
            "give the table that has the labels",
        )
    places = [PurePosixPath(str(id)) for id in data.ids]
    labels = np.asarray(labels)
    names = _folder_names(data.classes, places, given, depth)
    taken = {
        place.as_posix().casefold() for place, old, new in zip(places, given, labels) if old == new
    }
    rows: list[tuple[str, str, str | None, str, str]] = []
    removed = 0
    with whole_folder(Path(out)) as beside:
        (beside / PICTURES).mkdir()
        for row, (place, old, new) in enumerate(zip(places, given.tolist(), labels.tolist())):
            to = place
            top = PICTURES if new >= 0 else REMOVED
            if new != old and new >= 0:
                to = _free(_moved(place, depth, names[new]), place.parts[depth], taken)
            target = beside / top / to
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(pictures[row], target)
            if new != old:
                removed += new < 0
                new_name = None if new < 0 else data.classes[new]
                went = f"{top}/{to.as_posix()}"
                rows.append((place.as_posix(), data.classes[old], new_name, sources[row], went))
            if row % TOLD_EVERY == 0:
                watch(row, len(places))
        watch(len(places), len(places))
        _write_moves(rows, beside / MOVES)
    moved = len(rows) - removed
    return FolderWritten(len(places) - len(rows), moved, removed)


def is_by_folders(data: Labelled) -> bool:
    """Whether these are pictures whose labels are the names of their folders."""
    if data.given is None:
        return False
    return _depth(_pictures(data), data) is not None


def _write_moves(rows: Sequence[tuple[str, str, str | None, str, str]], path: Path) -> None:
    import polars as pl

    names = ("picture", "label", "label corrected", "label corrected by", "now")
    write_table(pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"), path)


def _given(data: Labelled) -> np.ndarray:
    if data.given is None:
        raise ValueError("the folder's pictures have no labels to correct.")
    return data.given


def _pictures(data: Labelled) -> list[Path]:
    """The pictures' files; none where the data are something else."""
    inputs = data.inputs if isinstance(data.inputs, np.ndarray) else ()
    return [each for each in inputs if isinstance(each, Path)]


def _depth(pictures: Sequence[Path], data: Labelled) -> int | None:
    """Which part of the pictures' places is their class; None where none is."""
    places = [PurePosixPath(str(id)) for id in data.ids]
    if len(pictures) != len(places) or not all(
        path.as_posix().endswith(place.as_posix()) for path, place in zip(pictures, places)
    ):
        return None
    for depth in range(min(len(place.parts) for place in places) - 1):
        classes: dict[str, set[int]] = {}
        for place, label in zip(places, _given(data).tolist()):
            classes.setdefault(place.parts[depth], set()).add(label)
        if all(len(labels) == 1 for labels in classes.values()):
            return depth
    return None


def _folder_names(
    classes: Sequence[str], places: Sequence[PurePosixPath], given: np.ndarray, depth: int
) -> list[str]:
    """The folder of each class: the one that is there, or one of its own name."""
    found: dict[int, set[str]] = {}
    for place, label in zip(places, given.tolist()):
        found.setdefault(label, set()).add(place.parts[depth])
    names = []
    for label, name in enumerate(classes):
        there = found.get(label, set())
        if not there and (name in (".", "..") or "/" in name or "\0" in name):
            raise ValueError(f"class {shortened(name)} cannot be the name of a folder.")
        names.append(name if name in there or not there else min(there))
    return names


def _moved(place: PurePosixPath, depth: int, name: str) -> PurePosixPath:
    parts = [*place.parts]
    parts[depth] = name
    return PurePosixPath(*parts)


def _free(place: PurePosixPath, before: str, taken: set[str]) -> PurePosixPath:
    """A place where nothing is, which is taken from then on."""
    found, number = place, 1
    while found.as_posix().casefold() in taken:
        more = f"-from-{before}" + (f"-{number}" if number > 1 else "")
        found, number = place.with_name(f"{place.stem}{more}{place.suffix}"), number + 1
    taken.add(found.as_posix().casefold())
    return found
