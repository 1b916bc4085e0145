"""The files of a built benchmark, in the form of the released ones, written and read back.

``cat{q}.csv`` has the classes; ``train.csv``, ``val.csv`` and ``test.csv`` the clean events;
``noisy/{mode}_{rate}.csv`` training events with noise: ``mix`` of all sources, ``neighbor``,
``uncommon`` and ``tail`` of one, ``sym`` with flipped labels. Which row is noisy follows from ids.
The names of columns are those of the released files, ``choosen_id`` among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.files import replacing, write_csv

if TYPE_CHECKING:
    import polars as pl

PLAIN = ("choosen_id", "step_id", "cat_id", "step", "cat")
REPLACED = (
    *("choosen_id", "step_id", "noisy_id", "cat_id", "step", "cat"),
    *("noisy_step", "noisy_cat", "noisy_label"),
)
FLIPPED = ("choosen_id", "step_id", "cat_id", "noisy_label", "step", "cat", "noisy_cat")
OF_CATEGORIES = ("category", "level", "steps")
SYMMETRIC = "sym"
PARTS = ("train", "val", "test")
OUTSIDE = -1  # label of a text whose category is none of the classes


@dataclass(frozen=True, eq=False)
class EventTable:
    """Events as they stand in files.

    Attributes:
        chosen, step: int64 (n,), ids among the benchmark's events and among all of the funnel.
        labels: int64 (n,), classes.
        texts: objects (n,).
    """

    chosen: np.ndarray
    step: np.ndarray
    labels: np.ndarray
    texts: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self, which: np.ndarray) -> EventTable:
        return EventTable(
            self.chosen[which], self.step[which], self.labels[which], self.texts[which]
        )


@dataclass(frozen=True, eq=False)
class Pool:
    """Events outside the classes.

    Attributes:
        step: int64 (m,), ids.
        texts: objects (m,).
        category: objects (m,), names.
    """

    step: np.ndarray
    texts: np.ndarray
    category: np.ndarray


def write_categories(
    folder: Path, names: Sequence[str], levels: Sequence[int], sizes: Sequence[int]
) -> str:
    """The table of classes; returns the file's name."""
    import polars as pl

    columns = dict(zip(OF_CATEGORIES, (list(names), list(levels), list(sizes))))
    return written(folder, f"cat{len(names)}.csv", pl.DataFrame(columns))


def write_part(folder: Path, part: str, table: EventTable, names: Sequence[str]) -> str:
    """Clean events; returns the file's name."""
    return written(folder, f"{part}.csv", _frame(table, names).select(PLAIN))


def write_replaced(
    folder: Path,
    mode: str,
    rate: float,
    table: EventTable,
    names: Sequence[str],
    pool: Pool,
    origin: np.ndarray,
) -> str:
    """Training events of which some have another text; returns the file's name.

    Args:
        origin: int64 (n,), the row of the pool in place of each, -1 where it stays.
    """
    import polars as pl

    there = origin >= 0
    at = np.where(there, origin, 0)
    frame = _frame(table, names).with_columns(
        pl.Series("noisy_id", np.where(there, pool.step[at], table.step)),
        pl.Series("noisy_step", np.where(there, pool.texts[at], table.texts).tolist()),
        pl.Series("noisy_cat", np.where(there, pool.category[at], _named(table, names)).tolist()),
        pl.Series("noisy_label", np.where(there, OUTSIDE, table.labels)),
    )
    return written(folder, _noisy(mode, rate), frame.select(REPLACED))


def write_flipped(
    folder: Path, rate: float, table: EventTable, names: Sequence[str], given: np.ndarray
) -> str:
    """Training events of which some have another label; returns the file's name."""
    import polars as pl

    frame = _frame(table, names).with_columns(
        pl.Series("noisy_label", given.astype(np.int64)),
        pl.Series("noisy_cat", [names[label] for label in given]),
    )
    return written(folder, _noisy(SYMMETRIC, rate), frame.select(FLIPPED))


def read_categories(folder: Path) -> tuple[str, ...]:
    """Names of the classes, by their numbers.

    Raises:
        FileNotFoundError: no table of classes is there. ValueError: several, or another table.
    """
    found = sorted(folder.glob("cat*.csv"))
    if len(found) != 1:
        problem = FileNotFoundError if not found else ValueError
        raise problem(
            f"{folder} has {len(found)} tables of classes (cat*.csv), and a benchmark has one. "
            "Name a folder that candidly build wrote, or that the benchmark was released in."
        )
    frame = _read(found[0], OF_CATEGORIES)
    return tuple(frame["category"].to_list())


def read_table(path: Path, names: Sequence[str]) -> EventTable:
    """A file of clean events.

    Raises:
        FileNotFoundError, ValueError: no such file, other columns, or a label that is no class.
    """
    frame = _read(path, PLAIN)
    return _table(frame, path, names)


