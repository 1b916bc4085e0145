"""Folders that ``save_to_disk`` of Hugging Face ``datasets`` wrote, read without that package.

A folder of one data set has ``state.json``, which names its files of Arrow streams in order, and
``dataset_info.json`` with what its columns are; one of several has ``dataset_dict.json`` and a
folder for each.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground.files import noted
from ...ground.problem import Refusal, passed
from .table_checks import listed

if TYPE_CHECKING:
    import polars as pl

STATE, INFO, SEVERAL = "state.json", "dataset_info.json", "dataset_dict.json"
USUAL_PART = "train"  # of several, the one that is read unasked
AGAIN = "Save it again with save_to_disk, or as Parquet with to_parquet."


def is_saved(path: Path) -> bool:
    """Whether this is such a folder, of one data set or of several."""
    return (path / SEVERAL).is_file() or ((path / STATE).is_file() and (path / INFO).is_file())


def read_saved(folder: Path) -> pl.DataFrame:
    """The rows of a saved data set; columns of classes by name, null where a row has none.

    Args:
        folder: the folder of one data set; or of several, of which it is the only one or ``train``.

    Raises:
        ValueError: several without ``train``, missing or damaged files, numbers of classes that
            have no name.

    Warns:
        UserWarning: parts that were left out.
    """
    import polars as pl

    folder = _part(folder)
    names = _files(_json(folder / STATE))
    features = _json(folder / INFO).get("features") or {}
    frames = [_stream(folder, name) for name in names]
    try:
        frame = pl.concat(frames, how="vertical_relaxed") if frames else pl.DataFrame()
    except pl.exceptions.PolarsError:
        raise ValueError(f"its files have different columns. {AGAIN}") from None
    if not frame.width:
        raise ValueError(f"it holds no columns. {AGAIN}")
    return by_features(frame, features)


def by_features(frame: pl.DataFrame, features: Mapping[str, Any]) -> pl.DataFrame:
    """Columns with the classes that they declare.

    Args:
        features: what Hugging Face ``datasets`` says of columns, by their names.
    """
    return frame.with_columns(_named(frame[name], features.get(name)) for name in frame.columns)


def declared_features(metadata: Mapping[str, str]) -> dict[str, Any]:
    """What ``datasets`` writes of columns into a Parquet file; {} where it did not write it."""
    try:
        found = json.loads(metadata.get("huggingface", "{}"))["info"]["features"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _part(folder: Path) -> Path:
    """The folder of one data set."""
    if not (folder / SEVERAL).is_file():
        return folder
    parts = _json(folder / SEVERAL).get("splits")
    if not isinstance(parts, list) or not parts or not all(map(_plain, parts)):
        raise ValueError(f"{SEVERAL} names no data sets. {AGAIN}")
    if len(parts) > 1 and USUAL_PART not in parts:
        raise ValueError(
            f"{folder} holds {len(parts)} data sets; give one of them, such as {folder / parts[0]}"
            f" ({listed(parts)})."
        )
    part = USUAL_PART if USUAL_PART in parts else parts[0]
    if not is_saved(folder / part):
        raise ValueError(f"its folder {part} is missing or no data set. {AGAIN}")
    if others := [name for name in parts if name != part]:
        warnings.warn(
            f"read {folder / part}, and not {listed(others)}; give one of these folders to read"
            " it.",
            stacklevel=4,
        )
    return folder / part


def _plain(name: Any) -> bool:
    """Whether this names something in a folder, and nothing outside of it."""
    return isinstance(name, str) and name not in ("", ".", "..") and not {*"/\\\0"} & {*name}


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"its {path.name} is missing or damaged. {AGAIN}")
    return found


def _files(state: Mapping[str, Any]) -> list[str]:
    try:
        names = [file["filename"] for file in state["_data_files"]]
    except (KeyError, TypeError):
        names = [""]
    if not all(map(_plain, names)):
        raise ValueError(f"its {STATE} names no files. {AGAIN}")
    return names


def _stream(folder: Path, name: str) -> pl.DataFrame:
    import polars as pl

    if not (folder / name).is_file():
        raise ValueError(f"its file {name} is missing. {AGAIN}")
    try:
        return pl.read_ipc_stream(noted(folder / name))
    except (pl.exceptions.PolarsError, OSError):
        raise ValueError(f"its file {name} is no Arrow stream, or a damaged one. {AGAIN}") from None


def _named(column: pl.Series, feature: Any) -> pl.Series:
    """Numbers of classes, alone or in lists, by their names; other columns as they are."""
    import polars as pl

    inner = feature
    if isinstance(feature, list) and len(feature) == 1:  # as older versions write lists
        inner = feature[0]
    elif isinstance(feature, dict) and feature.get("_type") in ("Sequence", "List", "LargeList"):
        inner = feature.get("feature")
    if not isinstance(inner, dict) or inner.get("_type") != "ClassLabel":
        return column
    names = inner.get("names")
    listing = isinstance(column.dtype, pl.List)
    dtype = column.dtype.inner if isinstance(column.dtype, pl.List) else column.dtype
    if not names or not dtype.is_integer():
        return column
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError(f"column {column.name!r} has a class without a name of its own. {AGAIN}")
    flat = column.explode() if listing else column
    if (odd := (flat >= len(names)) | (flat < -1)).any():
        number = flat.filter(odd)[0]
        raise Refusal(
            f"column {column.name!r} has the class {number}, and its {len(names)} classes are"
            f" numbered from 0 ({listed(names)}).",
            "correct it",
            f"leave the column out with {passed('drop', column.name)}",
        )
    kind = pl.Enum(names)
    value = pl.element() if listing else pl.col(column.name)
    told = value.replace_strict(list(range(len(names))), names, default=None, return_dtype=kind)
    if listing:
        told = pl.col(column.name).list.eval(told.drop_nulls())
    return column.to_frame().select(told).to_series()
