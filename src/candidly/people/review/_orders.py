"""What is drawn from a project's seed: orders, turns, examples."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...ground.seeds import draw
from .rules import APART, SECRET_BITS, Rules

BLOCK = 64  # orders drawn at once: making a generator takes longer than drawing from it


def new_seed() -> str:
    """A seed that nobody can guess, nor find by trying."""
    return secrets.token_hex(SECRET_BITS // 8)


def drawn(seed: int | str, name: str, when: int = 0) -> np.random.Generator:
    """A fresh generator for one purpose (``name``) at one time (``when``).

    Args:
        seed: a text of ``new_seed``: each purpose and time has a key of its own then (HMAC with
            SHA-256), and whoever sees what some of them gave cannot work out another. From a whole
            number, which can be guessed, it is ``seeds.draw``.
    """
    if not isinstance(seed, str):
        return draw(seed, name, when)
    key = hmac.digest(bytes.fromhex(seed), f"{when} {name}".encode(), "sha256")
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key[:16])))


def seed_of(rules: Rules) -> int | str:
    """The seed of a project's rules; those of no project yet may have none."""
    if rules.seed is None:
        raise ValueError("these rules have no seed; a project's have, make_project draws one.")
    return rules.seed


def is_gold_turn(rules: Rules, code: str, turn: int) -> bool:
    """Whether a known item is due at this turn of the person."""
    return _is_turn(seed_of(rules), f"gold {code}", rules.gold_every, turn)


def is_repeat_turn(rules: Rules, code: str, turn: int) -> bool:
    """Whether a repetition is due; where a known item is, it comes a turn later."""
    due = [
        _is_turn(seed_of(rules), f"repeat {code}", rules.repeat_every, when)
        for when in (turn, turn - 1)
        if when >= 0
    ]
    if is_gold_turn(rules, code, turn):
        return False
    put_off = len(due) == 2 and due[1] and is_gold_turn(rules, code, turn - 1)
    return due[0] or put_off


def flip_of(rules: Rules, code: str, item: int) -> int:
    """1 when this person sees the guessed class of this item first; drawn from the seed."""
    return _flips(seed_of(rules), code, item // BLOCK)[item % BLOCK]


@lru_cache(4096)
def _flips(seed: int | str, code: str, block: int) -> bytes:
    return bytes(drawn(seed, f"order {code}", block).integers(2, size=BLOCK).tolist())


def _is_turn(seed: int | str, name: str, every: int, turn: int) -> bool:
    """One turn in each block of ``every``."""
    return every > 0 and _place_in_block(seed, name, every, turn // every) == turn % every


@lru_cache(4096)
def _place_in_block(seed: int | str, name: str, every: int, block: int) -> int:
    return int(drawn(seed, name, block).integers(every))


def gold_order(rules: Rules, code: str, number: int) -> list[int]:
    """Places of the known items, in the order in which this person is asked about them."""
    return drawn(seed_of(rules), f"golds {code}").permutation(number).tolist()


def repeated_turn(rules: Rules, code: str, turn: int) -> int:
    """The turn whose item, or the last before it that can be, is repeated at ``turn``."""
    return int(drawn(seed_of(rules), f"repeated {code}", turn).integers(turn - APART + 1))


def examples_of(
    rules: Rules, known: Sequence[int], code: str, item: int, label: int
) -> tuple[int, ...]:
    """Examples of a class, drawn anew for each person and item."""
    if not known or not rules.examples:
        return ()
    order = drawn(seed_of(rules), f"examples {code} {label}", item).permutation(len(known))
    return tuple(known[k] for k in order[: rules.examples].tolist())
