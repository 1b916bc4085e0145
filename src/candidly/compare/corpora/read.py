"""A built benchmark, read back for people to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest import read_frame
from ...data.ingest.texts import read_json
from .accounts import DIFFICULTY
from .builder import MANIFEST
from .files import ReplacedEvent, read_categories, read_replaced
from .noise import SOURCES


@dataclass(frozen=True, eq=False)
class BuiltBenchmark:
    """What a build has written.

    Attributes:
        manifest: as JSON values.
        names: the names of the classes.
        chosen: int64 (n,), ids of the training events.
        source: int8 (n,), each one's, a number of ``noise.SOURCES``.
        difficulty: float64 (n,), how alike what may replace it is; NaN where nothing may.
        replaced: by rate, the events that have another one in their place.
    """

    manifest: Mapping[str, Any]
    names: tuple[str, ...]
    chosen: np.ndarray
    source: np.ndarray
    difficulty: np.ndarray
    replaced: Mapping[float, list[ReplacedEvent]]


def read_built(folder: Path | str) -> BuiltBenchmark:
    """Raises FileNotFoundError or ValueError: no benchmark that was built, or another version's."""
    place = Path(folder)
    if not (place / MANIFEST).exists():
        raise FileNotFoundError(
            f"{place} has no {MANIFEST}, so no finished build is there. Run candidly build "
            "noisywikihow again; it goes on where it was."
        )
    manifest = read_json(place / MANIFEST)
    table = read_frame(place / DIFFICULTY, ",").frame
    number = {name: k for k, name in enumerate(SOURCES)}
    return BuiltBenchmark(
        manifest,
        read_categories(place),
        table["choosen_id"].cast(int).to_numpy(),
        np.array([number[name] for name in table["source"]], np.int8),
        table["difficulty"].cast(float).fill_null(np.nan).to_numpy(),
        {rate: read_replaced(place, "mix", rate) for rate in manifest["settings"]["rates"]},
    )
