"""Scores in tables: a column, a file or rows for each model; or answers, and a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....ground.numbers import count_of
from ....ground.problem import Refusal, passed
from ....ground.progress import OnProgress
from .._columns import Columns, missing_column, number_columns, read_columns, texts_of
from .._roles import Roles
from ..predictions import model_of
from ..table_checks import listed
from ._table import ScoreColumns, ScoreTable
from ._wins import compared_in

if TYPE_CHECKING:
    import polars as pl

SHOWN = 3  # names in a message
ITEMS = ("id", "item", "question_id", "instance_id", "task_id")  # usual names of that column


def read_table(path: Path, roles: Roles, columns: ScoreColumns) -> ScoreTable:
    """One table that has all models.

    Raises:
        FileNotFoundError, ValueError: what does not fit; the message names the file and the column.
    """
    if columns.model is not None:
        return _long(path, roles, columns, columns.model)
    for role, name in (("score", columns.score), ("run", columns.run)):
        if name is not None:
            raise Refusal(
                f"`{role}` says nothing of {path}, where a column is a model.",
                "say which column names the model of a row with `model`",
                "leave it out",
            )
    read = read_items(path, roles)
    if not read.named:
        raise ValueError(f"{path} has no line of names above its columns, which name the models.")
    read, beside = _beside(read, columns)
    names = [name for name in read.frame.columns if name != columns.key]
    if len(names) < 2:
        raise Refusal(
            f"{path} has {count_of(len(names), 'column')} of models ({listed(names)}); a ranking "
            "needs at least two.",
            "say which column names the model of a row with `model`",
            "give a file for each model",
        )
    about = f"{len(names)} columns of {path}"
    if columns.key is not None:
        return _answers(read, beside, names, columns.key, about)
    _refuse_texts(read, names)
    numbers = number_columns(read)
    models = {name: numbers[:, k] for k, name in enumerate(names)}
    return ScoreTable(models, _ids(read), *_three(beside), about=about)


def read_files(
    paths: Sequence[Path],
    roles: Roles,
    columns: ScoreColumns,
    watch: OnProgress = lambda done, total: None,
) -> ScoreTable:
    """A table for each model, named after its file; items are joined by their names.

    Args:
        watch: called with files read and files in all.

    Raises:
        FileNotFoundError, ValueError: what does not fit; the message names the file.
    """
    import polars as pl

    names = [model_of(path) or path.stem for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise Refusal(
                f"Two of the files are called {name!r}, and a model is called after its file.",
                "rename one of them",
            )
    parts = []
    for done, (name, path) in enumerate(zip(names, paths)):
        watch(done, len(paths))
        read = read_items(path, roles)
        read, beside = _beside(read, columns)
        score = columns.score or _only_score(path, read)
        if score not in read.frame.columns:
            raise ValueError(missing_column(path, read.frame.columns, score, "score"))
        one = replace(read, frame=read.frame.select(score))
        _refuse_texts(one, [score])
        parts.append(
            pl.DataFrame(
                {
                    "model": [name] * len(one.frame),
                    "item": _ids(one).astype(str),
                    "score": number_columns(one)[:, 0],
                    **beside,
                }
            )
        )
    return from_long(pl.concat(parts, how="diagonal_relaxed"), f"{len(paths)} files")


def from_long(frame: pl.DataFrame, about: str) -> ScoreTable:
    """A score a row, as a table of items.

    Args:
        frame: columns model, item, score (null or NaN where there is none) and, where they are
            known, run, groups, slices and weights.

    Raises:
        ValueError: an item with two groups, slices or weights, or the same run twice.
    """
    import polars as pl

    frame = frame.with_columns(
        pl.col("model").cast(pl.String), pl.col("item").cast(pl.String), pl.col("score").cast(float)
    )
    keys = ["model", "item"]
    if "run" in frame.columns:
        twice = frame.filter(pl.struct("model", "item", "run").is_duplicated())
        if len(twice):
            one = twice.row(0, named=True)
            raise ValueError(
                f"model {one['model']!r} has item {one['item']!r} twice in run {one['run']!r}."
            )
        frame = frame.sort("run", maintain_order=True)
    frame = frame.with_columns(pl.int_range(pl.len()).over(keys).alias("place"))
    items = frame["item"].unique(maintain_order=True)
    names = frame["model"].unique(maintain_order=True).to_list()
    n, runs = len(items), int(frame["place"].max() or 0) + 1  # type: ignore[arg-type]
    row = frame["item"].replace_strict(items, pl.int_range(n, eager=True)).to_numpy()
    of = frame["model"].replace_strict(names, list(range(len(names)))).to_numpy()
    scores = np.full((len(names), n, runs), np.nan)
    scores[of, row, frame["place"].to_numpy()] = frame["score"].to_numpy()
    beside: dict[str, np.ndarray] = {
        role: _one_each(frame, items, role)
        for role in ("groups", "slices", "weights")
        if role in frame.columns
    }
    models = {name: scores[r, :, 0] if runs == 1 else scores[r] for r, name in enumerate(names)}
    return ScoreTable(models, items.to_numpy().astype(str), *_three(beside), about=about)


def _one_each(frame: pl.DataFrame, items: pl.Series, role: str) -> np.ndarray:
    """What every item has of a role, (n,)."""
    import polars as pl

    known = frame.select("item", role).unique(maintain_order=True).drop_nulls()
    odd = known.filter(pl.col("item").is_duplicated())
    if len(odd):
        one = odd.filter(pl.col("item") == odd["item"][0])[role].to_list()
        raise ValueError(f"item {odd['item'][0]!r} has two {role}: {one[0]!r} and {one[1]!r}.")
    found = items.to_frame("item").join(known, on="item", how="left", maintain_order="left")[role]
    if found.has_nulls():
        place = int(found.is_null().arg_max() or 0)
        raise ValueError(f"item {items[place]!r} has no {role.removesuffix('s')}.")
    return found.to_numpy().astype(np.float64) if role == "weights" else _text(found)


def _text(column: pl.Series) -> np.ndarray:
    import polars as pl

    return column.cast(pl.String).to_numpy().astype(str)


def _long(path: Path, roles: Roles, columns: ScoreColumns, model: str) -> ScoreTable:
    """A row is one model's score on one item."""
    import polars as pl

    read = read_columns(path, replace(roles, id=None), ids=())
    frame = read.frame
    item = roles.id or next((name for name in ITEMS if name in frame.columns), None)
    if item is None:
        raise Refusal(
            f"{path} has no column that names the items; its columns are {listed(frame.columns)}.",
            "say which one does with `id`",
        )
    wanted = {"model": model, "id": item, "run": columns.run, **columns.of_items}
    score = columns.score or ("score" if "score" in frame.columns else None)
    if score is None:
        raise Refusal(
            f"{path} has no column `score`; its columns are {listed(frame.columns)}.",
            "say which one holds the scores with `score`",
        )
    wanted["score"] = score
    if columns.key is not None:
        raise Refusal(
            f"`key` says nothing of {path}, where a row is one model's score.",
            "leave it out",
            "give a table with a column of answers for each model",
        )
    for role, name in wanted.items():
        if name is not None and name not in frame.columns:
            raise ValueError(missing_column(path, frame.columns, name, role))
    _refuse_texts(read, [score])
    numbers = number_columns(replace(read, frame=frame.select(score)))[:, 0]
    found = {"item": texts_of(path, frame[item]), "model": texts_of(path, frame[model])}
    more = {role: frame[name] for role, name in columns.of_items.items()}
    if columns.run is not None:
        more["run"] = frame[columns.run]
    return from_long(
        pl.DataFrame({**found, "score": numbers, **more}), f"{len(frame):,} rows of {path}"
    )


