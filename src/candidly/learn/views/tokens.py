"""Views of texts: of a batch's token numbers, some words left out.

A network that drops units at random says something else of the same tokens at every call, which is
a view, too (Gao, Yao & Chen, SimCSE, EMNLP 2021): ``dropout`` leaves the tokens as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from ..written.views import rate_of_view
from ._draws import Draw, unit
from .pictures import Change

WORDS = 4  # random ones in a block, one for each of four neighbouring tokens

TOKENS: Mapping[str, str] = {  # by the names that methods have for them, the views of texts
    "plain": "dropout",
    "weak": "dropout",
    "strong": "drop-words:0.2",
    "distill": "drop-words:0.1",
}


def view_of_tokens(name: str, special: Sequence[int] = ()) -> Change:
    """The view of a name: ``dropout``, ``drop-words:0.2``, or one of ``TOKENS``.

    Args:
        special: token numbers that are no words, which are always kept.

    Returns:
        (int64 (m, L), random words) -> int64 (m, L), 0 behind each text's end.

    Raises:
        ValueError: texts have no such view; the message names those that they have.
    """
    rate = rate_of_view(TOKENS.get(name, name))
    if rate is None:
        raise ValueError(
            f"texts have no view {name!r}. Choose from: {', '.join(TOKENS)}, dropout, "
            "drop-words:RATE."
        )
    return partial(without_words, rate=rate, special=tuple(special)) if rate else as_it_is


def as_it_is(ids: Tensor, draw: Draw) -> Tensor:
    """The texts as they are."""
    return ids


def without_words(ids: Tensor, draw: Draw, rate: float, special: tuple[int, ...] = ()) -> Tensor:
    """Texts without some of their words, the others in their order.

    Each word is left out with this chance, by itself; where none would be left of a text, all are.

    Args:
        ids: int64 (m, L), 0 behind each text's end.
        draw: the four words of block k are those of places 4 k to 4 k + 3.
        rate: in (0, 1).
        special: token numbers that are always kept.

    Returns:
        int64 (m, L).
    """
    length = ids.shape[1]
    blocks = np.arange(-(-length // WORDS))[:, None]
    drawn = unit(draw(blocks)).transpose(1, 0, 2).reshape(len(ids), -1)[:, :length]
    word = ids > 0
    for number in special:
        word &= ids != number
    left_out = torch.from_numpy(drawn < rate).to(ids.device, non_blocking=True) & word
    left_out &= (word & ~left_out).any(1, keepdim=True)
    order = left_out.to(torch.int8).argsort(stable=True)
    return ids.masked_fill(left_out, 0).gather(1, order)
