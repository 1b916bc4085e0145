"""Texts as runs of token numbers, and what is known of the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...ground.checks import read_only

PADDING = 0  # in no text; a network leaves such places out


@dataclass(frozen=True)
class Words:
    """What a network has to know of token numbers.

    Attributes:
        size: the numbers are 1 to ``size``; 0 is padding.
        unknown: what stands for a word that training did not see; 0: there is no such number.
        special: those that are no words, such as marks of a text's beginning and end.
    """

    size: int
    unknown: int = 0
    special: tuple[int, ...] = ()


class TextSize(NamedTuple):
    """What is known of texts before they are there, in words; measured on a part of them.

    Attributes:
        words: different ones, that occur more than once.
        longest: words of the longest text.
        usual: of the longest of 64 texts.
    """

    words: int
    longest: int
    usual: int


@dataclass(frozen=True, eq=False)
class Tokens:
    """Texts as token numbers, one text behind the other.

    Attributes:
        ids: int32 (total,), from 1 to ``words.size``.
        starts: int64 (n + 1,), text i is ``ids[starts[i]:starts[i + 1]]``, at least one token.
        words: what is known of the numbers.

    Raises:
        ValueError: numbers that ``words`` does not have, or an empty text; says which row.
    """

    ids: np.ndarray
    starts: np.ndarray
    words: Words

    def __post_init__(self) -> None:
        store = object.__setattr__
        store(self, "ids", read_only(np.ascontiguousarray(self.ids, np.int32)))
        store(self, "starts", read_only(np.ascontiguousarray(self.starts, np.int64)))
        if len(self) and self.lengths.min() < 1:
            raise ValueError(f"`inputs` has a text without a token at row {self.lengths.argmin()}.")
        odd = (self.ids < 1) | (self.ids > self.words.size)
        if odd.any():
            place = int(odd.argmax())
            row = int(np.searchsorted(self.starts, place, side="right")) - 1
            raise ValueError(
                f"`inputs` has the token number {self.ids[place]} at row {row}, and the vocabulary "
                f"has 1 to {self.words.size}. Take the tokeniser that belongs to the network."
            )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def lengths(self) -> np.ndarray:
        """Tokens of each text, int64 (n,)."""
        return np.diff(self.starts)

    @property
    def shape(self) -> tuple[int]:
        """Of one text, padded to the longest."""
        return (int(self.lengths.max()) if len(self) else 1,)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """int64 (m, length): the texts of some rows, int64 (m,), padded by 0 to their longest."""
        lengths = self.lengths[rows]
        places = np.arange(int(lengths.max()) if len(rows) else 1)
        inside = places < lengths[:, None]
        found = np.zeros(inside.shape, np.int64)
        found[inside] = self.ids[(self.starts[:-1][rows][:, None] + places)[inside]]
        return found
