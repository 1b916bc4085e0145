"""Running the parts: each within its time, what is done not again, what fails not for all."""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("child.py")
LAST_WORDS = 400  # characters of a failed part's standard error


@dataclass(frozen=True)
class Part:
    """Something that is measured in a process of its own.

    Attributes:
        module: with a function ``measure``.
        limit: seconds that it may take, at most.
        packages: import names of what it needs.
    """

    name: str
    module: str
    limit: float
    packages: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        return [name for name in self.packages if importlib.util.find_spec(name) is None]


@dataclass
class Result:
    """What became of a part.

    Attributes:
        code: digest of the code that was measured.    device: its name.
        error: why it ended early; '' where it came to its end.
    """

    code: str
    device: str
    seconds: float = 0.0
    claims: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: str = ""


def run_parts(
    parts: Sequence[Part],
    how: Sequence[str],
    stamp: Mapping[str, str],
    done: Mapping[str, Mapping[str, Any]],
    again: Sequence[str],
    total: float,
    say: Callable[[str], None],
) -> Iterator[tuple[str, Result]]:
    """Run what has no result of this code and device yet; results as they come.

    Args:
        how: what a part's process is told beside its module: device, and ``quick`` or ``full``.
        stamp: ``code`` and ``device``.
        done: earlier results by part.
        again: parts to run whatever there is.
        total: seconds for all of them.
    """
    left = [part for part in parts if part.name in again or not is_done(done.get(part.name), stamp)]
    for part in parts:
        if part not in left:
            say(f"{part.name}: done before; --again {part.name} repeats it")
    started = time.monotonic()
    for number, part in enumerate(left, 1):
        spare = total - (time.monotonic() - started)
        limit = min(part.limit, spare)
        rest = min(spare, sum(one.limit for one in left[number - 1 :]))
        say(f"[{number}/{len(left)}] {part.name}: at most {limit:.0f} s, of {rest:.0f} s left")
        result = Result(**stamp)
        if missing := part.missing():
            result.error = f"needs {', '.join(missing)}, which this Python does not have"
        elif limit <= 0:
            result.error = "no time was left; the same command goes on with it"
        else:
            _measure(part, how, limit, result, say)
        if result.error:
            say(f"{part.name}: {result.error}")
        yield part.name, result


def is_done(result: Mapping[str, Any] | None, stamp: Mapping[str, str]) -> bool:
    """Whether a part came to its end on this device with this code."""
    return (
        result is not None
        and not result["error"]
        and all(result[name] == value for name, value in stamp.items())
    )


def _measure(
    part: Part, how: Sequence[str], limit: float, result: Result, say: Callable[[str], None]
) -> None:
    start = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(
            [sys.executable, str(CHILD), part.module, *how],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # so that what it has started ends with it
        )
        ended = closed = False
        try:
            for line in _lines(process, start + limit):
                what = json.loads(line)
                if "end" in what:
                    ended = True
                elif "note" in what:
                    result.notes.append(what["note"])
                    say(f"  {what['note']}")
                else:
                    result.claims.append(what)
                    say(f"  {what['name']}: {what['value']:.4g}  {what['target']}")
            closed = True
        except TimeoutError:
            result.error = f"stopped after {limit:.0f} s, which is its limit"
        finally:
            _end(process, 10 if closed else 0)
        if not ended and not result.error:
            errors.seek(0)
            words = " | ".join(errors.read().strip().splitlines()[-3:])[-LAST_WORDS:]
            result.error = f"ended with status {process.returncode}: {words}"
    result.seconds = round(time.monotonic() - start, 1)


def _end(process: subprocess.Popen, grace: float) -> None:
    """Have it ended, with all that it has started, so many seconds from now at the latest."""
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()


def _lines(process: subprocess.Popen, until: float) -> Iterator[str]:
    """Its lines as they come.

    Raises:
        TimeoutError: it was not at its end in time.
    """
    found: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            found.put(line)
        found.put(None)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        try:
            line = found.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            return
        yield line


def table_of(results: Mapping[str, Result | Mapping[str, Any]]) -> list[str]:
    """Every claim, note and error as a line."""
    rows = []
    for name, result in results.items():
        one = asdict(result) if isinstance(result, Result) else result
        rows.append(f"{name}, {one['seconds']:.0f} s{': ' + one['error'] if one['error'] else ''}")
        rows += [f"    {note}" for note in one["notes"]]
        for claim in one["claims"]:
            mark = {None: " ", True: "ok", False: "MISSED"}[claim["holds"]]
            rows.append(
                f"    {claim['name']:<72} {claim['value']:>10.4g}  {claim['target']:<8} {mark}"
            )
    return rows


def all_hold(results: Mapping[str, Result | Mapping[str, Any]]) -> bool:
    """Whether every part came to its end and no target was missed."""
    each = [asdict(r) if isinstance(r, Result) else r for r in results.values()]
    return not any(r["error"] or any(c["holds"] is False for c in r["claims"]) for r in each)
