"""What a check found of rows that have several labels, all of which should hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest.previews import TEXT, Field, Preview
from ...ground.numbers import count_of
from ...show.document import Document
from ...show.grid import Grid
from ..confident import TagIssues
from ..confident.tags_document import tags_document, tags_grid
from ._fields import EMPTY
from ._result import Checked

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class CheckedTags(Checked):
    """Rows whose tags to look at, and what they were found with; ``issues`` are ``TagIssues``."""

    issues: TagIssues  # type: ignore[assignment]  # what the methods below look at

    def __repr__(self) -> str:
        return (
            f"CheckedTags({self.name}: tags of {self.flagged} of {self.data.n} rows to look at, "
            f"{self.judged.judges}, agreement {self.accuracy:.4f})"
        )

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns of ``table`` that people are shown, beside the row."""
        return ("given", "missing", "too much", "self-confidence")

    @property
    def tags(self) -> np.ndarray:
        """The tags as they were given, bool (n, q)."""
        return self.issues.tags

    @property
    def labelled(self) -> int:
        """How many rows there are: to have no tag is an answer, too."""
        return self.data.n

    @property
    def accuracy(self) -> float:
        """Share of all tags, there or not, that the classifier says so without having seen them."""
        return self.judged.accuracy

    @cached_property
    def largest(self) -> tuple[str, float]:
        """The tag that most rows have, and the share of these."""
        shares = self.tags.mean(0)
        return self.data.classes[int(shares.argmax())], float(shares.max())

    @cached_property
    def guess(self) -> float:
        """The share of all tags that one is right about who has not looked at the rows."""
        shares = self.tags.mean(0)
        return float(np.maximum(shares, 1 - shares).mean())

    @property
    def useless(self) -> bool:
        """Whether the classifier is no better than always saying what is more frequent."""
        return self.accuracy <= self.guess

    def headline(self) -> str:
        """Of how many rows the tags are contradicted, in a sentence."""
        missing = int((self.issues.by_tag & ~self.tags).sum())
        extra = int(self.issues.by_tag.sum()) - missing
        return (
            f"The classifier contradicts the tags of {self.flagged:,} of {self.data.n:,} rows:"
            f" it would add {missing:,} and take away {extra:,}."
        )

    def table(self) -> pl.DataFrame:
        """A row per flagged example, the most suspicious first.

        Columns: index (the row, from 0), id, given and proposed tags, those that are probably
        missing and those that are too much, self-confidence (low is suspicious); then the row's own
        columns, as they stand. One whose name is taken is called ``NAME (own)``.
        """
        issues = replace(self.issues, ids=self.data.ids)
        return self._beside_own(issues.table(self.data.classes, self.roles.label_separator))

    def by_tag(self) -> pl.DataFrame | None:
        """See ``TagIssues.by_tag_table``."""
        return self.issues.by_tag_table(self.data.classes)

    def grids(self) -> tuple[Grid, ...]:
        """Which tags are missing or too much, and how often."""
        return (tags_grid(self.issues, self.data.classes),) if self.flagged else ()

    def document(
        self,
        following: Sequence[str] = (),
        counting: Sequence[str] = (),
        words: Callable[[str], str] = str,
    ) -> Document:
        """What was found, for people: see ``Checked.document``."""
        return tags_document(
            self.issues,
            classes=self.data.classes,
            media=self.looks(),
            separator=self.roles.label_separator,
            notes=tuple(map(words, self.notes)),
            ids=self.ids(),
            of=self.name,
            findings=tuple(map(words, self.findings())),
            read=self.read(),
            following=following,
        )

    def _kind_in_words(self) -> str:
        without = int((~self.tags.any(1)).sum())
        gaps = f", {count_of(without, 'row')} without one" if without else ""
        return f", tags that all hold{gaps}"

    def _agreement(self) -> str:
        return (
            f"It agrees with {self.accuracy:.1%} of what is there or not; always saying what is"
            f" more frequent of each tag would agree with {self.guess:.1%}."
        )

    def _rows(self, own: pl.DataFrame) -> Callable[[int], Preview]:
        def look(row: int) -> Preview:
            cells: dict[str, Any] = own.row(row, named=True)
            texts = {n: EMPTY if cell in (None, "") else str(cell) for n, cell in cells.items()}
            cut = {n: t if len(t) <= TEXT else t[:TEXT].rstrip() + " …" for n, t in texts.items()}
            return Preview(fields=tuple(Field(name, text) for name, text in cut.items()))

        return look
