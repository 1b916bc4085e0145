"""Which lines and branches of the algorithms' pages ran, by ``sys.settrace``.

A line counts when an instruction of it ran. A branch counts when its conditional jump went both
ways: ``if``, both sides of ``a if b else c``, ``and``, ``or``, loops. Statements that only raise,
and what leads to them, are left out: errors have tests of their own.
"""

from __future__ import annotations

import ast
import dis
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

from candidly import algorithms

FOLDER = Path(algorithms.__file__).parent

Where = tuple[str, str, int, bytes]  # of a function: file, name, first line, instructions
Steps = set[tuple[int, int]]  # from an instruction to the next, by offset


@contextmanager
def watched() -> Iterator[dict[Where, Steps]]:
    """Collect the instructions that run in functions of ``candidly.algorithms``."""
    ran: dict[Where, Steps] = {}

    def enter(frame: FrameType, event: str, _):
        code = frame.f_code
        if not code.co_filename.startswith(str(FOLDER)):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        mine, last = ran.setdefault(where(code), set()), -1

        def step(frame: FrameType, event: str, _):
            nonlocal last
            if event == "opcode":
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
    """What runs when a page is imported, as functions do that make stages."""
    spec = importlib.util.spec_from_file_location(
        f"candidly.algorithms.again_{module}", FOLDER / f"{module}.py"
    )
    again = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = again  # where dataclasses look
    try:
        with watched() as ran:
            spec.loader.exec_module(again)
    finally:
        del sys.modules[spec.name]
    return ran


def never_ran(module: str, ran: dict[Where, Steps]) -> list[str]:
    """The module's lines that never ran and branches that were never taken, in words."""
    path = FOLDER / f"{module}.py"
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
        only = isinstance(node, ast.If) and all(isinstance(one, ast.Raise) for one in node.body)
        if isinstance(node, ast.Raise) or (only and not node.orelse):
            yield from range(node.lineno, node.end_lineno + 1)


def _missing(code: CodeType, ran: Steps, raising: set[int]) -> Iterator[tuple[int, str]]:
    reached = {to for _, to in ran}
    if not reached:
        yield code.co_firstlineno, f"{code.co_qualname} never ran"
        return
    instructions = list(dis.get_instructions(code))
    line_of = {one.offset: one.positions.lineno for one in instructions}
    lines = {line_of[offset] for offset in reached}
    for at in {line_of[one.offset] for one in instructions if one.opname != "RESUME"}:
        if at and at not in lines and at not in raising:
            yield at, "never ran"
    for one, following in pairwise(instructions):
        if "JUMP_IF" not in one.opname or one.offset not in reached:
            continue
        if line_of[one.offset] in raising:
            continue
        for to in (following.offset, one.argval):
            if (one.offset, to) not in ran:
                yield line_of[one.offset], f"never went to line {line_of[to]} from here"
