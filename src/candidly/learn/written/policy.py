"""Policies: which operations change a picture at random, how likely each, and how much.

A policy of a user's own is a file of JSON: a list of sub-policies, of which each picture gets one,
drawn uniformly; each is a list of operations, done in their order::

    [[{"operation": "rotate", "probability": 0.7, "magnitude": [-10, 10]},
      {"operation": "equalize", "probability": 0.5}],
     [{"operation": "posterize", "probability": 1, "magnitude": 6}]]

A magnitude is a number, or two between which it is drawn uniformly, the ends included where it is
whole. Loads no torch, so that what a person writes is checked at the door.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ...ground.names import UnknownName, lookup, nearest, shortened

LARGEST_BYTES = 1_000_000  # of a file: a few thousand operations
MOST_OPERATIONS = 20  # of a sub-policy: every picture of a batch draws words for as many


@dataclass(frozen=True)
class Magnitudes:
    """From where to where an operation's magnitude may be, both ends included.

    Attributes:
        whole: whether it is a whole number.
    """

    low: float
    high: float
    whole: bool = False


_ENHANCED = Magnitudes(0, 10)
# what each magnitude is: docs of the functions of these names, in learn/views/colour.py and
# geometry.py
OPERATIONS: Mapping[str, Magnitudes | None] = {
    "auto-contrast": None,
    "brightness": _ENHANCED,
    "color": _ENHANCED,
    "contrast": _ENHANCED,
    "equalize": None,
    "identity": None,
    "invert": None,
    "posterize": Magnitudes(1, 8, whole=True),
    "rotate": Magnitudes(-180, 180),
    "sharpness": _ENHANCED,
    "shear-x": Magnitudes(-1, 1),
    "shear-y": Magnitudes(-1, 1),
    "solarize": Magnitudes(0, 256),
    "translate-x": Magnitudes(-1, 1),
    "translate-y": Magnitudes(-1, 1),
}


@dataclass(frozen=True)
class Operation:
    """One operation of a sub-policy.

    Attributes:
        name: a name of ``OPERATIONS``.
        probability: of being done, in [0, 1].
        low, high: between which the magnitude is drawn.
        either: it is one of the two, each half of the time, and nothing between them.
    """

    name: str
    probability: float = 1.0
    low: float = 0.0
    high: float = 0.0
    either: bool = False


Policy: TypeAlias = tuple[tuple[Operation, ...], ...]


def source_of_policy(path: Path | str) -> bytes:
    """The bytes of a policy's file, as far as :func:`policy_of` reads them.

    Raises:
        FileNotFoundError: there is no such file.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no file {path}, which should hold a policy: a list of sub-policies in JSON."
        )
    with path.open("rb") as file:
        return file.read(LARGEST_BYTES + 1)


def policy_of(source: bytes, name: str) -> Policy:
    """The policy that a file's bytes say.

    Args:
        name: what an error calls the file.

    Raises:
        ValueError: too large, no JSON, or no policy; names the place, such as sub-policy 3,
            operation 2, and the value.
        UnknownName: no such operation; suggests the nearest.
    """
    if len(source) > LARGEST_BYTES:
        raise ValueError(
            f"{name} is larger than {LARGEST_BYTES:,} bytes, the most that a policy may have; "
            "write fewer sub-policies."
        )
    try:
        # pairs, and so tuples: a dict would hide a key that is there twice
        found = json.loads(source.decode("utf-8-sig"), object_pairs_hook=tuple)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{name} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}. Write a "
            "list of sub-policies."
        ) from None
    except (ValueError, RecursionError):
        raise ValueError(
            f"{name} is no JSON that can be read: its text is not UTF-8, a number has thousands of "
            "digits, or lists lie too deep in each other. Write a list of sub-policies."
        ) from None
    subs = _filled(found, name, "the policy", "sub-policies, each a list of operations")
    policy = []
    for number, sub in enumerate(subs, 1):
        place = f"{name}: sub-policy {number}"
        sub = _filled(sub, place, "it", 'operations, such as [{"operation": "equalize", ...}]')
        if len(sub) > MOST_OPERATIONS:
            raise ValueError(
                f"{place} has {len(sub):,} operations, and at most {MOST_OPERATIONS} are possible; "
                "write several sub-policies."
            )
        policy.append(
            tuple(_operation(one, f"{place}, operation {k}") for k, one in enumerate(sub, 1))
        )
    return tuple(policy)


def _filled(value: Any, place: str, what: str, of: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{place}: {what} is {_said(value)}; write a list of {of}.")
    if not value:
        raise ValueError(f"{place}: {what} is an empty list; write one of {of}.")
    return value


def _operation(value: Any, place: str) -> Operation:
    if not isinstance(value, tuple):
        raise ValueError(
            f'{place} is {_said(value)}; write an object, such as {{"operation": "rotate", '
            '"probability": 0.5, "magnitude": 10}.'
        )
    given = dict(value)
    known = ("operation", "probability", "magnitude")
    for key, _ in value:
        if key not in known:
            raise ValueError(
                f"{place} has the unknown key {shortened(key)}{nearest(key, known)} Choose from: "
                f"{', '.join(known)}."
            )
    if len(given) < len(value):
        twice = next(key for key, _ in value if sum(key == other for other, _ in value) > 1)
        raise ValueError(f"{place} says {twice!r} twice; keep one.")
    for key in known[:2]:
        if key not in given:
            raise ValueError(f"{place} has no {key!r}; add it.")
    if not isinstance(given["operation"], str):
        raise ValueError(
            f"{place}: operation is {_said(given['operation'])}; write a name, such as 'rotate'."
        )
    try:
        name, possible = lookup(OPERATIONS, given["operation"], "operation")
    except UnknownName as error:
        raise UnknownName(f"{place}: {error}") from None
    probability = _number(given["probability"], f"{place}: probability", Magnitudes(0, 1))
    if possible is None:
        if "magnitude" in given:
            raise ValueError(f"{place}: {name} has no magnitude; leave it out.")
        return Operation(name, probability)
    low, high = _ends(given, f"{place}: magnitude of {name}", possible)
    return Operation(name, probability, low, high)


def _ends(given: Mapping[str, Any], what: str, possible: Magnitudes) -> tuple[float, float]:
    """Between which magnitudes it is drawn."""
    if "magnitude" not in given:
        raise ValueError(f"{what} is missing; give {_range(possible)}, or [LOW, HIGH].")
    value = given["magnitude"]
    if not isinstance(value, list):
        value = [value, value]
    elif len(value) != 2:
        raise ValueError(f"{what} is a list of {len(value)}; write a number, or [LOW, HIGH].")
    low, high = (_number(end, what, possible) for end in value)
    if low > high:
        raise ValueError(f"{what} is from {low:g} to {high:g}; write the smaller one first.")
    return low, high


def _number(value: Any, what: str, possible: Magnitudes) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # NaN is on no side of a bound
    if not number or not possible.low <= value <= possible.high:
        raise ValueError(f"{what} is {_said(value)}; give {_range(possible)}.")
    if possible.whole and not math.floor(value) == value:
        raise ValueError(f"{what} is {value}; give {_range(possible)}.")
    return float(value)


def _range(possible: Magnitudes) -> str:
    kind = "a whole number" if possible.whole else "a number"
    return f"{kind} from {possible.low:g} to {possible.high:g}"


def _said(value: Any) -> str:
    """A value of JSON as a message quotes it."""
    words = {list: "a list", tuple: "an object", type(None): "null", bool: str(value).lower()}
    return words.get(type(value)) or shortened(value)
