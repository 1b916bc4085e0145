"""Which lines and branches of files ran, by ``sys.settrace``.

A line counts when an instruction of it ran. A branch counts when its conditional jump went both
ways: ``if``, both sides of ``a if b else c``, ``and``, ``or``, loops. Statements that only raise,
and what leads to them, are left out: errors have tests of their own.
"""

from __future__ import annotations

import ast
import dis
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from .. import algorithms

FOLDER = Path(algorithms.__file__).parent

Where = tuple[str, str, int, bytes]  # of a function: file, name, first line, instructions
Steps = set[tuple[int, int]]  # from an instruction to the next, by offset


BRANCHES = sys.version_info[:2] == (3, 11)  # whose bytecode is known; else lines alone


@contextmanager
def watched(place: str = str(FOLDER)) -> Iterator[dict[Where, Steps]]:
    """Collect the instructions that run in functions of files whose path begins with ``place``.

    Where branches are not known, of each line the first.
    """
    ran: dict[Where, Steps] = {}

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(place):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = BRANCHES, not BRANCHES
        mine, last = ran.setdefault(where(code), set()), -1

        def step(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if event in ("opcode", "line"):
                mine.add((last, frame.f_lasti))
                last = frame.f_lasti
            return step

        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield ran
    finally:
        sys.settrace(before)


def where(code: CodeType) -> Where:
    return Path(code.co_filename).name, code.co_qualname, code.co_firstlineno, code.co_code


@cache
def on_import(module: str) -> dict[Where, Steps]:
    """What runs when a method is imported, as functions do that make stages."""
    spec: Any = importlib.util.spec_from_file_location(
        f"candidly.learn.algorithms.again_{module}", FOLDER / f"{module}.py"
    )
    again = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = again  # where dataclasses look
    try:
        with watched() as ran:
            spec.loader.exec_module(again)
    finally:
        del sys.modules[spec.name]
    return ran


def never_ran(path: Path, ran: Mapping[Where, Steps]) -> list[str]:
    """A file's lines that never ran and branches that were never taken, in words."""
    source = path.read_text()
    raising = set(_raising(ast.parse(source)))
    found = {
        missing
        for code in _functions(compile(source, str(path), "exec"))
        for missing in _missing(code, ran.get(where(code), set()), raising)
    }
    lines = source.splitlines()
    return [f"{path.name}:{at}: {lines[at - 1].strip()}: {why}" for at, why in sorted(found)]


def _functions(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _functions(constant)


def _raising(tree: ast.AST) -> Iterator[int]:
    """Lines of ``raise``, and of an ``if`` that does nothing else."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            only = all(isinstance(one, ast.Raise) for one in node.body) and not node.orelse
        else:
            only = isinstance(node, ast.Raise)
        if isinstance(node, ast.stmt) and only:
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _missing(code: CodeType, ran: Steps, raising: set[int]) -> Iterator[tuple[int, str]]:
    reached = {to for _, to in ran}
    if not reached:
        yield code.co_firstlineno, f"{code.co_qualname} never ran"
        return
    instructions = list(dis.get_instructions(code))
    line_of = {one.offset: _line(one) for one in instructions}
    lines = {line_of[offset] for offset in reached}
    for at in {line_of[one.offset] for one in instructions if one.opname != "RESUME"}:
        if at and at not in lines and at not in raising:
            yield at, "never ran"
    for one, following in pairwise(instructions) if BRANCHES else ():
        if "JUMP_IF" not in one.opname or one.offset not in reached:
            continue
        if line_of[one.offset] in raising:
            continue
        for to in (following.offset, one.argval):
            if (one.offset, to) not in ran:
                yield line_of[one.offset], f"never went to line {line_of[to]} from here"


def _line(one: dis.Instruction) -> int:
    """0 where it has none."""
    return (one.positions.lineno or 0) if one.positions else 0