def _beside(read: Columns, columns: ScoreColumns) -> tuple[Columns, dict[str, np.ndarray]]:
    """The columns without those that say something of the items, and these by name."""
    frame, found = read.frame, {}
    for role, name in columns.of_items.items():
        if name not in frame.columns:
            raise ValueError(missing_column(read.path, frame.columns, name, role))
        if role == "weights":
            found[role] = number_columns(replace(read, frame=frame.select(name)))[:, 0]
        else:
            found[role] = texts_of(read.path, frame[name])
    if columns.key is not None and columns.key not in frame.columns:
        raise ValueError(missing_column(read.path, frame.columns, columns.key, "key"))
    return replace(read, frame=frame.drop(set(columns.of_items.values()))), found


def read_items(path: Path, roles: Roles) -> Columns:
    """The columns of a table with an item a row, and the names of the items."""
    read = read_columns(path, replace(roles, id=None), ids=())
    frame = read.frame
    if roles.id is not None and roles.id not in frame.columns:
        raise ValueError(missing_column(path, frame.columns, roles.id, "id"))
    item = roles.id or next((name for name in ITEMS if name in frame.columns), None)
    if item is None:
        return read
    names = texts_of(path, frame[item])
    known, counts = np.unique(names, return_counts=True)
    if len(known) < len(names):
        raise Refusal(
            f"{path}, column {item!r}, has {str(known[counts > 1][0])!r} {counts.max()} times; "
            "where a column is a model, an item is one row.",
            "say which column names the model of a row with `model`",
            "name another column with `id`",
        )
    return replace(read, frame=frame.drop(item), ids=names)


