"""Scores where people have them: a table, a table for each model, logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....ground.problem import Refusal
from ....ground.progress import OnProgress
from .._columns import number_columns, read_columns, row_names
from .._roles import Roles
from .._sheet import TABLE_ENDINGS
from ..predictions import model_of
from ..table_checks import listed
from ..unused import BESIDE, RolesUsed, as_read, refuse_unused
from ._table import ScoreColumns, ScoreTable
from ._tables import read_files, read_table
from .logs import find_logs, read_logs


def read_scores(
    places: Sequence[Path | str],
    roles: Roles | None = None,
    columns: ScoreColumns | None = None,
    metric: str | None = None,
    watch: OnProgress = lambda done, total: None,
) -> ScoreTable:
    """Scores from one table, from a table for each model, or from logs.

    Args:
        places: files and folders. Logs are known by what stands in them; see ``logs.FORMATS``.
            Several tables, or those in a folder, are one model each, named after the file.
        roles: ``id``, ``drop``, ``separator``, ``header`` and ``sheet`` of tables.
        columns: which columns are what, of tables. metric: which score, of logs.
        watch: called with files read and files in all.

    Raises:
        FileNotFoundError, ValueError: what does not fit; the message names the file.
    """
    paths = [Path(place).expanduser() for place in places]
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"there is no file or folder {path}.")
    columns = columns or ScoreColumns()
    logs = find_logs(paths)
    if logs:
        program = logs[0][0].program
        refuse_unused(roles, RolesUsed(f"logs of {program}", ()))
        for role in ("model", "score", "run", "groups", "slices", "weights", "key"):
            if getattr(columns, role) is not None:
                raise Refusal(f"`{role}` says nothing of logs of {program}.", "leave it out")
        return read_logs(logs, metric, watch)
    if metric is not None:
        raise Refusal("`metric` says nothing of tables.", "name the column of scores with `score`")
    files = [file for path in paths for file in _tables_in(path)]
    refuse_unused(roles, *(as_read(file, BESIDE) for file in files))
    if len(files) == 1:
        return read_table(files[0], roles or Roles(), columns)
    return read_files(files, roles or Roles(), columns, watch)


def _tables_in(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = [file for file in sorted(path.iterdir()) if file.is_file() and model_of(file)]
    found = [file for file in found if file.suffix.lower() != ".npy"]
    if not found:
        raise Refusal(
            f"{path} has no tables ({', '.join(TABLE_ENDINGS)}) and no logs that candidly reads.",
            "give the files themselves",
        )
    return found


def in_order_of(table: ScoreTable, other: ScoreTable) -> dict[str, np.ndarray]:
    """The scores of a table for the items of another, NaN where it lacks one: name -> (n,).

    Raises:
        Refusal: an item that the other lacks, or several runs.
    """
    place = {name: k for k, name in enumerate(map(str, other.ids.tolist()))}
    names = [str(name) for name in table.ids.tolist()]
    beyond = [name for name in names if name not in place]
    if beyond:
        raise Refusal(
            f"Item {beyond[0]!r} of {table.about} is not in {other.about} "
            f"({len(beyond):,} such items).",
            "name the items alike in both",
        )
    rows = np.array([place[name] for name in names])
    found = {}
    for name, scores in table.models.items():
        if scores.ndim > 1:
            raise ValueError(f"{table.about} has several scores of {name!r} on an item.")
        found[name] = np.full(len(other.ids), np.nan)
        found[name][rows] = scores
    return found


def read_other(path: Path | str) -> dict[str, float]:
    """Another ranking: a table with columns model and score, as ``rank`` takes ``against``.

    Raises:
        FileNotFoundError, ValueError: a column that is not there; a score that is no number.
    """
    path = Path(path)
    read = read_columns(path, Roles(id=None), ids=())
    for name in ("model", "score"):
        if name not in read.frame.columns:
            raise Refusal(
                f"{path} has no column {name!r}; another ranking has model and score, and its "
                f"columns are {listed(read.frame.columns)}.",
                "rename them",
            )
    numbers = number_columns(replace(read, frame=read.frame.select("score")))[:, 0]
    if np.isnan(numbers).any():
        row = int(np.flatnonzero(np.isnan(numbers))[0])
        raise ValueError(f"{path} has no score at row {row}.")
    names = row_names(path, read.frame["model"])
    return dict(zip(names.tolist(), numbers.tolist()))
