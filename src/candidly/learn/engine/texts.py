"""Texts as the networks that take tokens see them: which tokeniser, held how, known which words."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from ...data.inputs.texts import dense_counts
from ...data.inputs.tokenisers import Tokeniser, known_words, tokeniser_in, word_tokeniser
from ...data.inputs.tokens import Tokens, Words
from ..written.nets import read_net

MOST_KEPT = 2  # data sets whose tokens or counts a process keeps

Seen = TypeVar("Seen")

_kept: OrderedDict[tuple[int, str], tuple[np.ndarray, Any]] = OrderedDict()


def tokeniser_for(texts: Sequence[str], net: str) -> Tokeniser:
    """The tokeniser of a network that takes tokens: its own, or words of these texts.

    Args:
        net: as somebody wrote it; see ``nets.network``.

    Raises:
        FileNotFoundError, ValueError: its folder has no tokeniser.
    """
    folder = read_net(net).folder
    return word_tokeniser(texts) if folder is None else tokeniser_in(folder)


def tokenised(texts: np.ndarray, net: str) -> tuple[Tokeniser, Tokens]:
    """A network's tokeniser, and texts, object (n,), as it has them; kept for the next that asks.

    Raises:
        FileNotFoundError, ValueError: as ``tokeniser_for``.
    """

    def made(listed: list[str]) -> tuple[Tokeniser, Tokens]:
        tokeniser = tokeniser_for(listed, net)
        return tokeniser, tokeniser.encode(listed)

    return _once(texts, "words" if read_net(net).folder is None else net, made)


def counts_of(texts: np.ndarray) -> np.ndarray:
    """Texts, object (n,), as ``dense_counts``; kept for the next that asks."""
    return _once(texts, "counts", dense_counts)


def _once(texts: np.ndarray, what: str, make: Callable[[list[str]], Seen]) -> Seen:
    key = id(texts), what
    if key not in _kept or _kept[key][0] is not texts:
        while len(_kept) >= MOST_KEPT:
            _kept.popitem(last=False)
        _kept[key] = texts, make(texts.tolist())
    _kept.move_to_end(key)
    return _kept[key][1]


@dataclass(frozen=True)
class HeldTexts:
    """Texts on a device, one behind the other.

    Attributes:
        ids: int32 (total,).
        starts, lengths: int64 (n,).
        words: what is known of the numbers.
        tokens: the same on the host.
    """

    ids: Tensor
    starts: Tensor
    lengths: Tensor
    words: Words
    tokens: Tokens

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def shape(self) -> tuple[int]:
        """Of one text, padded to the longest of all."""
        return self.tokens.shape

    def take(self, rows: Tensor) -> Tensor:
        """int64 (m, length): some texts, padded by 0 to the longest of them."""
        lengths = self.lengths.index_select(0, rows)[:, None]
        places = torch.arange(int(lengths.max()) if len(rows) else 1, device=self.ids.device)
        inside = places < lengths
        at = self.starts.index_select(0, rows)[:, None] + places
        found = self.ids[at.where(inside, 0)]
        return found.to(torch.int64).mul_(inside)


def held(tokens: Tokens, device: torch.device | str = "cpu") -> HeldTexts:
    """Tokens on a device."""
    ids, starts, lengths = (
        torch.tensor(each, device=device)
        for each in (tokens.ids, tokens.starts[:-1], tokens.lengths)
    )
    return HeldTexts(ids, starts, lengths, tokens.words, tokens)


def split_words(texts: HeldTexts | None, rows: np.ndarray) -> np.ndarray | None:
    """What each token number is for a training on these rows, int64 (size + 1,).

    Words that occur less than twice in them are unknown. None where nothing changes: inputs are no
    texts, the vocabulary has no unknown word, or all its words are known.
    """
    if texts is None or not texts.words.unknown:
        return None
    known = known_words(texts.tokens, rows)
    known[0] = True  # padding stays what it is
    if known.all():
        return None
    return np.where(known, np.arange(len(known)), texts.words.unknown)