def read_noisy(
    folder: Path, mode: str, rate: float, names: Sequence[str]
) -> tuple[EventTable, np.ndarray, np.ndarray, np.ndarray]:
    """Training events with noise.

    Returns:
        the clean events; texts and labels as they are learned from; bool (n,), which are noisy.

    Raises:
        FileNotFoundError, ValueError: as ``read_table``.
    """
    path = folder / _noisy(mode, rate)
    flip = mode == SYMMETRIC
    frame = _read(path, FLIPPED if flip else REPLACED)
    table = _table(frame, path, names)
    if flip:
        given = _numbers(frame, "noisy_label")
        return table, table.texts, given, given != table.labels
    texts = frame["noisy_step"].to_numpy().astype(object)
    return table, texts, table.labels, _numbers(frame, "noisy_id") != table.step


@dataclass(frozen=True)
class ReplacedEvent:
    """An event with another one in its place.

    Attributes:
        chosen: its id.
        text, label: of the event, and the name of its class, which it keeps.
        noisy_text, noisy_label: what is in its place, and that one's category.
    """

    chosen: int
    text: str
    label: str
    noisy_text: str
    noisy_label: str


def read_replaced(folder: Path, mode: str, rate: float) -> list[ReplacedEvent]:
    """The events that have another one in their place, in the order of the file.

    Raises:
        FileNotFoundError, ValueError: as ``read_noisy``.
    """
    import polars as pl

    frame = _read(folder / _noisy(mode, rate), REPLACED)
    moved = frame.filter(pl.col("noisy_id") != pl.col("step_id"))
    columns = ("choosen_id", "step", "cat", "noisy_step", "noisy_cat")
    return [ReplacedEvent(int(row[0]), *map(str, row[1:])) for row in moved.select(columns).rows()]


def as_labelled(folder: Path | str, mode: str = "", rate: float = 0.0) -> Labelled:
    """Training events, with noise or without, and the test events as the official test rows.

    Args:
        mode: ``mix``, ``neighbor``, ``uncommon``, ``tail`` or ``sym``; '' for no noise.

    Returns:
        ``given`` is the label that is learned from; ``truth`` the event's class, -1 where another
        text is in its place.

    Raises:
        FileNotFoundError, ValueError: as ``read_noisy``.
    """
    folder = Path(folder)
    names = read_categories(folder)
    test = read_table(folder / "test.csv", names)
    if mode:
        table, texts, given, wrong = read_noisy(folder, mode, rate, names)
        moved = wrong & (mode != SYMMETRIC)
    else:
        table = read_table(folder / "train.csv", names)
        texts, given, moved = table.texts, table.labels, np.zeros(len(table), bool)
    truth = np.where(moved, -1, table.labels)
    said = f": {mode}, {rate:g}" if mode else ""
    return Labelled(
        inputs=np.concatenate([texts, test.texts]),
        given=np.concatenate([given, test.labels]),
        truth=np.concatenate([truth, test.labels]),
        ids=np.concatenate([table.chosen, test.chosen]),
        classes=names,
        official_test=np.arange(len(table) + len(test)) >= len(table),
        source=f"{folder.name}{said}",
    )


def _noisy(mode: str, rate: float) -> str:
    return (
        f"noisy/{mode}_{rate:.1f}.csv" if round(rate, 1) == rate else f"noisy/{mode}_{rate:g}.csv"
    )


def _named(table: EventTable, names: Sequence[str]) -> np.ndarray:
    return np.array(names, object)[table.labels]


def _frame(table: EventTable, names: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    columns = (table.chosen, table.step, table.labels, table.texts.tolist())
    return pl.DataFrame(
        {**dict(zip(PLAIN, columns)), "cat": _named(table, names).tolist()},
        schema_overrides={"step": pl.String, "cat": pl.String},
    )


def written(folder: Path, name: str, frame: pl.DataFrame) -> str:
    """A table under a name in the folder, never half a file; returns the name."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, again=True) as file:
        write_csv(frame, file)
    return name


def _read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    from ...data.ingest import read_frame

    frame = read_frame(path, ",").frame
    if tuple(frame.columns) != tuple(columns):
        raise ValueError(
            f"{path} has the columns {', '.join(frame.columns)[:200]}, and such a file has "
            f"{', '.join(columns)}."
        )
    return frame


def _table(frame: pl.DataFrame, path: Path, names: Sequence[str]) -> EventTable:
    labels = _numbers(frame, "cat_id")
    if len(labels) and not (labels.min() >= 0 and labels.max() < len(names)):
        raise ValueError(f"{path} has a cat_id outside 0 to {len(names) - 1}.")
    return EventTable(
        _numbers(frame, "choosen_id"),
        _numbers(frame, "step_id"),
        labels,
        frame["step"].to_numpy().astype(object),
    )


def _numbers(frame: pl.DataFrame, name: str) -> Any:
    import polars as pl

    return frame[name].cast(pl.Int64).to_numpy()