def _three(
    beside: Mapping[str, np.ndarray],
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """Groups, slices and weights."""
    return beside.get("groups"), beside.get("slices"), beside.get("weights")


def _only_score(path: Path, read: Columns) -> str:
    names = read.frame.columns
    if "score" in names:
        return "score"
    if len(names) == 1:
        return names[0]
    raise Refusal(
        f"{path} has several columns ({listed(names)}), and one holds the scores.",
        "say which with `score`",
    )


def _refuse_texts(read: Columns, names: Sequence[str]) -> None:
    """A column of words is no model's scores."""
    import polars as pl

    for name in names:
        column = read.frame[name]
        if column.dtype != pl.String:
            continue
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
        odd = (numbers.is_null() & column.is_not_null()).arg_true()
        if len(odd) and compared_in(read.frame.columns):
            raise Refusal(
                f"{read.what(name)} names models: these are comparisons of two models.",
                "say so with `wins`",
            )
        if len(odd):
            raise Refusal(
                f"{read.what(name)} has {column[odd[0]]!r} at row {odd[0]}, which is no score.",
                f"leave the column out with {passed('drop', name)}",
                "say with `model`, `groups` or `slices` what it is",
                "say with `key` which column has the right answers, where the others are answers",
            )


def _ids(read: Columns) -> np.ndarray:
    return np.arange(len(read.frame)) if read.ids is None else read.ids


def answers_in(read: Columns, name: str) -> np.ndarray:
    """A column of answers as text (n,), '' where there is none."""
    import polars as pl

    return _text(read.frame[name].cast(pl.String).str.strip_chars().fill_null(""))


def _answers(
    read: Columns, beside: dict[str, np.ndarray], names: Sequence[str], key: str, about: str
) -> ScoreTable:
    """Answers that score 1 where they are the key."""
    right = answers_in(read, key)
    if (right == "").any():
        row = int(np.flatnonzero(right == "")[0])
        raise ValueError(f"{read.what(key)} has no right answer at row {row}.")
    answers = {name: answers_in(read, name) for name in names}
    models = {
        name: np.where(said == "", np.nan, (said == right).astype(np.float64))
        for name, said in answers.items()
    }
    for name, scores in models.items():
        if not (scores == 1).any():
            said = next((str(one) for one in answers[name] if one), "")
            raise Refusal(
                f"{read.what(name)} never gives the right answer: it has {said[:60]!r}, and keys "
                f"are such as {str(right[0])!r}.",
                "write answers and keys in the same way",
                f"leave the column out with {passed('drop', name)}",
            )
    ids, more = _ids(read), _three(beside)
    return ScoreTable(models, ids, *more, answers=answers, key=right, about=about)
