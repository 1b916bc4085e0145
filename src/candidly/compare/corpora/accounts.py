"""What a build accounts for: events and pages that are left out, votes, sources of noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from . import files, noise
from .articles import Articles, PagesRead
from .funnel import Funnel
from .votes import Ballot

DROPPED, PAGES, VOTES = "dropped.csv", "pages.csv", "votes.csv"
DIFFICULTY = "difficulty.csv"


def write_dropped(folder: FilePath, articles: Articles, found: Funnel) -> str:
    """Every event that is not in the benchmark, as it was written, with the reason."""
    import polars as pl

    gone = np.flatnonzero(found.choosen_id < 0)
    paths = np.array([" > ".join(path) for path in articles.categories], object)
    frame = pl.DataFrame(
        {
            "article": articles.ids[articles.article[gone]].tolist(),
            "category": paths[found.category[gone]].tolist(),
            "event": articles.texts[gone].tolist(),
            "reason": [found.reason_of(int(row)) for row in gone],
        },
        schema_overrides=dict.fromkeys(("article", "category", "event", "reason"), pl.String),
    )
    return files.written(folder, DROPPED, frame)


def write_left_out(folder: FilePath, pages: PagesRead) -> str:
    """Every page without an article, with the reason."""
    import polars as pl

    columns = ("page", "reason")
    frame = pl.DataFrame(list(pages.left_out), dict.fromkeys(columns, pl.String), orient="row")
    return files.written(folder, PAGES, frame)


def write_difficulty(
    folder: FilePath, chosen: np.ndarray, source: np.ndarray, similarity: np.ndarray
) -> str:
    """Every training event's source of noise, and how alike what may replace it is.

    Args:
        chosen, source: int (n,), ids and numbers of ``noise.SOURCES``.
        similarity: float (n,), the cosine; -inf where nothing may replace it, and an empty cell.
    """
    import polars as pl

    there = np.isfinite(similarity)
    frame = pl.DataFrame(
        {
            "choosen_id": chosen,
            "source": [noise.SOURCES[one] for one in source],
            "difficulty": pl.Series(np.where(there, similarity, np.nan).round(6)).fill_nan(None),
        }
    )
    return files.written(folder, DIFFICULTY, frame)


def write_votes(folder: FilePath, ballots: Sequence[Ballot]) -> str:
    """Every question that people were asked, with their answers and what came of it."""
    import polars as pl

    columns = {"asked": pl.String, "name": pl.String, "yes": int, "no": int, "outcome": pl.String}
    rows = [
        (ballot.asks, name, int(yes), int(no), outcome or "kept")
        for ballot in ballots
        for (name, outcome), (yes, no) in zip(ballot.outcomes.items(), ballot.counts)
    ]
    return files.written(folder, VOTES, pl.DataFrame(rows, columns, orient="row"))


def pages_read(pages: PagesRead) -> dict[str, Any]:
    reasons = Counter(why for _, why in pages.left_out)
    return {
        "read": sum(pages.encodings.values()) + len(pages.left_out),
        "left out": dict(sorted(reasons.items())),
        "encodings": dict(pages.encodings),
    }


def source_rows(source: np.ndarray, labels: np.ndarray, part: np.ndarray) -> list[dict[str, Any]]:
    """A row for each source, as in Table 3 of the paper."""
    of = source[labels]
    return [
        {
            "source": name,
            "classes": int((source == number).sum()),
            **{
                what: int(((of == number) & (part == k)).sum())
                for k, what in enumerate(files.PARTS)
            },
            "events": int((of == number).sum()),
        }
        for number, name in enumerate(noise.SOURCES)
    ]
