"""What is drawn from a project's seed while people answer: turns, orders, examples."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..seeds import draw
from .rules import Rules

BLOCK = 64  # orders drawn at once: making a generator takes longer than drawing from it
APART = 10  # turns between an item and its repetition, at least


def is_gold_turn(rules: Rules, code: str, turn: int) -> bool:
    """Whether a known item is due at this turn of the person."""
    return _drawn(rules.seed, f"gold {code}", rules.gold_every, turn)


def is_repeat_turn(rules: Rules, code: str, turn: int) -> bool:
    """Whether a repetition is due; where a known item is, it comes a turn later."""
    due = [
        _drawn(rules.seed, f"repeat {code}", rules.repeat_every, when)
        for when in (turn, turn - 1)
        if when >= 0
    ]
    if is_gold_turn(rules, code, turn):
        return False
    put_off = len(due) == 2 and due[1] and is_gold_turn(rules, code, turn - 1)
    return due[0] or put_off


def flip_of(rules: Rules, code: str, item: int) -> int:
    """1 when this person sees the guessed class of this item first; drawn from the seed."""
    return _flips(rules.seed, code, item // BLOCK)[item % BLOCK]


@lru_cache(4096)
def _flips(seed: int, code: str, block: int) -> bytes:
    return bytes(draw(seed, f"order {code}", block).integers(2, size=BLOCK).tolist())


def _drawn(seed: int, name: str, every: int, turn: int) -> bool:
    """One turn in each block of ``every``."""
    return every > 0 and _place_in_block(seed, name, every, turn // every) == turn % every


@lru_cache(4096)
def _place_in_block(seed: int, name: str, every: int, block: int) -> int:
    return int(draw(seed, name, block).integers(every))


def gold_order(rules: Rules, code: str, number: int) -> list[int]:
    """Places of the known items, in the order in which this person is asked about them."""
    return draw(rules.seed, f"golds {code}").permutation(number).tolist()


def repeated_turn(rules: Rules, code: str, turn: int) -> int:
    """The turn whose item, or the last before it that can be, is repeated at ``turn``."""
    return int(draw(rules.seed, f"repeated {code}", turn).integers(turn - APART + 1))


def examples_of(
    rules: Rules, known: Sequence[int], code: str, item: int, label: int
) -> tuple[int, ...]:
    """Examples of a class, drawn anew for each person and item."""
    if not known or not rules.examples:
        return ()
    order = draw(rules.seed, f"examples {code} {label}", item).permutation(len(known))
    return tuple(known[k] for k in order[: rules.examples].tolist())
