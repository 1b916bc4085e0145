"""Articles with their categories and their events, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

Path = tuple[str, ...]  # of a category, from the most general name to its own


@dataclass(frozen=True)
class PagesRead:
    """What became of the pages that articles were read from.

    Attributes:
        encodings: how many were in each.
        left_out: name and reason of those without an article.
    """

    encodings: Mapping[str, int]
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Articles:
    """What a build starts from. An event is one step of an article, as it was written.

    Attributes:
        ids: one name per article, each different, objects (a,).
        categories: paths, each different, in the order in which articles have them.
        category: int32 (a,), each article's, in 0..len(categories)-1.
        article: int32 (n,), each event's, in 0..a-1 and not falling.
        texts: objects (n,), each event's.
        pages: where they were read from pages.
    """

    ids: np.ndarray
    categories: tuple[Path, ...]
    category: np.ndarray
    article: np.ndarray
    texts: np.ndarray
    pages: PagesRead | None = None

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.category) or len(self.article) != len(self.texts):
            raise ValueError(
                f"{len(self.ids)} articles with {len(self.category)} categories, and "
                f"{len(self.texts)} events of {len(self.article)} articles: these must agree."
            )

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def event_category(self) -> np.ndarray:
        """Each event's category, int32 (n,)."""
        return self.category[self.article]


def make_articles(
    ids: Sequence[str],
    paths: Sequence[Sequence[str]],
    events: Sequence[Sequence[str]],
) -> Articles:
    """Articles from lists, an element for each; refuses what cannot be a corpus.

    Raises:
        ValueError: ids twice or empty, an article without a category or with an empty name in it,
            a category that is above itself, no articles at all; names the article.
    """
    if not len(ids) == len(paths) == len(events):
        raise ValueError(
            f"there are {len(ids)} ids, {len(paths)} categories and {len(events)} lists of events;"
            " give one of each for every article."
        )
    if not ids:
        raise ValueError("there are no articles, so there is nothing to build from.")
    seen: set[str] = set()
    known: dict[Path, int] = {}
    category = np.empty(len(ids), np.int32)
    for row, (name, path) in enumerate(zip(ids, paths)):
        if not name or name in seen:
            _refuse(row, name, "has no id" if not name else "has the id of an article before")
        seen.add(name)
        named = tuple(part.strip() for part in path)
        if not named or not all(named):
            _refuse(row, name, "has no category, or an empty name in its path")
        if len(set(named)) < len(named):
            twice = next(part for k, part in enumerate(named) if part in named[:k])
            _refuse(row, name, f"has the category {twice!r} above itself")
        category[row] = known.setdefault(named, len(known))
    counts = [len(one) for one in events]
    texts = np.empty(sum(counts), object)
    texts[:] = [text for one in events for text in one]
    return Articles(
        np.array(ids, object),
        tuple(known),
        category,
        np.repeat(np.arange(len(ids), dtype=np.int32), counts),
        texts,
    )


def _refuse(row: int, name: str, what: str) -> NoReturn:
    raise ValueError(f"article {row} ({name!r}) {what}. Mend it, or leave the article out.")
