"""Plain values and arrays of whole numbers from a pickle, of which nothing is run.

``pickletools`` lists the steps of a pickle without taking them. Those that build numbers, strings,
lists, tuples and dicts are followed here on plain values, and so are the four names that NumPy
writes an array with. Any other step or name ends the reading. A step takes a byte of the file and
may take a hundred of memory, so what is read within ``PickleLimits`` is counted on the way.
"""

from __future__ import annotations

import math
import pickletools
import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ...ground.problem import why

PLAIN = {
    *("BININT", "BININT1", "BININT2", "LONG1", "LONG4", "INT", "LONG"),
    *("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
    *("BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
}
BYTES_OF_PYTHON_2 = {"BINSTRING", "SHORT_BINSTRING"}  # its str; shown decoded as Latin-1
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
TUPLES = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
NOTHING = {"PROTO", "FRAME"}
GET, PUT = {"BINGET", "LONG_BINGET", "GET"}, {"BINPUT", "LONG_BINPUT", "PUT"}

BYTES = ("u1",)  # what an array may hold, by NumPy's codes
WHOLE = (*(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "O")  # O: one value of these
ORDERS = ("<", "|", "=")  # of bytes; big-endian ones are refused
RECONSTRUCT = {"numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct"}
NDARRAY, DTYPE, ENCODE = "numpy ndarray", "numpy dtype", "_codecs encode"
KNOWN = {*RECONSTRUCT, NDARRAY, DTYPE, ENCODE}


LISTS_OF_NUMBERS = {
    *("PROTO", "FRAME", "MARK", "STOP", "MEMOIZE", "EMPTY_LIST", "EMPTY_DICT", "LIST", "DICT"),
    *("APPEND", "APPENDS", "SETITEM", "SETITEMS", "BININT", "BININT1", "BININT2", "INT"),
    *("BINGET", "LONG_BINGET", "BINPUT", "LONG_BINPUT", "GET", "PUT"),
}
MAKES = {"EMPTY_LIST", "EMPTY_DICT", "LIST", "DICT", "MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT"}


@dataclass(frozen=True)
class PickleLimits:
    """What a pickle may take.

    Args:
        steps: in all.
        objects: lists and dicts together with what is remembered for later steps.
        arrays: whether it may hold more than dicts, lists and whole numbers below 2^31.
    """

    steps: int
    objects: int
    arrays: bool = False


def read_pickled(
    content: bytes, limits: PickleLimits | None = None, kinds: Collection[str] = BYTES
) -> Any:
    """The value that a pickle holds, strings of Python 2 as bytes.

    Args:
        kinds: what arrays may hold: ``BYTES``, or ``WHOLE`` numbers.

    Raises:
        ValueError: it is damaged, or holds anything else than numbers, strings, None, lists,
            tuples, dicts and such arrays; the message is the end of a sentence, without its full
            stop.
    """
    try:
        return _unboxed(_followed(content, limits, kinds))
    except _Refused as error:
        raise ValueError(f"{error}; nothing of it was run") from None
    except (ValueError, IndexError, KeyError, TypeError, OverflowError, struct.error) as error:
        raise ValueError(f"it is no pickle, or a damaged one{why(error)}") from None


class _Refused(Exception):
    """A step or a name that is not let in."""


@dataclass(frozen=True)
class _Named:
    """A name that a pickle calls by; it is never imported."""

    name: str


@dataclass
class _Box:
    """An array in the making: what it is comes behind its name."""

    value: Any = None


@dataclass
class _Kind:
    """What an array holds; the order of its bytes comes behind its name."""

    code: str
    order: str = "|"

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.order + self.code)


def _followed(content: bytes, limits: PickleLimits | None, kinds: Collection[str]) -> Any:
    check = _Counter(limits).check if limits else _no_limits
    stack: list[Any] = []
    marks: list[int] = []
    memo: dict[int, Any] = {}

    def since_mark() -> list[Any]:
        start = marks.pop()
        items = stack[start:]
        del stack[start:]
        return items

    for opcode, argument, _ in pickletools.genops(content):
        name, value = opcode.name, cast(Any, argument)
        check(name)
        if name in PLAIN:
            stack.append(value)
        elif name in BYTES_OF_PYTHON_2:
            stack.append(value.encode("latin-1"))
        elif name in PUT:
            memo[value] = stack[-1]
        elif name == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif name in GET:
            stack.append(memo[value])
        elif name == "MARK":
            marks.append(len(stack))
        elif name == "EMPTY_LIST":
            stack.append([])
        elif name == "EMPTY_DICT":
            stack.append({})
        elif name == "LIST":
            stack.append(since_mark())
        elif name == "DICT":
            items = since_mark()
            stack.append({})
            _put(stack, zip(items[::2], items[1::2], strict=True))
        elif name == "APPENDS":
            items = since_mark()
            _a(list, stack).extend(items)
        elif name == "APPEND":
            item = stack.pop()
            _a(list, stack).append(item)
        elif name == "SETITEMS":
            items = since_mark()
            _put(stack, zip(items[::2], items[1::2], strict=True))
        elif name == "SETITEM":
            item, key = stack.pop(), stack.pop()
            _put(stack, [(key, item)])
        elif name == "TUPLE":
            stack.append(tuple(since_mark()))
        elif name in TUPLES:
            start = len(stack) - TUPLES[name]
            stack[start:] = [tuple(stack[start:])]
        elif name in CONSTANTS:
            stack.append(CONSTANTS[name])
        elif name == "GLOBAL":
            stack.append(_known(value))
        elif name == "STACK_GLOBAL":
            last, module = stack.pop(), stack.pop()
            stack.append(_known(f"{module} {last}"))
        elif name == "REDUCE":
            arguments = stack.pop()
            stack.append(_called(stack.pop(), arguments, kinds))
        elif name == "BUILD":
            state = stack.pop()
            _fill(stack[-1], state)
        elif name == "STOP":
            return stack.pop()
        elif name not in NOTHING:
            raise _Refused(f"it has the step {name}, which no file of arrays and labels needs")
    raise ValueError("it has no end")


class _Counter:
    """Counts steps and objects, and refuses what lists of numbers do not need."""

    def __init__(self, limits: PickleLimits) -> None:
        self.steps, self.objects, self.arrays = limits.steps, limits.objects, limits.arrays

    def check(self, name: str) -> None:
        if name not in LISTS_OF_NUMBERS and not self.arrays:
            raise _Refused(f"it has the step {name}, which no dict of lists of numbers needs")
        self.steps -= 1
        if name in MAKES:
            self.objects -= 1
        if self.steps < 0 or self.objects < 0:
            raise _Refused("it is larger than what should be in it")


def _no_limits(name: str) -> None:
    pass


def _a(kind: type, stack: list[Any]) -> Any:
    if type(stack[-1]) is not kind:
        raise ValueError(f"a {type(stack[-1]).__name__} stands where a {kind.__name__} should")
    return stack[-1]


def _put(stack: list[Any], pairs: Iterable[tuple[Any, Any]]) -> None:
    into = _a(dict, stack)
    for key, item in pairs:
        if not isinstance(key, (str, bytes, int)):  # hashing nested ones could go deep
            raise ValueError(f"a key is a {type(key).__name__}")
        into[key] = item


def _known(name: str) -> _Named:
    if name not in KNOWN:
        raise _Refused(f"it names {'.'.join(name.split())}, which is no part of an array")
    return _Named(name)


def _called(function: Any, arguments: Any, kinds: Collection[str]) -> Any:
    """What NumPy's names stand for, on plain values."""
    if not isinstance(function, _Named) or not isinstance(arguments, tuple):
        raise _Refused("it calls something that is no part of an array")
    if function.name in RECONSTRUCT and arguments[:1] == (_Named(NDARRAY),):
        return _Box()
    if function.name == DTYPE and arguments and (code := _code(arguments[0])) in kinds:
        return _Kind(code)
    if function.name == ENCODE and isinstance(arguments[0], str) and arguments[1:] == ("latin1",):
        return arguments[0].encode("latin-1")
    what = "uint8 arrays" if kinds == BYTES else "arrays of whole numbers"
    raise _Refused(f"it calls {'.'.join(function.name.split())} otherwise than {what} do")


def _code(value: Any) -> str:
    """A dtype's code, such as ``u1``; "" of what is none."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return {"O8": "O"}.get(code := text.lstrip("|"), code) if isinstance(text, str) else ""


def _fill(made: Any, state: Any) -> None:
    """What a pickle sets an array to; of a dtype the order of bytes alone."""
    if isinstance(made, _Kind):
        made.order = _order(state)
        return
    if not isinstance(made, _Box) or not isinstance(state, tuple) or len(state) != 5:
        raise _Refused("it sets the state of something that is no array")
    _, shape, kind, by_columns, content = state
    if isinstance(kind, _Kind) and kind.code == "O":
        if shape != () or not isinstance(content, list) or len(content) != 1:
            raise _Refused("it holds an array of objects that is not one value")
        made.value = content[0]
        return
    if not isinstance(kind, _Kind) or not isinstance(content, bytes) or by_columns:
        raise _Refused("it holds an array that is not uint8, row by row")
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("an array has a shape that is none")
    if math.prod(shape) * kind.dtype.itemsize != len(content):
        raise ValueError(f"an array of shape {shape} has {len(content)} bytes")
    made.value = np.frombuffer(content, kind.dtype).reshape(shape)


def _order(state: Any) -> str:
    """The order of bytes in a dtype's state."""
    order = state[1] if isinstance(state, tuple) and len(state) > 1 else None
    order = order.decode("latin-1") if isinstance(order, bytes) else order
    if order not in ORDERS:
        raise _Refused("it holds an array with its bytes in another order")
    return str(order)


def _unboxed(value: Any) -> Any:
    """With arrays for boxes, at the top and in a dict at the top."""
    value = value.value if isinstance(value, _Box) else value
    if isinstance(value, dict):
        return {key: _array_of(item) for key, item in value.items()}
    return value


def _array_of(value: Any) -> Any:
    return value.value if isinstance(value, _Box) else value
