"""Integer arrays from a file that torch saved, without running what is in it.

Such a file is a zip archive with a pickle, which is a program: unpickling calls whatever functions
it names. Here the program is read, not run. Its steps are followed on a stack of plain values, the
four names that NumPy's arrays are made of stand for themselves, and anything else is refused.
"""

from __future__ import annotations

import math
import pickletools
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

LARGEST = 1 << 28  # bytes unpacked; the label files have two million
MARK = object()


@dataclass(frozen=True)
class _Name:
    """What the file calls a function or class."""

    text: str


@dataclass
class _Dtype:
    code: str


@dataclass
class _Array:
    values: np.ndarray | None = None


def read_torch_arrays(path: Path) -> dict[str, np.ndarray]:
    """The integer arrays of a dict that ``torch.save`` wrote.

    Args:
        path: a file of torch 1.6 or newer: a dict of NumPy integer arrays, or lists of integers.

    Returns:
        int64 arrays by name.

    Raises:
        ValueError: another kind of file, a damaged one, or one that names anything else than
            NumPy's arrays; the message names it.
    """
    try:
        found = _followed(_program(path))
        if not isinstance(found, dict) or not found:
            raise ValueError("it does not hold a dict of arrays")
        return {str(name): _as_array(value) for name, value in found.items()}
    except OSError:
        raise
    except Exception as error:  # on damaged files the steps raise whatever they ran into
        raise ValueError(f"{path} cannot be read as label arrays: {error}.") from error


def _program(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith("data.pkl")]
        if len(names) != 1:
            raise ValueError("it has no data.pkl inside, as files have that torch saved")
        if archive.getinfo(names[0]).file_size > LARGEST:
            raise ValueError(f"its {names[0]} is larger than {LARGEST >> 20} MiB")
        return archive.read(names[0])


@dataclass
class _State:
    stack: list[Any]
    memo: dict[int, Any]

    def since_mark(self) -> list[Any]:
        place = max(i for i, value in enumerate(self.stack) if value is MARK)
        values = self.stack[place + 1 :]
        del self.stack[place:]
        return values

    def last(self, count: int) -> list[Any]:
        if len(self.stack) < count:
            raise ValueError("it is damaged")
        values = self.stack[-count:]
        del self.stack[-count:]
        return values


def _followed(program: bytes) -> Any:
    state = _State([], {})
    for step, argument, _ in pickletools.genops(program):
        if step.name == "STOP":
            break
        if step.name in VALUES:
            state.stack.append(VALUES[step.name](argument))
        elif step.name in STEPS:
            STEPS[step.name](state, argument)
        else:
            raise ValueError(f"it has a step {step.name}, which arrays do not need")
    (found,) = state.stack
    return found


def _global(state: _State, argument: str) -> None:
    name = argument.replace(" ", ".")
    if name not in NAMES:
        raise ValueError(f"it names {name}, which is no part of an array; nothing of it was run")
    state.stack.append(_Name(name))


def _stack_global(state: _State, _: Any) -> None:
    _global(state, " ".join(state.last(2)))


def _reduce(state: _State, _: Any) -> None:
    name, arguments = state.last(2)
    if not isinstance(name, _Name):
        raise ValueError("it is damaged")
    state.stack.append(NAMES[name.text](*arguments))


def _build(state: _State, _: Any) -> None:
    thing, about = state.last(2)
    if isinstance(thing, _Dtype):
        thing.code = about[1] + thing.code.lstrip("<>|=")
    elif isinstance(thing, _Array):
        _, shape, kind, fortran, content = about
        flat = np.frombuffer(content, np.dtype(kind.code))
        if len(flat) != math.prod(shape):
            raise ValueError("it is damaged")
        thing.values = flat.reshape(shape, order="F" if fortran else "C")
    else:
        raise ValueError(f"it sets the inside of {type(thing).__name__}")
    state.stack.append(thing)


def _set_items(state: _State, pairs: list[Any]) -> None:
    state.stack[-1].update(zip(pairs[::2], pairs[1::2]))


def _extend(state: _State, values: list[Any]) -> None:
    state.stack[-1].extend(values)


def _dtype(code: str, *_: Any) -> _Dtype:
    if not re.fullmatch(r"[iu][1248]", code):
        raise ValueError(f"it holds an array of {code!r}, and labels are integers")
    return _Dtype(code)


def _as_array(value: Any) -> np.ndarray:
    if isinstance(value, _Array) and value.values is not None:
        return value.values.astype(np.int64)
    if isinstance(value, list) and all(isinstance(label, int) for label in value):
        return np.array(value, np.int64)
    raise ValueError(f"it holds a {type(value).__name__}, which is no array of integers")


def _no_class(*_: Any) -> None:
    raise ValueError("it calls a class as NumPy's own files do not")


NAMES: dict[str, Callable[..., Any]] = {
    "numpy.core.multiarray._reconstruct": lambda kind, shape, code: _Array(),
    "numpy._core.multiarray._reconstruct": lambda kind, shape, code: _Array(),
    "numpy.ndarray": _no_class,  # only handed to _reconstruct
    "numpy.dtype": _dtype,
    "_codecs.encode": lambda text, _: text.encode("latin1"),  # how protocol 2 writes bytes
    "__builtin__.bytes": lambda: b"",  # and none of them
}

NUMBERS = ("BININT", "BININT1", "BININT2", "LONG1")
STRINGS = ("BINUNICODE", "SHORT_BINUNICODE", "BINBYTES", "SHORT_BINBYTES")

VALUES: dict[str, Callable[[Any], Any]] = {
    "MARK": lambda _: MARK,
    "NONE": lambda _: None,
    "NEWTRUE": lambda _: True,
    "NEWFALSE": lambda _: False,
    "EMPTY_DICT": lambda _: {},
    "EMPTY_LIST": lambda _: [],
    "EMPTY_TUPLE": lambda _: (),
} | dict.fromkeys((*NUMBERS, *STRINGS), lambda argument: argument)

STEPS: dict[str, Callable[[_State, Any], Any]] = {
    "PROTO": lambda state, _: None,
    "FRAME": lambda state, _: None,
    "TUPLE": lambda state, _: state.stack.append(tuple(state.since_mark())),
    "TUPLE1": lambda state, _: state.stack.append(tuple(state.last(1))),
    "TUPLE2": lambda state, _: state.stack.append(tuple(state.last(2))),
    "TUPLE3": lambda state, _: state.stack.append(tuple(state.last(3))),
    "SETITEM": lambda state, _: _set_items(state, state.last(2)),
    "SETITEMS": lambda state, _: _set_items(state, state.since_mark()),
    "APPEND": lambda state, _: state.stack[-2].append(state.stack.pop()),
    "APPENDS": lambda state, _: _extend(state, state.since_mark()),
    "BINPUT": lambda state, place: state.memo.update({place: state.stack[-1]}),
    "LONG_BINPUT": lambda state, place: state.memo.update({place: state.stack[-1]}),
    "MEMOIZE": lambda state, _: state.memo.update({len(state.memo): state.stack[-1]}),
    "BINGET": lambda state, place: state.stack.append(state.memo[place]),
    "LONG_BINGET": lambda state, place: state.stack.append(state.memo[place]),
    "GLOBAL": _global,
    "STACK_GLOBAL": _stack_global,
    "REDUCE": _reduce,
    "BUILD": _build,
}
