"""What every script here shares: claims with targets, interleaved timing, the machine's line."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Claim:
    """A measured value; with a target, whether it holds."""

    name: str
    value: float
    target: str = ""
    holds: bool | None = None


def at_least(name: str, value: float, target: float) -> Claim:
    return Claim(name, float(value), f">= {target:g}", bool(value >= target))


def at_most(name: str, value: float, target: float) -> Claim:
    return Claim(name, float(value), f"<= {target:g}", bool(value <= target))


def interleaved(rounds: int, *sides: Callable[[], float]) -> list[list[float]]:
    """Each side's seconds per round; the sides take turns, so that a busy spell hits all."""
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(rounds):
        for mine, side in zip(times, sides):
            mine.append(side())
    return times


def timed(work: Callable[[], object], repeat: int) -> Callable[[], float]:
    """A side: seconds per call of ``work``, over ``repeat`` calls."""

    def side() -> float:
        start = time.perf_counter()
        for _ in range(repeat):
            work()
        return (time.perf_counter() - start) / repeat

    return side


def cpu_timed(work: Callable[[], object]) -> Callable[[], float]:
    """A side: seconds of this process's CPU time for a call of ``work``."""

    def side() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return side


class Child:
    """One side in a process of its own, on one thread, so that it has its usual surroundings.

    Call it with a number of updates; it answers seconds per update.

    Args:
        script: answers each line on its stdin, a number, with a line.
        about: the script's one argument, as JSON.
        surroundings: of its environment, beside those of this process.
    """

    def __init__(self, script: Path, about: object, surroundings: Mapping[str, str]):
        self.process = subprocess.Popen(
            [sys.executable, str(script), json.dumps(about)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **surroundings, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        )

    def __call__(self, updates: int) -> float:
        self.process.stdin.write(f"{updates}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def median_ratio(slow: list[float], fast: list[float]) -> float:
    return statistics.median(s / f for s, f in zip(slow, fast))


def machine() -> str:
    """One line about where this was measured."""
    import torch

    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    return (
        f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"torch {torch.__version__.partition('+')[0]} "
        f"({torch.backends.cpu.get_cpu_capability()}), {datetime.date.today()}"
    )


def resumed(
    path: Path, tasks: Mapping[tuple[object, ...], Callable[[], Mapping[str, object]]]
) -> list[dict[str, object]]:
    """The lines of a file, and behind them one for each task that has none yet.

    Args:
        path: lines of JSON, which begin with what the key of their task holds.
        tasks: what makes the rest of a line, by key.
    """
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    for key, run in tasks.items():
        if not any(tuple(line.values())[: len(key)] == key for line in lines):
            lines.append(dict(run()))
            with path.open("a") as file:
                file.write(json.dumps(lines[-1]) + "\n")
            print(lines[-1], flush=True)
    return lines


def settle(script: str, claims: list[Claim]) -> None:
    """Write claims as results, and say them."""
    rows = [asdict(claim) for claim in claims]
    text = json.dumps({"machine": machine(), "claims": rows}, indent=1, ensure_ascii=False)
    (RESULTS / f"{script}.json").write_text(text + "\n")
    for claim in claims:
        print(f"{claim.name:<68} {claim.value:>8.2f}  {claim.target}")


def main(script: str, about: str, measure: Callable[[bool], list[Claim]]) -> None:
    """Parse ``--json --quick``, measure, print, and exit with 1 when a target is missed.

    A full run writes ``results/SCRIPT.json``; a quick one writes nothing.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--json", action="store_true", help="print the claims as JSON")
    parser.add_argument("--quick", action="store_true", help="under a minute; writes nothing")
    asked = parser.parse_args()
    claims = measure(asked.quick)
    rows = [asdict(claim) for claim in claims]
    if not asked.quick:
        RESULTS.mkdir(exist_ok=True)
        text = json.dumps({"machine": machine(), "claims": rows}, indent=1, ensure_ascii=False)
        (RESULTS / f"{script}.json").write_text(text + "\n")
    if asked.json:
        print(json.dumps(rows, indent=1))
    else:
        print(machine())
        for claim in claims:
            mark = {None: " ", True: "ok", False: "MISSED"}[claim.holds]
            print(f"{claim.name:<68} {claim.value:>10.3g}  {claim.target:<8} {mark}")
    sys.exit(any(claim.holds is False for claim in claims))
